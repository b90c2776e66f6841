"""The Gym suite of the 2020 paper: its family, and ids, longest episodes, ranges of returns and transitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, maker
from aiq.errors import DomainError, did_you_mean
from aiq.settings import Settings

Floats = npt.NDArray[np.float64]
Surplus = Literal["clamp", "random"]


@dataclass(frozen=True)
class GymTest:
    """One environment of the suite, named as in Fig. 5; ``id`` and ``options`` as gymnasium.make takes them.

    ``bounds``: returns that count as performance 0 and 1, for a ``reason``; a return outside counts as the bound.
    ``horizon``: longest episode in steps. ``tabled``: whether it has a table of transitions.
    """

    name: str
    id: str
    actions: int
    horizon: int
    bounds: tuple[float, float]
    reason: str
    options: Mapping[str, Any] = field(default_factory=dict)
    tabled: bool = True

    def performance(self, total: float) -> float:
        """Return the performance in [0, 1] of a return."""
        low, high = self.bounds
        return min(1.0, max(0.0, (total - low) / (high - low)))


_POLE, _LAKE, _NEVER = "1 for every step", "1 at the goal", "never there; solved by Gym's threshold"
_TESTS = (
    GymTest("CartPole-v0", "CartPole-v0", 2, 200, (0, 200), _POLE, tabled=False),
    GymTest("CartPole-v1", "CartPole-v1", 2, 500, (0, 500), _POLE, tabled=False),
    GymTest("MountainCar", "MountainCar-v0", 3, 200, (-200, -110), _NEVER, tabled=False),
    GymTest("Acrobot", "Acrobot-v1", 3, 500, (-500, -100), _NEVER, tabled=False),
    GymTest("FrozenLake", "FrozenLake-v1", 4, 100, (0, 1), _LAKE, {"map_name": "4x4", "is_slippery": True}),
    GymTest("NChain", "aiq/NChain-v0", 2, 1000, (0, 3677), "1,000 times the best mean reward a step in the long run"),
    GymTest("Roulette", "aiq/Roulette-v0", 38, 100, (-100, 0), "all bets lost; leaving at once"),
    GymTest("FrozenLake8x8", "FrozenLake8x8-v1", 4, 200, (0, 1), _LAKE, {"map_name": "8x8", "is_slippery": True}),
    GymTest("CliffWalking", "CliffWalking-v1", 4, 2000, (-2000, -13), "no end in 2,000 steps; shortest way"),
    GymTest("Taxi", "Taxi-v4", 6, 200, (-200, 8), "no end in 200 steps; solved by Gym's threshold"),
)
SUITE: Mapping[str, GymTest] = MappingProxyType({test.name: test for test in _TESTS})


def by_settings(name: str, settings: Settings) -> GymTest:
    """Return the test of the suite that settings describe."""
    if not isinstance(settings, Gymnasium):
        raise DomainError(f"domain {name} is {type(settings).__name__}; the suite of 2020 is of gymnasium's")
    for test in SUITE.values():
        if test.id == settings.id:
            horizon = settings.horizon or test.horizon
            if horizon != test.horizon or {**test.options, **settings.options} != dict(test.options):
                raise DomainError(
                    f"domain {name} has a horizon of {horizon} and options {settings.options}; the suite of 2020 has "
                    f"{test.id} with {test.horizon} and {dict(test.options)}"
                )
            return test
    ids = {test.id: None for test in SUITE.values()}
    raise DomainError(
        f"domain {name} is {settings.id!r}{did_you_mean(settings.id, ids)}; the published recipe knows the suite of "
        f"2020 only: {', '.join(ids)}"
    )


@dataclass(frozen=True, eq=False)
class Transitions:
    """What each action does in each state, (states, actions, K); K is the largest number of outcomes of an action.

    ``probability``: 0 where an action has fewer outcomes; ``following``: the next state; ``ended``: whether the episode
    ends. ``start`` (states,): probability of each state at a reset.
    """

    probability: Floats
    following: npt.NDArray[np.int64]
    reward: Floats
    ended: npt.NDArray[np.bool_]
    start: Floats


def transitions(test: GymTest) -> Transitions:
    """Return the transitions of a test whose environment has a table of them; this imports Gymnasium."""
    import gymnasium

    environment = gymnasium.make(test.id, max_episode_steps=test.horizon, disable_env_checker=True, **test.options)
    plain: Any = environment.unwrapped
    table, start = plain.P, np.asarray(plain.initial_state_distrib, np.float64)
    environment.close()
    most = max(len(outcomes) for row in table.values() for outcomes in row.values())
    kinds = (np.float64, np.int64, np.float64, np.bool_)
    arrays: list[npt.NDArray[Any]] = [np.zeros((len(table), len(table[0]), most), kind) for kind in kinds]
    for state, row in table.items():
        for action, outcomes in row.items():
            for array, values in zip(arrays, zip(*outcomes, strict=True), strict=True):
                array[state, action, : len(outcomes)] = values
    return Transitions(*arrays, start)


def weights(own: int, asked: int | None = None, surplus: Surplus = "clamp") -> Floats:
    """Return the probability of each of an environment's own actions, (own,), where ``asked`` are drawn uniformly.

    ``surplus``: what an action beyond its own does: ``clamp``, it becomes the last one; ``random``, a random one.
    """
    count = own if asked is None else asked
    if surplus == "random":
        return np.full(own, 1 / own)
    shares = np.full(own, 1 / count)
    shares[-1] += (count - own) / count
    return shares


def optimal(table: Transitions, horizon: int) -> float:
    """Return the largest expected return of an episode of at most ``horizon`` steps, by value iteration."""
    going = ~table.ended
    best = np.zeros(len(table.start))
    for _ in range(horizon):
        gain = table.reward + best[table.following] * going
        best = (table.probability * gain).sum(axis=2).max(axis=1)
    return float(table.start @ best)


# ---- The family ---------------------------------------------------------------------------------------


Name = Literal[
    "CartPole-v0", "CartPole-v1", "MountainCar", "Acrobot", "FrozenLake", "NChain", "Roulette", "FrozenLake8x8",
    "CliffWalking", "Taxi",
]  # fmt: skip


class Gym2020(Control):
    """One environment of the suite of 2020, with the suite's longest episode and range of returns."""

    source: Literal["gym2020"] = Field(description="the source: gym2020")
    name: Name = Field(description="the environment, as the paper names it")


FAMILY = ControlFamily(
    Gym2020,
    maker("aiq.wings.similarity2020.environments", "gym2020_domain"),
    "the ten small environments of the 2020 paper's Gym suite, those with a table of transitions many side by side",
    "observations flattened, discrete ones one-hot; 2 to 38 actions",
    ("torch", "gymnasium"),
    {"source": "gym2020", "name": "FrozenLake"},
)
