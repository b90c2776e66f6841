"""Where the uncertainty of the agents' scores comes from: sources are taken as known exactly, alone and together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import comb
from typing import Any

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.explain.finished import FinishedRun
from aiq.measures import draws, skills, space, weighing
from aiq.measures.quotient.bootstrap import FEWEST, agent_draws, bootstrap, relative
from aiq.measures.quotient.hull import Budget
from aiq.measures.space.bootstrap import replicated
from aiq.plans.run import SuiteRun
from aiq.records.estimate import Estimate, Floats
from aiq.records.space import Space, Weights
from aiq.records.variance import SOURCES
from aiq.run.reducing.space import distances
from aiq.tables.locating import lengths_of
from aiq.tables.scores import score, weights_of

PART_OF_SCORES = 4
"""The hulls of all corners may cost at most the total budget of a run's own intervals over this."""
EMBEDDINGS = 2e9
"""Over the cube of the number of domains: about how many replicates are placed at most."""
SUBSETS = 18_000_000
"""Sets of d of n tests that are looked at in all hulls together: about so many in ten seconds of one core."""
FEW = 50  # replicates in any case


class Sources:
    """A finished run with replicates in which single sources can be held at their estimates.

    All replicates of a source are the same draws, whatever is held, so that widths are compared on common draws.
    """

    def __init__(self, run: SuiteRun, count: int = 1000, value: str | None = None) -> None:
        """Read a finished run, for ``count`` replicates.

        ``value``: whose errors are told, ``skills`` or ``volume``; None: the headline, the volume where there is none.
        """
        c, finished = run.configuration, FinishedRun(run)
        if not run.plan.scored:
            raise InputError(f"{c.name} scores nobody, so there is no interval to explain; add agents")
        self.run, self.names, self._count = run, list(c.domains), count
        self._records = [record.complexity for record in finished.complexity.values()]
        self._suite, self._space = finished.directing, finished.space
        self._counts = self._space.weights or weights_of(self._space)
        self.value = value or ("volume" if self._counts.reason else c.value)
        self._performances = finished.performances
        if not self._performances:
            raise InputError(f"{c.name}: no agent could be scored, so there is no interval to explain")

    def intervals(
        self, held: Collection[str] = (), agents: Collection[str] | None = None
    ) -> dict[str, tuple[float, float]]:
        """Return agent -> its value and half the width of its interval, with ``held`` sources known exactly.

        ``agents``: whose performances are known where the agents are held; None: everybody's.
        """
        performances: Mapping[str, Sequence[Floats]] = self._performances
        if "agents" in held:
            performances = {
                agent: [np.array([sample.mean()]) for sample in values] if agents is None or agent in agents else values
                for agent, values in performances.items()
            }
        c = self.run.configuration
        if self.value == "skills":
            values = skills.score(self._weights(held), performances, seed=c.seed).agents
            return {agent.agent: half_of(agent.value) for agent in values}
        options = c.space.model_dump(include={"anchor", "share", "null", "merge", "refine", "distance"})
        options["dimensions"] = self._space.dimensions if "dimensions" in held else c.space.dimensions
        given = _alike(self._lengths(held) | self._distances(held))
        built = space.build(self.names, **given, **options, seed=c.seed)
        volumes = score(built, performances, seed=c.seed).agents
        return {agent.agent: half_of(agent.per_dimension) for agent in volumes}

    def variances(self) -> Floats:
        """Return the variance of the means over skills with every set of sources drawn, (2^p, A), as ``corners``.

        Lengths, directions and agents add up; ends and mixtures do not, since both move the same directions. All are 0
        where there is no headline.
        """
        if self._counts.reason:
            return np.zeros((2 ** len(self.of_run), len(self._performances)))
        directions = [name for name in self.of_run if name in ("ends", "mixtures")]
        by_place = {held: skills.variances(self._weights(held), self._performances)[1] for held in _subsets(directions)}
        by_length, _, own = skills.variances(self._weights(()), self._performances)
        return np.array([
            by_place[frozenset(directions) - drawn] + by_length * ("pool" in drawn) + own * ("agents" in drawn)
            for drawn in _subsets(self.of_run)
        ])  # fmt: skip

    def _weights(self, held: Collection[str]) -> Weights:
        """Return what the tests count, some sources being known exactly; the estimate stays as it is."""
        weights = self._counts
        if "pool" in held and weights.length_covariance is not None:
            weights = replace(weights, length_covariance=np.zeros_like(weights.length_covariance))
        directions = {"ends", "mixtures"} & set(self.of_run)
        if weights.uniqueness_replicates is None or not directions & set(held):
            return weights
        drawn = weights.uniqueness[None]
        if not directions <= set(held):
            alive = weighing.weigh(self.names, weights.length, **self._distances(held), seed=self._space.seed)
            drawn = np.asarray(alive.uniqueness_replicates)
        return replace(weights, uniqueness_replicates=drawn - drawn.mean(axis=0) + weights.uniqueness)

    def corners(self) -> Floats:
        """Return AIQ per dimension with every set of sources drawn, the others at their estimates: (2^p, R, A).

        Bit i of the first place says whether source i of ``of_run`` is drawn; agents are those of ``agents``. The noise
        that dimensions are judged by is the run's everywhere. R is 0 where hulls would cost too much for 20
        replicates; a replicate in which a suite has no volume is left out.
        """
        names = self.of_run
        bits = {name: 1 << i for i, name in enumerate(names)}
        rest = [name for name in names if name not in ("agents", "dimensions")]
        corners: dict[int, Floats] = {}
        for drawn in _subsets(rest):
            placed = self._replicated([name for name in rest if name not in drawn])
            for agents in (False, True):
                corner = sum(bits[name] for name in drawn) + agents * bits["agents"]
                own, kept = self._per_dimension(placed, agents)
                corners[corner] = kept if "dimensions" in bits else own
                corners[corner + bits.get("dimensions", 0)] = own
        least = min(len(per_dimension) for per_dimension in corners.values())
        values = np.stack([corners[corner][:least] for corner in range(2 ** len(names))])
        values = values[:, np.isfinite(values).all(axis=(0, 2))]
        return values if values.shape[1] >= FEWEST else values[:, :0]

    def _replicated(self, held: Collection[str]) -> Space:
        """Return the run's space with other replicates: some sources at their estimates, judged by its own noise."""
        lengths, distance = self._lengths(held)["complexity_replicates"], self._distances(held)
        if "dissimilarity_se" in distance:
            errors = draws.Errors(distance["dissimilarity_se"], distance["end_se"], distance["dissimilarity_df"])
            rng = seeding.generator(self.run.configuration.seed, "space", "dissimilarity draws")
            centre = draws.debiased(distance["dissimilarity"], errors.variance)
            matrices = draws.dissimilarities(centre, errors, self._count, rng)
        else:
            given = distance["dissimilarity_replicates"]
            matrices = np.where(np.eye(len(self.names), dtype=bool), 0.0, (given + given.transpose(0, 2, 1)) / 2)
        count = min(len(lengths), len(matrices))
        return replicated(self._space, lengths[:count], matrices[:count])

    def _per_dimension(self, placed: Space, agents: bool) -> tuple[Floats, Floats]:
        """Return AIQ per dimension (R, A) in each replicate's own and in the estimate's number of dimensions."""
        c = self.run.configuration
        total = Budget().total // PART_OF_SCORES // 2 ** len(SOURCES)
        table = np.array([[sample.mean() for sample in samples] for samples in self._performances.values()])
        resampled = np.tile(table, (self._count, 1, 1))
        for i, (agent, samples) in enumerate(self._performances.items() if agents else ()):
            rng = seeding.generator(c.seed, "score", agent)
            drawn = agent_draws(samples, self._count, rng)
            resampled[:, i] = resampled[:, i] if drawn is None else drawn
        count = 0 if placed.bootstrap is None else len(placed.bootstrap.coordinates)
        boot = bootstrap(placed, table, resampled[:count], Budget(total=total), c.seed)
        if boot is None:
            return np.empty((0, len(table))), np.empty((0, len(table)))
        volumes = relative(np.column_stack([boot.log_volumes, boot.log_suite]))
        return boot.per_dimension, volumes ** (1 / placed.dimensions)

    @property
    def dimensions(self) -> int:
        """The number of dimensions of the estimate."""
        return self._space.dimensions

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents, in the order of ``corners``."""
        return tuple(self._performances)

    def _lengths(self, held: Collection[str]) -> dict[str, Any]:
        """Return the tests' distances from the origin with their replicates; one of nothing but zeros is no suite."""
        c = self.run.configuration
        far = lengths_of(self._records, c.space.length)
        values, how = far.values, far.options(self._count, c.seed)
        drawn = how.get("complexity_replicates", np.tile(values, (self._count, 1)))[: self._count]
        drawn = drawn[np.isfinite(drawn).all(axis=1) & (drawn > 0).any(axis=1)]
        if "pool" in held:
            drawn = np.tile(values, (len(drawn), 1))
        return {"complexity": values, "complexity_replicates": drawn, "length": far.kind}

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
    def grown_together(self) -> bool:
        """Whether the noise of the ends is part of that of the mixtures although ends are trained by themselves.

        So it is where the errors of a pair are not known apart. By transfer ends make no noise: what all pairs of a
        domain share goes out.
        """
        c = self.run.configuration
        apart = "ends" in self.of_run or c.space.distance != "departure"
        return c.dissimilarity.ends == "domain" and not apart

    @property
    def repeated_here(self) -> frozenset[str]:
        """The agents whose repetitions this run makes; those of a table have as many as they came with."""
        c = self.run.configuration
        return frozenset(agent.name for agent in (*c.agents.networks, *c.agents.outside))

    @property
    def of_run(self) -> tuple[str, ...]:
        """The sources of this run: ends are told from mixtures only where they belong to domains."""
        settings = self.run.configuration.space
        _, how = distances(self._suite, settings.distance, self.run.configuration.seed)
        estimated = self.value == "volume" and settings.dimensions in ("share", "noise")
        there = {"ends": "end_se" in how, "dimensions": estimated}
        return tuple(source for source in SOURCES if there.get(source, True))


