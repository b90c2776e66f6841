"""What directs the domains: their distances, with what is known of their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import dissimilarity
from aiq.measures.space.draws import Errors
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.relative import RelativePair
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity
from aiq.tasks.suite.reducing.locating import completed

Floats = npt.NDArray[np.float64]


def distances(suite: SuiteDissimilarity, distance: str = "departure", seed: int = 0) -> tuple[Floats, dict[str, Any]]:
    """Return the matrix (n, n) that makes the geometry, and what is known of its errors, as options of ``build``.

    By transfer these are distances of ``transfer_geometry``, with replicates where every error is known; relative ones
    are roots of 1 - cosine, with the cosines themselves and replicates of both. Else, where
    unbiased squares are asked for and the error of every pair is known, these are the signed areas with the
    standard error of each pair and of the end of each domain, or what landmarks make of them, with replicates. Else the
    chosen values and their replicates.
    """
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    if distance == "transfer":
        return _by_transfer(suite.domains, records, suite.draws, seed)
    if distance == "relative":
        return by_relative(suite.domains, suite.relative, suite.draws, seed)
    if not suite.errors_known:
        return suite.matrix, {"dissimilarity_replicates": suite.replicates}
    errors = dissimilarity.suite_errors(suite.domains, records)
    apart = np.where(np.eye(len(suite.domains), dtype=bool), 0.0, errors.end).max(axis=1)
    df = float(np.nanmin(errors.df_inner))
    if suite.completion is not None:
        known = Errors(np.nan_to_num(errors.se_inner), apart, df)
        return completed(errors.signed, known, suite.completion.landmarks, seed)
    found: dict[str, Any] = {"dissimilarity_se": errors.se_inner, "dissimilarity_df": df}
    return errors.signed, found | ({"end_se": apart} if apart.any() else {})


def by_relative(
    domains: Sequence[str], pairs: Sequence[RelativePair], draws: int, seed: int
) -> tuple[Floats, dict[str, Any]]:
    """Return roots of 1 - cosine with cos = 1 - relative dissimilarity, and these cosines, with replicates of both.

    A pair that has no number counts as unrelated, and is drawn evenly between the same and unrelated: without that,
    intervals of what follows hold the truth too rarely (``studies/results/relative.md``). The part of an error that the
    end of a test brings is drawn once for all its pairs, with the degrees of freedom of each.
    """
    n, count = len(domains), max(draws, 2)
    rng = seeding.generator(seed, "space", "relative")
    ends = {name: rng.standard_normal(count) for name in sorted(domains)}
    rho, drawn, df = 1.0 - np.eye(n), np.tile(1.0 - np.eye(n), (count, 1, 1)), np.inf
    for pair in sorted(pairs, key=lambda pair: (pair.a, pair.b)):
        i, j = domains.index(pair.a), domains.index(pair.b)
        value, own = 1.0 if pair.relative.undefined else pair.relative.estimate.value, np.zeros(count)
        if (error := pair.relative.error) is not None:
            known = np.isfinite(error.df)
            scale = np.sqrt(error.df / rng.chisquare(error.df, count)) if known else np.ones(count)
            rest = np.sqrt(max(0.0, error.se**2 - pair.end_a**2 - pair.end_b**2))
            shared = pair.end_a * ends[pair.a] + pair.end_b * ends[pair.b]
            own, df = scale * (shared + rest * rng.standard_normal(count)), min(df, error.df)
        elif pair.relative.undefined:
            own = -rng.random(count)  # as if nothing were known between the same and unrelated
        rho[[i, j], [j, i]] = value
        drawn[:, [i, j], [j, i]] = (value + own)[:, None]
    told: dict[str, Any] = {"dissimilarity_replicates": _roots(drawn), "cosines": 1 - rho}
    return _roots(rho), told | {"cosine_replicates": 1 - drawn, "cosine_df": df}


def _roots(rho: Floats) -> Floats:
    """Return distances of unit vectors at these angles over the root of 2; cosines are cut at -1 and 1."""
    return np.asarray(np.sqrt(np.clip(rho, 0.0, 2.0)))


def _by_transfer(
    domains: Sequence[str], records: Mapping[tuple[str, str], Dissimilarity], draws: int, seed: int
) -> tuple[Floats, dict[str, Any]]:
    """Return distances by transfer, and replicates of them where every error is known."""
    area, error, df = transfer_areas(domains, records)
    found = dissimilarity.transfer_geometry(area, error).distances
    if np.isnan(error).any():
        return found, {}
    drawn = dissimilarity.transfer_replicates(area, error, df=df, resamples=max(draws, 2), seed=seed)
    return found, {"dissimilarity_replicates": drawn}


def transfer_areas(
    domains: Sequence[str], records: Mapping[tuple[str, str], Dissimilarity]
) -> tuple[Floats, Floats, Floats]:
    """Return the areas (n, n) whose geometry is that of transfer, their own standard errors and degrees of freedom.

    These are the transfer areas, or the signed ones where no controls were trained: with proportions that lie evenly
    about 1/2 the controls cancel. Errors are NaN where they are unknown.
    """
    n = len(domains)
    area, error, df = np.full((n, n), np.nan), np.full((n, n), np.nan), np.full((n, n), np.inf)
    for (a, b), record in records.items():
        i, j = domains.index(a), domains.index(b)
        value, own, freedom = _transfer_area(record)
        area[[i, j], [j, i]], error[[i, j], [j, i]], df[[i, j], [j, i]] = value, own, freedom
    return area, error, df


def _transfer_area(record: Dissimilarity) -> tuple[float, float, float]:
    """Return the area of one pair with the standard error of its own trainings and its degrees of freedom."""
    parts = record.parts
    part = None if parts is None else parts.transfer if parts.transfer is not None else parts.interference
    if part is not None:
        own = part.own
        return (part.estimate.value, np.nan, np.inf) if own is None else (part.estimate.value, own.se, own.df)
    known = record.error
    if known is None:
        return record.signed.value, np.nan, np.inf
    inner = (known.se_inner, known.df_inner) if known.shared else (known.se, known.df)
    return (record.signed.value, *inner)
