"""A table of dissimilarities: what its numbers mean and do not mean."""

from __future__ import annotations

from collections.abc import Mapping

from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Estimate
from aiq.records.relative import Relative
from aiq.records.table import Shown

Found = Mapping[tuple[str, ...], Dissimilarity]

NONE: Mapping[tuple[str, ...], Relative] = {}
RELATIVE = (
    "relative: signed over that of twins; 0 not told apart, about 1 unrelated, above 1 contradictory; 95% intervals "
    "held the truth in .94 to .96 of simulated pairs"
)

_PARTS = ("starvation", "confusion", "transfer")


def dissimilarities(found: Found, *, part: bool = False, relative: Mapping[tuple[str, ...], Relative] = NONE) -> Shown:
    """Return one row per pair, and what holds for the whole table; ``part`` where these are not all pairs."""
    names = [name for name in (*_PARTS, "interference") if any(_part(d, name) for d in found.values())]
    if "transfer" in names:
        names.remove("interference")
    level = f"{next(iter(found.values())).signed.confidence:.0%}"
    rows = tuple(
        (
            " – ".join(pair) or "–", d.signed.value, d.signed.interval, d.plain.value, d.n,
            *(_words(_part(d, name)) for name in names), *_ratio(relative, pair), "; ".join(_notes(pair, d)),
        )
        for pair, d in found.items()
    )  # fmt: skip
    more = ("relative",) if relative else ()
    columns = ("pair", "signed", level, "plain", "repetitions", *names, *more, "note")
    said = [RELATIVE] if relative else []
    said += [f"{' – '.join(p)}: no relative dissimilarity, {r.undefined}" for p, r in relative.items() if r.undefined]
    return Shown("", columns, rows, (*_sentences(found, names, part), *said))


def _ratio(relative: Mapping[tuple[str, ...], Relative], pair: tuple[str, ...]) -> tuple[str, ...]:
    """Return the cell of a relative dissimilarity where the table has such a column."""
    if not relative:
        return ()
    one = relative.get(pair)
    if one is None or one.undefined:
        return ("–" if one is None else "undefined",)
    around = one.estimate.interval
    return (f"{one.estimate.value:.2f}" + ("" if around is None else f" [{around[0]:.2f}, {around[1]:.2f}]"),)


def _part(record: Dissimilarity, name: str) -> Estimate | None:
    """Return one part's estimate, if it was measured."""
    part = None if record.parts is None else getattr(record.parts, name)
    return None if part is None else part.estimate


def _words(part: Estimate | None) -> str:
    """Return a part, give or take half its interval."""
    if part is None:
        return "–"
    if part.interval is None:
        return f"{part.value:.3g}"
    return f"{part.value:.3g} ± {(part.interval[1] - part.interval[0]) / 2:.2g}"


def _notes(pair: tuple[str, ...], record: Dissimilarity) -> list[str]:
    """Return what must be known of one pair's numbers."""
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


def _sentences(found: Found, names: list[str], part: bool) -> list[str]:
    """Return what holds for the whole table."""
    lines = ["signed: the line minus the curve, positive where mixtures do worse; the interval is that of signed"]
    lines.append("plain: the area of the absolute difference (the paper's); noise adds to it where the curve crosses")
    if names:
        parts = {"starvation": "fewer samples of each domain", "confusion": "taken for the other domain's"}
        parts |= {"transfer": "what is left, below 0 where they help each other", "interference": "all but starvation"}
        lines.append("; ".join(f"{name}: {parts[name]}" for name in names))
    pairs = [pair for pair in found if pair]
    if pairs and not part and all(a != b for a, b in pairs):
        lines.append("no domain is paired with itself, so the noise floor is unknown")
    return lines
