"""A finished run of a suite: its results read from its folder, or reduced again under other settings."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.training import Generated, Learner
from aiq.errors import InputError, StorageError, redo_command
from aiq.plans.layout import SuiteLayout
from aiq.plans.run import SuiteRun as Run
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.run.products import read_settings
from aiq.run.reducing.complexity import DomainComplexity, reduce_complexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity, reduce_dissimilarity
from aiq.run.reducing.space import AgentScores, build_space, score_agents


@dataclass(frozen=True, eq=False)
class StoredRun:
    """The results of a run of a suite.

    ``name``: what the run is called in comparisons; ``settings``: its configuration, every default written out, empty
    where the folder is of a version that did not keep it; ``scores`` is None where nobody was scored; ``of``: the
    folder, equal for a run and for the same run at a smaller pool.
    """

    name: str
    folder: Path
    settings: Mapping[str, Any]
    complexity: Mapping[str, DomainComplexity]
    dissimilarity: SuiteDissimilarity
    space: Space
    scores: AgentScores | None
    of: str = field(default="")

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the domains."""
        return self.dissimilarity.domains


def read_stored(folder: str | Path) -> StoredRun:
    """Read the results folder of a run of a suite.

    Raises:
        InputError: the folder holds no results of a suite.
        StorageError: a file is missing, damaged, or its domains are not those of the others.
    """
    root = Path(folder)
    layout = SuiteLayout(str(root))
    if not root.is_dir():
        raise InputError(f"{folder} is no folder; give the results folder of a run, such as results/my-suite")
    if not Path(layout.dissimilarity).exists():
        raise InputError(
            f"{folder} holds no results of a suite (there is no {Path(layout.dissimilarity).name} in it); give the "
            "results folder of a finished run of measure aiq"
        )
    suite = storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity)
    found = {
        name: storage.read_result(layout.complexity(name), "complexity", DomainComplexity) for name in suite.domains
    }
    space = storage.read_result(layout.space, "space", Space)
    scores = None
    if Path(layout.scores).exists():
        scores = storage.read_result(layout.scores, "scores", AgentScores)
    for what, domains in (("space", space.domains), ("scores", None if scores is None else scores.scores.domains)):
        if domains is not None and set(domains) != set(suite.domains):
            raise StorageError(
                f"{folder} is a mixture: its {what} has the domains {', '.join(domains)}, its dissimilarities "
                f"{', '.join(suite.domains)}; make it again: {redo_command()}"
            )
    return StoredRun(root.name, root, read_settings(root), found, suite, space, scores, str(root.resolve()))


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
