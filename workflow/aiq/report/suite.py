"""The figures and tables of a suite, from what a finished run has stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aiq import figures
from aiq.explain.compare import baselines_of, beside_baselines
from aiq.explain.finished import FinishedRun
from aiq.explain.spending import split
from aiq.figures import DomainTrials, MixturePair
from aiq.figures.drawing import lacking
from aiq.measures import complexity
from aiq.plans.layout import pair_name
from aiq.plans.products import Products
from aiq.plans.run import SuiteRun
from aiq.records.estimate import Estimate, cells
from aiq.records.matrix import relative_table
from aiq.records.space import Space
from aiq.records.table import Cell, Table, bounds
from aiq.report.summary import cost
from aiq.run.products import Draw, Made
from aiq.run.reducing.baselines import AptiScores, baseline_estimates, read_plays
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import suite_similarities, without_controls
from aiq.run.reducing.space import AgentScores
from aiq.tables.columns import complexity_table, pair_table, similarity_table
from aiq.tables.scores import agents_table, tests_table

NOBODY = "no agent could be scored"
MEAN = "(mean)"

# ---- figures -------------------------------------------------------------------------------------


def complexity_figures(finished: FinishedRun) -> Made:
    """Return complexity curves, complexity against entropy, and complexity against k."""
    records, c = finished.complexity, finished.run.configuration
    unit, seen = c.complexity.size, "observations" if c.control else "mean"
    measured = {name: record.complexity for name, record in records.items()}
    trials = {
        name: DomainTrials.of(name, record.complexity, record.performance, record.size)
        for name, record in records.items()
    }
    by_k = {name: record.by_k for name, record in records.items() if record.by_k is not None}
    drawings: dict[str, Draw] = {
        "complexity-panel": lambda: figures.complexity_panel(list(trials.values()), unit=unit),
        "complexity-values": lambda: figures.complexity_values(measured, unit=unit),
        "complexity-entropy": lambda: figures.complexity_entropy(measured, finished.entropy, unit=unit, quantity=seen),
        "complexity-by-k": lambda: figures.complexity_by_k(by_k, unit=unit),
    }
    for name in records:
        drawings[f"complexity-{name}"] = lambda name=name: figures.complexity_curve(trials[name], unit=unit)
    return Made(drawings)


def dissimilarity_figures(finished: FinishedRun) -> Made:
    """Return the mixture curve of every pair, all of them in one overview, and the matrices."""
    run, suite = finished.run, finished.dissimilarity
    pairs = [MixturePair.of(pair.a, pair.b, pair.measured, pair.curves) for pair in suite.pairs]
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    note, ends = without_controls(run.configuration), figures.mixture_ends(pairs)
    drawings: dict[str, Draw] = {
        "mixture-overview": lambda: figures.mixture_overview(pairs),
        "dissimilarity-matrix": lambda: figures.dissimilarity_matrix(
            records, domains=suite.domains, floor=suite.floor, completion=suite.completion, note=note
        ),
        "relative-matrix": lambda: figures.relative_matrix(suite.relative, domains=suite.domains),
        "similarity-matrix": lambda: figures.similarity_matrix(
            suite_similarities(run, suite), domains=suite.domains, absolute=run.configuration.similarity.absolute
        ),
    }
    for part in run.plan.ends.areas:
        drawings[f"dissimilarity-{part}"] = lambda part=part: figures.part_matrix(
            records, part=part, domains=suite.domains
        )
    for pair in pairs:
        drawings[f"mixture-{pair_name(pair.a, pair.b)}"] = lambda pair=pair: figures.mixture_curve(
            pair, ends=ends, note=note
        )
    return Made(drawings)


def space_figures(finished: FinishedRun) -> Made:
    """Return the spectrum, the dimensions, the space with the best agent in it, and the agents' scores."""
    space, record = finished.space, finished.scores
    agents: dict[str, list[float]] = {}
    if record is not None and record.scores.agents:
        best = record.scores.agents[0].agent
        agents[best] = [float(record.repetitions(best, domain).mean()) for domain in space.domains]
    drawings: dict[str, Draw] = {
        "spectrum": lambda: figures.spectrum(space),
        "contributions": lambda: figures.contributions(space),
        "space-plane": lambda: figures.space_plane(space, agents=agents),
        "space-solid": lambda: figures.space_solid(space, agents=agents),
    }
    if record is not None:
        sizes = {agent.name: (agent.layers, agent.width) for agent in finished.run.configuration.agents.networks}
        drawings["tests"] = lambda: figures.test_weights(record.scores)
        drawings["agents"] = lambda: figures.agent_scores(record.scores) if agents else lacking(NOBODY)
        drawings["handicap"] = lambda: figures.handicap(record.scores, sizes) if agents else lacking(NOBODY)
    return Made(drawings)


# ---- where the variance comes from, and the baseline ---------------------------------------------


def variance_report(finished: FinishedRun) -> Made:
    """Return the shares of every source as a figure and a table, and the table of what to spend next."""
    run = finished.run
    shares = split(run)
    return Made({"variance": lambda: figures.variance(shares)}, {"variance": shares.table, "advice": shares.advised})


