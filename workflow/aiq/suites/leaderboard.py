"""Where each agent stands on all tests, and what each test adds to the error of that.

Scores are modelled as agent + test (least squares over the cells that are there), so that an agent is not lifted by
having missed the hard tests. In a complete table the value is the mean, and differences are paired by test.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from aiq.errors import InputError
from aiq.records.estimate import Floats
from aiq.records.table import counted
from aiq.stats import clusters as clustered

Integers = npt.NDArray[np.int64]

FEW = 20  # tests named in a refusal


@dataclass(frozen=True, slots=True, eq=False)
class Leaderboard:
    """Values of agents, and their errors by cluster.

    ``value`` (A,): on all tests. ``error`` (A,): its standard error by itself, over tests like these, NaN where
    unknown. ``sums`` (A, G): what each cluster adds to the value; where two agents are equal the difference of their
    sums is as likely positive as negative in every cluster. ``influence`` (A, G): each cluster's part of the error; the
    squared error of the difference of two agents is the sum of the squared differences of their parts. ``degrees``
    (A,): of freedom; of a difference the smaller of the two. ``low`` and ``high`` (A,): the means if all missing scores
    were 0, or 1.
    """

    value: Floats
    error: Floats
    sums: Floats
    influence: Floats
    degrees: Floats
    low: Floats
    high: Floats

    @property
    def clusters(self) -> int:
        """Number of clusters, G."""
        return int(self.influence.shape[1])


def leaderboard(scores: Floats, clusters: Integers) -> Leaderboard:
    """Return where agents stand by scores (A, T) in [0, 1], NaN where missing, and clusters (T,), 0 ... G - 1.

    Time and memory are linear in the cells, and grow with the square of the smaller side where cells are missing.

    Raises:
        InputError: the table falls into parts without a common agent or test.
    """
    there = ~np.isnan(scores)
    filled = np.where(there, scores, 0.0)
    if there.all():
        value = filled.mean(axis=1)
        ease = filled.mean(axis=0) - filled.mean()
        parts = (filled - value[:, None] - ease) / scores.shape[1]
    else:
        value, parts, ease = _incomplete(filled, there)
    influence = clustered.sums(parts, clusters)
    members = clustered.sums(there.astype(np.float64), clusters)
    share = members.sum(axis=0) / members.sum()
    total = influence + value[:, None] * share
    rest = np.maximum(1 - share, 1e-12)
    square = ((influence + clustered.sums(ease / ease.size, clusters)) ** 2 / rest).sum(axis=1)
    influence = influence / np.sqrt(rest)
    degrees = clustered.degrees(members) if not there.all() else np.full(len(scores), clustered.degrees(members[0]))
    error = np.where(degrees > 0, np.sqrt(square), np.nan)
    mean = filled.sum(axis=1) / scores.shape[1]
    return Leaderboard(value, error, total, influence, degrees, mean, mean + (~there).mean(axis=1))


def intervals(board: Leaderboard, scores: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the ends of each agent's interval over tests like these, (A,) each; NaN where no error is known.

    Student's; for answers of 0 and 1 Wilson's (1927, Journal of the American Statistical Association 22, 209-212), with
    as many answers as would have the same error, which holds where an agent passes nearly all or nearly none.
    """
    usable = board.degrees > 0
    quantile = np.where(usable, stdtrit(np.where(usable, board.degrees, 1.0), (1 + confidence) / 2), np.nan)
    value, half = board.value, quantile * board.error
    if np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all():
        value = np.clip(value, 0.0, 1.0)
        spread, square = value * (1 - value), board.error**2
        varying = (spread > 0) & (square > 0)
        count = np.where(varying, spread / np.where(varying, square, 1.0), board.clusters)
        share = quantile**2 / count
        half = quantile / (1 + share) * np.sqrt(spread / count + share / (4 * count))
        value = (value + share / 2) / (1 + share)
    return np.clip(value - half, 0.0, 1.0), np.clip(value + half, 0.0, 1.0)


def _incomplete(filled: Floats, there: npt.NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    check_connected(there)
    mask = there.astype(np.float64)
    on_agent, on_test = mask.sum(axis=1), mask.sum(axis=0)
    agents, tests = mask.shape
    if tests <= agents:
        matrix = np.diag(on_test) - mask.T @ (mask / on_agent[:, None]) + 1 / tests
        beta = np.linalg.solve(matrix, filled.sum(axis=0) - mask.T @ (filled.sum(axis=1) / on_agent))
        alpha = (filled.sum(axis=1) - mask @ beta) / on_agent
        left = mask * (filled - alpha[:, None] - beta)
        back = np.linalg.solve(matrix, mask.T @ (left / on_agent[:, None]))
        parts = (left + mask @ back) / on_agent[:, None]
    else:
        matrix = np.diag(on_agent) - mask @ (mask / on_test).T + 1 / agents
        alpha = np.linalg.solve(matrix, filled.sum(axis=1) - mask @ (filled.sum(axis=0) / on_test))
        beta = (filled.sum(axis=0) - mask.T @ alpha) / on_test
        left = mask * (filled - alpha[:, None] - beta)
        parts = np.linalg.solve(matrix, left)
    return alpha + beta.mean(), parts, beta - beta.mean()


def check_connected(there: npt.NDArray[np.bool_], tests: Sequence[str] = ()) -> None:
    """Refuse a table that falls into parts without a common agent or test, (A, T); ``tests``: of its columns, (T,)."""
    agents, count = there.shape
    row, column = np.nonzero(there)
    edges = csr_array((np.ones(row.size), (row, column + agents)), shape=(agents + count,) * 2)
    parts, part = connected_components(edges, directed=False)
    if parts == 1:
        return
    largest = int(np.bincount(part[:agents]).argmax())
    kept = int((part[:agents] == largest).sum()), int((part[agents:] == largest).sum())
    inside = {name for name, own in zip(tests, part[agents:], strict=False) if own == largest}
    others = [f"--drop {shlex.quote(name)}" for name in dict.fromkeys(tests) if name not in inside]
    how = f": {' '.join(others[:FEW])}{f' and {len(others) - FEW} more' * (len(others) > FEW)}" if others else ""
    raise InputError(
        f"the table falls into {parts} parts: agents of different parts share no test, directly or through others; the "
        f"largest has {counted(kept[0], 'agent')} on {counted(kept[1], 'test')}; leave out the tests of the others{how}"
    )
