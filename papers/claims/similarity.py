"""What the 2020 paper reports, beside finished runs: one record for every number and statement.

A run with several shares speaks of Fig. 3, one with several halvings of Fig. 2, one of pictures of Tables 1 to 3 and
Fig. 4, one of played tests of Fig. 5. What no run speaks of is told as not run here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from aiq.measures import similarity
from aiq.measures.similarity import probability_between
from aiq.records.dissimilarity import SURE
from aiq.records.estimate import Estimate, Floats
from aiq.wings.similarity2020.reduction import MergedPair, Run, SimilarityResult, TestPerformance
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, PublishedAgent, Similarities
from aiq.wings.similarity2020.shown import published_similarity
from papers.claims import published
from papers.claims.published import Level, Pair, PublishedClaim, Verdict, claim

LACKING = "CIFAR100 was not at hand; config/similarity-paper.yaml has it, config/similarity-classes.yaml a stand-in"


def claims(run: Run, result: SimilarityResult) -> list[PublishedClaim]:
    """Return the records of what a finished run of measure ``similarity`` speaks of."""
    c = run.configuration
    if not isinstance(c.agent, BlockNetwork):
        records = gym_claims(run, result)
    elif len(c.halvings) > 1:
        records = width_claims(run, result)
    elif len(c.shares) > 2:
        records = share_claims(run, result)
    else:
        pairs = {(p.a, p.b): p for p in result.pairs if p.merge == "sampled"}
        alone = {p.a: p for p in result.performances if p.kind == "alone"}
        records = [_alone(name, alone[name].performance) for name in published.ALONE if name in alone]
        for pair in published.SIMILARITY:
            ours = pairs.get(pair, pairs.get(pair[::-1]))
            records += [] if ours is None else _pair(pair, ours)
        records += _order(pairs)
    return [replace(record, scale=record.scale or scale(c)) for record in records]


def all_claims(runs: Iterable[tuple[Run, SimilarityResult]]) -> list[PublishedClaim]:
    """Return the records of several runs, of each the first, and of printed numbers that none speaks of."""
    records: dict[str, PublishedClaim] = {}
    for record in [*(record for run, result in runs for record in claims(run, result)), *_never()]:
        records.setdefault(record.id, record)
    return list(records.values())


def scale(c: Similarities) -> str:
    """Return at what scale a run was made, in words."""
    agent = c.agent
    if isinstance(agent, BlockNetwork):
        keys = ("limit", "train_samples")
        limits = [getattr(source, key, None) for source in c.domains.values() for key in keys]
        count = c.samples or min((n for n in limits if n), default=None)
        filters = ", ".join(str(f) for f in agent.filters)
        size = "all" if count is None else f"{count:,}"
        return f"{size} pictures a test, filters {filters}, {agent.epochs} epochs, {c.repetitions} trainings"
    if isinstance(agent, DeepQPool):
        return f"best of {agent.pool.size} deep Q-networks, {agent.training.steps:,} steps, {c.repetitions} repetitions"
    if isinstance(agent, DeepQAgent):
        return f"one deep Q-network, {agent.training.steps:,} steps, {c.repetitions} repetitions"
    return f"{agent.steps:,} steps of a random policy, {c.repetitions:,} repetitions"


def _place(*tests: str) -> tuple[str, str]:
    """Return how the id of a number on one or two tests begins, and the table in which it stands."""
    table = "Table 3" if "CP" in tests else "Table 1" if len(tests) == 1 else "Table 2"
    return f"{table.replace(' ', '')}-{'+'.join(tests)}", table


def _implied(pair: Pair) -> float:
    """Return V_AB that a printed S and both printed V imply."""
    return float(similarity.implied(published.ALONE[pair[0]], published.ALONE[pair[1]], published.SIMILARITY[pair]))


def _alone(name: str, ours: Estimate) -> PublishedClaim:
    value, contrary, (key, table) = published.ALONE[name], published.CHANCE[name], _place(name)
    what = "balance time over 200 steps" if name == "CP" else "accuracy after 15 epochs"
    segments, seen, freedom = [], None, None
    if ours.interval is not None:
        segments, freedom = [ours.interval], ours.n - 1
        seen = published.of_difference(value - contrary, Level.from_estimate(ours).error, freedom)
    return claim(
        key, f"{what} on {name} is {value}", table, published.judged(value, contrary, segments),
        ours.value, ours.interval, value, seen, f"chance is {contrary:g}", freedom,
    )  # fmt: skip


def _pair(pair: Pair, ours: MergedPair) -> list[PublishedClaim]:
    """Return the records of a similarity and of V_AB that it implies."""
    measured, value, implied, (key, table) = ours.similarity, published.SIMILARITY[pair], _implied(pair), _place(*pair)
    seen = published.of_similarity(published.levels_of(measured), value) if measured.n > 1 else None
    first = claim(
        key, f"S of {' and '.join(pair)} is {value}", table, published.judged(value, 0.0, measured.segments),
        measured.value, measured.interval, value, seen, measured.note or f"sufficient: {measured.verdict}",
        3.0 * (measured.n - 1) if measured.n > 1 else None,  # three means of as many trainings
    )  # fmt: skip
    middle, merged = (measured.v_a.value + measured.v_b.value) / 2, measured.v_ab
    second = claim(
        f"{key}-VAB", f"V_AB of {' and '.join(pair)} at p = .5 is {implied:.4f}, as S and both V imply", table,
        published.judged(implied, middle, (merged.interval,) if merged.interval else ()),
        merged.value, merged.interval, implied, seen,
        f"on the straight line of ours it would be {middle:.3f}; all V are those of a smaller scale",
        merged.n - 1 if merged.interval is not None else None,
    )  # fmt: skip
    return [first, second]


def _order(pairs: Mapping[Pair, MergedPair]) -> list[PublishedClaim]:
    """Return the records of which pair is the more similar one (Fig. 4, and the text about it)."""
    records, other = [], ("MNIST", "FMNIST")
    for pair in (("MNIST", "CIFAR10"), ("FMNIST", "CIFAR10")):
        if pair not in pairs or other not in pairs:
            continue
        paper = published.SIMILARITY[pair] - published.SIMILARITY[other]
        both = pairs[pair].similarity, pairs[other].similarity
        gap = published.similarity_difference(*both)
        apart = gap is not None and not published.overlap(both[0].segments, both[1].segments)
        records.append(
            claim(
                f"Figure4-{'+'.join(pair)}-above-{'+'.join(other)}",
                f"{' and '.join(pair)} are more similar than {' and '.join(other)}", "Fig. 4 and Table 2",
                published.signed(gap.interval, 1) if gap and apart else "undecided",
                gap.value if gap else None, gap.interval if gap else None, paper, gap.power(paper) if gap else None,
                "difference of two S, first-order error; decided only where both Fieller sets are apart as well",
                gap.freedom if gap else None,
            )
        )  # fmt: skip
    return records


def _never() -> list[PublishedClaim]:
    """Return every printed number of pictures as not run here."""
    made: list[tuple[tuple[str, ...], str, str, float]]
    made = [((name,), "", f"{name} alone has {value}", value) for name, value in published.ALONE.items()]
    for pair, value in published.SIMILARITY.items():
        both, implied = " and ".join(pair), _implied(pair)
        made.append((pair, "", f"S of {both} is {value}", value))
        made.append((pair, "-VAB", f"V_AB of {both} at p = .5 is {implied:.4f}", implied))
    return [
        claim(
            f"{_place(*tests)[0]}{which}", says, _place(*tests)[1], "not run here", None, paper=value,
            note=LACKING if "CIFAR100" in tests else "no run speaks of it", scale="none",
        )
        for tests, which, says, value in made
    ]  # fmt: skip


# ---- Figures 2, 3 and 5: sizes, shares, and played tests ----------------------------------------------


FILE = "Fig. 5, by the authors' file nice results.csv (2019)"
WIDE = 0.5  # a range of single runs that holds more of [0, 1] says little
DIGITS = 0.005
EPISODES = 2000


def gym_claims(run: Run, result: SimilarityResult) -> list[PublishedClaim]:
    """Return a record for every printed |S| of the run's tests; of the published recipe also for the whole table."""
    random = isinstance(run.configuration.agent, PublishedAgent)
    pairs = {frozenset((p.a, p.b)): p for p in result.pairs}
    values = published_similarity(run.configuration.published)
    made = [_cell(pair, value, pairs.get(frozenset(pair)), random) for pair, value in values.items()]
    return [*_table(values, pairs), _balance(run.configuration.seed), *made] if random and values else made


