"""A control domain on the common ground of a mixture: wider observations, more actions, the same world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import pad

from aiq import seeding
from aiq.domains.control import ControlDomain, Outcome, Worlds
from aiq.domains.control.foreign import ForeignActions


class PaddedDomain(ControlDomain):
    """A domain whose observations are filled up with zeros and whose further actions do what it declares for them.

    With ``places``, the root of places by declared space, its numbers and the zeros are then permuted.
    """

    def __init__(self, domain: ControlDomain, observations: int, actions: int, places: int | None = None) -> None:
        self._domain, self._root = domain, places
        self.name, self.bounds, self.horizon = domain.name, domain.bounds, domain.horizon
        self.observations, self.actions = observations, actions
        self.training_reward, self.foreign, self.noop = domain.training_reward, domain.foreign, domain.noop
        self.sheet, self.on_gpu, self.space = domain.sheet, domain.on_gpu, domain.space

    @property
    def measured(self) -> ControlDomain:
        """The domain in which a policy is measured, on the same ground."""
        tested = self._domain.measured
        return self if tested is self._domain else PaddedDomain(tested, self.observations, self.actions, self._root)

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu", dtype: torch.dtype | None = None) -> Worlds:
        """Return one world for each seed."""
        foreign = ForeignActions(self._domain, seeds, 0, torch.device(device))
        inner = self._domain.worlds(seeds, device=device, dtype=dtype)
        return _PaddedWorlds(self._domain, inner, self.observations, foreign, self._order(device))

    def _order(self, device: str) -> torch.Tensor | None:
        """Return which of the numbers, filled up, lies in each place; None where all stay."""
        if self._root is None:
            return None
        space = self.space or (self.name,)
        random = seeding.generator(self._root, "places", *space, self._domain.observations)
        return torch.from_numpy(random.permutation(self.observations)).to(device)

    def performance(self, total: float) -> float:
        """Return the performance that the domain itself gives a return."""
        return self._domain.performance(total)


class _PaddedWorlds(Worlds):
    """Worlds whose observations are padded and whose actions are translated."""

    def __init__(
        self,
        domain: ControlDomain,
        inner: Worlds,
        observations: int,
        foreign: ForeignActions,
        order: torch.Tensor | None = None,
    ) -> None:
        self._inner, self._foreign, self._order = inner, foreign, order
        self._missing = (0, observations - domain.observations)
        self.lanes, self.failures = inner.lanes, inner.failures
        self.side_by_side = inner.side_by_side

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        observation = self._inner.reset(which)
        self.failures = self._inner.failures
        return self._laid(observation)

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        told = self._inner.step(self._foreign.translate(actions, which), which)
        self.failures = self._inner.failures
        return Outcome(told.reward, told.terminated, told.truncated, self._laid(told.observation))

    def _laid(self, observation: torch.Tensor) -> torch.Tensor:
        """Return observations (lanes, n) filled up, in their places."""
        filled = pad(observation, self._missing)
        return filled if self._order is None else filled[:, self._order]

    def keep(self, lanes: Sequence[int]) -> None:
        self._inner.keep(lanes)
        self._foreign.keep(lanes)
        self.lanes, self.failures = self._inner.lanes, self._inner.failures

    def state(self) -> dict[str, Any]:
        return {"inner": self._inner.state(), "foreign": self._foreign.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._inner.restore(state["inner"])
        self._foreign.restore(state["foreign"])
        self.failures = self._inner.failures

    def close(self) -> None:
        self._inner.close()
