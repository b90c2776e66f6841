"""Claims of the papers of 2010, 2013 and 2015, read from the tables of runs of their measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from papers.claims.base import Claim, Reading, Statement
from papers.claims.evidence import Evidence, LackingError
from papers.claims.margins import Margin
from papers.claims.shapes import Found, controlled

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


def rows(e: Evidence, measure: str, table: str) -> list[Row]:
    """Return the rows of a table of a run of a measure.

    Raises:
        LackingError: the run is of another measure, or has no such table.
    """
    if e.measure != measure or table not in e.tables:
        raise LackingError(f"no run of measure {measure} with a table of {table}")
    found = e.tables[table]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def within(value: float, low: float | None, high: float | None, target: float, near: float) -> list[Margin]:
    """Return the margins of a number being within ``near`` of a target."""
    if low is None or high is None:
        return [Margin(near - abs(value - target), near)]
    above = Margin(near - (value - target), near, ends=(near - (high - target), near - (low - target)))
    below = Margin(near + (value - target), near, ends=(near + (low - target), near + (high - target)))
    return [_student(above), _student(below)]


def _student(margin: Margin) -> Margin:
    """Return a margin with a normal error in the place of its ends, so that it has an interval at any confidence."""
    return Margin(margin.value, margin.size, margin.error)


def positive(value: float, low: float | None, high: float | None, size: float) -> Margin:
    """Return the margin of a number being above 0."""
    if low is None or high is None or not low < high:
        return Margin(value, size)
    return _student(Margin(value, size, ends=(low, high)))


def _worst(
    found: Sequence[tuple[float, float | None, float | None, float]],
) -> tuple[float, tuple[float, float] | None]:
    """Return the number that is farthest from its target, with its interval."""
    value, low, high, _ = max(found, key=lambda one: abs(one[0] - one[3]))
    return value, None if low is None or high is None else (low, high)


# ---- 2013 ---------------------------------------------------------------------------------------


def _quotients(names: Sequence[str]) -> Callable[[Evidence], Reading]:
    """Return what a run says of quotients being within NEAR of those in print."""

    def of(e: Evidence) -> Reading:
        found, margins, by = [], [], set[str]()
        for row in rows(e, "algorithmic", "quotients"):
            printed = QUOTIENTS.get(str(row["label"]).lower().split(" ")[0], {}).get(int(row["length"]))
            if printed is None or str(row["label"]).lower().split(" ")[0] not in names:
                continue
            ours = Found(row["quotient"], row["quotient_low"], row["quotient_high"])
            ours = controlled(row, ours, rows(e, "algorithmic", "quotients"), _differences(e))
            found.append((ours.value, ours.low, ours.high, printed))
            margins += within(*found[-1], NEAR)
            by |= {ours.by} - {""}
        if not found:
            raise LackingError("none of the agents in print at a length in print")
        printed_at_all = sum(len(QUOTIENTS[name]) for name in names)
        note = f"{len(found)} of {printed_at_all} numbers in print, at the run's parameters"
        note += "; the farthest is shown" if len(found) > 1 else ""
        return Reading(margins, *_worst(found), "; ".join([note, *sorted(by)]))

    return of


def _differences(e: Evidence) -> list[Row]:
    """Return the rows of the paired differences; none where the run has none."""
    return rows(e, "algorithmic", "differences") if "differences" in e.tables else []


def _order_2013(e: Evidence) -> Reading:
    """Freq below Q(0) below Q(λ) below HLQ(λ) at every length."""
    order = ("freq", "q-0", "q-lambda", "hlq-lambda")
    steps = set(pairwise(order))
    margins = []
    for row in rows(e, "algorithmic", "differences"):
        pair = (str(row["first"]), str(row["second"]))
        if int(row["length"]) < 1000 or not {pair, pair[::-1]} & steps:
            continue
        sign = -1.0 if pair in steps else 1.0  # the table has the first less the second
        ends = [row["difference_low"], row["difference_high"]]
        low, high = (None, None) if None in ends else sorted(sign * end for end in ends)
        margins.append(positive(sign * row["difference"], low, high, 1.0))
    if len(margins) < 3:
        raise LackingError("the four agents were not run together")
    return Reading(margins, note=f"{len(margins)} differences on common draws; the smallest is shown")


# ---- 2010 ---------------------------------------------------------------------------------------


def _last(e: Evidence, agent: str) -> list[Row]:
    """Return the rows of an agent at the largest budget of every class.

    Raises:
        LackingError: the agent was not run.
    """
    found = [row for row in rows(e, "anytime", "anytime") if str(row["agent"]) == agent]
    if not found:
        raise LackingError(f"the agent {agent} was not run")
    most = {row["class"]: max(r["budget"] for r in found if r["class"] == row["class"]) for row in found}
    return [row for row in found if row["budget"] == most[row["class"]]]


def _random_2010(e: Evidence) -> Reading:
    """A random agent has no more than .1 on either side of 0."""
    found = [(r["upsilon"], r["upsilon_low"], r["upsilon_high"], 0.0) for r in _last(e, "random")]
    margins = [margin for one in found for margin in within(*one, 0.1)]
    return Reading(margins, *_worst(found), f"{len(found)} classes, the farthest is shown")


def _oracle_2010(e: Evidence) -> Reading:
    """Who knows the environment is above who learns, in every class; intervals of their own, as if independent."""
    learns = {row["class"]: row for row in _last(e, "q-learning")}
    margins = []
    for row in _last(e, "oracle"):
        other = learns.get(row["class"])
        if other is None:
            continue
        half = [(one["upsilon_high"] - one["upsilon_low"]) / 2 for one in (row, other)]
        gap, wide = row["upsilon"] - other["upsilon"], float(np.hypot(*half))
        margins.append(positive(gap, gap - wide, gap + wide, 0.2))
    if not margins:
        raise LackingError("no class has both agents")
    return Reading(margins, note=f"{len(margins)} classes; the smallest difference is shown")


# ---- 2015 ---------------------------------------------------------------------------------------


def _ordering(word: str, size: float) -> Callable[[Evidence], Reading]:
    """Return what a run says of all orderings whose statement holds a word."""

    def of(e: Evidence) -> Reading:
        margins = [
            positive(row["difference"], row["difference_low"], row["difference_high"], size)
            for row in rows(e, "collectives", "orderings")
            if word in str(row["statement"])
        ]
        if not margins:
            raise LackingError(f"no ordering with {word!r} was run")
        return Reading(margins, note=f"{len(margins)} differences; the smallest is shown")

    return of


def _zero_2015(e: Evidence) -> Reading:
    """Random agents are within .02 of 0."""
    found = [
        (row["difference"], row["difference_low"], row["difference_high"], 0.0)
        for row in rows(e, "collectives", "orderings")
        if row["statement"] == "random is 0"
    ]
    if not found:
        raise LackingError("no random agents were run")
    return Reading([m for one in found for m in within(*one, 0.02)], *_worst(found))


CLAIMS = (
    Claim(
        "A13-table",
        2013,
        "Figure 1",
        "algorithmic quotients of the tabular agents",
        "20 numbers from 40.2 (Freq, 1,000 cycles) to 56.3 (HLQ(λ), 100,000)",
        (
            Statement(
                f"every quotient is within {NEAR:g} points",
                "as in print",
                _quotients(("freq", "q(0)", "q(λ)", "hlq(λ)")),
            ),
        ),
        "points",
    ),
    Claim(
        "A13-order",
        2013,
        "Section 4, Figure 1",
        "order of the agents",
        "Freq < Q(0) < Q(λ) < HLQ(λ) at every length",
        (Statement("every agent is above the one before at every length from 1,000 cycles", "1 point", _order_2013),),
        "points",
    ),
    Claim(
        "A13-aixi",
        2013,
        "Figure 1",
        "algorithmic quotient of MC-AIXI",
        "41.0 (1,000 cycles), 54.1 (10,000 cycles)",
        (Statement(f"every quotient is within {NEAR:g} points", "as in print", _quotients(("mc-aixi",))),),
        "points",
    ),
    Claim(
        "T10-random",
        2010,
        "Section 6, Table 3",
        "a random agent",
        "its expected value is 0, whenever the test stops",
        (Statement("Υ of the random agent is within .1 of 0 in every class", "0", _random_2010),),
        "Υ",
    ),
    Claim(
        "T10-order",
        2010,
        "Section 6, Table 3",
        "who knows is above who learns",
        "the oracle's value is highest",
        (Statement("the oracle is above tabular Q in every class that has one", "a difference of .2", _oracle_2010),),
        "Υ",
    ),
    Claim(
        "C15-random",
        2015,
        "Figure 3",
        "random agents",
        "score 0 at every uncertainty",
        (Statement("Υ of random agents is within .02 of 0", "0", _zero_2015),),
        "Υ",
    ),
    Claim(
        "C15-imitation",
        2015,
        "Figure 3",
        "imitation against local search",
        "imitation is well above local search",
        (
            Statement(
                "imitation is above local search at every side",
                "a difference of .1",
                _ordering("imitation is above local_search", 0.1),
            ),
        ),
        "Υ",
    ),
    Claim(
        "C15-shared",
        2015,
        "Figure 3",
        "agents that share what they learn",
        "shared tables are above single ones",
        (
            Statement(
                "shared Q and Sarsa are above single ones at every side",
                "a difference of .05",
                _ordering("shared_", 0.05),
            ),
        ),
        "Υ",
    ),
    Claim(
        "C15-falls",
        2015,
        "Figure 3",
        "score against uncertainty",
        "every score falls from side 10 to side 20",
        (
            Statement(
                "every kind of agent scores less at side 20 than at side 10", "a fall of .05", _ordering("falls", 0.05)
            ),
        ),
        "Υ",
    ),
)
