"""Check what a configuration of the algorithmic quotient names."""

from __future__ import annotations

from aiq.config.factories import load_factory
from aiq.plans.run import AlgorithmicRun as Run
from aiq.storage.algorithmic import read_lines


def check(run: Run) -> None:
    """Refuse a file of programs that cannot be read, and agents' code that cannot be imported.

    Raises:
        AiqError: one sentence about the first thing that is wrong.
    """
    c = run.configuration
    if c.programs.file is not None:
        read_lines(c.programs.file)
    for agent in c.agents:
        factory = getattr(agent, "factory", None)
        if factory is not None:
            load_factory(factory)
