"""The environments of the other measures, played: as control domains, many side by side, and as Gymnasium environments.

The measures' own packages step many environments side by side in NumPy or compiled code (``lanes``); here they get what
``aiq.domains`` and Gymnasium ask for. ``aiq.domains.control.settings`` holds their settings and registers them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.domains.base import DataSheet
from aiq.domains.control.base import DeclaredDomain, Outcome, Worlds, check_step, checked_action, streams
from aiq.domains.control.settings import Control, Measured
from aiq.errors import InputError, choice
from aiq.settings import validate

S = TypeVar("S", bound=Measured)
_LANE = np.zeros(1, np.int64)
Array = npt.NDArray[Any]


class Lanes(Protocol):
    """Environments side by side, one a lane, each with a generator of its own."""

    numbers: int

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Take one step in the lanes ``chosen`` (n,); return rewards (n,) and whether episodes ended (n,)."""

    def observe(self, chosen: Array) -> Array:
        """Return what is seen in the lanes ``chosen``, (n, numbers), places of values from 0 on."""

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""


@dataclass(frozen=True)
class Kernel:
    """A measure's environments, ready to be played.

    Attributes:
        make: from generators, one a lane, to the lanes.
        numbers: numbers in an observation.
        values: the values that each of them can have.
        actions: names of the actions.
        rewards: smallest and largest reward of a step, of the measure itself.
        factor: what the measure's rewards are multiplied by.
        about: what the environments are, in words.
        paper: where they come from.
        notes: further lines of the data sheet.
    """

    make: Callable[[Sequence[np.random.Generator]], Lanes]
    numbers: int
    values: tuple[float, ...]
    actions: tuple[str, ...]
    rewards: tuple[float, float]
    about: str
    paper: str
    notes: tuple[str, ...]
    factor: float = 1.0


class Seen:
    """Turns observations of a kernel into ``width`` numbers from ``low`` to ``high``: its values, or one-hot.

    A number of two values stays one number, 0 or 1, in both.
    """

    def __init__(self, kernel: Kernel, observation: str) -> None:
        self._values = np.array(kernel.values, np.float32)
        self._hot = None
        self.width, self.low, self.high = kernel.numbers, float(self._values.min()), float(self._values.max())
        if observation == "one-hot" and len(kernel.values) != 2:
            self._hot = np.eye(len(kernel.values), dtype=np.float32)
            self.width, self.low, self.high = kernel.numbers * len(kernel.values), 0.0, 1.0

    def __call__(self, places: Array) -> npt.NDArray[np.float32]:
        """Return observations (n, numbers) as (n, width), float32."""
        if self._hot is None:
            return np.asarray(self._values[places])
        return np.asarray(self._hot[places]).reshape(len(places), self.width)


class KernelDomain(DeclaredDomain):
    """Environments of a kernel as a control domain; further arguments are those of ``DeclaredDomain``.

    Attributes:
        kernel: the environments.
        seen: from their observations to those of the domain.
    """

    def __init__(self, name: str, settings: Control, kernel: Kernel, observation: str, **further: Any) -> None:
        self.kernel, self.seen = kernel, Seen(kernel, observation)
        super().__init__(name, settings, observations=self.seen.width, actions=len(kernel.actions), **further)

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> _KernelWorlds:
        """Return one environment for each seed; its stream is that of the Gymnasium environment of this seed."""
        return _KernelWorlds(self, self.kernel.make(streams(seeds)), len(seeds), device)


def played(kernel_of: Callable[[S], Kernel]) -> Callable[[str, S], KernelDomain]:
    """Return what makes a control domain of a name and settings: a kernel, played for a fixed number of steps.

    The performance is the mean reward a step, put on [0, 1] by the smallest and the largest reward, or by the
    settings' own ``scale``.
    """

    def make(name: str, settings: S) -> KernelDomain:
        kernel = kernel_of(settings)
        low, high = settings.scale or tuple(kernel.factor * reward for reward in kernel.rewards)
        return KernelDomain(
            name,
            settings,
            kernel,
            settings.observation,
            bounds=(low * settings.steps, high * settings.steps),
            horizon=settings.steps,
            sheet=_sheet(kernel, settings, (low, high)),
        )

    return make


def _sheet(kernel: Kernel, settings: Measured, scale: tuple[float, float]) -> DataSheet:
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


