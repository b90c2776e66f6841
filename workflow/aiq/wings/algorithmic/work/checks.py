"""Check what a configuration of the algorithmic quotient names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aiq.config.factories import load_factory
from aiq.wings.algorithmic.run import AlgorithmicRun as Run
from aiq.wings.algorithmic.storage import read_lines


def looks(run: Run) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the file of programs and agents' code, each with what refuses it where it cannot be read or imported."""
    c = run.configuration
    if c.programs.file is not None:
        yield "programs.file", partial(read_lines, c.programs.file)
    for agent in c.agents:
        factory = getattr(agent, "factory", None)
        if factory is not None:
            yield f"agent {agent.name}", partial(load_factory, factory)
