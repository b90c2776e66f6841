"""Results of a suite as they lie in its folder, finished or not, and as the paper reads them.

Those of other settings are passed over. The paper's own reading of the same trainings gives no errors, as the paper
gives none: minimum in place of MCCP@k, plain areas in place of signed ones, all dimensions of the plain areas with
complexities as lengths (the keys of ``preset: paper`` that need no training of their own).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aiq import seeding, storage
from aiq.errors import AiqError, StorageError
from aiq.measures import quotient
from aiq.measures import space as spaces
from aiq.measures.quotient.bootstrap import agent_draws, bootstrap, relative
from aiq.measures.quotient.hull import Budget, volume
from aiq.plans.run import SuiteRun
from aiq.records.complexity import Complexity
from aiq.records.domains import Entropy
from aiq.records.estimate import Estimate, Floats
from aiq.records.space import Space
from aiq.run.reducing.baselines import AptiScores
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores
from papers.claims.evidence import Agents, Evidence, Places, pair_name
from papers.claims.numbers import Measured

# ---- how large a run was, in words ---------------------------------------------------------------


def described(settings: Mapping[str, Any], mixed: bool = True) -> str:
    """Return what of a configuration decides how much its numbers can tell; ``mixed``: mixtures were trained."""
    measure = settings.get("measure", "aiq")
    if measure == "aiq":
        return _suite(settings, mixed)
    if measure == "algorithmic":
        lengths = sorted({int(n) for agent in settings.get("agents", ()) for n in agent.get("lengths", ())})
        programs, runs = settings.get("programs", {}).get("count", "?"), settings.get("runs", 10_000)
        return f"{programs} programs, {runs} runs, lengths {', '.join(f'{n:,}' for n in lengths)}"
    if measure == "anytime":
        test, tests = settings.get("test", {}), settings.get("repetitions", "?")
        return f"{tests} tests of budget {test.get('budget', '?')} {test.get('by', '')}".strip()
    if measure == "collectives":
        part = settings.get("by_side", {})
        return f"sides {', '.join(map(str, part.get('sides', ())))}, {part.get('episodes', '?')} episodes"
    return f"measure {measure}"


def _suite(settings: Mapping[str, Any], mixed: bool) -> str:
    domains, pool = settings["domains"], settings["pool"]
    training, mixtures = settings["training"], settings["dissimilarity"]
    samples = sorted({int(n) for d in domains.values() if (n := d.get("limit") or d.get("train_samples"))})
    words = [f"{len(domains)} domains", f"{pool['size']} policies", _length(training)]
    if samples:
        words.insert(1, f"{samples[0]:,}{f' to {samples[-1]:,}' if len(samples) > 1 else ''} samples")
    views = sorted({str(d.get("view", "full")) for d in domains.values() if d.get("source") == "cartpole3d"})
    if views:
        words.append(f"view {' and '.join(views)}")
    if mixed:
        words.append(f"mixtures: {mixtures.get('repetitions', 3)} times {_length(mixtures['training'])}")
    return ", ".join(words)


def _length(training: Mapping[str, Any]) -> str:
    most = "at most " if training.get("convergence") else ""
    return f"{most}{training['epochs']} epochs" if "epochs" in training else f"{most}{training['steps']:,} steps"


# ---- results as they lie in the folder -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Stored:
    """What is there of a suite: complexities and entropies by domain, and what else was measured (None: not)."""

    complexity: Mapping[str, DomainComplexity]
    entropy: Mapping[str, Entropy]
    suite: SuiteDissimilarity | None
    space: Space | None
    scores: AgentScores | None
    apti: AptiScores | None


def stored_of(run: SuiteRun, exact: bool) -> Stored:
    """Return what is there of a suite; ``exact``: of these settings alone, as a folder of experiments holds several."""
    layout, plan = run.layout, run.plan

    def whole(path: str, kind: str, record: Any, fingerprint: Callable[[], Any]) -> Any:
        return one_of(path, kind, record, fingerprint() if exact else None)

    def each(path: Callable[[str], str], kind: str, record: Any, fingerprint: Callable[[str], Any]) -> dict[str, Any]:
        records = {n: whole(path(n), kind, record, partial(fingerprint, n)) for n in run.configuration.domains}
        return {name: result for name, result in records.items() if result is not None}

    return Stored(
        each(layout.complexity, "complexity", DomainComplexity, plan.complexity),
        each(layout.entropy, "entropy", Entropy, plan.entropy),
        whole(layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity),
        whole(layout.space, "space", Space, plan.space),
        whole(layout.scores, "scores", AgentScores, lambda: plan.scores() if plan.scored else None),
        one_of(layout.apti, "apti", AptiScores, None),
    )


def one_of(path: str, kind: str, record: Any, fingerprint: Any) -> Any:
    """Return a result; None where it is not there, or is of other settings."""
    if not Path(path).exists():
        return None
    try:
        if fingerprint is not None and storage.hdf5.glance(path, kind) != fingerprint:
            return None
    except StorageError:
        return None
    return storage.read_result(path, kind, record)


HULLS = 200  # replicates of the places of which the hull is looked at


def agents_of(run: SuiteRun, space: Space, record: AgentScores, apti: AptiScores | None) -> Agents | None:
    """Return the scored agents with draws; None where their performances have no replicates."""
    names = tuple(dict.fromkeys(record.agent))
    seed = run.configuration.seed
    samples = [[record.repetitions(agent, domain) for domain in space.domains] for agent in names]
    count = 1000 if space.bootstrap is None else len(space.bootstrap.coordinates)
    drawn = [
        agent_draws(sample, count, seeding.generator(seed, "score", agent))
        for agent, sample in zip(names, samples, strict=True)
    ]
    draws = [draw for draw in drawn if draw is not None]
    if len(draws) < len(drawn):
        return None
    performance = np.stack(draws, axis=1)
    means = np.array([[float(values.mean()) for values in sample] for sample in samples])
    steps = bootstrap(space, means, performance, Budget(), seed)
    if steps is None:
        return None
    scores = {score.agent: score for score in record.scores.agents}
    return Agents(
        names=names,
        mean=means.mean(axis=1),
        relative=np.array([scores[name].relative.value for name in names]),
        mean_draws=steps.performance.mean(axis=2),
        relative_draws=relative(np.column_stack([steps.log_volumes, steps.log_suite])),
        sizes={a.name: (a.layers, a.width) for a in run.configuration.agents.networks},
        **_apti(names, apti, space, seed),
    )


def _apti(names: tuple[str, ...], apti: AptiScores | None, space: Space, seed: int) -> dict[str, Floats]:
    """Return mean APTI, the AIQ of a space that APTI scales (Fig. 29), and draws; nothing without a baseline."""
    if apti is None or set(apti.agents) != set(names):
        return {}
    by_name = dict(zip(apti.agents, apti.apti, strict=True))
    order = [apti.scores.domains.index(domain) for domain in space.domains]
    values = np.array([[by_name[name].domains[i].value for i in order] for name in names])
    drawn = np.stack([by_name[name].replicates[:, order] for name in names], axis=1)
    steps = bootstrap(space, values, drawn, Budget(), seed)
    if steps is None:
        return {}
    scored = {score.agent: score.per_dimension.value for score in apti.scores.agents}
    return {
        "apti": values.mean(axis=1),
        "apti_draws": steps.performance.mean(axis=2),
        "apti_aiq": np.array([scored[name] for name in names]),
        "apti_aiq_draws": steps.per_dimension,
    }


def places_of(space: Space) -> Places:
    """Return the number of dimensions with its draws, and how often each domain is a vertex."""
    boot = space.bootstrap
    drawn = np.zeros(0) if boot is None or boot.numbers is None else np.asarray(boot.numbers)
    steps = space.coordinates[None] if boot is None else boot.coordinates[:HULLS]
    at = np.array([_vertices(points) for points in steps]).mean(axis=0)
    positive = np.maximum(space.spectrum, 0)
    vertices = dict(zip(space.domains, at.tolist(), strict=True))
    return Places(space.domains, space.dimensionality.kept, drawn, vertices, positive / positive.sum())


def _vertices(points: Floats) -> Floats:
    """Return 1 for each of n points that is a vertex of their hull with the origin, (n,), else 0."""
    vertices = np.zeros(len(points))
    vertices[list(volume(points).vertices)] = 1.0
    return vertices


# ---- The paper's own reading --------------------------------------------------------------------------


HELD = 0.9  # share of the squared coordinates that the dimensions must hold that are counted as carrying the space
ROWS = 100  # equal draws of a score, as checks ask for so many


def by_the_paper(e: Evidence, run: SuiteRun, kept: Stored) -> Evidence | None:
    """Return the evidence of a run by the paper's own reading; None where nothing of it is read otherwise."""
    if not kept.complexity and kept.suite is None:
        return None
    paper = paper_stored(run, kept)
    pairs = () if paper.suite is None else paper.suite.pairs
    space = paper.space if e.places is not None else None
    scores = paper.scores if space is not None else None
    return replace(
        e,
        complexity=exactly({name: record.complexity.estimate.value for name, record in paper.complexity.items()}),
        base=None if e.base is None else exactly({name: e.base[name] for name in e.base.names}),
        dissimilarity=exactly({pair_name(pair.a, pair.b): pair.measured.plain.value for pair in pairs}),
        places=None if space is None else _counted(places_of(space)),
        agents=None if e.agents is None or scores is None else _agents(e.agents, scores),
    )


