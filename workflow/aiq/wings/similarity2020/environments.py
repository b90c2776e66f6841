"""The Gym suite of the 2020 paper, played: as control domains, and as a measure of agents.

Roulette and NChain, which Gymnasium has no more, are Gymnasium environments here: ``gymnasium.make("aiq/Roulette-v0")``
and ``gymnasium.make("aiq/NChain-v0")`` work once ``aiq.domains`` is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.agents.table import Addition, Asked, Entry, Kept, Plan, Scored, named, played_on
from aiq.domains.base import DataSheet
from aiq.domains.control.base import ControlDomain, LaneDraws, checked_action
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.lane_worlds import GymnasiumDomain
from aiq.domains.control.settings import CartPole
from aiq.environments import Array, Kernel, KernelDomain
from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.stats import mean_of_means
from aiq.wings.similarity2020.domains import Gym2020
from aiq.wings.similarity2020.gym_suite import SUITE, GymTest, Transitions, optimal, transitions


class _TableLanes:
    """An environment with a table of transitions, many side by side.

    A lane takes one number of its generator for every outcome, and for the first state if ``draws_start``, as the
    Gymnasium environment itself does: the same seed and actions give the same episodes.
    """

    numbers = 1

    def __init__(self, table: Transitions, draws_start: bool, generators: Sequence[np.random.Generator]) -> None:
        self._table, self._draws_start = table, draws_start
        self._reached = np.cumsum(table.probability, axis=2)
        self._start = np.cumsum(table.start)
        self._draws = LaneDraws(list(generators), lambda stream, n: stream.random((n, 1)), np.asarray)
        self._state = np.zeros(len(generators), np.int64)

    def begin(self, chosen: Array) -> None:
        if self._draws_start:
            self._state[chosen] = (self._start > self._drawn(chosen)[:, None]).argmax(axis=1)
        else:
            self._state[chosen] = int(self._table.start.argmax())

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        table, state = self._table, self._state[chosen]
        place = (self._reached[state, actions] > self._drawn(chosen)[:, None]).argmax(axis=1)
        self._state[chosen] = table.following[state, actions, place]
        return table.reward[state, actions, place], table.ended[state, actions, place]

    def observe(self, chosen: Array) -> Array:
        return self._state[chosen][:, None]

    def keep(self, order: Array) -> None:
        self._draws.keep(order.tolist(), order)
        self._state = self._state[order]

    def _drawn(self, chosen: Array) -> Array:
        """Return the next number of each lane, (n,)."""
        which = np.zeros(len(self._state), np.int64)
        which[chosen] = 1
        drawn: Array = self._draws.take(which)[chosen, 0]
        return drawn


def table_domain(name: str, settings: Gym2020, test: GymTest) -> KernelDomain:
    """Return an environment of the suite with a table, read from Gymnasium; performance by the suite's range."""
    table = transitions(test)
    draws_start = not test.id.startswith("aiq/")
    kernel = Kernel(
        make=lambda generators: _TableLanes(table, draws_start, generators),
        numbers=1,
        values=tuple(float(state) for state in range(len(table.start))),
        actions=tuple(f"action {action}" for action in range(test.actions)),
        rewards=(float(table.reward.min()), float(table.reward.max())),
        about=f"The Gymnasium environment {test.id}, as the 2020 paper's suite has it",
        paper=f"Gymnasium {test.id}, options {dict(test.options) or 'none'}, its transitions computed here",
        notes=(),
    )
    sheet = DataSheet(
        description=kernel.about,
        source=kernel.paper,
        licence="the environment's own (Gymnasium's are MIT)",
        value_range=test.bounds,
        class_names=kernel.actions,
        notes=(
            f"observation: the state, one-hot of {len(kernel.values)}",
            f"returns between {test.bounds[0]:g} and {test.bounds[1]:g} ({test.reason}) are performances between 0 and "
            "1; a return outside counts as the bound",
            f"an episode has at most {test.horizon} steps",
        ),
    )
    return KernelDomain(name, settings, kernel, "one-hot", bounds=test.bounds, horizon=test.horizon, sheet=sheet)


def gym2020_domain(name: str, settings: Gym2020) -> ControlDomain:
    """Return the domain: computed here side by side where that is exact, else Gymnasium's own environment."""
    test = SUITE[settings.name]
    common = settings.model_dump(include={"foreign_actions", "noop", "training_reward"})
    if test.tabled:
        return table_domain(name, settings, test)
    if test.id.startswith("CartPole"):
        return CartPoleDomain(name, CartPole(source="cartpole", steps=test.horizon, **common))
    played = Gymnasium(
        source="gymnasium", id=test.id, bounds=test.bounds, options=dict(test.options), horizon=test.horizon, **common
    )
    return GymnasiumDomain(name, played)


GAMES = ("FrozenLake", "FrozenLake8x8", "NChain", "Roulette", "CliffWalking", "Taxi")
"""The games of the suite of 2020 that have a finite number of observations."""


