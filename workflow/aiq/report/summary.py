"""What a finished run found and what it cost, as tables, and how it ends on the screen.

The ending is one table of agents that fits 80 columns, and at most three sentences.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from aiq import storage
from aiq.config.base import fingerprint
from aiq.explain.finished import FinishedRun
from aiq.measures.skills import difference
from aiq.measures.weighing import NO_HARDER
from aiq.plans import growth
from aiq.plans.run import AnyRun, measure_of
from aiq.plans.run import SuiteRun as Run
from aiq.records.estimate import Estimate
from aiq.records.quotient import HEADLINES, THE_HEADLINE, Scores, Skills
from aiq.records.table import Display, Table, counted
from aiq.records.variance import Advice, Rounds, Variances
from aiq.run.job import settled
from aiq.run.products import benchmarks
from aiq.run.reducing.baselines import read_baseline
from aiq.run.reducing.space import AgentScores

SPENT = ("stage", "jobs", "wall_seconds", "core_hours_held")
"""Columns of what ``benchmarks`` returns."""


def main_table(run: Run) -> Table:
    """Return the domains with their complexities, where no agent is scored."""
    table = storage.read_published(run.layout.table("complexity"))
    wanted = [c for c in table.columns if c.startswith(("domain", "complexity", "normalised", "relative_excess"))]
    return Table.of(wanted, [[row[name] for name in wanted] for row in table.dicts])


def scores(run: Run) -> AgentScores:
    """Return the stored scores of a run.

    Raises:
        StorageError: there are none, or they are of another configuration.
    """
    return storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())


def cost(finished: FinishedRun) -> Table:
    """Return what each stage cost: jobs, their wall seconds, core-hours, and the seconds spent training in them.

    Wall seconds come from Snakemake's benchmark files, training seconds from the shards; the rest is process
    starts, imports, reading and writing. Core-hours are wall seconds times the cores that a job held: what a
    cluster accounts for. Core-hours of a run on GPUs are hours of the cores beside them.
    """
    training, run = _training_seconds(finished), finished.run
    rows = [(*row, training.get(row[0], 0.0)) for row in benchmarks(run.layout, run.configuration.threads)]
    return _totalled((*SPENT, "training_seconds"), rows)


def _totalled(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    total = ("total", *(sum(row[k] for row in rows) for k in range(1, len(columns))))
    return Table.of(columns, [*rows, total])


def variance(run: Run) -> Variances | None:
    """Return the variance of the scores by source as the run has published it; None where it has not, or not yet."""
    c, tables = run.configuration, [run.layout.table(name) for name in ("variance", "advice")]
    beside = Path(run.layout.provenance("advice"))  # written last
    if not beside.exists() or not all(Path(table).exists() for table in tables):
        return None
    made_by = json.loads(beside.read_text(encoding="utf-8")).get("configuration_hash")
    if made_by != fingerprint("configuration", settled(c)):
        return None
    shares, advice = (storage.read_published(table) for table in tables)
    return None if shares.why_lacking else Variances.of(c.name, c.quotient.confidence, shares, advice)


def rounds_of(run: AnyRun) -> Rounds | None:
    """Return the rounds of a suite that has precision as its goal, as far as they can be seen from here."""
    return growth.read(run.layout.precision) if getattr(run.configuration, "precision", None) is not None else None


def _training_seconds(finished: FinishedRun) -> Mapping[str, float]:
    run, suite = finished.run, finished.dissimilarity
    seconds = {"trials": sum(record.core_seconds for record in finished.complexity.values())}
    seconds |= {"mixtures": suite.core_seconds, "alone": suite.core_seconds_alone}
    if run.plan.scored and Path(run.layout.scores).exists():
        seconds["agents"] = scores(run).core_seconds
    trained = [read_baseline(run, name, run.layout.baseline(name)) for name in run.plan.baseline_domains]
    return {**seconds, "baseline": sum(record.trial.seconds for each in trained for record in each)}


@dataclass(frozen=True)
class Summary:
    """A finished run: its main table, and what it cost by stage."""

    measure: str
    title: str
    table: Table
    cost: Table


def summarise(run: AnyRun) -> Summary:
    """Return what a finished run found and cost.

    Raises:
        StorageError: it is not finished, or of another configuration.
    """
    measure: str = run.configuration.measure
    its = measure_of(measure)
    cost = _totalled(SPENT, benchmarks(run.layout))
    return Summary(measure, its.heading or its.title or measure, its.part("main_table")(run), cost)


# ---- The ending ----------------------------------------------------------------------------------


MOST = 20
"""Agents that are shown; the others are in the table."""
LONGEST = 24
"""Letters of an agent's name that are shown."""
LITTLE = 0.01  # core-hours
FELT = 0.05  # part by which intervals must shrink for the advice to be the next step; the cheapest gain may be none
FEW = 3  # agents that are named beside the first
WEIGHTY = ("the distances from the origin are complexities", "the number of dimensions is uncertain")
"""Beginnings of the warnings that are said before all others."""
SURE = 0.95
"""Probability from which on an agent counts as above the next one."""
SHARED = 0.5  # tests by which some count less than they are, from which on their kinship is what turns an order
Reached = Mapping[str, Mapping[str, float]]
"""Mean performance of each agent on each test."""
SOURCES: Mapping[str, str] = {
    "pool": "the trials of the pool",
    "ends": "the tests trained alone",
    "mixtures": "the mixtures",
    "agents": "the agents' own trainings",
    "dimensions": "the number of dimensions",
}


