"""The difference of two agents, paired by item (Miller 2024, Adding error bars to evals).

The items that both have are drawn from many like them: the error is that of a mean over items, or over clusters of
them (passages, templates, repositories). Repeated answers (epochs) are averaged first; their noise is in the spread.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from aiq.config.measures import CONFIDENCE, OfSuites
from aiq.errors import InputError, choice
from aiq.records.estimate import Floats
from aiq.records.observations import Observations
from aiq.records.suite_report import PairedDifference
from aiq.settings import default_of
from aiq.stats import clusters as clustered
from aiq.suites.scores import Scores, scores

Named = tuple[str, str]

POWER, ALPHA = (default_of(OfSuites, key) for key in ("power", "alpha"))
FEWEST = 2  # clusters below which there is no error
SAME = 1e-12  # an error that is none: differences are the same everywhere
SUMMED = 2000  # items up to which the power is summed; above, the normal test with a continuity correction is as near
TINY = 1e-12  # how near to -1 and 1 the ends of a score interval are sought


def paired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    confidence: float = CONFIDENCE,
    power: float = POWER,
    alpha: float = ALPHA,
) -> PairedDifference:
    """Return the mean difference of two agents on the items that both have.

    Answers that are all 0 or 1, without clusters: McNemar's exact p, and the score interval of Tango (1998, Statistics
    in Medicine 17, 891-908), which holds where few items tell the two apart. Else Student's with cluster-robust errors.

    Args:
        first: scores by item, (J,), NaN where missing.
        second: the other agent's.
        clusters: a label for each item, (J,).
        confidence: of the interval.
        power: probability with which the smallest difference is found.
        alpha: level of that test.

    Raises:
        InputError: no item is common.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    both = ~np.isnan(a) & ~np.isnan(b)
    if not both.any():
        raise InputError("the two agents have no item in common; give results on the same items")
    x, y = a[both], b[both]
    groups = clustered.codes(None if clusters is None else np.asarray(clusters)[both], x.size)
    count = int(groups.max()) + 1
    error, df = robust(x - y, groups)
    binary = count == x.size and bool(np.isin(np.concatenate([x, y]), (0.0, 1.0)).all())
    wins, losses = int((x > y).sum()), int((x < y).sum())
    value = float((x - y).mean())
    how = "Student, cluster-robust errors (CR2)" if count < x.size else "Student, paired by item"
    p, interval = student(value, error, df, confidence)
    if interval is not None and min(x.min(), y.min()) >= 0 and max(x.max(), y.max()) <= 1:
        interval = max(interval[0], -1.0), min(interval[1], 1.0)
    if binary:
        p, interval = mcnemar(wins, losses), score_interval(wins, losses, x.size, confidence)
        how = "McNemar's exact p; score interval of Tango"
    least = None
    if math.isfinite(error) and error > SAME:
        least = smallest_exact(error, x.size, power, alpha) if binary else smallest(error, df, power, alpha)
    return PairedDifference(
        difference=value, interval=interval, p=p, se=error if math.isfinite(error) else None, df=df, clusters=count,
        items=int(both.sum()), wins=wins, losses=losses, smallest_difference=least, bounds=bounds(a, b),
        only_first=int((~np.isnan(a) & np.isnan(b)).sum()), only_second=int((np.isnan(a) & ~np.isnan(b)).sum()),
        method=how, confidence=confidence, power=power, alpha=alpha,
    )  # fmt: skip


