"""A finished run: the one reader of what it stored; the same run under other settings, or at a smaller pool."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.config.measures import Space as SpaceSettings
from aiq.errors import InputError, StorageError, redo_command
from aiq.measures import complexity
from aiq.plans.layout import SuiteLayout
from aiq.plans.run import SuiteRun
from aiq.records.complexity import Complexity
from aiq.records.domains import Entropy
from aiq.records.estimate import Floats
from aiq.records.space import Space
from aiq.run.job import make
from aiq.run.products import read_settings
from aiq.run.reducing.baselines import AptiScores
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import DRAWS, SuiteDissimilarity
from aiq.run.reducing.space import AgentScores, placed
from aiq.stats import jackknife
from aiq.tables.scores import score

T = TypeVar("T")


class FinishedRun:
    """The results of a run of a suite, each read when it is first asked for.

    Args:
        run: the configuration of which every file must be; see ``in_folder`` for a folder without one.
        files: where results lie that were made elsewhere than the run's own: path -> path.

    Attributes:
        name: what the run is called in comparisons.
        folder: its results folder.
        settings: its configuration, every default written out; empty where the folder is of a version that kept none.
        of: equal for a run and for the same run at a smaller pool.

    Raises:
        StorageError: by whatever is asked for: it is missing, damaged, or of another configuration.
    """

    run: Any  # a ``SuiteRun``; None of a folder
    name: str
    settings: Mapping[str, Any]

    def __init__(self, run: SuiteRun, files: Mapping[str, str] | None = None) -> None:
        self.run, self.layout, self._files = run, run.layout, files or {}
        self.name, self.settings = run.configuration.name, run.configuration.model_dump(mode="json")

    @classmethod
    def in_folder(cls, folder: str | Path) -> FinishedRun:
        """Return the run of a results folder, read whole; refused where its files are not of one run of a suite.

        Raises:
            InputError: the folder holds no results of a suite.
            StorageError: a file is missing, damaged, or its domains are not those of the others.
        """
        root = Path(folder)
        if not root.is_dir():
            raise InputError(f"{folder} is no folder; give the results folder of a run, such as results/my-suite")
        layout = SuiteLayout(str(root))
        if not Path(layout.dissimilarity).exists():
            raise InputError(
                f"{folder} holds no results of a suite (there is no {Path(layout.dissimilarity).name} in it); give the "
                "results folder of a finished run of measure aiq"
            )
        suite = storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity)
        read = cls.given(layout, root.name, {}, dissimilarity=suite).loaded()
        scored = suite.domains if read.scores is None else read.scores.scores.domains
        for what, domains in (("space", read.space.domains), ("scores", scored)):
            if set(domains) != set(suite.domains):
                raise StorageError(
                    f"{folder} is a mixture: its {what} has the domains {', '.join(domains)}, its dissimilarities "
                    f"{', '.join(suite.domains)}; make it again: {redo_command()}"
                )
        return read.changed(settings=read_settings(root))

    @classmethod
    def given(cls, layout: SuiteLayout, name: str, settings: Mapping[str, Any], **records: Any) -> FinishedRun:
        """Return a run without a configuration, some of whose records are there already."""
        run = cls.__new__(cls)
        vars(run).update(run=None, layout=layout, _files={}, name=name, settings=settings, **records)
        return run

    def changed(self, **records: Any) -> FinishedRun:
        """Return the run with some attributes or records in the place of its own; the others as they are."""
        run = copy.copy(self)
        vars(run).update(records)
        return run

    def loaded(self) -> FinishedRun:
        """Return the run with complexities, dissimilarities, space and scores read now."""
        return self.changed(
            **{name: getattr(self, name) for name in ("complexity", "dissimilarity", "space", "scores")}
        )

    @property
    def folder(self) -> Path:
        """Its results folder."""
        return Path(str(self.layout.root))

    @cached_property
    def of(self) -> str:
        """What is equal for a run and for the same run at a smaller pool."""
        return str(self.folder.resolve())

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the domains."""
        return self.dissimilarity.domains if self.run is None else tuple(self.run.configuration.domains)

    @cached_property
    def complexity(self) -> Mapping[str, DomainComplexity]:
        """The complexity of every domain, with the trials behind it."""
        path, of = self.layout.complexity, self._print("complexity")
        return {name: self._read(path(name), "complexity", DomainComplexity, of(name)) for name in self.domains}

    @cached_property
    def entropy(self) -> Mapping[str, Entropy]:
        """The entropy of every domain; of none where it is not measured."""
        path, of = self.layout.entropy, self._print("entropy")
        names = self.domains if self.run is not None and self.run.plan.with_entropy else ()
        return {name: self._read(path(name), "entropy", Entropy, of(name)) for name in names}

    @cached_property
    def dissimilarity(self) -> SuiteDissimilarity:
        """The dissimilarities without the draws of every pair, which few need."""
        return self._dissimilarity(without=DRAWS)

    @cached_property
    def directing(self) -> SuiteDissimilarity:
        """The dissimilarities with all draws where the directions of the space rest on them."""
        suite = self.dissimilarity
        drawn = self.run is not None and self.run.configuration.space.distance == "departure"
        return self._dissimilarity() if drawn and not suite.errors_known else suite

    def _dissimilarity(self, **how: Any) -> SuiteDissimilarity:
        of = self._print("dissimilarity")
        return self._read(self.layout.dissimilarity, "dissimilarity", SuiteDissimilarity, of(), **how)

    @cached_property
    def space(self) -> Space:
        """The intelligence space."""
        return self._read(self.layout.space, "space", Space, self._print("space")())

    @cached_property
    def scores(self) -> AgentScores | None:
        """The agents' scores; None where nobody is scored."""
        scored = Path(self.layout.scores).exists() if self.run is None else self.run.plan.scored
        return self._read(self.layout.scores, "scores", AgentScores, self._print("scores")()) if scored else None

    @cached_property
    def performances(self) -> dict[str, list[Floats]]:
        """Agent -> its repetitions on each domain; nobody where nobody is scored."""
        scores = self.scores
        if scores is None:
            return {}
        agents = dict.fromkeys(scores.agent)
        return {agent: [scores.repetitions(agent, name) for name in self.domains] for agent in agents}

    @cached_property
    def apti(self) -> AptiScores:
        """The agents compared with the baseline."""
        return self._read(self.layout.apti, "apti", AptiScores, self._print("apti")())

    def _print(self, name: str) -> Any:
        """Return what gives the fingerprint that a file must have; nothing where there is no configuration."""
        return (lambda *words: None) if self.run is None else getattr(self.run.plan, name)

    def _read(self, path: str, kind: str, record: type[T], fingerprint: Any, **how: Any) -> T:
        return storage.read_result(self._files.get(path, path), kind, record, fingerprint, **how)


