"""What the 2020 paper says of Figs. 2, 3 and 5 beside finished runs: sizes, shares, and played tests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiq.measures.similarity import probability_between
from aiq.records.similarity import SURE
from aiq.wings.similarity2020.records import MergedPair, TestPerformance
from aiq.wings.similarity2020.reduction import Run, SimilarityResult
from aiq.wings.similarity2020.settings import PublishedAgent
from aiq.wings.similarity2020.shown import published_similarity
from papers.similarity import verdicts
from papers.similarity.verdicts import (
    Level,
    PublishedClaim,
    Verdict,
    difference,
    judged,
    levels_of,
    of_difference,
    of_sufficiency,
    signed,
    similarity_difference,
)

PAPER = "Pereyda and Holder (2020)"
SOURCE = f"{PAPER}, Fig. 5, by the authors' file nice results.csv (2019)"
WIDE = 0.5  # a range of single runs that holds more of [0, 1] says little
DIGITS = 0.005
EPISODES = 2000


def gym_claims(run: Run, result: SimilarityResult, where: str) -> list[PublishedClaim]:
    """Return a record for every printed |S| of the run's tests; of the published recipe also for the whole table."""
    random = isinstance(run.configuration.agent, PublishedAgent)
    pairs = {frozenset((p.a, p.b)): p for p in result.pairs}
    values = published_similarity(run.configuration.published)
    made = []
    for (a, b), value in values.items():
        made.append(_cell(a, b, value, pairs.get(frozenset((a, b))), "random" if random else "learned", where))
    return [*_table(values, pairs, where), _balance(run.configuration.seed), *made] if random and values else made


def _cell(a: str, b: str, value: float, ours: MergedPair | None, recipe: str, where: str) -> PublishedClaim:
    """Return the record of one printed |S| beside the single runs of a recipe."""
    agent = "a uniformly random policy" if recipe == "random" else "networks that learn"
    printed = (f"2020-Figure5-{recipe}-{a}+{b}", f"|S| of {a} and {b}, one run of {agent}, is {value:g}", SOURCE)
    single = np.empty(0) if ours is None else ours.single[np.isfinite(ours.single)]
    if ours is None or single.size < 2:
        note = "a test with itself: 0/0, undefined" if a == b else "fewer than two single runs"
        return PublishedClaim(*printed, "not run here", None, None, value, where, None, note)
    low, high = (float(end) for end in np.quantile(single, [0.025, 0.975]))
    width = min(1.0, high - low + 2 * DIGITS)
    inside = low - DIGITS <= value <= high + DIGITS
    verdict: Verdict = "not reproduced" if not inside else "undecided" if width > WIDE else "reproduced"
    note = "mean and range of 95 % of single runs; power: share of [0, 1] outside it"
    if ours.similarity.note:
        note = f"{note}; {ours.similarity.note}"
    return PublishedClaim(*printed, verdict, float(single.mean()), (low, high), value, where, 1 - width, note)


def _table(
    values: Mapping[verdicts.Pair, float], pairs: Mapping[frozenset[str], MergedPair], where: str
) -> list[PublishedClaim]:
    """Return the records of the scale of the table's values: their mean, how many are 1, how many are unusual.

    Each repetition is a whole table, so that the interval is the range of 95 % of simulated tables.
    """
    known = {pair: value for pair, value in values.items() if frozenset(pair) in pairs}
    if not known:
        return []
    tables = np.nan_to_num(np.stack([pairs[frozenset(pair)].single for pair in known]))
    numbers = np.array(list(known.values()))
    unlike = np.random.default_rng(0).uniform(0, 1, (len(numbers), 4000))  # tables without relation to it
    least, most = (end[:, None] for end in np.quantile(tables, [0.025, 0.975], axis=1))
    made = []
    for key, words, count in (
        ("mean", "the mean of the printed |S|", lambda table: table.mean(axis=0)),
        ("ones", "the share of printed |S| that are 1", lambda table: (table > 1 - DIGITS).mean(axis=0)),
        (
            "unusual",
            "the share of printed |S| outside the range of 95 % of single runs",
            lambda table: ((table < least - DIGITS) | (table > most + DIGITS)).mean(axis=0),
        ),
    ):
        runs = np.asarray(count(tables))
        low, high = (float(end) for end in np.quantile(runs, [0.025, 0.975]))
        value, other = float(count(numbers[:, None])[0]), np.asarray(count(unlike))
        made.append(
            PublishedClaim(
                f"2020-Figure5-random-{key}", f"{words} is {value:.3f}, and a random policy's noise gives that", SOURCE,
                "reproduced" if low <= value <= high else "not reproduced", float(runs.mean()), (low, high), value,
                where, float(np.mean((other < low) | (other > high))),
                f"{len(known)} cells; range of 95 % of simulated tables; power: share of tables of uniform numbers "
                "outside it",
            )
        )  # fmt: skip
    return made


