"""What the pictures of the space share: checked agents, table, words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.arrays import Floats, read_only
from aiq.records.space import Space
from aiq.records.table import Cell, Table

Agents = Mapping[str, npt.ArrayLike]


def checked_agents(space: Space, agents: Agents | None) -> dict[str, Floats]:
    """Return the agents' performances as arrays."""
    result: dict[str, Floats] = {}
    for name, given in (agents or {}).items():
        values = read_only(given)
        if values.shape != (len(space.domains),):
            raise InputError(
                f"agent {name!r} has {values.size} performances; the space has {len(space.domains)} domains"
            )
        if not ((values >= 0) & (values <= 1)).all():
            raise InputError(f"agent {name!r} has a performance outside [0, 1]; correct it or leave the agent out")
        result[name] = values
    return result


def faithfulness(space: Space) -> str:
    """Return the sentences on how faithful the picture is and on domains that share a direction or have none."""
    alike = "".join(f" Merged as alike: {', '.join(group)}." for group in space.merged)
    lost = f" Without extent in the kept dimensions: {', '.join(space.vanished)}." if space.vanished else ""
    told = any("number of dimensions" in sentence for sentence in space.warnings)  # with the same probability
    likely = None if told else space.dimensionality.probabilities.get(space.dimensions)
    sure = "" if likely is None else f", probability of {space.dimensions} dimensions {likely:.2f}"
    shares = f" Stress {space.stress:.3f}, share of negative eigenvalues {space.negative_share:.1%}{sure}."
    return f"{shares}{alike}{lost}{caution(space.warnings)}"


def length_words(space: Space) -> str:
    """Return what the distance from the origin is: the axes' unit."""
    return f"normalised {space.length.replace('_', ' ')}"


def caution(warnings: Sequence[str]) -> str:
    """Return warnings as sentences of a caption."""
    return "".join(f" Warning: {sentence}." for sentence in warnings)


def places(space: Space) -> str:
    """Return the domains with their first coordinates."""
    shown = min(3, space.dimensions)
    places = "; ".join(
        f"{name} ({', '.join(f'{value:.2f}' for value in row[:shown])})"
        for name, row in zip(space.domains, space.coordinates, strict=True)
    )
    return f"Intelligence space of {space.dimensions} dimensions. {places}."


def axis_label(space: Space, axis: int) -> str:
    """Return the label of a dimension (counted from 0) with its share of all squared coordinates."""
    squares = (space.coordinates**2).sum(axis=0)
    return f"dimension {axis + 1} ({squares[axis] / squares.sum():.0%} of variance)"


def reach(space: Space) -> tuple[Floats, Floats] | None:
    """Return the ends (n, d) of the intervals of all coordinates, None without replicates."""
    if space.bootstrap is None or space.bootstrap.coordinates.shape[0] < 2:
        return None
    tail = (1 - space.bootstrap.confidence) / 2
    low, high = np.quantile(space.bootstrap.coordinates, [tail, 1 - tail], axis=0)
    return low, high


def coordinates(space: Space, agents: Mapping[str, Floats]) -> Table:
    """Return one row per domain (and agent and domain) with all coordinates; those of domains with their intervals."""
    axes = [f"dimension_{k + 1}{end}" for k in range(space.dimensions) for end in ("", "_low", "_high")]
    ends = reach(space)
    rows: list[tuple[Cell, ...]] = []
    for name, scale in [(None, np.ones(len(space.domains))), *agents.items()]:
        for i, domain in enumerate(space.domains):
            own = name is None and ends is not None
            moved = None if space.bootstrap is None or name is not None else float(space.bootstrap.displacement[i])
            cells: list[Cell] = []
            for k, x in enumerate(space.coordinates[i] * scale[i]):
                around = (float(ends[0][i, k]), float(ends[1][i, k])) if own and ends is not None else (None, None)
                cells += [float(x), *around]
            rows.append((name, domain, moved, *cells))
    return Table.of(("agent", "domain", "bootstrap_displacement", *axes), rows)
