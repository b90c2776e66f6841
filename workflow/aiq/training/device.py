"""Where and how torch computes: the one place that decides device, threads and treatment of tiny numbers."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from aiq.errors import TrainingError

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Names of glibc's settings (malloc.h)."""

KEPT = 1 << 25
"""Largest block, in bytes, that stays in the process when it is freed (the most that glibc accepts)."""


def resolve(device: str) -> torch.device:
    """Return the device ``cpu`` or ``cuda`` (or ``cuda:1`` ...), or refuse one that this machine lacks."""
    kind = device.split(":")[0]
    if kind not in ("cpu", "cuda"):
        raise TrainingError(f"device is {device!r}; allowed are cpu and cuda")
    if kind == "cuda" and not torch.cuda.is_available():
        raise TrainingError("device is 'cuda' but torch finds no CUDA device here; take 'cpu'")
    return torch.device(device)


@contextmanager
def computing(threads: int) -> Iterator[None]:
    """Compute with a number of threads, and with numbers below the normal range flushed to zero.

    The moments of an optimiser decay into that range wherever a gradient stays zero (a dead node), and
    processors calculate there many times slower. Both settings are put back at the end (flushing to off).
    """
    if threads < 1:
        raise TrainingError(f"threads is {threads}; allowed are 1 and more")
    before = torch.get_num_threads()
    _keep_freed_memory()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


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
