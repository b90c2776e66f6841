"""Read what the trainings of a suite's dissimilarities gave, measure its pairs, and set them against their twins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aiq import seeding
from aiq.errors import StorageError
from aiq.measures import dissimilarity
from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity import relative as ratios
from aiq.measures.dissimilarity.mixture_curves import area_weights
from aiq.plans.layout import parted, twin, unit_name
from aiq.plans.run import SuiteRun as Run
from aiq.records.dissimilarity import Alone, Dissimilarity, Parts
from aiq.records.estimate import Floats
from aiq.records.matrix import Relative, RelativePair
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


class Measuring:
    """Measures pairs."""

    def __init__(self, run: Run, curves: Mapping[Pair, Curves], alone: Mapping[str, DomainAlone]) -> None:
        self._run, self.curves, self._alone = run, curves, alone
        self._settings = run.configuration.dissimilarity
        self._drawn = {name: self._draws(name) for name in alone}

    def measure(self, pair: Pair) -> Dissimilarity:
        """Measure one pair from its curves in both orders, with what its signed area is made of.

        The noise of pairs is drawn apart, that of a domain's ends once for all its pairs.
        """
        settings, reverse = self._settings, self._reverse(pair)
        ends: dict[str, Any] = {}
        if self._alone:
            ends["ends"] = self._ends(pair)
            ends["ends_drawn"] = [self._drawn[name] for name in dict.fromkeys(pair)]
        measured = dissimilarity.measure(
            settings.points,
            self.scored(pair),
            reverse=None if reverse is None else self.scored(reverse),
            **ends,
            estimator=settings.estimator,
            chosen=settings.value,
            prior_df=settings.prior_df,
            resamples=settings.resamples,
            confidence=settings.confidence,
            seed=seeding.integer(self._run.configuration.seed, "dissimilarity", *pair),
        )
        parts = self._parts(pair)
        return measured if parts is None else replace(measured, parts=parts)

    def one_order(self, pair: Pair) -> Dissimilarity:
        """Measure one pair from its curves in one order, without intervals."""
        settings = self._settings
        ends = self._ends(pair) if self._alone else None
        options = {"estimator": settings.estimator, "chosen": settings.value, "prior_df": settings.prior_df}
        return dissimilarity.measure(settings.points, self.scored(pair), ends=ends, resamples=0, **options)

    def whole(self, pair: Pair) -> Floats:
        """Return the curves (R, P) of a pair with both ends: where those are the domains', their means."""
        inner = self.scored(pair)
        if not self._alone:
            return inner
        first, second = (np.full(len(inner), _mean(self.ends_of(name))) for name in pair)
        return np.column_stack([second, inner, first])

    def _parts(self, pair: Pair) -> Parts | None:
        settings, reverse = self._settings, self._reverse(pair)
        plain, told = self._joined(pair, reverse, False), None
        if all(self.curves[order].told is not None for order in (pair, reverse) if order is not None):
            told = self._joined(pair, reverse, True)
        scored = told if settings.labels == "told" and told is not None else plain
        names = list(dict.fromkeys(pair))
        told_apart = told is not None and settings.labels != "told"
        ends: dict[str, Any] = {}
        controls: list[Alone] = []
        if self._alone:
            ends["ends"] = self._ends(pair)
            if told_apart:
                ends["told_ends"] = [self._alone[name].scored(True)[0] for name in names]
            per_domain = [self._alone[name].scored(settings.labels == "told")[1] for name in names]
            controls = [control for control in per_domain if control is not None]
        if told is None and not controls:
            return None
        return dissimilarity.decompose(
            settings.points,
            scored,
            told=told,
            alone=controls or None,
            **ends,
            confidence=settings.confidence,
            prior_df=settings.prior_df,
        )

    def _joined(self, pair: Pair, reverse: Pair | None, told: bool) -> Floats:
        points = np.array(self._settings.trained_points)
        performances = self._by(pair, told)
        if reverse is None:
            return performances
        return np.concatenate([performances, mixture_curves.mirrored(self._by(reverse, told), points)])

    def _reverse(self, pair: Pair) -> Pair | None:
        turned = (pair[1], pair[0])
        return turned if pair[0] != pair[1] and turned in self.curves else None

    def scored(self, pair: Pair) -> Floats:
        """Return the curves of a pair as the settings score them."""
        return self._by(pair, self._settings.labels == "told")

    def _by(self, pair: Pair, told: bool) -> Floats:
        curves = self.curves[pair]
        if not told:
            return curves.plain
        if curves.told is None:
            raise StorageError(
                f"the mixtures of {pair[0]} and {pair[1]} were made before accuracies were stored where the test is "
                "told; remove their shards and redo them, or score them with labels: apart"
            )
        return curves.told

    def _ends(self, pair: Pair) -> list[Floats]:
        return [self.ends_of(name) for name in dict.fromkeys(pair)]

    def ends_of(self, name: str) -> Floats:
        """Return the ends of a domain as the settings score them."""
        return self._alone[name].scored(self._settings.labels == "told")[0]

    def _draws(self, name: str) -> Floats:
        """Return draws of the error of a domain's end, the same for all its pairs."""
        rng = seeding.generator(self._run.configuration.seed, "dissimilarity", "end", name)
        return dissimilarity.end_draws(self.ends_of(name), self._settings.resamples, rng, f"{name} alone")


