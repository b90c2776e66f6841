"""Where each agent stands on all tests, what each test adds to the error of that, and which agents are told apart.

Scores are modelled as agent + test (least squares over the cells that are there), so that an agent is not lifted by
having missed the hard tests. In a complete table the value is the mean, and differences are paired by test.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri, stdtr, stdtrit

from aiq.errors import InputError
from aiq.records.estimate import Floats
from aiq.records.table import counted
from aiq.stats import clusters as clustered
from aiq.stats.clusters import benjamini_hochberg, holm
from aiq.suites import paired

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


# ---- Which agents are told apart: neighbours, simultaneous ranks, groups ------------------------------


FLIPS = 999  # random signs of clusters by which the largest difference under noise is found
LEVEL = 0.4  # of the error rate: sums of few answers are not turned by a sign; simulated, all of .05 was up to .06
MOST_PAIRS = 40_000  # pairs of agents up to which signs are drawn; with more, Bonferroni's bound
MOST_SHOWN = 1_000
BLOCK = 200_000  # pairs of one block, so that they stay near the processor
TIE = 1e-6  # of the critical value: a difference in few clusters is as large under any signs, and equals it
ROUNDING = 1e-13  # of sums of squares: what is left of them in a difference that has none
CONSTANT = 1e-9  # share of a squared difference below which its clusters do not differ


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Simultaneous ranks: with the confidence asked for, all sets hold the agents' true ranks at once.

    ``low``, ``high`` (A,): 1 is the best. ``group`` (A,): number of each agent's group, 0 is the best; agents that
    follow each other and of whom no two are told apart. ``beats`` (A, A): whether the agent of the row is told to be
    above that of the column, None for more than ``MOST_SHOWN`` agents. ``critical``: the normal deviate that tells two
    apart, by ``method``.
    """

    low: Integers
    high: Integers
    group: Integers
    beats: npt.NDArray[np.bool_] | None
    critical: float
    method: str


def neighbours(
    scores: Floats, board: Leaderboard, order: Integers, singles: bool, confidence: float
) -> dict[str, npt.NDArray[np.float64]]:
    """Return each agent's difference from the next in the order (A,), with p values of the whole family, each (A - 1,).

    ``low`` and ``high`` are NaN where no error is known; ``p_adjusted`` is Holm's, ``p_discovery`` Benjamini and
    Hochberg's. Where every test is a cluster of its own (``singles``), answers of 0 and 1 have McNemar's exact p.
    """
    a, b = order[:-1], order[1:]
    difference = board.value[a] - board.value[b]
    difference[np.abs(difference) < 1e-12] = 0.0
    square = ((board.influence[a] - board.influence[b]) ** 2).sum(axis=1)
    df = np.minimum(board.degrees[a], board.degrees[b])
    whole = float(board.degrees.max())
    own = (board.influence[a] ** 2 + board.influence[b] ** 2).sum(axis=1) + difference**2 / board.clusters
    usable = (df > 0) & (square > 1e-14 * own)
    freedom = np.where(usable, df, 1.0)
    error = np.sqrt(square * (freedom + 1) / freedom * whole / (whole + 1)) if whole > 0 else np.sqrt(square)
    low, high, p = (np.full(a.size, np.nan) for _ in range(3))
    half = stdtrit(freedom, (1 + confidence) / 2) * error
    low[usable], high[usable] = np.clip([difference - half, difference + half], -1.0, 1.0)[:, usable]
    p[usable] = 2 * stdtr(df[usable], -np.abs(difference[usable] / error[usable]))
    constant = ~usable & (df > 0)
    p[constant] = 2.0 ** -df[constant]  # the same in every cluster: the chance that all their signs are alike
    p[~usable & (difference == 0)] = 1.0
    if singles and np.isin(scores, (0.0, 1.0)).all():
        wins, losses = (scores[a] > scores[b]).sum(axis=1), (scores[a] < scores[b]).sum(axis=1)
        pairs, count = list(zip(wins.tolist(), losses.tolist(), strict=True)), scores.shape[1]
        low, high = np.reshape([paired.score_interval(*pair, count, confidence) for pair in pairs], (-1, 2)).T
        p = np.asarray([paired.mcnemar(*pair) for pair in pairs])
    return {
        "difference": difference, "low": low, "high": high, "p": p, "p_adjusted": holm(p),
        "p_discovery": benjamini_hochberg(p),
    }  # fmt: skip


