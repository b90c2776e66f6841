"""Relative dissimilarities of a suite: departures of its pairs over those from twins, by repetition."""

from __future__ import annotations

import math

import numpy as np

from aiq.measures.dissimilarity import relative as ratios
from aiq.measures.dissimilarity.mixture_curves import area_weights
from aiq.plans.run import SuiteRun as Run
from aiq.plans.stages import parted, twin
from aiq.records.arrays import Floats
from aiq.records.relative import Relative, RelativePair
from aiq.tasks.suite.reducing.measuring import Measuring, Pair


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
        twins = [self.of((one, twin(other, k))) for one, other in met for k in numbers]
        sides = [side for side in (a, b) for _ in numbers]
        why = "; ".join(f"{name}: {kin[name]}" for name in (a, b) if kin[name])
        found = ratios.relative(self.of((a, b)), twins, sides, confidence=self._confidence, why=why, apart=self._apart)
        return RelativePair(a, b, found, self._end(found, a, -1), self._end(found, b, 0))

    def _end(self, found: Relative, name: str, place: int) -> float:
        """Return what the end of a domain puts into the error of a ratio: it is in departure and twins alike."""
        if found.error is None:
            return 0.0
        ends = self.ends[name][np.isfinite(self.ends[name])]
        share = float(self._weights[place]) * (1 - found.estimate.value) / found.against_twins
        return share * float(ends.std(ddof=1)) / math.sqrt(ends.size) if ends.size > 1 else 0.0


def _mean(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")
