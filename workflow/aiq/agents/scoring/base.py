"""What a measure is to the table of agents, and what the table knows of an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True)
class Asked:
    """What the table asks a measure for.

    Attributes:
        sizes: how much every measure asks of an agent, a ``catalogue.Sizes``.
        pool: the network that agents share, an ``agents.network.Pool``.
        network: weights of a network of level 0 of CartPole3D; None where it is to be trained.
        plan: how agents play domains, a ``scoring.episodes.Plan``.
        played: performances that were played already.
    """

    sizes: Any
    pool: Any
    network: Any
    plan: Any
    played: dict[tuple[str, str], Any]


@dataclass(frozen=True)
class Addition:
    """What a measure adds to the table.

    Attributes:
        measures: what agents are scored by.
        agents: agents that it brings.
        words: beginning of a word such as ``actor:`` -> from the rest to the agent.
        knows: name of an agent that anybody brings -> what measures of this one take for it (see ``Entry.native``).
        tests: name -> settings of the domains that it adds to the measure ``suite``.
    """

    measures: Sequence[Measure] = ()
    agents: Sequence[Entry] = ()
    words: Mapping[str, Callable[[str], Entry]] = field(default_factory=dict)
    knows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
