"""Check what a configuration of the anytime test names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aiq.wings.anytime.run import AnytimeRun as Run
from aiq.wings.anytime.settings import Outside, Sandbagger, Slow


def looks(run: Run) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield agents' files, each with what refuses it where it cannot be run or defines no agent of its name."""
    for name, who in run.configuration.agents.items():
        for one in _outside(who):
            yield f"agent {name}", partial(_check_file, one)


def _check_file(one: Outside) -> None:
    """Refuse a file that cannot be run, or defines no agent of the name that is given."""
    from aiq.wings.anytime.work.agents import outside

    outside(one.file, one.attribute)


def _outside(who: object) -> list[Outside]:
    """Return the agents from files that an examinee is made of."""
    if isinstance(who, Outside):
        return [who]
    if isinstance(who, Slow):
        return _outside(who.agent)
    if isinstance(who, Sandbagger):
        return [*_outside(who.winner), *_outside(who.loser)]
    return []
