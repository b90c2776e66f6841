"""Pictures of groups of agents."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from aiq.figures.drawing import Drawing
from aiq.wings.collectives.figures.episode import collectives_episode
from aiq.wings.collectives.figures.groups import collectives_complexity, collectives_uncertainty

FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "collectives-uncertainty": collectives_uncertainty,
        "collectives-complexity": collectives_complexity,
        "collectives-episode": collectives_episode,
    }
)
"""By name."""
