"""How many units a job holds: the configured counts, or as many as fill the target duration."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.config.calibration import read_calibration
from aiq.config.cost import Costs, Work, together
from aiq.config.suite import Configuration


class Sizing:
    """Sizes of the jobs of a suite and what they cost.

    A count depends on what its own units cost and on nothing else: neither on how many units there are, nor on
    other domains. So a grown suite keeps the jobs that it had.

    Raises:
        ConfigurationError: the calibration that the configuration names cannot be read.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.costs = Costs(configuration, read_calibration(configuration.jobs.calibration))

    def chunks_per_job(self, domain: str) -> int:
        """Chunks of the pool that one job trains on a domain."""
        return self.configuration.jobs.chunks_per_job or self.costs.fitting(self.costs.chunk(domain))

    def mixtures_per_job(self, group: str) -> int:
        """Pairs of a group that one job trains, by what the group's domain costs with itself."""
        return self.configuration.jobs.mixtures_per_job or self.costs.fitting(self.mixtures([(group, group)]))

    def agents_per_job(self, domain: str) -> int:
        """Agents that one job trains on a domain, by the most expensive of them."""
        c = self.configuration
        if c.jobs.agents_per_job is not None:
            return c.jobs.agents_per_job
        works = [self.agents(domain, [agent.name]) for agent in c.agents.networks]
        return self.costs.fitting(max(works, key=lambda work: work.seconds)) if works else 1

    def chunks(self, domain: str, chunks: range) -> Work:
        """What some chunks of the pool cost on a domain."""
        return together([self.costs.chunk(domain)], len(chunks))

    def mixtures(self, pairs: Sequence[tuple[str, str]]) -> Work:
        """What all repetitions of some pairs cost."""
        return together([self.costs.pair(a, b) for a, b in pairs], self.configuration.dissimilarity.chunks)

    def agents(self, domain: str, names: Sequence[str]) -> Work:
        """What all repetitions of some agents cost on a domain."""
        works = [self.costs.agent(domain, name) for name in names]
        return together(works, self.configuration.agents.repetitions)
