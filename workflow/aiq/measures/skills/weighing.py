"""What each test of a suite counts: how hard it is, times how few others are like it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import arguments
from aiq.measures.skills import cosines as angles
from aiq.measures.skills.cosines import Cosines, uniqueness
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.space import TestWeight, Weights
from aiq.seeding import generator
from aiq.stats import moderated_interval, sum_error

METHOD = "length times uniqueness over their sum"
NO_HARDER = "no test is shown to be harder than its base"
FEW = 3  # degrees of freedom below which they are told: a pool of fewer than four chunks


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """The suite with its tests sorted by name, so that no number depends on their order."""

    names: tuple[str, ...]
    length: Floats
    covariance: Floats | None
    counted: Floats
    cosines: Cosines
    unique: Floats
    uniques: Floats | None
    length_df: float
    seed: int
    confidence: float


def weigh(
    domains: Sequence[str],
    length: npt.ArrayLike,
    dissimilarity: npt.ArrayLike | None = None,
    *,
    length_se: npt.ArrayLike | None = None,
    length_replicates: npt.ArrayLike | None = None,
    length_df: float = np.inf,
    dissimilarity_se: npt.ArrayLike | None = None,
    end_se: npt.ArrayLike | None = None,
    dissimilarity_df: float = np.inf,
    dissimilarity_replicates: npt.ArrayLike | None = None,
    cosines: npt.ArrayLike | None = None,
    cosine_replicates: npt.ArrayLike | None = None,
    cosine_df: float = np.inf,
    draws: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Weights:
    """Weigh the tests of a suite.

    Args:
        domains: n distinct names.
        length: how hard each test is (relative excess), (n,), finite; below 0 by noise only. Any unit: only ratios
            count.
        dissimilarity: (n, n), as ``measures.space.build`` takes it: at least 0, or signed areas where
            ``dissimilarity_se`` is given. The largest is a right angle. Not read where ``cosines`` are given; needed
            otherwise for two tests and more.
        length_se: standard errors (n,), or the covariance (n, n) where tests share one pool.
        length_replicates: draws about the lengths, (B, n), with their sign, in place of ``length_se``.
        length_df: degrees of freedom of the lengths' errors; where they differ the smallest, which is cautious.
        dissimilarity_se: standard errors of the pairs' own parts, (n, n).
        end_se: standard errors of the parts that all pairs of a test share, (n,).
        dissimilarity_df: degrees of freedom of both.
        dissimilarity_replicates: ready draws, (B, n, n), in place of standard errors.
        cosines: of the tests' directions, (n, n), where they were measured as such.
        cosine_replicates: draws about them, (B, n, n).
        cosine_df: degrees of freedom of their errors.
        draws: how many replicates are drawn where standard errors are given.
        seed: root seed of all draws.
        confidence: of the intervals.

    Returns:
        the weights. Where no test counts (all lengths 0, or their weighted sum is not above 0 by more than its
        error) ``reason`` says so, and nothing is refused.

    Raises:
        InputError: for input of the wrong shape or range, in one sentence.
    """
    given = arguments.check_names(domains)
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence}; it must lie between 0 and 1")
    if length_se is not None and length_replicates is not None:
        raise InputError("length_se and length_replicates are both given; give one of them")
    order = sorted(range(len(given)), key=given.__getitem__)  # so that no draw depends on the order of the tests
    names = tuple(given[i] for i in order)
    values = np.asarray(_ordered(length, order, 1), dtype=np.float64)
    if values.shape != (len(names),) or not np.isfinite(values).all():
        raise InputError(f"length must hold one finite number for each of {len(names)} tests, not {values.tolist()}")
    rng = generator(seed, "skills", "weights")
    covariance = _covariance(
        names, values, _ordered(length_se, order, np.asarray(length_se).ndim), _ordered(length_replicates, order, 1)
    )
    pairs = (dissimilarity, dissimilarity_se, dissimilarity_replicates, cosines, cosine_replicates)
    matrix, se, drawn, angle, drawn_angles = (_ordered(argument, order, 2) for argument in pairs)
    areas = (matrix, se, _ordered(end_se, order, 1), drawn)
    directions = _directions(names, areas, dissimilarity_df, angle, drawn_angles, cosine_df)
    counted = np.maximum(values, 0.0)
    if covariance is not None:
        counted = np.where(values > np.sqrt(np.diag(covariance)), counted, 0.0)
    uniques = _replicates(directions, draws, rng)
    unique = uniqueness(directions.value, directions.variance)
    case = _Case(names, values, covariance, counted, directions, unique, uniques, float(length_df), seed, confidence)
    return _record(case).reordered(np.argsort(order))


def _ordered(array: npt.ArrayLike | None, order: list[int], axes: int) -> npt.ArrayLike | None:
    """Return an array with its last axes in another order; one of another shape stays as it is, to be refused."""
    if array is None:
        return None
    values = np.asarray(array)
    if values.ndim < axes or values.shape[-axes:] != (len(order),) * axes:
        return values
    return values[..., order] if axes == 1 else values[..., order, :][..., order]


def _covariance(
    names: tuple[str, ...], values: Floats, se: npt.ArrayLike | None, replicates: npt.ArrayLike | None
) -> Floats | None:
    """Return the covariance (n, n) of the lengths' errors; None where they are not known."""
    if se is not None:
        return arguments.check_covariance(names, se)
    if replicates is None:
        return None
    drawn = np.asarray(replicates, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1] != values.size or len(drawn) < 2:
        raise InputError(f"length_replicates has shape {drawn.shape}, expected (replicates, {values.size})")
    apart = drawn[np.isfinite(drawn).all(axis=1)] - values
    return np.asarray(apart.T @ apart / max(len(apart), 1))


