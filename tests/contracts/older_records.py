"""Synthetic records of the anytime test and of collectives, for the contract of their figures."""

from __future__ import annotations

from functools import cache

import numpy as np

from aiq.records.estimate import Estimate
from aiq.seeding import generator
from aiq.wings.anytime.equations.administer import AnytimeRun, TraceRow
from aiq.wings.anytime.equations.reduction import BudgetPoint, ComplexityReward
from aiq.wings.collectives.records import ComplexityScore, EpisodeTrace, GroupIntelligence

CLASSES = {"typical": 3, "minimal": 1, "single": 1, "large": 4}
AGENTS = {"typical": 5, "minimal": 2, "single": 1, "large": 10}
TESTS = {"typical": 4, "minimal": 1, "single": 1, "large": 12}
KINDS = {"typical": 5, "minimal": 1, "single": 1, "large": 10}
SIDES = {"typical": (5, 10, 20), "minimal": (3,), "single": (5,), "large": (5, 7, 10, 12, 15, 20)}
NAMES = (
    "random", "local_search", "oracle", "q_learning", "sarsa", "stigmergy", "auction", "imitation", "shared_q",
    "shared_sarsa",
)  # fmt: skip


def estimate(case: str, value: float, half: float = 0.05) -> Estimate:
    interval = None if TESTS[case] == 1 else (value - half, value + half)
    return Estimate(value, interval, TESTS[case], "synthetic", 0)


@cache
def tests(case: str) -> dict[str, dict[str, list[AnytimeRun]]]:
    rng = generator(5, "anytime", case)
    return {
        f"class-{c}": {
            f"agent-{a + 1}": [
                _run(rng, f"class-{c}", f"agent-{a + 1}", a / AGENTS[case], r) for r in range(TESTS[case])
            ]
            for a in range(AGENTS[case])
        }
        for c in range(CLASSES[case])
    }


def _run(rng: np.random.Generator, name: str, agent: str, skill: float, repetition: int) -> AnytimeRun:
    level, spent, rows = 1.0, 0.0, []
    for k in range(int(rng.integers(3, 15))):
        reward = float(np.clip(skill + 0.2 * rng.normal(), -1, 1))
        after = level * (1 + reward / 2)
        spent += k + 1
        rows.append(TraceRow(f"e{k}", level, level, after, k + 1.0, k + 1, reward, spent))
        level = after
    return AnytimeRun(agent, name, "interactions", 1000, 5, repetition, "budget", tuple(rows), None, level)


@cache
def points(case: str) -> list[BudgetPoint]:
    rng = generator(6, "anytime", case)
    return [
        BudgetPoint(agent, name, "interactions", budget, estimate(case, float(rng.uniform(-0.9, 0.9))),
                    estimate(case, float(rng.uniform(2, 2 + budget)), 0.5), 0)
        for name, agents in tests(case).items()
        for agent in agents
        for budget in ((1.0, 10.0, 100.0, 1000.0) if case != "minimal" else (10.0,))
    ]  # fmt: skip


@cache
def rewards(case: str) -> list[ComplexityReward]:
    rng = generator(7, "anytime", case)
    return [
        ComplexityReward(agent, name, low, 2 * low, estimate(case, float(rng.uniform(-0.9, 0.9))))
        for name, agents in tests(case).items()
        for agent in agents
        for low in ((2.0, 4.0, 8.0, 16.0) if case != "minimal" else (4.0,))
    ]


@cache
def groups(case: str) -> list[GroupIntelligence]:
    rng = generator(8, "collectives", case)
    return [
        GroupIntelligence(
            kind, side, side, float(np.log2(side**2 * (side**2 - 1))), estimate(case, float(rng.uniform(0, 0.9))), 0.01
        )
        for kind in NAMES[: KINDS[case]]
        for side in SIDES[case]
    ]


@cache
def scores(case: str) -> list[ComplexityScore]:
    rng = generator(9, "collectives", case)
    levels = (2,) if case == "minimal" else range(2, 19)
    return [
        ComplexityScore(kind, k, k, estimate(case, float(rng.uniform(0, 0.9))))
        for kind in NAMES[: KINDS[case]]
        for k in levels
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
    "Sequence[BudgetPoint]": points,
    "Mapping[str, Mapping[str, Sequence[AnytimeRun]]]": tests,
    "Sequence[ComplexityReward]": rewards,
    "Sequence[GroupIntelligence]": groups,
    "Sequence[ComplexityScore]": scores,
    "EpisodeTrace": episode,
}
"""Type that a figure asks for -> what makes one of a case."""
