"""What the jobs of this measure cost, from a configuration: seconds and megabytes.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from aiq.domains.sizes import Sizes
from aiq.plans.cost.asked import MEGABYTES, START, Asked, of
from aiq.plans.cost.sizes import sizes
from aiq.plans.cost.suite import Work
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, Similarities
from aiq.wings.similarity2020.trained import Merged

BLOCK_OPERATION = 4e-11  # of a network of blocks, for every multiplication of a sample in one pass
ACTED = 1.5e-3  # of a step of a Q-network and its world, its share of the evaluations included
PREPARED = (3000, 20)
REDUCED = (2000, 10)


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


def asked(plan: Any, known: Mapping[str, Sizes] | None) -> Iterator[Asked]:
    """Yield what preparing tests, training on them and reducing asks for."""
    for job in plan.jobs:
        yield of("train_merged", merged(plan.configuration, job.units, known))
    for _ in plan.configuration.domains:
        yield "prepare_test", *PREPARED
    yield "reduce_similarity", *REDUCED
