"""Records of one suite in the sizes of the contract of all figures, made by the measures from synthetic trials."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from aiq.figures import DomainTrials, MixturePair
from aiq.measures import complexity, dissimilarity, entropy, quotient, similarity, skills, space, weighing
from aiq.measures.dissimilarity.relative import relative
from aiq.records.complexity import Complexity, KCurve
from aiq.records.dissimilarity import Alone, Similarity
from aiq.records.domains import Entropy
from aiq.records.estimate import Estimate
from aiq.records.matrix import NoiseFloor, RelativePair
from aiq.records.quotient import Scores
from aiq.records.space import Space, Weights
from aiq.seeding import generator
from aiq.tables.scores import listed_by_skills

NAMES = {
    "typical": ("digits", "digits-noisy", "digits-first-5", "cartpole", "cartpole-images", "wine", "breast-cancer"),
    "minimal": ("digits", "wine"),
    "single": ("digits",),
    "large": tuple(f"{word}-{k}" for k in range(4) for word in ("mnist", "cifar100", "gravity", "cartpole3d", "svhn")),
}
AGENTS = {"typical": 5, "minimal": 1, "single": 1, "large": 15}
RESAMPLES = {"typical": 40, "minimal": 0, "single": 0, "large": 25}
REPETITIONS = {"typical": 3, "minimal": 1, "single": 1, "large": 3}


@dataclass(frozen=True)
class Suite:
    """Records of one suite, made by the measures from synthetic trials and mixtures."""

    measured: tuple[DomainTrials, ...]
    pairs: tuple[MixturePair, ...]
    case: str

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[self.case]

    @property
    def complexities(self) -> dict[str, Complexity]:
        return {entry.domain: entry.complexity for entry in self.measured}

    @property
    def distances(self) -> tuple[np.ndarray, np.ndarray]:
        """Dissimilarities with their replicates, none where nothing is resampled."""
        n, resamples = len(self.names), RESAMPLES[self.case]
        matrix, replicates = np.zeros((n, n)), np.zeros((resamples, n, n))
        for pair in self.pairs:
            i, j = self.names.index(pair.a), self.names.index(pair.b)
            matrix[i, j] = matrix[j, i] = pair.dissimilarity.distance
            if resamples:
                replicates[:, i, j] = replicates[:, j, i] = pair.dissimilarity.replicates
        return matrix, replicates

    def space(self, dimensions: int) -> Space:
        matrix, replicates = self.distances
        values = [entry.complexity.value for entry in self.measured]
        options: dict[str, Any] = {}
        if len(replicates):
            columns = np.column_stack([entry.complexity.replicates for entry in self.measured])
            options = {"complexity_replicates": columns, "dissimilarity_replicates": replicates}
        floor = np.where(np.eye(len(matrix), dtype=bool), 1e-6, matrix)
        return space.build(self.names, values, floor, dimensions=dimensions, **options)

    @property
    def weights(self) -> Weights:
        """What each test counts, by its relative excess and its distances from the others."""
        matrix, replicates = self.distances
        best = [entry.complexity.best_of_k for entry in self.measured]
        options: dict[str, Any] = {}
        if len(replicates):
            errors = [complexity.standard_error(expected, "relative_excess") for expected in best]
            options = {"length_se": [error.se for error in errors], "dissimilarity_replicates": replicates}
        return weighing.weigh(self.names, [expected.relative_excess.value for expected in best], matrix, **options)

    @property
    def dimensions(self) -> int:
        return min(3, len(self.names))


@cache
def suite(case: str) -> Suite:
    rng, names, resamples = generator(7, "figures", case), NAMES[case], RESAMPLES[case]
    measured, pairs = [], []
    p = np.linspace(0, 1, 11)
    places = np.eye(max(4, len(names)))[: len(names), :4] + rng.normal(size=(len(names), 4))
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    best = rng.uniform(0.4, 0.99, len(names))
    trials = 3 if resamples == 0 else 40
    for name, top in zip(names, best, strict=True):
        size = rng.uniform(4, 14, trials)
        reached = np.clip(top / (1 + np.exp(8 - size)) * rng.uniform(0.85, 1, trials), 0, 1)
        reached[1] = np.nan if resamples else reached[1]
        record = complexity.measure(reached, size, resamples=resamples, k=16 if trials > 16 else 2)
        measured.append(DomainTrials.of(name, record, reached, size))
    for i, a in enumerate(names):
        for j, b in enumerate(names[i:], i):
            sag = 0.03 * np.linalg.norm(places[i] - places[j]) * 4 * p * (1 - p)
            noise = 0.004 * rng.normal(size=(REPETITIONS[case], 11))
            curves = np.clip(p * best[i] + (1 - p) * best[j] - sag + noise, 0, 1)
            pairs.append(MixturePair.of(a, b, dissimilarity.measure(p, curves, resamples=resamples), curves))
    return Suite(tuple(measured), tuple(pairs), case)


def parted(given: Suite) -> list[MixturePair]:
    """The pairs with controls and performances when told: domains starve, and help each other a little."""
    rng, p = generator(11, "parts"), np.linspace(0, 1, 11)
    pairs = []
    for pair in given.pairs:
        curves = pair.repetitions
        informed = np.clip(
            curves + 0.012 * 4 * p * (1 - p) * (pair.a != pair.b) + 0.001 * rng.random(curves.shape), 0, 1
        )
        line = pair.dissimilarity.line
        alone = [
            Alone(p[1:], np.clip(end - 0.12 * (1 - p[1:]) ** 2 + 0.004 * rng.normal(size=(len(curves), 10)), 0, 1))
            for end in ((line[-1],) if pair.a == pair.b else (line[-1], line[0]))
        ]
        parts = dissimilarity.decompose(p, curves, told=informed, alone=alone)
        pairs.append(MixturePair.of(pair.a, pair.b, replace(pair.dissimilarity, parts=parts), curves))
    return pairs


def _entropies(given: Suite) -> dict[str, Entropy]:
    rng = generator(8, "entropy")
    return {
        name: entropy.vector_entropy(rng.normal(size=(40, 3 + 3 * (k % 9))), 2 + k, resamples=RESAMPLES[given.case])
        for k, name in enumerate(given.names)
    }


def _by_k(given: Suite) -> dict[str, KCurve]:
    k = given.measured[0].complexity.best_of_k.k
    return {m.domain: complexity.by_k(m.performance, m.size, chosen=k) for m in given.measured}


def floor(given: Suite) -> NoiseFloor:
    self_pairs = [pair.dissimilarity for pair in given.pairs if pair.a == pair.b]
    return dissimilarity.noise_floor(self_pairs, resamples=RESAMPLES[given.case])


def _similarities(given: Suite) -> dict[tuple[str, str], Similarity]:
    records = {}
    for pair in given.pairs:
        curves = pair.repetitions if pair.a != given.names[-1] else pair.repetitions + np.linspace(0, 1, 11) ** 8 / 2
        records[pair.a, pair.b] = similarity.measure(pair.dissimilarity.proportions, curves, self_pair=pair.a == pair.b)
    return records


def _relatives(given: Suite) -> list[RelativePair]:
    pairs = []
    for k, pair in enumerate(pair for pair in given.pairs if pair.a != pair.b):
        twins = np.full((2, 3), 0.05 if k % 5 else 0.0) + generator(12, "twins").normal(0, 0.002, (2, 3))
        pairs.append(RelativePair(pair.a, pair.b, relative([0.03 + 0.01 * (k % 4)] * 3, twins)))
    return pairs or [RelativePair(given.names[0], given.names[0], relative([0.0, 0.001], [[0.05] * 2] * 2))]


def performances(given: Suite) -> np.ndarray:
    count = AGENTS[given.case]
    drawn = generator(9, "agents").uniform(0.5, 0.98, (count, len(given.names)))
    return drawn * np.linspace(0.2, 1, count)[:, None]


def _estimates(given: Suite) -> dict[str, Estimate]:
    rng, repeated = generator(10, "baseline"), bool(RESAMPLES[given.case])
    values = {name: float(rng.uniform(0.2, 0.9)) for name in given.names}
    return {n: Estimate(v, (v - 0.05, v + 0.04) if repeated else None, 3, "made") for n, v in values.items()}


def _networks(given: Suite) -> dict[str, tuple[int, int]]:
    return {f"agent of {k + 1} layers": (1 + k % 5, 2 ** (2 + k // 5)) for k in range(AGENTS[given.case])}


def _scores(given: Suite) -> Scores:
    table = performances(given)
    replicates = None
    if RESAMPLES[given.case]:
        replicates = np.clip(table + 0.02 * generator(9, "r").normal(size=(25, *table.shape)), 0, 1)
    names = [f"agent of {k + 1} layers" for k in range(len(table))]
    scores = quotient.score(given.space(given.dimensions), names, table, replicates)
    samples = table[None] if replicates is None else replicates[:3]
    counted = skills.score(given.weights, {name: samples[:, k].T for k, name in enumerate(names)})
    scores = replace(scores, skills=counted)
    return scores if given.case == "large" else listed_by_skills(scores)  # a suite of many tests by its volumes


MADE = {
    "DomainTrials": lambda given: given.measured[0],
    "Sequence[DomainTrials]": lambda given: given.measured,
    "Mapping[str, Complexity]": lambda given: given.complexities,
    "Mapping[str, Entropy]": _entropies,
    "Mapping[str, KCurve]": _by_k,
    "MixturePair": lambda given: given.pairs[-1],
    "Mapping[Pair, Dissimilarity]": lambda given: {(pair.a, pair.b): pair.dissimilarity for pair in given.pairs},
    "Mapping[Pair, Similarity]": _similarities,
    "Sequence[MixturePair]": lambda given: given.pairs,
    "Sequence[RelativePair]": _relatives,
    "Space": lambda given: given.space(given.dimensions),
    "Scores": _scores,
    "Mapping[str, tuple[int, int]]": _networks,
    "Mapping[str, Estimate]": _estimates,
}
GIVEN = {kind: lambda case, make=make: make(suite(case)) for kind, make in MADE.items()}
"""Type that a figure asks for -> what makes one of a case."""
