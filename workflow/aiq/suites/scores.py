"""Results as arrays: agents × tests, or agents × items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError, choice
from aiq.records.observations import Observations
from aiq.stats import clusters as clustered

Floats = npt.NDArray[np.float64]
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

    Args:
        observations: what was read.
        by: ``tests``, or ``items``: every item by itself; None: items where there are items, or where every score is 0
            or 1 (then every test is an item).
        cluster: the column that says which items belong together (``cluster``, ``domain``); None: ``cluster`` where
            items have it.

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
    """Return the cluster of each item, or None where every one stands for itself."""
    frame = observations.frame
    wanted = {"test": "domain"}.get(cluster or "", cluster)
    if wanted is None and columns is not None and "cluster" in frame.columns:
        wanted = "cluster"
    if wanted is None:
        return None
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
    found = np.full(values.shape, np.nan)
    if len(frame) == int((~np.isnan(values)).sum()) and "weight" not in frame.columns:
        return found
    place = wide.columns.get_indexer(list(zip(frame["domain"], frame["item"], strict=True)))
    cell = observations.codes("agent") * values.shape[1] + place
    weight = np.asarray(frame["weight"]) if "weight" in frame.columns else np.ones(len(frame))
    apart = np.asarray(frame["performance"]) - values.ravel()[cell]
    tries = np.bincount(cell, weight, values.size)
    inside = np.bincount(
        cell, weight * np.asarray(frame["performance"]) * (1 - np.asarray(frame["performance"])), values.size
    )
    squares = np.bincount(cell, weight * apart**2, values.size) + inside * ("weight" in frame.columns)
    usable = tries > 1
    found.ravel()[usable] = squares[usable] / (tries[usable] - 1) / tries[usable]
    return found


def _runs(observations: Observations) -> Floats | None:
    """Return single runs, (A, T, R), None where no cell has two."""
    counts = observations.counts()
    most = int(counts.max())
    if most < 2:
        return None
    cell = observations.codes("agent") * counts.shape[1] + observations.codes("domain")
    order = np.argsort(cell, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts.ravel())])
    found = np.full((counts.size, most), np.nan)
    found[cell[order], np.arange(order.size) - starts[cell[order]]] = np.asarray(observations.frame["performance"])[
        order
    ]
    return found.reshape(*counts.shape, most)


def turned(observations: Observations) -> Observations:
    """Return a table whose rows were read as agents and are items: agents and tests change places.

    A table that was read as one of items stays as it is.
    """
    if observations.has_items:
        return observations
    frame = observations.to_frame().rename(columns={"agent": "domain", "domain": "agent"})
    said = "rows are items and columns are agents, as asked for"
    return Observations.of(
        frame, skipped=observations.skipped, decisions=(*observations.decisions, said), format=observations.format
    )
