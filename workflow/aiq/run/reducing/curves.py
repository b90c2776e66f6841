"""What the trainings of a suite's dissimilarities gave, read from their shards into arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aiq.errors import StorageError
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite_jobs import unit_name
from aiq.records.dissimilarity import Alone
from aiq.records.estimate import Floats
from aiq.records.trial import LOST, AloneResult, MixtureResult
from aiq.storage import shards
from aiq.storage.shards import unpack_alone, unpack_mixtures

Pair = tuple[str, str]


@dataclass
class Cost:
    """What trainings cost, and how many failed."""

    trainings: int = 0
    failed: int = 0
    seconds: float = 0.0

    def add(self, result: MixtureResult | AloneResult) -> None:
        """Count a training."""
        self.trainings += 1
        self.failed += result.status in LOST
        self.seconds += result.seconds


@dataclass(frozen=True, eq=False)
class Curves:
    """V_O of every repetition of a pair at the proportions that were trained, (R, P'), NaN where one was lost.

    ``told`` is the same where the network is told which test a sample belongs to; None where that was not measured.
    """

    plain: Floats
    told: Floats | None


@dataclass(frozen=True, eq=False)
class DomainAlone:
    """Performances of one domain alone, under the interface of its suite; NaN where a training was lost.

    ``ends`` (E,) with all samples. ``controls`` (C, S) with the shares of them that ``shares`` (S,) names; no rows
    where none were trained. ``told_ends`` and ``told_controls`` are the same among the domain's own outputs; None on
    control domains.
    """

    domain: str
    ends: Floats
    shares: Floats
    controls: Floats
    told_ends: Floats | None
    told_controls: Floats | None

    def scored(self, told: bool) -> tuple[Floats, Alone | None]:
        """Return the ends and the controls (None without any) by one way of scoring."""
        ends, controls = (self.told_ends, self.told_controls) if told else (self.ends, self.controls)
        if ends is None or controls is None:
            raise StorageError(f"{self.domain} alone has no accuracies where the test is told; redo its shards")
        return ends, Alone(self.shares, controls) if len(controls) else None


def read_curves(run: Run, sources: Sequence[str | Path], cost: Cost) -> dict[Pair, Curves]:
    """Return the curves of every measured pair."""
    plan, settings = run.plan, run.configuration.dissimilarity
    units: dict[str, shards.Unit] = {}
    for source, job in zip(sources, plan.mixture_jobs, strict=True):
        units.update(shards.read(source, "mixtures", plan.of_mixture_job(job)))
    points = settings.trained_points
    curves = {}
    for a, b in plan.mixed:
        plain, told = (np.full((settings.repetitions, len(points)), np.nan) for _ in range(2))
        whole = True
        for chunk in range(settings.chunks):
            for result in unpack_mixtures(_tree(units, unit_name(a, b, chunk), f"the mixtures of {a} and {b}")):
                place = result.repetition, points.index(result.proportion)
                plain[place] = result.performance
                whole = whole and result.told is not None
                told[place] = np.nan if result.told is None else result.told
                cost.add(result)
        curves[a, b] = Curves(plain, told if whole else None)
    return curves


def read_alone(run: Run, sources: Sequence[str | Path], cost: Cost) -> dict[str, DomainAlone]:
    """Return what every domain gave alone; nothing where ends are pairs'."""
    plan = run.plan
    units: dict[str, shards.Unit] = {}
    for source, job in zip(sources, plan.ends.jobs, strict=True):
        units.update(shards.read(source, "alone", plan.ends.of_job(job)))
    return {name: _domain(run, name, units, cost) for name in run.configuration.domains if plan.ends.shared}


def _domain(run: Run, name: str, units: Mapping[str, shards.Unit], cost: Cost) -> DomainAlone:
    settings, shares = run.configuration.dissimilarity, run.configuration.dissimilarity.shares
    rows = run.configuration.control_repetitions if run.configuration.controls else 0
    ends, told_ends = (np.full(settings.ends_trained, np.nan) for _ in range(2))
    controls, told_controls = (np.full((rows, len(shares)), np.nan) for _ in range(2))
    whole = True
    for part in run.plan.ends.parts:
        for chunk in range(run.plan.ends.chunks(part)):
            for result in unpack_alone(_tree(units, unit_name(name, part, chunk), f"{name} alone")):
                into, told = (ends, told_ends) if part == "ends" else (controls, told_controls)
                place = (result.repetition,)
                place += () if part == "ends" else (shares.index(result.proportion),)
                into[place] = result.performance
                whole = whole and result.told is not None
                told[place] = np.nan if result.told is None else result.told
                cost.add(result)
    both = (told_ends, told_controls) if whole else (None, None)
    return DomainAlone(name, ends, np.array(shares if rows else ()), controls, *both)


def _tree(units: Mapping[str, shards.Unit], name: str, what: str) -> Mapping[str, object]:
    if name not in units:
        raise StorageError(f"{what}: the chunk {name} is not in its shard; redo it")
    return units[name].tree
