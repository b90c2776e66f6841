"""How the work of a suite is cut into jobs, its interface, and the ends of mixtures that belong to domains.

A job writes one shard; a shard holds units (a chunk of policies on a domain, a chunk of repetitions of a pair, an agent
on a domain).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from aiq.config.agents import Baseline
from aiq.config.suite import Configuration
from aiq.plans.base import Fingerprint, Stage, joined
from aiq.plans.layout import AgentJob, AloneJob, MixtureJob, SuiteLayout, TrialJob, blocks, digest, parted, twin
from aiq.plans.sizing import Sizing
from aiq.plans.units import UnitsPlan

INTERFACE = Stage("interface", 1)
ALONE = Stage("alone", 1)
GPU_ORDERS = 2
"""Version of the numbers of GPUs. 1: orders of samples made by NumPy; 2: made on the device, no TF32."""


def device_words(configuration: Any) -> list[str | int]:
    """Return what the fingerprint of a training holds about how it computes: nothing on a CPU.

    A GPU sums in another order, so what was trained on one class of device is never mixed with what was trained on
    another; which of several GPUs it was does not matter. ``GPU_ORDERS`` is raised where only its numbers change.
    """
    kind = configuration.device.partition(":")[0]
    return [] if kind == "cpu" else ["device", kind, GPU_ORDERS]


class EndsPlan:
    """What ``dissimilarity.ends: domain`` and ``pool.interface: suite`` add to a plan; without both it is nothing.

    A shard hangs on the interface as the configuration tells it: on every domain of the suite. A unit hangs on the
    interface that was found. So a domain that joins makes every job look at its units
    again, and none is trained anew where the interface has stayed the same.
    """

    def __init__(self, configuration: Configuration, sizing: Sizing, domain: Callable[[str], Fingerprint]) -> None:
        self.configuration, self._sizing, self._domain = configuration, sizing, domain

    @property
    def shared(self) -> bool:
        """Whether ends belong to domains."""
        return self.configuration.dissimilarity.ends == "domain"

    @property
    def measured(self) -> bool:
        """Whether an interface is needed, which is found from all domains of the suite."""
        return self.shared or self.pooled

    @property
    def pooled(self) -> bool:
        """Whether the pool of every domain is trained under the suite's interface."""
        return self.configuration.pool.interface == "suite"

    @property
    def pool_cut(self) -> str:
        """The end of the names of shards of trials: those of another interface have other names; else empty."""
        return f"-{self.common[:8]}" if self.pooled else ""

    @cached_property
    def common(self) -> Fingerprint:
        """Fingerprint of the interface: of all that it is found from."""
        c, settings = self.configuration, self.configuration.dissimilarity
        laid = ["places", c.seed] if settings.places else []
        domains = sorted(self._domain(name) for name in c.domains)
        shared = settings.labels == "shared"
        return INTERFACE.fingerprint(domains, c.pool.outputs, shared, settings.interface, settings.samples, *laid)

    @property
    def cut(self) -> list[str]:
        """Words that enter the names of shards: those of another interface have other names."""
        return [self.common] if self.shared else []

    @property
    def parts(self) -> tuple[str, ...]:
        """What is trained of each domain alone."""
        if not self.shared:
            return ()
        return ("controls", "ends") if self.configuration.controls else ("ends",)

    @property
    def areas(self) -> tuple[str, ...]:
        """What the signed areas are told to be made of (see ``measures.dissimilarity.starvation``)."""
        if not self.shared:
            return ()
        if self.configuration.control or self.configuration.numeric:
            return ("starvation", "interference") if self.configuration.controls else ()
        return ("starvation", "confusion", "transfer") if self.configuration.controls else ("confusion",)

    def chunks(self, part: str) -> int:
        """Chunks of a domain's ``ends`` or ``controls``."""
        c = self.configuration
        return c.control_chunks if part == "controls" else c.dissimilarity.end_chunks

    def together(self, part: str) -> int:
        """Repetitions in a chunk of ``ends`` or ``controls``."""
        c = self.configuration
        return c.controls_together if part == "controls" else c.dissimilarity.ends_together

    def places(self, part: str, chunk: int) -> list[tuple[float, int]]:
        """Share of the samples and repetition of every training of a chunk of ``ends`` or ``controls``."""
        shares = self.configuration.dissimilarity.shares if part == "controls" else (1.0,)
        each = self.together(part)
        return [(share, r) for share in shares for r in range(chunk * each, (chunk + 1) * each)]

    @cached_property
    def jobs(self) -> tuple[AloneJob, ...]:
        """Jobs that train domains alone: their controls, then their ends."""
        units = [(part, k) for part in self.parts for k in range(self.chunks(part))]
        jobs = []
        for domain in self.configuration.domains if units else ():
            for first, last in blocks(len(units), self._sizing.alone_per_job(domain)):
                block = tuple(units[first : last + 1])
                name = digest([*(self._word(part, k) for part, k in block), *self.cut])
                jobs.append(AloneJob(domain, f"alone-{name}", block))
        return tuple(jobs)

    def _word(self, part: str, chunk: int) -> str:
        """What names a chunk in the name of its shard: chunks of fewer controls leave the shards of whole ones."""
        usual = part == "ends" or self.together(part) == self.configuration.dissimilarity.repetitions_per_chunk
        return f"{part}/{chunk}" if usual else f"{part}/{chunk}/{self.together(part)}"

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], AloneJob]:
        return {(job.domain, job.block): job for job in self.jobs}

    def job(self, domain: str, block: str) -> AloneJob:
        """Return the job of a shard's name."""
        return self._by_name[domain, block]

    @cache
    def part(self, domain: str, part: str) -> Fingerprint:
        """Fingerprint of a domain's ends or controls, as far as the configuration tells."""
        return self.unit(domain, part, self.common)

    def unit(self, domain: str, part: str, common: Any, together: int | None = None) -> Fingerprint:
        """Fingerprint of a chunk of a domain's ends or controls under an interface: the same for every chunk.

        ``together`` are the repetitions that train together; None: as many as in this suite.
        """
        c, settings = self.configuration, self.configuration.dissimilarity
        composition: list[Any] = [self.together(part) if together is None else together]
        if part == "controls":
            composition.append(list(settings.shares))
            if not c.control:
                composition.append("steps")
        how = settings.model_dump(mode="json", include={"network", "training"})
        made = [c.seed, domain, self._domain(domain), part, composition, how, c.pool.outputs, common]
        return ALONE.fingerprint(*made, *device_words(c))

    def of_job(self, job: AloneJob) -> Fingerprint:
        """Fingerprint of a shard of a domain alone."""
        units = [[part, k, self.part(job.domain, part)] for part, k in job.units]
        return joined("alone job", job.domain, units)


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

        The first of a pair is the one whose name sorts first, so that the order of domains in the configuration does
        not matter; with ``both_orders`` the reverse is measured too, with landmarks only pairs with one of them.
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
        """Names of the landmarks, a count of them spread evenly over the suite; None where every pair is measured."""
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
    def _with_twins(self) -> list[tuple[tuple[str, str], ...]]:
        """With each twin, the pairs of a domain with that of the other one of each pair, both ways, and of its own."""
        c, by_twin = self.configuration, []
        for number in range(1, c.dissimilarity.twins + 1):
            pairs = [(a, twin(b, number)) for a, b in self.pairs]
            pairs += [(b, twin(a, number)) for a, b in self.pairs if a != b]
            own = [(a, twin(a, number)) for a in sorted(c.domains)]
            by_twin.append(tuple(own if c.dissimilarity.twins_of == "tests" else pairs))
        return by_twin

    @cached_property
    def mixed(self) -> tuple[tuple[str, str], ...]:
        """All pairs that networks are trained on: those of domains, then those with every twin."""
        return (*self.pairs, *(pair for twins in self._with_twins for pair in twins))

    @cached_property
    def mixture_jobs(self) -> tuple[MixtureJob, ...]:
        """Jobs that train on mixtures, those with each twin apart, so that further twins leave them as they are."""
        return tuple(job for pairs in (self.pairs, *self._with_twins) for job in self._mixture_jobs(pairs))

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
        assert self.configuration.baseline is not None
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
