"""Orderings between kinds of collectives that a faithful build of Lambda* must show.

Random is 0; the oracle is on top; imitation is well above local search; auction is at or above stigmergy
and stigmergy above local search from side 10 on; shared tables are above single ones; and every score
falls from side 10 to side 20.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiq.records.estimate import Estimate
from aiq.wings.collectives.equations import difference, intelligence
from aiq.wings.collectives.records import EpisodeBlock

Found = Mapping[tuple[int, str], Sequence[EpisodeBlock]]  # (side, kind) -> blocks
PAIRS = (
    ("oracle", "imitation", 3),
    ("imitation", "local_search", 3),
    ("auction", "stigmergy", 10),
    ("stigmergy", "local_search", 10),
    ("shared_q", "q_learning", 3),
    ("shared_sarsa", "sarsa", 3),
)
"""(higher kind, lower kind, smallest side)."""


@dataclass(frozen=True)
class Ordering:
    """A statement and the difference that decides it.

    ``holds``: the interval lies above 0; for ``is at least`` it reaches 0, for ``is 0`` it holds 0. None where
    there is no interval.
    """

    statement: str
    side: int
    difference: Estimate
    holds: bool | None


def orderings(found: Found) -> tuple[Ordering, ...]:
    """Return every ordering whose kinds and sides were run."""
    sides = sorted({side for side, _ in found})
    made = [_zero(side, found) for side in sides if (side, "random") in found]
    for high, low, least in PAIRS:
        both = [side for side in sides if side >= least and (side, high) in found and (side, low) in found]
        made += [_above(side, high, low, found) for side in both]
    if {10, 20} <= set(sides):
        both_sides = [kind for side, kind in found if side == 10 and (20, kind) in found]
        made += [_falls(kind, found) for kind in both_sides if kind != "random"]
    return tuple(made)


def _zero(side: int, found: Found) -> Ordering:
    """Random agents score 0."""
    value = intelligence(found[side, "random"]).estimate
    holds = None if value.interval is None else value.interval[0] <= 0 <= value.interval[1]
    return Ordering("random is 0", side, value, holds)


def _above(side: int, high: str, low: str, found: Found) -> Ordering:
    """One kind is above another on the same worlds; auction may equal stigmergy."""
    gap = difference(found[side, high], found[side, low])
    weak = (high, low) == ("auction", "stigmergy")
    holds = None if gap.interval is None else gap.interval[1] >= 0 if weak else gap.interval[0] > 0
    return Ordering(f"{high} {'is at least' if weak else 'is above'} {low}", side, gap, holds)


def _falls(kind: str, found: Found) -> Ordering:
    """A kind scores less at side 20 than at side 10, on worlds of their own: errors add in squares."""
    a, b = (intelligence(found[side, kind]).estimate for side in (10, 20))
    value = a.value - b.value
    if a.interval is None or b.interval is None:
        return Ordering(f"{kind} falls from side 10 to 20", 20, Estimate(value, None, a.n + b.n, "difference"), None)
    half = math.hypot(*((e.interval[1] - e.interval[0]) / 2 for e in (a, b) if e.interval is not None))
    gap = Estimate(value, (value - half, value + half), a.n + b.n, "difference of independent means, normal interval")
    return Ordering(f"{kind} falls from side 10 to 20", 20, gap, value - half > 0)
