"""What directs the domains: their distances, with what is known of their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.measures import dissimilarity
from aiq.measures.space.draws import Errors
from aiq.records.dissimilarity import Dissimilarity
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity
from aiq.tasks.suite.reducing.locating import completed

Floats = npt.NDArray[np.float64]


def distances(suite: SuiteDissimilarity, distance: str = "departure", seed: int = 0) -> tuple[Floats, dict[str, Any]]:
    """Return the matrix (n, n) that makes the geometry, and what is known of its errors, as options of ``build``.

    By transfer these are distances of ``transfer_geometry``, with replicates where every error is known. Else, where
    unbiased squares are asked for and the error of every pair is known, these are the signed areas with the
    standard error of each pair and of the end of each domain, or what landmarks make of them, with replicates. Else the
    chosen values and their replicates.
    """
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    if distance == "transfer":
        return _by_transfer(suite.domains, records, suite.draws, seed)
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