def _mean(values: Floats) -> float:
    """Return the mean of the trainings that did not fail, NaN where all did."""
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else float("nan")


def relatives(run: Run, measuring: Measuring) -> tuple[RelativePair, ...]:
    """Return the relative dissimilarity of every pair of two domains that was measured; none without twins."""
    numbers = range(1, run.configuration.dissimilarity.twins + 1)
    if not numbers:
        return ()
    departures = Departures(run, measuring)
    kin = {name: departures.kin(name, numbers) for name in departures.ends}
    pairs = (pair for pair in run.plan.pairs if pair[0] < pair[1])
    return tuple(departures.pair(a, b, numbers, kin) for a, b in pairs)


class Departures:
    """Signed areas by repetition; the ends of a domain are parted among the repetitions, and a twin has those too.

    A twin is as hard as its domain, so its end has the same distribution and is not trained again.
    """

    def __init__(self, run: Run, measuring: Measuring) -> None:
        settings = run.configuration.dissimilarity
        self._measuring, self._confidence = measuring, settings.confidence
        self._played, self._own = run.configuration.control, settings.twins_of == "tests"
        self._apart = ratios.OWN[settings.network.family] if self._own else 0.0
        self._weights = area_weights(np.array(settings.points))
        self.ends = {
            name: np.array([_mean(part) for part in np.array_split(measuring.ends_of(name), settings.repetitions)])
            for name in run.configuration.domains
        }

    def of(self, pair: Pair) -> Floats:
        """Return the signed areas (R,) of the mixtures of two domains or twins; the shares are those of the first."""
        first, second = (self.ends[parted(name)[0]] for name in pair)
        curves = np.column_stack([second, self._measuring.scored(pair), first])
        return np.asarray(curves @ self._weights, dtype=np.float64)

    def kin(self, name: str, numbers: range) -> str:
        """Return why a domain's own twins are no strangers to it; empty where they are."""
        end = None if self._played else float(np.nanmean(self.ends[name]))
        return ratios.kin([self.of((name, twin(name, k))) for k in numbers], end)

    def pair(self, a: str, b: str, numbers: range, kin: dict[str, str]) -> RelativePair:
        """Return the relative dissimilarity of two domains."""
        met = ((a, a), (b, b)) if self._own else ((a, b), (b, a))
        twins = [self.of((name, twin(other, k))) for name, other in met for k in numbers]
        sides = [side for side in (a, b) for _ in numbers]
        why = "; ".join(f"{name}: {kin[name]}" for name in (a, b) if kin[name])
        ratio = ratios.relative(self.of((a, b)), twins, sides, confidence=self._confidence, why=why, apart=self._apart)
        return RelativePair(a, b, ratio, self._end(ratio, a, -1), self._end(ratio, b, 0))

    def _end(self, ratio: Relative, name: str, place: int) -> float:
        """Return what the end of a domain puts into the error of a ratio: it is in departure and twins alike."""
        if ratio.error is None:
            return 0.0
        ends = self.ends[name][np.isfinite(self.ends[name])]
        share = float(self._weights[place]) * (1 - ratio.estimate.value) / ratio.against_twins
        return share * float(ends.std(ddof=1)) / math.sqrt(ends.size) if ends.size > 1 else 0.0
