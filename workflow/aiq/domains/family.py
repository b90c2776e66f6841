"""What families of domains have in common, labelled or played: how one is described, and how one is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from aiq.config.base import Settings
from aiq.domains.installed import check_installed
from aiq.errors import DomainError, choice


class Described:
    """A family that describes itself from the fields that every family has."""

    source: str
    settings: type[Settings]
    description: str
    samples: str
    needs: tuple[str, ...]
    example: Mapping[str, Any]
    kind: str
    bounds: tuple[float, float]

    def describe(self) -> dict[str, Any]:
        """Return all that a person needs to use the family, ready for JSON.

        ``parameters`` maps a name to its description and its default, or to ``required`` instead of a default.
        """
        return {
            "source": self.source,
            "kind": self.kind,
            "description": self.description,
            "samples": self.samples,
            "bounds": list(self.bounds),
            "needs": list(self.needs),
            "parameters": parameters_of(self.settings),
            "example": dict(self.example),
        }


F = TypeVar("F", bound=Described)


def chosen(families: Mapping[str, F], settings: Settings) -> F:
    """Return the family that the settings choose by their source.

    Raises:
        DomainError: no family has this source, or a module that it needs is not installed.
    """
    source = str(getattr(settings, "source", None))
    if source not in families:
        raise DomainError(choice("source", source, families))
    check_installed(source, families[source].needs)
    return families[source]


def parameters_of(settings: type[Settings]) -> dict[str, dict[str, Any]]:
    """Return name -> description and default (or ``required``) of every parameter, ready for JSON."""
    parameters: dict[str, dict[str, Any]] = {}
    for name, field in settings.model_fields.items():
        told: dict[str, Any] = {"description": field.description or "", "required": field.is_required()}
        if not field.is_required():
            told["default"] = field.get_default(call_default_factory=True)
        parameters[name] = told
    return parameters
