"""The agents of the test, as validated parameters (Legg and Veness 2013, section 4).

A record here says what an agent is; `equations.learning` and `equations.aixi` are how it acts. ``legacy`` makes the
phantom first update of the published code: on the first percept a learner updates as if it had been in observation 0
and had taken action 0 before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from aiq.errors import InputError, choice
from aiq.wings.algorithmic.equations.streams import Array

RANDOM, FREQUENCY, Q_LEARNING, HUTTER_LEGG, SARSA = range(5)
RANGES: Mapping[str, tuple[float, float]] = {
    "epsilon": (0, 1),
    "trace": (0, 1),
    "rate": (0, 1),
    "discount": (0, 1),
    "simulations": (1, 1_000_000),
    "depth": (0, 512),
    "horizon": (1, 100),
    "exploration": (0, 1e6),
}
"""Parameter -> least and largest value; a discount is below its largest."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Base of the compiled agents: refuses parameters outside their ranges."""

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for item in fields(self):
            value, (low, high) = getattr(self, item.name), RANGES.get(item.name, (-math.inf, math.inf))
            below = item.name == "discount"
            if item.name == "initial" and not math.isfinite(value):
                raise InputError(f"initial of agent {self.name} is {value}; allowed are finite numbers")
            if not (low <= value < high if below else low <= value <= high):
                allowed = f"[{low:g}, {high:g}{')' if below else ']'}"
                raise InputError(f"{item.name} of agent {self.name} is {value}; allowed is {allowed}")


@dataclass(frozen=True, slots=True)
class TabularAgent(Parameters):
    """Base of the agents that run in the compiled loop; ``parameters`` is what that loop reads."""

    kind: ClassVar[int] = RANDOM

    def parameters(self) -> Array:
        """Return epsilon, initial value, lambda, learning rate, gamma and the legacy flag as float64."""
        words = ("epsilon", "initial", "trace", "rate", "discount", "legacy")
        return np.array([float(getattr(self, word, 0.0)) for word in words])


@dataclass(frozen=True, slots=True)
class Random(TabularAgent):
    """Draws every action uniformly; its quotient is 0."""

    name: ClassVar[str] = "random"


@dataclass(frozen=True, slots=True)
class Freq(TabularAgent):
    """Epsilon-greedy on the mean reward of each action (counts start at 1); ignores observations.

    It learns from the last reward before it chooses: so its published quotients come out (40.2 at 1,000 cycles;
    choosing first, as the other learners do, gives 41.5), and so the recorded trace is five times as likely.
    """

    epsilon: float
    legacy: bool = False
    name: ClassVar[str] = "freq"
    kind: ClassVar[int] = FREQUENCY


@dataclass(frozen=True, slots=True)
class QLearning(TabularAgent):
    """Watkins's Q(lambda) with accumulating traces, cut after an exploring action; Q(0) with ``trace`` 0.

    ``initial`` value of the table, ``trace`` lambda, learning ``rate`` alpha, ``epsilon``, ``discount`` gamma.
    """

    initial: float
    trace: float
    rate: float
    epsilon: float
    discount: float
    legacy: bool = False
    name: ClassVar[str] = "q"
    kind: ClassVar[int] = Q_LEARNING


@dataclass(frozen=True, slots=True)
class HLQ(TabularAgent):
    """HLQ(lambda) of Hutter and Legg (2007): Q(lambda) whose learning rate follows from visits."""

    initial: float
    trace: float
    epsilon: float
    discount: float
    legacy: bool = False
    name: ClassVar[str] = "hlq"
    kind: ClassVar[int] = HUTTER_LEGG


@dataclass(frozen=True, slots=True)
class Sarsa(QLearning):
    """Sarsa(lambda) with accumulating traces: learns the value of the policy that it follows."""

    name: ClassVar[str] = "sarsa"
    kind: ClassVar[int] = SARSA


@dataclass(frozen=True, slots=True)
class MCAIXI(Parameters):
    """MC-AIXI-CTW (Veness et al. 2011): context trees as model, UCT as planner.

    ``simulations`` per cycle, ``depth`` of the context in bits, ``horizon`` in cycles, ``exploration``
    constant of UCT; ``factored``: one tree per bit of the percept (the published program's way) instead of one for
    all bits, which learns faster where ``depth`` reaches back over a cycle and nothing where it does not;
    ``epsilon``: share of cycles in which the action is drawn uniformly (.05 in the published program);
    ``common_random_numbers``: every search of an episode begins with the same random numbers (the published program's
    way), so that from one cycle to the next the plan changes only as the model does.
    """

    simulations: int
    depth: int
    horizon: int
    exploration: float = math.sqrt(2)
    factored: bool = True
    epsilon: float = 0.05
    common_random_numbers: bool = True
    name: ClassVar[str] = "mc-aixi"


@dataclass(frozen=True, slots=True)
class Outside:
    """An agent given as Python callable ``module:factory`` (see `equations.trials`); much slower."""

    factory: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    name: ClassVar[str] = "outside"


Agent = TabularAgent | MCAIXI | Outside
KINDS: dict[str, type[TabularAgent] | type[MCAIXI] | type[Outside]] = {
    kind.name: kind for kind in (Random, Freq, QLearning, HLQ, Sarsa, MCAIXI, Outside)
}


def make_agent(name: str, parameters: Mapping[str, object]) -> Agent:
    """Return the agent ``name`` with named parameters.

    Raises:
        InputError: the name or a parameter is unknown, a parameter is missing, not a number or out of range.
    """
    if name not in KINDS:
        raise InputError(choice("agent", name, KINDS))
    kind: Callable[..., Agent] = KINDS[name]
    allowed = [item.name for item in fields(KINDS[name])]
    for word, value in parameters.items():
        if word not in allowed:
            raise InputError(choice(f"parameter of agent {name}", word, allowed or ["none"]))
        if kind is not Outside and not isinstance(value, int | float):
            raise InputError(f"{word} of agent {name} is {value!r}; give a number")
    try:
        return kind(**parameters)
    except TypeError:
        given = ", ".join(parameters) or "none"
        raise InputError(f"agent {name} lacks parameters: given are {given}, known are {', '.join(allowed)}") from None
