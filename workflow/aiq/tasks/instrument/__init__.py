"""A suite as an instrument, from a finished run or from tables."""
