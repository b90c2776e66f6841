"""Quotients of synthetic pairs of trials, for the contract of all figures."""

from __future__ import annotations

import numpy as np

from aiq.seeding import generator
from aiq.wings.algorithmic.equations.estimation import by_length, quotient
from aiq.wings.algorithmic.equations.programs import Population
from aiq.wings.algorithmic.records import (
    AgentQuotient,
    AlgorithmicQuotient,
    PairOutcomes,
    Program,
    Quotients,
    SampleSummary,
)

AGENTS = {"typical": 5, "minimal": 1, "single": 1, "large": 15}
LENGTHS = {"typical": (1000, 3000, 10000), "minimal": (300,), "single": (1,), "large": (10, 15, 100, 1000, 3000, 99999)}
PAIRS = {"typical": 8, "minimal": 1, "single": 1, "large": 4}


def population(case: str) -> Population:
    """A sample with programs of every stratum; one stratum alone in the smallest case."""
    rng = generator(11, "programs", case)
    strata = range(1, 21) if case != "single" else [1]
    return Population([Program(s, "," + "+" * int(rng.integers(0, 90)) + ".#") for s in strata for _ in range(9)])


def _pairs(sample: Population, case: str, level: float, word: int) -> PairOutcomes:
    """Pairs whose means lie around a level; one of them failed where there are several."""
    rng, count = generator(12, "pairs", word), PAIRS[case]
    stratum = np.repeat(np.array(sample.strata, np.int64), count)
    draw = np.tile(np.arange(count, dtype=np.int64), len(sample.strata))
    program = np.concatenate([sample.drawn(s, np.arange(count)) for s in sample.strata])
    plus = np.clip(rng.normal(level, 20, stratum.size), -100, 100)
    minus = np.clip(rng.normal(level, 20, stratum.size), -100, 100)
    if count > 1:
        plus[0] = minus[0] = np.nan
    return PairOutcomes(stratum, draw, program, sample.lengths[program], plus, minus)


def _agent(sample: Population, case: str, k: int, length: int) -> AgentQuotient:
    pairs = _pairs(sample, case, 3.0 * k + 5 * np.log10(length), 100 * k + length)
    measured: AlgorithmicQuotient = quotient(pairs, sample)
    settings: dict[str, float | bool | str] = {"depth": 4 + 4 * (k % 3), "simulations": 10 * (1 + k // 3), "horizon": 3}
    counts = np.bincount(pairs.length[pairs.valid])
    lengths = by_length(pairs, sample)
    label = f"agent of {k + 1} tables"
    return AgentQuotient(f"agent-{k}", label, "mc-aixi", length, settings, measured, lengths, counts)


def quotients(case: str) -> Quotients:
    """A whole run."""
    sample = population(case)
    agents = tuple(_agent(sample, case, k, length) for k in range(AGENTS[case]) for length in LENGTHS[case])
    strata = np.bincount([p.stratum for p in sample.programs], minlength=21)[1:]
    summary = SampleSummary(sample.size, tuple(strata.tolist()), np.bincount(sample.lengths), None, None, None, None)
    return Quotients(agents, (), summary)


GIVEN = {"Quotients": quotients}
"""Type that a figure asks for -> what makes one of a case."""
