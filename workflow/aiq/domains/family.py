"""What a family of domains is, labelled or played: its settings, how a domain is made of them, what that needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, get_args

from pydantic import Field

from aiq.errors import DomainError, choice
from aiq.settings import Settings


@dataclass(frozen=True, slots=True)
class Sizes:
    """Samples, classes and shape of a domain; ``certain`` is False where they are assumptions.

    ``shape`` is (features,) or (channels, height, width); a control domain has 0 samples, its classes are actions,
    ``world`` is the memory in megabytes of one of its worlds, and ``pace`` the seconds of a step of it over those of
    the calibration.
    """

    train: int
    test: int
    classes: int
    shape: tuple[int, ...]
    certain: bool = True
    world: float = 0.0
    pace: float = 1.0

    @property
    def inputs(self) -> int:
        """Numbers in a sample."""
        return prod(self.shape)

    @property
    def item_bytes(self) -> int:
        """Bytes of a stored number: pictures are uint8, vectors float32."""
        return 1 if len(self.shape) == 3 else 4

    @property
    def megabytes(self) -> float:
        """Megabytes of both splits, each held once."""
        return (self.train + self.test) * self.inputs * self.item_bytes / 1e6


UNKNOWN = Sizes(60_000, 10_000, 10, (3, 32, 32), certain=False)
"""What archives and folders are taken to hold until they are read: as much as the usual image data sets."""

PLAYED = Sizes(0, 0, 2, (8,))
"""Control domains whose observations the configuration does not tell."""


class Twinned(Settings):
    """What every source understands."""

    twin: int = Field(
        0,
        ge=0,
        exclude_if=lambda number: number == 0,  # younger than the fingerprints of domains
        description="number of a twin: places of inputs or observations and names of classes or actions permuted (a "
        "number that is learned is negated in every other twin); 0 is the test itself",
    )


@dataclass(frozen=True)
class Described:
    """A family of domains.

    Attributes:
        settings: class of its settings.
        make: of a labelled family, from settings and a ``Request`` to the whole data set, of which variants are made;
            of a control family, from a name and settings to the domain.
        description: one line.
        samples: shapes of a sample, or observations and actions.
        needs: modules that making one imports.
        example: parameters that work (for files: that would, if the files were there).
        kind: what is made.
        bounds: smallest and largest performance.
    """

    settings: type[Any]
    make: Callable[..., Any]
    description: str
    samples: str
    needs: tuple[str, ...]
    example: Mapping[str, Any]
    kind: ClassVar[str]
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def source(self) -> str:
        """The word that chooses the family in a configuration: the only one that its key ``source`` allows."""
        return str(get_args(self.settings.model_fields["source"].annotation)[0])

    def describe(self) -> dict[str, Any]:
        """Return all that a person needs to use the family, ready for JSON.

        ``parameters`` maps a name to its description and its default, or to ``required`` instead of a default.
        """
        return {
            "source": self.source,
            "kind": self.kind,
            "description": self.description,
            "shapes": self.samples,
            "samples": self.samples,
            "bounds": list(self.bounds),
            "needs": list(self.needs),
            "parameters": parameters_of(self.settings),
            "example": dict(self.example),
        }


class Family(Described):
    """A family of labelled domains: arrays and labels, performance is accuracy on the test split."""

    kind = "labelled"


@dataclass(frozen=True)
class ControlFamily(Described):
    """A family of control domains: worlds to act in, performance is the mean return put on [0, 1].

    ``reads``: the domain is made of data; ``make`` is then told where they lie (a ``Request``) as well.
    """

    kind = "control"
    reads: bool = False


F = TypeVar("F", bound=Described)


def registered(kind: type[F], places: tuple[str, ...]) -> Mapping[str, F]:
    """Return source -> family, of places that hold one each: a module (as ``FAMILY``), or ``module:NAME``."""
    families: dict[str, F] = {}
    for place in places:
        module, _, name = place.partition(":")
        family = getattr(import_module(module), name or "FAMILY", None)
        if not isinstance(family, kind):
            raise TypeError(f"{module} holds no {kind.__name__} under the name {name or 'FAMILY'}")
        if family.source in families:
            raise TypeError(f"{module} has the source {family.source!r}, which another family has")
        families[family.source] = family
    return MappingProxyType(families)


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
        parameter: dict[str, Any] = {"description": field.description or "", "required": field.is_required()}
        if not field.is_required():
            parameter["default"] = field.get_default(call_default_factory=True)
        parameters[name] = parameter
    return parameters


def maker(module: str, name: str) -> Callable[[str, Any], Any]:
    """Return what makes a domain with a class of a module that computes; it is imported when a domain is made."""

    def make(domain: str, settings: Any) -> Any:
        return getattr(import_module(module), name)(domain, settings)

    return make


def find_own_modules() -> None:
    """Let modules of the working folder be imported, after those that are installed."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def check_installed(source: str, modules: Iterable[str]) -> None:
    """Refuse a source whose packages are missing.

    Raises:
        DomainError: a module that the source imports is not installed.
    """
    for module in modules:
        if find_spec(module) is None:
            raise DomainError(
                f"source {source!r} needs the Python package that provides {module!r}, which is not installed: "
                "it comes with the extra train: pip install 'aiq[train]'"
            )
