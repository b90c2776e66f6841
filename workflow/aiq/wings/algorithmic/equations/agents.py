"""The agents of the test: as validated parameters, and how the tabular ones choose and learn, compiled.

Sources: Legg and Veness (2013), section 4; Q(lambda): Watkins (1989), traces cut after an exploring action;
HLQ(lambda): Hutter and Legg (2007), equations 9 to 13; Sarsa(lambda): Rummery and Niranjan (1994).

``legacy`` makes the phantom first update of the published code: on the first percept a learner updates as if it had
been in observation 0 and had taken action 0 before.

A step is `decide`, then `learn` from the reward that came with the percept; for Freq the other way round. Only entries
whose trace is not zero can change, so they are kept in a list: a step costs what the recent past visited, not the size
of the table. A trace below `FORGOTTEN` (for HLQ(lambda), which divides by visits that decay too, below `FORGOTTEN_HLQ`)
is set to zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar, NamedTuple

import numpy as np

from aiq.errors import InputError, choice
from aiq.wings.algorithmic.equations import Array, below, compiled_leaf, unit

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
    """Watkins's Q(lambda) with accumulating traces, cut after an exploring action; Q(0) with ``trace`` 0."""

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

    ``simulations`` per cycle, ``depth`` of the context in bits, ``horizon`` in cycles, ``exploration`` constant of UCT;
    ``factored``: one tree per bit of the percept (the published program's way) instead of one for all bits, which
    learns faster where ``depth`` reaches back over a cycle and nothing where it does not; ``epsilon``: share of
    uniformly drawn actions; ``common_random_numbers``: every search of an episode begins with the same random numbers
    (the published program's way), so that from one cycle to the next the plan changes only as the model does.
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
    """Return the agent ``name`` with named parameters; raises InputError where they do not fit."""
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


# ---- choice and learning ---------------------------------------------------------------------------

EPSILON, INITIAL, TRACE, RATE, DISCOUNT, LEGACY = range(6)
FORGOTTEN, FORGOTTEN_HLQ = 1e-20, 1e-200
VISITS_FLOOR = 1e-100


class Tables(NamedTuple):
    """Mutable memory of one tabular agent; entry (x, b) lies at x * actions + b."""

    values: Array  # float64, (observations * actions,): Q, or for Freq the mean rewards (first row)
    traces: Array  # float64, eligibility E, or for Freq the sums of rewards
    visits: Array  # float64, V of HLQ, or for Freq the counts
    active: Array  # int64, entries with a trace, the first active_count[0] of them
    active_count: Array  # int64, (1,)
    actions: int


def new_tables(observations: int, actions: int) -> Tables:
    """Return memory for the given numbers of observations and actions; `clear` prepares it for an episode."""
    size = observations * actions
    return Tables(
        np.zeros(size), np.zeros(size), np.ones(size), np.zeros(size, np.int64), np.zeros(1, np.int64), actions
    )


@compiled_leaf
def clear(tables: Tables, parameters: Array) -> None:
    """Forget everything: values at their initial value, no traces, one visit everywhere."""
    tables.values[:] = parameters[INITIAL]
    tables.traces[:] = 0.0
    tables.visits[:] = 1.0
    tables.active_count[0] = 0


@compiled_leaf
def greedy_action(values: Array, begin: int, actions: int, stream: Array) -> int:
    """Return an action of highest value in the row that begins at ``begin``, ties drawn uniformly."""
    best, ties, chosen = values[begin], 1, 0
    for action in range(1, actions):
        value = values[begin + action]
        if value > best:
            best, ties, chosen = value, 1, action
        elif value == best:
            ties += 1
    if ties == 1:
        return chosen
    skip = below(stream, ties)
    for action in range(actions):
        if values[begin + action] == best:
            if skip == 0:
                return action
            skip -= 1
    return chosen


@compiled_leaf
def forget(tables: Tables) -> None:
    """Set all traces to zero."""
    for i in range(tables.active_count[0]):
        tables.traces[tables.active[i]] = 0.0
    tables.active_count[0] = 0


@compiled_leaf
def _mark(tables: Tables, entry: int) -> None:
    if tables.traces[entry] == 0.0:
        tables.active[tables.active_count[0]] = entry
        tables.active_count[0] += 1
    tables.traces[entry] += 1.0


@compiled_leaf
def _fade(tables: Tables, factor: float, forgotten: float) -> None:
    if factor == 0.0:
        forget(tables)
        return
    i = 0
    while i < tables.active_count[0]:
        entry = tables.active[i]
        faded = tables.traces[entry] * factor
        if faded < forgotten:
            tables.traces[entry] = 0.0
            tables.active_count[0] -= 1
            tables.active[i] = tables.active[tables.active_count[0]]
        else:
            tables.traces[entry] = faded
            i += 1


@compiled_leaf
def _learn_hlq(tables: Tables, parameters: Array, entry: int, following: int, delta: float, kept: bool) -> None:
    """HLQ(lambda): V[s, a] += 1; Q[x, b] += delta E[x, b] / (V' - gamma E') V' / V[x, b], with ' at (s', a')."""
    visits, discount, trace = tables.visits, parameters[DISCOUNT], parameters[TRACE]
    visits[entry] += 1.0
    scale = delta * visits[following] / (visits[following] - discount * tables.traces[following])
    for i in range(tables.active_count[0]):
        other = tables.active[i]
        tables.values[other] += scale * tables.traces[other] / visits[other]
    for other in range(visits.shape[0]):
        visits[other] = max(visits[other] * trace, VISITS_FLOOR)
    if kept:
        _fade(tables, discount * trace, FORGOTTEN_HLQ)
    else:
        forget(tables)


@compiled_leaf
def learn(
    kind: int, tables: Tables, parameters: Array, state: int, action: int, reward: float, following: int,
    greedy: int, chosen: int,
) -> None:  # fmt: skip
    """Learn (state, action) -> reward, ``following``; next ``chosen`` is done, ``greedy`` was drawn as best before."""
    if kind == RANDOM:
        return
    if kind == FREQUENCY:
        tables.visits[action] += 1.0
        tables.traces[action] += reward
        tables.values[action] = tables.traces[action] / tables.visits[action]
        return
    actions = tables.actions
    entry = state * actions + action
    ahead = chosen if kind == SARSA else greedy
    delta = reward + parameters[DISCOUNT] * tables.values[following * actions + ahead] - tables.values[entry]
    kept = kind == SARSA or chosen == greedy
    _mark(tables, entry)
    if kind == HUTTER_LEGG:
        _learn_hlq(tables, parameters, entry, following * actions + chosen, delta, kept)
        return
    step = parameters[RATE] * delta
    for i in range(tables.active_count[0]):
        other = tables.active[i]
        tables.values[other] += step * tables.traces[other]
    if kept:
        _fade(tables, parameters[DISCOUNT] * parameters[TRACE], FORGOTTEN)
    else:
        forget(tables)


@compiled_leaf
def decide(kind: int, tables: Tables, parameters: Array, seen: int, stream: Array) -> tuple[int, int]:
    """Return the greedy action that was drawn for the observation ``seen``, and the action to take (epsilon-greedy)."""
    actions = tables.actions
    if kind == RANDOM:
        action = below(stream, actions)
        return action, action
    begin = 0 if kind == FREQUENCY else seen * actions
    greedy = greedy_action(tables.values, begin, actions, stream)
    return greedy, below(stream, actions) if unit(stream) < parameters[EPSILON] else greedy