class _KernelWorlds(Worlds):
    """Environments of a kernel side by side; see ``Worlds``."""

    def __init__(self, domain: KernelDomain, lanes: Lanes, count: int, device: str) -> None:
        self.lanes, self.failures = count, {}
        self._domain, self._kernel, self._device = domain, lanes, torch.device(device)
        self._every = np.arange(count)
        self._ticks, self._running = np.zeros(count, np.int64), np.zeros(count, bool)
        self._observed = np.zeros((count, domain.observations), np.float32)

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        chosen = np.flatnonzero(which.cpu().numpy())
        if len(chosen):
            self._kernel.begin(chosen)
            self._ticks[chosen], self._running[chosen] = 0, True
            self._observed[chosen] = self._domain.seen(self._kernel.observe(chosen))
        return self._out(self._observed.copy())

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        mask, given = which.cpu().numpy(), actions.cpu().numpy()
        chosen = self._every if mask.all() else np.flatnonzero(mask)
        check_step(self._domain.name, self._domain.actions, given, mask, self._running)
        paid, ended = self._kernel.step(chosen, given[chosen])
        self._ticks[chosen] += 1
        cut = (self._ticks[chosen] >= self._domain.horizon) & ~ended
        self._running[chosen] = ~(ended | cut)
        seen = self._domain.seen(self._kernel.observe(chosen))
        self._observed[chosen] = seen
        paid = (self._domain.kernel.factor * paid).astype(np.float32)
        return Outcome(*(self._out(self._spread(part, chosen)) for part in (paid, ended, cut, seen)))

    def keep(self, lanes: Sequence[int]) -> None:
        order = np.array(list(lanes), np.int64)
        self._kernel.keep(order)
        self._ticks, self._running, self._observed = self._ticks[order], self._running[order], self._observed[order]
        self.lanes = len(order)
        self._every = np.arange(self.lanes)

    def _spread(self, part: Array, chosen: Array) -> Array:
        if len(chosen) == self.lanes:
            return part
        whole: Array = np.zeros((self.lanes, *part.shape[1:]), part.dtype)
        whole[chosen] = part
        return whole

    def _out(self, array: npt.NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._device)


class KernelEnv(gymnasium.Env[Any, np.int64]):
    """One environment of a kernel; an episode is truncated after the settings' number of steps.

    With ``observation="native"`` a single number is ``Discrete``, numbers of two values are ``MultiBinary`` and others
    a ``Box`` of their values; with ``"one-hot"`` the observation is a ``Box`` of 0 and 1. The same seed gives the same
    episodes as the control domain of the same settings.

    Attributes:
        id: as gymnasium.make takes it.
        family: class of the settings.
        kernel_of: from settings to the kernel.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it as a variable)
    id: ClassVar[str]
    family: ClassVar[type[Measured]]
    kernel_of: ClassVar[Callable[[Any], Kernel]]

    def __init__(self, render_mode: str | None = None, observation: str = "native", **arguments: Any) -> None:
        """Make the environment of some settings.

        Raises:
            InputError: an argument that does not exist or is out of range, in one sentence.
        """
        source = get_args(self.family.model_fields["source"].annotation)[0]
        settings = validate(self.family, {"source": source, **arguments}, self.id)
        if render_mode is not None:
            raise InputError(f"render_mode is {render_mode!r}; {type(self).__name__} has nothing to draw, leave it out")
        if observation not in ("native", "one-hot"):
            raise InputError(choice("observation", observation, ("native", "one-hot")))
        self.settings, self.kernel, self.render_mode = settings, type(self).kernel_of(settings), render_mode
        self._native, self._seen = observation == "native", Seen(self.kernel, observation)
        self.action_space = spaces.Discrete(len(self.kernel.actions))
        self.observation_space = self._space()
        self._lanes: Lanes | None = None
        self._ticks, self._running = 0, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; all its randomness comes from the environment's own generator."""
        super().reset(seed=seed)
        if self._lanes is None or seed is not None:
            self._lanes = self.kernel.make([self.np_random])
        self._lanes.begin(_LANE)
        self._ticks, self._running = 0, True
        return self._observe(self._lanes), {}

    def step(self, action: int | np.integer[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step.

        Raises:
            ResetNeeded: no episode is running.
            InputError: an action outside the environment's, in one sentence.
        """
        if self._lanes is None or not self._running:
            raise ResetNeeded(f"no episode of {type(self).__name__} is running: call reset() before step()")
        rewards, ended = self._lanes.step(
            _LANE, np.array([checked_action(type(self).__name__, action, len(self.kernel.actions))])
        )
        self._ticks += 1
        terminated = bool(ended[0])
        truncated = not terminated and self._ticks >= self.settings.steps
        self._running = not (terminated or truncated)
        return self._observe(self._lanes), float(self.kernel.factor * rewards[0]), terminated, truncated, {}

    def _space(self) -> spaces.Space[Any]:
        if self._native and self.kernel.numbers == 1:
            return spaces.Discrete(len(self.kernel.values))
        if self._native and len(self.kernel.values) == 2:
            return spaces.MultiBinary(self.kernel.numbers)
        return spaces.Box(self._seen.low, self._seen.high, (self._seen.width,), np.float32)

    def _observe(self, lanes: Lanes) -> Any:
        places = lanes.observe(_LANE)
        if isinstance(self.observation_space, spaces.Discrete):
            return np.int64(places[0, 0])
        if isinstance(self.observation_space, spaces.MultiBinary):
            return places[0].astype(np.int8)
        return self._seen(places)[0]
