"""How a step is launched: called as it is on a CPU, recorded once and replayed on a GPU.

A step of a population is some forty small operations. On a GPU starting them one by one takes longer than computing
them, so they are recorded as one CUDA graph for each shape of batch and replayed. (Written without a GPU at hand:
not measured.)
"""

from __future__ import annotations

from collections.abc import Callable

import torch

Step = Callable[[torch.Tensor, torch.Tensor], None]

WARM = 3
"""Steps taken the ordinary way before a shape is recorded, so that every buffer exists."""


class Launcher:
    """Launches a step that changes its population in place; made anew whenever the population is."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._seen: dict[torch.Size, int] = {}
        self._graphs: dict[torch.Size, tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]] = {}

    def __call__(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take one step on a batch."""
        if x.device.type != "cuda":
            self._step(x, y)
            return
        seen = self._seen.get(x.shape, 0)
        self._seen[x.shape] = seen + 1
        if seen < WARM:
            self._on_side_stream(x, y)
            return
        if x.shape not in self._graphs:
            self._graphs[x.shape] = self._record(x, y)
        graph, own_x, own_y = self._graphs[x.shape]
        own_x.copy_(x)
        own_y.copy_(y)
        graph.replay()

    def _on_side_stream(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Take an ordinary step on a stream of its own, as recording asks for."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._step(x, y)
        torch.cuda.current_stream().wait_stream(stream)

    def _record(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]:
        """Record a step on buffers of this shape (recording computes nothing)."""
        own_x, own_y = x.clone(), y.clone()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._step(own_x, own_y)
        return graph, own_x, own_y
