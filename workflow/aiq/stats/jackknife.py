"""Delete-one jackknife over groups: standard errors, Student t intervals, covariances of several numbers.

A statistic is computed once from all groups and once without each of them. Numbers that rest on the same groups (the
domains of a suite over one pool) are columns of one table, so that their covariances are had too. Groups may be of
different size (Busing, Meijer and van der Leeden 1999, "Delete-m jackknife for unequal m"); with equal groups all
formulas are those of Efron and Stein (1981).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-12


def pseudovalues(value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike) -> Floats:
    """Return what each group says by itself: h·θ − (h − 1)·θ₍₋g₎ with h = all members / the group's members.

    Args:
        value: θ of all groups together, shape (D,) for D numbers over the same groups.
        deleted: θ without each group in turn, shape (G, D).
        members: how many observations each group has, shape (G,), at least 1 each.

    Returns:
        shape (G, D).

    Raises:
        ValueError: shapes do not fit, there are fewer than two groups, or a group is empty.
    """
    whole, without, counts = _checked(value, deleted, members)
    h = (counts.sum() / counts)[:, None]
    return np.asarray(h * whole - (h - 1) * without, dtype=np.float64)


def influences(value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike) -> Floats:
    """Return each group's part A of the error, shape (G, D): AᵀA is the covariance matrix.

    Args and errors as for ``pseudovalues``.
    """
    whole, without, counts = _checked(value, deleted, members)
    h = (counts.sum() / counts)[:, None]
    groups = counts.size
    centre = groups * whole - ((1 - 1 / h) * without).sum(axis=0)
    spread = (pseudovalues(whole, without, counts) - centre) / np.sqrt(groups * (h - 1))
    rounding = _ROUNDING * np.maximum(np.abs(whole), np.abs(without).max(axis=0)) * counts.sum() / counts.min()
    return np.where(np.abs(spread).max(axis=0) <= rounding, 0.0, spread)


def covariance(value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike) -> Floats:
    """Return the covariance matrix (D, D) of D numbers that rest on the same groups.

    Args and errors as for ``pseudovalues``.
    """
    parts = influences(value, deleted, members)
    return np.asarray(parts.T @ parts, dtype=np.float64)


def interval(
    value: float, deleted: npt.ArrayLike, members: npt.ArrayLike, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return the Student t interval of one number with G − 1 degrees of freedom.

    Args:
        value: θ of all groups together.
        deleted: θ without each group in turn, shape (G,).
        members: how many observations each group has, shape (G,).
        confidence: of the interval, in (0, 1).

    Returns:
        Low and high end; None where there are fewer than two groups, something is not finite, or leaving out a
        group never changes the number (an interval of no width would claim what was not measured).

    Raises:
        ValueError: the confidence is outside (0, 1), or the shapes do not fit.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is outside (0, 1)")
    without = np.asarray(deleted, dtype=np.float64)
    if without.shape[0] < 2 or not (np.isfinite(value) and np.isfinite(without).all()):
        return None
    error = float(np.sqrt(covariance([value], without[:, None], members)[0, 0]))
    if error == 0:
        return None
    half = float(stdtrit(without.shape[0] - 1, (1 + confidence) / 2)) * error
    return value - half, value + half


def replicates(
    value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike, count: int, rng: np.random.Generator
) -> Floats:
    """Return draws of D numbers around their values: multivariate t with the jackknife's covariance matrix.

    A draw weighs every group's part of the error with a normal number of its own, the same for all D numbers, and
    divides by the root of χ²/(G − 1). Percentiles of the draws are those of the Student t interval. With equal
    groups and an equal generator, numbers drawn apart (one domain a call) get the weights they would get together.

    Args:
        value: shape (D,).
        deleted: shape (G, D).
        members: shape (G,).
        count: number of draws.
        rng: source of randomness.

    Returns:
        shape (count, D).

    Raises:
        ValueError: as for ``pseudovalues``.
    """
    parts = influences(value, deleted, members)
    groups = parts.shape[0]
    weights = rng.standard_normal((count, groups))
    scale = np.sqrt(rng.chisquare(groups - 1, size=(count, 1)) / (groups - 1))
    return np.asarray(np.asarray(value, dtype=np.float64) + weights @ parts / scale, dtype=np.float64)


def _checked(value: npt.ArrayLike, deleted: npt.ArrayLike, members: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the three as arrays of fitting shapes."""
    whole, without = np.asarray(value, dtype=np.float64), np.asarray(deleted, dtype=np.float64)
    counts = np.asarray(members, dtype=np.float64)
    if whole.ndim != 1 or without.shape != (counts.size, whole.size) or counts.ndim != 1:
        raise ValueError(
            f"values of shape {whole.shape}, delete-one values of shape {without.shape} and members of shape "
            f"{counts.shape} do not fit; needed are (D,), (G, D) and (G,)"
        )
    if counts.size < 2:
        raise ValueError(f"a jackknife over {counts.size} groups is impossible; it needs at least two")
    if counts.min() < 1:
        raise ValueError("a group of a jackknife has no members")
    return whole, without, counts
