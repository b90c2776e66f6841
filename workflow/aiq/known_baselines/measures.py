"""Complexity measures of a labelled data set, as the library problexity computes them."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from aiq.known_baselines.samples import Floats, Labels

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
    section 3.7); problexity computes it.

    Args:
        x: (n, F) samples.
        y: (n,) labels, at least two different ones.
        names: keys of ``MEASURES``.
        seed: of what the library draws at random (the order in which the linear classifier sees samples).

    Returns:
        Name -> value in [0, 1], NaN where there is none; and the reasons.
    """
    import problexity

    found, reasons = {}, []
    for name in names:
        function = getattr(problexity.classification, name)
        one = problexity.ComplexityCalculator(
            metrics=[function], colors=["#000000"], ranges={"one": 1}, weights=np.ones(1), multiclass_strategy="ovo"
        )
        try:
            with _seeded(seed), warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
                warnings.simplefilter("ignore")  # features that are constant within two classes divide by 0
                value = float(one.fit(x, y).complexity[0])
        except Exception as error:
            value = float("nan")
            reasons.append(f"{name}: {type(error).__name__}: {' '.join(str(error).split())}")
        else:
            if not np.isfinite(value):
                value = float("nan")
                reasons.append(f"{name}: not defined for these samples")
        found[name] = value
    return found, reasons


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which the library uses, and put it back."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed % 2**32)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
