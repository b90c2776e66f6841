"""The Gym suite of the 2020 paper, played: as control domains, and as a measure of agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from aiq.agents.table import Addition, Asked, Entry, Kept, Plan, Scored, named, played_on
from aiq.domains.base import DataSheet
from aiq.domains.control.base import ControlDomain, LaneDraws
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.lane_worlds import GymnasiumDomain
from aiq.domains.control.settings import CartPole
from aiq.environments import Array, Kernel, KernelDomain
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
