"""A suite as an instrument: worth of its tests, what can go, what to add, and what moves which number."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import instrument, quotient
from aiq.measures.instrument import Draw, Judges
from aiq.measures.quotient import agent_draws
from aiq.records.estimate import Estimate
from aiq.records.instrument import Addition, Dropping, Instrument, Step, Worth
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.seeding import generator
from aiq.stats import percentile_interval
from aiq.tasks.instrument import moving, sentences
from aiq.tasks.instrument.sources import Judged

Floats = npt.NDArray[np.float64]

ENOUGH = 0.9  # rank correlation from which fewer tests keep the order
FEWEST = 3  # agents whose order can be kept: two are always in one of two orders
MOST_LISTED = 8  # kinds of new tests
NEAR = 0.95  # cosine from which two tests are named as alike
ALIKE = 0.99  # cosine from which two kinds of new tests are one
DIRECTIONS = 1000  # random ones, for the largest gain that is possible


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One suite with its agents: performances (A, n), replicates of both, and how it is looked at."""

    space: Space
    agents: tuple[str, ...]
    table: Floats
    resampled: Floats | None
    draws: tuple[Draw, ...]
    scores: Scores
    splits: int
    replicates: int
    confidence: float
    seed: int

    def estimate(self, value: float, replicates: Floats | None, method: str, n: int | None = None) -> Estimate:
        """Return a value with the percentile interval of its replicates."""
        interval = None if replicates is None or not replicates.size else percentile_interval(
            replicates, self.confidence
        )  # fmt: skip
        return Estimate(value, interval, len(self.agents) if n is None else n, method, self.seed, self.confidence)


def look(
    judged: Judged,
    *,
    splits: int = 100,
    replicates: int = 200,
    confidence: float | None = None,
    seed: int | None = None,
) -> Instrument:
    """Return what a suite is worth as an instrument.

    Args:
        judged: the suite and its agents.
        splits: random halves of the agents by which the dropping of tests is judged.
        replicates: how many of those that exist are used.
        confidence: of the intervals; None: that of the scores.
        seed: root of the splits and of the agents' draws; None: that of the scores.

    Raises:
        InputError: settings out of range, performances that cannot be scored, or a suite without volume.
    """
    if min(splits, replicates) < 2:
        raise InputError(f"splits is {splits} and replicates {replicates}; both must be at least 2")
    confidence = judged.confidence if confidence is None else confidence
    seed = judged.seed if seed is None else seed
    case = _case(judged, splits, replicates, confidence, seed)
    value, drawn = _worth(case)
    dropping = _dropping(case, value if drawn is None else np.nanmean(drawn, axis=0))
    additions, widest, tried = _additions(case)
    beside, without_ability = moving.beside(
        case.scores, case.agents, case.table, case.resampled, confidence, seed
    )  # fmt: skip
    found = Instrument(
        name=judged.name,
        dimensions=case.space.dimensions,
        simplex=case.scores.simplex,
        tests=_tests(case, value, drawn),
        dropping=dropping,
        additions=additions,
        widest=widest,
        tried=tried,
        moved=moving.moved(case.space, case.table, without_ability is None),
        agents=beside,
        replicates=sum(len(one.points) for one in case.draws),
        confidence=confidence,
        seed=seed,
        warnings=(),
    )
    lowered = tuple(case.space.domains[i] for i in _lowered(case, drawn))
    return sentences.warned(found, case.scores.warnings, without_ability, _alike(case), lowered)


def _alike(case: Case) -> list[tuple[str, str]]:
    """Return the pairs of tests that lie in nearly one direction."""
    points, names = case.space.coordinates, case.space.domains
    near = [instrument.likeness(points, one) > NEAR for one in case.space.directions]
    return [(names[i], names[j]) for i in range(len(names)) for j in range(i + 1, len(names)) if near[i][j]]


