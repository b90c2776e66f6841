"""Claims of the papers of 2010, 2013 and 2015, read from the tables of runs of their measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scipy.special import ndtri

from papers.claims.base import Check, Reading
from papers.claims.evidence import Evidence, LackingError
from papers.claims.numbers import Margin

Row = Mapping[str, Any]

QUOTIENTS: Mapping[str, Mapping[int, float]] = {
    "freq": {1000: 40.2, 3000: 42.6, 10_000: 45.2, 30_000: 47.3, 100_000: 49.1},
    "q(0)": {1000: 41.8, 3000: 46.3, 10_000: 50.2, 30_000: 52.5, 100_000: 54.1},
    "q(λ)": {1000: 44.3, 3000: 48.1, 10_000: 51.5, 30_000: 53.7, 100_000: 54.8},
    "hlq(λ)": {1000: 49.1, 3000: 52.2, 10_000: 54.7, 30_000: 56.1, 100_000: 56.3},
    "mc-aixi": {1000: 41.0, 10_000: 54.1},
}
"""Legg and Veness (2013), Figure 1: agent -> length -> quotient."""
NEAR = 3.0
"""Largest difference of two algorithmic quotients, in points of 100, that counts as none."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number with the ends of its 95 % interval (None: not known); ``by`` says how it was found, in words."""

    value: float
    low: float | None
    high: float | None
    by: str = ""

    @classmethod
    def of(cls, row: Row, column: str, sign: float = 1.0) -> Bounded:
        """Return the number in a column of a table, times a sign; its ends stand in ``_low`` and ``_high``."""
        ends = row[f"{column}_low"], row[f"{column}_high"]
        if None in ends:
            return cls(sign * row[column], None, None)
        return cls(sign * row[column], *sorted(sign * end for end in ends))

    @property
    def half(self) -> float:
        """Half of the interval's length; infinite where it is not known."""
        return math.inf if self.low is None or self.high is None else (self.high - self.low) / 2

    def above(self, least: float, size: float, sign: float = 1.0) -> Margin:
        """Return the margin of the number, times a sign, being above another, with a normal error."""
        error = self.half / float(ndtri(0.975))
        return Margin(sign * self.value - least, size, error if 0 < error < math.inf else None)


def within(numbers: Sequence[Bounded], targets: Sequence[float], near: float, note: str = "") -> Reading:
    """Return the reading of numbers being within ``near`` of their targets; the farthest is shown."""
    pairs = list(zip(numbers, targets, strict=True))
    margins = [one.above(sign * to - near, near, sign) for one, to in pairs for sign in (1.0, -1.0)]
    worst, _ = max(pairs, key=lambda pair: abs(pair[0].value - pair[1]))
    ends = None if worst.low is None or worst.high is None else (worst.low, worst.high)
    return Reading(margins, worst.value, ends, note)


def rows(e: Evidence, measure: str, table: str) -> list[Row]:
    """Return the rows of a table of a run of a measure.

    Raises:
        LackingError: the run is of another measure, or has no such table.
    """
    if e.measure != measure or table not in e.tables:
        raise LackingError(f"no run of measure {measure} with a table of {table}")
    found = e.tables[table]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


# ---- 2013 ---------------------------------------------------------------------------------------


def controlled(row: Row, own: Bounded, quotients: Sequence[Row], differences: Sequence[Row]) -> Bounded:
    """Return the sharpest estimate of an agent's quotient: its own mean, or its difference to another plus that one's.

    The other agent has more trials of the same length; the difference is that of the trials on the same programs. Both
    are unbiased. Their errors hang together by the pairs that they share; that covariance is of the order of one over
    the other agent's number of pairs, and is left out. Which estimate is taken follows from the widths alone, never
    from a value. Coverage of nominal 95 % intervals with 100 of 5,000 pairs in common and a skewed difference: .94
    (``tests/unit/claims/test_controlled.py``).

    Args:
        row: of the agent, in the table ``quotients``.
        own: its own mean.
        quotients: all rows of that table.
        differences: rows of the table ``differences``, the first agent less the second.
    """
    best = own
    for step in differences:
        pair = (step["first"], step["second"])
        if step["length"] != row["length"] or row["agent"] not in pair:
            continue
        name, sign = (pair[1], 1.0) if pair[0] == row["agent"] else (pair[0], -1.0)
        for other in quotients:
            same = (other["agent"], other["length"]) == (name, row["length"])
            if same and int(other["runs"]) > int(row["runs"]):
                made = _sum(other, step, sign)
                best = made if made.half < best.half else best
    return best


def _sum(other: Row, step: Row, sign: float) -> Bounded:
    """Return the other agent's quotient plus the difference to it, with the interval of both."""
    theirs, gap = Bounded.of(other, "quotient"), Bounded.of(step, "difference", sign)
    value, half, label = theirs.value + gap.value, math.hypot(theirs.half, gap.half), other["label"]
    words = f"the difference to {label} on {step['pairs']} pairs of trials plus {label} on all its pairs"
    return Bounded(value, value - half, value + half, words)


