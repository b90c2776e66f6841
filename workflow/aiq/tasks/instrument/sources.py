"""What a suite as an instrument is judged from: a space, and the performances of agents in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.load import read
from aiq.errors import InputError
from aiq.measures.quotient.agent_draws import PRIOR_DF
from aiq.plans.run import Run
from aiq.plans.suite_layout import SuiteLayout
from aiq.records.space import Space
from aiq.storage import Source
from aiq.tasks.suite.reducing.space import AgentScores
from aiq.tasks.suite.reporting.stored import read_settings
from aiq.tasks.suite.tables.given import read_space
from aiq.tasks.suite.tables.performances import performances_from_table

Floats = npt.NDArray[np.float64]

HOW = ("confidence", "prior_df", "facet_budget")
"""Settings of ``quotient`` by which agents are scored."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A suite with its agents: agent -> for each domain of the space, its repetitions.

    The rest is how a run scores its agents, so that intervals here are those of its scores: the root of the draws, the
    confidence, the weight of an agent's mean variance and the facet budget.
    """

    name: str
    space: Space
    performances: Mapping[str, Sequence[Floats]]
    seed: int = 0
    confidence: float = 0.95
    prior_df: float = PRIOR_DF
    facet_budget: int | None = None


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
        return _scored_as(_with_agents(path.name, space, scores, table), read_settings(path))
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
    c = run.configuration
    return _scored_as(_with_agents(c.name, space, scores, table), c.model_dump(mode="json"))


def _scored_as(found: Judged, settings: Mapping[str, Any]) -> Judged:
    """Return a suite with how its run scores agents, by the settings of the run; as it is where they are not known."""
    quotient = settings.get("quotient", {})
    how: dict[str, Any] = {name: quotient[name] for name in HOW if name in quotient}
    return replace(found, **how, **({"seed": settings["seed"]} if "seed" in settings else {}))


def _with_agents(name: str, space: Space, scores: AgentScores | None, table: Source | None) -> Judged:
    """Return a suite with the agents of a table, or those that were scored."""
    if table is not None:
        found = performances_from_table(table, space.domains)
        return Judged(name, space, found.samples)
    if scores is None:
        raise InputError(f"{name} scores nobody; give a table agent,domain,performance beside it")
    agents = dict.fromkeys(scores.agent)
    return Judged(name, space, {a: [scores.repetitions(a, domain) for domain in space.domains] for a in agents})
