"""Twins of a played test: places of its observations and names of its actions permuted by fixed permutations.

For a dense network a twin is as hard as its test, because both permutations permute its initial weights, which all have
the same distribution; what an episode pays and how long it is stay as they are. No action keeps its name, so a test of
two actions has one exchange of names, and its twins differ in the places of observations alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from aiq import seeding
from aiq.domains.control.base import ControlDomain, Outcome, Worlds
from aiq.domains.labelled.twins import derangement
from aiq.errors import DomainError


class TwinDomain(ControlDomain):
    """A domain of which everything else is the test's own.

    An action beyond its own does what it does in the test, so that as many outputs of a network do the same.

    Args:
        domain: the test.
        number: of the twin, from 1 up.
        root: root seed.
        name: of the twin; None: the test's.

    Raises:
        DomainError: the test has one action.
    """

    def __init__(self, domain: ControlDomain, number: int, root: int, name: str | None = None) -> None:
        key: tuple[str | int, ...] = (*(domain.space or (domain.name,)), "twin", number)
        places = seeding.generator(root, *key, "places").permutation(domain.observations)
        if domain.actions < 2:
            raise DomainError(f"domain {domain.name} has one action, so there are no names of actions for a twin")
        self._take(domain, places.tolist(), derangement(domain.actions, root, *key, "actions").tolist(), name)
        said = f"twin {number}: places of observations and names of actions permuted"
        names = domain.sheet.class_names
        if len(names) == domain.actions:
            names = tuple(names[action] for action in self.order or ())
        self.sheet = replace(domain.sheet, notes=(*domain.sheet.notes, said), class_names=names)

    def _take(self, domain: ControlDomain, places: list[int], order: list[int], name: str | None) -> None:
        self._domain, self._places, self.order = domain, places, tuple(order)
        self.name, self.space = name or domain.name, domain.space
        self.observations, self.actions = domain.observations, domain.actions
        self.bounds, self.horizon, self.training_reward = domain.bounds, domain.horizon, domain.training_reward
        self.foreign = domain.foreign
        self.noop = None if domain.noop is None else order.index(domain.noop)
        self.side_by_side, self.on_gpu, self.sheet = domain.side_by_side, domain.on_gpu, domain.sheet

    @property
    def measured(self) -> ControlDomain:
        """The twin of the domain in which a policy is measured."""
        tested = self._domain.measured
        if tested is self._domain:
            return self
        made = TwinDomain.__new__(TwinDomain)
        made._take(tested, self._places, list(self.order or ()), self.name)
        return made

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> Worlds:
        """Return one world for each seed, with what would happen in the test's."""
        return _TwinWorlds(
            self._domain.worlds(seeds, device=device),
            torch.tensor(self._places, device=device),
            torch.tensor(self.order, device=device),
        )

    def performance(self, total: float) -> float:
        """Return the performance that the test gives a return."""
        return self._domain.performance(total)


class _TwinWorlds(Worlds):
    """Worlds of a test under other names."""

    def __init__(self, inner: Worlds, places: torch.Tensor, order: torch.Tensor) -> None:
        self._inner, self._places, self._order = inner, places, order
        self.lanes, self.failures, self.side_by_side = inner.lanes, inner.failures, inner.side_by_side

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        observation = self._inner.reset(which)
        self.failures = self._inner.failures
        return observation[:, self._places]

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        known = which & (actions >= 0) & (actions < len(self._order))  # others are refused by the test's worlds
        told = self._inner.step(torch.where(known, self._order[actions.where(known, 0)], actions), which)
        self.failures = self._inner.failures
        return replace(told, observation=told.observation[:, self._places])

    def keep(self, lanes: Sequence[int]) -> None:
        self._inner.keep(lanes)
        self.lanes, self.failures = self._inner.lanes, self._inner.failures

    def state(self) -> dict[str, Any]:
        return self._inner.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        self._inner.restore(state)
        self.failures = self._inner.failures

    def close(self) -> None:
        self._inner.close()
