"""Results as arrays, agents × tests or agents × items, and the four aggregates of them.

Mean, median, interquartile mean and optimality gap (Agarwal et al. 2021, Deep RL at the edge of the statistical
precipice): runs are drawn with replacement within every test, tests stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import trim_mean

from aiq.errors import InputError, choice
from aiq.records.estimate import Floats
from aiq.records.observations import Observations
from aiq.stats import clusters as clustered

QUARTER = 0.25
LEAST = 200  # resamples
Integers = npt.NDArray[np.int64]

BY = ("tests", "items")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """A table as arrays.

    ``of`` (T,): the test that each column is, or of which it is an item. ``values`` (A, T) in [0, 1], NaN where
    missing. ``noise`` (A, T): variance of each value over runs or epochs, NaN where unknown. ``clusters`` (T,):
    0 ... G - 1. ``runs`` (A, T, R): single runs, NaN beyond a cell's own, None where every cell has one.
    """

    agents: tuple[str, ...]
    tests: tuple[str, ...]
    of: tuple[str, ...]
    by: str
    values: Floats
    noise: Floats
    clusters: Integers
    runs: Floats | None


def scores(observations: Observations, by: str | None = None, cluster: str | None = None) -> Scores:
    """Return results as arrays.

    ``by``: ``tests``, or ``items``: every item by itself; None: items where there are items, or where every score is 0
    or 1 (then every test is an item). ``cluster``: the column that says which items belong together (``cluster``,
    ``domain``); None: ``cluster`` where items have it.

    Raises:
        InputError: unknown words, or an item that stands in two clusters.
    """
    if by is not None and by not in BY:
        raise InputError(choice("what a suite is looked at by", by, BY))
    by_item = observations.has_items and by != "tests"
    wide = observations.wide("item" if by_item else "domain")
    values = wide.to_numpy(dtype=np.float64)
    binary = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    of = tuple(str(column[0]) if by_item else str(column) for column in wide.columns)
    names = of
    if by_item:
        several = len(observations.domains) > 1
        names = tuple(f"{test}: {item}" if several else str(item) for test, item in wide.columns)
    words = by or ("items" if by_item or binary else "tests")
    labels = _labels(observations, wide.columns if by_item else None, cluster)
    noise = _noise(observations, values, wide) if by_item else observations.variances()
    runs = None if by_item else _runs(observations.tests())
    groups = clustered.codes(labels, len(names))
    return Scores(observations.agents, names, of, words, values, noise, groups, runs)


def _labels(observations: Observations, columns: Any, cluster: str | None) -> Any:
    frame = observations.frame
    wanted = {"test": "domain"}.get(cluster or "", cluster)
    if wanted is None:
        if columns is None or "cluster" not in frame.columns:
            return None
        wanted = "cluster"
    there = [name for name in ("cluster", "domain") if name in frame.columns]
    if wanted not in there:
        raise InputError(choice("the column of clusters", wanted, there))
    if columns is None:
        of = frame.drop_duplicates("domain").set_index("domain")[wanted] if wanted != "domain" else None
        return None if of is None else of.reindex(list(observations.domains)).astype(str).to_numpy()
    pairs = frame[list(dict.fromkeys(["domain", "item", wanted]))].drop_duplicates()
    twice = pairs.duplicated(["domain", "item"])
    if twice.any():
        row = pairs[twice].iloc[0]
        raise InputError(f"item {row['item']} of {row['domain']} stands in two clusters; give each item one")
    of = pairs.astype(object).set_index(["domain", "item"], drop=wanted != "domain")[wanted].reindex(columns)
    alone = of.isna().to_numpy()
    return np.where(alone, [f"alone {k}" for k in range(len(of))], of.astype(str).to_numpy())


def _noise(observations: Observations, values: Floats, wide: Any) -> Floats:
    """Return variances of items' means over their epochs, (A, J); NaN where there is one answer."""
    frame = observations.frame
    variances = np.full(values.shape, np.nan)
    if len(frame) == int((~np.isnan(values)).sum()) and "weight" not in frame.columns:
        return variances
    place = wide.columns.get_indexer(list(zip(frame["domain"], frame["item"], strict=True)))
    cell = observations.codes("agent") * values.shape[1] + place
    performance = np.asarray(frame["performance"])
    weight = np.asarray(frame["weight"]) if "weight" in frame.columns else np.ones(len(frame))
    tries = np.bincount(cell, weight, values.size)
    squares = np.bincount(cell, weight * (performance - values.ravel()[cell]) ** 2, values.size)
    if "weight" in frame.columns:
        squares += np.bincount(cell, weight * performance * (1 - performance), values.size)
    usable = tries > 1
    variances.ravel()[usable] = squares[usable] / (tries[usable] - 1) / tries[usable]
    return variances


