"""Claims of the 2020 paper: its many printed numbers, each judged by itself, in groups of one table or figure.

A run of measure ``similarity`` gives one record for every printed number (``papers.similarity.verdicts``; how each is
judged: docs/methods/similarity.md). A group is reproduced where all its records are. It is not where one number
lies outside its interval even after the interval was widened for as many numbers as there are: by the plain intervals a
group of six right numbers would be called not reproduced in a quarter of all runs. Everything between is undecided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from scipy.stats import binom, norm, t

from papers.claims import numbers as m
from papers.claims.base import Check, Reading
from papers.claims.evidence import Evidence, LackingError
from papers.similarity.verdicts import PublishedClaim

Which = Callable[[str], bool]
"""Whether a record belongs to a group, by its id."""
Judge = Callable[[Sequence[PublishedClaim]], str]
LUCK = 0.05
"""Share of right numbers that a 95 % interval misses, and the risk that a group takes."""


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
    missed = [one for one in records if one.verdict == m.NOT_REPRODUCED]
    for one in missed:
        wide = widened(one, len(records))
        if one.paper is None or wide is None or not wide[0] <= one.paper <= wide[1]:
            return m.NOT_REPRODUCED
    return m.UNDECIDED if any(one.verdict != m.REPRODUCED for one in records) else m.REPRODUCED


def most_of(records: Sequence[PublishedClaim]) -> str:
    """Return the verdict on single runs: a range of 95 % of them misses one in twenty by luck alone."""
    found = Counter[str](one.verdict for one in records)
    if binom.sf(found[m.NOT_REPRODUCED] - 1, len(records), LUCK) < LUCK:
        return m.NOT_REPRODUCED
    return m.REPRODUCED if 2 * found[m.REPRODUCED] > len(records) else m.UNDECIDED


def _read(which: Which, judge: Judge, e: Evidence) -> Reading:
    records = [one for one in e.published if which(one.id) and one.verdict != m.NOT_RUN]
    if not records:
        lacking = [one.note for one in e.published if which(one.id) and one.note]
        raise LackingError(lacking[0] if lacking else "no run of measure similarity speaks of it")
    verdict = judge(records)
    example = next((one for one in records if one.verdict == verdict), records[0])
    counts = Counter[str](one.verdict for one in records)
    words = ", ".join(f"{counts[word]} {word}" for word in m.VERDICTS if counts[word])
    powers = [one.power for one in records if one.power is not None]
    several = f"of {len(records)}: {words}; shown: " if len(records) > 1 else ""
    note = several + example.statement
    return Reading((), example.ours, example.interval, note, (verdict, min(powers, default=None)))


def _table(place: str, cifar100: bool = False, implied: bool | None = False, pairs: bool = True) -> Which:
    """Return what takes the numbers of a table: of pairs or of tests alone, with or without CIFAR100.

    ``implied``: V_AB of pairs, S of pairs where False, both where None.
    """

    def which(name: str) -> bool:
        kind = implied is None or name.endswith("-VAB") == implied
        fits = ("CIFAR100" in name, "+" in name) == (cifar100, pairs)
        return name.startswith(f"2020-{place}-") and fits and kind and not name.endswith(("-CP", "-random"))

    return which


def _pairs(place: str) -> tuple[Which, ...]:
    """Return the groups of a table of similarities: S and V_AB without CIFAR100, and both with it."""
    return _table(place), _table(place, implied=True), _table(place, cifar100=True, implied=None)


def _begins(start: str) -> Which:
    return lambda name: name.startswith(f"2020-{start}")


def _named(*starts: str) -> tuple[Which, ...]:
    """Return for each beginning what takes the ids that begin so."""
    return tuple(map(_begins, starts))


def _learned(name: str) -> bool:
    return name.startswith("2020-Figure5-learned-") and "+" in name


GROUPS: Mapping[str, tuple[Which, ...]] = {
    "S20-T1": (_table("Table1", pairs=False), _table("Table1", cifar100=True, pairs=False)),
    "S20-T2": _pairs("Table2"),
    "S20-T3": (*_pairs("Table3"), lambda name: name == "2020-Table3-CP"),
    "S20-T3-random": _named("Table3-random"),
    "S20-F2": _named("Figure2-sampled", "Figure2-stitched", "Figure2-control", "Figure2-S-"),
    "S20-F3": _named("Figure3-between", "Figure3-end"),
    "S20-F4": _named("Figure4-"),
    "S20-F5": _named("Figure5-random-mean", "Figure5-random-ones", "Figure5-random-unusual"),
    "S20-F5-learned": (_learned,),
}
"""Claim -> the records that each of its statements is about."""
CHECKS: Mapping[str, tuple[Check, ...]] = {
    name: tuple(partial(_read, which, most_of if name == "S20-F5-learned" else all_of) for which in groups)
    for name, groups in GROUPS.items()
}
"""Claim -> the check of each of its statements."""
