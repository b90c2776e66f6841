"""A labelled domain as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.domains.control.answered import Answered, Samples
from aiq.domains.control.base import checked_action
from aiq.domains.registry import load
from aiq.errors import InputError
from aiq.settings import validate

Seen = npt.NDArray[np.float32]


class AnsweredEnv(gymnasium.Env[Seen, np.int64]):
    r"""A labelled data set, played: a contextual bandit.

    ## Description

    Every step shows a sample, drawn from all samples of the split. The action is the answer.

    ## Action Space

    `Discrete(classes)`: the classes that occur in the training split, in rising order.

    ## Observation Space

    `Box` of the sample as a vector: pictures flattened, grey levels 0 to 1; numbers of tables as the domain has them.

    ## Rewards

    1 for the right class, else 0.

    ## Episode End

    Truncation: after `steps` samples.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `data` | dict | | the labelled domain, such as `{"source": "sklearn", "name": "digits"}` |
    | `steps` | int | `50` | samples of an episode |
    | `split` | str | `"train"` | `train` or `test` |
    | `data_root` | str, None | `None` | folder where data sets lie; `None` stands for `data` |
    | `root` | int | `0` | root seed of splits that are drawn |

    ## Version History

    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium declares it as a variable)

    def __init__(
        self,
        data: Mapping[str, Any],
        steps: int = 50,
        split: Literal["train", "test"] = "train",
        data_root: str | None = None,
        root: int = 0,
        render_mode: str | None = None,
    ) -> None:
        """Read the labelled domain.

        Raises:
            InputError: an argument that does not exist or is out of range, or data that are missing, in one sentence.
        """
        if render_mode is not None:
            raise InputError(f"render_mode is {render_mode!r}; samples are not drawn as pictures here, leave it out")
        if split not in ("train", "test"):
            raise InputError(f"split is {split!r}; allowed are train, test")
        settings = validate(Answered, {"source": "answered", "data": dict(data), "steps": steps}, "aiq/Answered-v0")
        whole = load("answered", settings.labelled, root_seed=root, data_root=data_root)
        self.render_mode, self.settings, self.samples = render_mode, settings, Samples.of(whole, split)
        low, high = float(self.samples.observations.min()), float(self.samples.observations.max())
        self.action_space = spaces.Discrete(len(whole.classes))
        self.observation_space = spaces.Box(low, high, self.samples.observations.shape[1:], np.float32)
        self._place, self._ticks, self._running = 0, 0, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode with a sample drawn by the environment's own generator."""
        super().reset(seed=seed)
        self._ticks, self._running = 0, True
        return self._next(), {}

    def step(self, action: int | np.integer[Any]) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Pay the answer and show the next sample.

        Raises:
            ResetNeeded: no episode is running.
            InputError: an action outside the environment's, in one sentence.
        """
        if not self._running:
            raise ResetNeeded("no episode of AnsweredEnv is running: call reset() before step()")
        given = checked_action("AnsweredEnv", action, int(self.action_space.n))  # type: ignore[attr-defined]
        reward = float(given == self.samples.answer[self._place])
        self._ticks += 1
        self._running = self._ticks < self.settings.steps
        return self._next(), reward, False, not self._running, {}

    def _next(self) -> Seen:
        self._place = int(self.samples.drawn(self.np_random.random(1))[0])
        observation: Seen = self.samples.observations[self._place].copy()
        return observation
