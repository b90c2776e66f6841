"""Trainings of a job, one after the other on a CPU, several side by side on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from aiq.plans.run import SuiteRun as Run
from aiq.training.device import computing, resolve
from aiq.training.turns import Start, Turns, room, side_by_side, whole

T = TypeVar("T")


class Learner:
    """What trains: called, it trains at once; ``in_turns`` takes the same training in turns.

    Args:
        run: says where and with how many threads.
        turns: from what is to be trained to a training in turns.
    """

    def __init__(self, run: Run, turns: Callable[..., Turns[Any]]) -> None:
        self._run, self.turns = run, turns

    def __call__(self, *told: Any) -> Any:
        """Train and return the results."""
        c = self._run.configuration
        with computing(c.threads, resolve(c.device)):
            return whole(self.turns(*told))


def in_turns(learn: Callable[..., T], *told: Any) -> Turns[T]:
    """Train in turns; what is no ``Learner`` trains in a single turn."""
    if isinstance(learn, Learner):
        return (yield from learn.turns(*told))
    yield 0
    return learn(*told)


def together(run: Run) -> Callable[[Mapping[str, Start[T]]], Iterator[tuple[str, T]]]:
    """Return what does trainings in turns, as many at a time as the device has room for, and gives each at its end."""
    c = run.configuration

    def work(starts: Mapping[str, Start[T]]) -> Iterator[tuple[str, T]]:
        """Do all trainings."""
        device = resolve(c.device)
        with computing(c.threads, device):
            yield from side_by_side(starts, room(device, c.jobs.gpu_memory), device)

    return work
