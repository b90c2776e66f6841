"""What the jobs of this measure cost, from a configuration: seconds and megabytes.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aiq.plans.cost.asked import MEGABYTES, START, Asked, of
from aiq.plans.cost.suite import Work
from aiq.wings.collectives.settings import Collectives

EPISODE = 2e-8  # of a group, for every agent, iteration and pass of training
REDUCED = (2000, 10)


def episodes(configuration: Collectives, kinds: int, count: int) -> Work:
    """Return what some episodes of some kinds of groups cost."""
    test = configuration.test
    passes = 100 if test.learning.passes is None else test.learning.passes
    seconds = kinds * count * EPISODE * test.agents * test.iterations * (1 + passes)
    return Work(START + seconds, MEGABYTES + count * test.iterations * 1e-4)


def asked(plan: Any) -> Iterator[Asked]:
    """Yield what running episodes and reducing them asks for."""
    c = plan.configuration
    for job in plan.jobs:
        count = (job.last - job.first + 1) * c.jobs.episodes_per_block
        yield of("run_episodes", episodes(c, len(job.kinds), count))
    yield "reduce_episodes", *REDUCED
