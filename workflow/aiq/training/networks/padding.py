"""Where dense networks of unequal depths and widths lie in common tensors, and which of them train together.

Networks are sorted by depth, deepest first, and their hidden layers are aligned at the outputs: *level* 1 is the last
hidden layer of every network that has one, level 2 the one before it. At each level the networks are a prefix of the
sorted ones, padded with zeros to the level's widest. A network's own first layer comes out of the one product that
all first layers share, as contiguous rows without padding, and enters at the level of its depth.

On a CPU the populations of a chunk train one after the other. Few large ones pad more and outgrow the cache, many small
ones spend their time on calls: the sorted networks are cut where an estimate of the time of one step is least. It is of
the right order on current processors; what follows from it is only the speed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import torch

from aiq.records.trial import Architecture
from aiq.training.networks.flat import Shape, Weights

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


@dataclass(frozen=True, slots=True)
class Level:
    """One hidden layer of the first ``count`` networks, padded to ``width`` nodes.

    Of those, the first ``above`` come from the level above, the others enter here: ``rows`` are theirs in the first
    product, ``spread`` gathers these into the padded place (a row of zeros stands for every padded node), ``collect``
    gathers them back. Both are None where none enters here, or all do and none is padded.
    """

    count: int
    above: int
    width: int
    rows: slice
    spread: torch.Tensor | None
    collect: torch.Tensor | None


class Padding:
    """The places of some networks.

    Attributes:
        levels: hidden layers from the outputs backwards.
        slots: each network's place among the sorted ones.
        hidden: rows of the first product that are hidden nodes.
        outside: networks without hidden layer; they are the last of the sorted ones.
        rows: all rows: the hidden ones, one of zeros if a level is padded, the outputs of those outside.
        shapes: of the tensors: weight and bias of the first product, then of the layer after each level.
    """

    def __init__(self, architectures: Sequence[Architecture], features: int, outputs: int, device: torch.device):
        self._architectures, self._outputs = tuple(architectures), outputs
        self._sorted = by_depth(architectures)
        self.slots = [0] * len(architectures)
        for slot, member in enumerate(self._sorted):
            self.slots[member] = slot
        self._widths = [architectures[member].widths for member in self._sorted]
        self.hidden = sum(sum(widths[:1]) for widths in self._widths)
        self.levels = self._levels(device)
        padded = any(level.spread is not None for level in self.levels)
        self.outside = self._widths.count(())
        self.rows = self.hidden + padded + outputs * self.outside
        self._starts = list(itertools.accumulate((sum(w[:1]) or outputs for w in self._widths), initial=0))
        self._starts = [start + (padded if start >= self.hidden else 0) for start in self._starts]
        self.shapes: list[Shape] = [(self.rows, features), (self.rows, 1)]
        after = outputs
        for level in self.levels:
            self.shapes += [(level.count, after, level.width), (level.count, after, 1)]
            after = level.width

    def _levels(self, device: torch.device) -> tuple[Level, ...]:
        deepest = max(len(widths) for widths in self._widths)
        counts = [sum(len(widths) >= depth for widths in self._widths) for depth in range(1, deepest + 2)]
        first = [sum(widths[:1]) for widths in self._widths]
        levels = []
        for depth, (count, above) in enumerate(itertools.pairwise(counts), start=1):
            width = max(widths[-depth] for widths in self._widths[:count])
            start = sum(first[:above])
            rows = slice(start, start + sum(first[above:count]))
            if above == count or (above == 0 and set(first[:count]) == {width}):
                levels.append(Level(count, above, width, rows, None, None))
                continue
            places = []
            for own in first[above:count]:
                places += [*range(start, start + own), *(self.hidden,) * (width - own)]
                start += own
            own_places = [place for place, row in enumerate(places) if row != self.hidden]
            index, back = (torch.tensor(nodes, dtype=torch.int64, device=device) for nodes in (places, own_places))
            levels.append(Level(count, above, width, rows, index, back))
        return tuple(levels)

    def member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        """Return one network's tensors as views into tensors of ``shapes``, in the order of initial weights."""
        slot, nodes = self.slots[index], (*self._architectures[index].widths, self._outputs)
        rows = slice(self._starts[slot], self._starts[slot] + nodes[0])
        tensors = [views[0][rows], views[1][rows, 0]]
        for place, (before, after) in enumerate(itertools.pairwise(nodes)):
            level = 2 * (len(nodes) - 1 - place)
            tensors += [views[level][slot, :after, :before], views[level + 1][slot, :after, 0]]
        return tensors


def by_depth(architectures: Sequence[Architecture]) -> list[int]:
    """Return positions sorted by depth, deepest first, then by widths, widest first, then by position."""
    return sorted(
        range(len(architectures)),
        key=lambda i: (-len(architectures[i].widths), -sum(architectures[i].widths), architectures[i].widths, i),
    )


@lru_cache(maxsize=32)  # a job's chunks are often alike
def portions(
    architectures: tuple[Architecture, ...], features: int, outputs: int, batch: int
) -> tuple[tuple[int, ...], ...]:
    """Divide a chunk of dense architectures into populations of similar ones, deepest first: positions, each once."""
    order = by_depth(architectures)
    best, cuts = [0.0], [0]
    for last in range(1, len(order) + 1):
        least, cut = inf, last - 1
        segment = _Segment(features, outputs, batch)
        for first in range(last - 1, -1, -1):
            segment.add(architectures[order[first]].widths)
            cost = segment.cost()
            if best[first] + cost < least:
                least, cut = best[first] + cost, first
            if cost > least:
                break
        best.append(least)
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
