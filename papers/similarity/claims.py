"""What the 2020 paper reports, beside finished runs: one record for every number and statement.

A run with several shares speaks of Fig. 3, one with several halvings of Fig. 2, one of pictures of Tables 1 to 3 and
Fig. 4, one of played tests of Fig. 5. What no run speaks of is told as not run here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from aiq.measures import similarity
from aiq.records.estimate import Estimate
from aiq.wings.similarity2020.records import MergedPair
from aiq.wings.similarity2020.reduction import Run, SimilarityResult
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, Similarities
from papers.similarity.studies import gym_claims, share_claims, width_claims
from papers.similarity.verdicts import (
    ALONE,
    CHANCE,
    SIMILARITY,
    Level,
    Pair,
    PublishedClaim,
    claim,
    judged,
    levels_of,
    of_difference,
    of_similarity,
    overlap,
    signed,
    similarity_difference,
)

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
        records = [_alone(name, alone[name].performance) for name in ALONE if name in alone]
        for pair in SIMILARITY:
            ours = pairs.get(pair, pairs.get(pair[::-1]))
            records += [] if ours is None else _pair(pair, ours)
        records += _order(pairs)
    return [replace(record, scale=record.scale or scale(c)) for record in records]


def all_claims(runs: Iterable[tuple[Run, SimilarityResult]]) -> list[PublishedClaim]:
    """Return the records of several runs, and of every printed number of pictures that none of them speaks of.

    A claim that two runs speak of is taken from the first.
    """
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
    return float(similarity.implied(ALONE[pair[0]], ALONE[pair[1]], SIMILARITY[pair]))


def _alone(name: str, ours: Estimate) -> PublishedClaim:
    value, contrary, (key, table) = ALONE[name], CHANCE[name], _place(name)
    what = "balance time over 200 steps" if name == "CP" else "accuracy after 15 epochs"
    segments, seen, freedom = [], None, None
    if ours.interval is not None:
        segments, freedom = [ours.interval], ours.n - 1
        seen = of_difference(value - contrary, Level.from_estimate(ours).error, freedom)
    return claim(
        key, f"{what} on {name} is {value}", table, judged(value, contrary, segments),
        ours.value, ours.interval, value, seen, f"chance is {contrary:g}", freedom,
    )  # fmt: skip


def _pair(pair: Pair, ours: MergedPair) -> list[PublishedClaim]:
    """Return the records of a similarity and of V_AB that it implies."""
    measured, value, implied, (key, table) = ours.similarity, SIMILARITY[pair], _implied(pair), _place(*pair)
    seen = of_similarity(levels_of(measured), value) if measured.n > 1 else None
    first = claim(
        key, f"S of {' and '.join(pair)} is {value}", table, judged(value, 0.0, measured.segments),
        measured.value, measured.interval, value, seen, measured.note or f"sufficient: {measured.verdict}",
        3.0 * (measured.n - 1) if measured.n > 1 else None,  # three means of as many trainings
    )  # fmt: skip
    middle, merged = (measured.v_a.value + measured.v_b.value) / 2, measured.v_ab
    second = claim(
        f"{key}-VAB", f"V_AB of {' and '.join(pair)} at p = .5 is {implied:.4f}, as S and both V imply", table,
        judged(implied, middle, (merged.interval,) if merged.interval else ()),
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
        paper = SIMILARITY[pair] - SIMILARITY[other]
        both = pairs[pair].similarity, pairs[other].similarity
        gap = similarity_difference(*both)
        apart = gap is not None and not overlap(both[0].segments, both[1].segments)
        records.append(
            claim(
                f"Figure4-{'+'.join(pair)}-above-{'+'.join(other)}",
                f"{' and '.join(pair)} are more similar than {' and '.join(other)}", "Fig. 4 and Table 2",
                signed(gap.interval, 1) if gap and apart else "undecided",
                gap.value if gap else None, gap.interval if gap else None, paper, gap.power(paper) if gap else None,
                "difference of two S, first-order error; decided only where both Fieller sets are apart as well",
                gap.freedom if gap else None,
            )
        )  # fmt: skip
    return records


def _never() -> list[PublishedClaim]:
    """Return every printed number of pictures as not run here."""
    made: list[tuple[tuple[str, ...], str, str, float]]
    made = [((name,), "", f"{name} alone has {value}", value) for name, value in ALONE.items()]
    for pair, value in SIMILARITY.items():
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
