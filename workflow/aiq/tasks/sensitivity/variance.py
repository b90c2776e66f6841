"""Where the uncertainty of the agents' scores comes from: one source after the other is taken as known exactly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.errors import InputError
from aiq.measures import space
from aiq.measures.space import draws
from aiq.plans.run import Run, SuiteRun
from aiq.records.space import Space
from aiq.records.variance import SOURCES, Advice, AgentVariance, Variances
from aiq.tasks.sensitivity.moving import hours
from aiq.tasks.suite.reducing import lengths
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity
from aiq.tasks.suite.reducing.geometry import distances
from aiq.tasks.suite.reducing.space import AgentScores, score

Floats = npt.NDArray[np.float64]
FACTOR = 2


class Sources:
    """A finished run with replicates in which single sources can be held at their estimates.

    All replicates of a source are the same draws, whatever is held, so that widths are compared on common draws.
    """

    def __init__(self, run: SuiteRun, count: int = 1000) -> None:
        """Read the run.

        Raises:
            StorageError: it is not finished.
            InputError: nobody is scored.
        """
        c, plan, layout = run.configuration, run.plan, run.layout
        if not plan.scored:
            raise InputError(f"{c.name} scores nobody, so there is no interval to explain; add agents")
        self.run, self.names, self._count = run, list(c.domains), count
        read = storage.read_result
        self._records = [
            read(layout.complexity(name), "complexity", DomainComplexity, plan.complexity(name)).complexity
            for name in self.names
        ]
        self._suite = read(layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity())
        self._kept = read(layout.space, "space", Space, plan.space()).dimensions
        scores = read(layout.scores, "scores", AgentScores, plan.scores())
        self._performances = {
            agent: [scores.repetitions(agent, name) for name in self.names] for agent in dict.fromkeys(scores.agent)
        }

    def intervals(self, held: Collection[str] = ()) -> dict[str, tuple[float, float]]:
        """Return agent -> AIQ per dimension and half the width of its interval, some sources being held."""
        c = self.run.configuration
        built = space.build(self.names, **self._lengths(held), **self._distances(held), **self._options(held))
        performances: Mapping[str, Sequence[Floats]] = self._performances
        if "agents" in held:
            performances = {
                agent: [np.array([found.mean()]) for found in values] for agent, values in performances.items()
            }
        quotient = c.quotient
        scored = score(
            built, performances, seed=c.seed, prior_df=quotient.prior_df, confidence=quotient.confidence,
            facet_budget=quotient.facet_budget,
        )  # fmt: skip
        found = {}
        for one in scored.agents:
            low, high = one.per_dimension.interval or (0.0, 0.0)
            found[one.agent] = (one.per_dimension.value, (high - low) / 2)
        return found

    def _options(self, held: Collection[str]) -> dict[str, Any]:
        """Return how the space is built."""
        settings = self.run.configuration.space
        dimensions = self._kept if "dimensions" in held else settings.dimensions
        return {
            "anchor": settings.anchor, "dimensions": dimensions, "null": settings.null, "merge": settings.merge,
            "refine": settings.refine, "distance": settings.distance, "seed": self.run.configuration.seed,
            "confidence": settings.confidence,
        }  # fmt: skip

    def _lengths(self, held: Collection[str]) -> dict[str, Any]:
        """Return the tests' distances from the origin with their replicates."""
        c = self.run.configuration
        length, _ = lengths.chosen(self._records, c.space.length)
        values, how = lengths.known(self._records, length, self._count, c.seed)
        drawn = how.get("complexity_replicates", np.tile(values, (self._count, 1)))[: self._count]
        if "pool" in held:
            drawn = np.tile(values, (len(drawn), 1))
        return {"complexity": values, "complexity_replicates": drawn, "length": length}

    def _distances(self, held: Collection[str]) -> dict[str, Any]:
        """Return the matrix with its replicates; signed areas with their errors where these are known."""
        c = self.run.configuration
        matrix, how = distances(self._suite, c.space.distance, c.seed)
        if "dissimilarity_se" not in how:
            drawn = how.get("dissimilarity_replicates", np.tile(matrix, (self._count, 1, 1)))[: self._count]
            drawn = np.tile(matrix, (len(drawn), 1, 1)) if "mixtures" in held else drawn
            return {"dissimilarity": matrix, "dissimilarity_replicates": drawn}
        own = np.where(np.eye(len(matrix), dtype=bool), 0.0, how["dissimilarity_se"])
        ends = np.asarray(how.get("end_se", np.zeros(len(matrix))), dtype=np.float64)
        errors = draws.Errors(own, ends, how["dissimilarity_df"])
        return draws.held(matrix, errors, own="mixtures" in held, ends="ends" in held) | {"draws": self._count}

    @property
    def known(self) -> tuple[str, ...]:
        """The sources of this run: ends are told from mixtures only where they belong to domains."""
        _, how = distances(self._suite, self.run.configuration.space.distance, self.run.configuration.seed)
        return tuple(source for source in SOURCES if source != "ends" or "end_se" in how)


