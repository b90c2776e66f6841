"""The figures and tables of a suite, from stored results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from aiq import figures, storage
from aiq.explain.variance import split
from aiq.figures import DomainTrials, MixturePair
from aiq.figures.drawing import lacking
from aiq.measures import complexity
from aiq.plans.layout import pair_name
from aiq.plans.products import Products
from aiq.plans.run import SuiteRun as Run
from aiq.records import relative
from aiq.records.entropy import Entropy
from aiq.records.estimate import Estimate
from aiq.records.space import Space
from aiq.records.table import Cell, Table
from aiq.report.known_baselines import compare_known_baselines
from aiq.report.similarity import similarity_table, suite_similarities
from aiq.report.summary import cost
from aiq.report.summary import scores as read_scores
from aiq.run.products import Draw, Made, Needs
from aiq.run.reducing.comparison import AptiScores, baseline_estimates, read_plays
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import DRAWS, SuiteDissimilarity, without_controls
from aiq.run.reducing.space import AgentScores
from aiq.tables.columns import bounds, complexity_table, pair_table
from aiq.tables.scores import agents_table, tests_table


def complexity_figures(run: Run, needs: Needs) -> Made:
    """Return complexity curves, complexity against entropy, and complexity against k."""
    plan, names = run.plan, list(run.configuration.domains)
    found = {
        name: storage.read_result(path, "complexity", DomainComplexity, plan.complexity(name))
        for name, path in zip(names, needs["complexity"], strict=True)
    }
    entropy = {
        name: storage.read_result(path, "entropy", Entropy, plan.entropy(name))
        for name, path in zip(names if needs["entropy"] else (), needs["entropy"], strict=True)
    }
    unit = run.configuration.complexity.size
    trials = {
        name: DomainTrials.of(name, record.complexity, record.performance, record.size)
        for name, record in found.items()
    }
    measured = {name: record.complexity for name, record in found.items()}
    seen = "observations" if run.configuration.control else "mean"
    drawings: dict[str, Draw] = {
        "complexity-panel": lambda: figures.complexity_panel(list(trials.values()), unit=unit),
        "complexity-values": lambda: figures.complexity_values(measured, unit=unit),
        "complexity-entropy": lambda: figures.complexity_entropy(measured, entropy, unit=unit, quantity=seen),
        "complexity-by-k": lambda: figures.complexity_by_k(
            {name: record.by_k for name, record in found.items() if record.by_k is not None}, unit=unit
        ),
    }
    for name in names:
        drawings[f"complexity-{name}"] = lambda name=name: figures.complexity_curve(trials[name], unit=unit)
    return Made(drawings)


def dissimilarity_figures(run: Run, needs: Needs) -> Made:
    """Return the mixture curve of every pair, all of them in one overview, and the matrix."""
    suite = storage.read_result(
        needs["dissimilarity"][0], "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity(), without=DRAWS
    )
    pairs = [MixturePair.of(pair.a, pair.b, pair.measured, pair.curves) for pair in suite.pairs]
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    note = without_controls(run.configuration)
    drawings: dict[str, Draw] = {
        "mixture-overview": lambda: figures.mixture_overview(pairs),
        "dissimilarity-matrix": lambda: figures.dissimilarity_matrix(
            records, domains=suite.domains, floor=suite.floor, completion=suite.completion, note=note
        ),
    }
    drawings["relative-matrix"] = lambda: figures.relative_matrix(suite.relative, domains=suite.domains)
    drawings["similarity-matrix"] = lambda: figures.similarity_matrix(
        suite_similarities(run, suite), domains=suite.domains, absolute=run.configuration.similarity.absolute
    )
    for part in run.plan.ends.areas:
        drawings[f"dissimilarity-{part}"] = lambda part=part: figures.part_matrix(
            records, part=part, domains=suite.domains
        )
    ends = figures.mixture_ends(pairs)
    for pair in pairs:
        drawings[f"mixture-{pair_name(pair.a, pair.b)}"] = lambda pair=pair: figures.mixture_curve(
            pair, ends=ends, note=note
        )
    return Made(drawings)


def space_figures(run: Run, needs: Needs) -> Made:
    """Return the spectrum, the dimensions, the space with the best agent in it, and the agents' scores."""
    space = storage.read_result(needs["space"][0], "space", Space, run.plan.space())
    found = [storage.read_result(path, "scores", AgentScores, run.plan.scores()) for path in needs["scores"]]
    first = [(r, r.scores.agents[0].agent) for r in found if r.scores.agents]
    agents = {agent: _mean_performance(r, agent, space.domains) for r, agent in first}
    drawings: dict[str, Draw] = {
        "spectrum": lambda: figures.spectrum(space),
        "contributions": lambda: figures.contributions(space),
        "space-plane": lambda: figures.space_plane(space, agents=agents),
        "space-solid": lambda: figures.space_solid(space, agents=agents),
    }
    for record in found:
        drawings["agents"] = lambda record=record: figures.agent_scores(record.scores)
        drawings["tests"] = lambda record=record: figures.test_weights(record.scores)
        sizes = {agent.name: (agent.layers, agent.width) for agent in run.configuration.agents.networks}
        drawings["handicap"] = lambda record=record, sizes=sizes: figures.handicap(record.scores, sizes)
        if not record.scores.agents:
            drawings |= dict.fromkeys(("agents", "handicap"), lambda: lacking("no agent could be scored"))
    return Made(drawings)


