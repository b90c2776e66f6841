"""How the work of a configuration is cut into jobs, and what identifies each piece of it.

A job writes one shard; a shard holds units (a chunk of policies on a domain, a chunk of repetitions of a
pair, an agent on a domain). A unit's fingerprint depends on everything that determines its numbers and on
nothing else: not on how units are cut into jobs, nor on how many there are. So growing a pool, adding
repetitions, domains or agents leaves finished units as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aiq.config.agents import Agent, Baseline
from aiq.config.base import fingerprint
from aiq.config.cuts import blocks, digest
from aiq.config.once import once
from aiq.config.sizing import Sizing
from aiq.config.suite import Configuration

FORMAT = 1  # raised when the meaning of stored numbers changes


@dataclass(frozen=True, slots=True)
class TrialJob:
    """Chunks ``first`` to ``last`` (inclusive) of the pool on one domain."""

    domain: str
    first: int
    last: int

    @property
    def chunks(self) -> range:
        """The chunks."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class MixtureJob:
    """Chunks of repetitions of some pairs; ``group`` is the domain that all pairs share."""

    group: str
    block: str
    pairs: tuple[tuple[str, str], ...]
    chunks: int

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains that the job reads, in order of first use."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair))


@dataclass(frozen=True, slots=True)
class AgentJob:
    """Some agents on one domain, with all their repetitions."""

    domain: str
    block: str
    agents: tuple[str, ...]


