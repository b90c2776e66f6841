"""How the steps of a population are launched: called as they are on a CPU, recorded and replayed on a GPU.

A step of a population is some forty small operations. On a GPU starting them one by one takes longer than computing
them, so the steps of a window (some batches in a row, with the gathering of their samples) are recorded as one CUDA
graph and replayed by a single call.

Recording costs as much as some dozens of steps. A window of a shape is recorded once as many steps of that shape have
been taken the ordinary way as a recording costs; so the total is at most twice what knowing the future would give, and
what seldom comes (the short last window of an epoch, the last epochs before a population is laid out anew) is never
recorded.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

Steps = Callable[[torch.Tensor], None]
"""Takes the steps of a window: the rows of its samples, (..., samples)."""

Record = Callable[[Steps, torch.Tensor], Steps]
"""Makes of steps, and rows of the shape that they will have, what takes these steps faster."""

RENT = 64
"""Steps that cost about what a recording costs."""


class Launcher:
    """Launches windows of steps that change a population in place; made anew whenever the population is.

    Args:
        steps: takes the steps of a window.
        count: says how many steps a window has.
        record: records a window of a shape; None: by CUDA on rows of a GPU, not at all elsewhere.
    """

    def __init__(self, steps: Steps, count: Callable[[torch.Tensor], int], record: Record | None = None) -> None:
        self._steps, self._count, self._record = steps, count, record
        self._taken: dict[torch.Size, int] = {}
        self._recorded: dict[torch.Size, Steps] = {}

    def __call__(self, rows: torch.Tensor) -> None:
        """Take the steps of a window."""
        if self._record is None:
            if rows.device.type != "cuda":
                self._steps(rows)
                return
            self._record = Recorder(rows.device)
        known = self._recorded.get(rows.shape)
        if known is None:
            taken = self._taken.get(rows.shape, 0)
            if taken < RENT:
                self._taken[rows.shape] = taken + self._count(rows)
                self._plainly(rows)
                return
            known = self._recorded[rows.shape] = self._record(self._steps, rows)
        known(rows)

    def _plainly(self, rows: torch.Tensor) -> None:
        """Take the steps one operation after the other."""
        if isinstance(self._record, Recorder):
            self._record.plainly(self._steps, rows)
        else:
            self._steps(rows)


class Recorder:
    """Records windows as CUDA graphs. All of a launcher's share one pool of memory, as none runs beside another."""

    def __init__(self, device: torch.device) -> None:
        current = torch.cuda.current_stream(device)
        own = current != torch.cuda.default_stream(device)
        self._stream = current if own else torch.cuda.Stream(device)  # the default stream cannot be recorded
        self._pool = torch.cuda.graph_pool_handle()

    def plainly(self, steps: Steps, rows: torch.Tensor) -> None:
        """Take steps on the stream on which they will be recorded, so that every buffer is there by then."""
        current = torch.cuda.current_stream(rows.device)
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream):
            steps(rows)
        current.wait_stream(self._stream)

    def __call__(self, steps: Steps, rows: torch.Tensor) -> Steps:
        """Record steps on rows of this shape (recording computes nothing)."""
        own, graph = rows.clone(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool, stream=self._stream):
            steps(own)

        def replay(rows: torch.Tensor) -> None:
            own.copy_(rows)
            graph.replay()

        return replay
