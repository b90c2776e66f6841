"""Where the variance of scores comes from, what doubling each number would buy, and what the next round grows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from aiq.explain.finished import FinishedRun
from aiq.explain.sensitivity import hours, hours_by_kind
from aiq.explain.sources import Sources, half_of, replicates
from aiq.plans import growth
from aiq.plans.run import Run, SuiteRun
from aiq.records.estimate import Estimate, Floats
from aiq.records.variance import GROWN, Advice, AgentVariance, Growth, Source, Variances, mean_half
from aiq.run.job import store_of
from aiq.stats import Z, allocation
from aiq.stats.allocation import Allocation

FACTOR = 2
NOTHING = 1e-18  # a variance that rounding alone makes
SPLIT = 200  # replicates of a split


def variances(raw: Mapping[str, Any], origin: str, count: int = 1000, value: str | None = None) -> Variances:
    """Return where the uncertainty of a finished run's scores comes from, and what doubling each number would buy.

    Besides the split of ``split`` the half-widths of the intervals are found with each source held at its estimate.

    Args:
        raw: the configuration of the suite.
        origin: its name in refusals.
        count: replicates of the half-widths.
        value: whose uncertainty, ``skills`` or ``volume``; None: the run's headline.

    Raises:
        StorageError: the run is not finished.
        InputError: nobody is scored.
    """
    run: SuiteRun = Run.of(raw, "aiq", origin)
    sources = Sources(run, count, value)
    whole = sources.intervals()
    without = {source: sources.intervals([source]) for source in sources.of_run}
    halves = {name: {source: intervals[name][1] for source, intervals in without.items()} for name in whole}
    count = replicates(len(sources.names), sources.dimensions, len(whole), SPLIT)
    return _variances(Sources(run, count, value), raw, whole, halves)


def split(run: SuiteRun) -> Variances:
    """Return the variance of a finished run's scores by source, in shares that add up to 1, and the advice.

    Sources are held at their estimates in all combinations, while the noise that dimensions are judged by stays that of
    the run; a share is the mean over all orders in which they can become known. Doubling a number is taken to halve its
    source's part of the variance. There are fewer replicates with very many domains or many agents.
    """
    scores = FinishedRun(run).scores.scores
    count = replicates(len(run.configuration.domains), scores.dimensions, len(scores.agents), SPLIT)
    sources = Sources(run, count)
    by_volume = sources.value == "volume"
    whole = {agent.agent: half_of(agent.per_dimension if by_volume else agent.headline) for agent in scores.agents}
    return _variances(sources, run.configuration.model_dump(mode="json"), whole, {})


def _variances(
    sources: Sources,
    raw: Mapping[str, Any],
    whole: Mapping[str, tuple[float, float]],
    without: Mapping[str, Mapping[str, float]],
) -> Variances:
    c = sources.run.configuration
    each, together, count = _split_skills(sources) if sources.value == "skills" else _split_volumes(sources)
    agents = tuple(
        AgentVariance(name, value, half, each[name], without.get(name, {})) for name, (value, half) in whole.items()
    )
    grown = [source for source in sources.of_run if source != "dimensions"] if together else []
    advice = [step for source in grown if (step := _advised(sources, raw, agents, source)) is not None]
    ranked = tuple(sorted(advice, key=lambda step: -step.gain))
    return Variances(c.name, c.quotient.confidence, sources.of_run, agents, together, count, ranked, sources.value)


Split = tuple[dict[str, dict[str, Estimate]], dict[str, Estimate], int]
"""Agent -> source -> share; of all agents together; replicates."""


def _split_skills(sources: Sources) -> Split:
    contributions = allocation.shapley(sources.variances().T)

    def shares(parts: Floats) -> dict[str, Estimate]:
        if not parts.sum() > NOTHING:
            return {}
        return {
            source: Estimate(float(part / parts.sum()), None, len(sources.names), "Shapley value of the variance")
            for source, part in zip(sources.of_run, parts, strict=True)
        }

    return dict(zip(sources.agents, map(shares, contributions), strict=True)), shares(contributions.sum(axis=0)), 0


def _split_volumes(sources: Sources) -> Split:
    drawn = sources.corners()
    each = {name: _estimates(sources, drawn[..., place]) for place, name in enumerate(sources.agents)}
    together = _estimates(sources, drawn)
    return each, together, drawn.shape[1] if together else 0


def _estimates(sources: Sources, drawn: Floats) -> dict[str, Estimate]:
    """Return the shares of replicates (2^p, R) or (2^p, R, A) with 95 % intervals; empty where nothing varies."""
    if not drawn.shape[1]:
        return {}
    values, errors = allocation.of_variance(drawn)
    if np.isnan(values).any():
        return {}
    how = "Shapley value of the variance, jackknife over replicates"
    return {
        source: Estimate(float(value), (float(value - Z * se), float(value + Z * se)), drawn.shape[1], how)
        for source, value, se in zip(sources.of_run, values, errors, strict=True)
    }


def _advised(sources: Sources, raw: Mapping[str, Any], agents: Sequence[AgentVariance], source: str) -> Advice | None:
    run, ends = sources.run, sources.grown_together
    if source == "agents" and not run.configuration.agents.networks:
        return None
    now, other = _doubled(run, raw, source, ends=ends)
    here = sources.repeated_here if source == "agents" else {agent.agent for agent in agents}
    left = [1 - agent.share(source) * (1 - 1 / FACTOR) * (agent.agent in here) for agent in agents]
    after = float(np.mean([agent.half * np.sqrt(part) for agent, part in zip(agents, left, strict=True)]))
    trained = run.configuration.dissimilarity.ends_trained
    also = f"dissimilarity.end_repetitions {trained} → {FACTOR * trained}" if ends and source == "mixtures" else ""
    return Advice(source, GROWN[source], now, FACTOR * now, mean_half(agents), after, hours(run, other), also)


def _doubled(run: SuiteRun, raw: Mapping[str, Any], source: str, *, ends: bool) -> tuple[int, SuiteRun]:
    """Return a source's number, and the run with twice as much and all else as it is, or ends doubled with mixtures."""
    c, d = run.configuration, run.configuration.dissimilarity
    numbers = {"pool": c.pool.size, "ends": d.ends_trained, "mixtures": d.repetitions, "agents": c.agents.repetitions}
    section, key = GROWN[source].split(".")
    new = {key: FACTOR * numbers[source]}
    if source == "mixtures" and d.ends == "domain":
        new["end_repetitions"] = (FACTOR if ends else 1) * d.ends_trained
    changed = {**raw, section: {**raw.get(section, {}), **new}}
    return numbers[source], Run.of(changed, "aiq", "the changed configuration")


