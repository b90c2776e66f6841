"""How the work of a configuration is cut into jobs, and what identifies each piece of it.

A job writes one shard; a shard holds units (a chunk of policies on a domain, a chunk of repetitions of a
pair, an agent on a domain). A unit's fingerprint depends on everything that determines its numbers and on
nothing else: not on how units are cut into jobs, nor on how many there are. So growing a pool, adding
repetitions, domains or agents leaves finished units as they are.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

from aiq.config.agents import Agent, Baseline
from aiq.config.suite import Configuration
from aiq.plans.base import Plan, Shards
from aiq.plans.cost.sizing import Sizing
from aiq.plans.layout import AgentJob, MixtureJob, SuiteLayout, TrialJob
from aiq.plans.stages import Fingerprint, Stage, blocks, digest, joined, parted, twin
from aiq.plans.suite_ends import ALONE, INTERFACE, EndsPlan, device_words
from aiq.plans.suite_products import PRODUCTS

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
SCORES = Stage("scores", 5)
APTI = Stage("apti", 1)

TWINS = 1
"""Version of the numbers of twins, which are mixed with domains and not stored; no other mixture hangs on it."""

RELATIVE = 2
"""Version of the numbers of spaces by relative dissimilarity; 2: a pair without a number has an error."""

STAGES = (
    *(DOMAIN, INTERFACE, TRIALS, MIXTURES, ALONE, AGENTS, BASELINE, PLAY, OUTSIDE, LEARNERS),
    *(COMPLEXITY, ENTROPY, KNOWN, DISSIMILARITY, SPACE, SCORES, APTI),
)


def unit_name(a: str, b: str, chunk: int) -> str:
    """Return the name of a chunk of repetitions of a pair; '+' occurs in no domain's name."""
    return f"{a}+{b}+{chunk:06d}"


