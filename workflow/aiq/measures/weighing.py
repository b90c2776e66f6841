"""What each test of a suite counts: how hard it is, times how few others are like it.

Directions have today's scale: the largest dissimilarity of the suite is a right angle, cos = 1 - square / largest
square. Squares are the unbiased ones (signed^2 - se^2), and nothing is projected to a Euclidean space.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import draws as suite_draws
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.space import TestWeight, Weights
from aiq.seeding import generator
from aiq.stats import moderated_interval, sum_error

METHOD = "length times uniqueness over their sum"
NO_HARDER = "no test is shown to be harder than its base"
COPY = 32  # power of a cosine from which on tests share one place: .98 counts .52, .9 counts .03
NUMBERS = 4_000_000  # drawn cosines held at once
FEW = 3  # degrees of freedom below which they are told: a pool of fewer than four chunks


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """The suite with its tests sorted by name, so that no number depends on their order."""

    names: tuple[str, ...]
    length: Floats
    covariance: Floats | None
    counted: Floats
    cosines: _Cosines
    unique: Floats
    uniques: Floats | None
    length_df: float
    seed: int


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
) -> Weights:
    """Weigh the tests of a suite, with 95 % intervals.

    ``length`` (n,) is how hard each test is (relative excess), finite, below 0 by noise only; of any unit, for only
    ratios count. Of its errors are known ``length_se`` (n,), or the covariance (n, n) where tests share one pool, or
    ``length_replicates`` (B, n) about the lengths with their sign; ``length_df``: where they differ the smallest, which
    is cautious. ``dissimilarity`` (n, n) is given with its errors as ``measures.space.build`` takes it; the largest is
    a right angle. ``cosines`` of the tests' directions, (n, n), where they were measured as such, with
    ``cosine_replicates`` (B, n, n), are read in its place. ``draws`` replicates are drawn where standard errors are
    given.

    Where no test counts (all lengths 0, or their weighted sum is not above 0 by more than its error) ``reason`` says
    so, and nothing is refused.

    Raises:
        InputError: for input of the wrong shape or range, in one sentence.
    """
    given = suite_draws.check_names(domains)
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
    case = _Case(names, values, covariance, counted, directions, unique, uniques, float(length_df), seed)
    return _record(case).reordered(np.argsort(order))


def _ordered(array: npt.ArrayLike | None, order: list[int], axes: int) -> npt.ArrayLike | None:
    """Return an array with its last axes in another order; one of another shape as it is, to be refused."""
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
        return suite_draws.check_covariance(names, se)
    if replicates is None:
        return None
    drawn = np.asarray(replicates, dtype=np.float64)
    apart = drawn[np.isfinite(drawn).all(axis=1)] - values
    return np.asarray(apart.T @ apart / max(len(apart), 1))


def _directions(
    names: tuple[str, ...], areas: Sequence[Any], of_areas: float, cosines: Any, replicates: Any, of_cosines: float
) -> _Cosines:
    """Return the cosines, with draws about them where errors are known; arguments in the order of ``weigh``'s."""
    dissimilarity, se, end_se, drawn = areas
    if cosines is not None:
        return _given(cosines, replicates, of_cosines)
    if len(names) == 1:
        return _given(np.ones((1, 1)), None)
    if drawn is not None:
        return _of_replicates(names, dissimilarity, drawn)
    return _of_areas(names, dissimilarity, se, end_se, of_areas)


