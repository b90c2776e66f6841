"""What is trained for a similarity, how trainings are put together in jobs, and what these cost.

The constants are processor seconds of one x86-64 core; compiling numba's functions is part of a job's start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from aiq.domains.sizes import Sizes
from aiq.plans.cost.sizes import sizes
from aiq.plans.cost.sizing import MEGABYTES, START
from aiq.plans.cost.suite import Work
from aiq.wings.similarity2020.records import Kind
from aiq.wings.similarity2020.settings import BlockNetwork, DeepQAgent, DeepQPool, Similarities

BLOCK_OPERATION = 4e-11  # of a network of blocks, for every multiplication of a sample in one pass
ACTED = 1.5e-3  # of a step of a Q-network and its world, its share of the evaluations included


@dataclass(frozen=True, slots=True)
class Merged:
    """What is trained: a test alone (``b`` is ``a``, ``at`` 1) or two merged ones, with the filters halved so often."""

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int

    def unit(self, chunk: int) -> str:
        """Return the name of a chunk of repetitions; '+' occurs in no test's name."""
        return f"{self.kind}+{self.a}+{self.b}+{self.at:.12g}+{self.halvings}+{chunk:06d}"


@dataclass(frozen=True, slots=True)
class MergedJob:
    """Some chunks of repetitions of some trainings."""

    block: str
    parts: tuple[tuple[Merged, int], ...]

    @property
    def units(self) -> dict[str, tuple[Merged, int]]:
        """Unit name -> what is trained in it, and the number of its chunk."""
        return {merged.unit(chunk): (merged, chunk) for merged, chunk in self.parts}

    @property
    def domains(self) -> tuple[str, ...]:
        """Tests that the job reads, in order of first use."""
        return tuple(dict.fromkeys(name for merged, _ in self.parts for name in (merged.a, merged.b)))


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
