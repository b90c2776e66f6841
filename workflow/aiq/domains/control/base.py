"""What a control domain is, whatever its source: worlds stepped together, what they draw, what is known of them."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import DataSheet
from aiq.domains.control.settings import Control
from aiq.errors import DomainError, InputError, NotKeptError

if TYPE_CHECKING:
    import torch

Numbers = npt.NDArray[np.int64]
Lanes = npt.NDArray[np.bool_]
Foreign = Literal["modulo", "noop", "clamp", "random"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one step of some worlds gave; every tensor has one entry a lane, idle lanes hold zeros.

    Attributes:
        reward: (lanes,) float32, in the units of the domain's return bounds.
        terminated: (lanes,) bool, the episode came to its end.
        truncated: (lanes,) bool, the episode was cut off at its longest length.
        observation: (lanes, observations) float32, after the step and before any restart.
    """

    reward: torch.Tensor
    terminated: torch.Tensor
    truncated: torch.Tensor
    observation: torch.Tensor


class Worlds(ABC):
    """Worlds of one control domain side by side, one a lane; what happens in one depends on no other.

    Each lane draws from a stream of its own, named by its seed: a lane's trajectory is a function of its seed and
    of the actions it was given, whatever the number of lanes and whenever the others are stepped.

    Attributes:
        lanes: number of worlds.
        failures: lane -> one sentence, of worlds that raised; such a lane is never stepped again, its outcomes
            are terminated with reward 0.
        side_by_side: episodes that should run at the same time at most, where a running one holds much memory;
            None: as many as there are lanes.
    """

    lanes: int
    failures: dict[int, str]
    side_by_side: int | None = None

    @abstractmethod
    def reset(self, which: torch.Tensor) -> torch.Tensor:
        """Begin a new episode in the lanes where ``which`` (lanes,) is true.

        Returns:
            The observations of all lanes (lanes, observations), float32.
        """

    @abstractmethod
    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        """Take one step in the lanes where ``which`` (lanes,) is true; the others stay as they are.

        Args:
            actions: (lanes,) int64, in [0, actions of the domain); checked.
            which: (lanes,) bool.

        Raises:
            DomainError: an action outside the domain's, or a step in a lane whose episode is over.
        """

    @abstractmethod
    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order (a stopped policy's world costs nothing any more)."""

    def state(self) -> dict[str, Any]:
        """Return where all worlds are: arrays, words and numbers by name, and mappings of these.

        Raises:
            NotKeptError: these worlds cannot tell it.
        """
        raise NotKeptError(f"{type(self).__name__} cannot tell where its worlds are")

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where worlds of the same domain and seeds were, so that all that follows has the same bits.

        Raises:
            LookupError, TypeError, ValueError: the state is one of other worlds.
        """
        raise NotKeptError(f"{type(self).__name__} cannot go on from a state")

    def close(self) -> None:  # noqa: B027  most worlds hold nothing that has to be given back
        """Give back what the worlds hold outside Python's memory."""


class ControlDomain(ABC):
    """A control problem with discrete actions; its performance is the mean return, put on [0, 1] by its bounds.

    Attributes:
        name: name in the suite.
        observations: numbers in an observation (arrays are flattened, discrete ones one-hot).
        actions: number of actions.
        bounds: smallest and largest return of an episode (declared).
        horizon: largest number of steps of an episode.
        training_reward: what a learner is paid a step: ``own`` (the domain's reward) or ``tick`` (1 for every
            step, as section 3.4.3 trains the baseline).
        foreign: what an action outside the domain's own does in a mixture: ``modulo`` (its number modulo the
            number of actions), ``noop`` (the action numbered ``noop``), ``clamp`` (the domain's last action) or
            ``random`` (one of its own).
        noop: the action that stands for doing nothing, if ``foreign`` is ``noop``.
        sheet: what a person must know of the domain.
        space: words that name the space of observations; domains of one space have them in the same places where a
            suite has twins. Empty: a space of the domain's own.
        order: of a twin, the action of its test that each of its actions is; None: of no twin.
        side_by_side: as its worlds say.
        on_gpu: whether its worlds are computed on the device of the networks, else on the processor.
    """

    side_by_side: int | None = None
    on_gpu: bool = False
    space: tuple[str, ...] = ()
    order: tuple[int, ...] | None = None
    name: str
    observations: int
    actions: int
    bounds: tuple[float, float]
    horizon: int
    training_reward: Literal["own", "tick"]
    foreign: Foreign
    noop: int | None
    sheet: DataSheet

    @abstractmethod
    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> Worlds:
        """Return one world for each seed (integers in [0, 2**63)), not yet reset; observations are float32."""

    @property
    def measured(self) -> ControlDomain:
        """The domain in which a policy is measured: itself, but for one that keeps samples for the test."""
        return self

    def performance(self, total: float) -> float:
        """Return the performance in [0, 1] of a return; returns outside the bounds count as the bound."""
        low, high = self.bounds
        return min(1.0, max(0.0, (total - low) / (high - low)))


class DeclaredDomain(ControlDomain):
    """A control domain whose rewards, foreign actions and name come from its settings."""

    def __init__(
        self,
        name: str,
        settings: Control,
        *,
        observations: int,
        actions: int,
        bounds: tuple[float, float],
        horizon: int,
        sheet: DataSheet,
    ) -> None:
        if not bounds[0] < bounds[1]:
            raise DomainError(
                f"domain {name}: bounds {list(bounds)} must be the smallest and the largest return, the smaller first"
            )
        if settings.idle is not None and settings.idle >= actions:
            raise DomainError(
                f"domain {name}: noop is {settings.idle}; the domain's actions are the integers 0 to {actions - 1}"
            )
        self.name, self.settings, self.space, self.sheet = name, settings, settings.space, sheet
        self.observations, self.actions = observations, actions
        self.bounds, self.horizon, self.training_reward = bounds, horizon, settings.training_reward
        self.foreign, self.noop = settings.foreign_actions, settings.idle


def check_step(name: str, count: int, actions: Numbers, chosen: Lanes, running: Lanes) -> None:
    """Refuse an action outside a domain's, and a step in a lane whose episode is over; all arrays are (lanes,).

    Raises:
        DomainError: an action outside the domain's, or a step in a lane whose episode is over.
    """
    foreign = (actions < 0) | (actions >= count)
    if foreign.any():
        raise DomainError(
            f"domain {name}: action is {actions[foreign][0]}; its actions are the integers 0 to {count - 1}"
        )
    late = np.flatnonzero(chosen & ~running)
    if len(late):
        raise DomainError(f"domain {name}: the episode of lane {late[0]} is over: reset it before a step")


def checked_action(environment: str, action: Any, count: int, allowed: str | None = None) -> int:
    """Return an action of an environment as an integer, or refuse one that is none of 0 to ``count`` - 1."""
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < count:
        allowed = allowed or f"0 to {count - 1}"
        raise InputError(f"action is {action!r}; {environment} has the discrete actions {allowed}")
    return number


# ---- Random numbers of many lanes, drawn ahead so that taking them costs no loop -----------------

_FIRST_BLOCK, _LARGEST_BLOCK = 8, 256

Draw = Callable[[np.random.Generator, int], npt.NDArray[np.float64]]


def streams(seeds: Sequence[int]) -> list[np.random.Generator]:
    """Return the random streams of Gymnasium environments after ``reset(seed=seed)``."""
    return [np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))) for seed in seeds]


