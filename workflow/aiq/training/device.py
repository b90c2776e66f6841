"""Where and how torch computes: the one place that decides device, threads, precision, repeatability and launches.

On a GPU, products and convolutions are of single precision as on a CPU: TF32, which keeps ten bits of each factor and
which torch switches on for convolutions, is off. Kernels are chosen by rule and not by timing, and among them the
deterministic ones: the same call on the same kind of device gives the same bits. Sums are taken in another order than
on a CPU, so that numbers differ in their last digits; results of a GPU have fingerprints of their own
(``plans.suite_ends.device_words``).

A step of a population is some forty small operations. On a GPU starting them one by one takes longer than computing
them, so the steps of a window (some batches in a row, with the gathering of their samples) are recorded as one CUDA
graph and replayed by a single call. A window of a shape is recorded once as many steps of that shape have been taken
the ordinary way as a recording costs; so the total is at most twice what knowing the future would give, and what
seldom comes (the short last window of an epoch) is never recorded.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import torch

from aiq.errors import TrainingError

Steps = Callable[[torch.Tensor], None]
"""Takes the steps of a window: the rows of its samples, (..., samples)."""

Record = Callable[[Steps, torch.Tensor], Steps]
"""Makes of steps, and rows of the shape that they will have, what takes these steps faster."""

RENT = 64
"""Steps that cost about what a recording costs."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Names of glibc's settings (malloc.h)."""

KEPT = 1 << 25
"""Largest block, in bytes, that stays in the process when it is freed (the most that glibc accepts)."""

EXACT = "ieee"
"""Precision of single-precision products on a GPU; torch's other word is ``tf32``."""

WORKSPACE = ":4096:8"
"""Buffers that cuBLAS may use; it repeats its sums to the bit only with a stated number of them."""

POOLING = "max_pool2d_with_indices_backward"
"""Torch warns that this sums in no fixed order. Pools here do not overlap: no place has more than one summand."""


def resolve(device: str) -> torch.device:
    """Return the device ``cpu`` or ``cuda`` (or ``cuda:1`` ...), or refuse one that this machine lacks."""
    match = re.fullmatch(r"cpu|cuda(?::([0-9]+))?", device)
    if match is None:
        raise TrainingError(f"device is {device!r}; allowed are cpu and cuda, or cuda:0, cuda:1 and so on")
    if device == "cpu":
        return torch.device("cpu")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", WORKSPACE)  # read when CUDA is first used
    if not torch.cuda.is_available():
        raise TrainingError(f"device is {device!r} but torch finds no CUDA device here; take 'cpu'")
    count, index = torch.cuda.device_count(), int(match[1] or 0)
    if index >= count:
        raise TrainingError(
            f"device is {device!r} but this process sees {count} CUDA device{'s' * (count > 1)}, numbered from 0; take "
            "'cuda' (a cluster shows a job only the GPUs that it was given)"
        )
    return torch.device("cuda", index)


_REHEARSALS: list[bool] = []


def accelerated(device: torch.device) -> bool:
    """Whether networks are laid out, ordered and launched as on a GPU: on a GPU, and on a CPU within a rehearsal."""
    return device.type == "cuda" or bool(_REHEARSALS)


@contextmanager
def rehearsal() -> Iterator[None]:
    """Compute on a CPU as on a GPU (orders of samples, layouts, turns), so that this can be tested without one."""
    _REHEARSALS.append(True)
    try:
        yield
    finally:
        _REHEARSALS.pop()


@contextmanager
def computing(threads: int, device: torch.device | None = None) -> Iterator[None]:
    """Compute with a number of threads, with tiny numbers flushed to zero, and on a GPU exactly and repeatably.

    The moments of an optimiser decay below the normal range wherever a gradient stays zero (a dead node), and
    processors calculate there many times slower. All settings are put back at the end (flushing to off).
    """
    if threads < 1:
        raise TrainingError(f"threads is {threads}; allowed are 1 and more")
    before = torch.get_num_threads()
    _keep_freed_memory()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    try:
        with ExitStack() as settings:
            if device is not None and device.type == "cuda":
                torch.cuda.set_device(device)  # for good: what is written afterwards names this GPU
                settings.enter_context(exactly())
            yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


@contextmanager
def exactly() -> Iterator[None]:
    """Switch TF32 and the choice of kernels by timing off and deterministic kernels on; put all back at the end."""
    backends = torch.backends
    matmul, convolution, cudnn = backends.cuda.matmul, backends.cudnn.conv, backends.cudnn
    filling = torch.utils.deterministic
    before = (matmul.fp32_precision, convolution.fp32_precision, cudnn.deterministic, cudnn.benchmark)
    short = matmul.allow_bf16_reduced_precision_reduction
    level, filled = torch.get_deterministic_debug_mode(), filling.fill_uninitialized_memory
    matmul.fp32_precision = convolution.fp32_precision = EXACT
    matmul.allow_bf16_reduced_precision_reduction = False  # sums of products of bfloat16 stay in single precision
    cudnn.deterministic, cudnn.benchmark = True, False
    torch.use_deterministic_algorithms(True, warn_only=True)
    filling.fill_uninitialized_memory = False  # every buffer here is written before it is read
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=f".*{POOLING}.*")
            yield
    finally:
        matmul.fp32_precision, convolution.fp32_precision, cudnn.deterministic, cudnn.benchmark = before
        matmul.allow_bf16_reduced_precision_reduction = short
        torch.set_deterministic_debug_mode(level)
        filling.fill_uninitialized_memory = filled


def numerics() -> dict[str, str]:
    """Return how products are computed at this moment, in words: for tables that compare devices."""
    return {
        "products": torch.backends.cuda.matmul.fp32_precision,
        "convolutions": torch.backends.cudnn.conv.fp32_precision,
        "deterministic": str(torch.are_deterministic_algorithms_enabled()),
        "sums of bfloat16": "short" if torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction else "long",
        "kernels by timing": str(torch.backends.cudnn.benchmark),
        "cuBLAS workspace": os.environ.get("CUBLAS_WORKSPACE_CONFIG", "unset"),
    }


def _keep_freed_memory() -> None:
    """Tell the C library to keep freed memory in the process instead of giving it back at once.

    Activations of some megabytes are made and freed at every step. With glibc's defaults each is mapped anew, and
    touching its fresh pages can take longer than the computation. Nothing happens where the C library has no such
    setting (macOS, musl).
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, KEPT)
        mallopt(M_TRIM_THRESHOLD, 8 * KEPT)


class Launcher:
    """Launches windows of steps that change a population in place; made anew whenever the population is.

    ``count`` says how many steps a window has; ``record`` records a window of a shape (None: by CUDA on rows of a GPU,
    not at all elsewhere).
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
        recorded = self._recorded.get(rows.shape)
        if recorded is None:
            taken = self._taken.get(rows.shape, 0)
            if taken < RENT:
                self._taken[rows.shape] = taken + self._count(rows)
                self._plainly(rows)
                return
            recorded = self._recorded[rows.shape] = self._record(self._steps, rows)
        recorded(rows)

    def _plainly(self, rows: torch.Tensor) -> None:
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
