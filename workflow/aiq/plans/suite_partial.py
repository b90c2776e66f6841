"""The plan of a part of a suite: the domains of which everything is there, with the work as the whole suite cut it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property

from aiq.plans.layout import AloneJob, MixtureJob
from aiq.plans.stages import Fingerprint, joined
from aiq.plans.suite import SuitePlan
from aiq.plans.suite_ends import EndsPlan

PARTIAL = "partial"  # in the fingerprints of all that such a plan reduces, so that nothing takes it for complete


class PartialEnds(EndsPlan):
    """The domains alone of a part of a suite, under the interface of the whole."""

    def __init__(self, whole: SuitePlan, names: Iterable[str]) -> None:
        super().__init__(whole.configuration, whole.sizing, whole.domain)
        self._whole, self._names = whole.ends, frozenset(names)

    @cached_property
    def jobs(self) -> tuple[AloneJob, ...]:
        """Jobs of the domains that are there."""
        return tuple(job for job in self._whole.jobs if job.domain in self._names)


class PartialPlan(SuitePlan):
    """A suite of some of the domains of another, whose shards it reads.

    Args:
        whole: the plan of the whole suite.
        names: the domains of which everything is there.
        mixture_jobs: the jobs of the whole suite whose shards are complete.
    """

    def __init__(self, whole: SuitePlan, names: Sequence[str], mixture_jobs: Iterable[MixtureJob]) -> None:
        kept = {name: settings for name, settings in whole.configuration.domains.items() if name in names}
        c = whole.configuration
        settings = c.dissimilarity.model_copy(update={"control_repetitions": c.control_repetitions})
        super().__init__(c.model_copy(update={"domains": kept, "dissimilarity": settings}))
        self.whole, self._jobs = whole, tuple(mixture_jobs)
        self.ends = PartialEnds(whole, kept)

    @cache
    def domain(self, name: str) -> Fingerprint:
        """Fingerprint of a prepared domain, of the whole suite."""
        return self.whole.domain(name)

    @property
    def with_known_baselines(self) -> bool:
        """Known baselines wait for the whole suite."""
        return False

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of the whole suite of which both domains are there."""
        kept = self.configuration.domains
        return tuple((a, b) for a, b in self.whole.pairs if a in kept and b in kept)

    @cached_property
    def landmarks(self) -> tuple[str, ...] | None:
        """Landmarks of the whole suite that are there."""
        found = self.whole.landmarks
        return None if found is None else tuple(name for name in found if name in self.configuration.domains)

    @cached_property
    def mixture_jobs(self) -> tuple[MixtureJob, ...]:
        """Jobs of the whole suite that hold a pair of this part."""
        wanted = set(self.mixed)
        return tuple(job for job in self._jobs if not wanted.isdisjoint(job.pairs))

    @cache
    def complexity(self, name: str) -> Fingerprint:
        """Fingerprint of a domain's complexity in a part of a suite."""
        return joined(PARTIAL, super().complexity(name))

    @cache
    def dissimilarity(self) -> Fingerprint:
        """Fingerprint of the dissimilarities of a part of a suite."""
        return joined(PARTIAL, super().dissimilarity())

    @cache
    def space(self) -> Fingerprint:
        """Fingerprint of the space of a part of a suite."""
        return joined(PARTIAL, super().space())

    @cache
    def scores(self) -> Fingerprint:
        """Fingerprint of scores in the space of a part of a suite."""
        return joined(PARTIAL, super().scores())
