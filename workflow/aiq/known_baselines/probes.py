"""Linear-probe transfer: what the linear features of one data set lose on another."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.known_baselines.samples import Floats, Sample

STEPS = 500  # of the solver; a model that is not at its optimum by then counts as it is


class Probes:
    """Linear models of some domains, and probes on their features.

    The *features* of a domain A are the scores that a linear model (logistic regression, L2 penalty 1) gives to the
    classes of A, fitted on A's training samples: one number per class, one for two classes. A *probe* of A on B is a
    second logistic regression that sees A's features of B's samples, standardised, and learns B's labels. The *loss* of
    A on B is the test accuracy of the probe of B on itself minus that of A on B: 0 for A = B, above 0 where features of
    A serve B worse than its own, at most 1.

    Args:
        samples: by domain, all with the same number of features.
    """

    def __init__(self, samples: Mapping[str, Sample]) -> None:
        self._samples = samples
        self._models = {name: _fitted(one.train_x, one.train_y) for name, one in samples.items()}
        self._accuracies: dict[tuple[str, str], float] = {}

    def error(self, name: str) -> float:
        """Return the test error of a domain's own linear model, in [0, 1]."""
        one = self._samples[name]
        return 1 - float(np.mean(self._models[name].predict(one.test_x) == one.test_y))

    def accuracy(self, source: str, target: str) -> float:
        """Return the test accuracy of the probe of one domain on another."""
        if (source, target) not in self._accuracies:
            model, on = self._models[source], self._samples[target]
            train, test = _standardised(_features(model, on.train_x), _features(model, on.test_x))
            self._accuracies[source, target] = float(np.mean(_fitted(train, on.train_y).predict(test) == on.test_y))
        return self._accuracies[source, target]

    def loss(self, source: str, target: str) -> float:
        """Return the loss of one domain's features on another domain, in [−1, 1]."""
        return self.accuracy(target, target) - self.accuracy(source, target)


def _fitted(x: Floats, y: npt.NDArray[np.int64]) -> Any:
    """Return a logistic regression."""
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the number of steps is bounded on purpose
        return LogisticRegression(max_iter=STEPS).fit(x, y)


def _features(model: Any, x: Floats) -> Floats:
    """Return the scores of the classes, (n, classes), or (n, 1) for two classes."""
    return np.asarray(model.decision_function(x), dtype=np.float64).reshape(len(x), -1)


def _standardised(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return features of mean 0 and deviation 1 on the training samples; constant ones are 0 there."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return (train - mean) / scale, (test - mean) / scale
