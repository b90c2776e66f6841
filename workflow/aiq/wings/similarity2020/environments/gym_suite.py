"""The Gym suite of the 2020 paper as control domains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from aiq.domains.base import DataSheet
from aiq.domains.cartpole.family import CartPole
from aiq.domains.cartpole.worlds import CartPoleDomain
from aiq.domains.control.base import ControlDomain
from aiq.domains.control.declared import DeclaredDomain
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.gymnasium_worlds import GymnasiumDomain
from aiq.domains.control.lane_draws import LaneDraws
from aiq.environments.kernel import Array, Kernel, Seen
from aiq.environments.worlds import KernelWorlds
from aiq.wings.similarity2020.domains.gym2020 import Gym2020
from aiq.wings.similarity2020.gym2020.exact import Transitions
from aiq.wings.similarity2020.gym2020.suite import SUITE, GymTest, transitions


class TableLanes:
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
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        if self._draws_start:
            self._state[chosen] = (self._start > self._drawn(chosen)[:, None]).argmax(axis=1)
        else:
            self._state[chosen] = int(self._table.start.argmax())

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Draw the outcomes in the lanes ``chosen`` (n,); return rewards (n,) and whether episodes ended (n,)."""
        table, state = self._table, self._state[chosen]
        place = (self._reached[state, actions] > self._drawn(chosen)[:, None]).argmax(axis=1)
        self._state[chosen] = table.following[state, actions, place]
        return table.reward[state, actions, place], table.ended[state, actions, place]

    def observe(self, chosen: Array) -> Array:
        """Return the states, (n, 1) int64."""
        return self._state[chosen][:, None]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._draws.keep(order.tolist(), order)
        self._state = self._state[order]

    def _drawn(self, chosen: Array) -> Array:
        """Return the next number of each lane, (n,)."""
        which = np.zeros(len(self._state), np.int64)
        which[chosen] = 1
        drawn: Array = self._draws.take(which)[chosen, 0]
        return drawn


class TableDomain(DeclaredDomain):
    """An environment of the suite with a table of transitions; performance by the suite's range of returns."""

    settings: Gym2020

    def __init__(self, name: str, settings: Gym2020, test: GymTest) -> None:
        """Read the table; this makes the Gymnasium environment once."""
        table = transitions(test)
        drawn = not test.id.startswith("aiq/")
        self.kernel = Kernel(
            make=lambda generators: TableLanes(table, drawn, generators),
            numbers=1,
            values=tuple(float(state) for state in range(len(table.start))),
            actions=tuple(f"action {action}" for action in range(test.actions)),
            rewards=(float(table.reward.min()), float(table.reward.max())),
            about=f"The Gymnasium environment {test.id}, as the 2020 paper's suite has it",
            paper=f"Gymnasium {test.id}, options {dict(test.options) or 'none'}, its transitions computed here",
            notes=(),
        )
        self.seen = Seen(self.kernel, "one-hot")
        super().__init__(
            name,
            settings,
            observations=self.seen.width,
            actions=test.actions,
            bounds=test.bounds,
            horizon=test.horizon,
            sheet=_sheet(self.kernel, test),
        )

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu", dtype: torch.dtype | None = None) -> KernelWorlds:
        """Return one environment for each seed, its stream that of the Gymnasium environment of this seed."""
        generators = [np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))) for seed in seeds]
        return KernelWorlds(self, self.kernel.make(generators), len(seeds), device)


def gym2020_domain(name: str, settings: Gym2020) -> ControlDomain:
    """Return the domain: computed here side by side where that is exact, else Gymnasium's own environment."""
    test = SUITE[settings.name]
    common = settings.model_dump(include={"foreign_actions", "noop", "training_reward"})
    if test.tabled:
        return TableDomain(name, settings, test)
    if test.id.startswith("CartPole"):
        return CartPoleDomain(name, CartPole(source="cartpole", steps=test.horizon, **common))
    told = Gymnasium(
        source="gymnasium", id=test.id, bounds=test.bounds, options=dict(test.options), horizon=test.horizon, **common
    )
    return GymnasiumDomain(name, told)


def _sheet(kernel: Kernel, test: GymTest) -> DataSheet:
    return DataSheet(
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
