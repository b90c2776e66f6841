"""Check what a configuration of the anytime test names."""

from __future__ import annotations

from aiq.config.anytime import Outside, Sandbagger, Slow
from aiq.plans.run import AnytimeRun as Run


def check(run: Run) -> None:
    """Refuse agents' files that cannot be run, or define no agent of the name that is given.

    Raises:
        AiqError: one sentence about the first thing that is wrong.
    """
    named = [outside for who in run.configuration.agents.values() for outside in _outside(who)]
    if not named:
        return
    from aiq.tasks.anytime.agents import outside

    for one in named:
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