class SuitePlan(Plan[Configuration, SuiteLayout]):
    """The jobs of a configuration and the fingerprints of everything that is stored.

    Raises:
        ConfigurationError: the calibration that the configuration names cannot be read.
    """

    settings = Configuration
    stages = STAGES
    declared = PRODUCTS

    def __init__(self, configuration: Configuration) -> None:
        super().__init__(configuration, SuiteLayout(configuration))
        self.sizing = Sizing(configuration)
        self.ends = EndsPlan(configuration, self.sizing, self.domain)

    # ---- jobs ----------------------------------------------------------------------------------

    @cache
    def trial_jobs(self, domain: str) -> list[TrialJob]:
        """Jobs that train the pool on one domain."""
        cuts = blocks(self.configuration.pool.chunks, self.sizing.chunks_per_job(domain))
        return [TrialJob(domain, first, last, self.ends.pool_cut) for first, last in cuts]

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs (a, b) that are measured in full: each domain with itself, then with every other one.

        The first of a pair is the one whose name sorts first, so that the order of domains in the
        configuration does not matter; with ``both_orders`` the reverse is measured too. With named
        landmarks only pairs with a landmark (and the self-pairs) are measured.
        """
        c = self.configuration
        names = sorted(c.domains)
        landmarks = self.landmarks
        pairs = [(a, a) for a in names]
        for j, b in enumerate(names):
            pairs += [(a, b) for a in names[:j] if landmarks is None or a in landmarks or b in landmarks]
        if c.dissimilarity.both_orders:
            pairs += [(b, a) for a, b in pairs if a != b]
        return tuple(pairs)

    @cached_property
    def landmarks(self) -> tuple[str, ...] | None:
        """Names of the landmarks, or None where every pair is measured.

        A count takes that many domains spread evenly over the suite: before anything is measured
        there are no distances by which to choose them farthest apart.
        """
        settings = self.configuration.dissimilarity.landmarks
        if settings is None:
            return None
        if settings.names is not None:
            return tuple(settings.names)
        names = list(self.configuration.domains)
        count = min(settings.count or 1, len(names))
        step = len(names) / count
        return tuple(names[int(i * step)] for i in range(count))

    def with_twins(self, number: int) -> tuple[tuple[str, str], ...]:
        """Pairs of a domain with the twin of a number: of the other one of each pair, both ways, and of its own."""
        if self.configuration.dissimilarity.twins_of == "tests":
            return tuple((a, twin(a, number)) for a in sorted(self.configuration.domains))
        found = [(a, twin(b, number)) for a, b in self.pairs]
        return (*found, *((b, twin(a, number)) for a, b in self.pairs if a != b))

    @cached_property
    def mixed(self) -> tuple[tuple[str, str], ...]:
        """All pairs that networks are trained on: those of domains, then those with every twin."""
        numbers = range(1, self.configuration.dissimilarity.twins + 1)
        return (*self.pairs, *(pair for number in numbers for pair in self.with_twins(number)))

    @cached_property
    def mixture_jobs(self) -> tuple[MixtureJob, ...]:
        """Jobs that train on mixtures, those with each twin apart, so that further twins leave them as they are."""
        numbers = range(1, self.configuration.dissimilarity.twins + 1)
        jobs = self._mixture_jobs(self.pairs)
        return tuple(jobs + [job for number in numbers for job in self._mixture_jobs(self.with_twins(number))])

    def _mixture_jobs(self, mixed: tuple[tuple[str, str], ...]) -> list[MixtureJob]:
        """Cut pairs into jobs, grouped by the second domain of the pair in name order."""
        c = self.configuration
        groups: dict[str, list[tuple[str, str]]] = {}
        for pair in mixed:
            groups.setdefault(max(parted(name)[0] for name in pair), []).append(pair)
        jobs = []
        for group, pairs in groups.items():
            for first, last in blocks(len(pairs), self.sizing.mixtures_per_job(group)):
                block = tuple(pairs[first : last + 1])
                names = [f"{a}/{b}" for a, b in block] + [str(c.dissimilarity.chunks), *self.ends.cut]
                jobs.append(MixtureJob(group, f"pairs-{digest(names)}", block, c.dissimilarity.chunks))
        return jobs

    @cached_property
    def agent_jobs(self) -> tuple[AgentJob, ...]:
        """Jobs that train the configured agents."""
        c = self.configuration
        agents = sorted(agent.name for agent in c.agents.networks)
        jobs = []
        for domain in c.domains:
            for first, last in blocks(len(agents), self.sizing.agents_per_job(domain)):
                block = tuple(agents[first : last + 1])
                name = digest([*block, str(c.agents.repetitions)])
                jobs.append(AgentJob(domain, f"agents-{name}", block))
        return tuple(jobs)

    @cached_property
    def _mixture_jobs_by_name(self) -> dict[tuple[str, str], MixtureJob]:
        """Mixture jobs by the two words in their shards' names."""
        return {(job.group, job.block): job for job in self.mixture_jobs}

    @cached_property
    def _agent_jobs_by_name(self) -> dict[tuple[str, str], AgentJob]:
        """Agent jobs by the two words in their shards' names."""
        return {(job.domain, job.block): job for job in self.agent_jobs}

    def mixture_job(self, group: str, block: str) -> MixtureJob:
        """Return the job of a shard's name."""
        return self._mixture_jobs_by_name[group, block]

    def agent_job(self, domain: str, block: str) -> AgentJob:
        """Return the job of a shard's name."""
        return self._agent_jobs_by_name[domain, block]

    # ---- fingerprints --------------------------------------------------------------------------

    @cache
    def domain(self, name: str) -> Fingerprint:
        """Fingerprint of a prepared domain."""
        c = self.configuration
        return DOMAIN.fingerprint(c.seed, c.domains[name])

    def _met(self, name: str) -> Fingerprint:
        """Fingerprint of a prepared domain or of its twin."""
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
        agent = self.network(name)
        c = self.configuration
        outputs = c.pool.outputs
        return AGENTS.fingerprint(
            c.seed, domain, self.domain(domain), agent, c.agent_training, outputs, *device_words(c)
        )

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
        c = self.configuration
        return BASELINE.fingerprint(
            *(c.seed, domain, self.domain(domain), self._baseline.network, self._baseline.training),
            *device_words(c),
        )

    @cache
    def of_baseline(self, domain: str) -> Fingerprint:
        """Fingerprint of a shard of the baseline."""
        return joined("baseline job", self.baseline(domain), self._baseline.repetitions)

    @property
    def _baseline(self) -> Baseline:
        if self.configuration.baseline is None:
            raise ValueError("the configuration has no baseline")
        return self.configuration.baseline

    def trained_on(self, domain: str) -> str:
        """Return the domain on which the baseline that plays a domain is trained."""
        return self._baseline.trained_on or domain

    @cached_property
    def baseline_domains(self) -> tuple[str, ...]:
        """Domains on which a baseline is trained; none without a baseline."""
        c = self.configuration
        if c.baseline is None:
            return ()
        return tuple(dict.fromkeys(self.trained_on(domain) for domain in c.domains))

    @cache
    def play(self, domain: str) -> Fingerprint:
        """Fingerprint of the episodes that the trained baseline plays on a domain."""
        trained = self.of_baseline(self.trained_on(domain))
        seed = self.configuration.seed
        return PLAY.fingerprint(seed, trained, domain, self.domain(domain), self._baseline.episodes)

    def outside(self, domain: str, name: str) -> Fingerprint:
        """Fingerprint of what an agent from outside does on a domain: the same for every repetition."""
        c = self.configuration
        agent = next(agent for agent in c.agents.outside if agent.name == name)
        if c.control:
            return OUTSIDE.fingerprint(c.seed, domain, self.domain(domain), agent)
        told = [agent.name, agent.factory, agent.arguments, c.agent_training, c.pool.outputs]
        return LEARNERS.fingerprint(c.seed, domain, self.domain(domain), *told, *device_words(c))

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
        fewer: list[object] = [d.paired] if d.paired == "yes" else []
        fewer += [c.control_repetitions] if c.controls and c.control_repetitions != d.repetitions else []
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
        shown = super().page()
        return shown if goal is None else joined("page", shown, goal)

    def page_request(self) -> tuple[int, int]:
        """Return what the page asks for, by the curves of all pairs that it reads."""
        work = self.sizing.paged(len(self.pairs))
        return work.request

    # ---- files ---------------------------------------------------------------------------------

    @property
    def scored(self) -> bool:
        """Whether there is anybody to score."""
        agents = self.configuration.agents
        return bool(agents.networks or agents.outside or agents.table)

    @property
    def with_entropy(self) -> bool:
        """Whether entropies are measured: control domains have them from the trained baseline's episodes."""
        return self.configuration.baseline is not None or not self.configuration.control

    @property
    def with_known_baselines(self) -> bool:
        """Whether known baselines are computed; there are none where numbers are learned."""
        return self.configuration.known_baselines.when != "never" and not self.configuration.numeric

    def shards(self) -> Shards:
        """Return every prepared domain and every shard of trainings and of agents from outside."""
        layout, shards = self.layout, Shards()
        interface: Shards = {layout.interface: ("interface", self.ends.common)} if self.ends.measured else {}
        if self.ends.pooled:
            shards |= {layout.domain(domain): ("domain", self.domain(domain)) for domain in self.configuration.domains}
            shards |= interface
        for domain in self.configuration.domains:
            shards[layout.domain(domain)] = ("domain", self.domain(domain))
            for trial_job in self.trial_jobs(domain):
                shards[layout.trial_job(trial_job)] = ("trials", self.trials(domain))
        shards |= interface
        for mixture_job in self.mixture_jobs:
            shards[layout.mixture_job(mixture_job)] = ("mixtures", self.of_mixture_job(mixture_job))
        for alone_job in self.ends.jobs:
            shards[layout.alone_job(alone_job)] = ("alone", self.ends.of_job(alone_job))
        for agent_job in self.agent_jobs:
            shards[layout.agent_job(agent_job)] = ("agents", self.of_agent_job(agent_job))
        for domain in self.baseline_domains:
            shards[layout.baseline(domain)] = ("baseline", self.of_baseline(domain))
        for domain in self.configuration.domains:
            for agent in self.configuration.agents.outside:
                shards[layout.outside(domain, agent.name)] = ("outside", self.of_outside(domain, agent.name))
        return shards

    def results(self) -> Shards:
        """Return complexities, plays, entropies, known baselines, dissimilarities, space, scores, and APTI."""
        c, layout = self.configuration, self.layout
        found: Shards = {layout.complexity(d): ("complexity", self.complexity(d)) for d in c.domains}
        if c.baseline is not None:
            found |= {layout.play(d): ("play", self.play(d)) for d in c.domains}
        if self.with_entropy:
            found |= {layout.entropy(d): ("entropy", self.entropy(d)) for d in c.domains}
        if self.with_known_baselines:
            found[layout.known_baselines] = ("known baselines", self.known_baselines())
        found[layout.dissimilarity] = ("dissimilarity", self.dissimilarity())
        found[layout.space] = ("space", self.space())
        if self.scored:
            found[layout.scores] = ("scores", self.scores())
            if c.baseline is not None:
                found[layout.apti] = ("apti", self.apti())
        return found