def _case(judged: Judged, splits: int, replicates: int, confidence: float, seed: int) -> Case:
    """Return the suite with replicates of its agents, which are those of its scores."""
    space, samples = judged.space, judged.performances
    count = 1000 if space.bootstrap is None else len(space.bootstrap.coordinates)
    table = np.array([[values.mean() for values in one] for one in samples.values()])
    drawn = {
        agent: agent_draws.draws(one, count, generator(seed, "score", agent), judged.prior_df)
        for agent, one in samples.items()
    }
    single = [agent for agent, found in drawn.items() if found is None]
    resampled = None
    if len(single) < len(samples):
        held = [np.tile(row, (count, 1)) if found is None else found
                for row, found in zip(table, drawn.values(), strict=True)]  # fmt: skip
        resampled = np.stack(held, axis=1)
    scores = quotient.score(
        space, list(samples), table, resampled, single=single, seed=seed, confidence=confidence,
        facet_budget=judged.facet_budget,
    )  # fmt: skip
    draws = instrument.draws(space, table, resampled, replicates)
    return Case(space, tuple(samples), table, resampled, draws, scores, splits, replicates, confidence, seed)


def _worth(case: Case) -> tuple[Floats, Floats | None]:
    """Return the worth of each test, (n,), and in the replicates, (B, n); None where the space has none."""
    value = instrument.worths(case.space.coordinates[None])[0]
    known = case.draws and case.space.bootstrap is not None
    return value, np.concatenate([instrument.worths(one.points) for one in case.draws]) if known else None


def _tests(case: Case, value: Floats, drawn: Floats | None) -> tuple[Worth, ...]:
    """Return what is said of each test."""
    n = len(case.space.domains)
    order, orders = _orders_without(case) if len(case.agents) >= FEWEST and n > 1 else (None, None)
    lowered = _lowered(case, drawn)
    found = []
    for i, name in enumerate(case.space.domains):
        series = None if drawn is None else drawn[:, i]
        worth = case.estimate(float(value[i]), series, "share of the suite's volume, each replicate in its dimensions")
        if i in lowered and worth.interval is not None:
            worth = replace(worth, interval=(0.0, worth.interval[1]))
        needed = None if series is None else float((series[np.isfinite(series)] > 0).mean())
        without = None
        if order is not None and np.isfinite(order[i]):
            how = "rank correlation of the agents by AIQ without the test and with all"
            without = case.estimate(float(order[i]), None if orders is None else orders[:, i], how)
        found.append(Worth(name, worth, needed, without))
    return tuple(found)


def _lowered(case: Case, drawn: Floats | None) -> list[int]:
    """Return the tests that may be copies of another one and whose replicates, (B, n), would leave 0 out."""
    if drawn is None:
        return []
    copied = instrument.copies([one.points for one in case.draws]).any(axis=1)
    intervals = [percentile_interval(series, case.confidence) for series in drawn.T]
    return [i for i, found in enumerate(intervals) if copied[i] and found is not None and found[0] > 0]


def _orders_without(case: Case) -> tuple[Floats, Floats | None]:
    """Return rank correlations without each test, (n,), and in the replicates, (B, n)."""
    here = _correlations(Draw(case.space.coordinates[None], case.table[None]))[0]
    return here, np.concatenate([_correlations(one) for one in case.draws]) if case.draws else None


def _correlations(draw: Draw) -> Floats:
    """Return rank correlations of agents without each test and with all, (b, n)."""
    n = draw.points.shape[1]
    whole = instrument.values(draw.points, draw.performance, range(n))
    found = np.empty((len(whole), n))
    for i in range(n):
        part = instrument.values(draw.points, draw.performance, [k for k in range(n) if k != i])
        found[:, i] = [instrument.rank_correlation(a, b) for a, b in zip(part, whole, strict=True)]
    return found


