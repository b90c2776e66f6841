"""The sources of domains: every family of domains by the settings that choose it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from pydantic import Field

from aiq.config.control import CartPole, CartPole3D, Control, Gymnasium
from aiq.config.domains import ImageFolder, Labelled, Npz, Recorded, Sklearn, Torchvision

LabelledSource = Sklearn | Torchvision | Npz | ImageFolder | Recorded
ControlSource = CartPole | CartPole3D | Gymnasium
Source = Annotated[LabelledSource | ControlSource, Field(discriminator="source")]


def _by_word(sources: Any) -> dict[str, Any]:
    """Return the settings of a union by the word that chooses each."""
    words = {kind: kind.model_fields["source"].annotation for kind in get_args(sources)}
    return {get_args(word)[0]: kind for kind, word in words.items()}


SOURCES: Mapping[str, type[Labelled]] = _by_word(LabelledSource)
"""Settings of labelled domains by source."""

CONTROL_SOURCES: Mapping[str, type[Control]] = _by_word(ControlSource)
"""Settings of control domains by source."""