def robust(difference: Floats, groups: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return the cluster-robust standard error of a mean and its degrees of freedom; NaN and 0 for one cluster.

    Where the items of a cluster are alike, large clusters weigh more than their size says and fewer degrees of freedom
    are left: they are those of clusters whose items correlate as these do (Imbens and Kolesar 2016, Review of Economics
    and Statistics 98, 701-712).
    """
    members = clustered.sums(np.ones(difference.size), groups)
    if members.size < FEWEST:
        return math.nan, 0.0
    left = difference - difference.mean()
    square = float((clustered.sums(left, groups) ** 2 / (1 - members / difference.size)).sum()) / difference.size**2
    spread = members * (1 + clustered.likeness(left, groups) * (members - 1))
    return math.sqrt(square), float(clustered.degrees(members, spread))


def student(
    value: float, error: float, df: float, confidence: float
) -> tuple[float | None, tuple[float, float] | None]:
    """Return the two-sided p and the interval of a value; None where its error is unknown or 0."""
    if not error > 0 or not df > 0:
        return None, None
    half = float(special.stdtrit(df, (1 + confidence) / 2)) * error
    return float(2 * special.stdtr(df, -abs(value) / error)), (value - half, value + half)


def mcnemar(wins: npt.ArrayLike, losses: npt.ArrayLike) -> float:
    """Return McNemar's exact two-sided p: that of a fair coin thrown once for each item on which the two differ."""
    few, all_ = np.minimum(wins, losses), np.add(wins, losses)
    return float(np.minimum(2 * stats.binom.cdf(few, all_, 0.5), 1.0))


def score_interval(wins: int, losses: int, items: int, confidence: float) -> tuple[float, float]:
    """Return the differences of paired shares that a score test does not reject (Tango 1998, see above)."""
    critical = float(special.stdtrit(np.inf, (1 + confidence) / 2))
    value = (wins - losses) / items

    def beyond(difference: float, limit: float) -> float:
        """Return the score of a difference less a limit; the share of losses is the likeliest one given it."""
        linear = (2 * items - wins + losses) * difference - wins - losses
        root = math.sqrt(max(linear**2 + 8 * items * losses * difference * (1 - difference), 0.0))
        variance = items * ((root - linear) / (2 * items) + difference * (1 - difference))
        return (wins - losses - items * difference) / math.sqrt(max(variance, TINY)) - limit

    low = -1.0 if losses == items else optimize.brentq(beyond, TINY - 1, value, args=(critical,))
    high = 1.0 if wins == items else optimize.brentq(beyond, value, 1 - TINY, args=(-critical,))
    return float(low), float(high)


def bounds(first: Floats, second: Floats) -> tuple[float, float] | None:
    """Return the ends of the mean difference if what is missing could be anything in [0, 1]; None if nothing is."""
    either = ~np.isnan(first) | ~np.isnan(second)
    a, b = first[either], second[either]
    if not (np.isnan(a).any() or np.isnan(b).any()):
        return None
    low = np.where(np.isnan(a), 0.0, a) - np.where(np.isnan(b), 1.0, b)
    high = np.where(np.isnan(a), 1.0, a) - np.where(np.isnan(b), 0.0, b)
    return float(low.mean()), float(high.mean())


def two_agents(
    results: Observations, agents: Named, *, cluster: str | None = None, confidence: float = CONFIDENCE,
    power: float = POWER, alpha: float = ALPHA,
) -> PairedDifference:  # fmt: skip
    """Return the difference of two agents of one table; ``cluster``: the column that says what belongs together.

    Raises:
        InputError: an agent is not there, the two are one, or they have no item in common.
    """
    if agents[0] == agents[1]:
        raise InputError(f"both agents are {agents[0]!r}; name two")
    for name in agents:
        if name not in results.agents:
            raise InputError(choice("the agent", name, results.agents))
    table = scores(results, cluster=cluster)
    first, second = (table.agents.index(name) for name in agents)
    labels = table.clusters if len(set(table.clusters.tolist())) < len(table.tests) else None
    difference = paired_difference(
        table.values[first], table.values[second], labels, confidence=confidence, power=power, alpha=alpha
    )
    of = "items" if results.has_items else "tests"
    return replace(
        difference, a=agents[0], b=agents[1], of=of, share_of_epochs=_epochs(table, first, second, difference.se)
    )


def two_tables(first: Observations, second: Observations, names: Named, **how: object) -> PairedDifference:
    """Return the difference of two tables of one agent each; ``names``: what agents of one name are called.

    Raises:
        InputError: a table has several agents, or the two have no item in common.
    """
    import pandas  # late: it takes long to import, and only this needs it

    for table, name in ((first, names[0]), (second, names[1])):
        if len(table.agents) != 1:
            raise InputError(
                f"{name} has {len(table.agents)} agents; a comparison of two tables needs one in each; compare two of "
                "one table with --agents A B"
            )
    if first.has_items != second.has_items:
        raise InputError("one of the tables has results on items, the other on tests; give both by item")
    called = (first.agents[0], second.agents[0])
    called = names if called[0] == called[1] else called
    frames = [table.frame.assign(agent=name) for table, name in zip((first, second), called, strict=True)]
    if len(first.domains) == 1 and len(second.domains) == 1:  # a test without a name is called as its file is
        frames[1]["domain"] = first.domains[0]
    columns = [name for name in frames[0].columns if name in frames[1].columns]
    both = pandas.concat(
        [frame[columns].astype({c: object for c in columns if frame[c].dtype == "category"}) for frame in frames]
    )
    return two_agents(Observations.of(both.reset_index(drop=True)), called, **how)  # type: ignore[arg-type]


def _epochs(table: Scores, first: int, second: int, error: float | None) -> float | None:
    """Return the share of the squared error that more answers to the same items would take away."""
    noise = table.noise[first] + table.noise[second]
    both = ~np.isnan(table.values[first]) & ~np.isnan(table.values[second])
    if not error or not both.any() or not np.isfinite(noise[both]).all():
        return None
    return min(1.0, float(noise[both].sum()) / int(both.sum()) ** 2 / error**2)


# ---- Power: the smallest difference that a test finds, the items it needs ------------------------


def smallest(error: float, df: float, power: float, alpha: float) -> float:
    """Return the difference with a standard error that a two-sided Student test finds; ``df`` infinite: it is known."""
    if error == 0:
        return 0.0
    if math.isinf(df) or df > 1e5:
        return error * _normal(power, alpha)
    limit = stats.t.ppf(1 - alpha / 2, df)

    def lacking(shift: float) -> float:
        probability = float(stats.nct.sf(limit, df, shift))  # NaN far out, where the test always rejects
        return (1.0 if math.isnan(probability) else probability) - power

    high = 2.0 * (limit + stats.t.ppf(max(power, 0.5), df) + 1)
    return error * float(optimize.brentq(lacking, 0.0, high))


def power_of(items: int, size: float, variance: float, alpha: float) -> float:
    """Return the probability that the two-sided exact test tells two agents apart.

    Of the items D differ, binomial with the share ``variance`` + ``size``^2 (at least ``size``), and of these W speak
    for the better agent; the test rejects where 2 P(W or more of D tosses of a coin) is at most ``alpha``. ``size`` is
    the difference of the means, in (0, 1], ``variance`` that of the difference of two answers to one item.
    """
    differ = min(max(variance + size**2, size), 1.0)
    count = np.arange(items + 1)
    enough = _enough(items, alpha)
    win = min((1 + size / differ) / 2, 1.0)
    rejected = special.bdtrc(enough - 1, count, win)
    rejected += np.where(enough <= count, special.bdtr(np.maximum(count - enough, 0), count, win), 0.0)
    log = special.gammaln(items + 1) - special.gammaln(count + 1) - special.gammaln(items - count + 1)
    return float(np.exp(log + special.xlogy(count, differ) + special.xlog1py(items - count, -differ)) @ rejected)


@cache
def _enough(items: int, alpha: float) -> npt.NDArray[np.int64]:
    """Return the fewest of D tosses, D from 0 to ``items``, that two-sidedly reject a coin; D + 1 where none do."""
    count = np.arange(items + 1)
    start = np.ceil(count / 2 + special.ndtri(1 - alpha / 2) * np.sqrt(count) / 2).astype(np.int64)
    tried = np.clip(start + np.arange(-3, 4)[:, None], 0, count + 1)
    rejects = (special.bdtrc(tried - 1, count, 0.5) <= alpha / 2) | (tried > count)
    return np.asarray(np.where(rejects, tried, items + 2).min(axis=0))


def smallest_exact(error: float, items: int, power: float, alpha: float) -> float:
    """Return the difference, of a standard error, that McNemar's exact test finds with a power; above 1: none."""
    variance = error**2 * items
    if items > SUMMED:
        return _normal(power, alpha) * error + 1 / items
    if power_of(items, 1.0, variance, alpha) < power:
        return 1 + 1 / items
    low = 1e-9
    if power_of(items, low, variance, alpha) >= power:
        return low
    return float(optimize.brentq(lambda size: power_of(items, size, variance, alpha) - power, low, 1.0, xtol=1e-9))


def needed_exact(variance: float, size: float, power: float, alpha: float) -> int:
    """Return the fewest items on which McNemar's exact test finds a difference, as ``power_of`` takes it."""
    z = _normal(power, alpha) * math.sqrt(variance)
    normal = math.ceil(((z + math.sqrt(z**2 + 4 * size)) / (2 * size)) ** 2 - 1e-6)
    if normal > SUMMED or power_of(SUMMED, size, variance, alpha) < power:
        return normal
    low, high = 0, SUMMED
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle, size, variance, alpha) >= power else (middle, high)
    return high


def _normal(power: float, alpha: float) -> float:
    """Return the difference in standard errors that a normal test finds with this power."""
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
