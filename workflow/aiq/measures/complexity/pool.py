"""The trials of one domain, arranged so that many subsets of a pool can be measured at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures.arguments import vector
from aiq.measures.complexity.envelope import Envelope
from aiq.records.arrays import Floats

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_BLOCK = 100


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Checked trials, the failed ones (performance NaN) among them; ``unit`` numbers the chunks from 0 without gaps."""

    performance: Floats
    size: Floats
    unit: Integers
    n_units: int

    @property
    def finished(self) -> Trials:
        """The trials that did not fail, their chunks numbered anew."""
        kept = ~np.isnan(self.performance)
        if kept.all():
            return self
        names, unit = np.unique(self.unit[kept], return_inverse=True)
        return Trials(self.performance[kept], self.size[kept], unit.astype(np.int64), names.size)

    @property
    def n_failed(self) -> int:
        """Number of trials without performance."""
        return int(np.isnan(self.performance).sum())


class Pool:
    """The trials of a pool arranged so that many subsets of its units can be measured at once."""

    def __init__(self, trials: Trials, rule: Envelope) -> None:
        """Sort the trials by bin and size."""
        self.rule, self.n_units = rule, trials.n_units
        self._bins: list[tuple[Integers, Floats]] = []
        in_bin = rule.bin_of(trials.performance)
        for k in range(rule.edges.size - 1):
            members = np.flatnonzero(in_bin == k)
            members = members[np.argsort(trials.size[members], kind="stable")]
            self._bins.append((trials.unit[members], trials.size[members]))

    def smallest(self, present: Booleans) -> Floats:
        """Return the smallest size in each bin among the units present, (S, units) → (S, B), inf where none."""
        result = np.full((present.shape[0], len(self._bins)), np.inf)
        for k, (unit, size) in enumerate(self._bins):
            if unit.size:
                hit = present[:, unit]
                first = hit.argmax(axis=1)
                result[:, k] = np.where(hit.any(axis=1), size[first], np.inf)
        return result

    def values(self, blocks: Iterator[Booleans], count: int) -> Floats:
        """Return the minimum's area of ``count`` subsets, shape (count,)."""
        areas = np.empty(count)
        row = 0
        for present in blocks:
            for smallest in self.smallest(present):
                areas[row] = self.rule.area(self.rule.curve(smallest)[0])
                row += 1
        return areas


def drawn_with_replacement(units: int, count: int, rng: np.random.Generator) -> Iterator[Booleans]:
    """Yield which units are in each of ``count`` bootstrap resamples, in blocks (rows, units)."""
    for start in range(0, count, _BLOCK):
        rows = min(_BLOCK, count - start)
        present = np.zeros((rows, units), dtype=np.bool_)
        present[np.arange(rows)[:, None], rng.integers(units, size=(rows, units))] = True
        yield present


def checked_trials(performance: npt.ArrayLike, size: npt.ArrayLike, chunk: npt.ArrayLike | None) -> Trials:
    """Check the trials of one domain."""
    reached, given = vector("performances", performance), vector("sizes", size)
    labels = np.arange(reached.size) if chunk is None else np.asarray(chunk)
    if not reached.shape == given.shape == labels.shape:
        lengths = f"{reached.shape[0]} performances, {given.shape[0]} sizes and {labels.size} chunk labels"
        raise InputError(f"there are {lengths}; every trial needs one of each")
    failed = np.isnan(reached)
    outside = reached[~failed & ~((reached >= 0) & (reached <= 1))]
    if outside.size:
        raise InputError(f"a performance is {outside[0]:g}; performances must lie in [0, 1] (NaN: failed trial)")
    bad = given[~(np.isfinite(given) & (given >= 0))]
    if bad.size:
        raise InputError(f"a policy size is {bad[0]:g}; sizes must be finite and not negative")
    if failed.all():
        raise InputError(
            f"all {failed.size} trials failed (performance NaN); complexity needs at least one that did not"
        )
    names, unit = np.unique(labels, return_inverse=True)
    return Trials(reached, given, unit.astype(np.int64), names.size)