def _range(values: np.ndarray) -> tuple[float, float]:
    """Return the range of 95 % of some numbers."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _cell(pair: Pair, value: float, ours: MergedPair | None, random: bool) -> PublishedClaim:
    """Return the record of one printed |S| beside the single runs of a recipe."""
    (a, b), agent = pair, "a uniformly random policy" if random else "networks that learn"
    key = f"Figure5-{'random' if random else 'learned'}-{a}+{b}"
    says = f"|S| of {a} and {b}, one run of {agent}, is {value:g}"
    single = np.empty(0) if ours is None else ours.single[np.isfinite(ours.single)]
    if ours is None or single.size < 2:
        note = "a test with itself: 0/0, undefined" if a == b else "fewer than two single runs"
        return claim(key, says, FILE, "not run here", None, paper=value, note=note)
    low, high = _range(single)
    width = min(1.0, high - low + 2 * DIGITS)
    inside = low - DIGITS <= value <= high + DIGITS
    verdict: Verdict = "not reproduced" if not inside else "undecided" if width > WIDE else "reproduced"
    note = "mean and range of 95 % of single runs; power: share of [0, 1] outside it"
    note = "; ".join(filter(None, (note, ours.similarity.note)))
    return claim(key, says, FILE, verdict, float(single.mean()), (low, high), value, 1 - width, note)


def _table(values: Mapping[Pair, float], pairs: Mapping[frozenset[str], MergedPair]) -> list[PublishedClaim]:
    """Return the records of the table's mean, ones and unusual values, with ranges of 95 % of simulated tables."""
    printed = {pair: value for pair, value in values.items() if frozenset(pair) in pairs}
    if not printed:
        return []
    tables = np.nan_to_num(np.stack([pairs[frozenset(pair)].single for pair in printed]))
    numbers = np.array(list(printed.values()))
    unlike = np.random.default_rng(0).uniform(0, 1, (len(numbers), 4000))  # tables without relation to it
    least, most = (end[:, None] for end in np.quantile(tables, [0.025, 0.975], axis=1))
    counted: Mapping[str, tuple[str, Callable[[Floats], Any]]] = {
        "mean": ("the mean of the printed |S|", lambda cells: cells),
        "ones": ("the share of printed |S| that are 1", lambda cells: cells > 1 - DIGITS),
        "unusual": ("the share of printed |S| outside the range of 95 % of single runs",
                    lambda cells: (cells < least - DIGITS) | (cells > most + DIGITS)),
    }  # fmt: skip
    records = []
    for key, (words, of_cells) in counted.items():
        runs, printed_one, other = (of_cells(table).mean(axis=0) for table in (tables, numbers[:, None], unlike))
        value = float(printed_one[0])
        low, high = _range(runs)
        records.append(
            claim(
                f"Figure5-random-{key}", f"{words} is {value:.3f}, and a random policy's noise gives that", FILE,
                "reproduced" if low <= value <= high else "not reproduced", float(runs.mean()), (low, high), value,
                float(np.mean((other < low) | (other > high))),
                f"{len(printed)} cells; range of 95 % of simulated tables; power: share of tables of uniform numbers "
                "outside it",
            )
        )  # fmt: skip
    return records


