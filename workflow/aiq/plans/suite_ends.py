"""The interface of a suite, and the ends of mixtures that belong to domains: the jobs that train a domain alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, Protocol

from aiq.config.suite import Configuration
from aiq.plans.cost.sizing import Sizing
from aiq.plans.layout import AloneJob
from aiq.plans.stages import Fingerprint, Stage, blocks, digest, joined

INTERFACE = Stage("interface", 1)
ALONE = Stage("alone", 1)


GPU_ORDERS = 2
"""Version of the numbers of GPUs. 1: orders of samples made by NumPy; 2: made on the device, no TF32."""


class Placed(Protocol):
    """A configuration that says where networks are trained."""

    @property
    def device(self) -> str:
        """Such as cpu or cuda:0."""


def device_words(configuration: Placed) -> list[str | int]:
    """Return what the fingerprint of a training holds about how it computes: nothing on a CPU.

    Sums are taken in another order on a GPU, so that numbers differ in their last digits: what was trained on one
    class of device is never mixed with what was trained on another. Which of several GPUs it was does not matter. On a
    GPU the orders of samples are its own, too; ``GPU_ORDERS`` is raised whenever its numbers change and those of a
    CPU do not.
    """
    kind = configuration.device.partition(":")[0]
    return [] if kind == "cpu" else ["device", kind, GPU_ORDERS]


class EndsPlan:
    """What ``dissimilarity.ends: domain`` and ``pool.interface: suite`` add to a plan; without both it is nothing.

    A shard hangs on the interface as the configuration tells it: on every domain of the suite, unless the interface
    is stated. A unit hangs on the interface that was found. So a domain that joins makes every job look at its units
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
        """Whether an interface is needed and found from all domains of the suite, not stated."""
        settings = self.configuration.dissimilarity
        return (self.shared or self.pooled) and (settings.interface is None or settings.samples is None)

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
        """Fingerprint of the interface: of all that it is found from, or of what is stated."""
        c, settings = self.configuration, self.configuration.dissimilarity
        room = settings.interface
        stated = None if room is None else room.model_dump(mode="json")
        laid = ["places", c.seed] if settings.places else []
        if not self.measured:
            return joined("interface", stated, settings.samples, *laid)
        domains = sorted(self._domain(name) for name in c.domains)
        return INTERFACE.fingerprint(
            domains, c.pool.outputs, settings.labels == "shared", stated, settings.samples, *laid
        )

    @property
    def cut(self) -> list[str]:
        """Words that enter the names of shards: those of another interface have other names."""
        return [self.common] if self.shared and self.measured else []

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
