"""What the volume of a hull may cost, judged before anything runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aiq.errors import InputError

SAMPLE_COST = 250  # facets that take as long as one linear program of the approximation
HULL_COST = 100  # facets that take as long as the overhead of one hull


@dataclass(frozen=True, slots=True)
class Budget:
    """What a volume may cost.

    ``facets``: upper bound on the facets of one exact hull (about 6 microseconds and up to 1 kB each).
    ``inner_facets`` and ``samples``: of the approximation above it. ``total``: facets over all hulls of a
    bootstrap (a sample counts as ``SAMPLE_COST`` facets, any hull as ``HULL_COST`` at least): the default is some
    ten minutes at worst, and far less where hulls have fewer facets than they could.
    """

    facets: int = 5_000_000
    inner_facets: int = 200_000
    samples: int = 2_000
    total: int = 100_000_000

    def __post_init__(self) -> None:
        """Refuse budgets below 1 (2 samples, for an error)."""
        for name in ("facets", "inner_facets", "samples", "total"):
            least = 2 if name == "samples" else 1
            if getattr(self, name) < least:
                raise InputError(f"the hull budget {name!r} is {getattr(self, name)}; it must be at least {least}")


def facet_bound(points: int, dimension: int) -> int:
    """Return the largest number of facets that a polytope with so many vertices can have (upper bound theorem).

    Facets of the cyclic polytope: C(N - ceil(d/2), floor(d/2)) + C(N - 1 - ceil((d-1)/2), floor((d-1)/2)).
    """
    if dimension < 1 or points <= dimension:
        return 0
    half, odd = dimension // 2, (dimension - 1) // 2
    return math.comb(points - (dimension - half), half) + math.comb(points - 1 - (dimension - 1 - odd), odd)


def cost(points: int, dimension: int, budget: Budget) -> int:
    """Return the cost of one hull of so many points and the origin, in facets."""
    if points == dimension or dimension == 1:
        return HULL_COST
    bound = facet_bound(points + 1, dimension)
    return bound + HULL_COST if bound <= budget.facets else budget.inner_facets + SAMPLE_COST * budget.samples