def variances(raw: Mapping[str, Any], origin: str, count: int = 1000) -> Variances:
    """Return where the uncertainty of a finished run's scores comes from, and what doubling each number would buy.

    The squared half-width of an interval is split by holding one source at its estimate. Doubling a number halves what
    its source adds to it.

    Args:
        raw: the configuration of the suite.
        origin: its name in refusals.
        count: replicates.

    Raises:
        StorageError: the run is not finished.
        InputError: nobody is scored.
    """
    run: SuiteRun = Run.of(raw, "aiq", origin)
    sources = Sources(run, count)
    whole = sources.intervals()
    without = {source: sources.intervals([source]) for source in sources.known}
    agents = tuple(
        AgentVariance(name, value, half, {source: found[name][1] for source, found in without.items()})
        for name, (value, half) in whole.items()
    )
    advice = [_advised(run, raw, agents, source) for source in sources.known if source != "dimensions"]
    ranked = sorted((one for one in advice if one is not None), key=lambda one: -one.gain)
    return Variances(run.configuration.name, run.configuration.quotient.confidence, agents, tuple(ranked))


def _advised(run: SuiteRun, raw: Mapping[str, Any], agents: Sequence[AgentVariance], source: str) -> Advice | None:
    """Return what doubling a source's number would buy; None where nothing is repeated."""
    key, now, other = _doubled(run, raw, source)
    if other is None:
        return None
    before = float(np.mean([one.half for one in agents]))
    gone = [one.half**2 - max(0.0, one.half**2 - one.without[source] ** 2) * (1 - 1 / FACTOR) for one in agents]
    after = float(np.mean(np.sqrt(gone)))
    return Advice(source, key, now, FACTOR * now, before, after, hours(run, other))


def _doubled(run: SuiteRun, raw: Mapping[str, Any], source: str) -> tuple[str, int, SuiteRun | None]:
    """Return the key that grows a source, its value, and the run with twice as much and all else as it is."""
    c = run.configuration
    d = c.dissimilarity
    ends = {"end_repetitions": d.ends_trained} if d.ends == "domain" else {}
    grown: dict[str, tuple[str, str, int, dict[str, Any]]] = {
        "pool": ("pool", "size", c.pool.size, {}),
        "ends": ("dissimilarity", "end_repetitions", d.ends_trained, {}),
        "mixtures": ("dissimilarity", "repetitions", d.repetitions, ends),
        "agents": ("agents", "repetitions", c.agents.repetitions, {}),
    }
    section, key, now, also = grown[source]
    if source == "agents" and not c.agents.networks:
        return f"{section}.{key}", now, None
    changed = {**raw, section: {**raw.get(section, {}), **also, key: FACTOR * now}}
    return f"{section}.{key}", now, Run.of(changed, "aiq", "the changed configuration")