def _mean_performance(record: AgentScores, agent: str, domains: Sequence[str]) -> list[float]:
    """Return an agent's mean performance on each domain."""
    rows = np.array(record.agent) == agent
    return [float(record.performance[rows & (np.array(record.domain) == domain)].mean()) for domain in domains]


# ---- The figure and the tables of where the variance of the scores comes from --------------------


def variance_report(run: Run, needs: Needs) -> Made:
    """Return the shares of every source as a figure and a table, and the table of what to spend next."""
    found = split(run, run.configuration.page.variance)
    return Made({"variance": lambda: figures.variance(found)}, {"variance": found.table, "advice": found.advised})


# ---- Figures and tables of the baseline, and of agents compared with it --------------------------


MEAN = "(mean)"


def baseline_report(run: Run, needs: Needs) -> Made:
    """Return figures and tables of the baseline's performances and, where agents were scored, their APTI."""
    played = read_plays(run, needs["plays"])
    estimates = baseline_estimates(run, played)
    at = {name: play.trained_on for name, play in played.items()}
    homes = {play.trained_on: play for play in played.values()}
    lost = sum(play.lost for play in homes.values())
    trainings = max(len(play.scores) for play in played.values())
    drawings: dict[str, Draw] = {
        "baseline": lambda: figures.baseline_performance(estimates, trained_on=at, trainings=trainings, lost=lost)
    }
    rows = [
        (name, play.trained_on, *estimates[name].cells(), len(play.kept), play.lost, play.scores.shape[1])
        for name, play in played.items()
    ]
    columns = ("domain", "trained_on", "performance", "performance_low", "performance_high", "trainings", "lost")
    tables: dict[str, Callable[[], Table]] = {"baseline": lambda: Table.of((*columns, "episodes"), rows)}
    for path in needs["apti"]:
        found = storage.read_result(path, "apti", AptiScores, run.plan.apti())
        drawings["agents-apti"] = lambda found=found: _drawn(found)
        tables["apti"] = lambda found=found: _apti(run, found, estimates)
    return Made(drawings, tables)


def _drawn(found: AptiScores) -> figures.Drawing:
    """Draw the agents by APTI; a sentence where there is none."""
    return figures.agent_scores(found.scores, scaled_by="APTI") if found.agents else lacking("no agent could be scored")


def _apti(run: Run, found: AptiScores, baseline: dict[str, Estimate]) -> Table:
    """One row an agent and domain, and one for the agent's mean over the domains."""
    scores = read_scores(run)
    rows: list[tuple[Cell, ...]] = []
    for agent, measured in zip(found.agents, found.apti, strict=True):
        means = []
        for domain, estimate in zip(scores.scores.domains, measured.domains, strict=True):
            means.append(float(scores.repetitions(agent, domain).mean()))
            rows.append((agent, domain, means[-1], baseline[domain].value, *estimate.cells()))
        overall = sum(estimate.value for estimate in baseline.values()) / len(baseline)
        rows.append((agent, MEAN, sum(means) / len(means), overall, *measured.mean.cells()))
    return Table.of(("agent", "domain", "performance", "baseline", "apti", "apti_low", "apti_high"), rows)


# ---- The tables of a suite, from stored results --------------------------------------------------


