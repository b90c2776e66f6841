"""Claims of the 2020 paper: its many printed numbers, each judged by itself, in groups of one table or figure.

A run of measure ``similarity`` gives one record for every printed number (``papers.published_claim``; how each is
judged: docs/methods/similarity.md). A group is reproduced where all its records are. It is not where one number
lies outside its interval even after the interval was widened for as many numbers as there are: by the plain intervals a
group of six right numbers would be called not reproduced in a quarter of all runs. Everything between is undecided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from scipy.stats import binom, norm, t

from papers.claims import margins as m
from papers.claims.base import Claim, Reading, Statement
from papers.claims.evidence import Evidence, LackingError
from papers.published_claim import PublishedClaim

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


def _of(which: Which, judge: Judge) -> Callable[[Evidence], Reading]:
    """Return what a run says of a group."""

    def of(e: Evidence) -> Reading:
        records = [one for one in e.published if which(one.id) and one.verdict != m.NOT_RUN]
        if not records:
            lacking = [one.note for one in e.published if which(one.id) and one.note]
            raise LackingError(lacking[0] if lacking else "no run of measure similarity speaks of it")
        verdict = judge(records)
        shown = next((one for one in records if one.verdict == verdict), records[0])
        found = Counter[str](one.verdict for one in records)
        words = ", ".join(f"{found[word]} {word}" for word in m.VERDICTS if found[word])
        powers = [one.power for one in records if one.power is not None]
        several = f"of {len(records)}: {words}; shown: " if len(records) > 1 else ""
        note = several + shown.statement
        return Reading((), shown.ours, shown.interval, note, (verdict, min(powers, default=None)))

    return of


def group(says: str, assumed: str, which: Which, judge: Judge = all_of) -> Statement:
    """Return the statement that a group of records holds."""
    return Statement(says, assumed, _of(which, judge))


def _table(place: str, cifar100: bool = False, implied: bool | None = False, pairs: bool = True) -> Which:
    """Return what takes the numbers of a table: of pairs or of tests alone, with or without CIFAR100.

    ``implied``: V_AB of pairs, S of pairs where False, both where None.
    """

    def which(name: str) -> bool:
        kind = implied is None or name.endswith("-VAB") == implied
        told = ("CIFAR100" in name, "+" in name) == (cifar100, pairs)
        return name.startswith(f"2020-{place}-") and told and kind and not name.endswith(("-CP", "-random"))

    return which


def _named(*starts: str) -> Which:
    """Return what takes the ids that begin so."""
    return lambda name: name.startswith(tuple(f"2020-{start}" for start in starts))


def _cells(recipe: str) -> Which:
    """Return what takes the cells of Fig. 5 by a recipe."""
    return lambda name: name.startswith(f"2020-Figure5-{recipe}-") and "+" in name


_PRINT = "as in print, against what there would be without it"


def _pairs(place: str) -> tuple[Statement, ...]:
    """Return the statements of a table of similarities."""
    at_hand = "the numbers without CIFAR100"
    return (
        group(f"S of every pair is as printed: {at_hand}", _PRINT, _table(place)),
        group(f"V_AB of every pair is what S and both V imply: {at_hand}", _PRINT, _table(place, implied=True)),
        group(
            "S and V_AB of every pair with CIFAR100 are as printed", _PRINT, _table(place, cifar100=True, implied=None)
        ),
    )


CLAIMS = (
    Claim(
        "S20-T1",
        2020,
        "Table 1",
        "accuracy of the network on data sets alone",
        "MNIST .9932, FMNIST .9251, CIFAR10 .8099, CIFAR100 .4892 (colour pictures)",
        (
            group("every accuracy but that of CIFAR100 is as printed", _PRINT, _table("Table1", pairs=False)),
            group("the accuracy on CIFAR100 is as printed", _PRINT, _table("Table1", cifar100=True, pairs=False)),
        ),
        "accuracy",
    ),
    Claim(
        "S20-T2",
        2020,
        "Table 2",
        "similarity of data sets of pictures",
        "MNIST–FMNIST .216, MNIST–C10 .290, MNIST–C100 .171, FMNIST–C10 .557, FMNIST–C100 .221, C10–C100 .651",
        _pairs("Table2"),
        "S",
    ),
    Claim(
        "S20-T3",
        2020,
        "Table 3",
        "similarity of pictures and CartPole",
        "S with CartPole .083, .080, .079, .652; its agent balances .10 of the time",
        (
            *_pairs("Table3"),
            group("the agent balances CartPole .10 of the time", _PRINT, lambda name: name == "2020-Table3-CP"),
        ),
        "S",
    ),
    Claim(
        "S20-T3-random",
        2020,
        "Table 3, text",
        "a random agent on CartPole",
        "it balances .063 of 200 steps",
        (group("a random agent balances .063 of the time", _PRINT, _named("Table3-random")),),
        "share of the time",
    ),
    Claim(
        "S20-F2",
        2020,
        "Fig. 2",
        "the size of the network, and the kind of merge",
        "the sampled merge is sufficient at every size, the stitched one is not; S hardly depends on the size",
        (
            group("the sampled merge keeps V_A ≥ V_AB ≥ V_B", "S of Table 2", _named("Figure2-sampled")),
            group("the stitched merge breaks it", "as far below as S of Table 2 is above", _named("Figure2-stitched")),
            group("a test stitched to itself is not as easy as alone", _PRINT, _named("Figure2-control")),
            group("S is much the same at every size, within .25", "a difference of .25", _named("Figure2-S-")),
        ),
    ),
    Claim(
        "S20-F3",
        2020,
        "Fig. 3",
        "the share of one test in a mixture",
        "V_AB lies between both tests at every share, and slightly below the harder one at its end",
        (
            group("V_A ≥ V_AB(p) ≥ V_B at every share", "the straight line", _named("Figure3-between")),
            group("at p = 0 the mixture is below the harder test", "a difference of .02", _named("Figure3-end")),
        ),
    ),
    Claim(
        "S20-F4",
        2020,
        "Fig. 4 and Table 2",
        "which pairs are the more similar ones",
        "MNIST and CIFAR10, and FMNIST and CIFAR10, are more similar than MNIST and FMNIST",
        (group("both pairs are above MNIST and FMNIST", "the differences in print", _named("Figure4-")),),
        "S",
    ),
    Claim(
        "S20-F5",
        2020,
        "Fig. 5",
        "similarity of played tests, with a random policy",
        "a table of |S|, by the authors' file; a random policy's noise gives such numbers",
        (
            group(
                "the mean of the printed absolute S is that of a random policy's noise",
                "unrelated numbers",
                _named("Figure5-random-mean"),
            ),
            group("so is the share that are 1", "unrelated numbers", _named("Figure5-random-ones")),
            group(
                "so is the share outside the range of 95 % of single runs",
                "unrelated numbers",
                _named("Figure5-random-unusual"),
            ),
        ),
        "|S|",
    ),
    Claim(
        "S20-F5-learned",
        2020,
        "Fig. 5",
        "similarity of played tests, with networks that learn",
        "a table of |S|, by the authors' file",
        (
            group(
                "the printed absolute S lie in the range of 95 % of single runs, but for as many as luck allows",
                "a number anywhere in [0, 1]",
                _cells("learned"),
                most_of,
            ),
        ),
        "|S|",
    ),
)
