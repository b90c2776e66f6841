"""Similarity of two tests from the performance on each and on their mixture.

Source: Pereyda and Holder, "Measuring the Relative Similarity and Difficulty Between AI Benchmark Problems" (2020),
Eqs. 1 to 3. What that paper calls similarity, the departure of a mixture from the straight line, the 2025 paper calls
dissimilarity: at p = 1/2, |S| = 2 |departure from the line| / |V_A - V_B| for a sufficient agent.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from aiq.errors import InputError
from aiq.measures.arguments import vector
from aiq.measures.similarity.sufficiency import Noise
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate
from aiq.records.similarity import Segment, Similarity
from aiq.stats.fieller import clipped, fieller_set, joined

APART = 2.0  # standard errors between V_A and V_B from which on a value is given
_NEAR = 1e-9


def distance_difference(v_a: npt.ArrayLike, v_b: npt.ArrayLike, v_ab: npt.ArrayLike) -> Floats:
    """Return Eq. 2, |V_A - V_AB| - |V_B - V_AB|, in units of performance, element by element."""
    a, b, m = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (v_a, v_b, v_ab)))
    return np.asarray(np.abs(a - m) - np.abs(b - m))


def normalised(v_a: npt.ArrayLike, v_b: npt.ArrayLike, v_ab: npt.ArrayLike) -> Floats:
    """Return Eq. 3, Eq. 2 over |V_A - V_B|, in [-1, 1], element by element; NaN where V_A = V_B.

    The larger of the first two counts as V_A, the easier test, whatever the order given. With V_A ≥ V_AB ≥ V_B it is
    (V_A + V_B - 2 V_AB) / (V_A - V_B); above V_A it is -1, below V_B 1.
    """
    given = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (v_a, v_b, v_ab)))
    a, b = np.maximum(given[0], given[1]), np.minimum(given[0], given[1])
    gap = a - b
    ratio = np.divide(distance_difference(a, b, given[2]), gap, out=np.full(gap.shape, np.nan), where=gap > 0)
    return np.asarray(np.clip(ratio, -1, 1))


def implied(v_a: npt.ArrayLike, v_b: npt.ArrayLike, similarity: npt.ArrayLike) -> Floats:
    """Return V_AB that Eq. 3 implies for a sufficient agent, (V_A + V_B - S |V_A - V_B|) / 2, element by element.

    Args:
        v_a: performance on one test.
        v_b: on the other, in either order.
        similarity: the signed S of Eq. 3.
    """
    a, b, s = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (v_a, v_b, similarity)))
    return np.asarray((a + b - s * np.abs(a - b)) / 2)


def measure(
    proportions: npt.ArrayLike,
    performance: npt.ArrayLike,
    *,
    at: float = 0.5,
    paired: bool = False,
    self_pair: bool = False,
    confidence: float = 0.95,
) -> Similarity:
    """Measure S(A, B, p) on mixture curves, as those of the dissimilarity of 2025: nothing is trained for it.

    Args:
        proportions: share of the first domain, shape (P,), distinct; 0, 1 and ``at`` among them. Where the second
            domain is the easier one, the share of A is that of the second, and 1 - ``at`` is read.
        performance: on the mixed test, shape (R, P) or (P,), any finite numbers; NaN: a failed training, left out
            and counted. S does not change when all performances are scaled and shifted alike.
        at: share of the easier test, inside (0, 1).
        paired: whether the trainings of a repetition share something (a seed, a split). Independent trainings
            (False) give more degrees of freedom; a common positive correlation only widens such intervals.
        self_pair: both domains are one: 0/0, undefined.
        confidence: of intervals and of the set.

    Raises:
        InputError: where proportions, performances or an option cannot be used.
    """
    p = vector("proportions", proportions)
    curves = _table(performance, p.size)
    _check_at(at)
    ends = [_values(curves, _place(p, end)) for end in (1.0, 0.0)]
    swapped = bool(np.mean(ends[1]) > np.mean(ends[0]))
    columns = [_place(p, where) for where in (1.0, 0.0, 1 - at if swapped else at)]
    if swapped:
        columns[:2] = columns[1::-1]
    chosen = curves[:, columns]
    if paired:
        chosen = chosen[np.isfinite(chosen).all(axis=1)]
    alone_a, alone_b, merged = (chosen[np.isfinite(chosen[:, k]), k] for k in range(3))
    failed = int(np.isnan(curves[:, columns]).sum()) if not paired else len(curves) - len(chosen)
    return _measured(alone_a, alone_b, merged, at, paired, self_pair, confidence, swapped, failed)


def from_values(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    merged: npt.ArrayLike,
    *,
    at: float = 0.5,
    paired: bool = False,
    self_pair: bool = False,
    confidence: float = 0.95,
) -> Similarity:
    """Measure S(A, B, p) from repetitions on each test alone and on the mixture with the share ``at`` of the easier.

    Args:
        first: performances of the repetitions on one test, shape (R,).
        second: on the other, shape (S,).
        merged: on the mixture, shape (T,); with ``paired`` R = S = T.
        at: as in :func:`measure`, and so the other options.
        paired: whether equal places belong together.
        self_pair: both tests are one.
        confidence: of intervals and of the set.

    Raises:
        InputError: values that are not finite, unequal numbers of paired ones, an option out of range.
    """
    _check_at(at)
    values = [vector(f"performances {what}", v) for what, v in zip(_PLACES, (first, second, merged), strict=True)]
    for what, found in zip(_PLACES, values, strict=True):
        if not np.isfinite(found).all():
            raise InputError(f"performances {what} hold numbers that are not finite; leave failed repetitions out")
    if paired and len({found.size for found in values}) > 1:
        sizes = ", ".join(str(found.size) for found in values)
        raise InputError(f"paired performances have {sizes} repetitions; give equally many of all three")
    swapped = bool(values[1].mean() > values[0].mean())
    if swapped:
        values[:2] = values[1::-1]
    return _measured(values[0], values[1], values[2], at, paired, self_pair, confidence, swapped, 0)


def counted(similarity: Similarity, failed: int) -> Similarity:
    """Return the record with the number of trainings that were lost before it was measured.

    Raises:
        InputError: the number is negative.
    """
    if failed < 0:
        raise InputError(f"{failed} lost trainings are told; there are 0 or more")
    return replace(similarity, n_failed=similarity.n_failed + failed)


_PLACES = ("on the first test", "on the second test", "on the mixture")


def _measured(
    alone_a: Floats,
    alone_b: Floats,
    merged: Floats,
    at: float,
    paired: bool,
    self_pair: bool,
    confidence: float,
    swapped: bool,
    failed: int,
) -> Similarity:
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")
    groups = (alone_a, alone_b, merged)
    if any(group.size == 0 for group in groups):
        raise InputError("all repetitions failed at one of the proportions 0, at and 1; needed is one that did not")
    a, b, m = (float(group.mean()) for group in groups)
    noise = Noise(groups, paired) if min(group.size for group in groups) > 1 else None
    separation = None if noise is None else noise.separation(a - b)
    apart = a > b if separation is None else separation >= APART
    known = noise is not None and not self_pair
    return Similarity(
        value=float(normalised(a, b, m)) if apart and not self_pair else None,
        segments=_confidence_set(a, b, m, noise, confidence) if noise is not None and known else (),
        at=at,
        v_a=_mean(alone_a, confidence),
        v_b=_mean(alone_b, confidence),
        v_ab=_mean(merged, confidence),
        sufficient=noise.between(a, b, m) if noise is not None and known else None,
        separation=separation,
        swapped=swapped,
        self_pair=self_pair,
        n=min(group.size for group in groups),
        n_failed=failed,
        method="Eq. 3 of the means; Fieller's set, " + ("paired" if paired else "independent") + " repetitions",
        confidence=confidence,
    )


def _confidence_set(a: float, b: float, m: float, noise: Noise, confidence: float) -> tuple[Segment, ...]:
    """Return Fieller's set of (V_A + V_B - 2 V_AB) / (V_A - V_B), cut to [-1, 1] as Eq. 3 is.

    Where it is not bounded, it is not known either which test is the easier one. S changes its sign with that, so the
    set is joined with its mirror image.
    """
    over, under = (1, 1, -2), (1, -1, 0)
    shared = (noise.of(over, over), noise.of(over, under), noise.of(under, under))
    at = float(np.nan_to_num(normalised(a, b, m)))
    freedom = noise.freedom((1 - at, 1 + at, -2))
    critical = float(stdtrit(freedom, (1 + confidence) / 2))
    found = fieller_set(a + b - 2 * m, a - b, shared, critical)
    if any(math.isinf(end) for segment in found for end in segment):
        found = joined([*found, *((-high, -low) for low, high in found)])
    return clipped(found, -1.0, 1.0)


def _mean(values: Floats, confidence: float) -> Estimate:
    value, interval = float(values.mean()), None
    if values.size > 1:
        half = float(stdtrit(values.size - 1, (1 + confidence) / 2) * values.std(ddof=1)) / values.size**0.5
        interval = (value - half, value + half)
    return Estimate(value, interval, values.size, "mean of repetitions; t interval", None, confidence)


def _check_at(at: float) -> None:
    if not 0 < at < 1:
        raise InputError(
            f"the proportion is {at:g}; it must lie strictly between 0 and 1 (at the ends S is 1 and -1 by definition)"
        )


def _table(performance: npt.ArrayLike, count: int) -> Floats:
    try:
        curves = np.atleast_2d(np.asarray(performance, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InputError(f"performances must be numbers in a regular table: {error}") from error
    if curves.ndim != 2 or curves.shape[1] != count:
        raise InputError(f"performances have shape {curves.shape}; needed are {count} a repetition, one a proportion")
    if np.isinf(curves).any():
        raise InputError("a performance is infinite; performances must be finite (NaN: failed)")
    return curves


def _place(p: Floats, wanted: float) -> int:
    found = np.flatnonzero(np.abs(p - wanted) < _NEAR)
    if found.size == 1:
        return int(found[0])
    if found.size:
        raise InputError(f"the proportion {wanted:g} is given more than once; give each one once")
    given = ", ".join(f"{value:g}" for value in np.sort(p))
    raise InputError(
        f"the proportion {wanted:g} is missing (given are {given}); the similarity needs 0, 1 and the share of the "
        "easier test at which it is asked for"
    )


def _values(curves: Floats, column: int) -> Floats:
    values: Floats = curves[np.isfinite(curves[:, column]), column]
    if values.size == 0:
        raise InputError("all repetitions failed (performance NaN) at one of the proportions 0 and 1")
    return values