# ---- The next round --------------------------------------------------------------------------------


AIM = 0.97
"""A last round is aimed at this share of the goal: half of those aimed at the goal itself would just miss it."""

SMALL = 0.05
"""Sources with a smaller share of what can go do not limit how far a round goes; their own numbers stay capped."""
WORTH = 0.5
"""What a whole step must buy per core-hour, as a share of what the last core-hour of the best allocation buys."""

STALLED = 0.25
"""Two rounds that gain less than this share of what was predicted are the last ones."""


def next_round(sources: Sequence[Source], rest: float, goal: float, left: float, overhead: float = 0.0) -> Growth:
    """Return what to grow next, or why rounds stop.

    The squared half-width is taken to be rest + Σ part · now / n. A round aims at what ``FACTOR`` times every number
    would leave of it, or at the ``goal`` where that is more, and buys this at the least cost: n = max(now, λ √(v / c))
    with v = part · now. No number that counts grows by more than ``FACTOR`` squared: what is dear waits until what is
    cheap has been grown, and a wrong part cannot cost much. ``left``: core-hours that may still be spent; ``overhead``:
    those that any round costs besides its trainings.
    """
    now = {source.name: source.now for source in sources}
    half = float(np.sqrt(rest + sum(source.part for source in sources)))
    if half <= goal:
        return reached(now, half, goal)
    if rest >= goal**2 or not any(source.part > 0 for source in sources):
        why = (
            f"nothing that can grow is enough: with any {', '.join(GROWN[source.name] for source in sources)} the "
            f"half-width would stay at {float(np.sqrt(rest)):.3g} or more, and the goal is {goal:g}; what remains "
            "comes from agents' repetitions that are not made here, or from a pool that cannot grow"
        )
        return Growth(now, half, 0.0, "nothing", why)
    plan = Allocation(*([getattr(source, key) for source in sources] for key in ("part", "now", "price")))
    target = max((AIM * goal) ** 2 - rest, plan.parts.sum() / FACTOR, 0.0)
    counts = _stepped(plan, [source.step for source in sources], target, left - overhead)
    after = float(np.sqrt(rest + plan.variance(counts)))
    if after >= half or not (counts > plan.now).any():  # nothing can be paid for, or only what changes nothing
        cost = min(source.price * source.step for source in sources if source.part > 0) + overhead
        why = f"{max(left, 0):.3g} core-hours are left, and the smallest step that helps takes {cost:.3g}"
        return Growth(now, half, 0.0, "budget", f"the budget is used: {why}")
    numbers = {source.name: int(n) for source, n in zip(sources, counts, strict=True)}
    cost = plan.cost(counts) + overhead
    grown = [f"{GROWN[s.name]} {s.now} → {numbers[s.name]}" for s in sources if numbers[s.name] > s.now]
    says = f"{', '.join(grown)}: half-width {half:.3g} → {after:.3g} (predicted) for {cost:.3g} core-hours"
    return Growth(numbers, after, cost, "", says)