def _runs(observations: Observations) -> Floats | None:
    """Return single runs, (A, T, R), None where no cell has two."""
    counts = observations.counts()
    most = int(counts.max())
    if most < 2:
        return None
    cell = observations.codes("agent") * counts.shape[1] + observations.codes("domain")
    order = np.argsort(cell, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts.ravel())])
    runs = np.full((counts.size, most), np.nan)
    performance = np.asarray(observations.frame["performance"])
    runs[cell[order], np.arange(order.size) - starts[cell[order]]] = performance[order]
    return runs.reshape(*counts.shape, most)


def turned(observations: Observations) -> Observations:
    """Return a table whose rows were read as agents and are items with both turned; one of items stays as it is."""
    if observations.has_items:
        return observations
    frame = observations.frame.rename(columns={"agent": "domain", "domain": "agent"})
    said = "rows are items and columns are agents, as asked for"
    return Observations.of(
        frame, skipped=observations.skipped, decisions=(*observations.decisions, said), format=observations.format
    )


def _of_tests(runs: Floats) -> Floats:
    there = ~np.isnan(runs)
    count = there.sum(axis=-1)
    total = np.where(there, runs, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def interquartile_mean(runs: Floats) -> Floats:
    """Return the mean of the middle half of all runs of all tests, (..., T, R) to (...)."""
    flat = runs.reshape(*runs.shape[:-2], -1)
    if not np.isnan(flat).any():
        return np.asarray(trim_mean(flat, QUARTER, axis=-1))
    there = [row[~np.isnan(row)] for row in flat.reshape(-1, flat.shape[-1])]
    return np.array([trim_mean(row, QUARTER) for row in there]).reshape(flat.shape[:-1])


AGGREGATES: Mapping[str, Callable[[Floats], Floats]] = {
    "mean": lambda runs: np.asarray(np.nanmean(_of_tests(runs), axis=-1)),
    "median": lambda runs: np.asarray(np.nanmedian(_of_tests(runs), axis=-1)),
    "interquartile_mean": interquartile_mean,
    "optimality_gap": lambda runs: np.asarray(1 - np.nanmean(_of_tests(runs), axis=-1)),
}
"""Name -> function of runs (..., T, R), NaN where there is none, to (...). Performances are at most 1."""


def aggregates(
    values: Floats, runs: Floats | None, noise: Floats, resamples: int, confidence: float, rng: np.random.Generator
) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return value, low and high end of each aggregate of every agent, (A,) each.

    Ends are NaN where a test has one run of unknown error, or where an agent's runs are all alike. Arguments are as in
    ``Scores``; at least ``LEAST`` resamples are drawn.
    """
    given = values[:, :, None] if runs is None else runs
    there = ~np.isnan(values)
    measured = (np.isfinite(noise) | ~there).all(axis=1)
    drawn = _drawn(given, noise, max(resamples, LEAST), rng) if measured.any() else None
    estimates = {}
    for name, statistic in AGGREGATES.items():
        ends = np.full((2, len(values)), np.nan)
        if drawn is not None:
            tail = (1 - confidence) / 2
            ends = np.quantile(np.array([statistic(draw) for draw in drawn]), [tail, 1 - tail], axis=0)
            ends[:, ~measured | (ends[0] == ends[1])] = np.nan
        estimates[name] = (statistic(given), ends[0], ends[1])
    return estimates


def _drawn(given: Floats, noise: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
    """Return resamples: runs drawn within their cell, or single results drawn with their errors."""
    if given.shape[2] == 1:
        error = np.sqrt(np.nan_to_num(noise))[:, :, None]
        return [np.clip(given + error * rng.standard_normal(given.shape), 0.0, 1.0) for _ in range(count)]
    runs = np.maximum((~np.isnan(given)).sum(axis=2), 1)[:, :, None]
    places = ((rng.random(given.shape) * runs).astype(np.int64) for _ in range(count))
    return [np.where(np.isnan(given), np.nan, np.take_along_axis(given, place, axis=2)) for place in places]