def baseline_report(finished: FinishedRun) -> Made:
    """Return figures and tables of the baseline's performances and, where agents were scored, their APTI."""
    run = finished.run
    played = read_plays(run, [run.layout.play(name) for name in run.configuration.domains])
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
    columns = ("domain", "trained_on", *bounds("performance"), "trainings", "lost", "episodes")
    tables: dict[str, Callable[[], Table]] = {"baseline": lambda: Table.of(columns, rows)}
    record = finished.scores
    if record is not None:
        apti = finished.apti
        drawings["agents-apti"] = lambda: (
            figures.agent_scores(apti.scores, scaled_by="APTI") if apti.agents else lacking(NOBODY)
        )
        tables["apti"] = lambda: _apti(record, apti, estimates)
    return Made(drawings, tables)


def _apti(scores: AgentScores, compared: AptiScores, baseline: Mapping[str, Estimate]) -> Table:
    """One row an agent and domain, and one for the agent's mean over the domains."""
    rows: list[tuple[Cell, ...]] = []
    for agent, measured in zip(compared.agents, compared.apti, strict=True):
        means = []
        for domain, estimate in zip(scores.scores.domains, measured.domains, strict=True):
            means.append(float(scores.repetitions(agent, domain).mean()))
            rows.append((agent, domain, means[-1], baseline[domain].value, *estimate.cells()))
        overall = sum(estimate.value for estimate in baseline.values()) / len(baseline)
        rows.append((agent, MEAN, sum(means) / len(means), overall, *measured.mean.cells()))
    return Table.of(("agent", "domain", "performance", "baseline", *bounds("apti")), rows)


def compare_known_baselines(finished: FinishedRun) -> Made:
    """Return the figure and the tables of the known baselines."""
    baselines = baselines_of(finished.run)
    ranks = beside_baselines(finished.run, baselines)
    tables = {"": ranks.table, "-domains": baselines.domain_table, "-pairs": baselines.pair_table}
    return Made(
        {"known-baselines": lambda: figures.known_baselines(ranks)},
        {f"known-baselines{name}": table for name, table in tables.items()},
    )


# ---- tables --------------------------------------------------------------------------------------


def suite_tables(finished: FinishedRun) -> Made:
    """Return every table of a run."""
    run, records, suite = finished.run, finished.complexity, finished.dissimilarity
    measured = {name: record.complexity for name, record in records.items()}
    pairs = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    tables: dict[str, Callable[[], Table]] = {
        "complexity": lambda: complexity_table(measured, finished.entropy, shared=True),
        "complexity-differences": lambda: _differences(records),
        "dissimilarity": lambda: pair_table(pairs, without_controls(run.configuration)),
        "relative": lambda: relative_table(suite.relative),
        "similarity": lambda: similarity_table(suite_similarities(run, suite)),
        "space": lambda: _space(finished.space),
        "cost": lambda: cost(finished),
        "learners": lambda: _learners(records),
    }
    scores = finished.scores
    if scores is not None:
        tables |= {
            "agents": lambda: agents_table(scores.scores, scores.unscored),
            "performance": lambda: _performance(scores),
            "tests": lambda: tests_table(scores.scores),
            "order": lambda: _order(scores),
        }
    return Made(tables=tables)


def _learners(records: Mapping[str, DomainComplexity]) -> Table:
    """One row per domain and learner of the pool: how often it was trained and failed, and why."""
    rows = [
        (name, learner.learner, learner.trials, learner.failed, learner.best, learner.size, learner.reason)
        for name, record in records.items()
        for learner in record.learners
    ]
    return Table.of(("domain", "learner", "trials", "failed", "best_performance", "largest_size", "reason"), rows)


def _differences(records: Mapping[str, DomainComplexity]) -> Table:
    """One row a pair of domains: the first minus the second, with intervals of the difference itself."""
    names = ("complexity", "excess", "relative_excess")
    rows: list[Sequence[Cell]] = []
    for pair in complexity.differences({name: record.complexity for name, record in records.items()}):
        numbers = cells(*(getattr(pair, name) for name in names))
        rows.append((pair.first, pair.second, *numbers, pair.told_apart(), pair.shared, pair.complexity.method))
    return Table.of(("a", "b", *bounds(*names), "told_apart", "same_policies", "method"), rows)


def _space(space: Space) -> Table:
    """One row a domain: coordinates, share in each dimension, how sure its place is, and what must be said."""
    axes = range(space.dimensions)
    columns = ("domain", *(f"axis_{k + 1}" for k in axes), *(f"share_{k + 1}" for k in axes))
    columns = (*columns, "displacement", "vanished", "dimension_probability", "length", "distance", "warnings")
    displaced = [None] * len(space.domains) if space.bootstrap is None else space.bootstrap.displacement.tolist()
    likely = space.dimensionality.probabilities.get(space.dimensions)
    same = (likely, space.length, space.distance, "; ".join(space.warnings))
    rows = [
        (name, *space.coordinates[i].tolist(), *space.shares[i].tolist(), displaced[i], name in space.vanished, *same)
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


MAKERS: Mapping[str, Callable[[FinishedRun], Made]] = {
    "compare_known_baselines": compare_known_baselines,
    "draw_complexity": complexity_figures,
    "draw_dissimilarity": dissimilarity_figures,
    "draw_space": space_figures,
    "write_tables": suite_tables,
    "explain_variance": variance_report,
    "report_baseline": baseline_report,
}
"""What draws and tabulates, by the name of the job."""


def show(run: SuiteRun, declared: Products) -> Made:
    """Return what a job draws and tabulates."""
    return MAKERS[declared.maker](FinishedRun(run))
