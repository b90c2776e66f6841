"""Running an agent on draws of programs: blocks of pairs, and the whole adaptive run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from aiq.wings.algorithmic.equations.adaptive import Block, missing_blocks, next_stage
from aiq.wings.algorithmic.equations.agents import MCAIXI, Agent, Outside
from aiq.wings.algorithmic.equations.aixi import aixi_pairs
from aiq.wings.algorithmic.equations.compiled import Array
from aiq.wings.algorithmic.equations.machine import MachineSettings
from aiq.wings.algorithmic.equations.outside import outside_pairs
from aiq.wings.algorithmic.equations.population import Population
from aiq.wings.algorithmic.equations.programs import ProgramSet
from aiq.wings.algorithmic.equations.trials import Episode, tabular_pairs
from aiq.wings.algorithmic.records import PairOutcomes


@runtime_checkable
class Player(Protocol):
    """Whoever plays pairs of trials by itself, such as agents of a higher layer."""

    def pairs(
        self,
        settings: MachineSettings,
        episode: Episode,
        programs: ProgramSet,
        which: Array,
        strata: Array,
        draws: Array,
        seed: int,
    ) -> Array:
        """Return the scores of pairs on programs number ``which``, shape (2, pairs), NaN for failed pairs."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An agent in episodes of one kind on one machine; ``seed`` is the root seed of all trials.

    Experiments with the same seed, machine and population use common random numbers: `difference` compares them.
    """

    agent: Agent | Player
    episode: Episode
    seed: int
    machine: MachineSettings = field(default_factory=MachineSettings)


def _scores(experiment: Experiment, population: Population, which: Array, strata: Array, draws: Array) -> Array:
    """Return the scores of pairs, shape (2, pairs), by the path that the agent needs."""
    agent = experiment.agent
    arguments = (experiment.machine, experiment.episode, population.packed, which, strata, draws, experiment.seed)
    if isinstance(agent, Player):
        return agent.pairs(*arguments)
    if isinstance(agent, MCAIXI):
        return aixi_pairs(agent, *arguments)
    if isinstance(agent, Outside):
        return outside_pairs(agent, *arguments)
    return tabular_pairs(agent, *arguments)


def run_blocks(experiment: Experiment, population: Population, blocks: Iterable[Block]) -> PairOutcomes:
    """Return the outcomes of all draws in ``blocks`` (disjoint), failed pairs included."""
    ordered = sorted(blocks, key=lambda block: (block.stratum, block.first))
    empty = np.zeros(0, np.int64)
    draws = [np.arange(block.first, block.first + block.count, dtype=np.int64) for block in ordered]
    chosen = [population.drawn(block.stratum, draw) for block, draw in zip(ordered, draws, strict=True)]
    which = np.concatenate([empty, *chosen])
    strata = np.repeat(np.array([b.stratum for b in ordered], np.int64), np.array([b.count for b in ordered], np.int64))
    draw = np.concatenate([empty, *draws])
    plus, minus = _scores(experiment, population, which, strata, draw)
    return PairOutcomes(strata, draw, which, population.lengths[which], plus, minus)


def merge(parts: Sequence[PairOutcomes]) -> PairOutcomes:
    """Join outcomes of disjoint draws into one, sorted by stratum and draw; no parts give empty outcomes."""

    def column(name: str, dtype: type) -> Array:
        return np.concatenate([np.zeros(0, dtype), *(getattr(part, name) for part in parts)])

    stratum, draw = column("stratum", np.int64), column("draw", np.int64)
    order = np.lexsort((draw, stratum))
    return PairOutcomes(
        stratum[order],
        draw[order],
        column("program", np.int64)[order],
        column("length", np.int64)[order],
        column("plus", np.float64)[order],
        column("minus", np.float64)[order],
    )


def run_adaptive(experiment: Experiment, population: Population, runs: int) -> PairOutcomes:
    """Run stages of the adaptive stratified sampler until ``runs`` trials (two a pair) ran without failure.

    Programs that fail are kept as failed rows and replaced by the next draw of their stratum.

    Raises:
        InputError: too few runs for the strata, every program failed, or the agent misbehaved.
    """
    outcomes = merge([])
    while targets := next_stage(outcomes, population, runs):
        while blocks := missing_blocks(targets, outcomes, population):
            outcomes = merge([outcomes, run_blocks(experiment, population, blocks)])
    return outcomes