def stalled(halves: Sequence[float], predicted: Sequence[float]) -> str:
    """Say that the last two rounds gained too little for another one, less than a share of what was predicted.

    ``halves`` were seen, from the start on; ``predicted`` were predicted for each of them, the start left out.
    """
    if len(halves) < 3:
        return ""
    hoped = halves[-3] - predicted[-2] + halves[-2] - predicted[-1]
    gained = halves[-3] - halves[-1]
    if gained >= STALLED * hoped:
        return ""
    return (
        f"nothing buys more: the last two rounds made the half-width {gained:.2g} smaller where {hoped:.2g} was "
        "predicted; of AIQ per dimension what remains is, most likely, the number of dimensions, which more "
        "repetitions settle slowly"
    )


def reached(now: Mapping[str, int], half: float, goal: float) -> Growth:
    """Say that the goal is reached."""
    return Growth(now, half, 0.0, "goal", f"the goal is reached: the half-width is {half:.3g}, asked for is {goal:g}")


def _stepped(plan: Allocation, step: Sequence[int], target: float, left: float) -> Floats:
    """Return numbers in whole steps that bring the variance to a target, or as near as core-hours and caps allow.

    The best allocation is rounded down; then the step that buys most per core-hour is added, again and again, as long
    as it buys about as much as the allocation's last core-hour does.
    """
    steps = np.array(step, dtype=np.float64)
    if left <= 0:
        return plan.now
    most = np.maximum(FACTOR**2 * plan.now, plan.now + steps)
    counts = plan.parts >= SMALL * plan.parts.sum()
    level = min(plan.for_variance(target), plan.for_cost(left), FACTOR**2 * plan.begins[counts].min())
    wanted = np.minimum(plan.numbers(level), most)
    target = max(target, plan.variance(wanted))
    numbers = np.asarray(plan.now + steps * np.floor((wanted - plan.now) / steps + 1e-9), dtype=np.float64)
    while plan.variance(numbers) > target * (1 + 1e-9):
        gain = plan.parts * plan.now * (1 / numbers - 1 / (numbers + steps)) / (plan.prices * steps)
        gain[(numbers + steps > most) | (plan.cost(numbers) + plan.prices * steps > left * (1 + 1e-9))] = 0.0
        best = int(np.argmax(gain))
        if gain[best] <= 0 or ((numbers > plan.now).any() and gain[best] * level**2 < WORTH):
            break
        numbers[best] += steps[best]
    return _without_surplus(plan, numbers, steps, target)


