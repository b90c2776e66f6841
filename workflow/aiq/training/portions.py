"""Which dense networks of a chunk train in one population on a CPU; its populations train one after the other.

Few large populations pad more and outgrow the cache (weights, gradients and an optimiser's moments are all passed
over in every step), many small ones spend their time on calls. The networks, sorted by depth and width, are cut where
an estimate of the time of one step is least. The estimate is of the right order on current processors; what follows
from it is only the speed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from math import inf

from aiq.records.trial import Architecture
from aiq.training.networks.padding import by_depth

CALLS = (40.0, 45.0)
"""Microseconds of calls a step: of any population, and for each hidden layer of its deepest network."""

UPPER = 60_000
"""Floating-point operations a microsecond of the products above first layers."""


FIRST = 190_000
"""Floating-point operations a microsecond of the products of first layers."""

PARAMETER, OUTSIDE = 0.0004, 0.0004
"""Microseconds that the update of one parameter takes, and more where there are twice as many as stay in the cache."""

CACHE = 250_000
"""Parameters whose buffers stay in the cache."""


def portions(architectures: Sequence[Architecture], features: int, outputs: int, batch: int) -> list[list[int]]:
    """Divide a chunk into populations of similar networks, deepest first.

    Args:
        architectures: of the dense family.
        features: columns of the samples.
        outputs: number of classes.
        batch: samples a step.

    Returns:
        Positions in the chunk, each once.
    """
    return [list(part) for part in _divided(tuple(architectures), features, outputs, batch)]


@lru_cache(maxsize=32)
def _divided(
    architectures: tuple[Architecture, ...], features: int, outputs: int, batch: int
) -> tuple[tuple[int, ...], ...]:
    """Return the populations; a job's chunks are often alike."""
    order = by_depth(architectures)
    best, cuts = [0.0], [0]
    for last in range(1, len(order) + 1):
        found, cut = inf, last - 1
        segment = _Segment(features, outputs, batch)
        for first in range(last - 1, -1, -1):
            segment.add(architectures[order[first]].widths)
            cost = segment.cost()
            if best[first] + cost < found:
                found, cut = best[first] + cost, first
            if cost > found:
                break
        best.append(found)
        cuts.append(cut)
    result: list[tuple[int, ...]] = []
    last = len(order)
    while last:
        result.insert(0, tuple(order[cuts[last] : last]))
        last = cuts[last]
    return tuple(result)


class _Segment:
    """A population under consideration; networks are added in the order of depth, the deepest last."""

    def __init__(self, features: int, outputs: int, batch: int) -> None:
        self._features, self._outputs, self._batch = features, outputs, batch
        self._rows = 0
        self._counts: list[int] = []
        self._widest: list[int] = []

    def add(self, widths: tuple[int, ...]) -> None:
        """Take in a network that is at least as deep as those before."""
        self._rows += widths[0] if widths else self._outputs
        for level, width in enumerate(reversed(widths)):
            if level == len(self._counts):
                self._counts.append(0)
                self._widest.append(0)
            self._counts[level] += 1
            self._widest[level] = max(self._widest[level], width)

    def cost(self) -> float:
        """Return the estimated microseconds of a step."""
        nodes = itertools.pairwise((self._outputs, *self._widest))
        upper = sum(count * after * before for count, (after, before) in zip(self._counts, nodes, strict=True))
        parameters = self._rows * self._features + upper
        return (
            CALLS[0]
            + CALLS[1] * len(self._counts)
            + 4 * self._rows * self._features * self._batch / FIRST
            + 6 * upper * self._batch / UPPER
            + parameters * (PARAMETER + OUTSIDE * min(3.0, max(0.0, parameters / CACHE - 1)))
        )