def _dropping(case: Case, worth: Floats) -> Dropping | None:
    """Return which tests can go; None without an order to keep or a test to drop."""
    agents, n = case.table.shape
    if agents < FEWEST or n < 2:
        return None
    steps = tuple(step for one in case.draws for step in one.single())
    rng = generator(case.seed, "instrument", "splits")
    judges = Judges(case.space.coordinates, case.table, tuple(steps[i] for i in rng.permutation(len(steps))))
    found = instrument.dropping(judges, worth, case.splits, rng)
    judged = agents - agents // 2 if found.left_out else agents
    shown = tuple(
        Step(n - place, _over(case, found.chosen[:, place], judged), _over(case, found.random[:, place], judged))
        for place in range(n)
    )
    kept = [one.kept for one in shown if one.chosen is not None and one.chosen.value >= ENOUGH]
    smallest = n
    while smallest - 1 in kept:
        smallest -= 1
    names = tuple(case.space.domains[i] for i in found.order)
    return Dropping(
        shown, names, found.left_out, judged, case.splits, ENOUGH, smallest if smallest < n else None
    )  # fmt: skip


def _over(case: Case, series: Floats, judged: int) -> Estimate | None:
    """Return the mean and the central range of rank correlations over splits; None where none is defined."""
    known = series[np.isfinite(series)]
    if not known.size:
        return None
    return case.estimate(float(known.mean()), known, "mean and central range over splits and replicates", judged)


def _additions(case: Case) -> tuple[tuple[Addition, ...], float | None, int]:
    """Return the kinds of tests that would add most, and the largest gain over random directions."""
    points, names = case.space.coordinates, case.space.domains
    kinds = instrument.candidates(points)
    gains = [float(instrument.enlarging(points[None], one.directions(points[None]))[0]) for one in kinds]
    best = _distinct(points, kinds, gains)
    places = instrument.within(case.space, case.replicates)
    series = {i: instrument.enlarging(places, kinds[i].directions(places)) for i in best}
    first = _first(np.column_stack([series[i] for i in best])) if len(places) and best else None
    found = []
    for place, i in enumerate(best):
        direction = kinds[i].directions(points[None])[0]
        like = instrument.likeness(points, direction)
        how = f"volume with it over volume without, less 1, given {case.space.dimensions} dimensions"
        found.append(Addition(
            sentences.kind(kinds[i], names),
            case.estimate(gains[i], series[i], how, len(names)),
            instrument.reach(points, direction),
            None if first is None else float(first[place]),
            {name: float(x) for name, x in zip(names, like, strict=True)},
        ))  # fmt: skip
    free = instrument.free(points, DIRECTIONS, generator(case.seed, "instrument", "directions"))
    if not len(free):
        return tuple(found), None, 0
    widest = instrument.enlarging(np.broadcast_to(points, (len(free), *points.shape)), free)
    return tuple(found), float(max(np.nanmax(widest), *gains, 0.0)), len(free)


def _distinct(points: Floats, kinds: tuple[instrument.Candidate, ...], gains: list[float]) -> list[int]:
    """Return the kinds that add most, the best first; of those in nearly one direction only the best."""
    found: list[int] = []
    directions = [one.directions(points[None])[0] for one in kinds]
    for i in np.argsort(-np.nan_to_num(gains, nan=-1.0), kind="stable"):
        apart = all(float(directions[i] @ directions[j]) < ALIKE for j in found)
        if gains[i] > 0 and apart and len(found) < MOST_LISTED:
            found.append(int(i))
    return found


def _first(gains: Floats) -> Floats | None:
    """Return in which share of the replicates each kind adds most, (m,), of gains (B, m).

    Kinds that add the same share a replicate; where nothing adds anything it counts for none. None if so everywhere.
    """
    known = np.nan_to_num(gains, nan=0.0)
    most = known.max(axis=1, keepdims=True)
    best = (known >= most * (1 - 1e-9)) & (most > 0)
    told = best.any(axis=1)
    return np.asarray((best[told] / best[told].sum(axis=1, keepdims=True)).mean(axis=0)) if told.any() else None