def reduced(run: SuiteRun, other: SuiteRun) -> FinishedRun:
    """Return the results of a run under other settings, from its trainings; what these do not touch is read as it is.

    Settings that ask for what these trainings do not give are refused.
    """
    layout, plan = run.layout, run.plan
    changed = [
        layout.complexity(n) for n in plan.configuration.domains if other.plan.complexity(n) != plan.complexity(n)
    ]
    changed += [layout.dissimilarity] if other.plan.dissimilarity() != plan.dissimilarity() else []
    changed += [layout.space, *([layout.scores] if plan.scored else [])]
    with tempfile.TemporaryDirectory() as folder:
        files = {path: str(Path(folder) / f"{number}.h5") for number, path in enumerate(changed)}
        for path in changed:
            step, job = run.plan.maker(path)
            trials = step.reads(run.plan, job) if step.rule == "reduce_complexity" else None  # of the whole pool
            make(other, path, places=files, needs=trials)
        return FinishedRun(other, files).loaded()


# ---- A smaller pool ------------------------------------------------------------------------------


def at_pool(run: FinishedRun, size: int) -> FinishedRun:
    """Return a run at the first ``size`` policies of its pool, in whole chunks.

    Complexities are measured again with the settings of their records; their replicates weigh the chunks as those of
    the whole pool do, so replicates of both belong together. Then the domains are placed and the agents scored again.

    Raises:
        InputError: the pool has no such part, or the folder does not hold the settings.
    """
    if not run.settings:
        raise InputError(
            f"{run.folder} does not hold its settings, which a smaller pool is computed with; make its tables again "
            "with this version of aiq: aiq run CONFIG -- --forcerun write_tables"
        )
    whole = max(record.size.size for record in run.complexity.values())
    if not 1 <= size <= whole:
        raise InputError(f"the pool size is {size}, but {run.name} has {whole} policies; give at most {whole}")
    name, seed = f"{run.name}, {size} policies", int(run.settings["seed"])
    if size == whole:
        return run.changed(name=name)
    by_domain = {domain: _reduced(record, size, seed) for domain, record in run.complexity.items()}
    records = [by_domain[domain].complexity for domain in run.domains]
    settings = SpaceSettings.model_validate(run.settings["space"])
    kept = _kept(run.complexity[run.domains[0]], size)
    space = placed(settings, seed, list(run.domains), records, run.dissimilarity, kept)
    scores = run.scores
    if scores is not None:
        scores = replace(scores, scores=score(space, run.performances, seed=seed))
    smaller = {**run.settings, "pool": {**run.settings["pool"], "size": size}}
    return run.changed(name=name, settings=smaller, complexity=by_domain, space=space, scores=scores)


def _reduced(record: DomainComplexity, size: int, seed: int) -> DomainComplexity:
    among = _kept(record, size)
    kept = np.isin(record.chunk, np.unique(record.chunk)[among])
    parts: dict[str, Any] = {name: getattr(record, name)[kept] for name in ("performance", "size", "chunk")}
    whole, best = record.complexity, record.complexity.best_of_k
    measured = complexity.measure(
        **parts,
        bins=whole.curve.size.size,
        value_range=(float(whole.curve.edges[0]), float(whole.curve.edges[-1])),
        estimator=whole.estimator,
        envelope=whole.envelope,
        extrapolate=whole.extrapolate,
        resamples=whole.replicates.size,
        confidence=whole.estimate.confidence,
        seed=seed,
        **({} if best is None else {"k": best.k, "fill": best.fill, "largest": best.largest, "start": best.start}),
    )
    return replace(record, complexity=_joint(measured, among, seed), by_k=None, growth=None, **parts)


def _kept(record: DomainComplexity, size: int) -> npt.NDArray[np.bool_]:
    ends = np.cumsum(np.unique(record.chunk, return_counts=True)[1])
    if size not in ends:
        near = ", ".join(map(str, ends.tolist()))
        raise InputError(f"the pool size is {size}, but {record.domain} has policies in chunks: give one of {near}")
    return np.asarray(ends <= size)


def _joint(measured: Complexity, among: npt.NDArray[np.bool_], seed: int) -> Complexity:
    """Return a complexity with replicates that weigh each chunk as those of the whole pool do."""
    expected = measured.best_of_k
    if measured.estimator != "best_of_k" or expected is None or len(expected.deleted) < 2:
        return measured
    rng = seeding.generator(seed, "complexity", "replicates")
    values, deleted, members = expected.values[:1], expected.deleted[:, :1], expected.members
    parts = jackknife.influences(values, deleted, members)
    drawn = jackknife.drawn(values, parts, measured.replicates.size, rng, among=among)
    return replace(measured, replicates=np.maximum(drawn[:, 0], 0.0))
