"""A measure's environments as control domains: many side by side, at the speed of the measure's own code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

from aiq.domains.base import DataSheet
from aiq.domains.control.base import Outcome, Worlds
from aiq.domains.control.declared import DeclaredDomain
from aiq.domains.measured.settings import Measured
from aiq.environments.kernel import Array, Kernel, Lanes, Seen
from aiq.errors import DomainError


class KernelDomain(DeclaredDomain):
    """Environments of a kernel, played for a fixed number of steps.

    The performance is the mean reward a step, put on [0, 1] by the smallest and the largest reward, or by the
    settings' own ``scale``.
    """

    settings: Measured

    def __init__(self, name: str, settings: Measured, kernel: Kernel) -> None:
        self.kernel, self.seen = kernel, Seen(kernel, settings.observation)
        low, high = settings.scale or tuple(kernel.factor * reward for reward in kernel.rewards)
        super().__init__(
            name,
            settings,
            observations=self.seen.width,
            actions=len(kernel.actions),
            bounds=(low * settings.steps, high * settings.steps),
            horizon=settings.steps,
            sheet=sheet(kernel, settings, (low, high)),
        )

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu", dtype: torch.dtype | None = None) -> KernelWorlds:
        """Return one environment for each seed; its stream is that of the Gymnasium environment of this seed."""
        generators = [np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))) for seed in seeds]
        return KernelWorlds(self, self.kernel.make(generators), len(seeds), device)


class Played(Protocol):
    """What a domain says of itself to its worlds."""

    name: str
    observations: int
    actions: int
    horizon: int
    kernel: Kernel
    seen: Seen


class KernelWorlds(Worlds):
    """Environments of a kernel side by side; see ``Worlds``."""

    def __init__(self, domain: Played, lanes: Lanes, count: int, device: str) -> None:
        self.lanes, self.failures = count, {}
        self._domain, self._kernel, self._device = domain, lanes, torch.device(device)
        self._every = np.arange(count)
        self._ticks, self._running = np.zeros(count, np.int64), np.zeros(count, bool)
        self._observed = np.zeros((count, domain.observations), np.float32)

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        """Begin a new episode in the lanes where ``which`` is true; return all observations, float32."""
        chosen = np.flatnonzero(which.cpu().numpy())
        if len(chosen):
            self._kernel.begin(chosen)
            self._ticks[chosen], self._running[chosen] = 0, True
            self._observed[chosen] = self._domain.seen(self._kernel.observe(chosen))
        return self._out(self._observed.copy())

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        """Take one step in the lanes where ``which`` is true.

        Raises:
            DomainError: an action outside the domain's, or a step in a lane whose episode is over.
        """
        mask, given = which.cpu().numpy(), actions.cpu().numpy()
        chosen = self._every if mask.all() else np.flatnonzero(mask)
        self._check(given, chosen)
        paid, ended = self._kernel.step(chosen, given[chosen])
        self._ticks[chosen] += 1
        cut = (self._ticks[chosen] >= self._domain.horizon) & ~ended
        self._running[chosen] = ~(ended | cut)
        seen = self._domain.seen(self._kernel.observe(chosen))
        self._observed[chosen] = seen
        paid = (self._domain.kernel.factor * paid).astype(np.float32)
        if len(chosen) == self.lanes:
            return Outcome(*(self._out(part) for part in (paid, ended, cut, seen)))
        return Outcome(*(self._out(self._spread(part, chosen)) for part in (paid, ended, cut, seen)))

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order."""
        order = np.array(list(lanes), np.int64)
        self._kernel.keep(order)
        self._ticks, self._running, self._observed = self._ticks[order], self._running[order], self._observed[order]
        self.lanes = len(order)
        self._every = np.arange(self.lanes)

    def _check(self, actions: Array, chosen: Array) -> None:
        """Refuse foreign actions, and steps after the end of an episode."""
        name, count = self._domain.name, self._domain.actions
        if len(actions) and (actions.min() < 0 or actions.max() >= count):
            wrong = actions[(actions < 0) | (actions >= count)][0]
            raise DomainError(f"domain {name}: action is {wrong}; its actions are the integers 0 to {count - 1}")
        if not self._running[chosen].all():
            lane = chosen[~self._running[chosen]][0]
            raise DomainError(f"domain {name}: the episode of lane {lane} is over: reset it before a step")

    def _spread(self, part: Array, chosen: Array) -> Array:
        """Return what some lanes gave (n, ...) for all of them, zeros where nothing was done."""
        whole: Array = np.zeros((self.lanes, *part.shape[1:]), part.dtype)
        whole[chosen] = part
        return whole

    def _out(self, array: npt.NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._device)


def sheet(kernel: Kernel, settings: Measured, scale: tuple[float, float]) -> DataSheet:
    """Return the data sheet of environments of a kernel."""
    low, high = (kernel.factor * reward for reward in kernel.rewards)
    return DataSheet(
        description=kernel.about,
        source=kernel.paper,
        licence="made here",
        value_range=(low, high),
        class_names=kernel.actions,
        notes=(
            *kernel.notes,
            f"observation: {kernel.numbers} numbers of {len(kernel.values)} values each, {settings.observation}",
            f"reward of a step: between {low:g} and {high:g}; an episode has {settings.steps} steps",
            f"mean rewards a step between {scale[0]:g} and {scale[1]:g} are performances between 0 and 1",
        ),
    )
