"""Studies: how often the intervals cover what they estimate, and whether the defaults withstand real data.

Each module with a function ``run(quick: bool) -> list[dict]`` is a study; ``python -m studies`` runs them all.
"""