def suite_tables(run: Run, needs: Needs) -> Made:
    """Return every table of a run, from its stored results."""
    plan, layout = run.plan, run.layout
    names = list(run.configuration.domains)
    records = {
        name: storage.read_result(path, "complexity", DomainComplexity, plan.complexity(name))
        for name, path in zip(names, needs["complexity"], strict=True)
    }
    entropy = {
        name: storage.read_result(path, "entropy", Entropy, plan.entropy(name))
        for name, path in zip(names if needs["entropy"] else (), needs["entropy"], strict=True)
    }
    suite = storage.read_result(
        layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity(), without=DRAWS
    )
    space = storage.read_result(layout.space, "space", Space, plan.space())
    measured = {name: record.complexity for name, record in records.items()}
    tables: dict[str, Callable[[], Table]] = {
        "complexity": lambda: complexity_table(measured, entropy, shared=True),
        "complexity-differences": lambda: _differences(records),
        "dissimilarity": lambda: pair_table(
            {(pair.a, pair.b): pair.measured for pair in suite.pairs}, without_controls(run.configuration)
        ),
        "relative": lambda: relative.table(suite.relative),
        "similarity": lambda: similarity_table(suite_similarities(run, suite)),
        "space": lambda: _space(space),
        "cost": lambda: cost(run),
        "learners": lambda: _learners(records),
    }
    for path in needs["scores"]:
        tables |= _of_scores(storage.read_result(path, "scores", AgentScores, plan.scores()))
    return Made(tables=tables)


def _of_scores(scores: AgentScores) -> dict[str, Callable[[], Table]]:
    """The tables of a run in which somebody was scored."""
    return {
        "agents": lambda: agents_table(scores.scores, scores.unscored),
        "performance": lambda: _performance(scores),
        "tests": lambda: tests_table(scores.scores),
        "order": lambda: _order(scores),
    }


def _learners(records: dict[str, DomainComplexity]) -> Table:
    """One row per domain and learner of the pool: how often it was trained and failed, and why."""
    rows = [
        (name, one.learner, one.trials, one.failed, one.best, one.size, one.reason)
        for name, record in records.items()
        for one in record.learners
    ]
    return Table.of(("domain", "learner", "trials", "failed", "best_performance", "largest_size", "reason"), rows)


def _differences(records: dict[str, DomainComplexity]) -> Table:
    """One row a pair of domains: the first minus the second, with intervals of the difference itself."""
    found = complexity.differences({name: record.complexity for name, record in records.items()})
    names = ("complexity", "excess", "relative_excess")
    rows: list[Sequence[Cell]] = []
    for one in found:
        estimates = [getattr(one, name) for name in names]
        cells = [cell for estimate in estimates for cell in (_nothing() if estimate is None else estimate.cells())]
        rows.append((one.first, one.second, *cells, one.told_apart(), one.shared, one.complexity.method))
    measured = tuple(column for name in names for column in bounds(name))
    return Table.of(("a", "b", *measured, "told_apart", "same_policies", "method"), rows)


def _nothing() -> tuple[Cell, ...]:
    """The cells of an estimate that was not measured."""
    return (None,) * 3


def _space(space: Space) -> Table:
    """One row a domain: coordinates, share in each dimension, how sure its place is, and what must be said."""
    axes = range(space.dimensions)
    columns = ("domain", *(f"axis_{k + 1}" for k in axes), *(f"share_{k + 1}" for k in axes))
    columns = (*columns, "displacement", "vanished", "dimension_probability", "length", "distance", "warnings")
    moved = [None] * len(space.domains) if space.bootstrap is None else space.bootstrap.displacement.tolist()
    likely = space.dimensionality.probabilities.get(space.dimensions)
    said = "; ".join(space.warnings)
    rows = [
        (
            name,
            *(float(x) for x in space.coordinates[i]),
            *(float(x) for x in space.shares[i]),
            moved[i],
            name in space.vanished,
            likely,
            space.length,
            space.distance,
            said,
        )
        for i, name in enumerate(space.domains)
    ]
    return Table.of(columns, rows)


def _performance(scores: AgentScores) -> Table:
    """One row a repetition of an agent on a domain; ``aiq score`` reads it."""
    rows = zip(scores.agent, scores.domain, scores.performance.tolist(), scores.repetition.tolist(), strict=True)
    return Table.of(("agent", "domain", "performance", "repetition"), list(rows))


def _order(scores: AgentScores) -> Table:
    """One row a pair of agents: the probability that the first is above the second by the headline."""
    table = scores.scores.order_probabilities
    agents = [agent.agent for agent in scores.scores.agents]
    rows = [
        (a, b, None if table is None else float(table[i, j]))
        for i, a in enumerate(agents)
        for j, b in enumerate(agents)
        if i < j or (len(agents) == 1)
    ]
    return Table.of(("agent", "other", "probability_above"), rows)


MAKERS: Mapping[str, Callable[[Run, Needs], Made]] = {
    "compare_known_baselines": compare_known_baselines,
    "draw_complexity": complexity_figures,
    "draw_dissimilarity": dissimilarity_figures,
    "draw_space": space_figures,
    "write_tables": suite_tables,
    "explain_variance": variance_report,
    "report_baseline": baseline_report,
}
"""By the name of the job."""


def show(run: Run, declared: Products) -> Made:
    """Return what a job draws and tabulates."""
    return MAKERS[declared.maker](run, declared.needs(run.plan))
