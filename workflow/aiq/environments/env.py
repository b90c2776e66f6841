"""A measure's environments as a Gymnasium environment: one lane of its kernel."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.domains.actions import checked_action
from aiq.domains.measured.settings import Measured
from aiq.environments.kernel import Kernel, Lanes, Seen
from aiq.errors import InputError

_LANE = np.zeros(1, np.int64)


class KernelEnv(gymnasium.Env[Any, np.int64]):
    """One environment of a kernel; an episode is truncated after the settings' number of steps.

    With ``observation="native"`` a single number is ``Discrete``, numbers of two values are ``MultiBinary`` and others
    a ``Box`` of their values; with ``"one-hot"`` the observation is a ``Box`` of 0 and 1. The same seed gives the same
    episodes as the control domain of the same settings.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it as a variable)

    def __init__(self, settings: Measured, kernel: Kernel, render_mode: str | None = None) -> None:
        if render_mode is not None:
            raise InputError(f"render_mode is {render_mode!r}; {type(self).__name__} has nothing to draw, leave it out")
        self.settings, self.kernel, self.render_mode = settings, kernel, render_mode
        self._native = settings.observation == "native"
        self._seen = Seen(kernel, settings.observation)
        self.action_space = spaces.Discrete(len(kernel.actions))
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

    @property
    def lanes(self) -> Lanes:
        """The environment itself, as its measure steps it.

        Raises:
            ResetNeeded: no episode has begun.
        """
        if self._lanes is None:
            raise ResetNeeded(f"no episode of {type(self).__name__} has begun: call reset()")
        return self._lanes

    def _space(self) -> spaces.Space[Any]:
        if self._native and self.kernel.numbers == 1:
            return spaces.Discrete(len(self.kernel.values))
        if self._native and len(self.kernel.values) == 2:
            return spaces.MultiBinary(self.kernel.numbers)
        return spaces.Box(self._seen.low, self._seen.high, (self._seen.width,), np.float32)

    def _observe(self, lanes: Lanes) -> Any:
        """Return the observation as its space has it."""
        places = lanes.observe(_LANE)
        if isinstance(self.observation_space, spaces.Discrete):
            return np.int64(places[0, 0])
        if isinstance(self.observation_space, spaces.MultiBinary):
            return places[0].astype(np.int8)
        return self._seen(places)[0]
