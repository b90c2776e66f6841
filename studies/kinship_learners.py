"""Learners of other kinds than the networks that measure: how much they disagree on two tests."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from aiq.domains.base import LabelledDomain
from aiq.stats.ranks import rank_correlation

SAMPLES = 200  # of training


def scores(tests: dict[str, LabelledDomain]) -> dict[str, npt.NDArray[np.float64]]:
    """Return the accuracies of the learners on every test, in the order of ``_learners``."""
    return {name: np.array([_score(learner, test) for learner in _learners()]) for name, test in tests.items()}


def disagreement(found: Mapping[str, npt.ArrayLike]) -> dict[tuple[str, str], float]:
    """Return for every pair, in either order, 1 - Spearman of the learners' accuracies on the two tests."""
    apart = {}
    for a, b in combinations(found, 2):
        apart[a, b] = apart[b, a] = 1 - rank_correlation(found[a], found[b]).spearman
    return apart


def _learners() -> list[Any]:
    """Twelve learners, untrained."""
    return [
        *(KNeighborsClassifier(k) for k in (1, 9)), NearestCentroid(), GaussianNB(),
        *(DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (3, None)),
        RandomForestClassifier(50, random_state=0), ExtraTreesClassifier(50, random_state=0),
        LogisticRegression(max_iter=300), RidgeClassifier(), LinearDiscriminantAnalysis(), SVC(),
    ]  # fmt: skip


def _score(learner: Any, test: LabelledDomain) -> float:
    """Return the accuracy of a learner on one test."""
    scale = 255.0 if test.is_image else 1.0
    train, held = (x.reshape(len(x), -1).astype(np.float64) / scale for x in (test.train_x[:SAMPLES], test.test_x))
    return float(learner.fit(train, test.train_y[:SAMPLES]).score(held, test.test_y))