def uniform(stream: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    """Draw n numbers from [0, 1), shape (n, 1)."""
    return stream.random((n, 1))


class LaneDraws:
    """The next draw of every lane. The k-th draw of a lane depends on its generator alone, not on when it is taken.

    ``draw`` makes of a generator and n the n next draws, shape (n, width); n and m draws in turn are n + m draws.
    ``arrays`` turns NumPy's arrays into those that ``take`` is given and returns.
    """

    def __init__(self, generators: Sequence[np.random.Generator], draw: Draw, arrays: Callable[[Any], Any]) -> None:
        self._generators, self._draw, self._arrays = list(generators), draw, arrays
        self._lane = arrays(np.arange(len(self._generators)))
        self._next = arrays(np.zeros(len(self._generators), np.int64))
        self._block: Any = None
        self._room = 0

    def take(self, which: Any) -> Any:
        """Return a draw of every lane, (lanes, width); only those where ``which`` (lanes,) is true are used up.

        There is room for a known number of calls before more has to be drawn, so nothing is looked up on the way.
        """
        if self._room == 0:
            self._refill()
        self._room -= 1
        taken = self._block[self._lane, self._next]
        self._next = self._next + which
        return taken

    def keep(self, lanes: Sequence[int], order: Any) -> None:
        """Go on with these lanes; ``order`` holds them as an array."""
        self._generators = [self._generators[lane] for lane in lanes]
        self._next = self._next[order]
        self._lane = self._arrays(np.arange(len(self._generators)))
        if self._block is not None:
            self._block = self._block[order]

    def state(self) -> dict[str, Any]:
        """Return what is drawn and not yet taken, and where every generator is."""
        return {
            "next": np.array(on_host(self._next)),
            "block": None if self._block is None else np.array(on_host(self._block)),
            "room": self._room,
            "generators": {f"{lane:06d}": seeding.state_of(stream) for lane, stream in enumerate(self._generators)},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of as many lanes.

        Raises:
            LookupError, TypeError, ValueError: the state is not one of as many lanes.
        """
        generators = state["generators"]
        if len(generators) != len(self._generators):
            raise ValueError(f"it holds the draws of {len(generators)} lanes, not of {len(self._generators)}")
        self._generators = [seeding.resumed(generators[name]) for name in sorted(generators)]
        self._next = self._arrays(np.array(state["next"], np.int64))
        self._block = None if state["block"] is None else self._arrays(np.array(state["block"]))
        self._room = int(state["room"])

    def _refill(self) -> None:
        """Keep what is unused and draw the rest of a block, lane by lane."""
        old = None if self._block is None else on_host(self._block)
        used = on_host(self._next)
        size = _FIRST_BLOCK if old is None else min(2 * old.shape[1], _LARGEST_BLOCK)
        rows = []
        for lane, generator in enumerate(self._generators):
            left = [] if old is None else [old[lane, used[lane] :]]
            fresh = size - sum(len(part) for part in left)
            rows.append(np.concatenate([*left, self._draw(generator, fresh)]))
        if rows:
            self._block = self._arrays(np.stack(rows))
        self._next = self._arrays(np.zeros(len(rows), np.int64))
        self._room = size


def on_host(array: Any) -> npt.NDArray[Any]:
    """Return an array of NumPy or torch as one of NumPy."""
    host: npt.NDArray[Any] = array if isinstance(array, np.ndarray) else array.cpu().numpy()
    return host
