"""Many dense networks computed together: outputs, loss and gradients by hand, one update for all.

Everything is laid out (features, samples), so that a network's nodes are contiguous rows. Networks of unequal depths
and widths lie in common tensors: they are sorted by depth, deepest first, and their hidden layers are aligned at the
outputs. *Level* 1 is the last hidden layer of every network that has one, level 2 the one before it. At each level the
networks are a prefix of the sorted ones, padded with zeros to the level's widest; the layers above the first are
batched products over these. A padded node has weights 0 and bias 0, is 0 after ReLU, passes no gradient and gets none.
A network's own first layer comes out of the one product that all first layers share, as contiguous rows without
padding, and enters at the level of its depth.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from aiq.records.trial import Architecture
from aiq.training.flat import Classifiers, Flat, Shape, Weights, counts, preferred, times_transposed

_through_relu = torch.ops.aten.threshold_backward
_of_log_softmax = torch.ops.aten._log_softmax_backward_data.default


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


class DenseNets(Classifiers):
    """Dense networks of any depths and widths on one batch of samples, or each on a batch of its own.

    Shared samples are x (batch, features), y (batch,); others have a leading axis of networks. The first layer's
    weights may hold fewer columns than a sample has features, if the samples given later are reduced likewise.
    """

    def __init__(self, architectures: Sequence[Architecture], weights: Sequence[Weights], *, shared: bool) -> None:
        super().__init__(architectures, shared=shared)
        sample = weights[0][0]
        self._outputs = len(weights[0][-1])
        self._padding = Padding(architectures, sample.shape[1], self._outputs, sample.device)
        self.flat = Flat(self._padding.shapes, sample.device, sample.dtype)
        self.put(self.flat.values, weights)
        self._values = self.flat.views(self.flat.values)
        self._slots = torch.tensor(self._padding.slots, device=sample.device)
        self._work: dict[int, Work] = {}

    @cached_property
    def _gradients(self) -> Weights:
        """The gradients of the layout's tensors; the first one may lie elsewhere."""
        return self.flat.views(self.flat.gradients)

    def _member(self, views: Sequence[torch.Tensor], index: int) -> Weights:
        return self._padding.member(views, index)

    def losses(self) -> torch.Tensor:
        """Return each network's loss summed over samples; see ``Classifiers``."""
        total = torch.zeros(len(self.architectures), device=self._slots.device, dtype=torch.float64)
        for work in self._work.values():
            total += work.losses.sum(dim=(1, 2), dtype=torch.float64) * work.batch
            work.losses.zero_()
        return total[self._slots]

    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return for each network how many samples have their largest logit at the label; see ``Classifiers``."""
        work = self._workspace(x.shape[-2], keep=False)
        self._forward(x, work)
        return counts(work.logits, self._own(y), own)[..., self._slots]

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch, for every network."""
        self.differentiate(x, y)
        self.flat.update(self._gradients[0])

    def partial_step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take a step on batches of which every network has a sample at least; one labelled -1 is none."""
        missing = y < 0
        size = (~missing).sum(1).to(self.flat.values.dtype)
        self.differentiate(x, y.masked_fill(missing, self._outputs), (y.shape[1] / size)[:, None, None])
        self.flat.update(self._gradients[0])

    def differentiate(self, x: torch.Tensor, y: torch.Tensor, scale: torch.Tensor | None = None) -> None:
        """Compute the gradients of the mean cross-entropy of a batch and add the losses to the sums.

        A label that is the number of outputs stands for no sample; ``scale`` (networks, 1, 1) is the batch's length
        over the number of samples that each network has in it.
        """
        work = self._workspace(x.shape[-2], keep=True)
        self._forward(x, work)
        self._backward(x, self._lose(y, work, scale), work)

    def _own(self, y: torch.Tensor) -> torch.Tensor:
        """Return labels as (1 or networks, batch); networks of one architecture lie in the order given."""
        return y[None] if self._shared else y

    def _workspace(self, batch: int, keep: bool) -> Work:
        work = self._work.get(batch)
        if work is None:
            work = Work(self._padding, len(self.architectures), self._outputs, batch, self.flat.values, back=keep)
            if keep:
                self._work[batch] = work
        return work

    def _first(self, x: torch.Tensor, work: Work) -> torch.Tensor:
        """Return the first layers' results (rows, batch), before ReLU."""
        weight, bias = self._values[:2]
        if not self._shared:
            shape = self._first_shape
            torch.baddbmm(bias.view(shape), weight.view(shape), x.transpose(1, 2), out=work.rows.view(shape))
            return work.rows
        if preferred(weight, work.batch):
            return times_transposed(weight, x).add_(bias)
        return torch.addmm(bias, weight, x.t(), out=work.rows)

    @property
    def _first_shape(self) -> tuple[int, ...]:
        """The first layers' rows as one matrix, or as one matrix per network where each has samples of its own."""
        count = len(self.architectures)
        return (self._padding.rows, -1) if self._shared else (count, self._padding.rows // count, -1)

    def _forward(self, x: torch.Tensor, work: Work) -> None:
        work.first = rows = self._first(x, work)
        rows[: self._padding.hidden].relu_()
        if self._padding.outside:
            work.outside.copy_(rows[self._padding.rows - self._padding.outside * self._outputs :].view_as(work.outside))
        for number in reversed(range(len(self._padding.levels))):
            level, under = self._padding.levels[number], work.under[number]
            if level.spread is not None:
                torch.index_select(rows, 0, level.spread, out=work.entering[number])
            elif not level.above:
                work.active[number] = rows[level.rows].view(level.count, level.width, -1)
            weight, bias = self._values[2 * number + 2 : 2 * number + 4]
            torch.baddbmm(bias, weight, work.active[number], out=under)
            if number:
                under.relu_()

    def _lose(self, y: torch.Tensor, work: Work, scale: torch.Tensor | None) -> torch.Tensor:
        """Add the losses to the sums and return the gradients of the logits."""
        labels = self._own(y)
        hot = work.target.index_select(1, labels.flatten()).view(self._outputs, *labels.shape).transpose(0, 1)
        logarithms = torch.log_softmax(work.logits, dim=1)
        work.losses.addcmul_(logarithms, hot)
        if scale is not None:
            hot = hot * scale
        return _of_log_softmax(hot.expand_as(logarithms), logarithms, 1, logarithms.dtype)

    def _backward(self, x: torch.Tensor, slope: torch.Tensor, work: Work) -> None:
        rows, first = work.slope_rows, self._padding.rows - self._padding.outside * self._outputs
        if self._padding.outside:
            rows[first:] = slope[len(slope) - self._padding.outside :].reshape(-1, work.batch)
        for number, level in enumerate(self._padding.levels):
            slope, active, below = slope[: level.count], work.active[number], work.slopes[number]
            of_weight, of_bias = self._gradients[2 * number + 2 : 2 * number + 4]
            torch.bmm(slope, active.transpose(1, 2), out=of_weight)
            torch.sum(slope, 2, keepdim=True, out=of_bias)
            torch.bmm(self._values[2 * number + 2].transpose(1, 2), slope, out=below)
            if level.collect is not None:
                torch.index_select(work.slopes_entering[number], 0, level.collect, out=rows[level.rows])
            if level.above:
                slope = _through_relu.default(below[: level.above], active[: level.above], 0)
        if self._padding.outside:
            hidden = rows[: self._padding.hidden]
            _through_relu.grad_input(hidden, work.first[: self._padding.hidden], 0, grad_input=hidden)
        else:
            rows = _through_relu.default(rows, work.first, 0)
        self._backward_first(x, rows)

    def _backward_first(self, x: torch.Tensor, rows: torch.Tensor) -> None:
        torch.sum(rows, 1, keepdim=True, out=self._gradients[1])
        shape = self._first_shape
        if self._shared and preferred(self._values[0], len(x)):
            self._gradients[0] = times_transposed(rows, x.t())
            return
        weight = self._gradients[0] = self.flat.views(self.flat.gradients)[0]
        if self._shared:
            torch.mm(rows, x, out=weight)
        else:
            torch.bmm(rows.view(shape), x, out=weight.view(shape))


class DenseRegression(DenseNets):
    """Dense networks of one output each that learn numbers by mean squared error."""

    numeric = True

    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return for each network the squared error summed over the samples (float64)."""
        work = self._workspace(x.shape[-2], keep=False)
        self._forward(x, work)
        return (work.logits[:, 0] - self._own(y)).double().square().sum(1)[self._slots]

    def _lose(self, y: torch.Tensor, work: Work, scale: torch.Tensor | None) -> torch.Tensor:
        """Add the losses to the sums and return the gradients of the outputs."""
        error = work.logits - self._own(y).to(work.logits.dtype)[:, None]
        work.losses.addcmul_(error, error, value=1 / work.batch)
        return error.mul_(2 / work.batch)


class Work:
    """Buffers of one batch size, with the views of them that a step needs.

    Attributes:
        first: results of the first layers after ReLU, those of the last step (``rows``, or a tensor made by a
            product).
        logits: (slots, outputs, batch); ``outside`` are those of networks without hidden layer.
        active: activations of each level (count, width, batch); ``entering`` is the part that comes from the first
            layers, ``under`` what the next layer makes of a level: the level below, or logits.
        slopes: gradients of ``active`` before ReLU is passed; ``slopes_entering`` as ``entering``.
        target: (outputs, outputs + 1): columns of the one-hot labels, times -1/batch, and one of zeros.
        losses: sums over steps of log-probabilities times targets (slots, outputs, batch).

    Without the way back there are no gradients (``slopes``, ``slope_rows``), targets and losses.
    """

    def __init__(
        self, padding: Padding, count: int, outputs: int, batch: int, like: torch.Tensor, *, back: bool
    ) -> None:
        self.batch = batch
        padded = padding.rows > padding.hidden + outputs * padding.outside
        self.rows = like.new_zeros(padding.rows, batch) if padded else like.new_empty(padding.rows, batch)
        self.first = self.rows
        self.logits = like.new_empty(count, outputs, batch)
        self.outside = self.logits[count - padding.outside :]
        self.active = [like.new_empty(level.count, level.width, batch) for level in padding.levels]
        below = [self.logits, *self.active]
        self.under = [tensor[: level.count] for level, tensor in zip(padding.levels, below, strict=False)]
        self.entering = _entering(padding.levels, self.active)
        if not back:
            return
        self.target = torch.eye(outputs, outputs + 1, device=like.device, dtype=like.dtype) * (-1 / batch)
        self.losses = torch.zeros_like(self.logits)
        self.slope_rows = like.new_zeros(padding.rows, batch)
        self.slopes = [
            self.slope_rows[level.rows].view_as(active)
            if level.spread is None and not level.above
            else torch.empty_like(active)
            for level, active in zip(padding.levels, self.active, strict=True)
        ]
        self.slopes_entering = _entering(padding.levels, self.slopes)


def _entering(levels: Sequence[Level], tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [tensor[level.above :].flatten(0, 1) for level, tensor in zip(levels, tensors, strict=True)]
