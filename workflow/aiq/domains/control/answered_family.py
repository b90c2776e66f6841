"""The family answered: a labelled domain, played."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, JsonValue, field_validator

from aiq.domains.base import Request
from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily
from aiq.domains.labelled.settings import Labelled
from aiq.errors import ConfigurationError, choice
from aiq.settings import validate

if TYPE_CHECKING:
    from aiq.domains.control.base import ControlDomain


class Answered(Control):
    """A labelled domain, played: an episode shows samples one after another, the right label pays 1."""

    source: Literal["answered"] = Field(description="the source: answered")
    data: dict[str, JsonValue] = Field(
        description="the labelled domain: its source and parameters, as they would stand in a suite of labelled domains"
    )
    steps: int = Field(50, ge=1, le=1_000_000, description="samples of an episode, each drawn from all")

    @field_validator("data")
    @classmethod
    def _check_data(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            settings = _labelled(value)
        except ConfigurationError as error:
            raise ValueError(str(error)) from error
        if settings.numeric:
            raise ValueError("a number is learned in the labelled domain, which no action can be: take one of classes")
        return settings.model_dump(mode="json")

    @property
    def labelled(self) -> Labelled:
        """The settings of the labelled domain."""
        return _labelled(self.data)

    @property
    def files(self) -> tuple[str, ...]:
        """Paths that the labelled domain is read from."""
        return self.labelled.files

    @property
    def stored(self) -> tuple[str, ...]:
        """Files below data_root that a download of the labelled domain puts there."""
        return self.labelled.stored


def _labelled(data: dict[str, Any]) -> Labelled:
    from aiq.domains.registry import FAMILIES  # the registry imports the family of these settings

    source = str(data.get("source"))
    if source not in FAMILIES:
        raise ConfigurationError(choice("data.source", source, FAMILIES))
    settings: Labelled = validate(FAMILIES[source].settings, data, "data")
    return settings


def _read(name: str, settings: Answered, request: Request) -> ControlDomain:
    """Read the labelled domain and make it one that is played; what it computes with is imported here."""
    from aiq.domains.registry import load

    labelled_settings, where = settings.labelled, str(request.data_root)
    whole = load(name, labelled_settings, root_seed=request.root_seed, data_root=where, download=request.download)
    worlds = import_module("aiq.domains.control.answered")
    domain: ControlDomain = worlds.AnsweredDomain(name, settings, whole, settings.steps)
    return domain


FAMILY = ControlFamily(
    Answered,
    _read,
    "a labelled domain, played: every step shows a sample, the action is the answer",
    "observations: the sample as a vector (pictures flattened, 0 to 1); as many actions as classes",
    ("torch",),
    {"source": "answered", "data": {"source": "sklearn", "name": "wine"}},
    reads=True,
)
