"""Worlds that can only be stepped one after the other, one simulator a lane in this process; those of Gymnasium."""

from __future__ import annotations

import math
import zlib
from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding
from aiq.domains.control.base import ControlDomain, DeclaredDomain, Outcome, Worlds, check_step
from aiq.domains.control.gymnasium_family import look, make
from aiq.errors import DomainError

if TYPE_CHECKING:
    from aiq.domains.control.gymnasium_family import Gymnasium

Observed = npt.NDArray[np.floating[Any]]

RESET = -1
"""Stands among the actions of a lane's history for the beginning of an episode."""


class Lane(ABC):
    """One simulator with a random stream of its own."""

    @abstractmethod
    def reset(self) -> Observed:
        """Begin the next episode; return the observation, shape (observations,)."""

    @abstractmethod
    def step(self, action: int) -> tuple[Observed, float, bool, bool]:
        """Return observation, reward, terminated and truncated."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the simulator holds."""

    def stream(self) -> str | None:
        """Return where the random stream is, if the next episode hangs on nothing else; None if it may."""
        return None

    @abstractmethod
    def rewind(self, stream: str | None) -> None:
        """Be as before an episode that begins at a place of the stream; None: as before the first one."""


class LaneWorlds(Worlds):
    """One simulator a lane, not reset yet. One that raises, or gives numbers that are not finite, fails alone.

    Where a simulator is cannot be read out of it. It is told by what brought it there: its random stream at the
    beginning of the episode and the actions since. Where an episode may hang on more than the stream, it is told
    by all actions since the simulator was made. A sum of all observations shows whether a simulator that is taken
    there again saw the same.
    """

    def __init__(self, domain: ControlDomain, lanes: Sequence[Lane], device: str) -> None:
        self.lanes, self.failures, self.side_by_side = len(lanes), {}, domain.side_by_side
        self._name, self._simulators, self._actions = domain.name, list(lanes), domain.actions
        self._device = torch.device(device)
        self._observed = np.zeros((self.lanes, domain.observations), np.float32)
        self._running = np.zeros(self.lanes, bool)
        self._history = [_History() for _ in lanes]

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        """Begin a new episode in the lanes where ``which`` is true; return all observations, float32."""
        chosen = np.flatnonzero(which.cpu().numpy()).tolist()
        for lane in chosen:
            if lane in self.failures:
                continue
            try:
                self._history[lane].begin(self._simulators[lane].stream())
                self._observed[lane] = self._simulators[lane].reset()
                self._history[lane].saw(self._observed[lane])
            except DomainError:  # no room for another world: nothing that one trial should be blamed for
                raise
            except Exception as error:
                self._fail(lane, f"raised {_told(error)} at a reset")
        self._running[chosen] = True
        self._check_finite(chosen)
        return self._to_device(self._observed.copy())

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        """Take one step in the lanes where ``which`` is true."""
        given, chosen = actions.cpu().numpy(), which.cpu().numpy()
        stepped: list[int] = np.flatnonzero(chosen).tolist()
        check_step(self._name, self._actions, given, chosen, self._running)
        reward = np.zeros(self.lanes, np.float32)
        ends = np.zeros((2, self.lanes), bool)
        for lane, action in zip(stepped, given[chosen].tolist(), strict=True):
            if lane not in self.failures:
                try:
                    self._observed[lane], reward[lane], ends[0, lane], ends[1, lane] = self._simulators[lane].step(
                        action
                    )
                    self._history[lane].actions.append(action)
                    self._history[lane].saw(self._observed[lane])
                except Exception as error:
                    self._fail(lane, f"raised {_told(error)} at action {action}")
                if not math.isfinite(reward[lane]):
                    self._fail(lane, f"paid {reward[lane]} at action {action}, which is not finite")
        self._check_finite(stepped)
        for lane in self.failures:
            reward[lane], ends[0, lane], ends[1, lane] = 0.0, chosen[lane], False
        self._running[stepped] = ~(ends[0] | ends[1])[stepped]
        observed = self._observed.copy() if len(stepped) == self.lanes else self._observed * chosen[:, None]
        return Outcome(*(self._to_device(part) for part in (reward, ends[0], ends[1], observed)))

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order; the other simulators are closed."""
        order = list(lanes)
        for lane in sorted(set(range(self.lanes)) - set(order)):
            self._simulators[lane].close()
        self._simulators = [self._simulators[lane] for lane in order]
        self._observed, self._running = self._observed[order], self._running[order]
        self._history = [self._history[lane] for lane in order]
        self.failures = {new: self.failures[old] for new, old in enumerate(order) if old in self.failures}
        self.lanes = len(order)

    def close(self) -> None:
        """Close every simulator."""
        for simulator in self._simulators:
            simulator.close()

    def state(self) -> dict[str, Any]:
        """Return what brought every simulator to where it is; between episodes the place of its stream is enough."""
        lanes = {}
        for lane, (history, simulator) in enumerate(zip(self._history, self._simulators, strict=True)):
            between = None if self._running[lane] or lane in self.failures else simulator.stream()
            short = history if between is None else _History(between)
            actions = np.array(short.actions, np.int32)
            lanes[f"{lane:06d}"] = {"since": short.since, "actions": actions, "sum": short.sum}
        return {
            "lanes": lanes,
            "observed": self._observed.copy(),
            "running": self._running.copy(),
            "failures": {str(lane): sentence for lane, sentence in self.failures.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take every simulator to where it was."""
        if len(state["lanes"]) != self.lanes:
            raise ValueError(f"it holds {len(state['lanes'])} lanes, not {self.lanes}")
        self.failures = {int(lane): str(sentence) for lane, sentence in state["failures"].items()}
        for lane, simulator in enumerate(self._simulators):
            record = state["lanes"][f"{lane:06d}"]
            self._history[lane] = _History(record["since"], array("i", record["actions"].tolist()), int(record["sum"]))
            if lane not in self.failures and self._again(lane, simulator) != int(record["sum"]):
                raise ValueError(f"a world of {self._name} did not take the same course again")
        self._observed = np.array(state["observed"], np.float32)
        self._running = np.array(state["running"], bool)

    def _again(self, lane: int, simulator: Lane) -> int:
        try:
            return self._history[lane].again(simulator)
        except DomainError:  # no room for another world
            raise
        except Exception as error:
            raise ValueError(f"a world of {self._name} raised {_told(error)} when it was to take its course") from error

    def _check_finite(self, lanes: list[int]) -> None:
        if not np.isfinite(self._observed).all():
            for lane in lanes:
                if not np.isfinite(self._observed[lane]).all():
                    self._fail(lane, "gave an observation that is not finite")

    def _fail(self, lane: int, what: str) -> None:
        """Note a failure; the lane shows zeros from now on."""
        self._observed[lane] = 0.0
        self.failures[lane] = f"domain {self._name}: the environment of lane {lane} {what}"

    def _to_device(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._device)


