"""Check what the configuration of a suite names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aiq.config.learners import load_factory
from aiq.domains.presence import check_presence
from aiq.errors import InputError
from aiq.plans.run import SuiteRun as Run


def looks(run: Run) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield domains, agents, learners and tables, each with what refuses it where it is not there or cannot be used."""
    c = run.configuration
    for name, settings in c.domains.items():
        yield f"domain {name}", partial(check_presence, name, settings, data_root=c.data_root, download=c.download)
    for agent in c.agents.outside:
        yield f"agent {agent.name}", partial(load_factory, agent.factory)
    if c.pool.learners is not None:
        yield "learners", partial(_check_learners, run)
    if c.agents.table is not None:
        yield "agents.table", partial(_check_table, run, c.agents.table)


def _check_learners(run: Run) -> None:
    """Refuse learners that cannot be made."""
    from aiq.policies.learners import members

    members(run.configuration.pool, run.configuration.seed)


def _check_table(run: Run, path: str) -> None:
    """Refuse a table of performances that could not be scored."""
    from aiq.tasks.suite.tables.performances import performances_from_table

    agents = run.configuration.agents
    trained = {agent.name for agent in (*agents.networks, *agents.outside)}
    for name in performances_from_table(path, list(run.configuration.domains)).samples:
        if name in trained:
            raise InputError(f"{path}: agent {name} is also trained by this configuration; rename one of them")
