"""Write the results of a run as CSV tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiq import storage
from aiq.measures import complexity
from aiq.plans.run import SuiteRun as Run
from aiq.records.entropy import Entropy
from aiq.records.space import Space
from aiq.records.table import Cell, Table
from aiq.tasks.shell.publishing import publish
from aiq.tasks.suite.complexity import DomainComplexity
from aiq.tasks.suite.dissimilarity import SuiteDissimilarity
from aiq.tasks.suite.space import AgentScores
from aiq.tasks.suite.summary import cost


def _columns(name: str) -> tuple[str, ...]:
    """Return the columns of an estimate."""
    return name, f"{name}_low", f"{name}_high"


def write_tables(run: Run, complexities: Sequence[str | Path], entropies: Sequence[str | Path]) -> None:
    """Write every table of a run from its stored results."""
    plan, layout = run.plan, run.layout
    names = list(run.configuration.domains)
    records = {
        name: storage.read_result(path, "complexity", DomainComplexity, plan.complexity(name))
        for name, path in zip(names, complexities, strict=True)
    }
    entropy = {
        name: storage.read_result(path, "entropy", Entropy, plan.entropy(name))
        for name, path in zip(names if entropies else (), entropies, strict=True)
    }
    suite = storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity())
    space = storage.read_result(layout.space, "space", Space, plan.space())
    tables = {
        "complexity": _complexity(records, entropy),
        "dissimilarity": _dissimilarity(suite),
        "space": _space(space),
        "cost": cost(run),
    }
    if Path(layout.scores).exists():
        scores = storage.read_result(layout.scores, "scores", AgentScores, plan.scores())
        tables |= {"agents": _agents(scores), "performance": _performance(scores), "worth": _worth(scores)}
        tables["order"] = _order(scores)
    publish(run, tables)


def _complexity(records: dict[str, DomainComplexity], entropy: dict[str, Entropy]) -> Table:
    """One row a domain."""
    normalised = complexity.normalised({name: record.complexity for name, record in records.items()})
    rows = []
    for name, estimate in zip(normalised.domains, normalised.estimates, strict=True):
        found = records[name].complexity
        counts = (found.n_trials, found.n_failed, found.extrapolated_share, found.mostly_extrapolated)
        reflected = found.reflected_interval or (None, None)
        values = (*found.estimate.cells(), *reflected, *estimate.cells())
        rows.append((name, *values, *counts, *(entropy[name].mean.cells() if name in entropy else (None,) * 3)))
    counted = ("trials", "failed_trials", "extrapolated_share", "mostly_extrapolated")
    reflected_columns = ("reflected_low", "reflected_high")
    measured = (*_columns("complexity"), *reflected_columns, *_columns("normalised"))
    columns = ("domain", *measured, *counted, *_columns("entropy"))
    return Table.of(columns, rows)


def _dissimilarity(suite: SuiteDissimilarity) -> Table:
    """One row a pair, self-pairs included."""
    rows: list[Sequence[Cell]] = []
    for pair in suite.pairs:
        found = pair.measured
        corrected = (None, None, None) if found.corrected is None else found.corrected.cells()
        counts = (found.n, found.n_failed)
        rows.append((pair.a, pair.b, *found.plain.cells(), *found.signed.cells(), *corrected, *counts))
    areas = (*_columns("dissimilarity"), *_columns("signed"), *_columns("corrected"))
    return Table.of(("a", "b", *areas, "repetitions", "failed"), rows)


def _space(space: Space) -> Table:
    """One row a domain: coordinates, and share in each dimension."""
    axes = range(space.dimensions)
    columns = ("domain", *(f"axis_{k + 1}" for k in axes), *(f"share_{k + 1}" for k in axes))
    rows = [
        (name, *(float(x) for x in space.coordinates[i]), *(float(x) for x in space.shares[i]))
        for i, name in enumerate(space.domains)
    ]
    return Table.of(columns, rows)


def _agents(scores: AgentScores) -> Table:
    """One row an agent, best first; agents that could not be scored last, with the reason."""
    names = ("volume", "relative", "per_dimension", "mean")
    columns = ("rank", "agent", *(column for name in names for column in _columns(name)), "method")
    rows = [
        (a.rank, a.agent, *(cell for name in names for cell in getattr(a, name).cells()), a.hull.method)
        for a in scores.scores.agents
    ]
    empty = (None,) * (3 * len(names))
    rows += [(None, agent, *empty, f"not scored: {reason}") for agent, reason in scores.unscored.items()]
    return Table.of(columns, rows)


def _performance(scores: AgentScores) -> Table:
    """One row a repetition of an agent on a domain; ``aiq score`` reads it."""
    rows = zip(scores.agent, scores.domain, scores.performance.tolist(), scores.repetition.tolist(), strict=True)
    return Table.of(("agent", "domain", "performance", "repetition"), list(rows))


def _worth(scores: AgentScores) -> Table:
    """One row a domain: what leaving it out would cost the suite's volume."""
    losses = scores.scores.suite_losses or (None,) * len(scores.scores.domains)
    vertices = scores.scores.suite_vertices
    rows = [(name, loss, name in vertices) for name, loss in zip(scores.scores.domains, losses, strict=True)]
    return Table.of(("domain", "volume_lost", "vertex"), rows)


def _order(scores: AgentScores) -> Table:
    """One row a pair of agents: the probability that the first has the larger AIQ."""
    table = scores.scores.order_probabilities
    agents = [agent.agent for agent in scores.scores.agents]
    rows = [
        (a, b, None if table is None else float(table[i, j]))
        for i, a in enumerate(agents)
        for j, b in enumerate(agents)
        if i < j or (len(agents) == 1)
    ]
    return Table.of(("agent", "other", "probability_above"), rows)
