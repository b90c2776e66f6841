"""A finished suite reduced again under other settings: what does not change is taken as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.learners import Generated, Learner
from aiq.plans.run import SuiteRun as Run
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.tasks.suite.reducing.complexity import DomainComplexity, reduce_complexity
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity, reduce_dissimilarity
from aiq.tasks.suite.reducing.space import AgentScores, build_space, score_agents


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a run: complexities with intervals, the matrix of dissimilarities, the space, the scores.

    ``learners`` are those of the pool, as the configuration has them; None for networks. They say what the sizes behind
    the complexities count.
    """

    complexity: Mapping[str, DomainComplexity]
    matrix: npt.NDArray[np.float64]
    space: Space
    scores: Scores | None
    learners: list[Learner] | Generated | None = None


def numbers(run: Run) -> Numbers:
    """Return the numbers of a finished run.

    Raises:
        StorageError: a result is missing or of another configuration; it names the command that makes it.
    """
    layout, plan = run.layout, run.plan
    complexity = {name: layout.complexity(name) for name in run.configuration.domains}
    return _read(run, complexity, layout.dissimilarity, layout.space, layout.scores if plan.scored else None)


def reduced(run: Run, other: Run) -> Numbers:
    """Return the numbers of a run under other settings, from the trainings of the run.

    Results that the settings do not touch are read as they are.

    Raises:
        AiqError: the settings ask for what these trainings do not give.
    """
    layout, names = run.layout, list(run.configuration.domains)
    with tempfile.TemporaryDirectory() as folder:
        complexity = {}
        for name in names:
            complexity[name] = layout.complexity(name)
            if other.plan.complexity(name) != run.plan.complexity(name):
                complexity[name] = str(Path(folder) / f"complexity-{name}.h5")
                reduce_complexity(other, name, [layout.trial_job(job) for job in run.plan.trial_jobs(name)],
                                  complexity[name])  # fmt: skip
        matrix = layout.dissimilarity
        if other.plan.dissimilarity() != run.plan.dissimilarity():
            matrix = str(Path(folder) / "dissimilarity.h5")
            reduce_dissimilarity(other, [layout.mixture_job(job) for job in other.plan.mixture_jobs], matrix,
                                 [layout.alone_job(job) for job in other.plan.ends.jobs])  # fmt: skip
        space, scores = str(Path(folder) / "space.h5"), None
        build_space(other, list(complexity.values()), matrix, space)
        if run.plan.scored:
            scores = str(Path(folder) / "scores.h5")
            _score(other, space, scores)
        return _read(other, complexity, matrix, space, scores)


def _score(run: Run, space: str, target: str) -> None:
    """Score the agents of a run in a space."""
    agents, layout = run.configuration.agents, run.layout
    outside = [layout.outside(name, agent.name) for agent in agents.outside for name in run.configuration.domains]
    trained = [layout.agent_job(job) for job in run.plan.agent_jobs]
    score_agents(run, space, trained, [agents.table] if agents.table else [], target, outside)


def _read(run: Run, complexity: Mapping[str, str], matrix: str, space: str, scores: str | None) -> Numbers:
    """Read results that belong to a run."""
    plan = run.plan
    found = {
        name: storage.read_result(path, "complexity", DomainComplexity, plan.complexity(name))
        for name, path in complexity.items()
    }
    suite = storage.read_result(matrix, "dissimilarity", SuiteDissimilarity, plan.dissimilarity())
    placed = storage.read_result(space, "space", Space, plan.space())
    scored = None if scores is None else storage.read_result(scores, "scores", AgentScores, plan.scores()).scores
    return Numbers(found, suite.matrix, placed, scored, run.configuration.pool.learners)
