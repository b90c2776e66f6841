"""Synthetic records of the algorithmic quotient, the anytime test and collectives, for the contract of figures."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from aiq.records.estimate import Estimate
from aiq.seeding import generator
from aiq.wings.algorithmic.equations import Population, Program
from aiq.wings.algorithmic.equations.estimation import AgentQuotient, Quotients, SampleSummary, by_length, quotient
from aiq.wings.algorithmic.equations.runs import PairOutcomes
from aiq.wings.anytime.equations.administer import AnytimeRun, BudgetPoint, ComplexityReward, TraceRow
from aiq.wings.collectives.equations import KINDS, ComplexityScore, EpisodeTrace, GroupIntelligence

LENGTHS = {"typical": (1000, 3000, 10000), "minimal": (300,), "single": (1,), "large": (10, 15, 100, 1000, 3000, 99999)}
PAIRS = {"typical": 8, "minimal": 1, "single": 1, "large": 4}
CLASSES = {"typical": 3, "minimal": 1, "single": 1, "large": 4}
AGENTS = {"typical": 5, "minimal": 2, "single": 1, "large": 10}
TESTS = {"typical": 4, "minimal": 1, "single": 1, "large": 12}
GROUPS = {"typical": 5, "minimal": 1, "single": 1, "large": 10}
SIDES = {"typical": (5, 10, 20), "minimal": (3,), "single": (5,), "large": (5, 7, 10, 12, 15, 20)}


# ---- programs


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
    plus, minus = np.clip(rng.normal(level, 20, (2, stratum.size)), -100, 100)
    if count > 1:
        plus[0] = minus[0] = np.nan
    return PairOutcomes(stratum, draw, program, sample.lengths[program], plus, minus)


def _agent(sample: Population, case: str, k: int, length: int) -> AgentQuotient:
    pairs = _pairs(sample, case, 3.0 * k + 5 * np.log10(length), 100 * k + length)
    settings: dict[str, float | bool | str] = {"depth": 4 + 4 * (k % 3), "simulations": 10 * (1 + k // 3), "horizon": 3}
    words = (f"agent-{k}", f"agent of {k + 1} tables", "mc-aixi", length, settings)
    return AgentQuotient(
        *words, quotient(pairs, sample), by_length(pairs, sample), np.bincount(pairs.length[pairs.valid])
    )


def quotients(case: str) -> Quotients:
    """A whole run."""
    sample, count = population(case), {"typical": 5, "large": 15}.get(case, 1)
    agents = tuple(_agent(sample, case, k, length) for k in range(count) for length in LENGTHS[case])
    strata = np.bincount(sample.labels, minlength=21)[1:]
    summary = SampleSummary(sample.size, tuple(strata.tolist()), np.bincount(sample.lengths), None, None, None, None)
    return Quotients(agents, (), summary)


# ---- the anytime test


def estimate(case: str, value: float, half: float = 0.05) -> Estimate:
    interval = None if TESTS[case] == 1 else (value - half, value + half)
    return Estimate(value, interval, TESTS[case], "synthetic", 0)


@cache
def tests(case: str) -> dict[str, dict[str, list[AnytimeRun]]]:
    rng = generator(5, "anytime", case)
    made: dict[str, dict[str, list[AnytimeRun]]] = {}
    for c, a in product(range(CLASSES[case]), range(AGENTS[case])):
        runs = [_run(rng, f"class-{c}", f"agent-{a + 1}", a / AGENTS[case], r) for r in range(TESTS[case])]
        made.setdefault(f"class-{c}", {})[f"agent-{a + 1}"] = runs
    return made


def _run(rng: np.random.Generator, name: str, agent: str, skill: float, repetition: int) -> AnytimeRun:
    level, spent, rows = 1.0, 0.0, []
    for k in range(int(rng.integers(3, 15))):
        reward = float(np.clip(skill + 0.2 * rng.normal(), -1, 1))
        after = level * (1 + reward / 2)
        spent += k + 1
        rows.append(TraceRow(f"e{k}", level, level, after, k + 1.0, k + 1, reward, spent))
        level = after
    return AnytimeRun(agent, name, "interactions", 1000, 5, repetition, "budget", tuple(rows), None, level)


def _cells(case: str) -> list[tuple[str, str]]:
    return [(agent, name) for name, agents in tests(case).items() for agent in agents]


@cache
def points(case: str) -> list[BudgetPoint]:
    rng, made = generator(6, "anytime", case), []
    budgets = (1.0, 10.0, 100.0, 1000.0) if case != "minimal" else (10.0,)
    for cell, budget in product(_cells(case), budgets):
        reached = estimate(case, float(rng.uniform(-0.9, 0.9))), estimate(case, float(rng.uniform(2, 2 + budget)), 0.5)
        made.append(BudgetPoint(*cell, "interactions", budget, *reached, 0))
    return made


@cache
def rewards(case: str) -> list[ComplexityReward]:
    rng, lows = generator(7, "anytime", case), (2.0, 4.0, 8.0, 16.0) if case != "minimal" else (4.0,)
    return [
        ComplexityReward(*cell, low, 2 * low, estimate(case, float(rng.uniform(-0.9, 0.9))))
        for cell, low in product(_cells(case), lows)
    ]


# ---- collectives


@cache
def groups(case: str) -> list[GroupIntelligence]:
    rng, made = generator(8, "collectives", case), []
    for kind, side in product(KINDS[: GROUPS[case]], SIDES[case]):
        height, value = float(np.log2(side**2 * (side**2 - 1))), estimate(case, float(rng.uniform(0, 0.9)))
        made.append(GroupIntelligence(kind, side, side, height, value, 0.01))
    return made


@cache
def scores(case: str) -> list[ComplexityScore]:
    rng, levels = generator(9, "collectives", case), (2,) if case == "minimal" else range(2, 19)
    return [
        ComplexityScore(kind, k, k, estimate(case, float(rng.uniform(0, 0.9))))
        for kind, k in product(KINDS[: GROUPS[case]], levels)
    ]


@cache
def episode(case: str) -> EpisodeTrace:
    rng = generator(10, "collectives", case)
    side, steps, agents = {"typical": 10, "minimal": 3, "single": 5, "large": 20}[case], 50, AGENTS[case]
    good = rng.integers(side**2, size=steps + 1)
    evil = (good + 1 + rng.integers(side**2 - 1, size=steps + 1)) % side**2
    where = rng.integers(side**2, size=(steps + 1, agents))
    guide = None if case == "single" else rng.integers(side**2, size=steps + 1)
    kind = "oracle" if guide is None else "imitation"
    return EpisodeTrace(kind, side, side, 5, good, evil, where, rng.uniform(-1, 1, (steps, agents)), guide)


GIVEN = {
    "Quotients": quotients,
    "Sequence[BudgetPoint]": points,
    "Mapping[str, Mapping[str, Sequence[AnytimeRun]]]": tests,
    "Sequence[ComplexityReward]": rewards,
    "Sequence[GroupIntelligence]": groups,
    "Sequence[ComplexityScore]": scores,
    "EpisodeTrace": episode,
}
"""Type that a figure asks for -> what makes one of a case."""
