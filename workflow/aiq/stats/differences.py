"""Errors of differences of two numbers that rest on the same groups, on some of the same, or on none."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiq.records.estimate import StandardError
from aiq.stats import jackknife
from aiq.stats.moderated import sum_error

Parts = Mapping[int, float]
"""Label of a group -> its part of a number's error, as ``jackknife.influences`` has it."""


def error(first: Parts, second: Parts, *, shared: bool) -> StandardError:
    """Return the standard error of second minus first.

    The squared error of a number is the sum of its groups' squared parts. Where groups of one label are the same in
    both (``shared``), their parts are subtracted first: what both numbers owe to a group cancels. That holds for
    numbers on different numbers of groups too, as a part has its number's weights in it. Groups of their own add up,
    with Satterthwaite's degrees of freedom.

    Args:
        first: at least two groups.
        second: the same.
        shared: whether equal labels are equal groups.

    Raises:
        ValueError: a number rests on fewer than two groups.
    """
    if min(len(first), len(second)) < 2:
        raise ValueError("an error needs at least two groups")
    if not shared:
        return sum_error([_own(first), _own(second)])
    labels = sorted({*first, *second})
    return _own({label: second.get(label, 0.0) - first.get(label, 0.0) for label in labels})


def _own(parts: Parts) -> StandardError:
    values = np.array(list(parts.values()))
    return StandardError(float(np.sqrt((values**2).sum())), float(jackknife.degrees(values[:, None])[0]))
