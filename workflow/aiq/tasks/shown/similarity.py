"""A table of similarities of 2020."""

from __future__ import annotations

from collections.abc import Mapping

from aiq.records.similarity import Similarity
from aiq.records.table import Shown


def similarities(found: Mapping[tuple[str, ...], Similarity]) -> Shown:
    """Return one row per pair, the easier test first."""
    first = next(iter(found.values()))
    level = f"{first.confidence:.0%} set"
    columns = ("pair", "S", level, "|S|", "sufficient", "V_A", "V_B", "V_AB", "n", "note")
    rows = tuple(
        (" – ".join(_easier_first(pair, s.swapped)) or "–", s.value, _set(s.segments), s.absolute, s.sufficient,
         s.v_a.value, s.v_b.value, s.v_ab.value, s.n, s.note)
        for pair, s in found.items()
    )  # fmt: skip
    line = f"where the straight line has S = {first.on_the_line:g}."
    return Shown("", columns, rows, (f"The easier test stands first; its share is {first.at:g}, {line}",))


def _easier_first(pair: tuple[str, ...], swapped: bool) -> tuple[str, ...]:
    """Return the names, the easier test first."""
    return pair[::-1] if swapped else pair


def _set(segments: tuple[tuple[float, float], ...]) -> str | None:
    """Return a confidence set as text; its ends and what lies between."""
    return " or ".join(f"[{low:.3g}, {high:.3g}]" for low, high in segments) or None
