"""Random numbers of many lanes, each from its own stream, drawn ahead so that taking them costs no loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding

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
