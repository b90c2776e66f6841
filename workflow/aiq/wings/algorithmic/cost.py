"""What the jobs of this measure cost, from a configuration: seconds and megabytes.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from aiq.plans.cost.sizing import MEGABYTES, START
from aiq.plans.cost.suite import Work
from aiq.wings.algorithmic.settings import Algorithmic, AlgorithmicAgent, MCAIXIAgent, OutsideAgent

PROGRAM = 1e-4  # of one accepted program
CYCLE = 3e-7  # of an agent that looks its actions up, and of the machine
SIMULATION = 1.7e-7  # of MC-AIXI, for every simulation, cycle of its horizon and bit of a factored context
FOREIGN_CYCLE = 5e-5  # of an agent in Python


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
