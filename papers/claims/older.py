"""Claims of the papers of 2010, 2013 and 2015, from the tables of runs of their measures, and of that of 2020.

A run of measure ``similarity`` gives one record for every number that the paper of 2020 prints
(``papers.claims.published``; how each is judged: docs/methods/similarity.md). A group is reproduced where all its
records are. It is not where one number lies outside its interval even after the interval was widened for as many
numbers as there are: by the plain intervals a group of six right numbers would be called not reproduced in a quarter of
all runs. Everything between is undecided.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scipy.special import ndtri
from scipy.stats import binom, norm, t

from papers.claims import Reading
from papers.claims import numbers as m
from papers.claims.evidence import Evidence, LackingError
from papers.claims.numbers import Margin
from papers.claims.published import PublishedClaim

Row = Mapping[str, Any]

NEAR = 3.0  # largest difference of two algorithmic quotients, in points of 100, that counts as none


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
    margins = [number.above(sign * to - near, near, sign) for number, to in pairs for sign in (1.0, -1.0)]
    worst, _ = max(pairs, key=lambda pair: abs(pair[0].value - pair[1]))
    ends = None if worst.low is None or worst.high is None else (worst.low, worst.high)
    return Reading(margins, worst.value, ends, note)


def rows(e: Evidence, measure: str, table: str) -> list[Row]:
    """Return the rows of a table of a run of a measure."""
    if e.measure != measure or table not in e.tables:
        raise LackingError(f"no run of measure {measure} with a table of {table}")
    source = e.tables[table]
    return [dict(zip(source.columns, row, strict=True)) for row in source.rows]


# ---- 2010 ---------------------------------------------------------------------------------------


def _last(e: Evidence, agent: str) -> dict[str, Bounded]:
    """Return Υ of an agent at the largest budget of every class, by class."""
    agent_rows = [row for row in rows(e, "anytime", "anytime") if str(row["agent"]) == agent]
    if not agent_rows:
        raise LackingError(f"the agent {agent} was not run")
    return {row["class"]: Bounded.of(row, "upsilon") for row in sorted(agent_rows, key=lambda row: row["budget"])}


def random_2010(e: Evidence) -> Reading:
    """Υ of random agents is near 0 in every class."""
    upsilons = [*_last(e, "random").values()]
    return within(upsilons, [0.0] * len(upsilons), 0.1, f"{len(upsilons)} classes, the farthest is shown")


def oracle_2010(e: Evidence) -> Reading:
    """Who knows the environment is above who learns, in every class; intervals of their own, as if independent."""
    learns, margins = _last(e, "q-learning"), []
    for name, oracle in _last(e, "oracle").items():
        if name in learns:
            gap, half = oracle.value - learns[name].value, math.hypot(oracle.half, learns[name].half)
            margins.append(Bounded(gap, gap - half, gap + half).above(0.0, 0.2))
    if not margins:
        raise LackingError("no class has both agents")
    return Reading(margins, note=f"{len(margins)} classes; the smallest difference is shown")


# ---- 2013 ---------------------------------------------------------------------------------------


def controlled(row: Row, own: Bounded, quotients: Sequence[Row], differences: Sequence[Row]) -> Bounded:
    """Return the sharpest estimate of an agent's quotient: its own mean, or its difference to another plus that one's.

    The other agent has more trials of the same length; the difference is that of the trials on the same programs. Both
    are unbiased. Their errors hang together by the pairs that they share; that covariance is of the order of one over
    the other agent's number of pairs, and is left out. Which estimate is taken follows from the widths alone, never
    from a value. Coverage of nominal 95 % intervals with 100 of 5,000 pairs in common and a skewed difference: .94
    (``tests/unit/claims/test_claims_of_older_measures.py``).
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
                theirs, gap = Bounded.of(other, "quotient"), Bounded.of(step, "difference", sign)
                value, half, label = theirs.value + gap.value, math.hypot(theirs.half, gap.half), other["label"]
                words = f"the difference to {label} on {step['pairs']} pairs of trials plus {label} on all its pairs"
                made = Bounded(value, value - half, value + half, words)
                best = made if made.half < best.half else best
    return best


