"""What a suite as an instrument is judged from: a space, and the performances of agents in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.load import read
from aiq.errors import InputError
from aiq.plans.run import Run
from aiq.plans.suite_layout import SuiteLayout
from aiq.records.space import Space
from aiq.storage import Source
from aiq.tasks.suite.reducing.space import AgentScores
from aiq.tasks.suite.tables.given import read_space
from aiq.tasks.suite.tables.measures import performances_from_table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judged:
    """A suite with its agents: agent -> for each domain of the space, its repetitions."""

    name: str
    space: Space
    performances: Mapping[str, Sequence[Floats]]


def judged(source: str, table: Source | None = None) -> Judged:
    """Read a suite and its agents.

    Args:
        source: a configuration of a finished run, its results folder, or the file of a space.
        table: agents and performances; needed beside the file of a space, and in place of a run's own agents.

    Raises:
        InputError: the source is none of these, nobody is scored, or the table cannot be used.
        StorageError: the run is not finished, or a file is damaged.
    """
    path = Path(source)
    if path.suffix in (".yaml", ".yml"):
        return _of_run(source, table)
    if path.is_dir():
        layout = SuiteLayout(str(path))
        if not Path(layout.space).exists():
            raise InputError(f"{source} holds no space.h5; give the results folder of a finished run of a suite")
        space = storage.read_result(layout.space, "space", Space)
        scores = None
        if table is None and Path(layout.scores).exists():
            scores = storage.read_result(layout.scores, "scores", AgentScores)
        return _with_agents(path.name, space, scores, table)
    space = read_space(source)
    if table is None:
        raise InputError(
            f"{source} alone has no agents; give a table agent,domain,performance beside it, or the configuration or "
            "the results folder of a finished run"
        )
    return _with_agents(path.stem, space, None, table)


def _of_run(config: str, table: Source | None) -> Judged:
    """Return the suite of a finished run by its configuration."""
    run = Run.of(read(config), "aiq", config)
    plan, layout = run.plan, run.layout
    space = storage.read_result(layout.space, "space", Space, plan.space())
    scores = None
    if table is None and plan.scored:
        scores = storage.read_result(layout.scores, "scores", AgentScores, plan.scores())
    return _with_agents(run.configuration.name, space, scores, table)


def _with_agents(name: str, space: Space, scores: AgentScores | None, table: Source | None) -> Judged:
    """Return a suite with the agents of a table, or those that were scored."""
    if table is not None:
        found = performances_from_table(table, space.domains)
        return Judged(name, space, {agent: list(values.T) for agent, values in found.items()})
    if scores is None:
        raise InputError(f"{name} scores nobody; give a table agent,domain,performance beside it")
    agents = dict.fromkeys(scores.agent)
    return Judged(name, space, {a: [scores.repetitions(a, domain) for domain in space.domains] for a in agents})
