"""What is said before scores that take long are computed."""

from __future__ import annotations

import math

from aiq.measures.quotient import hull_stack
from aiq.measures.quotient.hull_budget import Budget, cost, facet_bound
from aiq.records.space import Space

REPLICATES = 1000  # of performances, in a space without replicates
FACET = 6e-6  # seconds of a facet, see ``Budget``
SAMPLED = 30.0  # seconds of a hull that is sampled to its target
QUIET = 10.0  # seconds below which nothing is said


def said(space: Space, agents: int, repeated: bool) -> str:
    """Return how many hulls are computed and how long that may take, nothing where it is done at once.

    Args:
        space: the space, with or without replicates.
        agents: how many are scored.
        repeated: whether any has repetitions or standard errors.
    """
    budget, (n, d) = Budget(), space.coordinates.shape
    moved = 0 if space.bootstrap is None else len(space.bootstrap.coordinates)
    hulls, one = agents + 1, cost(n, d, budget)
    used = min(moved or REPLICATES * repeated, budget.total // ((agents + bool(moved)) * one))
    sampled = 1 < d < n and facet_bound(n + 1, d) > budget.facets
    seconds = hulls * (SAMPLED if sampled else one * FACET)
    seconds += 0.0 if hull_stack.fits(n, d) else used * hulls * one * FACET
    if seconds < QUIET:
        return ""
    how = "sampled, as they may have too many facets to list" if sampled else "computed"
    again = f", each again in {used} replicates" if used else ""
    return (
        f"scoring {agents} agent{'s' * (agents > 1)}: {hulls} hulls of {n} domains in {d} dimensions are {how}{again}; "
        f"this may take {_time(seconds)}, with fewer dimensions (aiq space --dimensions) less"
    )


def _time(seconds: float) -> str:
    """Return an upper bound in words."""
    return f"up to {math.ceil(seconds)} s" if seconds < 60 else f"up to {math.ceil(seconds / 60)} min"
