"""Check what the configuration of a suite names."""

from __future__ import annotations

from aiq.config.factories import load_factory
from aiq.domains.presence import check_presence
from aiq.errors import InputError
from aiq.plans.run import SuiteRun as Run


def check(run: Run) -> None:
    """Refuse domains, agents and tables that are not there or cannot be used.

    Raises:
        AiqError: one sentence about the first thing that is wrong.
    """
    c = run.configuration
    for name, settings in c.domains.items():
        check_presence(name, settings, data_root=c.data_root, download=c.download)
    for agent in c.agents.outside:
        load_factory(agent.factory)
    if c.pool.learners is not None:
        from aiq.policies.learners import members

        members(c.pool, c.seed)
    if c.agents.table is not None:
        _check_table(run, c.agents.table)


def _check_table(run: Run, path: str) -> None:
    """Refuse a table of performances that could not be scored."""
    from aiq.tasks.suite.tables.measures import performances_from_table

    agents = run.configuration.agents
    trained = {agent.name for agent in (*agents.networks, *agents.outside)}
    for name in performances_from_table(path, list(run.configuration.domains)):
        if name in trained:
            raise InputError(f"{path}: agent {name} is also trained by this configuration; rename one of them")
