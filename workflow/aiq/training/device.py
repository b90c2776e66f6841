"""Where and how torch computes: device, threads, precision, repeatability, launches, and trainings side by side.

On a GPU, products and convolutions are of single precision as on a CPU: TF32, which keeps ten bits of each factor and
which torch switches on for convolutions, is off. Kernels are chosen by rule and not by timing, and among them the
deterministic ones: the same call on the same kind of device gives the same bits. Sums are taken in another order than
on a CPU, so that numbers differ in their last digits; results of a GPU have fingerprints of their own
(``plans.suite_jobs.device_words``).

A step of a population is some forty small operations. On a GPU starting them one by one takes longer than computing
them, so the steps of a window (some batches in a row, with the gathering of their samples) are recorded as one CUDA
graph and replayed by a single call. A window of a shape is recorded once as many steps of that shape have been taken
the ordinary way as a recording costs; so the total is at most twice what knowing the future would give, and what
seldom comes (the short last window of an epoch) is never recorded.

A small population leaves most of a GPU idle. So trainings are written as generators. The first thing that one yields is
the memory in bytes that it will hold on the device; from then on it yields 0 wherever it has given the device something
to do. ``side_by_side`` starts as many as there is room for and lets them go on in turn, each on a stream of its own.
Every training calls the same operations on the same numbers as it would alone, so that its results are the same to the
bit: what happens at the same time on a device shares its time and its memory, and nothing else. All happens in one
thread. On a CPU nothing is idle: trainings go one after the other.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import re
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch

from aiq.errors import TrainingError

LOGGER = logging.getLogger("aiq")
T = TypeVar("T")

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
                if isinstance(self._record, Recorder):
                    self._record.plainly(self._steps, rows)
                else:
                    self._steps(rows)
                return
            recorded = self._recorded[rows.shape] = self._record(self._steps, rows)
        recorded(rows)


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


# ---- Trainings side by side ----------------------------------------------------------------------

Turns = Generator[int, None, T]
"""Yields the bytes that the work will hold on the device, then 0 at the end of each turn; returns its result."""

Start = Callable[[], Turns[T]]


def whole(turns: Turns[T]) -> T:
    """Do all turns of a work and return its result."""
    while True:
        try:
            next(turns)
        except StopIteration as end:
            result: T = end.value
            return result


def room(device: torch.device, share: float) -> int:
    """Return the bytes of a device that trainings side by side may hold: a share of what is free, 0 on a CPU."""
    if device.type != "cuda":
        return 0
    free, _ = torch.cuda.mem_get_info(device)
    return int(share * free)


@dataclass(eq=False)
class _Work(Generic[T]):
    name: str
    start: Start[T]
    turns: Turns[T]
    bytes: int
    stream: Callable[[], AbstractContextManager[object]]


def side_by_side(
    works: Mapping[str, Start[T]], budget: int, device: torch.device | None = None
) -> Iterator[tuple[str, T]]:
    """Do works in turn, as many at a time as fit, and give name and result of each when it ends.

    Works start in the order given, each as soon as there is room for it in the budget (bytes; 0: one after the other);
    one that asks for more starts when nothing else is under way. Where the device has no room after all, the work is
    put back, starts anew later, and no more are under way from then on than there were without it; one that has no
    room even alone raises ``torch.OutOfMemoryError``.
    """
    waiting, under_way, most = deque(works.items()), list[_Work[T]](), len(works)
    upcoming: _Work[T] | None = None
    try:
        while waiting or upcoming or under_way:
            while waiting or upcoming:
                if upcoming is None:
                    name, start = waiting.popleft()
                    turns = start()
                    upcoming = _Work(name, start, turns, next(turns), _stream(device))
                held = upcoming.bytes + sum(work.bytes for work in under_way)
                if under_way and (len(under_way) >= most or held > budget):
                    break
                under_way.append(upcoming)
                upcoming = None
            for work in list(under_way):
                try:
                    with work.stream():
                        next(work.turns)
                except StopIteration as end:
                    under_way.remove(work)
                    yield work.name, end.value
                except torch.OutOfMemoryError:
                    if len(under_way) == 1:
                        raise
                    under_way.remove(work)
                    most = len(under_way)
                    waiting.appendleft((work.name, work.start))
                    _give_room(work, most, device)
    finally:
        for work in [*under_way, *([upcoming] if upcoming else [])]:
            work.turns.close()


def _give_room(work: _Work[T], others: int, device: torch.device | None) -> None:
    work.turns.close()
    LOGGER.warning(
        "the device has no room for %s beside %d others; it starts anew later, and no more than %d train at a time",
        *(work.name, others, others),
    )
    gc.collect()
    if device is not None and device.type == "cuda":
        torch.cuda.empty_cache()


def _stream(device: torch.device | None) -> Callable[[], AbstractContextManager[object]]:
    if device is None or device.type != "cuda":
        return nullcontext
    stream = torch.cuda.Stream(device)
    return lambda: torch.cuda.stream(stream)
