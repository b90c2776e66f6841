"""Pictures of merged tests."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from aiq.figures.drawing import Drawing
from aiq.wings.similarity2020.figures.curves import similarity_halvings, similarity_shares
from aiq.wings.similarity2020.figures.map import similarity_map, similarity_noise

FIGURES: Mapping[str, Callable[..., Drawing]] = MappingProxyType(
    {
        "similarity-map": similarity_map,
        "similarity-shares": similarity_shares,
        "similarity-halvings": similarity_halvings,
        "similarity-noise": similarity_noise,
    }
)
"""By name."""