def _balance(seed: int) -> PublishedClaim:
    from aiq.wings.similarity2020.gym_suite import SUITE, dynamics, play, weights

    test = SUITE["CartPole-v0"]
    rng = np.random.default_rng([seed, 5])
    shares = play(dynamics(test), weights(test.actions), test.horizon, EPISODES, rng).length / test.horizon
    value, half = float(shares.mean()), 1.96 * float(shares.std(ddof=1)) / EPISODES**0.5
    interval = (value - half, value + half)
    return claim(
        "Table3-random", f"a random agent balances {published.RANDOM_BALANCE:.3f} of 200 steps", "Table 3, text",
        published.judged(published.RANDOM_BALANCE, 0.0, [interval]), value, interval, published.RANDOM_BALANCE, 1.0,
        "so the printed .10 of the trained agent is below a random one's",
        scale=f"{EPISODES:,} episodes of CartPole-v0",
    )  # fmt: skip


# ---- figures 2 and 3: the size of the network and the share of a test ----------------------------


ALIKE = 0.25  # by which S may differ between sizes and still "not largely affect the results"
SLIGHTLY = 0.02  # of accuracy, for "drops slightly below"
INSIDE = (1 - published.SIMILARITY["MNIST", "CIFAR10"]) / 2
"""How far the printed mixture lies above the harder test, in gaps V_A - V_B: .355."""


def width_claims(run: Run, result: SimilarityResult) -> list[PublishedClaim]:
    """Return the records of Fig. 2 from a run with several halvings of the filters."""
    made = [_merge(pair) for pair in result.pairs if pair.similarity.n > 1]
    alone = {(p.a, p.halvings): p for p in result.performances if p.kind == "alone"}
    controls = [p for p in result.performances if p.kind == "stitched" and p.a == p.b]
    both = [(p, alone[p.a, p.halvings]) for p in controls]
    made += [_control(*two) for two in both if min(p.performance.n for p in two) > 1]
    sampled = {p.halvings: p for p in result.pairs if p.merge == "sampled"}
    first = run.configuration.halvings[0]
    return made + [_size(sampled[first], other) for h, other in sampled.items() if h != first]


