"""Where the domains of a space lie."""

from __future__ import annotations

from aiq.records.space import Space
from aiq.records.table import Shown, warned


def coordinates(space: Space) -> Shown:
    """Return one row per domain, how many dimensions there are and how surely, and the warnings."""
    axes = [f"axis {i + 1}" for i in range(space.dimensions)]
    rows = tuple(
        (name, *(float(x) for x in point)) for name, point in zip(space.domains, space.coordinates, strict=True)
    )
    number = f"{space.dimensions} dimension{'s' * (space.dimensions > 1)}"
    likely = space.dimensionality.probabilities.get(space.dimensions)
    sure = "" if likely is None else f" (probability {likely:.2f})"
    told = f"{number}{sure}, stress {space.stress:.3g}, negative share {space.negative_share:.3g}"
    return Shown("", ("domain", *axes), rows, (told, *warned(space.warnings)))
