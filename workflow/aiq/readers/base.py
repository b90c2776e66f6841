"""What every reader is given and gives: documents in, raw scores out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aiq.readers.documents import Document
from aiq.records.results import Skipped


@dataclass(frozen=True, slots=True)
class Raw:
    """A score as a program wrote it.

    ``low`` and ``high`` are the ends of its range where the file states them. ``lower`` is true where lower is better.
    ``bounded`` is false where the metric is known to leave [0, 1], so that a range must be stated. ``run`` tells
    repetitions apart: two scores of one agent, domain and run are a duplicate. ``where`` names the file.
    """

    agent: str
    domain: str
    value: float
    where: str
    run: str = ""
    se: float | None = None
    lower: bool = False
    low: float | None = None
    high: float | None = None
    bounded: bool = True
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Choices of a person: the metric to take where there are several, and names of tests where there are none."""

    metrics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def pick(self, there: Sequence[str], usual: Sequence[str] = ()) -> str | None:
        """Return the first metric asked for that is there, else the first usual one, else None."""
        return next((name for name in (*self.metrics, *usual) if name in there), None)


@dataclass(slots=True)
class Reading:
    """What a reader found."""

    raws: list[Raw] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def skip(self, name: str, reason: str) -> None:
        """List something that is not taken."""
        self.skipped.append(Skipped(name, reason))


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how a document of it is known by its content, and how documents of it are read.

    ``takes`` are the choices of ``Wanted`` that mean something to it.
    """

    name: str
    words: str
    knows: Callable[[Document], bool]
    load: Callable[[Sequence[Document], Wanted], Reading]
    takes: tuple[str, ...] = ()


def text(value: object, default: str = "") -> str:
    """Return a value as a name, or the default where it is no text."""
    return value if isinstance(value, str) and value else default


def number(value: object) -> float | None:
    """Return a JSON value as a number, None where it is none (true and false are none)."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def part(value: object, *keys: str) -> Mapping[str, object]:
    """Return the mapping that keys lead to, empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