def _balance(seed: int) -> PublishedClaim:
    from aiq.wings.similarity2020.gym_random import dynamics, play
    from aiq.wings.similarity2020.gym_suite import SUITE, weights

    test = SUITE["CartPole-v0"]
    rng = np.random.default_rng([seed, 5])
    found = play(dynamics(test), weights(test.actions), test.horizon, EPISODES, rng).length / test.horizon
    value, half = float(found.mean()), 1.96 * float(found.std(ddof=1)) / EPISODES**0.5
    paper = verdicts.RANDOM_BALANCE
    return PublishedClaim(
        "2020-Table3-random", f"a random agent balances {paper:.3f} of 200 steps", f"{PAPER}, Table 3, text",
        judged(paper, 0.0, [(value - half, value + half)]), value, (value - half, value + half), paper,
        f"{EPISODES:,} episodes of CartPole-v0", 1.0,
        "so the printed .10 of the trained agent is below a random one's",
    )  # fmt: skip


# ---- figures 2 and 3: the size of the network and the share of a test ----------------------------


ALIKE = 0.25  # by which S may differ between sizes and still "not largely affect the results"
SLIGHTLY = 0.02  # of accuracy, for "drops slightly below"
PAIR = ("MNIST", "CIFAR10")
INSIDE = (1 - verdicts.SIMILARITY[PAIR]) / 2
"""How far the printed mixture lies above the harder test, in gaps V_A - V_B: .355."""


def width_claims(run: Run, result: SimilarityResult, where: str) -> list[PublishedClaim]:
    """Return the records of Fig. 2 from a run with several halvings of the filters."""
    made = [_merge(pair, where) for pair in result.pairs if pair.similarity.n > 1]
    for p in result.performances:
        if p.kind == "stitched" and p.a == p.b:
            alone = next(q for q in result.performances if (q.kind, q.a, q.halvings) == ("alone", p.a, p.halvings))
            made += _control(p, alone, where)
    sampled = {p.halvings: p for p in result.pairs if p.merge == "sampled"}
    first = run.configuration.halvings[0]
    return made + [_size(sampled[first], other, where) for h, other in sampled.items() if h != first]


def _merge(pair: MergedPair, where: str) -> PublishedClaim:
    """Return whether the agent is sufficient under a merge (sampled: the paper says yes; stitched: no)."""
    s, sampled = pair.similarity, pair.merge == "sampled"
    levels = levels_of(s)
    a, b = levels[0].mean, levels[1].mean
    claimed, denied = of_sufficiency(levels, b + (INSIDE if sampled else -INSIDE) * (a - b))
    expected = "yes" if sampled else "no"
    verdict: Verdict = "undecided" if s.verdict == "undecided" else "not reproduced"
    if s.verdict == expected:
        verdict = "reproduced"
    name = f"filters halved {pair.halvings} times"
    lies = "inside" if sampled else "below the harder test"
    return PublishedClaim(
        f"2020-Figure2-{pair.merge}-halved{pair.halvings}",
        f"{name}: the {pair.merge} merge {'keeps' if sampled else 'breaks'} V_A ≥ V_AB ≥ V_B", f"{PAPER}, Fig. 2",
        verdict, s.sufficient, None, None, where, claimed if sampled else denied,
        f"ours is the probability that it holds; V_AB {s.v_ab.value:.3f} between {b:.3f} and {a:.3f}; power for V_AB "
        f"{INSIDE:.3f} of the gap {lies}" + ("" if sampled else " (the paper prints no size)"),
    )  # fmt: skip


