"""The figures of a suite, from stored results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq import figures, storage
from aiq.figures import DomainTrials, MixturePair
from aiq.figures.drawing import lacking
from aiq.plans.layout import pair_name
from aiq.plans.run import SuiteRun as Run
from aiq.records.entropy import Entropy
from aiq.records.space import Space
from aiq.tasks.shell.publishing import Draw, Made, Needs
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import DRAWS, SuiteDissimilarity, without_controls
from aiq.tasks.suite.reducing.similarity import suite_similarities
from aiq.tasks.suite.reducing.space import AgentScores


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
    agents = {agent: _performance(r, agent, space.domains) for r, agent in first}
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


def _performance(record: AgentScores, agent: str, domains: Sequence[str]) -> list[float]:
    """Return an agent's mean performance on each domain."""
    rows = np.array(record.agent) == agent
    return [float(record.performance[rows & (np.array(record.domain) == domain)].mean()) for domain in domains]