def ranks(board: Leaderboard, order: Integers, confidence: float, rng: np.random.Generator) -> Ranks:
    """Return simultaneous ranks and groups (Mogstad, Romano, Shaikh and Wilhelm 2024).

    An agent's set goes from 1 + (agents significantly above it) to A - (agents significantly below it). Two are told
    apart where their studentised difference, brought to the normal scale by its degrees of freedom (Wallace 1959), is
    larger than ``critical``: the quantile of the largest of all pairs when the signs of whole clusters are drawn at
    random. For one pair that is exact where either agent is as likely to be above in every cluster; for all pairs
    together scores would have to be symmetric, so two fifths of the error rate are used (``studies/verdicts.py``). For
    more than ``MOST_PAIRS`` pairs it is the normal quantile for all of them (Bonferroni), which is larger. A difference
    that is the same in every cluster has no error, and counts if all signs being alike is rare enough. So it must be
    for one that is 0 in some clusters, where the quantile is Bonferroni's.

    Every pair is compared: time grows with the square of the agents, with a small constant (6 tests: 0.8 s for 20,000
    agents, 7 s for 50,000), memory with their number.
    """
    agents = order.size
    pairs = agents * (agents - 1) // 2
    board = replace(board, sums=board.sums - board.sums.mean(axis=0))  # differences are all that counts
    critical, method = float(ndtri(1 - (1 - confidence) / (2 * max(pairs, 1)))), "Bonferroni's bound for all pairs"
    constant = pairs * 2.0 ** (1 - board.clusters) <= 1 - confidence
    barred = None
    if pairs <= MOST_PAIRS:
        drawn = _critical(board, confidence, rng)
        if drawn < critical:
            critical, constant = drawn, True
            method = "largest studentised difference under random signs of clusters"
        else:
            barred = _barred(board, pairs, confidence)
    limits = _limits(critical, board.degrees)
    kept = np.zeros((agents, agents), dtype=np.bool_) if agents <= MOST_SHOWN else None
    above, below, until = _told_apart(board, order, limits, constant, kept, barred)
    low, high, group = (np.empty(agents, dtype=np.int64) for _ in range(3))
    low[order], high[order], group[order] = 1 + above, agents - below, _groups(until)
    return Ranks(low, high, group, kept, critical, method)


def _barred(board: Leaderboard, pairs: int, confidence: float) -> npt.NDArray[np.bool_]:
    """Return which pairs differ in too few clusters for a verdict, (A, A): Student's distribution is no guide there."""
    tiny = CONSTANT * np.abs(board.sums).max(initial=0.0)
    differing = np.array([(np.abs(board.sums - sums) > tiny).sum(axis=1) for sums in board.sums])
    return np.asarray((differing < board.clusters) & (pairs * 2.0 ** (1.0 - differing) > 1 - confidence))


def _limits(critical: float, degrees: Floats) -> Floats:
    """Return the Student quantiles that stand for a normal one; infinite without degrees of freedom."""
    df = np.where(degrees > 0, degrees, 1.0)
    with np.errstate(over="ignore"):
        limit = np.sqrt(df * np.expm1((critical * (8 * df + 3) / (8 * df + 1)) ** 2 / df))
    return np.asarray(np.where(degrees > 0, limit, np.inf))


