"""Trainings that stop now and then and let others go on: several side by side on one device.

A small population leaves most of a GPU idle. So trainings are written as generators. The first thing that one yields is
the memory in bytes that it will hold on the device; from then on it yields 0 wherever it has given the device something
to do. ``side_by_side`` starts as many as there is room for and lets them go on in turn, each on a stream of its own.
Every training calls the same operations on the same numbers as it would alone, so that its results are the same to the
bit: what happens at the same time on a device shares its time and its memory, and nothing else.

All happens in one thread. On a CPU nothing is idle: trainings go one after the other.
"""

from __future__ import annotations

import gc
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch

T = TypeVar("T")
Turns = Generator[int, None, T]
"""Yields the bytes that the work will hold on the device, then 0 at the end of each turn; returns its result."""

Start = Callable[[], Turns[T]]
LOGGER = logging.getLogger("aiq")


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
    """Return what enters a stream of its own on a GPU, and does nothing elsewhere."""
    if device is None or device.type != "cuda":
        return nullcontext
    stream = torch.cuda.Stream(device)
    return lambda: torch.cuda.stream(stream)
