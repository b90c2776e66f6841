"""Baselines that people know, to compare complexities and dissimilarities with.

Per domain: complexity measures of a labelled data set (problexity), error of a linear model. Per pair of domains: the
optimal-transport distance between data sets (POT), what linear features of one data set lose on another. Numbers come
from a subsample; no network is trained.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import LabelledDomain

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Samples of a domain: x (n, F) as networks see them, y (n,) labels; of the training and of the test split."""

    name: str
    train_x: Floats
    train_y: Labels
    test_x: Floats
    test_y: Labels


def subsample(domain: LabelledDomain, samples: int, seed: int) -> LabelledDomain:
    """Return at most so many samples of each split, without replacement, in their old order, some of every class."""
    parts = {}
    for split in ("train", "test"):
        x, y = getattr(domain, f"{split}_x"), getattr(domain, f"{split}_y")
        rows = _drawn(y, samples, seeding.generator(seed, "known baselines", domain.name, split))
        parts[f"{split}_x"], parts[f"{split}_y"] = x[rows], y[rows]
    return replace(domain, **parts)


def _drawn(y: Labels, samples: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the rows of a draw: one of every class, then any others."""
    if len(y) <= samples:
        return np.arange(len(y), dtype=np.int64)
    order = random.permutation(len(y))
    _, first = np.unique(y[order], return_index=True)
    rest = np.delete(order, first)
    return np.sort(np.concatenate([order[first], rest[: max(0, samples - len(first))]])).astype(np.int64)


def flat(x: npt.NDArray[np.generic]) -> Floats:
    """Return samples as rows (n, F): pictures from [0, 255] to [0, 1], vectors as they are."""
    scale = 255.0 if x.dtype == np.uint8 else 1.0
    return np.asarray(x.reshape(len(x), -1), dtype=np.float64) / scale


LIBRARIES = {"problexity": "problexity", "ot": "POT"}  # what is imported -> the library's name


def lacking(module: str) -> str:
    """Return the sentence about a library that is not installed; empty where it is."""
    if find_spec(module) is not None:
        return ""
    return f"{LIBRARIES[module]} is not installed: pip install 'aiq[baselines]'"


MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "f1": "overlap of the most telling feature (Fisher's ratio)",
        "f3": "share of samples that the best feature leaves unclear",
        "l2": "training error of a linear classifier",
        "n1": "share of samples next to another class (spanning tree)",
        "n2": "distance within classes over distance between them",
        "n3": "error of the nearest neighbour, left one out",
        "lsc": "how few samples lie nearer than another class",
        "c1": "imbalance of the classes",
    }
)
"""Name -> what it is. All lie in [0, 1]; 0 is simple.

They are the measures of Lorena et al. (2019), ACM Computing Surveys 52(5), 107, that are defined for any number of
classes, give the same number each time, and cost at most the square of the samples times the features. Left out are
those that draw points at random (l3, n4), whose cost is the square of the features (f1v) or goes feature by feature
(f4), that build graphs (density, clsCoef, hubs), that recurse per sample (t1), and that tell the size of the subsample
(t2, t3, t4), or say the same again (f2, l1, c2).

Numbers are those of problexity, which differ from the paper in two places: n1 counts an edge between classes as half a
sample, where the paper counts the samples at its ends; n2 takes the second nearest sample of the other class.
"""


def complexity_measures(x: Floats, y: Labels, names: Sequence[str], seed: int) -> tuple[dict[str, float], list[str]]:
    """Return some of ``MEASURES`` of a data set, and a sentence for each that could not be computed.

    With more than two classes a measure is the mean over all pairs of classes ("one against one", Lorena et al. 2019,
    section 3.7); problexity computes it. ``x`` (n, F), ``y`` (n,), two different labels at least; ``seed``: of the
    order in which the linear classifier sees samples. Values lie in [0, 1], NaN where there is none.
    """
    import problexity

    values, reasons = {}, []
    for name in names:
        function = getattr(problexity.classification, name)
        calculator = problexity.ComplexityCalculator(
            metrics=[function], colors=["#000000"], ranges={"one": 1}, weights=np.ones(1), multiclass_strategy="ovo"
        )
        try:
            with _seeded(seed), warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
                warnings.simplefilter("ignore")  # features that are constant within two classes divide by 0
                value = float(calculator.fit(x, y).complexity[0])
        except Exception as error:
            value = float("nan")
            reasons.append(f"{name}: {type(error).__name__}: {' '.join(str(error).split())}")
        else:
            if not np.isfinite(value):
                value = float("nan")
                reasons.append(f"{name}: not defined for these samples")
        values[name] = value
    return values, reasons


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which the library uses, and put it back."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed % 2**32)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


STEPS = 500  # of the solver; a model that is not at its optimum by then counts as it is


class Probes:
    """Linear models of some domains, and probes on their features.

    The *features* of a domain A are the scores that a linear model (logistic regression, L2 penalty 1) gives to the
    classes of A, fitted on A's training samples: one number per class, one for two classes. A *probe* of A on B is a
    second logistic regression that sees A's features of B's samples, standardised, and learns B's labels. The *loss* of
    A on B is the test accuracy of the probe of B on itself minus that of A on B: 0 for A = B, above 0 where features of
    A serve B worse than its own, at most 1. ``samples``: by domain, all with the same number of features.
    """

    def __init__(self, samples: Mapping[str, Sample]) -> None:
        self._samples = samples
        self._models = {name: _fitted(sample.train_x, sample.train_y) for name, sample in samples.items()}
        self._accuracies: dict[tuple[str, str], float] = {}

    def error(self, name: str) -> float:
        """Return the test error of a domain's own linear model, in [0, 1]."""
        sample = self._samples[name]
        return 1 - float(np.mean(self._models[name].predict(sample.test_x) == sample.test_y))

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


def class_distances(x: Floats, y: Labels, other_x: Floats, other_y: Labels) -> Floats:
    """Return the squared distances of the classes of two data sets, taken as normal distributions.

    The squared 2-Wasserstein distance of two normal distributions is |m₁ − m₂|² + tr S₁ + tr S₂ − 2 tr (S₁ S₂)^½. For
    covariances of samples the last term is the sum of the singular values of X₁X₂ᵀ over √(n₁n₂), with centred
    samples as rows, so that no matrix of features × features is needed. ``x`` (n, F), ``y`` (n,), ``other_x`` (m, F),
    ``other_y`` (m,); the result (classes of y, classes of other_y), in rising order of the labels, in units of x².
    """
    classes, other_classes = (
        [_normal(a[b == label]) for label in np.unique(b)] for a, b in ((x, y), (other_x, other_y))
    )
    squares = np.zeros((len(classes), len(other_classes)))
    for i, (mean, centred) in enumerate(classes):
        for j, (other_mean, other_centred) in enumerate(other_classes):
            crossed = np.linalg.svd(centred @ other_centred.T, compute_uv=False).sum()
            spread = (centred**2).sum() + (other_centred**2).sum() - 2 * crossed
            squares[i, j] = ((mean - other_mean) ** 2).sum() + max(0.0, spread)
    return squares


def _normal(x: Floats) -> tuple[Floats, Floats]:
    """Return the mean (F,) of samples (n, F), and the centred samples over √n."""
    mean = x.mean(axis=0)
    return mean, (x - mean) / np.sqrt(len(x))


def transport(x: Floats, y: Labels, other_x: Floats, other_y: Labels) -> tuple[float, float]:
    """Return how far two data sets lie apart: with labels, and by their inputs alone.

    With labels it is the optimal-transport data set distance of order 2 with normal classes (Alvarez-Melis and Fusi
    2020, "Geometric dataset distances via optimal transport", NeurIPS, Eqs. 5 to 8): moving a sample costs the squared
    distance of the inputs and the squared distance of the two classes. Labels of the two sets need nothing in common.
    Without labels it is the 2-Wasserstein distance of the inputs. Both plans are exact (POT, ``ot.emd2``). Two
    finite samples of one distribution lie apart, too: the more so the more features there are. Arguments are as in
    ``class_distances``; both distances are ≥ 0, in units of x, the first at least the second.
    """
    import ot

    inputs = ot.dist(x, other_x)  # squared Euclidean
    rows, columns = (np.unique(labels, return_inverse=True)[1] for labels in (y, other_y))
    labelled = inputs + class_distances(x, y, other_x, other_y)[np.ix_(rows, columns)]
    costs = (float(ot.emd2([], [], cost, numItermax=1_000_000)) for cost in (labelled, inputs))
    whole, plain = (float(np.sqrt(max(0.0, cost))) for cost in costs)
    return whole, plain