def _critical(board: Leaderboard, confidence: float, rng: np.random.Generator) -> float:
    """Return the quantile of the largest studentised difference under random signs, on the normal scale."""
    parts = board.sums
    i, j = np.triu_indices(len(parts), 1)
    own = (parts**2).sum(axis=1)
    whole = own[i] + own[j] - 2 * (parts @ parts.T)[i, j]
    df = np.minimum(board.degrees[i], board.degrees[j])
    usable = (df > 0) & (whole > 1e-12 * (own[i] + own[j]))
    i, j, whole, df = i[usable], j[usable], whole[usable], df[usable]
    if i.size == 0:
        return np.inf
    alike, largest = bool(np.ptp(df) == 0), np.empty(FLIPS)
    for draw, row in enumerate(rng.choice((-1.0, 1.0), size=(FLIPS, board.clusters)) @ parts.T):
        ratio = (row[i] - row[j]) ** 2 / whole
        of = (ratio.max(keepdims=True), df[:1]) if alike else (ratio, df)
        largest[draw] = _normal(*of, board.clusters).max()
    return float(np.quantile(largest, 1 - LEVEL * (1 - confidence), method="higher")) * (1 + TIE)


def _normal(ratio: Floats, df: Floats, clusters: int) -> Floats:
    """Return squared sums over sums of squares of the clusters' parts as normal deviates (Wallace's approximation)."""
    with np.errstate(divide="ignore"):
        square = ratio * (clusters - 1) / clusters / np.maximum(1 - ratio / clusters, 0.0)
        return np.asarray((8 * df + 1) / (8 * df + 3) * np.sqrt(df * np.log1p(square / df)))


def _told_apart(
    board: Leaderboard, order: Integers, limits: Floats, constant: bool, kept: npt.NDArray[np.bool_] | None,
    barred: npt.NDArray[np.bool_] | None = None,
) -> tuple[Integers, Integers, Integers]:  # fmt: skip
    """Return, best first: agents significantly above and below, and the first place from which one is told apart.

    Of G clusters, a difference d with the sum of squares s of its clusters' parts is more than L errors large where
    d^2 (1/G + (G - 1)/(G L^2)) is above s; it is the same in every cluster where d^2 / G is s. A product of matrices
    for every block of pairs.
    """
    agents, clusters = order.size, board.clusters
    above, below, until = np.zeros(agents), np.zeros(agents), np.full(agents, agents)
    parts, value, limit = board.sums[order], board.value[order], limits[order]
    least = (1 - ROUNDING) * (parts**2).sum(axis=1)
    with np.errstate(divide="ignore"):
        weight = 1 / clusters + max(clusters - 1, 0) / (clusters * limit**2)
    weight[np.isinf(limit)] = -np.inf
    alone, step = np.ones(agents), max(1, BLOCK // agents)
    left = np.column_stack([2 * parts, -least, -alone])
    right = np.column_stack([parts, alone, least]).T
    for start in range(0, agents, step):
        rows = slice(start, min(start + step, agents))
        apart = value[rows, None] - value[None, start:]
        further = apart > 1e-12
        with np.errstate(invalid="ignore"):
            apart *= apart
            minus = left[rows] @ right[:, start:]
            if not constant:
                further &= minus + apart * ((1 + CONSTANT) / clusters) < 0
            apart *= np.minimum(weight[rows, None], weight[None, start:])
            apart += minus
            further &= apart > 0
        width = rows.stop - start
        further[:, :width] = np.triu(further[:, :width], 1)
        if barred is not None:
            further &= ~barred[np.ix_(order[rows], order[start:])]
        if kept is not None:
            kept[np.ix_(order[rows], order[start:])] = further
        counted = further.astype(np.float32)
        below[rows] = counted.sum(axis=1)
        above[start:] += counted.sum(axis=0)
        first = further.argmax(axis=1)
        until[rows] = np.where(below[rows] > 0, start + first, agents)
    return above.astype(np.int64), below.astype(np.int64), until


def _groups(until: Integers) -> Integers:
    """Return the group of each place: as many as follow each other without two that are told apart."""
    group = np.zeros(until.size, dtype=np.int64)
    end, number = int(until[0]) if until.size else 0, 0
    for place in range(until.size):
        if place >= end:
            number, end = number + 1, int(until[place])
        end = min(end, int(until[place]))
        group[place] = number
    return group