def _merge(pair: MergedPair) -> PublishedClaim:
    """Return whether the agent is sufficient under a merge (sampled: the paper says yes; stitched: no)."""
    s, sampled = pair.similarity, pair.merge == "sampled"
    levels = published.levels_of(s)
    a, b = levels[0].mean, levels[1].mean
    claimed, denied = published.of_sufficiency(levels, b + (INSIDE if sampled else -INSIDE) * (a - b))
    verdict: Verdict = "undecided"
    if s.verdict != "undecided":
        verdict = "reproduced" if s.verdict == ("yes" if sampled else "no") else "not reproduced"
    lies = "inside" if sampled else "below the harder test (the paper prints no size)"
    return claim(
        f"Figure2-{pair.merge}-halved{pair.halvings}",
        f"filters halved {pair.halvings} times: the {pair.merge} merge {'keeps' if sampled else 'breaks'} "
        "V_A ≥ V_AB ≥ V_B", "Fig. 2", verdict, s.sufficient, power=claimed if sampled else denied,
        note=f"ours is the probability that it holds; V_AB {s.v_ab.value:.3f} between {b:.3f} and {a:.3f}; power for "
        f"V_AB {INSIDE:.3f} of the gap {lies}",
    )  # fmt: skip


def _control(stitched: TestPerformance, alone: TestPerformance) -> PublishedClaim:
    gap = published.difference(Level.from_estimate(stitched.performance), Level.from_estimate(alone.performance))
    size = (published.ALONE["MNIST"] - published.ALONE["CIFAR10"]) * INSIDE
    return claim(
        f"Figure2-control-{stitched.a}-halved{stitched.halvings}",
        f"filters halved {stitched.halvings} times: {stitched.a} stitched to itself is not as easy as alone",
        "Fig. 2", published.signed(gap.interval, 0), gap.value, gap.interval, None, gap.power(size),
        f"stitched minus alone; power for a difference of {size:.3f}, by which the printed sampled mixture lies "
        "above the harder test",
    )  # fmt: skip


def _size(first: MergedPair, other: MergedPair) -> PublishedClaim:
    gap = published.similarity_difference(first.similarity, other.similarity)
    verdict: Verdict = "undecided"
    if gap is not None:
        low, high = gap.interval
        verdict = "reproduced" if low >= -ALIKE and high <= ALIKE else verdict
        verdict = "not reproduced" if low > ALIKE or high < -ALIKE else verdict
    return claim(
        f"Figure2-S-halved{other.halvings}",
        f"S with filters halved {first.halvings} and {other.halvings} times is much the same", "Fig. 2, text",
        verdict, gap.value if gap else None, gap.interval if gap else None, None, gap.power(ALIKE) if gap else None,
        f"difference of S; reproduced where its interval lies in ± {ALIKE}, our reading of 'does not largely affect'",
    )  # fmt: skip


def share_claims(run: Run, result: SimilarityResult) -> list[PublishedClaim]:
    """Return the records of Fig. 3 from a run with several shares of one pair."""
    alone = {p.a: Level.from_estimate(p.performance) for p in result.performances if p.kind == "alone"}
    merged = [p for p in result.performances if p.kind == "sampled" and p.halvings == run.configuration.halvings[0]]
    easy, hard = sorted(run.configuration.chosen_pairs[0], key=lambda name: -alone[name].mean)
    share = {(p.at if p.a == easy else 1 - p.at): Level.from_estimate(p.performance) for p in merged}
    made = []
    inner = {p: level for p, level in share.items() if 0 < p < 1}
    if inner:
        made.append(_between(alone[easy], alone[hard], inner))
    if 0.0 in share:
        gap = published.difference(share[0.0], alone[hard])
        made.append(
            claim(
                "Figure3-end", f"at p = 0 the mixture drops slightly below {hard} alone", "Fig. 3, text",
                published.signed(gap.interval, -1), gap.value, gap.interval, None, gap.power(SLIGHTLY),
                f"mixture minus alone; power for a difference of {SLIGHTLY}, since the paper prints no size",
            )
        )  # fmt: skip
    return made


def _between(easy: Level, hard: Level, inner: Mapping[float, Level]) -> PublishedClaim:
    probabilities = {}
    for p, merged in inner.items():
        over, under = published.difference(easy, merged), published.difference(merged, hard)
        spread = (over.error**2, -(merged.error**2), under.error**2)
        probabilities[p] = probability_between(over.value, under.value, spread, min(over.freedom, under.freedom))
    worst = min(probabilities, key=lambda p: probabilities[p])
    line = {p: hard.mean + p * (easy.mean - hard.mean) for p in inner}
    seen = min(published.of_sufficiency((easy, hard, level), line[p])[0] for p, level in inner.items())
    least = probabilities[worst]
    verdict: Verdict = "reproduced" if least >= SURE else "not reproduced" if least <= 1 - SURE else "undecided"
    return claim(
        "Figure3-between", "V_A ≥ V_AB(p) ≥ V_B at every share p inside (0, 1)", "Fig. 3", verdict, least, power=seen,
        note=f"ours is the least of {len(inner)} probabilities, one a share, at p = {worst:g}; power for the straight "
        "line",
    )  # fmt: skip
