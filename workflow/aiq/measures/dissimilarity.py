"""Dissimilarity of two domains from the performance of policies trained on their mixtures.

Source: 2025 paper, Eqs. 7-9, section 2.5.3 and Fig. 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq import seeding, stats
from aiq.errors import InputError, choice
from aiq.measures.arguments import bootstrap_words, check_resampling, vector
from aiq.measures.consistency import matrix_report as matrix_report
from aiq.measures.folded import unfold
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import KINDS, Dissimilarity, NoiseFloor
from aiq.records.estimate import Estimate

ESTIMATORS = ("average_first", "per_repetition")


def mixed_performance(proportions: npt.ArrayLike, performance_a: npt.ArrayLike, performance_b: npt.ArrayLike) -> Floats:
    """Return the expected performance V_O(p) = p V_a + (1 - p) V_b on the mixed test (Eq. 8).

    Both parts are measured on the full test splits with the policy trained at p, which is exact and less
    noisy than drawing a mixed test set.

    Args:
        proportions: probability p of drawing from the first domain, shape (P,).
        performance_a: performance on the first domain of the policies trained at p, shape (..., P).
        performance_b: the same on the second domain.

    Returns:
        shape (..., P); NaN where a policy failed on either.

    Raises:
        InputError: for proportions or performances outside [0, 1] or shapes that do not match.
    """
    p = _proportions(proportions)
    on_a, on_b = _performances(performance_a, p.size), _performances(performance_b, p.size)
    if on_a.shape != on_b.shape:
        raise InputError(f"performances on the two domains have shapes {on_a.shape} and {on_b.shape}; give equal ones")
    return np.asarray(p * on_a + (1 - p) * on_b, dtype=np.float64)


def measure(
    proportions: npt.ArrayLike,
    performance: npt.ArrayLike,
    *,
    reverse: npt.ArrayLike | None = None,
    estimator: str = "average_first",
    chosen: str = "plain",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Dissimilarity:
    """Measure the dissimilarity of a pair: the area between V_O(p) and the line between its ends (Eq. 9).

    The area is the trapezoid rule of |V_O - V_d| at the given proportions. An absolute value turns noise
    into a positive bias; averaging V_O over the repetitions first keeps it small, the area per repetition
    does not. ``corrected`` removes it point by point (``aiq.measures.folded``) with the standard errors
    over the repetitions. Intervals are percentile bootstraps over repetitions; the standard errors are
    held fixed in them. They are too narrow with few repetitions (in simulations a nominal 95 % covered
    about 75 % with 3 and 87 % with 5 to 10, less where the area is hardly above the noise), and that of
    the plain area of two equal domains lies above 0 by construction.

    Args:
        proportions: probability p of the first domain, shape (P,), distinct, in any order, 0 and 1 among them.
        performance: V_O of each repetition, shape (R, P) (or (P,) for one), in [0, 1]; a repetition with a
            NaN failed and is left out and counted.
        reverse: V_O of repetitions in which the pair was measured in the other order, shape (Q, P), at the
            same proportions of the second domain; they join the others, mirrored.
        estimator: ``average_first`` or ``per_repetition`` (of the plain area).
        chosen: which value enters the space: ``plain`` (the paper's), ``corrected`` or ``signed``.
        resamples: bootstrap resamples; 0 gives no interval.
        confidence: of the intervals.
        seed: root seed of the resampling.

    Raises:
        InputError: where proportions, performances or an option cannot be used.
    """
    if estimator not in ESTIMATORS:
        raise InputError(choice("the estimator of the plain area", estimator, ESTIMATORS))
    if chosen not in KINDS:
        raise InputError(choice("the dissimilarity that enters the space", chosen, KINDS))
    check_resampling(resamples, confidence)
    p, curves, failed = _curves(proportions, performance, reverse)
    count = len(curves)
    if chosen == "corrected" and count < 2:
        raise InputError("the corrected dissimilarity needs at least 2 repetitions that did not fail; there is 1")
    rng = seeding.generator(seed, "dissimilarity", "bootstrap")
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=resamples) / count
    areas = _Areas(p, curves, estimator)
    kinds = KINDS if count > 1 else ("plain", "signed")
    replicates = {kind: areas.of(kind, drawn) for kind in kinds}
    note = f"trapezoid rule at {p.size} proportions; {bootstrap_words('repetitions', count, resamples)}"
    estimates = {
        kind: Estimate(
            value=float(areas.of(kind, np.full((1, count), 1 / count))[0]),
            interval=stats.percentile_interval(replicates[kind], confidence) if count > 1 else None,
            n=count,
            method=f"{kind} area{f' ({estimator})' if kind == 'plain' else ''}, {note}",
            seed=seed,
            confidence=confidence,
        )
        for kind in kinds
    }
    mean = curves.mean(axis=0)
    return Dissimilarity(
        proportions=p,
        observed=mean,
        line=_line(p, mean),
        plain=estimates["plain"],
        signed=estimates["signed"],
        corrected=estimates.get("corrected"),
        chosen=chosen,
        replicates=replicates[chosen],
        n=count,
        n_failed=failed,
    )


def _curves(
    proportions: npt.ArrayLike, performance: npt.ArrayLike, reverse: npt.ArrayLike | None
) -> tuple[Floats, Floats, int]:
    """Return rising proportions (P,), the curves of both orders that did not fail (R, P), and how many failed."""
    p = _grid(proportions)
    curves = _repetitions(performance, p.size)
    if reverse is not None:
        curves = np.concatenate([curves, _mirrored(_repetitions(reverse, p.size), p)])
    order = np.argsort(p)
    failed = np.isnan(curves).any(axis=1)
    if failed.all():
        raise InputError(f"all {failed.size} repetitions failed (performance NaN); needed is at least one that did not")
    return p[order], curves[~failed][:, order], int(failed.sum())


def noise_floor(self_pairs: Sequence[Dissimilarity], *, resamples: int = 1000, seed: int = 0) -> NoiseFloor:
    """Return the noise floor of a suite from the dissimilarities of its domains with themselves.

    Args:
        self_pairs: one record of DS(a, a) a domain, all with the same choice of value and equally many
            replicates. Signed areas count by their absolute value.
        resamples: bootstrap resamples over the self-pairs for the interval of the mean.
        seed: root seed of the resampling.

    Raises:
        InputError: without self-pairs, or where they were measured in different ways.
    """
    check_resampling(resamples, 0.95)
    if not self_pairs:
        raise InputError("there is no self-pair; a noise floor needs the dissimilarity of a domain with itself")
    ways = {(record.chosen, record.replicates.size) for record in self_pairs}
    if len(ways) > 1:
        raise InputError(f"self-pairs must be measured in one way, but (chosen value, resamples) are {sorted(ways)}")
    values = np.abs([record.value for record in self_pairs])
    rng = seeding.generator(seed, "dissimilarity", "noise floor")
    means = values[rng.integers(values.size, size=(resamples, values.size))].mean(axis=1)
    mean = Estimate(
        value=float(values.mean()),
        interval=stats.percentile_interval(means) if values.size > 1 else None,
        n=values.size,
        method=f"mean over self-pairs; {bootstrap_words('self-pairs', values.size, resamples)}",
        seed=seed,
    )
    replicates = np.column_stack([np.abs(record.replicates) for record in self_pairs])
    return NoiseFloor(values, replicates, mean, self_pairs[0].chosen)


class _Areas:
    """The areas of one pair for any weighting of its repetitions."""

    def __init__(self, p: Floats, curves: Floats, estimator: str) -> None:
        """Keep each repetition's departure from its own line; its mean is the departure of the mean curve."""
        self._p = p
        self._estimator = estimator
        self._departure = curves - _line(p, curves)
        count = len(curves)
        spread = self._departure.std(axis=0, ddof=1) if count > 1 else np.zeros(p.size)
        self._error = spread / np.sqrt(count)

    def of(self, kind: str, weights: Floats) -> Floats:
        """Return the area of a kind for each row of weights over the repetitions, (S, R) → (S,)."""
        mean = weights @ self._departure
        if kind == "signed":
            return self._integral(-mean)
        if kind == "corrected":
            return self._integral(unfold(np.abs(mean), self._error))
        if self._estimator == "per_repetition":
            return np.asarray(weights @ self._integral(np.abs(self._departure)), dtype=np.float64)
        return self._integral(np.abs(mean))

    def _integral(self, values: Floats) -> Floats:
        """Return the trapezoid rule over the proportions, (..., P) → (...,)."""
        return np.asarray(np.trapezoid(values, self._p, axis=-1), dtype=np.float64)


def _line(p: Floats, curves: Floats) -> Floats:
    """Return V_d(p) between the values at p = 0 (first) and p = 1 (last), shape of ``curves`` (Eq. 7)."""
    return np.asarray(curves[..., -1:] * p + curves[..., :1] * (1 - p), dtype=np.float64)


def _proportions(proportions: npt.ArrayLike) -> Floats:
    """Return proportions in [0, 1] or refuse them."""
    p = vector("proportions", proportions)
    outside = p[~((p >= 0) & (p <= 1))]
    if outside.size:
        raise InputError(f"a proportion is {outside[0]:g}; proportions must lie in [0, 1]")
    return p


def _grid(proportions: npt.ArrayLike) -> Floats:
    """Return proportions over which can be integrated from 0 to 1, or refuse them."""
    p = _proportions(proportions)
    distinct, counts = np.unique(p, return_counts=True)
    if (counts > 1).any():
        raise InputError(f"the proportion {distinct[counts > 1][0]:g} is given more than once; give each one once")
    for end in (0, 1):
        if end not in distinct:
            raise InputError(
                f"the proportion {end} is missing; the line is drawn between proportions 0 and 1, give both"
            )
    return p


def _performances(values: npt.ArrayLike, count: int) -> Floats:
    """Return performances in [0, 1] (or NaN) with ``count`` proportions along the last axis, or refuse them."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"performances must be numbers in a regular table: {error}") from error
    if array.ndim == 0 or array.size == 0 or array.shape[-1] != count:
        raise InputError(f"performances have shape {array.shape}; needed are {count} a repetition, one a proportion")
    outside = array[~np.isnan(array) & ~((array >= 0) & (array <= 1))]
    if outside.size:
        raise InputError(f"a performance is {outside[0]:g}; performances must lie in [0, 1] (NaN: failed)")
    return array


def _repetitions(values: npt.ArrayLike, count: int) -> Floats:
    """Return performances as a table (R, P) or refuse them."""
    array = np.atleast_2d(_performances(values, count))
    if array.ndim != 2:
        raise InputError(f"performances have shape {array.shape}; needed is (repetitions, proportions)")
    return array


def _mirrored(curves: Floats, p: Floats) -> Floats:
    """Return curves over proportions of the second domain as curves over those of the first, columns as in p."""
    order = np.argsort(p)
    if not np.allclose(p[order] + p[order][::-1], 1, rtol=0, atol=1e-9):
        raise InputError(
            "both orders can be joined only at proportions that lie evenly about 1/2, such as 0, 0.1 ... 1"
        )
    mirrored = np.empty_like(curves)
    mirrored[:, order] = curves[:, order[::-1]]
    return mirrored
