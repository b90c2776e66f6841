"""Two agents on the same items: of one table, or of two tables with one agent each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aiq.errors import InputError, choice
from aiq.records.observations import Observations
from aiq.records.suite_report import PairedDifference
from aiq.suites.paired import paired_difference
from aiq.suites.scores import Scores, scores

Named = tuple[str, str]


def two_agents(
    results: Observations, agents: Named, *, cluster: str | None = None, confidence: float = 0.95, power: float = 0.8,
    alpha: float = 0.05,
) -> PairedDifference:  # fmt: skip
    """Return the difference of two agents of one table.

    Args:
        results: with both agents, on items or on tests.
        agents: their names, first minus second.
        cluster: the column that says which items belong together; None: ``cluster`` where items have it.
        confidence: of the interval.
        power: probability with which the smallest difference is found.
        alpha: level of that test.

    Raises:
        InputError: an agent is not there, the two are one, or they have no item in common.
    """
    if agents[0] == agents[1]:
        raise InputError(f"both agents are {agents[0]!r}; name two")
    for name in agents:
        if name not in results.agents:
            raise InputError(choice("the agent", name, results.agents))
    table = scores(results, cluster=cluster)
    first, second = (table.agents.index(name) for name in agents)
    labels = table.clusters if len(set(table.clusters.tolist())) < len(table.tests) else None
    found = paired_difference(
        table.values[first], table.values[second], labels, confidence=confidence, power=power, alpha=alpha
    )
    return replace(found, a=agents[0], b=agents[1], share_of_epochs=_epochs(table, first, second, found.se))


def two_tables(first: Observations, second: Observations, names: Named, **how: object) -> PairedDifference:
    """Return the difference of the agents of two tables, each with one agent; items are the same by name.

    Args:
        first: of one agent.
        second: of one agent, which may have the same name.
        names: what the two are called where they have the same name.
        **how: as ``two_agents``.

    Raises:
        InputError: a table has several agents, or the two have no item in common.
    """
    import pandas

    for table, name in ((first, names[0]), (second, names[1])):
        if len(table.agents) != 1:
            raise InputError(
                f"{name} has {len(table.agents)} agents; a comparison of two tables needs one in each; compare two of "
                "one table with --agents A B"
            )
    if first.has_items != second.has_items:
        raise InputError("one of the tables has results on items, the other on tests; give both by item")
    called = (first.agents[0], second.agents[0])
    called = names if called[0] == called[1] else called
    frames = [table.to_frame().assign(agent=name) for table, name in zip((first, second), called, strict=True)]
    if len(first.domains) == 1 and len(second.domains) == 1:  # a test without a name is called as its file is
        frames[1]["domain"] = first.domains[0]
    columns = [name for name in frames[0].columns if name in frames[1].columns]
    both = pandas.concat(
        [frame[columns].astype({c: object for c in columns if frame[c].dtype == "category"}) for frame in frames]
    )
    return two_agents(Observations.of(both.reset_index(drop=True)), called, **how)  # type: ignore[arg-type]


def _epochs(table: Scores, first: int, second: int, error: float | None) -> float | None:
    """Return the share of the squared error that more answers to the same items would take away."""
    noise = table.noise[first] + table.noise[second]
    both = ~np.isnan(table.values[first]) & ~np.isnan(table.values[second])
    if not error or not both.any() or not np.isfinite(noise[both]).all():
        return None
    return min(1.0, float(noise[both].sum()) / int(both.sum()) ** 2 / error**2)
