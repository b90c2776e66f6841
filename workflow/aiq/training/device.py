"""Where and how torch computes: the one place that decides device, threads and treatment of tiny numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from aiq.errors import TrainingError


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
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)
