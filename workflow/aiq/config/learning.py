"""How policies learn, on either kind of domain: on labelled data, or by acting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Tag

from aiq.config.reinforcement import Reinforcement
from aiq.config.training import Training


def _kind(value: Any) -> str:
    """Return which settings a value is meant to be: those with the key ``algorithm`` act."""
    acting = "algorithm" in value if isinstance(value, Mapping) else isinstance(value, Reinforcement)
    return "reinforcement" if acting else "supervised"


Learning = Annotated[
    Annotated[Training, Tag("supervised")] | Annotated[Reinforcement, Tag("reinforcement")], Discriminator(_kind)
]
"""Training on labelled data, or (with the key ``algorithm``) by acting in control domains."""
