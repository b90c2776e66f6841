"""Delete-one jackknife over groups: standard errors, Student t intervals, covariances of several numbers.

A statistic is computed once from all groups and once without each of them. Numbers that rest on the same groups (the
domains of a suite over one pool) are columns of one table, so that their covariances are had too. Groups may be of
different size (Busing, Meijer and van der Leeden 1999, "Delete-m jackknife for unequal m"); with equal groups all
formulas are those of Efron and Stein (1981).

Errors of differences of two numbers that rest on the same groups, on some of the same, or on none.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from scipy.special import expit, gammaincinv, logit, stdtrit

from aiq.records.estimate import Floats, StandardError
from aiq.stats import sum_error

_ROUNDING = 1e-12


def influences(value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike) -> Floats:
    """Return each group's part A of the error, shape (G, D), G at least 2: AᵀA is the covariance matrix.

    It comes from the pseudovalues, what each group says by itself: h·θ − (h − 1)·θ₍₋g₎ with h = all members / the
    group's members. ``value`` (D,) is θ of all groups together, ``deleted`` (G, D) without each in turn, ``members``
    (G,) how many observations each has, at least 1.
    """
    whole, without = np.asarray(value, dtype=np.float64), np.asarray(deleted, dtype=np.float64)
    counts = np.asarray(members, dtype=np.float64)
    h = (counts.sum() / counts)[:, None]
    groups = counts.size
    centre = groups * whole - ((1 - 1 / h) * without).sum(axis=0)
    spread = (h * whole - (h - 1) * without - centre) / np.sqrt(groups * (h - 1))
    rounding = _ROUNDING * np.maximum(np.abs(whole), np.abs(without).max(axis=0)) * counts.sum() / counts.min()
    return np.where(np.abs(spread).max(axis=0) <= rounding, 0.0, spread)


def covariance(value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike) -> Floats:
    """Return the covariance matrix (D, D) of D numbers that rest on the same groups, see ``influences``."""
    parts = influences(value, deleted, members)
    return np.asarray(parts.T @ parts, dtype=np.float64)


def degrees(parts: npt.ArrayLike) -> Floats:
    """Return the degrees of freedom of the standard errors, shape (D,), in [1, G − 1].

    Satterthwaite's: 2·mean²/variance of the sum of squares, from the kurtosis κ of the groups' parts (G, D),
    2G/(κ − 1 + 2/(G − 1)), which is G − 1 for normal ones. Where few groups carry the error there are few.
    """
    squares = np.asarray(parts, dtype=np.float64) ** 2
    groups, total = squares.shape[0], squares.sum(axis=0)
    kurtosis = groups * (squares**2).sum(axis=0) / np.where(total > 0, total, 1.0) ** 2
    freedom = 2 * groups / (np.maximum(kurtosis, 1.0) - 1 + 2 / (groups - 1))
    return np.asarray(np.clip(freedom, 1, groups - 1), dtype=np.float64)


def interval(
    value: float, deleted: npt.ArrayLike, members: npt.ArrayLike, confidence: float = 0.95, scale: str = "plain"
) -> tuple[float, float] | None:
    """Return the Student t interval of one number θ, with the degrees of freedom of ``degrees``, from ``deleted`` (G,).

    ``scale`` is where the interval is symmetric: ``plain``, ``log`` for numbers that are positive, ``logit`` for
    numbers in (0, 1); a value outside has the plain scale. None where there are fewer than two groups, something is not
    finite, or leaving out a group never changes the number (an interval of no width would claim what was not measured).

    Raises:
        ValueError: the confidence is outside (0, 1), the scale is unknown, or the shapes do not fit.
    """
    without = np.asarray(deleted, dtype=np.float64)
    if without.shape[0] < 2 or not (np.isfinite(value) and np.isfinite(without).all()):
        return None
    parts = influences([value], without[:, None], members)
    error = float(np.sqrt((parts**2).sum()))
    if error == 0:
        return None
    half = float(stdtrit(degrees(parts)[0], (1 + confidence) / 2)) * error
    low, high = moved(np.array([value]), np.array([[-half], [half]]), scale)[:, 0]
    return float(low), float(high)


def drawn(
    value: npt.ArrayLike,
    parts: npt.ArrayLike,
    count: int,
    rng: np.random.Generator,
    scale: str = "plain",
    among: npt.ArrayLike | None = None,
) -> Floats:
    """Return draws (count, D) of D numbers around their values: t distributed, with the jackknife's covariances.

    A draw weighs every group's part of the error (``parts`` (G, D) of ``influences``) with a normal number of its own,
    the same for all D numbers, and divides by the root of χ²/ν with each number's degrees of freedom. Percentiles of
    the draws are those of ``interval``. With equal groups and an equal generator, numbers drawn apart (one domain a
    call) get the weights they would get together. ``among`` (H,) says which of H groups these are (G of them true), so
    that numbers on some of the groups get the weights that numbers on all of them get; None: these are all.
    """
    influence = np.asarray(parts, dtype=np.float64)
    chosen = np.ones(influence.shape[0], dtype=np.bool_) if among is None else np.asarray(among, dtype=np.bool_)
    weights = rng.standard_normal((count, chosen.size))[:, chosen]
    freedom = degrees(influence)
    squares = 2 * gammaincinv(freedom / 2, rng.uniform(size=(count, 1)))
    return moved(value, weights @ influence / np.sqrt(squares / freedom), scale)


def moved(value: npt.ArrayLike, steps: npt.ArrayLike, scale: str) -> Floats:
    """Return values (D,) after steps (N, D) of their own size, on a scale where they cannot leave their range.

    Raises:
        ValueError: the scale is unknown.
    """
    at, by = np.asarray(value, dtype=np.float64), np.asarray(steps, dtype=np.float64)
    plain = at + by
    if scale == "plain":
        return np.asarray(plain, dtype=np.float64)
    inside = (at > 0) & ((at < 1) | (scale == "log"))
    safe = np.where(inside, at, 0.5)
    with np.errstate(over="ignore"):
        bent = safe * np.exp(by / safe) if scale == "log" else expit(logit(safe) + by / (safe * (1 - safe)))
    return np.asarray(np.where(inside, bent, plain), dtype=np.float64)


# ---- Errors of differences of two numbers that share groups --------------------------------------


Parts = Mapping[int, float]
"""Label of a group -> its part of a number's error, as ``influences`` has it."""


def error(first: Parts, second: Parts, *, shared: bool) -> StandardError:
    """Return the standard error of second minus first, each with at least two groups.

    The squared error of a number is the sum of its groups' squared parts. Where groups of one label are the same in
    both (``shared``), their parts are subtracted first: what both numbers owe to a group cancels. That holds for
    numbers on different numbers of groups too, as a part has its number's weights in it. Groups of their own add up,
    with Satterthwaite's degrees of freedom.

    Raises:
        ValueError: a number rests on fewer than two groups.
    """
    if not shared:
        return sum_error([standard_error(np.array(list(parts.values()))) for parts in (first, second)])
    labels = sorted({*first, *second})
    return standard_error(np.array([second.get(label, 0.0) - first.get(label, 0.0) for label in labels]))


def standard_error(parts: Floats) -> StandardError:
    """Return the standard error of one number from its groups' parts, (G,)."""
    return StandardError(float(np.sqrt((parts**2).sum())), float(degrees(parts[:, None])[0]))