@dataclass(frozen=True)
class Games:
    """Mean performance on the games of the 2020 suite (the performances that its similarity is made of)."""

    plan: Plan = field(default_factory=Plan)
    names: tuple[str, ...] = GAMES
    kept: Kept = field(default_factory=dict)
    name: str = "games"
    about: str = "mean performance on games of the 2020 suite, 0 to 1, after practice"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the mean over games; the optimum is computed exactly."""
        if entry.native.get(self.name) == "optimal":
            tests = [SUITE[game] for game in self.names]
            best = [test.performance(optimal(transitions(test), test.horizon)) for test in tests]
            value = float(np.mean(best))
            exact = Estimate(value, (value, value), len(best), "exact, by value iteration")
            return Scored(exact, tuple((game, (optimum,)) for game, optimum in zip(self.names, best, strict=True)))
        games = {game: {"source": "gym2020", "name": game} for game in self.names}
        played = played_on(entry, games, self.plan, root, self.kept)
        return Scored(mean_of_means(played, "games"), named(self.names, played))


def addition(asked: Asked) -> Addition:
    """Return the measure of games, who plays them best, and two games for the suite of all measures."""
    return Addition(
        measures=(Games(asked.plan, kept=asked.played),),
        knows={"planner": {"games": "optimal"}},
        tests={game: {"source": "gym2020", "name": game} for game in ("NChain", "Roulette")},
    )


# ---- Roulette and NChain --------------------------------------------------------------------------------


Transition = tuple[float, int, float, bool]


class TabledEnv(gymnasium.Env[np.int64, np.int64]):
    """Draws every step from ``P``; an episode begins in state 0.

    Attributes:
        P: state -> action -> list of (probability, next state, reward, terminated), as in Gymnasium's toy-text
            environments; the probabilities of an action add up to 1.
        initial_state_distrib: probability of each state at a reset, shape (states,).
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it as a variable)

    def __init__(self, transitions: dict[int, dict[int, list[Transition]]]) -> None:
        self.P = transitions
        self.observation_space = spaces.Discrete(len(transitions))
        self.action_space = spaces.Discrete(len(transitions[0]))
        self.initial_state_distrib = np.eye(len(transitions))[0]
        self._state: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        self._state = 0
        return np.int64(self._state), {}

    def step(self, action: int | np.integer[Any]) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Take one step.

        Raises:
            ResetNeeded: no episode is running.
            InputError: an action outside the environment's, in one sentence.
        """
        if self._state is None:
            raise ResetNeeded(f"no episode of {type(self).__name__} is running: call reset() before step()")
        outcomes = self.P[self._state][checked_action(type(self).__name__, action, len(self.P[0]))]
        drawn, reached = float(self.np_random.random()), 0.0
        for probability, state, reward, terminated in outcomes:  # noqa: B007  the last one is kept where rounding ends
            reached += probability
            if drawn < reached:
                break
        self._state = None if terminated else state
        return np.int64(state), float(reward), terminated, False, {}


class NChainEnv(TabledEnv):
    """A chain of states: a small reward for going back at once, a large one for who goes to its end.

    The chain of Dearden, Friedman and Russell, "Bayesian Q-Learning" (1998), as OpenAI Gym had it under the id
    NChain-v0 until 2021. With probability .2 the other action is done than the one that was asked for.

    - Actions: `Discrete(2)`. 0 goes one state forward, reward 0; in the last state it stays, reward 10. 1 goes back to
      state 0, reward 2.
    - Observations: `Discrete(5)`, the state. An episode begins in 0.
    - End: truncation after 1,000 steps.

    In an episode of 1,000 steps a uniformly random policy earns 1,311.25 in the mean, the best one 3,665.83. Always
    going forward earns 3.6768 a step in the long run (3,677 in 1,000 steps).

    Args:
        n: states, at least 2.
        slip: probability that the other action is done.
        small: reward for going back.
        large: reward for staying in the last state.

    Raises:
        InputError: an argument out of range.
    """

    def __init__(self, n: int = 5, slip: float = 0.2, small: float = 2.0, large: float = 10.0) -> None:
        if n != int(n) or n < 2:
            raise InputError(f"n is {n}, it must be a whole number of at least 2")
        if not 0 <= slip <= 1:
            raise InputError(f"slip is {slip}, it must lie in [0, 1]")
        self.slip, self.small, self.large = slip, float(small), float(large)
        super().__init__({state: {action: self._outcomes(state, action, n) for action in (0, 1)} for state in range(n)})

    def _outcomes(self, state: int, action: int, n: int) -> list[Transition]:
        forward = (state + 1, 0.0, False) if state < n - 1 else (state, self.large, False)
        done = [forward, (0, self.small, False)]
        return [(1 - self.slip, *done[action]), (self.slip, *done[1 - action])]


class RouletteEnv(TabledEnv):
    """A roulette wheel: every bet loses in the mean, who knows that leaves at once.

    The wheel that OpenAI Gym had under the id Roulette-v0 until 2021: 37 numbers from 0 on. A bet on 0 wins if the
    wheel shows 0. A bet on another number wins if the wheel shows a number of the same parity other than 0.

    - Actions: `Discrete(38)`. 0 bets on 0, 1 ... 36 on the parity of the action, 37 leaves the table.
    - Observations: `Discrete(1)`, always 0.
    - Rewards: 36 where a bet on 0 wins, 1 where a bet on a parity wins, -1 where a bet loses, 0 for leaving. Every bet
      has the mean -1/37 but one on 0, which has 0. The best return is 0.
    - End: termination by the action 37; truncation after 100 steps.

    Args:
        spots: numbers of the wheel, odd and at least 3.

    Raises:
        InputError: an argument out of range.
    """

    def __init__(self, spots: int = 37) -> None:
        if spots != int(spots) or spots < 3 or spots % 2 == 0:
            raise InputError(f"spots is {spots}, it must be odd and at least 3")
        super().__init__({0: {action: self._outcomes(action, spots) for action in range(spots + 1)}})

    @staticmethod
    def _outcomes(action: int, spots: int) -> list[Transition]:
        if action == spots:
            return [(1.0, 0, 0.0, True)]
        wins = 1 if action == 0 else (spots - 1) // 2
        paid = float(spots - 1) if action == 0 else 1.0
        return [(wins / spots, 0, paid, False), (1 - wins / spots, 0, -1.0, False)]
