"""What the volume of a hull may cost, judged before anything runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from aiq.errors import InputError

WORK_OF_FACET = 1200  # work of the sampled volume (see hull_sampling) that takes as long as one facet
HULL_COST = 100  # facets that take as long as the overhead of one hull


@dataclass(frozen=True, slots=True)
class Budget:
    """What a volume may cost.

    ``facets``: upper bound on the facets of one exact hull (about 6 microseconds and up to 1 kB each). Above it the
    volume is sampled: by ``groups`` of walkers, whose spread is its error, until its relative standard error is
    ``target`` or the ``work`` is done (about 5 nanoseconds each: half a minute; a first round is always made).
    ``total``: facets over all hulls of a bootstrap (any hull counts as ``HULL_COST`` at least): the default is some
    ten minutes at worst, and far less where hulls have fewer facets than they could. Its sampled hulls have
    ``replicate_groups`` and one round.
    """

    facets: int = 5_000_000
    target: float = 0.02
    work: int = 4_000_000_000
    groups: int = 16
    replicate_groups: int = 4
    total: int = 100_000_000

    def __post_init__(self) -> None:
        """Refuse budgets below 1 (2 groups, for an error), and a target that is not a part."""
        for name in ("facets", "work", "groups", "replicate_groups", "total"):
            least = 2 if "groups" in name else 1
            if getattr(self, name) < least:
                raise InputError(f"the hull budget {name!r} is {getattr(self, name)}; it must be at least {least}")
        if not 0 < self.target < 1:
            raise InputError(f"the hull budget 'target' is {self.target}; it must lie between 0 and 1")

    def of_replicates(self) -> Budget:
        """Return the budget of one hull of a bootstrap."""
        return replace(self, groups=self.replicate_groups, work=1)


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
    if bound <= budget.facets:
        return bound + HULL_COST
    lines = 8 * budget.replicate_groups * (400 + 3 * (points - dimension))
    return HULL_COST + math.ceil(lines * points / 4 * (dimension * (dimension + points) + 500) / WORK_OF_FACET)
