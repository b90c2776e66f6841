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


def side_by_side(
    works: Mapping[str, Start[T]], budget: int, device: torch.device | None = None
) -> Iterator[tuple[str, T]]:
    """Do works in turn, as many at a time as fit, and give name and result of each when it ends.

    Works start in the order given, each as soon as there is room for it; one that asks for more than the budget
    starts when nothing else is under way. Where the device has no room after all, the work is put back, starts anew
    later, and no more are under way from then on than there were without it.

    Args:
        works: by name, what starts each; called again if the work has to start anew.
        budget: bytes that all works under way may hold; 0: one after the other.
        device: where they compute.

    Raises:
        torch.OutOfMemoryError: a work has no room even alone.
    """
    crowd = _Crowd(works, budget, device)
    try:
        while crowd.busy:
            crowd.admit()
            yield from crowd.turn()
    finally:
        crowd.close()


@dataclass(eq=False)
class _Work(Generic[T]):
    """A work under way."""

    name: str
    start: Start[T]
    turns: Turns[T]
    bytes: int
    stream: Callable[[], AbstractContextManager[object]]


class _Crowd(Generic[T]):
    """Works under way, and those that wait."""

    def __init__(self, works: Mapping[str, Start[T]], budget: int, device: torch.device | None) -> None:
        self._waiting = deque(works.items())
        self._budget, self._device = budget, device
        self._next: _Work[T] | None = None
        self._under_way: list[_Work[T]] = []
        self._most = len(works)

    @property
    def busy(self) -> bool:
        """Whether anything is left to do."""
        return bool(self._waiting or self._next or self._under_way)

    def admit(self) -> None:
        """Start works as long as there is room."""
        while self._waiting or self._next:
            if self._next is None:
                name, start = self._waiting.popleft()
                turns = start()
                self._next = _Work(name, start, turns, next(turns), _stream(self._device))
            if self._under_way and not self._fits(self._next):
                return
            self._under_way.append(self._next)
            self._next = None

    def _fits(self, work: _Work[T]) -> bool:
        held = sum(one.bytes for one in self._under_way)
        return len(self._under_way) < self._most and held + work.bytes <= self._budget

    def turn(self) -> Iterator[tuple[str, T]]:
        """Let every work under way do a turn; give those that have ended."""
        for work in list(self._under_way):
            try:
                with work.stream():
                    next(work.turns)
            except StopIteration as end:
                self._under_way.remove(work)
                yield work.name, end.value
            except torch.OutOfMemoryError:
                if len(self._under_way) == 1:
                    raise
                self._put_back(work)

    def _put_back(self, work: _Work[T]) -> None:
        """Take a work for which there was no room out of the way; it starts anew later."""
        self._under_way.remove(work)
        self._most = len(self._under_way)
        work.turns.close()
        self._waiting.appendleft((work.name, work.start))
        LOGGER.warning(
            "the device has no room for %s beside %d others; it starts anew later, and no more than %d train at a time",
            *(work.name, self._most, self._most),
        )
        gc.collect()
        if self._device is not None and self._device.type == "cuda":
            torch.cuda.empty_cache()

    def close(self) -> None:
        """End what is under way."""
        for work in [*self._under_way, *([self._next] if self._next else [])]:
            work.turns.close()


def _stream(device: torch.device | None) -> Callable[[], AbstractContextManager[object]]:
    """Return what enters a stream of its own on a GPU, and does nothing elsewhere."""
    if device is None or device.type != "cuda":
        return nullcontext
    stream = torch.cuda.Stream(device)
    return lambda: torch.cuda.stream(stream)
