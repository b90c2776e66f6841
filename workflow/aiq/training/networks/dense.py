"""Many dense networks computed together: outputs, loss and gradients by hand, one update for all.

Everything is laid out (features, samples), so that a network's nodes are contiguous rows. The first layers of all
networks are one matrix product over their rows; the layers above are batched products over widths padded with
zeros (``padding``), which get no gradient and stay zero: a padded node has weights 0 and bias 0, is 0 after ReLU and
passes no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch

from aiq.records.trial import Architecture
from aiq.training.networks import kernels
from aiq.training.networks.flat import Classifiers, Flat, Weights
from aiq.training.networks.kernels import counts
from aiq.training.networks.padding import Level, Padding

_through_relu = torch.ops.aten.threshold_backward
_of_log_softmax = torch.ops.aten._log_softmax_backward_data.default


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
        if kernels.preferred(weight, work.batch):
            return kernels.times_transposed(weight, x).add_(bias)
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
        if self._shared and kernels.preferred(self._values[0], len(x)):
            self._gradients[0] = kernels.times_transposed(rows, x.t())
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

    def partial_step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Refuse: no number can stand for a missing sample; streams of unequal length train apart."""
        raise TypeError("numbers are not learned on batches that some networks see in part only")

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
            self.slope_rows[level.rows].view_as(active) if _direct(level) else torch.empty_like(active)
            for level, active in zip(padding.levels, self.active, strict=True)
        ]
        self.slopes_entering = _entering(padding.levels, self.slopes)


def _direct(level: Level) -> bool:
    """Whether a level's nodes are rows of the first product as they are."""
    return level.spread is None and level.above == 0


def _entering(levels: Sequence[Level], tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return views (rows, batch) of the networks that enter at each level."""
    return [tensor[level.above :].flatten(0, 1) for level, tensor in zip(levels, tensors, strict=True)]
