"""What the jobs of the other measures cost, from their configurations: seconds and megabytes.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from aiq.config.algorithmic import Algorithmic, AlgorithmicAgent, MCAIXIAgent, OutsideAgent
from aiq.config.anytime import Anytime, BfPrograms, Interactions, Seconds
from aiq.config.collectives import Collectives
from aiq.config.similarity import BlockNetwork, DeepQAgent, DeepQPool, Similarities
from aiq.domains.sizes import Sizes
from aiq.plans.cost.sizes import sizes
from aiq.plans.cost.suite import Work
from aiq.plans.similarity import Merged
from aiq.settings import Settings

START = 30.0  # of a job whose numba functions have to be compiled
MEGABYTES = 500.0
PROGRAM = 1e-4  # of one accepted program
CYCLE = 3e-7  # of an agent that looks its actions up, and of the machine
SIMULATION = 1.7e-7  # of MC-AIXI, for every simulation, cycle of its horizon and bit of a factored context
FOREIGN_CYCLE = 5e-5  # of an agent in Python
INTERACTION = 4e-5  # of an anytime test
PROGRAM_INTERACTION = 4e-4  # of an anytime test among programs
BLOCK_OPERATION = 4e-11  # of a network of blocks, for every multiplication of a sample in one pass
ACTED = 1.5e-3  # of a step of a Q-network and its world, its share of the evaluations included
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


def multiplications(agent: BlockNetwork, halvings: int, shape: Sequence[int]) -> float:
    """Return the multiplications of one sample in one pass through a network of blocks."""
    channels, height, width = shape if len(shape) == 3 else (1, 32, 32)
    total = 0.0
    for filters in agent.halved(halvings):
        total += 9 * filters * (channels + filters) * height * width
        channels, height, width = filters, max(1, height // 2), max(1, width // 2)
    return total + channels * height * width * agent.dense_nodes


def merged(
    configuration: Similarities, units: Mapping[str, tuple[Merged, int]], known: Mapping[str, Sizes] | None = None
) -> Work:
    """Return what some chunks of repetitions of trainings on merged tests cost.

    Args:
        configuration: the settings of the run.
        units: what is trained.
        known: sizes of tests; None takes what their settings tell.
    """
    agent, size = configuration.agent, configuration.jobs.repetitions_per_chunk
    told = known or {}
    names = {name for m, _ in units.values() for name in (m.a, m.b)}
    held = {name: told.get(name) or sizes(configuration.domains[name]) for name in names}
    most = max((one.train for one in held.values()), default=0)
    megabytes = MEGABYTES + 8e-6 * max((one.train * prod(one.shape) for one in held.values()), default=0)
    if isinstance(agent, DeepQAgent):
        return Work(START + len(units) * size * agent.training.steps * ACTED, megabytes)
    if isinstance(agent, DeepQPool):
        return Work(START + len(units) * size * agent.pool.size * agent.training.steps * ACTED, megabytes)
    if not isinstance(agent, BlockNetwork):
        return Work(START + len(units) * 1e-3 * size + 10.0, megabytes)
    samples, seconds = configuration.samples or most, 0.0
    for m, _ in units.values():
        wide = 2.0 if m.kind == "stitched" else 1.0
        shape = held[m.a].shape
        seconds += (
            wide * multiplications(agent, m.halvings, shape) * BLOCK_OPERATION * 3 * agent.epochs * samples * size
        )
    return Work(START + seconds, megabytes)
