"""The replicates of a space and of agents' performances, paired step by step, each in its own number of dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.records.space import Space, SpaceBootstrap

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Steps that keep k dimensions: places of the tests (b, n, k), performances of the agents (b, A, n)."""

    points: Floats
    performance: Floats

    def single(self) -> Iterator[Draw]:
        """Yield the steps one by one."""
        for b in range(len(self.points)):
            yield Draw(self.points[b : b + 1], self.performance[b : b + 1])


def draws(space: Space, performance: Floats, resampled: Floats | None, count: int) -> tuple[Draw, ...]:
    """Return about ``count`` replicates, evenly taken from those that exist; none where nothing was resampled.

    Args:
        space: the space, with or without replicates.
        performance: means, (A, n).
        resampled: replicates of the performances, (B, A, n), or None.
        count: how many steps are wanted.
    """
    boot = _boot(space)
    sizes = [len(part) for part in (None if boot is None else boot.coordinates, resampled) if part is not None]
    if not sizes:
        return ()
    steps = _steps(min(sizes), count)
    shown = np.broadcast_to(performance, (steps.size, *performance.shape)) if resampled is None else resampled[steps]
    if boot is None:
        places = np.broadcast_to(space.coordinates, (steps.size, *space.coordinates.shape))
        return (Draw(places, shown),)
    numbers = np.full(len(boot.coordinates), space.dimensions) if boot.numbers is None else boot.numbers
    found = []
    for k in np.unique(numbers[steps]).astype(int):
        turned = boot.within(int(k))
        own = numbers[steps] == k
        if turned is not None:
            found.append(Draw(turned[steps[own]], shown[own]))
    return tuple(found)


def within(space: Space, count: int) -> Floats:
    """Return places of the tests in about ``count`` replicates, all in the estimate's number of dimensions, (B, n, d).

    B is 0 where the space has no replicates.
    """
    boot = _boot(space)
    return (
        np.empty((0, *space.coordinates.shape))
        if boot is None
        else boot.coordinates[_steps(len(boot.coordinates), count)]
    )


def _boot(space: Space) -> SpaceBootstrap | None:
    """Return the replicates of a space; None where there are none."""
    return space.bootstrap if space.bootstrap is not None and len(space.bootstrap.coordinates) else None


def _steps(size: int, count: int) -> npt.NDArray[np.int64]:
    """Return about ``count`` places in a series, evenly spread over it."""
    return np.unique(np.linspace(0, size - 1, min(count, size)).astype(np.int64))
