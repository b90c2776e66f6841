"""Any Gymnasium environment with discrete actions as a control domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aiq import seeding
from aiq.domains.control.base import DeclaredDomain
from aiq.domains.control.gymnasium_spaces import look, make
from aiq.domains.control.lane_worlds import Lane, LaneWorlds, Observed

if TYPE_CHECKING:
    from aiq.domains.control.gymnasium_family import Gymnasium


class GymnasiumDomain(DeclaredDomain):
    """A Gymnasium environment: observations flattened, discrete ones one-hot, then scaled if asked for."""

    settings: Gymnasium

    def __init__(self, name: str, settings: Gymnasium) -> None:
        """Make the environment once to see its spaces; ``look`` says what is refused."""
        self.kind = kind = look(name, settings)
        super().__init__(
            name,
            settings,
            observations=kind.observations,
            actions=kind.actions,
            bounds=settings.bounds,
            horizon=kind.horizon,
            sheet=kind.sheet,
        )

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> LaneWorlds:
        """Return one environment for each seed."""
        return LaneWorlds(self, [_GymnasiumLane(self, seed) for seed in seeds], device)


SELF_CONTAINED = (
    "gymnasium.envs.classic_control.",
    "gymnasium.envs.toy_text.",
    "aiq.wings.",
)
"""Modules of environments whose episodes hang on nothing but their random stream and the actions."""


class _GymnasiumLane(Lane):
    """One environment; its first reset is seeded, the later ones go on with the same stream."""

    def __init__(self, domain: GymnasiumDomain, seed: int) -> None:
        self._domain, self._flatten, self._first_action = domain, domain.kind.flatten, domain.kind.first_action
        self._environment = make(domain.name, domain.settings)
        self._first_seed = seed
        self._seed: int | None = seed
        self._contained = type(self._environment.unwrapped).__module__.startswith(SELF_CONTAINED)

    def reset(self) -> Observed:
        observation, _ = self._environment.reset(seed=self._seed)
        self._seed = None
        return self._flatten(observation)

    def step(self, action: int) -> tuple[Observed, float, bool, bool]:
        observation, reward, terminated, truncated, _ = self._environment.step(self._first_action + action)
        return self._flatten(observation), float(reward), bool(terminated), bool(truncated)

    def stream(self) -> str | None:
        """Return where the environment's stream is; None before the first episode, or where more may matter."""
        if self._seed is not None or not self._contained:
            return None
        return seeding.state_of(self._environment.unwrapped.np_random)

    def rewind(self, stream: str | None) -> None:
        """Be as before an episode that begins at a place of the stream, or be made anew."""
        if stream is None:
            self._environment.close()
            self._environment = make(self._domain.name, self._domain.settings)
            self._seed = self._first_seed
        else:
            self._environment.unwrapped.np_random = seeding.resumed(stream)
            self._seed = None

    def close(self) -> None:
        self._environment.close()