def exactly(values: Mapping[str, float]) -> Measured | None:
    """Return numbers without errors; None where there are none."""
    return Measured(tuple(values), np.array([*values.values()]), np.zeros((1, len(values)))) if values else None


def _counted(places: Places) -> Places:
    """Return the places with as many of the dimensions as hold ``HELD`` of the squared coordinates."""
    count = int(np.searchsorted(np.cumsum(places.shares), HELD - 1e-12)) + 1
    return replace(places, dimensions=count, dimension_draws=np.full(ROWS, float(count)))


def _agents(agents: Agents, scored: AgentScores) -> Agents:
    """Return the agents with their scores by the paper's reading, in equal draws."""
    by_name = {score.agent: score.relative.value for score in scored.scores.agents}
    relative = np.array([by_name[name] for name in agents.names])
    return replace(
        agents,
        relative=relative,
        mean_draws=np.tile(agents.mean, (ROWS, 1)),
        relative_draws=np.tile(relative, (ROWS, 1)),
        apti_draws=None if agents.apti is None else np.tile(agents.apti, (ROWS, 1)),
    )


# ---- results as the paper reads them -------------------------------------------------------------


def paper_stored(run: SuiteRun, kept: Stored) -> Stored:
    """Return the results of a run as the paper reads them: numbers without intervals."""
    complexity = {
        name: replace(record, complexity=_minimum(record.complexity)) for name, record in kept.complexity.items()
    }
    suite = None if kept.suite is None else _plain(kept.suite)
    space = None if suite is None else _placed(run, complexity, suite)
    scores = None if space is None or kept.scores is None else _scored(space, kept.scores, run.configuration.seed)
    return replace(kept, complexity=complexity, suite=suite, space=space, scores=scores, apti=None)


