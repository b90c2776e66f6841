"""How many units a job holds: the configured counts, or as many as fill the target duration."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.config.calibration import read_calibration
from aiq.config.suite import Configuration
from aiq.plans.cost.suite import Costs, Work, together

ARRAYS = 20  # times a domain's stored data that varying it and measuring its entropy hold in float32
TRIAL_SECONDS = 0.002  # to read a stored trial
RESAMPLE_SECONDS = 1e-7  # of a trial in a bootstrap
TRIAL_BYTES = 8000  # of a trial with its losses in memory
FIGURE_SECONDS = 3.0  # to draw one figure in all its formats
REDUCER = 150  # megabytes of a process that reduces or draws, besides what it reads; it loads no training library
PAIR_DRAWS = 11  # times that the draws of all pairs are held while they are reduced, stored and hashed
PAIR_BYTES = 12_000  # of a pair without its draws in memory, with its curves
SPACE_ARRAYS = 9  # arrays (draws, domains, domains) that are held while the space's replicates are placed
PIXELS = 400  # megabytes of the largest figure while it is drawn and written in all formats


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

    def alone_per_job(self, domain: str) -> int:
        """Chunks of a domain alone that one job trains, by the more expensive of an end and a control."""
        if self.configuration.jobs.alone_per_job is not None:
            return self.configuration.jobs.alone_per_job
        works = [self.costs.alone(domain, part) for part in ("ends", "controls")]
        return self.costs.fitting(max(works, key=lambda work: work.seconds))

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
        """What all repetitions of some pairs cost; a job reads each of its domains once and holds them all."""
        work = together([self.costs.pair(a, b) for a, b in pairs], self.configuration.dissimilarity.chunks)
        held = (self.costs.sizes[name] for name in {name for pair in pairs for name in pair})
        return Work(work.seconds, work.megabytes + sum(known.megabytes + known.world for known in held))

    def alone(self, domain: str, units: Sequence[tuple[str, int]]) -> Work:
        """What some chunks of a domain's ends and controls cost."""
        return together([self.costs.alone(domain, part) for part, _ in units])

    def agents(self, domain: str, names: Sequence[str]) -> Work:
        """What all repetitions of some agents cost on a domain."""
        works = [self.costs.agent(domain, name) for name in names]
        return together(works, self.configuration.agents.repetitions)

    def baseline(self, domain: str) -> Work:
        """What training all repetitions of the baseline costs on a control domain."""
        return self._baselines(self.costs.baseline(domain))

    def baseline_play(self, domain: str) -> Work:
        """What the episodes of all repetitions of the baseline cost on a control domain."""
        return self._baselines(self.costs.baseline_play(domain))

    def _baselines(self, one: Work) -> Work:
        """What all repetitions of the baseline cost where one costs so much; nothing where there is none."""
        settings = self.configuration.baseline
        return together([one], 0 if settings is None else settings.repetitions)

    # ---- work that is not cut ------------------------------------------------------------------

    def prepared(self, domain: str) -> Work:
        """What reading, varying and storing a domain costs, and measuring its entropy."""
        found = self.costs.sizes[domain]
        return Work(60 + 0.5 * found.megabytes, self.costs.calibration.megabytes + ARRAYS * found.megabytes)

    def reduced(self, domains: int = 1) -> Work:
        """What reading and reducing the trials on some domains costs."""
        c = self.configuration
        trials, resamples = c.pool.size * domains, c.complexity.resamples
        seconds = 30 + trials * (TRIAL_SECONDS + resamples * RESAMPLE_SECONDS)
        return Work(seconds, self.costs.calibration.megabytes / 2 + c.pool.size * TRIAL_BYTES / 1e6)

    def compared(self, pairs: int) -> Work:
        """What reading and reducing the mixtures of some pairs costs."""
        settings = self.configuration.dissimilarity
        results = pairs * settings.repetitions * len(settings.trained_points)
        each = settings.ends_trained + len(settings.shares) * settings.repetitions * self.configuration.controls
        results += each * len(self.configuration.domains)
        seconds = 30 + pairs * settings.resamples * RESAMPLE_SECONDS * 100 + results * TRIAL_SECONDS / 10
        return Work(seconds, self.costs.calibration.megabytes / 2 + results * TRIAL_BYTES / 10e6)

    def met(self) -> Work:
        """What reading every prepared domain for the interface of the suite costs: one after the other."""
        found = [known.megabytes for known in self.costs.sizes.values()]
        return Work(30 + 0.05 * sum(found), self.costs.calibration.megabytes + 2 * max(found))

    def drawn(self, figures: int) -> Work:
        """What drawing some figures costs."""
        return Work(30 + FIGURE_SECONDS * figures, self.costs.calibration.megabytes)
