"""A table of dissimilarities: what its numbers mean and do not mean."""

from __future__ import annotations

from collections.abc import Mapping

from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Estimate
from aiq.records.shown import Shown

Found = Mapping[tuple[str, ...], Dissimilarity]

_PARTS = ("starvation", "confusion", "transfer")


def dissimilarities(found: Found, *, part: bool = False) -> Shown:
    """Return one row per pair, and what holds for the whole table; ``part`` where these are not all pairs."""
    names = [name for name in (*_PARTS, "interference") if any(_part(d, name) for d in found.values())]
    if "transfer" in names:
        names.remove("interference")
    level = f"{next(iter(found.values())).signed.confidence:.0%}"
    rows = tuple(
        (
            " – ".join(pair) or "–", d.signed.value, d.signed.interval, d.plain.value, d.n,
            *(_words(_part(d, name)) for name in names), "; ".join(_notes(pair, d)),
        )
        for pair, d in found.items()
    )  # fmt: skip
    columns = ("pair", "signed", level, "plain", "repetitions", *names, "note")
    return Shown("", columns, rows, tuple(_sentences(found, names, part)))


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
