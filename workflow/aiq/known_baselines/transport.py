"""The optimal-transport distance between two labelled data sets (Alvarez-Melis and Fusi 2020), exact on a subsample."""

from __future__ import annotations

import numpy as np

from aiq.known_baselines.samples import Floats, Labels


def class_distances(x: Floats, y: Labels, other_x: Floats, other_y: Labels) -> Floats:
    """Return the squared distances of the classes of two data sets, taken as normal distributions.

    The squared 2-Wasserstein distance of two normal distributions is |m₁ − m₂|² + tr S₁ + tr S₂ − 2 tr (S₁ S₂)^½. For
    covariances of samples the last term is the sum of the singular values of X₁X₂ᵀ over √(n₁n₂), with centred
    samples as rows, so that no matrix of features × features is needed.

    Args:
        x: (n, F) samples.
        y: (n,) labels.
        other_x: (m, F) samples of the other set.
        other_y: (m,) labels.

    Returns:
        (classes of y, classes of other_y), in rising order of the labels; units of x squared.
    """
    one, two = ([_normal(a[b == label]) for label in np.unique(b)] for a, b in ((x, y), (other_x, other_y)))
    found = np.zeros((len(one), len(two)))
    for i, (mean, centred) in enumerate(one):
        for j, (other_mean, other_centred) in enumerate(two):
            crossed = np.linalg.svd(centred @ other_centred.T, compute_uv=False).sum()
            spread = (centred**2).sum() + (other_centred**2).sum() - 2 * crossed
            found[i, j] = ((mean - other_mean) ** 2).sum() + max(0.0, spread)
    return found


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
    finite samples of one distribution lie apart, too: the more so the more features there are.

    Args:
        x: (n, F) samples.
        y: (n,) labels.
        other_x: (m, F) samples of the other set, in the same space.
        other_y: (m,) labels.

    Returns:
        The two distances, ≥ 0, in units of x. The first is at least the second.
    """
    import ot

    inputs = ot.dist(x, other_x)  # squared Euclidean
    rows, columns = (np.unique(labels, return_inverse=True)[1] for labels in (y, other_y))
    labelled = inputs + class_distances(x, y, other_x, other_y)[np.ix_(rows, columns)]
    costs = (float(ot.emd2([], [], cost, numItermax=1_000_000)) for cost in (labelled, inputs))
    whole, plain = (float(np.sqrt(max(0.0, cost))) for cost in costs)
    return whole, plain