def _control(stitched: TestPerformance, alone: TestPerformance, where: str) -> list[PublishedClaim]:
    if stitched.performance.n < 2 or alone.performance.n < 2:
        return []
    value, interval, error, freedom = difference(
        Level.from_estimate(stitched.performance), Level.from_estimate(alone.performance)
    )
    gap = (verdicts.ALONE[PAIR[0]] - verdicts.ALONE[PAIR[1]]) * INSIDE
    return [
        PublishedClaim(
            f"2020-Figure2-control-{stitched.a}-halved{stitched.halvings}",
            f"filters halved {stitched.halvings} times: {stitched.a} stitched to itself is not as easy as alone",
            f"{PAPER}, Fig. 2", signed(interval, 0), value, interval, None, where,
            of_difference(gap, error, freedom),
            f"stitched minus alone; power for a difference of {gap:.3f}, by which the printed sampled mixture lies "
            "above the harder test",
        )
    ]  # fmt: skip


def _size(first: MergedPair, other: MergedPair, where: str) -> PublishedClaim:
    gap = similarity_difference(first.similarity, other.similarity)
    verdict: Verdict = "undecided"
    value, interval, seen = None, None, None
    if gap is not None:
        value, interval, error, freedom = gap
        low, high = interval
        seen = of_difference(ALIKE, error, freedom)
        verdict = "reproduced" if low >= -ALIKE and high <= ALIKE else "undecided"
        if low > ALIKE or high < -ALIKE:
            verdict = "not reproduced"
    return PublishedClaim(
        f"2020-Figure2-S-halved{other.halvings}",
        f"S with filters halved {first.halvings} and {other.halvings} times is much the same", f"{PAPER}, Fig. 2, text",
        verdict, value, interval, None, where, seen,
        f"difference of S; reproduced where its interval lies in ± {ALIKE}, our reading of 'does not largely affect'",
    )  # fmt: skip


def share_claims(run: Run, result: SimilarityResult, where: str) -> list[PublishedClaim]:
    """Return the records of Fig. 3 from a run with several shares of one pair."""
    a, b = run.configuration.chosen_pairs[0]
    alone = {p.a: Level.from_estimate(p.performance) for p in result.performances if p.kind == "alone"}
    merged = [p for p in result.performances if p.kind == "sampled" and p.halvings == run.configuration.halvings[0]]
    easy, hard = sorted((a, b), key=lambda name: -alone[name].mean)
    share = {(p.at if p.a == easy else 1 - p.at): Level.from_estimate(p.performance) for p in merged}
    made = []
    inner = {p: level for p, level in share.items() if 0 < p < 1}
    if inner:
        made.append(_between(alone[easy], alone[hard], inner, where))
    if 0.0 in share:
        value, interval, error, freedom = difference(share[0.0], alone[hard])
        made.append(
            PublishedClaim(
                "2020-Figure3-end", f"at p = 0 the mixture drops slightly below {hard} alone", f"{PAPER}, Fig. 3, text",
                signed(interval, -1), value, interval, None, where, of_difference(SLIGHTLY, error, freedom),
                f"mixture minus alone; power for a difference of {SLIGHTLY}, since the paper prints no size",
            )
        )  # fmt: skip
    return made


def _between(easy: Level, hard: Level, inner: Mapping[float, Level], where: str) -> PublishedClaim:
    found = {p: _probability(easy, hard, level) for p, level in inner.items()}
    worst = min(found, key=lambda p: found[p])
    least, line = found[worst], {p: hard.mean + p * (easy.mean - hard.mean) for p in inner}
    seen = min(of_sufficiency((easy, hard, level), line[p])[0] for p, level in inner.items())
    verdict: Verdict = "reproduced" if least >= SURE else "not reproduced" if least <= 1 - SURE else "undecided"
    return PublishedClaim(
        "2020-Figure3-between", "V_A ≥ V_AB(p) ≥ V_B at every share p inside (0, 1)", f"{PAPER}, Fig. 3", verdict,
        least, None, None, where, seen,
        f"ours is the least of {len(inner)} probabilities, one a share, at p = {worst:g}; power for the straight line",
    )  # fmt: skip


def _probability(easy: Level, hard: Level, merged: Level) -> float:
    over, under = difference(easy, merged), difference(merged, hard)
    spread = (over[2] ** 2, -(merged.error**2), under[2] ** 2)
    return probability_between(over[0], under[0], spread, min(over[3], under[3]))
