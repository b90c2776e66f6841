"""What the jobs of the other measures cost, from their configurations: seconds and megabytes.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from aiq.config.algorithmic import Algorithmic, AlgorithmicAgent, MCAIXIAgent, OutsideAgent
from aiq.config.anytime import Anytime, BfPrograms, Interactions, Seconds
from aiq.config.collectives import Collectives
from aiq.plans.cost.suite import Work
from aiq.settings import Settings

START = 30.0  # of a job whose numba functions have to be compiled
MEGABYTES = 500.0
PROGRAM = 1e-4  # of one accepted program
CYCLE = 3e-7  # of an agent that looks its actions up, and of the machine
SIMULATION = 1.7e-7  # of MC-AIXI, for every simulation, cycle of its horizon and bit of a factored context
FOREIGN_CYCLE = 5e-5  # of an agent in Python
INTERACTION = 4e-5  # of an anytime test
PROGRAM_INTERACTION = 4e-4  # of an anytime test among programs
EPISODE = 2e-8  # of a group, for every agent, iteration and pass of training


def programs(configuration: Algorithmic, blocks: int, block: int) -> Work:
    """Return what sampling some blocks of programs costs."""
    return Work(START + PROGRAM * blocks * block, MEGABYTES + configuration.programs.count * 1e-3)


def cycle(entry: AlgorithmicAgent) -> float:
    """Return the seconds of one cycle of an agent in its environment."""
    if isinstance(entry, MCAIXIAgent):
        return CYCLE + SIMULATION * entry.simulations * entry.horizon * (entry.depth + 8) * 0.6
    return FOREIGN_CYCLE if isinstance(entry, OutsideAgent) else CYCLE


def pairs(configuration: Algorithmic, entry: AlgorithmicAgent, length: int, jobs: int = 1) -> Work:
    """Return what one job's share of all runs of an agent at a length costs; runs are two a pair."""
    runs = (entry.runs or configuration.runs) / jobs
    sample = configuration.programs.count * 2e-3 + runs * length * 8e-6
    return Work(START + runs * length * cycle(entry), MEGABYTES + sample)


def tests(configuration: Anytime, environments: Settings, count: int) -> Work:
    """Return what some anytime tests of one agent in one class cost."""
    test = configuration.test
    if isinstance(test, Seconds) and test.action is None:
        return Work(START + count * test.budget, MEGABYTES)
    steps = test.budget if isinstance(test, Interactions) else test.budget / (test.action or 1.0)
    each = PROGRAM_INTERACTION if isinstance(environments, BfPrograms) else INTERACTION
    return Work(START + count * steps * each, MEGABYTES + count * steps * 1e-4)


def episodes(configuration: Collectives, kinds: int, count: int) -> Work:
    """Return what some episodes of some kinds of groups cost."""
    test = configuration.test
    passes = 100 if test.learning.passes is None else test.learning.passes
    seconds = kinds * count * EPISODE * test.agents * test.iterations * (1 + passes)
    return Work(START + seconds, MEGABYTES + count * test.iterations * 1e-4)