class _History:
    """What brought a simulator to where it is.

    Attributes:
        since: place of the random stream at the beginning; None: the simulator had just been made.
        actions: since then, with ``RESET`` for the beginning of an episode.
        sum: CRC-32 of all observations since then, float32.
    """

    def __init__(self, since: str | None = None, actions: array[int] | None = None, total: int = 0) -> None:
        self.since, self.sum = since, total
        self.actions = array("i") if actions is None else actions

    def begin(self, stream: str | None) -> None:
        if stream is not None:
            self.since, self.sum = stream, 0
            self.actions = array("i")
        self.actions.append(RESET)

    def saw(self, observation: npt.NDArray[np.float32]) -> None:
        self.sum = zlib.crc32(observation.tobytes(), self.sum)

    def again(self, simulator: Lane) -> int:
        """Take a simulator there again and return the sum of what it saw."""
        simulator.rewind(self.since)
        total = 0
        for action in self.actions:
            observed = simulator.reset() if action == RESET else simulator.step(action)[0]
            total = zlib.crc32(np.asarray(observed, np.float32).tobytes(), total)
        return total


def _told(error: Exception) -> str:
    """Return an exception as part of a sentence, on one line."""
    message = " ".join(str(error).split())
    return type(error).__name__ + (f" ({message})" if message else "")


# ---- Environments of Gymnasium -------------------------------------------------------------------


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