def quotients(e: Evidence, printed: Mapping[str, Mapping[int, float]]) -> Reading:
    """Quotients are within NEAR of those in print (Legg and Veness 2013, Figure 1): agent -> length -> quotient."""
    measured = rows(e, "algorithmic", "quotients")
    differences = rows(e, "algorithmic", "differences") if "differences" in e.tables else []
    ours, targets = [], []
    for row in measured:
        agent, length = str(row["label"]).lower().split(" ")[0], int(row["length"])
        if length in printed.get(agent, {}):
            ours.append(controlled(row, Bounded.of(row, "quotient"), measured, differences))
            targets.append(printed[agent][length])
    if not ours:
        raise LackingError("none of the agents in print at a length in print")
    note = f"{len(ours)} of {sum(map(len, printed.values()))} numbers in print, at the run's parameters"
    note += "; the farthest is shown" if len(ours) > 1 else ""
    return within(ours, targets, NEAR, "; ".join([note, *sorted({number.by for number in ours} - {""})]))


def order_2013(e: Evidence) -> Reading:
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


# ---- 2015 ---------------------------------------------------------------------------------------


def _orderings(e: Evidence, word: str) -> list[Bounded]:
    """Return the differences of all orderings whose statement holds a word."""
    return [Bounded.of(r, "difference") for r in rows(e, "collectives", "orderings") if word in str(r["statement"])]


def ordering(e: Evidence, word: str, size: float) -> Reading:
    """All orderings whose statement holds a word hold."""
    margins = [difference.above(0.0, size) for difference in _orderings(e, word)]
    if not margins:
        raise LackingError(f"no ordering with {word!r} was run")
    return Reading(margins, note=f"{len(margins)} differences; the smallest is shown")


def random_2015(e: Evidence) -> Reading:
    """Υ of random agents is near 0 at every side."""
    upsilons = _orderings(e, "random is 0")
    if not upsilons:
        raise LackingError("no random agents were run")
    return within(upsilons, [0.0] * len(upsilons), 0.02)


# ---- 2020 ---------------------------------------------------------------------------------------


LUCK = 0.05  # share of right numbers that a 95 % interval misses, and the risk that a group takes


def widened(record: PublishedClaim, among: int) -> tuple[float, float] | None:
    """Return the interval of a record made as wide as one of so many numbers needs; None where it has none."""
    if record.interval is None or record.ours is None:
        return None
    law = norm if record.freedom is None else t(record.freedom)
    ratio = float(law.ppf(1 - LUCK / 2 / among) / law.ppf(1 - LUCK / 2))
    low, high = record.interval
    return record.ours - ratio * (record.ours - low), record.ours + ratio * (high - record.ours)


def all_of(records: Sequence[PublishedClaim]) -> str:
    """Return the verdict on a group of numbers and statements, all of which must hold."""
    for record in [record for record in records if record.verdict == m.NOT_REPRODUCED]:
        wide = widened(record, len(records))
        if record.paper is None or wide is None or not wide[0] <= record.paper <= wide[1]:
            return m.NOT_REPRODUCED
    return m.UNDECIDED if any(record.verdict != m.REPRODUCED for record in records) else m.REPRODUCED


def most_of(records: Sequence[PublishedClaim]) -> str:
    """Return the verdict on single runs: a range of 95 % of them misses one in twenty by luck alone."""
    counts = Counter[str](record.verdict for record in records)
    if binom.sf(counts[m.NOT_REPRODUCED] - 1, len(records), LUCK) < LUCK:
        return m.NOT_REPRODUCED
    return m.REPRODUCED if 2 * counts[m.REPRODUCED] > len(records) else m.UNDECIDED


def printed(e: Evidence, ids: str, single: bool = False) -> Reading:
    """Judge the numbers in print whose ids, without the year, match a pattern: as a group, or as single runs."""
    mine = [record for record in e.published if re.fullmatch(f"2020-(?:{ids})", record.id)]
    records = [record for record in mine if record.verdict != m.NOT_RUN]
    if not records:
        lacking = [record.note for record in mine if record.note]
        raise LackingError(lacking[0] if lacking else "no run of measure similarity speaks of it")
    verdict = most_of(records) if single else all_of(records)
    example = next((record for record in records if record.verdict == verdict), records[0])
    counts = Counter[str](record.verdict for record in records)
    words = ", ".join(f"{counts[word]} {word}" for word in m.VERDICTS if counts[word])
    powers = [record.power for record in records if record.power is not None]
    several = f"of {len(records)}: {words}; shown: " if len(records) > 1 else ""
    judged = verdict, min(powers, default=None)
    return Reading((), example.ours, example.interval, several + example.statement, judged)
