"""The tables of a suite, from stored results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aiq import storage
from aiq.measures import complexity
from aiq.plans.run import SuiteRun as Run
from aiq.records.best_of_k import QUANTITIES, BestOfK
from aiq.records.entropy import Entropy
from aiq.records.space import Space
from aiq.records.table import Cell, Table
from aiq.tasks.shell.publishing import Made, Needs
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import DRAWS, SuiteDissimilarity, without_controls
from aiq.tasks.suite.reducing.similarity import similarity_table, suite_similarities
from aiq.tasks.suite.reducing.space import AgentScores
from aiq.tasks.suite.summary import cost


def _columns(name: str) -> tuple[str, ...]:
    """Return the columns of an estimate."""
    return name, f"{name}_low", f"{name}_high"


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
    tables: dict[str, Callable[[], Table]] = {
        "complexity": lambda: _complexity(records, entropy),
        "complexity-differences": lambda: _differences(records),
        "dissimilarity": lambda: _dissimilarity(suite, without_controls(run.configuration)),
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
        "agents": lambda: _agents(scores),
        "performance": lambda: _performance(scores),
        "worth": lambda: _worth(scores),
        "order": lambda: _order(scores),
    }


def _complexity(records: dict[str, DomainComplexity], entropy: dict[str, Entropy]) -> Table:
    """One row a domain: the complexity asked for, MCCP@k with its parts, the paper's minimum."""
    normalised = complexity.normalised({name: record.complexity for name, record in records.items()})
    rows = []
    for name, estimate in zip(normalised.domains, normalised.estimates, strict=True):
        found = records[name].complexity
        counts = (found.n_trials, found.n_failed, found.extrapolated_share, found.mostly_extrapolated)
        asked = (found.estimator, *found.estimate.cells(), *estimate.cells())
        measured = _entropy_cells(entropy.get(name))
        rows.append((name, *asked, *_best_of_k(found.best_of_k), found.minimum, *counts, *measured))
    columns = ("domain", "estimator", *_columns("complexity"), *_columns("normalised"), "k")
    columns += tuple(column for name in QUANTITIES for column in _columns(name))
    counted = ("trials", "failed_trials", "extrapolated_share", "mostly_extrapolated")
    return Table.of((*columns, "minimum", *counted, *_columns("entropy")), rows)


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
    columns = tuple(column for name in names for column in _columns(name))
    return Table.of(("a", "b", *columns, "told_apart", "same_policies", "method"), rows)


def _nothing() -> tuple[Cell, ...]:
    """The cells of an estimate that was not measured."""
    return (None,) * 3


def _best_of_k(found: BestOfK | None) -> tuple[Cell, ...]:
    """Return k and the numbers at k, or nothing where the pool has too few policies."""
    if found is None:
        return (None,) * (1 + 3 * len(QUANTITIES))
    numbers = (found.estimate, found.base, found.excess, found.relative_excess)
    return (found.k, *(cell for number in numbers for cell in number.cells()))


def _entropy_cells(found: Entropy | None) -> tuple[Cell, ...]:
    """Return the entropy of a sample, or nothing."""
    return (None,) * 3 if found is None else found.mean.cells()


_PARTS = ("starvation", "confusion", "transfer", "interference")


def _dissimilarity(suite: SuiteDissimilarity, note: str) -> Table:
    """One row a pair, self-pairs included; parts only where they were measured, and why where they were not."""
    rows: list[Sequence[Cell]] = []
    for pair in suite.pairs:
        found = pair.measured
        corrected = (None, None, None) if found.corrected is None else found.corrected.cells()
        error = (None if found.error is None else found.error.se, found.square, found.crosses)
        parts = [None if found.parts is None else getattr(found.parts, name) for name in _PARTS]
        made_of = [cell for part in parts for cell in ((None,) * 3 if part is None else part.estimate.cells())]
        counts = (found.n, found.n_failed)
        rows.append(
            (pair.a, pair.b, *found.plain.cells(), *found.signed.cells(), *error, *corrected, *made_of, *counts, note)
        )
    areas = (*_columns("dissimilarity"), *_columns("signed"), "se", "square", "crosses", *_columns("corrected"))
    split = [column for name in _PARTS for column in _columns(name)]
    return Table.of(("a", "b", *areas, *split, "repetitions", "failed", "note"), rows)


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


def _agents(scores: AgentScores) -> Table:
    """One row an agent, best first; agents that could not be scored last, with the reason.

    ``relative`` is given the number of dimensions; ``relative_fewer`` and ``relative_more``: with one fewer and more.
    """
    names = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
    nearby = ("dimensions", "relative_fewer", "relative_more")
    measured = tuple(column for name in names for column in _columns(name))
    columns = ("rank", "agent", *measured, *nearby, "probability_above_next", "method", "note", "warnings")
    found, d = scores.scores, scores.scores.dimensions
    said = "; ".join(found.warnings)
    rows = []
    for a in found.agents:
        estimates = [getattr(a, name) for name in names]
        cells = [cell for one in estimates for cell in ((None,) * 3 if one is None else one.cells())]
        around = (d, a.by_dimensions.get(d - 1), a.by_dimensions.get(d + 1))
        rows.append((a.rank, a.agent, *cells, *around, a.order, a.hull.method, found.note, said))
    empty = (None,) * (len(measured) + len(nearby) + 1)
    rows += [(None, agent, *empty, f"not scored: {reason}", "", "") for agent, reason in scores.unscored.items()]
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