def _subsets(names: Sequence[str]) -> list[frozenset[str]]:
    """Return all subsets of some names: bit i of a subset's place says whether name i is in it."""
    return [frozenset(name for i, name in enumerate(names) if place >> i & 1) for place in range(2 ** len(names))]


def half_of(estimate: Estimate) -> tuple[float, float]:
    """Return a value and half the width of its interval, 0 where it has none."""
    low, high = estimate.interval or (0.0, 0.0)
    return estimate.value, (high - low) / 2


def replicates(domains: int, dimensions: int, agents: int, wanted: int) -> int:
    """Return how many replicates a split has: with very many domains or agents fewer than wanted, but at least 50."""
    subsets = (agents + 1) * 2 ** (len(SOURCES) - 1) * comb(domains, dimensions)
    return max(FEW, min(wanted, SUBSETS // subsets, int(EMBEDDINGS / (8 * domains**3))))


def _alike(given: dict[str, Any]) -> dict[str, Any]:
    """Return options of ``build`` with as many replicates of one kind as of the other: the smaller number."""
    drawn = [name for name in ("complexity_replicates", "dissimilarity_replicates") if name in given]
    count = min([len(given[name]) for name in drawn] + [given[name] for name in ("draws",) if name in given])
    return given | {name: given[name][:count] for name in drawn} | ({"draws": count} if "draws" in given else {})