def headline(scores: Scores) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns of the table and what they hold for each agent: the one place that chooses them."""
    beside = scores.headline != "volume"
    rows = []
    for a in scores.agents:
        numbers = (a.headline, a.per_dimension) if beside else (a.headline,)
        rows.append((a.rank_words, a.agent, *map(_cell, numbers), _number(a.mean.value)))
    volume = (f"{HEADLINES['volume']}\n[95 %]",) if beside else ()
    return ("rank", "agent", f"{HEADLINES[scores.headline]}\n[95 %]", *volume, "mean"), rows


def ending(
    scores: Scores,
    variances: Variances | None,
    lacking: Sequence[str],
    config: str,
    table: str,
    more: str = "",
    reached: Reached | None = None,
) -> Display:
    """Return the table and its sentences: who leads, why not by the mean or what limits that, what to do next.

    ``lacking``: what could not be had, in sentences without a full stop; ``table``: where all agents are; ``more``: the
    next step where the run has one of its own (rounds of precision); ``reached``: None says nothing of the mean.
    """
    columns, rows = headline(scores)
    kept = [(rank, _short(agent), *numbers) for rank, agent, *numbers in rows[:MOST]]
    if len(rows) > MOST:
        kept.append(("", f"{len(rows) - MOST} more in", table, *[""] * (len(columns) - 3)))
    second = _limits(scores, variances, lacking, config)
    if not lacking and not any(warning.startswith(WEIGHTY) for warning in scores.warnings):
        second = _not_the_mean(scores, reached, config) or second
    said = [_leads(scores), second, more or _next(scores, variances, config)]
    return Display("", columns, tuple(kept), tuple(_sentence(words, scores) for words in said if words))


def _sentence(words: str, scores: Scores) -> str:
    named = words.startswith(tuple(agent.agent for agent in scores.agents))
    return (words if named else words[:1].upper() + words[1:]).rstrip(".") + "."


def _cell(estimate: Estimate) -> str:
    around = "" if estimate.interval is None else " [{:.2f}, {:.2f}]".format(*estimate.interval)
    return _number(estimate.value) + around


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "–"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _leads(scores: Scores) -> str:
    if not scores.agents:
        return "no agent could be scored, so there is no order"
    first, *others = scores.agents
    if not math.isfinite(first.headline.value):
        why = scores.skills.reason if scores.skills is not None else ""
        return f"no agent is ranked: {why or 'the suite gives no headline'}"
    if not others:
        return f"{first.agent} is the only agent, so there is no order"
    alike = sum(agent.headline.value == first.headline.value for agent in scores.agents)
    if alike > 1:
        return f"the first {alike} agents have the same value" if alike > 2 else "the first two have the same value"
    if first.order is None:
        return f"{first.agent} is highest; how sure that is cannot be told, since nothing was repeated"
    sure = f"above {others[0].agent} with probability {_probability(first.order)}"
    rivals = [agent.agent for agent in others if agent.ranks is not None and agent.ranks[0] == 1]
    if first.order >= SURE and not rivals:
        return f"{first.agent} leads, {sure}"
    named = ", ".join(map(_short, rivals[:FEW] or [others[0].agent]))
    more = f" and {len(rivals) - FEW} more" if len(rivals) > FEW else ""
    if first.order >= SURE:
        return f"{first.agent} is highest, {sure} as a pair; among all agents {named}{more} may be first as well"
    return f"{first.agent} is highest ({sure}), but {named}{more} may be first as well"


def _not_the_mean(scores: Scores, reached: Reached | None, config: str) -> str:
    """Return which two agents the mean surely orders otherwise, and what turns them; the surest pair by skills."""
    skills, pairs = scores.skills, []
    if skills is None or not reached:
        return ""
    for above, below in combinations(skills.agents, 2):  # listed by value
        apart = difference(skills, above.agent, below.agent)
        turned = below.mean.value - above.mean.value
        if apart.interval is not None and apart.interval[0] > 0 and turned > _half(above.mean, below.mean):
            pairs.append((apart.interval[0], above, below, apart.value, apart.interval))
    if not pairs:
        return ""
    _, above, below, value, (low, high) = max(pairs, key=lambda pair: pair[0])
    count = counted(len(scores.warnings), "warning")
    beside = f" ({count}: aiq summary {config} --all)" if scores.warnings else ""
    return (
        f"why not the mean? By it {_short(below.agent)} ({below.mean.value:.3f}) is above {_short(above.agent)} "
        f"({above.mean.value:.3f}), but {_better(skills, reached[below.agent], reached[above.agent])}; by skills "
        f"{_short(above.agent)} is above by {value:.3f} [{low:.3f}, {high:.3f}]{beside}"
    )


def _half(above: Estimate, below: Estimate) -> float:
    """Return half the width of the interval of the difference of two agents' means, 0 where nothing is known."""
    halves = [(e.interval[1] - e.interval[0]) / 2 for e in (above, below) if e.interval is not None]
    return math.hypot(*halves)


