"""How the work of a suite is cut into jobs.

A job writes one shard; a shard holds units (a chunk of policies on a domain, a chunk of repetitions of a pair, an agent
on a domain).
"""

from __future__ import annotations

from functools import cache, cached_property

from aiq.config.agents import Baseline
from aiq.config.suite import Configuration
from aiq.plans.cost.sizing import Sizing
from aiq.plans.layout import AgentJob, MixtureJob, SuiteLayout, TrialJob
from aiq.plans.stages import blocks, digest, parted, twin
from aiq.plans.suite_ends import EndsPlan
from aiq.plans.units import UnitsPlan


def unit_name(a: str, b: str, chunk: int) -> str:
    """Return the name of a chunk of repetitions of a pair; '+' occurs in no domain's name."""
    return f"{a}+{b}+{chunk:06d}"


class SuiteJobs(UnitsPlan[Configuration]):
    """The jobs of a suite."""

    layout: SuiteLayout
    sizing: Sizing
    ends: EndsPlan

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
        pairs = [(a, twin(b, number)) for a, b in self.pairs]
        return (*pairs, *((b, twin(a, number)) for a, b in self.pairs if a != b))

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

    def mixture_job(self, group: str, block: str) -> MixtureJob:
        """Return the job of a shard's name."""
        job: MixtureJob = self.job("train_mixtures", {"group": group, "block": block})
        return job

    def agent_job(self, domain: str, block: str) -> AgentJob:
        """Return the job of a shard's name."""
        job: AgentJob = self.job("train_agents", {"domain": domain, "block": block})
        return job

    # ---- which jobs there are, and what they ask for -------------------------------------------------

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

    @property
    def the_baseline(self) -> Baseline:
        """The baseline's settings, where there is one."""
        if self.configuration.baseline is None:
            raise ValueError("the configuration has no baseline")
        return self.configuration.baseline

    def trained_on(self, domain: str) -> str:
        """Return the domain on which the baseline that plays a domain is trained."""
        return self.the_baseline.trained_on or domain

    @cached_property
    def baseline_domains(self) -> tuple[str, ...]:
        """Domains on which a baseline is trained; none without a baseline."""
        c = self.configuration
        return () if c.baseline is None else tuple(dict.fromkeys(map(self.trained_on, c.domains)))

    def page_request(self) -> tuple[int, int]:
        """Return what the page asks for, by the curves of all pairs that it reads."""
        return self.sizing.paged(len(self.pairs)).request
