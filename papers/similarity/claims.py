"""What the 2020 paper reports, beside finished runs: one record for every number and statement.

A run with several shares speaks of Fig. 3, one with several halvings of Fig. 2, one of pictures of Tables 1 to 3 and
Fig. 4, one of played tests of Fig. 5. What no run speaks of is told as not run here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aiq.measures import similarity
from aiq.records.estimate import Estimate
from aiq.wings.similarity2020.records import MergedPair
from aiq.wings.similarity2020.reduction import Run, SimilarityResult
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, Similarities
from papers.similarity import verdicts
from papers.similarity.studies import gym_claims, share_claims, width_claims
from papers.similarity.verdicts import (
    Level,
    PublishedClaim,
    judged,
    levels_of,
    of_difference,
    of_similarity,
    overlap,
    signed,
    similarity_difference,
)

PAPER = "Pereyda and Holder (2020)"
LACKING = "CIFAR100 was not at hand; config/similarity-paper.yaml has it, config/similarity-classes.yaml a stand-in"


def claims(run: Run, result: SimilarityResult) -> list[PublishedClaim]:
    """Return the records of what a finished run speaks of.

    Args:
        run: of measure ``similarity``.
        result: what its trainings reduced to.
    """
    c = run.configuration
    if not isinstance(c.agent, BlockNetwork):
        return gym_claims(run, result, scale(c))
    if len(c.halvings) > 1:
        return width_claims(run, result, scale(c))
    if len(c.shares) > 2:
        return share_claims(run, result, scale(c))
    pairs = {(p.a, p.b): p for p in result.pairs if p.merge == "sampled"}
    alone = {p.a: p for p in result.performances if p.kind == "alone"}
    made = [_alone(name, alone[name].performance, scale(c)) for name in verdicts.ALONE if name in alone]
    for pair, value in verdicts.SIMILARITY.items():
        ours = pairs.get(pair, pairs.get(pair[::-1]))
        if ours is not None:
            made += _pair(pair, value, ours, scale(c))
    return made + _order(pairs, scale(c))


def all_claims(runs: Iterable[tuple[Run, SimilarityResult]]) -> list[PublishedClaim]:
    """Return the records of several runs, and of every printed number of pictures that none of them speaks of.

    A claim that two runs speak of is taken from the first.
    """
    made: dict[str, PublishedClaim] = {}
    for run, found in runs:
        for claim in claims(run, found):
            made.setdefault(claim.id, claim)
    for claim in _never():
        made.setdefault(claim.id, claim)
    return list(made.values())


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


def _alone(name: str, ours: Estimate, where: str) -> PublishedClaim:
    value, contrary = verdicts.ALONE[name], verdicts.CHANCE[name]
    table = verdicts.table_of(name)
    what = "balance time over 200 steps" if name == "CP" else "accuracy after 15 epochs"
    segments = (ours.interval,) if ours.interval else ()
    seen = None
    if ours.interval is not None:
        level = Level.from_estimate(ours)
        seen = of_difference(value - contrary, level.error, level.count - 1)
    return PublishedClaim(
        f"2020-{table.replace(' ', '')}-{name}", f"{what} on {name} is {value}", f"{PAPER}, {table}",
        judged(value, contrary, segments), ours.value, ours.interval, value, where, seen, f"chance is {contrary:g}",
        ours.n - 1 if ours.interval is not None else None,
    )  # fmt: skip


def _pair(pair: verdicts.Pair, value: float, ours: MergedPair, where: str) -> list[PublishedClaim]:
    """Return the records of a similarity and of V_AB that it implies."""
    found, name = ours.similarity, "+".join(pair)
    table = verdicts.table_of(*pair)
    levels = levels_of(found) if found.n > 1 else None
    seen = None if levels is None else of_similarity(levels, value)
    source, note = f"{PAPER}, {table}", found.note or f"sufficient: {found.verdict}"
    first = PublishedClaim(
        f"2020-{table.replace(' ', '')}-{name}", f"S of {' and '.join(pair)} is {value}", source,
        judged(value, 0.0, found.segments), found.value, found.interval, value, where, seen, note, _freedom(found.n),
    )  # fmt: skip
    implied = float(similarity.implied(verdicts.ALONE[pair[0]], verdicts.ALONE[pair[1]], value))
    middle = (found.v_a.value + found.v_b.value) / 2
    segments = (found.v_ab.interval,) if found.v_ab.interval else ()
    second = PublishedClaim(
        f"{first.id}-VAB", f"V_AB of {' and '.join(pair)} at p = .5 is {implied:.4f}, as S and both V imply", source,
        judged(implied, middle, segments), found.v_ab.value, found.v_ab.interval, implied, where, seen,
        f"on the straight line of ours it would be {middle:.3f}; all V are those of a smaller scale",
        found.v_ab.n - 1 if found.v_ab.interval is not None else None,
    )  # fmt: skip
    return [first, second]


def _freedom(trainings: int) -> float | None:
    """Return the degrees of freedom of a similarity: three means of as many trainings."""
    return 3.0 * (trainings - 1) if trainings > 1 else None


def _order(pairs: Mapping[verdicts.Pair, MergedPair], where: str) -> list[PublishedClaim]:
    """Return the records of which pair is the more similar one (Fig. 4, and the text about it)."""
    made = []
    for one, other in ((("MNIST", "CIFAR10"), ("MNIST", "FMNIST")), (("FMNIST", "CIFAR10"), ("MNIST", "FMNIST"))):
        if one not in pairs or other not in pairs:
            continue
        paper = verdicts.SIMILARITY[one] - verdicts.SIMILARITY[other]
        gap = similarity_difference(pairs[one].similarity, pairs[other].similarity)
        value, interval, error, freedom = gap or (None, None, None, None)
        both = pairs[one].similarity.segments, pairs[other].similarity.segments
        apart = interval is not None and not overlap(*both)
        verdict = signed(interval, 1) if apart and interval is not None else "undecided"
        seen = of_difference(paper, error, freedom) if error is not None and freedom is not None else None
        made.append(
            PublishedClaim(
                f"2020-Figure4-{'+'.join(one)}-above-{'+'.join(other)}",
                f"{' and '.join(one)} are more similar than {' and '.join(other)}", f"{PAPER}, Fig. 4 and Table 2",
                verdict, value, interval, paper, where, seen,
                "difference of two S, first-order error; decided only where both Fieller sets are apart as well",
                freedom,
            )
        )  # fmt: skip
    return made


def _never() -> Sequence[PublishedClaim]:
    made = []
    for name, value in verdicts.ALONE.items():
        table = verdicts.table_of(name)
        made.append((f"2020-{table.replace(' ', '')}-{name}", f"{name} alone has {value}", table, value, (name,)))
    for pair, value in verdicts.SIMILARITY.items():
        table, name = verdicts.table_of(*pair), "+".join(pair)
        key = f"2020-{table.replace(' ', '')}-{name}"
        implied = float(similarity.implied(verdicts.ALONE[pair[0]], verdicts.ALONE[pair[1]], value))
        made.append((key, f"S of {' and '.join(pair)} is {value}", table, value, pair))
        made.append((f"{key}-VAB", f"V_AB of {' and '.join(pair)} at p = .5 is {implied:.4f}", table, implied, pair))
    return [
        PublishedClaim(
            key, statement, f"{PAPER}, {table}", "not run here", None, None, value, "none", None,
            LACKING if "CIFAR100" in names else "no run speaks of it",
        )
        for key, statement, table, value, names in made
    ]  # fmt: skip
