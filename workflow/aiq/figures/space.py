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
    likely = space.dimensionality.probabilities.get(space.dimensions)
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


def coordinates(space: Space, agents: Mapping[str, Floats]) -> Table:
    """Return one row a domain (and agent and domain) with all coordinates."""
    axes = [f"dimension_{k + 1}" for k in range(space.dimensions)]
    rows: list[tuple[Cell, ...]] = []
    for name, scale in [(None, np.ones(len(space.domains))), *agents.items()]:
        for i, domain in enumerate(space.domains):
            moved = None if space.bootstrap is None or name is not None else float(space.bootstrap.displacement[i])
            rows.append((name, domain, moved, *(float(x) for x in space.coordinates[i] * scale[i])))
    return Table.of(("agent", "domain", "bootstrap_displacement", *axes), rows)
