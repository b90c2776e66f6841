"""What the jobs of this measure cost, from a configuration: seconds and megabytes.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aiq.plans.cost.asked import MEGABYTES, START, Asked, of
from aiq.plans.cost.suite import Work
from aiq.settings import Settings
from aiq.wings.anytime.settings import Anytime, BfPrograms, Interactions, Seconds

INTERACTION = 4e-5  # of an anytime test
PROGRAM_INTERACTION = 4e-4  # of an anytime test among programs
REDUCED = (1000, 20)


def tests(configuration: Anytime, environments: Settings, count: int) -> Work:
    """Return what some anytime tests of one agent in one class cost."""
    test = configuration.test
    if isinstance(test, Seconds) and test.action is None:
        return Work(START + count * test.budget, MEGABYTES)
    steps = test.budget if isinstance(test, Interactions) else test.budget / (test.action or 1.0)
    each = PROGRAM_INTERACTION if isinstance(environments, BfPrograms) else INTERACTION
    return Work(START + count * steps * each, MEGABYTES + count * steps * 1e-4)


def asked(plan: Any) -> Iterator[Asked]:
    """Yield what administering tests and reducing them asks for."""
    c = plan.configuration
    for job in plan.jobs:
        count = job.last - job.first + 1
        yield of("administer_anytime", tests(c, c.classes[job.environments], count))
    for _ in plan.classes:
        yield "reduce_anytime", *REDUCED
