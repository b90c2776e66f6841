"""How many units a job holds: the configured counts, or as many as fill the target duration."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from aiq.config.base import read_calibration
from aiq.config.suite import Configuration
from aiq.plans.cost import EPISODE, PLAYING, Costs, Work
from aiq.plans.layout import parted

OVERHEAD = 0.05  # largest share of a job that its start may take
APTI = (1000, 20)  # what the job that scores by APTI asks for


ARRAYS = 20  # times a domain's stored data that varying it and measuring its entropy hold in float32
TRIAL_SECONDS = 0.002  # to read a stored trial
RESAMPLE_SECONDS = 1e-7  # of a trial in a bootstrap
TRIAL_BYTES = 8000  # of a trial with its losses in memory
FIGURE_SECONDS = 3.0  # to draw one figure in all its formats
# What reduces, draws and tabulates, as measured on 20 to 200 domains (benchmarks/results/scale.md):
REDUCER = 150  # megabytes of a process that reduces, besides what it reads; it loads no training library
DRAWER = 150  # more of them where figures are drawn or put on the page
PAIR_DRAWS = 11  # times that the draws of all pairs are held while they are reduced, stored and hashed
PAIR_BYTES = 12_000  # of a pair without its draws in memory, with its curves
PAIR_SECONDS = 0.001  # to read it
RESULT_BYTES = 100  # of a training on a mixture while all are read
SPACE_ARRAYS = 6  # arrays (draws, domains, domains) that are held while the space's replicates are placed
TURN_SECONDS = 4e-9  # to place one replicate of n domains, over n³
REFINED = 20  # times as long where every replicate is refined
SCORE_ARRAYS = 4  # arrays (draws, domains, agents) that are held while agents are scored
HULL_MEGABYTES, HULL_SECONDS = 500, 360  # of the hulls, within their budget
ROW_SECONDS, ROW_BYTES = 0.005, 4_000  # of a pair of domains in the tables
# Of the known baselines, seconds per squared number of samples: of a measure and of a pair, by inputs, and of a plan
KNOWN_DOMAIN, KNOWN_PAIR, KNOWN_PLAN = 1e-9, 1e-10, 1.5e-7
KNOWN_LIBRARIES = 500  # megabytes of them
LINES = 200  # rows of tables per domain that the page reads
LINE_SECONDS, LINE_BYTES = 2e-4, 1_500  # of a row that the page reads


def together(works: Sequence[Work], count: int = 1) -> Work:
    """Return the cost of one job that does each of some works ``count`` times, one after another."""
    seconds = sum(work.seconds for work in works) * count
    return Work(seconds, max((work.megabytes for work in works), default=0.0))


class Sizing:
    """Sizes of the jobs of a suite and what they cost.

    A count depends on what its own units cost and on nothing else: neither on how many units there are, nor on
    other domains. So a grown suite keeps the jobs that it had.
    """

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.costs = Costs(configuration, read_calibration(configuration.jobs.calibration))

    def _fitting(self, *units: Work) -> int:
        """Return how many of the longest of some units fill a job of the target duration: a power of two.

        So it keeps. A job lasts at least so long that its start takes no more than 5 % of it.
        """
        wanted = max(self.configuration.jobs.target_minutes * 60, self.costs.calibration.start / OVERHEAD)
        return int(2 ** round(log2(max(1.0, wanted / max(unit.seconds for unit in units)))))

    def chunks_per_job(self, domain: str) -> int:
        """Chunks of the pool that one job trains on a domain."""
        return self.configuration.jobs.chunks_per_job or self._fitting(self.costs.chunk(domain))

    def mixtures_per_job(self, group: str) -> int:
        """Pairs of a group that one job trains, by what the group's domain costs with itself."""
        return self.configuration.jobs.mixtures_per_job or self._fitting(self.mixtures([(group, group)]))

    def alone_per_job(self, domain: str) -> int:
        """Chunks of a domain alone that one job trains, by the more expensive of an end and a control."""
        works = (self.costs.alone(domain, part) for part in ("ends", "controls"))
        return self.configuration.jobs.alone_per_job or self._fitting(*works)

    def agents_per_job(self, domain: str) -> int:
        """Agents that one job trains on a domain, by the most expensive of them."""
        c = self.configuration
        works = [self.agents(domain, [agent.name]) for agent in c.agents.networks]
        return c.jobs.agents_per_job or (self._fitting(*works) if works else 1)

    def chunks(self, domain: str, chunks: range) -> Work:
        """What some chunks of the pool cost on a domain."""
        return together([self.costs.chunk(domain)], len(chunks))

    def mixtures(self, pairs: Sequence[tuple[str, str]]) -> Work:
        """What all repetitions of some pairs cost; a job reads each of its domains once and holds them all."""
        work = together([self.costs.pair(a, b) for a, b in pairs], self.configuration.dissimilarity.chunks)
        held = (self.costs.sizes[name] for name in {parted(name)[0] for pair in pairs for name in pair})
        return Work(work.seconds, work.megabytes + sum(size.megabytes + size.world for size in held))

    def alone(self, domain: str, units: Sequence[tuple[str, int]]) -> Work:
        """What some chunks of a domain's ends and controls cost."""
        return together([self.costs.alone(domain, part) for part, _ in units])

    def agents(self, domain: str, names: Sequence[str]) -> Work:
        """What all repetitions of some agents cost on a domain."""
        works = [self.costs.agent(domain, name) for name in names]
        return together(works, self.configuration.agents.repetitions)

    def baseline(self, domain: str) -> Work:
        """What training all repetitions of the baseline costs on a control domain."""
        return together([self.costs.baseline(domain)], self._baselines)

    def baseline_play(self, domain: str) -> Work:
        """What the episodes of all repetitions of the baseline cost on a control domain."""
        return together([self.costs.baseline_play(domain)], self._baselines)

    @property
    def _baselines(self) -> int:
        settings = self.configuration.baseline
        return 0 if settings is None else settings.repetitions

    # ---- work that is not cut ------------------------------------------------------------------

    def prepared(self, domain: str) -> Work:
        """What reading, varying and storing a domain costs, and measuring its entropy."""
        size = self.costs.sizes[domain]
        return Work(60 + 0.5 * size.megabytes, self.costs.calibration.megabytes + ARRAYS * size.megabytes)

    def reduced(self) -> Work:
        """What reading and reducing the trials on a domain costs."""
        c = self.configuration
        trials, resamples = c.pool.size, c.complexity.resamples
        seconds = 30 + trials * (TRIAL_SECONDS + resamples * RESAMPLE_SECONDS)
        return Work(seconds, REDUCER + c.pool.size * TRIAL_BYTES / 1e6)

    def compared(self, pairs: int) -> Work:
        """What reading and reducing the mixtures of some pairs costs."""
        settings = self.configuration.dissimilarity
        results = pairs * settings.repetitions * len(settings.trained_points)
        c = self.configuration
        each = settings.ends_trained + len(settings.shares) * c.control_repetitions * c.controls
        results += each * len(self.configuration.domains)
        seconds = 30 + pairs * settings.resamples * RESAMPLE_SECONDS * 100 + results * TRIAL_SECONDS / 10
        held = pairs * (PAIR_BYTES + PAIR_DRAWS * 8 * settings.resamples) + results * RESULT_BYTES
        return Work(seconds, REDUCER + held / 1e6)

    def placed(self, pairs: int) -> Work:
        """What placing the domains costs, by all draws of their dissimilarities."""
        c, n = self.configuration, len(self.configuration.domains)
        draws = c.dissimilarity.resamples * n**2
        seconds = 60 + pairs * PAIR_SECONDS + draws * n * TURN_SECONDS * (REFINED if c.space.refine else 1)
        return Work(seconds, REDUCER + (pairs * PAIR_BYTES + SPACE_ARRAYS * 8 * draws) / 1e6)

    def scored(self) -> Work:
        """What scoring the agents costs; hulls are bounded by a budget, not by the suite."""
        c = self.configuration
        agents = len(c.agents.networks) + len(c.agents.outside) + 10 * (c.agents.table is not None)
        held = SCORE_ARRAYS * 8 * c.dissimilarity.resamples * len(c.domains) * (agents + 1)
        trainings = agents * len(c.domains) * c.agents.repetitions
        return Work(HULL_SECONDS + trainings * TRIAL_SECONDS * 10, REDUCER + HULL_MEGABYTES + held / 1e6)

    def tabulated(self, pairs: int) -> Work:
        """What writing the tables costs: of domains, of pairs, and of the differences of all domains."""
        n = len(self.configuration.domains)
        trials = n * self.configuration.pool.size * TRIAL_BYTES
        seconds = 30 + (pairs + n * (n - 1) / 2) * ROW_SECONDS
        return Work(seconds, REDUCER + (trials + (pairs + n**2 / 2) * (PAIR_BYTES + ROW_BYTES)) / 1e6)

    def paged(self, pairs: int) -> Work:
        """What putting the page together costs: it reads the curves of all pairs."""
        rows = pairs * len(self.configuration.dissimilarity.points) + len(self.configuration.domains) * LINES
        return Work(30 + rows * LINE_SECONDS, REDUCER + DRAWER + rows * LINE_BYTES / 1e6)

    def known_baselines(self, pairs: int) -> Work:
        """What the known baselines cost: of every domain, and of its pairs; on control domains random play."""
        c, k = self.configuration, self.costs.calibration
        settings, sizes = c.known_baselines, list(self.costs.sizes.values())
        if c.control:
            played = len(sizes) * settings.episodes * EPISODE * k.control_step
            return Work(5 + played, k.megabytes + PLAYING * max(size.world for size in sizes))
        rows = [min(settings.samples, size.train) for size in sizes]
        squares = sum(n**2 * size.inputs for n, size in zip(rows, sizes, strict=True))
        compared = min(pairs, settings.pairs + len(sizes))
        each = max(rows) ** 2 * (KNOWN_PLAN + KNOWN_PAIR * max(size.inputs for size in sizes))
        seconds = 5 + KNOWN_DOMAIN * len(settings.measures) * squares + compared * each
        held = sum(2 * n for n in rows) * max(size.inputs for size in sizes) * 3 * 8 / 1e6
        return Work(
            seconds,
            REDUCER + KNOWN_LIBRARIES + held + 40 * max(rows) ** 2 / 1e6 + max(size.megabytes for size in sizes) * 2,
        )

    def met(self) -> Work:
        """What reading every prepared domain for the interface of the suite costs: one after the other."""
        megabytes = [size.megabytes for size in self.costs.sizes.values()]
        return Work(30 + 0.05 * sum(megabytes), self.costs.calibration.megabytes + 2 * max(megabytes))

    def drawn(self, figures: int, pairs: int = 0) -> Work:
        """What drawing some figures costs, and some of all pairs."""
        domains = len(self.configuration.domains) * self.configuration.pool.size * TRIAL_BYTES
        seconds = 30 + FIGURE_SECONDS * figures + pairs * 2 * PAIR_SECONDS
        return Work(seconds, REDUCER + DRAWER + (domains + pairs * (PAIR_BYTES + ROW_BYTES)) / 1e6)

    def drawing(self) -> Work:
        """What drawing the space costs, with the draws of every place in it, of ten dimensions at most in the model."""
        c = self.configuration
        held = 8 * c.dissimilarity.resamples * len(c.domains) * 10
        return Work(60, REDUCER + DRAWER + SCORE_ARRAYS * held / 1e6)
