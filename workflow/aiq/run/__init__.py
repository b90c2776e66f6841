"""A run: what it will cost, its jobs, its start, going on after an accident, and the upkeep of its folder."""
