"""What a measure is to the table of agents, and what the table knows of an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiq.agents.protocol import Agent
from aiq.records.estimate import Estimate

Performances = tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Entry:
    """An agent of the table.

    Attributes:
        name: in the table.
        make: makes an agent of the protocol; None: there is none.
        native: name of a measure -> what the measure's own code takes for this agent; the protocol is not used there.
        why: why it cannot be examined where it has neither.
        about: what it is, in one sentence.
    """

    name: str
    make: Callable[[], Agent] | None = None
    native: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    about: str = ""


@dataclass(frozen=True)
class Scored:
    """A score, and the performances that it is made of, if it is: test -> one number per repetition."""

    estimate: Estimate
    performances: Performances = ()


class Measure(Protocol):
    """A measure of the table."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    @property
    def about(self) -> str:
        """What its score is, with its range, in one line."""
        ...

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the score of an agent; raises CannotPlay, or InputError where the agent misbehaves."""
        ...