def _directions(
    names: tuple[str, ...], areas: Sequence[Any], of_areas: float, cosines: Any, replicates: Any, of_cosines: float
) -> Cosines:
    """Return the cosines, with draws about them where errors are known; arguments in the order of ``weigh``'s."""
    dissimilarity, se, end_se, drawn = areas
    n = len(names)
    if cosines is not None:
        if np.shape(cosines) != (n, n) or not np.isfinite(np.asarray(cosines, dtype=np.float64)).all():
            raise InputError(f"cosines must hold one finite number for each of {n} by {n} pairs")
        return angles.given(cosines, replicates, of_cosines)
    if n == 1:
        return angles.given(np.ones((1, 1)), None)
    if dissimilarity is None:
        raise InputError("neither dissimilarity nor cosines are given; two tests and more need one of them")
    if drawn is not None:
        return angles.of_replicates(names, dissimilarity, drawn)
    return angles.of_areas(names, dissimilarity, se, end_se, of_areas)


def _replicates(directions: Cosines, count: int, rng: np.random.Generator) -> Floats | None:
    """Return draws of the uniquenesses, (B, n); None where nothing is known of the directions' errors."""
    if directions.draw is None:
        return None
    size = max(angles.NUMBERS // directions.value.size, 1)
    parts = [directions.draw(range(at, min(at + size, count)), rng) for at in range(0, count, size)]
    return np.concatenate([uniqueness(part, directions.variance) for part in parts])


def _record(case: _Case) -> Weights:
    n, weights = len(case.names), case.counted * case.unique
    total = float(weights.sum())
    share = weights / total if total > 0 else np.zeros(n)
    tests = tuple(
        TestWeight(
            name,
            _estimate(share[i], [_by_length(case, share, i, total), _by_place(case, share[i], i)], case, METHOD),
            _estimate(case.length[i], [_of_lengths(case, np.eye(n)[i])], case, "length as measured", np.inf),
            _estimate(case.unique[i], [_of_places(case, np.eye(n)[i])], case, "one over those who share its place"),
            _why(case, i),
        )
        for i, name in enumerate(case.names)
    )
    independent = _estimate(
        float(case.unique.sum()), [_of_places(case, np.ones(n))], case, "sum of uniquenesses", n, 1.0
    )
    return Weights(
        tests, independent, case.length, case.counted, case.unique, case.covariance, case.uniques, case.length_df,
        case.cosines.df, _reason(case, total), _warnings(case), METHOD, case.seed,
    )  # fmt: skip


def _of_lengths(case: _Case, along: Floats) -> StandardError | None:
    """Return the error of a sum of the lengths' errors, each so many times, (n,)."""
    if case.covariance is None:
        return None
    return StandardError(math.sqrt(max(float(along @ case.covariance @ along), 0.0)), case.length_df)


def _of_places(case: _Case, along: Floats) -> StandardError | None:
    if case.uniques is None:
        return None
    return StandardError(float(np.sqrt((((case.uniques - case.unique) @ along) ** 2).mean())), case.cosines.df)


def _by_length(case: _Case, share: Floats, i: int, total: float) -> StandardError | None:
    """Return what the lengths' errors do to the weight of test i, in first order."""
    along = case.unique * (np.eye(share.size)[i] - share[i])
    return _of_lengths(case, along / total if total > 0 else along)


def _by_place(case: _Case, share: float, i: int) -> StandardError | None:
    """Return what the directions' errors do to the weight of test i: draws are divided by their own sums."""
    if case.uniques is None or not case.counted.any():
        return None
    drawn = case.counted * case.uniques
    return StandardError(float(np.sqrt(((drawn[:, i] / drawn.sum(axis=1) - share) ** 2).mean())), case.cosines.df)


def _estimate(
    value: float, errors: Sequence[StandardError | None], case: _Case, how: str, most: float = 1.0, least: float = 0.0
) -> Estimate:
    """Return a number with Student's interval from independent errors, cut at its ends where ``most`` is finite."""
    measured = [error for error in errors if error is not None]
    interval = moderated_interval(float(value), sum_error(measured), case.confidence) if measured else None
    if interval is None:
        how = f"{how}; its error is not known, no interval"
    elif np.isfinite(most):
        interval = (min(max(interval[0], least), float(value)), max(min(interval[1], most), float(value)))
    return Estimate(float(value), interval, len(case.names), how, case.seed, case.confidence)


def _reason(case: _Case, total: float) -> str:
    if not case.length.any():
        return f"{NO_HARDER}: every length is 0"
    whole = float(case.length @ case.unique)
    interval = _estimate(whole, [_of_lengths(case, case.unique)], case, "", np.inf).interval
    if interval is not None and interval[0] <= 0:
        few = f"; few networks, {case.length_df:.1f} degrees of freedom" if case.length_df < FEW else ""
        span = f"{whole:.3g} [{interval[0]:.3g}, {interval[1]:.3g}]"
        return f"{NO_HARDER}: the sum of their weights is {span}, which may be 0{few}"
    return "" if total > 0 else f"{NO_HARDER}: no length is larger than its standard error"


def _why(case: _Case, i: int) -> str:
    if case.counted[i] == 0:
        return "counts nothing: not shown to be harder than its base"
    near = [j for j in np.argsort(-case.cosines.value[i], kind="stable") if j != i and case.cosines.value[i, j] > 0.5]
    alike = f"like {', '.join(case.names[j] for j in near[:3])}" if near else "like no other test"
    return f"{case.length[i] / case.counted.max():.0%} as hard as the hardest, {alike}"


def _warnings(case: _Case) -> tuple[str, ...]:
    warnings = []
    if case.covariance is None:
        warnings.append("without standard errors of the lengths no interval carries their uncertainty")
    if case.cosines.draw is None and len(case.names) > 1:
        warnings.append("without standard errors of the dissimilarities no interval carries their uncertainty")
    lost = [name for name, c in zip(case.names, case.counted, strict=True) if c == 0]
    if lost and case.counted.any():
        warnings.append(f"{', '.join(lost)}: not shown to be harder than any network can do, so it counts nothing")
    return tuple(warnings)
