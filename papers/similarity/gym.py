"""What the 2020 paper says of Fig. 5 and of a random agent, beside finished runs of played tests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiq.wings.similarity2020.published import published_similarity
from aiq.wings.similarity2020.records import MergedPair
from aiq.wings.similarity2020.reduction import Run, SimilarityResult
from aiq.wings.similarity2020.settings import PublishedAgent
from papers.published_claim import PublishedClaim, Verdict
from papers.similarity import printed
from papers.similarity.verdicts import judged

PAPER = "Pereyda and Holder (2020)"
SOURCE = f"{PAPER}, Fig. 5, by the authors' file nice results.csv (2019)"
WIDE = 0.5  # a range of single runs that holds more of [0, 1] says little
DIGITS = 0.005
EPISODES = 2000


def gym_claims(run: Run, found: SimilarityResult, where: str) -> list[PublishedClaim]:
    """Return a record for every printed |S| of the run's tests; of the published recipe also for the whole table."""
    random = isinstance(run.configuration.agent, PublishedAgent)
    pairs = {frozenset((p.a, p.b)): p for p in found.pairs}
    values = published_similarity(run.configuration.published)
    made = []
    for (a, b), value in values.items():
        made.append(_cell(a, b, value, pairs.get(frozenset((a, b))), "random" if random else "learned", where))
    return [*_table(values, pairs, where), _balance(run.configuration.seed), *made] if random and values else made


def _cell(a: str, b: str, value: float, ours: MergedPair | None, recipe: str, where: str) -> PublishedClaim:
    """Return the record of one printed |S| beside the single runs of a recipe."""
    agent = "a uniformly random policy" if recipe == "random" else "networks that learn"
    told = (f"2020-Figure5-{recipe}-{a}+{b}", f"|S| of {a} and {b}, one run of {agent}, is {value:g}", SOURCE)
    single = np.empty(0) if ours is None else ours.single[np.isfinite(ours.single)]
    if ours is None or single.size < 2:
        note = "a test with itself: 0/0, undefined" if a == b else "fewer than two single runs"
        return PublishedClaim(*told, "not run here", None, None, value, where, None, note)
    low, high = (float(end) for end in np.quantile(single, [0.025, 0.975]))
    width = min(1.0, high - low + 2 * DIGITS)
    inside = low - DIGITS <= value <= high + DIGITS
    verdict: Verdict = "not reproduced" if not inside else "undecided" if width > WIDE else "reproduced"
    note = "mean and range of 95 % of single runs; power: share of [0, 1] outside it"
    if ours.similarity.note:
        note = f"{note}; {ours.similarity.note}"
    return PublishedClaim(*told, verdict, float(single.mean()), (low, high), value, where, 1 - width, note)


def _table(
    values: Mapping[printed.Pair, float], pairs: Mapping[frozenset[str], MergedPair], where: str
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
    """Return what a random agent balances, by simulation."""
    from aiq.wings.similarity2020 import gym2020
    from aiq.wings.similarity2020.gym2020.episodes import play
    from aiq.wings.similarity2020.gym2020.lanes import dynamics

    test = gym2020.SUITE["CartPole-v0"]
    rng = np.random.default_rng([seed, 5])
    found = play(dynamics(test), gym2020.weights(test.actions), test.horizon, EPISODES, rng).length / test.horizon
    value, half = float(found.mean()), 1.96 * float(found.std(ddof=1)) / EPISODES**0.5
    paper = printed.RANDOM_BALANCE
    return PublishedClaim(
        "2020-Table3-random", f"a random agent balances {paper:.3f} of 200 steps", f"{PAPER}, Table 3, text",
        judged(paper, 0.0, [(value - half, value + half)]), value, (value - half, value + half), paper,
        f"{EPISODES:,} episodes of CartPole-v0", 1.0,
        "so the printed .10 of the trained agent is below a random one's",
    )  # fmt: skip
