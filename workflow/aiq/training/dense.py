"""Many dense networks computed together: logits, loss and gradients by hand, one update for all.

Everything is laid out (features, samples), so that a network's nodes are contiguous rows. The first layers of all
networks are one matrix product over their rows; the layers above are batched products over widths padded with
zeros, which get no gradient and stay zero: a padded node has weights 0 and bias 0, is 0 after ReLU and passes no
gradient.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from aiq.config.training import Optimizer
from aiq.records.trial import Architecture
from aiq.training.flat import Flat, Shape
from aiq.training.stacks import stacks


@dataclass(frozen=True, slots=True)
class _Group:
    """Where one stack lies: its slots among the logits, its rows of the first product, its tensors in the layout.

    ``spread`` gathers its rows into the padded first layer (``blank`` is a row of zeros), ``collect`` gathers them
    back; both are None where no row is padded.
    """

    slots: slice
    rows: slice
    widths: tuple[int, ...]
    tensors: slice
    spread: torch.Tensor | None
    collect: torch.Tensor | None


class DenseNets:
    """Dense networks of any depths and widths on one batch of samples, or each on a batch of its own.

    Args:
        architectures: of the dense family.
        weights: of each network, in the order of ``networks.initial_weights``; the first layer's weights may hold
            fewer columns than a sample has features, if the samples given later are reduced likewise.
        shared: whether all networks see the same samples (x of shape (batch, features), y (batch,)) or each its
            own (x (networks, batch, features), y (networks, batch)); the latter asks for one architecture.
        batch: samples a step, for the division into stacks.
    """

    def __init__(
        self,
        architectures: Sequence[Architecture],
        weights: Sequence[Sequence[torch.Tensor]],
        *,
        shared: bool,
        batch: int,
    ) -> None:
        if not shared and len(set(architectures)) > 1:
            raise ValueError("networks with samples of their own must have one architecture")
        self.architectures = tuple(architectures)
        self._shared, self._batch = shared, batch
        sample = weights[0][0]
        self._device, self._dtype = sample.device, sample.dtype
        self._features = sample.shape[1]
        self._outputs = len(weights[0][-1])
        self._lay_out()
        self._put(self.flat.values, weights)
        self._values, self._gradients = self.flat.views(self.flat.values), self.flat.views(self.flat.gradients)
        self._identity = torch.eye(self._outputs, device=self._device, dtype=self._dtype)
        self._losses = torch.zeros(len(self.architectures), device=self._device, dtype=torch.float64)
        self._work: dict[int, _Work] = {}

    def _lay_out(self) -> None:
        """Divide into stacks and give every tensor and every first-layer row its place."""
        shapes: list[Shape] = []
        self._groups: list[_Group] = []
        self._places: list[tuple[int, int, int]] = [(0, 0, 0)] * len(self.architectures)
        row = slot = 0
        found = stacks(self.architectures, self._outputs, self._batch)
        blank = sum(self._first(a) for a in self.architectures)
        for stack in found:
            count, first = len(stack.members), row
            spread: list[int] = []
            for place, member in enumerate(stack.members):
                width = self._first(self.architectures[member])
                self._places[member] = (len(self._groups), place, row)
                pad = (stack.widths[0] if stack.widths else width) - width
                spread += [*range(row, row + width), *(blank,) * pad]
                row += width
            nodes = (*stack.widths, self._outputs)
            start = len(shapes)
            for before, after in itertools.pairwise(nodes):
                shapes += [(count, after, before), (count, after, 1)]
            index = torch.tensor(spread, device=self._device)
            padded = blank in spread
            self._groups.append(
                _Group(
                    slice(slot, slot + count),
                    slice(first, row),
                    stack.widths,
                    slice(start + 2, len(shapes) + 2),
                    index if padded else None,
                    torch.nonzero(index != blank).flatten() if padded else None,
                )
            )
            slot += count
        self._rows = row
        self._hidden = sum(sum(a.widths[:1]) for a in self.architectures)
        self._slots = torch.tensor(
            [self._groups[g].slots.start + place for g, place, _ in self._places], device=self._device
        )
        self.flat = Flat([(row, self._features), (row, 1), *shapes], self._device, self._dtype)

    def _first(self, architecture: Architecture) -> int:
        """Return the rows that a network has in the first product."""
        return architecture.widths[0] if architecture.widths else self._outputs

    def _member(self, views: Sequence[torch.Tensor], index: int) -> list[torch.Tensor]:
        """Return one network's tensors as views into those of the layout, in the order of initial weights."""
        architecture = self.architectures[index]
        number, place, row = self._places[index]
        last = row + self._first(architecture)
        tensors = [views[0][row:last], views[1][row:last, 0]]
        nodes = (*architecture.widths, self._outputs)
        inner = views[self._groups[number].tensors]
        for layer, (before, after) in enumerate(itertools.pairwise(nodes)):
            tensors += [inner[2 * layer][place, :after, :before], inner[2 * layer + 1][place, :after, 0]]
        return tensors

    def _put(self, buffer: torch.Tensor, weights: Sequence[Sequence[torch.Tensor]]) -> None:
        """Write every network's tensors into a buffer of the layout."""
        views = self.flat.views(buffer)
        for index, tensors in enumerate(weights):
            for view, tensor in zip(self._member(views, index), tensors, strict=True):
                view.copy_(tensor.detach())

    def weights(self, index: int) -> list[torch.Tensor]:
        """Return a copy of one network's tensors."""
        return [view.clone() for view in self._member(self._values, index)]

    def gradients(self, index: int) -> list[torch.Tensor]:
        """Return a copy of one network's gradients of the last step."""
        return [view.clone() for view in self._member(self._gradients, index)]

    def optimize(self, settings: Optimizer) -> None:
        """Set the optimiser."""
        self.flat.optimize(settings)

    def keep(self, members: Sequence[int], settings: Optimizer) -> DenseNets:
        """Return the networks of some positions alone, with their optimiser's state."""
        architectures = [self.architectures[index] for index in members]
        weights = [self.weights(index) for index in members]
        kept = DenseNets(architectures, weights, shared=self._shared, batch=self._batch)
        states = {}
        for name, state in self.flat.states().items():
            if state.ndim:
                views = self.flat.views(state)
                state = torch.zeros_like(kept.flat.values)
                kept._put(state, [self._member(views, index) for index in members])
            states[name] = state
        kept.flat.optimize(settings, states)
        return kept

    def finite(self) -> list[bool]:
        """Return for each network whether all its weights are finite."""
        members = range(len(self.architectures))
        if bool(self.flat.values.isfinite().all()):
            return [True for _ in members]
        return [all(bool(t.isfinite().all()) for t in self._member(self._values, index)) for index in members]

    def losses(self) -> list[float]:
        """Return each network's loss summed over the samples of the steps since the last call."""
        losses = self._losses[self._slots].tolist()
        self._losses.zero_()
        return [float(loss) for loss in losses]

    def right(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return for each network how many samples have their largest logit at the label (int64)."""
        work = self._workspace(x.shape[-2], keep=False)
        self._forward(x, work)
        return (work.logits.argmax(1) == self._own(y)).sum(1)[self._slots]

    def step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step of the mean cross-entropy of a batch, for every network."""
        self.differentiate(x, y)
        self.flat.update()

    def differentiate(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Compute the gradients of the mean cross-entropy of a batch and add the losses to the sums."""
        work = self._workspace(x.shape[-2], keep=True)
        self._forward(x, work)
        self._lose(y, work)
        self._backward(x, work)

    def _own(self, y: torch.Tensor) -> torch.Tensor:
        """Return labels as (1 or networks, batch); networks of one architecture lie in the order given."""
        return y[None] if self._shared else y

    def _workspace(self, batch: int, keep: bool) -> _Work:
        """Return the buffers of a batch size."""
        work = self._work.get(batch)
        if work is None:
            work = _Work(self._groups, self._rows, self._outputs, batch, self.flat.values)
            if keep:
                self._work[batch] = work
        return work

    def _forward(self, x: torch.Tensor, work: _Work) -> None:
        """Compute the logits (slots, outputs, batch) and all activations."""
        weight, bias = self._values[:2]
        rows = work.rows[: self._rows]
        if self._shared:
            torch.addmm(bias, weight, x.t(), out=rows)
        else:
            count = len(self.architectures)
            shape = (count, self._rows // count, -1)
            torch.baddbmm(bias.view(shape), weight.view(shape), x.transpose(1, 2), out=rows.view(shape))
        rows[: self._hidden].relu_()
        for group, active in zip(self._groups, work.active, strict=True):
            logits = work.logits[group.slots]
            if not group.widths:
                logits.copy_(rows[group.rows].view(logits.shape))
                continue
            if group.spread is not None:
                torch.index_select(work.rows, 0, group.spread, out=active[0].view(-1, work.batch))
            tensors = self._values[group.tensors]
            for layer in range(1, len(group.widths)):
                torch.baddbmm(tensors[2 * layer - 1], tensors[2 * layer - 2], active[layer - 1], out=active[layer])
                active[layer].relu_()
            torch.baddbmm(tensors[-1], tensors[-2], active[-1], out=logits)

    def _lose(self, y: torch.Tensor, work: _Work) -> None:
        """Add the losses to the sums and turn the logits into their gradients."""
        labels = self._own(y)
        hot = self._identity.index_select(1, labels.flatten()).view(self._outputs, *labels.shape).transpose(0, 1)
        logarithms = torch.log_softmax(work.logits, dim=1)
        self._losses -= (logarithms * hot).sum(dim=(1, 2), dtype=torch.float64)
        torch.sub(logarithms.exp_(), hot, out=work.logits)
        work.logits.mul_(1 / work.batch)

    def _backward(self, x: torch.Tensor, work: _Work) -> None:
        """Fill the gradients from those of the logits."""
        rows = work.gradient_rows
        for group, active, slopes in zip(self._groups, work.active, work.slopes, strict=True):
            slope = work.logits[group.slots]
            values, gradients = self._values[group.tensors], self._gradients[group.tensors]
            for layer in reversed(range(len(group.widths))):
                torch.bmm(slope, active[layer].transpose(1, 2), out=gradients[2 * layer])
                torch.sum(slope, 2, keepdim=True, out=gradients[2 * layer + 1])
                torch.bmm(values[2 * layer].transpose(1, 2), slope, out=slopes[layer])
                slope = slopes[layer]
                torch.ops.aten.threshold_backward(slope, active[layer], 0, grad_input=slope)
            if group.collect is not None:
                torch.index_select(slope.view(-1, work.batch), 0, group.collect, out=rows[group.rows])
            elif not group.widths:
                rows[group.rows].copy_(slope.reshape(-1, work.batch))
        weight, bias = self._gradients[:2]
        torch.sum(rows, 1, keepdim=True, out=bias)
        if self._shared:
            torch.mm(rows, x, out=weight)
        else:
            count = len(self.architectures)
            shape = (count, self._rows // count, -1)
            torch.bmm(rows.view(shape), x, out=weight.view(shape))


class _Work:
    """Buffers of one batch size: rows of the first layers, activations and their gradients, logits.

    Where a stack has no padding, its first activations and their gradients are views of the rows.
    """

    def __init__(self, groups: Sequence[_Group], rows: int, outputs: int, batch: int, like: torch.Tensor) -> None:
        self.batch = batch
        self.rows = like.new_zeros(rows + 1, batch)
        self.gradient_rows = like.new_zeros(rows, batch)
        self.logits = like.new_empty(groups[-1].slots.stop, outputs, batch)
        self.active: list[list[torch.Tensor]] = []
        self.slopes: list[list[torch.Tensor]] = []
        for group in groups:
            count = group.slots.stop - group.slots.start
            for lists, flat in ((self.active, self.rows), (self.slopes, self.gradient_rows)):
                tensors = [like.new_empty(count, width, batch) for width in group.widths]
                if tensors and group.spread is None:
                    tensors[0] = flat[group.rows].view(count, group.widths[0], batch)
                lists.append(tensors)