def _without_surplus(plan: Allocation, numbers: Floats, steps: Floats, target: float) -> Floats:
    """Take back the steps that a target does not need, the dearest first; the last step may have made some idle."""
    kept = numbers.copy()
    while True:
        back = kept - steps
        spare = [
            place
            for place in range(kept.size)
            if back[place] >= plan.now[place]
            and plan.variance(np.where(np.arange(kept.size) == place, back, kept)) <= target * (1 + 1e-9)
        ]
        if not spare:
            return kept
        dearest = max(spare, key=lambda place: float(plan.prices[place] * steps[place]))
        kept[dearest] -= steps[dearest]


TRAININGS = ("trials", "mixtures", "alone", "agents")
"""Stages that the cost model knows by unit."""
ONCE = ("domains", "baseline", "plays", "entropy", *TRAININGS, "outside")
"""Stages that a round costs nothing of besides what it grows."""


def prices(raw: Mapping[str, Any], run: SuiteRun, spent: Mapping[str, float]) -> dict[str, float]:
    """Return the core-hours of one more repetition by source; ``spent`` are those that all jobs held, by stage."""
    have = growth.numbers(run.configuration)
    model = hours_by_kind(None, run)
    slower = {kind: spent[kind] / hours for kind, hours in model.items() if spent.get(kind, 0) > 0 and hours > 0}
    if store_of(run.configuration) is not None:  # jobs that took finished trainings from it say nothing of new ones
        slower = {kind: max(1.0, ratio) for kind, ratio in slower.items()}
    core_hours = {}
    for name, now in have.items():
        other: SuiteRun = Run.of(growth.applied(raw, run.configuration, {**have, name: 2 * now}), "aiq")
        grown = growth.numbers(other.configuration)[name] - now
        more = sum(hours * slower.get(kind, 1.0) for kind, hours in hours_by_kind(run, other).items())
        if name == "agents":
            more += spent.get("outside", 0.0) * grown / now
        core_hours[name] = max(more / grown, 1e-9)
    return core_hours


def overhead(spent: Mapping[str, float]) -> float:
    """Return the core-hours that a round costs besides trainings: reducing again, by what the last round took."""
    return sum(hours for stage, hours in spent.items() if stage not in ONCE)


Widths = Callable[[Collection[str]], Mapping[str, float]]
"""Sources that are held at their estimates -> half-width by agent."""


def squares(widths: Widths, names: Sequence[str]) -> tuple[dict[str, float], float]:
    """Split the mean squared half-width of the agents' intervals by source; shares, which add up to 1 with the rest.

    Sources act together, so what a source adds depends on which others are there. It is taken as the mean of two
    answers: what goes when it alone is held, and what comes when all others are. Where sources simply add up both are
    the same. What is left when every source is held is the rest. The shares are scaled so that all is shared out.
    """
    whole = widths(())
    if not whole or max(whole.values()) <= 0:
        return dict.fromkeys(names, 0.0), 1.0

    def square(held: Collection[str]) -> float:
        halves = whole if not held else widths(held)
        return sum(halves[name] ** 2 for name in whole) / len(whole)

    everything = square(())
    rest, parts = min(square(names), everything), {}
    for name in names:
        gone = everything - square([name])
        come = square([other for other in names if other != name]) - rest
        parts[name] = max(0.0, (gone + come) / 2)
    total = sum(parts.values())
    scale = (everything - rest) / (everything * total) if total > 0 else 0.0
    return {name: part * scale for name, part in parts.items()}, rest / everything if total > 0 else 1.0
