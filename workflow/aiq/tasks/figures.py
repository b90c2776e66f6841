"""Draw figures from stored results; each goes to PNG and SVG with its numbers as CSV beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq import figures, storage
from aiq.config.layout import Files, pair_name
from aiq.figures import DomainTrials, Drawing, MixturePair
from aiq.records.entropy import Entropy
from aiq.records.space import Space
from aiq.storage.files import replacing
from aiq.tasks.complexity import DomainComplexity
from aiq.tasks.dissimilarity import SuiteDissimilarity
from aiq.tasks.job import Run
from aiq.tasks.space import AgentScores

Draw = Callable[[], Drawing]


def save(layout: Files, drawings: Mapping[str, Draw]) -> None:
    """Draw and write each figure; a figure is drawn only when its turn has come, so memory stays small."""
    for name, draw in drawings.items():
        drawing = draw()
        for suffix in ("png", "svg"):
            with replacing(layout.figure(name, suffix)) as temporary:
                temporary.write_bytes(figures.render(drawing, suffix))
        storage.write_table(layout.figure(name, "csv"), drawing.table)
        with replacing(layout.figure(name, "txt")) as temporary:
            temporary.write_text(drawing.caption + "\n", encoding="utf-8")


def draw_complexity(run: Run, complexities: Sequence[str | Path], entropies: Sequence[str | Path]) -> None:
    """Draw complexity curves, complexity against entropy, and complexity against k."""
    plan, names = run.plan, list(run.configuration.domains)
    found = {
        name: storage.read_result(path, "complexity", DomainComplexity, plan.complexity(name))
        for name, path in zip(names, complexities, strict=True)
    }
    entropy = {
        name: storage.read_result(path, "entropy", Entropy, plan.entropy(name))
        for name, path in zip(names if entropies else (), entropies, strict=True)
    }
    unit = run.configuration.complexity.size
    trials = {
        name: DomainTrials.of(name, record.complexity, record.performance, record.size)
        for name, record in found.items()
    }
    measured = {name: record.complexity for name, record in found.items()}
    drawings: dict[str, Draw] = {
        "complexity-panel": lambda: figures.complexity_panel(list(trials.values()), unit=unit),
        "complexity-values": lambda: figures.complexity_values(measured, unit=unit),
        "complexity-by-k": lambda: figures.complexity_by_k(
            {name: record.by_k for name, record in found.items() if record.by_k is not None}, unit=unit
        ),
    }
    if entropy:
        seen = "observations" if run.configuration.control else "mean"
        drawings["complexity-entropy"] = lambda: figures.complexity_entropy(measured, entropy, unit=unit, quantity=seen)
    for name in names:
        drawings[f"complexity-{name}"] = lambda name=name: figures.complexity_curve(trials[name], unit=unit)
    save(run.layout, drawings)


def draw_dissimilarity(run: Run, source: str | Path) -> None:
    """Draw the mixture curve of every pair, all of them in one overview, and the matrix."""
    suite = storage.read_result(source, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())
    pairs = [MixturePair.of(pair.a, pair.b, pair.measured, pair.curves) for pair in suite.pairs]
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    drawings: dict[str, Draw] = {
        "mixture-overview": lambda: figures.mixture_overview(pairs),
        "dissimilarity-matrix": lambda: figures.dissimilarity_matrix(
            records, domains=suite.domains, floor=suite.floor, completion=suite.completion
        ),
    }
    for pair in pairs:
        drawings[f"mixture-{pair_name(pair.a, pair.b)}"] = lambda pair=pair: figures.mixture_curve(pair)
    save(run.layout, drawings)


def draw_space(run: Run, source: str | Path, scores: Sequence[str | Path]) -> None:
    """Draw the spectrum, the dimensions, the space with the best agent in it, and the agents' scores."""
    space = storage.read_result(source, "space", Space, run.plan.space())
    found = [storage.read_result(path, "scores", AgentScores, run.plan.scores()) for path in scores]
    agents = {r.scores.agents[0].agent: _performance(r, r.scores.agents[0].agent, space.domains) for r in found}
    drawings: dict[str, Draw] = {
        "spectrum": lambda: figures.spectrum(space),
        "contributions": lambda: figures.contributions(space),
        "space-plane": lambda: figures.space_plane(space, agents=agents),
        "space-solid": lambda: figures.space_solid(space, agents=agents),
    }
    for record in found:
        drawings["agents"] = lambda record=record: figures.agent_scores(record.scores)
        sizes = {agent.name: (agent.layers, agent.width) for agent in run.configuration.agents.networks}
        if sizes:
            drawings["handicap"] = lambda record=record, sizes=sizes: figures.handicap(record.scores, sizes)
    save(run.layout, drawings)


def _performance(record: AgentScores, agent: str, domains: Sequence[str]) -> list[float]:
    """Return an agent's mean performance on each domain."""
    rows = np.array(record.agent) == agent
    return [float(record.performance[rows & (np.array(record.domain) == domain)].mean()) for domain in domains]