class Plan:
    """The jobs of a configuration and the fingerprints of everything that is stored.

    Raises:
        ConfigurationError: the calibration that the configuration names cannot be read.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.sizing = Sizing(configuration)

    # ---- jobs ----------------------------------------------------------------------------------

    @once
    def trial_jobs(self, domain: str) -> list[TrialJob]:
        """Jobs that train the pool on one domain."""
        cuts = blocks(self.configuration.pool.chunks, self.sizing.chunks_per_job(domain))
        return [TrialJob(domain, first, last) for first, last in cuts]

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

    @cached_property
    def mixture_jobs(self) -> tuple[MixtureJob, ...]:
        """Jobs that train on mixtures, grouped by the second domain of the pair in name order."""
        c = self.configuration
        groups: dict[str, list[tuple[str, str]]] = {}
        for pair in self.pairs:
            groups.setdefault(max(pair), []).append(pair)
        jobs = []
        for group, pairs in groups.items():
            for first, last in blocks(len(pairs), self.sizing.mixtures_per_job(group)):
                block = tuple(pairs[first : last + 1])
                names = [f"{a}/{b}" for a, b in block] + [str(c.dissimilarity.chunks)]
                jobs.append(MixtureJob(group, f"pairs-{digest(names)}", block, c.dissimilarity.chunks))
        return tuple(jobs)

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

    @once
    def domain(self, name: str) -> str:
        """Fingerprint of a prepared domain."""
        c = self.configuration
        return fingerprint("domain", FORMAT, c.seed, c.domains[name])

    @once
    def trials(self, name: str) -> str:
        """Fingerprint of the trials on a domain: the same for every chunk, whatever the pool's size."""
        c = self.configuration
        pool = c.pool.model_dump(mode="json", exclude={"size"})
        return fingerprint("trials", FORMAT, c.seed, name, self.domain(name), pool, c.training)

    @once
    def mixture(self, a: str, b: str) -> str:
        """Fingerprint of the mixtures of a pair: the same for every repetition."""
        c = self.configuration
        kept = c.dissimilarity.model_dump(
            mode="json", include={"repetitions_per_chunk", "samples", "network", "training"}
        )
        points = list(c.dissimilarity.points)
        return fingerprint(
            "mixtures", FORMAT, c.seed, a, b, self.domain(a), self.domain(b), points, kept, c.pool.outputs
        )

    @once
    def agent(self, domain: str, name: str) -> str:
        """Fingerprint of an agent's trainings on a domain: the same for every repetition."""
        agent = self.network(name)
        c = self.configuration
        outputs = c.pool.outputs
        return fingerprint("agents", FORMAT, c.seed, domain, self.domain(domain), agent, c.agent_training, outputs)

    def of_mixture_job(self, job: MixtureJob) -> str:
        """Fingerprint of a shard of mixtures."""
        return fingerprint("mixture job", [[a, b, self.mixture(a, b)] for a, b in job.pairs], job.chunks)

    def of_agent_job(self, job: AgentJob) -> str:
        """Fingerprint of a shard of agents."""
        repetitions = self.configuration.agents.repetitions
        return fingerprint("agent job", [[name, self.agent(job.domain, name)] for name in job.agents], repetitions)

    @once
    def network(self, name: str) -> Agent:
        """Return the configured agent of a name."""
        return next(agent for agent in self.configuration.agents.networks if agent.name == name)

    @once
    def baseline(self, domain: str) -> str:
        """Fingerprint of the baseline's trainings on a domain: the same for every repetition."""
        c = self.configuration
        return fingerprint(
            "baseline", FORMAT, c.seed, domain, self.domain(domain), self._baseline.network, self._baseline.training
        )

    @once
    def of_baseline(self, domain: str) -> str:
        """Fingerprint of a shard of the baseline."""
        return fingerprint("baseline job", self.baseline(domain), self._baseline.repetitions)

    @property
    def _baseline(self) -> Baseline:
        """The configured baseline."""
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

    @once
    def play(self, domain: str) -> str:
        """Fingerprint of the episodes that the trained baseline plays on a domain."""
        trained = self.of_baseline(self.trained_on(domain))
        seed = self.configuration.seed
        return fingerprint("play", FORMAT, seed, trained, domain, self.domain(domain), self._baseline.episodes)

    def outside(self, domain: str, name: str) -> str:
        """Fingerprint of what an agent from outside does on a domain: the same for every repetition."""
        agent = next(agent for agent in self.configuration.agents.outside if agent.name == name)
        return fingerprint("outside", FORMAT, self.configuration.seed, domain, self.domain(domain), agent)

    def of_outside(self, domain: str, name: str) -> str:
        """Fingerprint of a shard of an agent from outside."""
        return fingerprint("outside job", self.outside(domain, name), self.configuration.agents.repetitions)

    @once
    def complexity(self, name: str) -> str:
        """Fingerprint of a domain's complexity."""
        c = self.configuration
        return fingerprint("complexity", FORMAT, self.trials(name), c.pool.size, c.complexity)

    @once
    def entropy(self, name: str) -> str:
        """Fingerprint of a domain's entropy."""
        c = self.configuration
        if c.baseline is not None:
            return fingerprint("entropy", FORMAT, self.play(name), c.entropy)
        return fingerprint("entropy", FORMAT, self.domain(name), c.entropy)

    @once
    def dissimilarity(self) -> str:
        """Fingerprint of the matrix of dissimilarities."""
        d = self.configuration.dissimilarity
        pairs = [[a, b, self.mixture(a, b)] for a, b in self.pairs]
        return fingerprint("dissimilarity", FORMAT, pairs, d, list(self.configuration.domains))

    @once
    def space(self) -> str:
        """Fingerprint of the intelligence space."""
        c = self.configuration
        return fingerprint("space", FORMAT, [self.complexity(n) for n in c.domains], self.dissimilarity(), c.space)

    @once
    def scores(self) -> str:
        """Fingerprint of the agents' scores (a table made elsewhere is an input file of the rule)."""
        c = self.configuration
        agents = [[d, n, self.agent(d, n)] for d in c.domains for n in sorted(a.name for a in c.agents.networks)]
        outside = [[d, a.name, self.of_outside(d, a.name)] for d in c.domains for a in c.agents.outside]
        agents += sorted(outside)
        return fingerprint("scores", FORMAT, self.space(), agents, c.agents.repetitions, c.agents.table, c.quotient)

    def apti(self) -> str:
        """Fingerprint of the agents' performances relative to the baseline's."""
        return fingerprint("apti", FORMAT, self.scores(), [self.play(d) for d in self.configuration.domains])
