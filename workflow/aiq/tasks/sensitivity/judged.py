"""How far two sets of a suite's numbers lie apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from aiq.records.estimate import Estimate
from aiq.records.sensitivity import Change
from aiq.tasks.sensitivity.again import Numbers

Floats = npt.NDArray[np.float64]
FEWEST = 3  # values of which an order can be compared


def moved(base: Numbers, other: Numbers) -> dict[str, Any]:
    """Return what moved between two sets of numbers of the same domains, as fields of ``Tried``."""
    names = list(base.complexity)
    found: dict[str, Any] = {
        "complexity": _complexities(base, other, names),
        "dissimilarity": _matrices(base, other, names),
        "dimensions": other.space.dimensions,
    }
    if base.scores is None or other.scores is None:
        return found
    values, others = headlines(base), headlines(other)
    order = tuple(others)
    found["agents"] = _of_agents(values, others)
    volumes = ({one.agent: one.per_dimension for one in scores.agents} for scores in (base.scores, other.scores))
    found["volume"] = _of_agents(*volumes)
    found |= {"order": order, "same_order": order == tuple(values)}
    return found | {"values": {name: one.value for name, one in others.items()}}


def headlines(numbers: Numbers) -> dict[str, Estimate]:
    """Return the headline by agent, best first."""
    return {} if numbers.scores is None else {one.agent: one.headline for one in numbers.scores.agents}


def _of_agents(base: Mapping[str, Estimate], other: Mapping[str, Estimate]) -> Change:
    """Return how far a number of the agents moves."""
    before, after = (np.array([source[name].value for name in base]) for source in (base, other))
    return change(list(base), before, after, [one.interval for one in base.values()])


def _complexities(base: Numbers, other: Numbers, names: Sequence[str]) -> Change:
    """Return the change of the complexities, each run's divided by its largest.

    Intervals hold for one unit alone, and for sizes of the same learners.
    """
    first, second = ([numbers.complexity[name].complexity for name in names] for numbers in (base, other))
    before, after = (np.array([one.value for one in found]) for found in (first, second))
    like = base.learners == other.learners and all(
        base.complexity[name].unit == other.complexity[name].unit for name in names
    )
    outside = _outside(after, [one.estimate.interval for one in first]) if like else None
    largest, name, rank = _compared(names, _normalised(before), _normalised(after))
    return Change(largest, name, rank, outside)


def _matrices(base: Numbers, other: Numbers, names: Sequence[str]) -> Change:
    """Return the change of the dissimilarities between domains, each run's divided by its largest."""
    pairs = list(combinations(range(len(names)), 2))
    if not pairs:  # a suite of one domain
        return Change(float("nan"), "", None, None)
    before, after = (np.array([found[i, j] for i, j in pairs]) for found in (base.matrix, other.matrix))
    named = [f"{names[i]} – {names[j]}" for i, j in pairs]
    largest, name, rank = _compared(named, _normalised(before), _normalised(after))
    return Change(largest, name, rank, None)


def change(
    names: Sequence[str], before: Floats, after: Floats, intervals: Sequence[tuple[float, float] | None]
) -> Change:
    """Return the largest change of some values (n,), how far their order is kept, and how many leave their interval."""
    largest, name, rank = _compared(names, before, after)
    return Change(largest, name, rank, _outside(after, intervals))


def _compared(names: Sequence[str], before: Floats, after: Floats) -> tuple[float, str, float | None]:
    """Return the largest change, whose it is, and Spearman's rank correlation."""
    apart = np.abs(after - before)
    if not np.isfinite(apart).any():
        return float("nan"), "", None
    most = int(np.nanargmax(apart))
    rank = None
    if len(names) >= FEWEST and np.ptp(before) > 0 and np.ptp(after) > 0:
        rank = float(stats.spearmanr(before, after).statistic)
    return float(apart[most]), names[most], rank


def _outside(after: Floats, intervals: Sequence[tuple[float, float] | None]) -> tuple[int, int] | None:
    """Return how many values lie outside intervals, and how many intervals there are."""
    known = [(value, found) for value, found in zip(after, intervals, strict=True) if found is not None]
    if not known:
        return None
    return sum(not low <= value <= high for value, (low, high) in known), len(known)


def _normalised(values: Floats) -> Floats:
    """Return values divided by the largest of them; as they are where that is 0."""
    largest = float(np.nanmax(values))
    return values / largest if largest > 0 else values