def _minimum(measured: Complexity) -> Complexity:
    method = "the smallest of all policies, without an interval"
    return replace(measured, estimator="minimum", estimate=Estimate(measured.minimum, None, measured.n_trials, method))


def _plain(suite: SuiteDissimilarity) -> SuiteDissimilarity:
    pairs = [
        replace(p, measured=replace(p.measured, chosen="plain", plain=replace(p.measured.plain, interval=None)))
        for p in suite.pairs
    ]
    return replace(suite, pairs=tuple(pairs))


def _placed(run: SuiteRun, complexity: Mapping[str, DomainComplexity], suite: SuiteDissimilarity) -> Space | None:
    """Return the space of the plain areas in all its dimensions; None where a pair or a complexity is missing."""
    names, c = suite.domains, run.configuration
    areas = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(areas, 0.0)
    for pair in suite.pairs:
        if pair.a != pair.b:
            i, j = names.index(pair.a), names.index(pair.b)
            areas[i, j] = areas[j, i] = pair.measured.plain.value
    if np.isnan(areas).any() or any(name not in complexity for name in names):
        return None
    lengths = [complexity[name].complexity.minimum for name in names]
    try:
        return spaces.build(names, lengths, areas, anchor=c.space.anchor, dimensions="all", merge=False, seed=c.seed)
    except AiqError:
        return None


def _scored(space: Space, scores: AgentScores, seed: int) -> AgentScores | None:
    """Return agents scored in a space by the means of their repetitions; None where it has no volume."""
    names = tuple(dict.fromkeys(scores.agent))
    means = [[float(scores.repetitions(agent, name).mean()) for name in space.domains] for agent in names]
    try:
        return replace(scores, scores=quotient.score(space, names, means, seed=seed))
    except AiqError:
        return None
