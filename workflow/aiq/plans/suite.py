"""What identifies each piece of a suite's work.

A unit's fingerprint depends on everything that determines its numbers and on nothing else: not on how units are cut
into jobs, nor on how many there are. So growing a pool, adding repetitions, domains or agents leaves finished units.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from aiq.config.agents import Agent
from aiq.config.suite import Configuration
from aiq.plans.base import Fingerprint, Stage, joined
from aiq.plans.layout import AgentJob, MixtureJob, SuiteLayout, parted
from aiq.plans.sizing import Sizing
from aiq.plans.suite_jobs import ALONE, INTERFACE, EndsPlan, SuiteJobs, device_words
from aiq.plans.suite_products import PRODUCTS
from aiq.plans.suite_steps import STEPS

DOMAIN = Stage("domain", 1)
TRIALS = Stage("trials", 1)
MIXTURES = Stage("mixtures", 1)
AGENTS = Stage("agents", 1)
BASELINE = Stage("baseline", 1)
PLAY = Stage("play", 1)
OUTSIDE = Stage("outside", 1)
LEARNERS = Stage("learners", 2)
COMPLEXITY = Stage("complexity", 2)
ENTROPY = Stage("entropy", 1)
DISSIMILARITY = Stage("dissimilarity", 2)
KNOWN = Stage("known baselines", 1)
SPACE = Stage("space", 5)
SCORES = Stage("scores", 6)
APTI = Stage("apti", 1)

TWINS = 1
"""Version of the numbers of twins, which are mixed with domains and not stored; no other mixture hangs on it."""

RELATIVE = 2
"""Version of the numbers of spaces by relative dissimilarity; 2: a pair without a number has an error."""

STAGES = (
    *(DOMAIN, INTERFACE, TRIALS, MIXTURES, ALONE, AGENTS, BASELINE, PLAY, OUTSIDE, LEARNERS),
    *(COMPLEXITY, ENTROPY, KNOWN, DISSIMILARITY, SPACE, SCORES, APTI),
)


class SuitePlan(SuiteJobs):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Configuration
    stages = STAGES
    steps = STEPS
    declared = PRODUCTS

    def __init__(self, configuration: Configuration) -> None:
        super().__init__(configuration)
        self.layout = SuiteLayout(configuration.results)
        self.sizing = Sizing(configuration)
        self.ends = EndsPlan(configuration, self.sizing, self.domain)

    @cache
    def domain(self, name: str) -> Fingerprint:
        """Fingerprint of a prepared domain."""
        c = self.configuration
        return DOMAIN.fingerprint(c.seed, c.domains[name])

    def _met(self, name: str) -> Fingerprint:
        domain, number = parted(name)
        return joined("twin", TWINS, number, self.domain(domain)) if number else self.domain(domain)

    @cache
    def trials(self, name: str) -> Fingerprint:
        """Fingerprint of the trials on a domain, as far as the configuration tells, whatever the pool's size."""
        return self.trials_unit(name, self.ends.common if self.ends.pooled else None)

    def trials_unit(self, name: str, common: Any) -> Fingerprint:
        """Fingerprint of a chunk of trials under an interface of the suite (None: under the domain's own)."""
        c = self.configuration
        pool = c.pool.model_dump(mode="json", exclude={"size", "interface"})
        more = [] if common is None else ["interface", common]
        more += device_words(c)
        more += [] if c.pool.learners is None else [LEARNERS.fingerprint()]
        return TRIALS.fingerprint(c.seed, name, self.domain(name), pool, c.training, *more)

    @cache
    def mixture(self, a: str, b: str) -> Fingerprint:
        """Fingerprint of the mixtures of a pair, as far as the configuration tells: the same for every repetition."""
        return self.mixture_unit(a, b, self.ends.common if self.ends.shared else None)

    def mixture_unit(self, a: str, b: str, common: Any) -> Fingerprint:
        """Fingerprint of a chunk of mixtures of a pair under an interface of the suite (None: under the pair's own)."""
        c, settings = self.configuration, self.configuration.dissimilarity
        own = {"samples"} if common is None else set()  # an interface holds the number of samples
        kept = settings.model_dump(mode="json", include={"repetitions_per_chunk", "network", "training"} | own)
        more: list[Any] = ["shared labels"] if settings.labels == "shared" else []
        more += [] if common is None else ["interface", common]
        more += device_words(c)
        points = list(settings.points)
        return MIXTURES.fingerprint(c.seed, a, b, self._met(a), self._met(b), points, kept, c.pool.outputs, *more)

    @cache
    def agent(self, domain: str, name: str) -> Fingerprint:
        """Fingerprint of an agent's trainings on a domain: the same for every repetition."""
        c, agent = self.configuration, self.network(name)
        made = (c.seed, domain, self.domain(domain), agent, c.agent_training, c.pool.outputs)
        return AGENTS.fingerprint(*made, *device_words(c))

    def of_mixture_job(self, job: MixtureJob) -> Fingerprint:
        """Fingerprint of a shard of mixtures."""
        return joined("mixture job", [[a, b, self.mixture(a, b)] for a, b in job.pairs], job.chunks)

    def of_agent_job(self, job: AgentJob) -> Fingerprint:
        """Fingerprint of a shard of agents."""
        repetitions = self.configuration.agents.repetitions
        return joined("agent job", [[name, self.agent(job.domain, name)] for name in job.agents], repetitions)

    @cache
    def network(self, name: str) -> Agent:
        """Return the configured agent of a name."""
        return next(agent for agent in self.configuration.agents.networks if agent.name == name)

    @cache
    def baseline(self, domain: str) -> Fingerprint:
        """Fingerprint of the baseline's trainings on a domain: the same for every repetition."""
        c, settings = self.configuration, self.the_baseline
        made = (c.seed, domain, self.domain(domain), settings.network, settings.training)
        return BASELINE.fingerprint(*made, *device_words(c))

    @cache
    def of_baseline(self, domain: str) -> Fingerprint:
        """Fingerprint of a shard of the baseline."""
        return joined("baseline job", self.baseline(domain), self.the_baseline.repetitions)

    @cache
    def play(self, domain: str) -> Fingerprint:
        """Fingerprint of the episodes that the trained baseline plays on a domain."""
        trained = self.of_baseline(self.trained_on(domain))
        seed = self.configuration.seed
        return PLAY.fingerprint(seed, trained, domain, self.domain(domain), self.the_baseline.episodes)

    def outside(self, domain: str, name: str) -> Fingerprint:
        """Fingerprint of what an agent from outside does on a domain: the same for every repetition."""
        c = self.configuration
        agent = next(agent for agent in c.agents.outside if agent.name == name)
        if c.control:
            return OUTSIDE.fingerprint(c.seed, domain, self.domain(domain), agent)
        settings = [agent.name, agent.factory, agent.arguments, c.agent_training, c.pool.outputs]
        return LEARNERS.fingerprint(c.seed, domain, self.domain(domain), *settings, *device_words(c))

    def of_outside(self, domain: str, name: str) -> Fingerprint:
        """Fingerprint of a shard of an agent from outside."""
        return joined("outside job", self.outside(domain, name), self.configuration.agents.repetitions)

    @cache
    def complexity(self, name: str) -> Fingerprint:
        """Fingerprint of a domain's complexity."""
        c = self.configuration
        return COMPLEXITY.fingerprint(self.trials(name), c.pool.size, c.complexity)

    @cache
    def entropy(self, name: str) -> Fingerprint:
        """Fingerprint of a domain's entropy."""
        c = self.configuration
        if c.baseline is not None:
            return ENTROPY.fingerprint(self.play(name), c.entropy)
        return ENTROPY.fingerprint(self.domain(name), c.entropy)

    @cache
    def known_baselines(self) -> Fingerprint:
        """Fingerprint of the known baselines: whether a library may be missing is not in it."""
        c = self.configuration
        settings = c.known_baselines.counted(c.control)
        pairs = [] if c.control else [[a, b] for a, b in self.pairs if a <= b]
        return KNOWN.fingerprint(c.seed, [[name, self.domain(name)] for name in c.domains], pairs, settings)

    @cache
    def dissimilarity(self) -> Fingerprint:
        """Fingerprint of the matrix of dissimilarities."""
        c, d = self.configuration, self.configuration.dissimilarity
        pairs = [[a, b, self.mixture(a, b)] for a, b in self.mixed]
        alone = [[name, part, self.ends.part(name, part)] for name in c.domains for part in self.ends.parts]
        settings = d.model_dump(mode="json", exclude={"control_repetitions", "paired"})  # younger than the stage
        fewer = [c.control_repetitions] if c.controls and c.control_repetitions != d.repetitions else []
        return DISSIMILARITY.fingerprint(pairs, alone, settings, list(c.domains), *fewer)

    @cache
    def similarity(self) -> Fingerprint:
        """Fingerprint of how similarities are read from the mixtures; what they are read from is not in it."""
        return joined("similarity", self.configuration.similarity)

    @cache
    def space(self) -> Fingerprint:
        """Fingerprint of the intelligence space."""
        c = self.configuration
        settings = c.space.model_dump(mode="json")
        drawn = [RELATIVE] if c.space.distance == "relative" else []
        return SPACE.fingerprint([self.complexity(n) for n in c.domains], self.dissimilarity(), settings, *drawn)

    @cache
    def scores(self) -> Fingerprint:
        """Fingerprint of the agents' scores (a table made elsewhere is an input file of the rule)."""
        c = self.configuration
        agents = [[d, n, self.agent(d, n)] for d in c.domains for n in sorted(a.name for a in c.agents.networks)]
        outside = [[d, a.name, self.of_outside(d, a.name)] for d in c.domains for a in c.agents.outside]
        agents += sorted(outside)
        return SCORES.fingerprint(self.space(), agents, c.agents.repetitions, c.agents.table, c.quotient, c.value)

    def apti(self) -> Fingerprint:
        """Fingerprint of the agents' performances relative to the baseline's."""
        return APTI.fingerprint(self.scores(), [self.play(d) for d in self.configuration.domains])

    def page(self) -> Fingerprint:
        """Fingerprint of the page, which also shows the goal of the rounds where there is one."""
        goal = self.configuration.precision
        fingerprint = super().page()
        return fingerprint if goal is None else joined("page", fingerprint, goal)