def _quotients(e: Evidence, names: Sequence[str]) -> Reading:
    """Quotients of some agents are within NEAR of those in print."""
    quotients = rows(e, "algorithmic", "quotients")
    differences = rows(e, "algorithmic", "differences") if "differences" in e.tables else []
    found, targets = [], []
    for row in quotients:
        name = str(row["label"]).lower().split(" ")[0]
        printed = QUOTIENTS.get(name, {}).get(int(row["length"]))
        if printed is not None and name in names:
            found.append(controlled(row, Bounded.of(row, "quotient"), quotients, differences))
            targets.append(printed)
    if not found:
        raise LackingError("none of the agents in print at a length in print")
    printed_at_all = sum(len(QUOTIENTS[name]) for name in names)
    note = f"{len(found)} of {printed_at_all} numbers in print, at the run's parameters"
    note += "; the farthest is shown" if len(found) > 1 else ""
    return within(found, targets, NEAR, "; ".join([note, *sorted({one.by for one in found} - {""})]))


def _order_2013(e: Evidence) -> Reading:
    """Freq below Q(0) below Q(λ) below HLQ(λ) at every length."""
    steps = set(pairwise(("freq", "q-0", "q-lambda", "hlq-lambda")))
    margins = []
    for row in rows(e, "algorithmic", "differences"):
        pair = (str(row["first"]), str(row["second"]))
        if int(row["length"]) >= 1000 and {pair, pair[::-1]} & steps:
            sign = -1.0 if pair in steps else 1.0  # the table has the first less the second
            margins.append(Bounded.of(row, "difference", sign).above(0.0, 1.0))
    if len(margins) < 3:
        raise LackingError("the four agents were not run together")
    return Reading(margins, note=f"{len(margins)} differences on common draws; the smallest is shown")


# ---- 2010 ---------------------------------------------------------------------------------------


def _last(e: Evidence, agent: str) -> dict[str, Bounded]:
    """Return Υ of an agent at the largest budget of every class, by class.

    Raises:
        LackingError: the agent was not run.
    """
    found = [row for row in rows(e, "anytime", "anytime") if str(row["agent"]) == agent]
    if not found:
        raise LackingError(f"the agent {agent} was not run")
    return {row["class"]: Bounded.of(row, "upsilon") for row in sorted(found, key=lambda row: row["budget"])}


def _random_2010(e: Evidence) -> Reading:
    found = [*_last(e, "random").values()]
    return within(found, [0.0] * len(found), 0.1, f"{len(found)} classes, the farthest is shown")


def _oracle_2010(e: Evidence) -> Reading:
    """Who knows the environment is above who learns, in every class; intervals of their own, as if independent."""
    learns, margins = _last(e, "q-learning"), []
    for name, oracle in _last(e, "oracle").items():
        if name in learns:
            gap, half = oracle.value - learns[name].value, math.hypot(oracle.half, learns[name].half)
            margins.append(Bounded(gap, gap - half, gap + half).above(0.0, 0.2))
    if not margins:
        raise LackingError("no class has both agents")
    return Reading(margins, note=f"{len(margins)} classes; the smallest difference is shown")


# ---- 2015 ---------------------------------------------------------------------------------------


def _orderings(e: Evidence, word: str) -> list[Bounded]:
    """Return the differences of all orderings whose statement holds a word."""
    return [Bounded.of(r, "difference") for r in rows(e, "collectives", "orderings") if word in str(r["statement"])]


def _ordering(e: Evidence, word: str, size: float) -> Reading:
    """All orderings whose statement holds a word hold."""
    margins = [one.above(0.0, size) for one in _orderings(e, word)]
    if not margins:
        raise LackingError(f"no ordering with {word!r} was run")
    return Reading(margins, note=f"{len(margins)} differences; the smallest is shown")


def _zero_2015(e: Evidence) -> Reading:
    found = _orderings(e, "random is 0")
    if not found:
        raise LackingError("no random agents were run")
    return within(found, [0.0] * len(found), 0.02)


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "A13-table": (lambda e: _quotients(e, ("freq", "q(0)", "q(λ)", "hlq(λ)")),),
    "A13-order": (_order_2013,),
    "A13-aixi": (lambda e: _quotients(e, ("mc-aixi",)),),
    "T10-random": (_random_2010,),
    "T10-order": (_oracle_2010,),
    "C15-random": (_zero_2015,),
    "C15-imitation": (lambda e: _ordering(e, "imitation is above local_search", 0.1),),
    "C15-shared": (lambda e: _ordering(e, "shared_", 0.05),),
    "C15-falls": (lambda e: _ordering(e, "falls", 0.05),),
}
"""Claim -> the check of each of its statements."""