def _better(scores: Skills, first: Mapping[str, float], second: Mapping[str, float]) -> str:
    """Return what the tests count at which one agent is better than the other."""
    at = [k for k, name in enumerate(scores.weights.domains) if first[name] > second[name]]
    names = [scores.weights.domains[k] for k in at]
    if len(names) > FEW:
        names = [*names[:FEW], f"{len(names) - FEW} more"]
    tests = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    independent, whole = float(scores.weights.uniqueness[at].sum()), float(scores.weights.uniqueness.sum())
    if len(at) - independent >= SHARED:
        return f"{tests}, at which it is better, count as {independent:.1f} of {whole:.1f} independent tests"
    verb = "has" if len(at) == 1 else "have"
    return f"{tests}, at which it is better, {verb} {scores.weights.shares[at].sum():.0%} of the weight"


def _probability(value: float) -> str:
    return "over 0.99" if value > 0.99 else f"{value:.2f}"


def _limits(scores: Scores, variances: Variances | None, lacking: Sequence[str], config: str) -> str:
    """Return what limits the numbers most: what could not be had, then a warning, then the largest source of noise."""
    reason = scores.skills.reason if scores.skills is not None else ""
    warnings = sorted(scores.warnings, key=lambda warning: not warning.startswith(WEIGHTY))
    said = [*lacking, *(warning for warning in warnings if warning != reason)]
    rest = len(said) - 1
    if said:
        return f"mind: {said[0]}" + (f" ({rest} more: aiq summary {config} --all)" if rest else "")
    if variances is None or not variances.together:
        return ""
    source, share = max(variances.together.items(), key=lambda pair: pair[1].value)
    part = f"{min(share.value, 1):.0%} of the variance"
    most = "mostly" if share.value > 0.5 else "most of all"
    return f"the intervals of {THE_HEADLINE[variances.value]} come {most} from {SOURCES[source]} ({part})"


def _shrinks(advice: Advice) -> float:
    return 1 - advice.half / advice.before


def _next(scores: Scores, variances: Variances | None, config: str) -> str:
    """Return the next step: what gives a headline where there is none, else what narrows the intervals most."""
    if scores.headline == "skills" and scores.skills is not None and scores.skills.reason.startswith(NO_HARDER):
        return f"next: add harder tests or more networks (pool.size) to {config}, then aiq run {config}"
    if variances is None or not variances.advice or any(step.before <= 0 for step in variances.advice):
        return ""
    best = next((step for step in variances.advice if _shrinks(step) >= FELT), max(variances.advice, key=_shrinks))
    gain = f"intervals of {THE_HEADLINE[variances.value]} then shrink by about {_shrinks(best):.0%}"
    cost = f"{best.core_hours:.2g}" if best.core_hours >= LITTLE else f"less than {LITTLE}"
    words = f"next: set {best.key} to {best.then} in {config} (now {best.now}), then aiq run {config}"
    return f"{words}; {gain} for {cost} core-hours"
