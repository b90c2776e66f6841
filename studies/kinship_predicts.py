"""What numbers of a pair of tests predict: help of pretraining, agreement of learners, kinship, redundancy."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier

from aiq import known_baselines
from aiq.domains.base import LabelledDomain
from aiq.domains.labelled.variants import deranged_labels, permuted_places
from aiq.measures.weighing import uniqueness
from aiq.stats.ranks import rank_correlation
from aiq.suites import relations as redundancy
from studies import kinship_answers as answers
from studies import kinship_learners
from studies import kinship_tests as tests
from studies.cells import Row
from studies.everything import read
from studies.frame import RESULTS
from studies.kinship_trained import Budget, parts

PARTS = Budget(samples=150, repetitions=3, proportions=6)
BEFORE, AFTER, REPETITIONS = 300, 60, 3
"""Samples of the first test, of the second one, and repetitions of the help of pretraining."""
OUTPUTS = 10


def rows() -> list[Row]:
    """Return what all numbers predict, over the pairs of the study of kinship that have a number."""
    every = tests.labelled()
    ratios = {frozenset(row["pair"].split(", ")): row for row in read(RESULTS / "kinship.csv")
              if row["part"] == "pairs" and row["suite"] == "dense"}  # fmt: skip
    at = [pair for pair in combinations(sorted(every), 2) if ratios[frozenset(pair)]["rho"]]
    apart = {frozenset((row["a"], row["b"])): row for row in parts(every, PARTS)}
    numbers = {"relative dissimilarity": [float(ratios[frozenset(pair)]["rho"]) for pair in at],
               "departure, labels shared": [float(ratios[frozenset(pair)]["departure"]) for pair in at]}  # fmt: skip
    for key, word in {"signed": "departure", "starvation": "starvation", "confusion": "confusion",
                      "transfer": "transfer", "similarity": "similarity of 2020"}.items():  # fmt: skip
        numbers[word] = [apart[frozenset(pair)][key] for pair in at]
    numbers["told"] = [a - c for a, c in zip(numbers["departure"], numbers["confusion"], strict=True)]
    numbers["OTDD"] = [_transport(every[a], every[b]) for a, b in at]
    learners = kinship_learners.scores(every)
    best = np.array([abs(learners[a].max() - learners[b].max()) for a, b in at])
    numbers["difference of best accuracies"] = best.tolist()
    disagreement = kinship_learners.disagreement(learners)
    scratch, twin = help_of(every, at)
    asked = {"help": scratch, "help over twin": twin, "disagreement": np.array([disagreement[pair] for pair in at])}
    kin = np.array([tests.expected(a, b) for a, b in at])
    made = []
    for name, values in numbers.items():
        x = np.array(values)
        for what, y in asked.items():
            taken = what == "disagreement" and name != "difference of best accuracies"
            x_, y_ = (answers.rest(x, best), answers.rest(y, best)) if taken else (x, y)
            found = rank_correlation(x_, y_, len({test for pair in at for test in pair}))
            ends = found.spearman_interval or (None, None)
            made.append(answers.row("predicts", "dense", f"{name}: {what}", found.spearman, *ends))
        made.append(_tells(name, x, kin, at))
    return [*made, _redundancy(learners, ratios)]


# ---- help of pretraining ------------------------------------------------------------------------


def help_of(every: Mapping[str, LabelledDomain], at: Sequence[tuple[str, str]]) -> tuple[Any, Any]:
    """Return for each pair, both ways: accuracy with pretraining less that from scratch, and less that after a twin."""
    spaces = list(dict.fromkeys(test.shape for test in every.values()))
    x = {name: _placed(test, spaces) for name, test in every.items()}
    twins = {name: _twin(test, spaces) for name, test in every.items()}
    scratch = {name: [_accuracy(None, test, x[name], r) for r in range(REPETITIONS)] for name, test in every.items()}
    before = {name: [_trained(x[name][0], test.train_y, r) for r in range(REPETITIONS)] for name, test in every.items()}
    after = {name: [_trained(*twins[name], r) for r in range(REPETITIONS)] for name in every}

    def mean(made: Mapping[str, list[Any]], a: str, b: str) -> float:
        return float(np.mean([_accuracy(made[a][r], every[b], x[b], r) for r in range(REPETITIONS)]))

    helped = {(a, b): mean(before, a, b) for one, other in at for a, b in ((one, other), (other, one))}
    turned = {(a, b): mean(after, a, b) for a, b in helped}
    plain = np.array([(helped[a, b] + helped[b, a] - np.mean(scratch[a]) - np.mean(scratch[b])) / 2 for a, b in at])
    return plain, np.array([(helped[a, b] + helped[b, a] - turned[a, b] - turned[b, a]) / 2 for a, b in at])


def _placed(test: LabelledDomain, spaces: Sequence[tuple[int, ...]]) -> tuple[Any, Any]:
    """Return training and test samples in places of their own shape, others 0."""
    sizes = [int(np.prod(shape)) for shape in spaces]
    first = sum(sizes[: spaces.index(test.shape)])
    scale = 255.0 if test.is_image else 1.0
    placed = []
    for x in (test.train_x, test.test_x):
        whole = np.zeros((len(x), sum(sizes)))
        whole[:, first : first + int(np.prod(test.shape))] = x.reshape(len(x), -1) / scale
        placed.append(whole)
    return placed[0], placed[1]


def _twin(test: LabelledDomain, spaces: Sequence[tuple[int, ...]]) -> tuple[Any, Any]:
    """Return training samples and labels of a twin."""
    x = _placed(test, spaces)[0]
    places = np.flatnonzero((x != x[:1]).any(axis=0))
    present = tuple(int(label) for label in np.unique(test.train_y))
    key = (test.name, "pretraining")
    return permuted_places(x, places, tests.SEED, *key), deranged_labels(test.train_y, present, tests.SEED, *key)


def _network(seed: int) -> Any:
    return MLPClassifier((48, 48), learning_rate_init=0.003, batch_size=32, random_state=seed)


def _trained(x: Any, y: Any, seed: int, epochs: int = 12) -> Any:
    network = _network(seed)
    for _ in range(epochs):
        network.partial_fit(x[:BEFORE], y[:BEFORE], classes=np.arange(OUTPUTS))
    return network


def _accuracy(before: Any, test: LabelledDomain, placed: tuple[Any, Any], seed: int) -> float:
    """Return the accuracy after a few samples, from a trained network or from scratch."""
    network = _network(seed) if before is None else copy.deepcopy(before)
    for _ in range(12):
        network.partial_fit(placed[0][:AFTER], test.train_y[:AFTER], classes=np.arange(OUTPUTS))
    return float(network.score(placed[1], test.test_y))


# ---- others -------------------------------------------------------------------------------------


def _transport(one: LabelledDomain, other: LabelledDomain) -> float:
    """Return the optimal-transport distance with labels, samples padded to the longer ones."""
    width = max(int(np.prod(one.shape)), int(np.prod(other.shape)))
    given: list[Any] = []
    for test in (one, other):
        x = test.train_x[:150].reshape(min(150, len(test.train_x)), -1) / (255.0 if test.is_image else 1.0)
        given += [np.pad(x, ((0, 0), (0, width - x.shape[1]))), test.train_y[:150]]
    return known_baselines.transport(*given)[0]


def _tells(name: str, x: Any, kin: Any, at: Sequence[tuple[str, str]]) -> Row:
    """Return how surely a number is lower for kin than for strangers, with a jackknife over tests."""

    def area(rows: Any) -> float:
        near, far = x[rows & np.isin(kin, ("same", "kin"))], x[rows & (kin == "stranger")]
        return float(np.mean([(near[:, None] < far) + 0.5 * (near[:, None] == far)]))

    whole = area(np.ones(len(at), bool))
    names = sorted({test for pair in at for test in pair})
    left = np.array([area(np.array([name not in pair for pair in at])) for name in names])
    half = 1.96 * float(np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()))
    return answers.row("tells kin", "dense", name, whole, max(0.0, whole - half), min(1.0, whole + half))


def _redundancy(learners: Mapping[str, Any], ratios: Mapping[frozenset[str], Row]) -> Row:
    """Return how the space's share of others in a test goes with the redundancy of the learners' results."""
    pairs = [{"a": a, "b": b, "rho": float(row["rho"]) if row["rho"] else None}
             for (a, b), row in ((sorted(pair), row) for pair, row in ratios.items())]  # fmt: skip
    kept, by = answers.known(pairs)
    shared = 1 - uniqueness(1 - answers.matrix(kept, by, "rho"))
    share = redundancy.predicted(np.array([learners[name] for name in kept]).T, 0.95)[0]
    found = rank_correlation(shared, share)
    words = f"1 - uniqueness by relative dissimilarity, {len(kept)} tests (Spearman)"
    return answers.row("redundancy", "dense", words, found.spearman, *(found.spearman_interval or (None, None)))
