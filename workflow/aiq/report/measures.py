"""What the verbs print of measures: each result as one table with its sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiq.records.estimate import Estimate
from aiq.records.quotient import HEADLINES, Scores
from aiq.records.space import Space
from aiq.records.table import Display, counted, warned, words

if TYPE_CHECKING:
    from aiq.records.complexity import Complexity
    from aiq.records.dissimilarity import Dissimilarity, Similarity
    from aiq.records.matrix import Relative


def complexities(records: Mapping[str, Complexity], *, usual: bool = False) -> Display:
    """Return one row per domain and the notes; ``usual`` where no k was asked for."""
    first = next(iter(records.values()))
    k = next((c.best_of_k.k for c in records.values() if c.best_of_k), None)
    percent = f"{first.estimate.confidence:.0%}"
    of_k = () if k is None else (f"MCCP@{k}", percent, "base", "excess", percent, "relative", percent)
    columns = ("domain", *of_k, "minimum", *([percent] if first.estimator == "minimum" else []), "trials")
    rows = tuple(_row(name, c, first.estimator, k is not None) for name, c in records.items())
    notes = [*_general(first, k, usual), *(s for item in records.items() for s in _notes(*item))]
    return Display("complexity", columns, rows, tuple(notes))


def _row(name: str, c: Complexity, estimator: str, with_k: bool) -> tuple[object, ...]:
    of_k: list[object] = [None] * 7 if with_k else []
    if (b := c.best_of_k) is not None and with_k:
        of_k = [b.estimate.value, b.estimate.interval, b.base.value, b.excess.value, b.excess.interval]
        of_k += [b.relative_excess.value, b.relative_excess.interval]
    around = [c.estimate.interval] if estimator == "minimum" else []
    return (name or "–", *of_k, c.minimum, *around, c.n_trials + c.n_failed)


def _general(c: Complexity, k: int | None, usual: bool) -> list[str]:
    from aiq.records.complexity import USUAL_K

    notes = []
    if c.estimator == "minimum":
        notes.append(
            "the minimum falls as trials are added, whatever the domain; its interval does not cover what more trials "
            "would give"
        )
    elif usual and k is not None and k < USUAL_K:
        notes.append(f"k is {k} instead of {USUAL_K}, as there are few trials; compare with values at the same k alone")
    if c.best_of_k is not None and c.best_of_k.caution:
        notes.append(c.best_of_k.caution)
    return notes


def _notes(name: str, c: Complexity) -> list[str]:
    called, b = f"{name}: " if name else "", c.best_of_k
    notes = []
    if c.mostly_extrapolated:
        what = "a straight line" if c.estimator == "minimum" or (b and b.fill == "linear") else "the largest policy"
        notes.append(f"{called}more than half of the complexity is filled with {what}: no policy was found there")
    method = c.estimate.method.partition("; ")[2]
    if c.estimate.interval is None:
        notes.append(f"{called}{method}")
    elif b is not None and c.estimator == "best_of_k":
        missing = [word for word, e in (("excess", b.excess), ("relative", b.relative_excess)) if e.interval is None]
        if missing:
            notes.append(f"{called}no interval of {' and '.join(missing)}: leaving out any trial changes nothing")
    return notes


Measured = Mapping[tuple[str, ...], "Dissimilarity"]

NONE: Mapping[tuple[str, ...], Relative] = {}
RELATIVE = "relative: signed over that of twins; 0 not told apart, about 1 unrelated, above 1 contradictory"
HELD = "; 95% intervals held the truth in .94 to .96 of simulated pairs"

_PARTS = ("starvation", "confusion", "transfer")


def dissimilarities(
    records: Measured, *, part: bool = False, relative: Mapping[tuple[str, ...], Relative] = NONE
) -> Display:
    """Return one row per pair, and what holds for the whole table; ``part`` where these are not all pairs."""
    names = [name for name in (*_PARTS, "interference") if any(_part(d, name) for d in records.values())]
    if "transfer" in names:
        names.remove("interference")
    level = f"{next(iter(records.values())).signed.confidence:.0%}"
    rows = tuple(
        (
            " – ".join(pair) or "–", d.signed.value, d.signed.interval, d.plain.value, d.n,
            *(_with_half(_part(d, name)) for name in names), *_ratio(relative, pair), "; ".join(_pair_notes(pair, d)),
        )
        for pair, d in records.items()
    )  # fmt: skip
    more = ("relative",) if relative else ()
    columns = ("pair", "signed", level, "plain", "repetitions", *names, *more, "note")
    around = any(ratio.estimate.interval is not None for ratio in relative.values())
    said = [RELATIVE + (HELD if around else "")] if relative else []
    for pair, ratio in relative.items():
        if ratio.undefined:
            said.append(f"{' – '.join(pair)}: no relative dissimilarity, {ratio.undefined}")
        elif ratio.estimate.interval is None:
            said.append(f"{' – '.join(pair)}: relative has {ratio.estimate.method.partition('; ')[2]}")
    return Display("", columns, rows, (*_sentences(records, names, part), *said))


def _ratio(relative: Mapping[tuple[str, ...], Relative], pair: tuple[str, ...]) -> tuple[str, ...]:
    if not relative:
        return ()
    ratio = relative.get(pair)
    if ratio is None or ratio.undefined:
        return ("–" if ratio is None else "undefined",)
    around = ratio.estimate.interval
    return (f"{ratio.estimate.value:.2f}" + ("" if around is None else f" [{around[0]:.2f}, {around[1]:.2f}]"),)


def _part(record: Dissimilarity, name: str) -> Estimate | None:
    part = None if record.parts is None else getattr(record.parts, name)
    return None if part is None else part.estimate


def _with_half(part: Estimate | None) -> str:
    if part is None:
        return "–"
    half = "" if part.interval is None else f" ± {(part.interval[1] - part.interval[0]) / 2:.2g}"
    return f"{part.value:.3g}{half}"


def _pair_notes(pair: tuple[str, ...], record: Dissimilarity) -> list[str]:
    notes = ["itself"] if pair and pair[0] == pair[1] else []
    around = record.signed.interval
    if record.error is None:
        notes.append("one repetition: no interval")
    elif around is None:
        notes.append("repetitions all alike: no interval")
    elif around[0] <= 0 <= around[1]:
        notes.append("not told from 0")
    if record.crosses:
        notes.append("crosses the line")
    if record.n_failed:
        notes.append(f"{record.n_failed} failed")
    return notes


def _sentences(records: Measured, names: list[str], part: bool) -> list[str]:
    lines = [
        "signed: the line minus the curve, positive where mixtures do worse; the interval is that of signed",
        "plain: the area of the absolute difference (the paper's); noise adds to it where the curve crosses",
    ]
    if names:
        parts = {"starvation": "fewer samples of each domain", "confusion": "taken for the other domain's"}
        parts |= {"transfer": "what is left, below 0 where they help each other", "interference": "all but starvation"}
        lines.append("; ".join(f"{name}: {parts[name]}" for name in names))
    pairs = [pair for pair in records if pair]
    if pairs and not part and all(a != b for a, b in pairs):
        lines.append("no domain is paired with itself, so the noise floor is unknown")
    return lines


def similarities(records: Mapping[tuple[str, ...], Similarity]) -> Display:
    """Return one row per pair, the easier test first."""
    first = next(iter(records.values()))
    level = f"{first.confidence:.0%} set"
    columns = ("pair", "S", level, "|S|", "sufficient", "V_A", "V_B", "V_AB", "n", "note")
    rows = tuple(
        (" – ".join(pair[::-1] if s.swapped else pair) or "–", s.value, " or ".join(map(words, s.segments)) or None,
         s.absolute, s.sufficient, s.v_a.value, s.v_b.value, s.v_ab.value, s.n, s.note)
        for pair, s in records.items()
    )  # fmt: skip
    line = f"where the straight line has S = {first.on_the_line:g}."
    return Display("", columns, rows, (f"The easier test stands first; its share is {first.at:g}, {line}",))


def coordinates(space: Space) -> Display:
    """Return one row per domain, how many dimensions there are and how surely, and the warnings."""
    axes = [f"axis {i + 1}" for i in range(space.dimensions)]
    rows = tuple((name, *point) for name, point in zip(space.domains, space.coordinates.tolist(), strict=True))
    likely = space.dimensionality.probabilities.get(space.dimensions)
    sure = "" if likely is None else f" (probability {likely:.2f})"
    number = counted(space.dimensions, "dimension")
    sentence = f"{number}{sure}, stress {space.stress:.3g}, negative share {space.negative_share:.3g}"
    return Display("", ("domain", *axes), rows, (sentence, *warned(space.warnings)))


def agents(scores: Scores) -> Display:
    """Return one row per agent by the headline, the relative AIQ in nearby numbers of dimensions, and the warnings."""
    beside = scores.headline != "volume"
    rows = tuple(
        (
            a.rank_words, a.agent, _number(a.headline), a.headline.interval, a.order,
            *((_number(a.per_dimension), a.per_dimension.interval) if beside else ()), _number(a.relative),
            a.relative.interval, None if a.geometric_mean is None else a.geometric_mean.value, a.mean.value,
        )
        for a in scores.agents
    )  # fmt: skip
    volume = ("AIQ per dimension", "interval") if beside else ()
    columns = ("rank", "agent", HEADLINES[scores.headline], "interval", "above next", *volume)
    columns = (*columns, f"relative, given d = {scores.dimensions}", "interval given d", "geometric mean", "mean")
    notes = (*_nearby(scores), *filter(None, [_counts(scores), scores.note]))
    return Display("", columns, rows, (*notes, *warned(scores.warnings)))


def _number(estimate: Estimate) -> float | None:
    return estimate.value if math.isfinite(estimate.value) else None


def _counts(scores: Scores) -> str:
    """Return what the tests count, the weightiest first, and how many independent ones they are."""
    if scores.skills is None:
        return ""
    weights = scores.skills.weights
    tests = sorted(weights.tests, key=lambda test: -test.weight.value)
    listed = ", ".join(f"{test.domain} {test.weight.value:.2f}" for test in tests)
    number = weights.independent
    interval = "" if number.interval is None else f" [{number.interval[0]:.1f}, {number.interval[1]:.1f}]"
    if len(tests) == 1:
        return "one test, which has all the weight"
    return f"the {len(tests)} tests count as {number.value:.1f}{interval} independent ones, with weights {listed}"


def _nearby(scores: Scores) -> list[str]:
    """Return the relative AIQ of all agents with one dimension fewer and one more, where that was computed."""
    nearby = sorted({k for a in scores.agents for k in a.by_dimensions})
    if len(nearby) < 2:
        return []
    listed = "; ".join(
        f"{a.agent} {' / '.join(f'{a.by_dimensions[k]:.3g}' for k in nearby if k in a.by_dimensions)}"
        for a in scores.agents
    )
    return [f"relative in {' / '.join(map(str, nearby))} dimensions: {listed}"]