def _replicates(directions: _Cosines, count: int, rng: np.random.Generator) -> Floats | None:
    """Return draws of the uniquenesses, (B, n); None where nothing is known of the directions' errors."""
    if directions.draw is None:
        return None
    size = max(NUMBERS // directions.value.size, 1)
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
    interval = moderated_interval(float(value), sum_error(measured)) if measured else None
    if interval is None:
        how = f"{how}; its error is not known, no interval"
    elif np.isfinite(most):
        interval = (min(max(interval[0], least), float(value)), max(min(interval[1], most), float(value)))
    return Estimate(float(value), interval, len(case.names), how, case.seed)


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


# ---- Cosines of the tests' directions as they are measured, with draws of their errors -----------


def uniqueness(cosines: npt.ArrayLike, variance: npt.ArrayLike = 0.0) -> Floats:
    """Return u (..., n), in (0, 1]: 1 for a test that is like no other, 1/m for each of m copies.

    a_i = 1 / sum_j max(0, cos_ij)^32, so that copies share one place, and u_i = a_i / sum_j a_j max(0, cos_ij)^2, so
    that kin share the rest. Copies of one test take nothing from the others. Contradictory tests (cosine below 0) count
    as strangers. The sum of u is an effective number of tests.

    Args:
        cosines: of the tests' directions as measured, (..., n, n); the diagonal is not read and counts as 1.
        variance: squared standard errors of the cosines, (n, n): squares of cosines above 0 are freed of them, so that
            noise between many strangers does not add up to kinship.
    """
    positive = np.minimum(np.asarray(cosines, dtype=np.float64), 1.0)
    np.maximum(positive, 0.0, out=positive)
    own = np.eye(positive.shape[-1], dtype=bool)
    positive[..., own] = 1.0
    places = 1 / (positive**COPY).sum(axis=-1)
    squares = positive**2
    squares -= variance
    squares[~(positive > 0)] = 0.0
    squares[..., own] = 1.0
    squares *= places[..., None, :]
    return np.asarray(places / np.maximum(squares.sum(axis=-1), places))


@dataclass(frozen=True, slots=True, eq=False)
class _Cosines:
    """Cosines (n, n), their variances (n, n), and draws about them; ``draw`` is None where no errors are known.

    ``draw(rows, rng)`` gives those rows of all draws, (len(rows), n, n): called for one range after the other, so that
    not all need to be held at once.
    """

    value: Floats
    variance: Floats
    draw: Callable[[range, np.random.Generator], Floats] | None
    df: float = np.inf


def _of_areas(
    names: tuple[str, ...], signed: npt.ArrayLike, se: npt.ArrayLike | None, end_se: npt.ArrayLike | None, df: float
) -> _Cosines:
    """Return cosines from dissimilarities (n, n), or from signed areas where their standard errors are given."""
    d, _ = suite_draws.check_dissimilarity(names, suite_draws.without_diagonal(signed), se is not None)
    if se is None:
        return _Cosines(_scaled(d**2), np.zeros_like(d), None)
    errors = suite_draws.check_errors(names, se, end_se, df)
    squares = np.where(np.eye(len(d), dtype=bool), 0.0, d**2 - errors.variance)
    root = suite_draws.debiased(d, errors.variance)

    def draw(rows: range, source: np.random.Generator) -> Floats:
        return 1 - suite_draws.scaled(suite_draws.dissimilarities(root, errors, len(rows), source), root) ** 2

    return _Cosines(_scaled(squares), _variance(root, errors), draw, float(df))


def _variance(root: Floats, errors: suite_draws.Errors) -> Floats:
    """Return the variances of cosines 1 - d_ij^2 / d_top^2 (n, n), by the delta method.

    A square of a normal number of mean d and variance s^2 has the variance 4 d^2 s^2 + 2 s^4; two squares have the
    covariance 4 d d' c + 2 c^2, where c is what the pairs' errors share: the ends of their common tests.
    """
    top = float(root.max()) or 1.0
    a, b = np.unravel_index(int(root.argmax()), root.shape)
    own = errors.variance
    at = np.arange(len(root))
    of_a, of_b = (np.where(at == end, errors.ends**2, 0.0) for end in (a, b))
    shared = (of_a + of_b)[:, None] + (of_a + of_b)[None, :]
    shared[a, b] = shared[b, a] = own[a, b]

    def squares(d: Floats, other: Floats | float, c: Floats) -> Floats:
        return 4 * d * other * c + 2 * c**2

    far = (root / top) ** 2
    whole = float(squares(root, root, own)[a, b])
    variance = squares(root, root, own) + far**2 * whole - 2 * far * squares(root, top, shared)
    return np.asarray(np.where(np.eye(len(root), dtype=bool), 0.0, np.maximum(variance, 0.0)) / top**4)


def _of_replicates(names: tuple[str, ...], dissimilarity: npt.ArrayLike, replicates: npt.ArrayLike) -> _Cosines:
    """Return cosines from dissimilarities (n, n) with ready replicates (B, n, n)."""
    d, _ = suite_draws.check_dissimilarity(names, suite_draws.without_diagonal(dissimilarity))
    drawn = suite_draws.check_replicates("dissimilarity_replicates", replicates, d.shape)
    drawn = drawn[np.isfinite(drawn).all(axis=(1, 2))]
    drawn = np.where(np.eye(len(d), dtype=bool), 0.0, (drawn + drawn.transpose(0, 2, 1)) / 2)
    top = float(d.max()) or 1.0
    return _given(_scaled(d**2), 1 - suite_draws.scaled(drawn / top, d / top) ** 2)


def _given(cosines: npt.ArrayLike, replicates: npt.ArrayLike | None, df: float = np.inf) -> _Cosines:
    """Return cosines that were measured as such, with ready replicates (B, n, n) or None."""
    value = np.asarray(cosines, dtype=np.float64)
    if replicates is None:
        return _Cosines(value, np.zeros_like(value), None)
    drawn = np.asarray(replicates, dtype=np.float64)

    def draw(rows: range, source: np.random.Generator) -> Floats:
        ready = drawn[rows.start : rows.stop]
        lacking = len(rows) - len(ready)
        return np.concatenate([ready, drawn[source.integers(len(drawn), size=lacking)]]) if lacking else ready

    return _Cosines(value, drawn.var(axis=0), draw, df)


def _scaled(squares: Floats) -> Floats:
    top = float(squares.max())
    return np.asarray(1 - squares / top if top > 0 else np.ones_like(squares))
