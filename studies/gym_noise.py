"""The public table of the 2020 Gym suite's similarities, and how it lies in the noise of a uniformly random policy.

The table is the authors' file ``dev/formatter/old_code/nice results.csv``, all tests (2019), as it stands in
``config/similarity-gym.yaml``. That it is the paper's Fig. 5, which is a picture without numbers, is inferred: the same
ten tests, half of the diagonal is 1, both pairs that the text names are 1, the lower triangle is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aiq import seeding
from aiq.config import read
from aiq.errors import InputError
from aiq.measures.similarity import normalised
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.gym_suite import SUITE, Bank, Floats, GymTest, Surplus, Transitions
from aiq.wings.similarity2020.settings import PublishedAgent

Pair = tuple[str, str]
_HALF_DIGIT = 0.005
AGENT = PublishedAgent(kind="published")


def printed() -> dict[Pair, float]:
    """Return the printed |S| by pair."""
    raw = read(Path(__file__).resolve().parents[1] / "config" / "similarity-gym.yaml")
    return {tuple(pair.split("+")): value for pair, value in raw["published"]["similarity"].items()}


@dataclass(frozen=True)
class Exact:
    """Moments of an episode of at most so many steps.

    Attributes:
        mean: expected return.
        variance: of the return.
        length: expected number of steps.
        last: expected reward of the last step.
    """

    mean: float
    variance: float
    length: float
    last: float


def expected(table: Transitions, policy: Floats, horizon: int) -> Exact:
    """Return the moments of an episode under a policy that draws its actions alike in every state.

    Args:
        table: the environment.
        policy: probability of each action, shape (actions,).
        horizon: longest episode, at least 1.
    """
    chance = table.probability * policy[:, None]  # (states, actions, outcomes)
    going = ~table.ended
    mean, square, length, last = (np.zeros(len(chance)) for _ in range(4))
    for left in range(1, horizon + 1):
        later = mean[table.following] * going
        square = _over(chance, table.reward**2 + 2 * table.reward * later + square[table.following] * going)
        mean = _over(chance, table.reward + later)
        length = _over(chance, 1 + length[table.following] * going)
        final = table.reward if left == 1 else np.where(going, last[table.following], table.reward)
        last = _over(chance, final)
    start = table.start
    value = float(start @ mean)
    return Exact(value, float(start @ square) - value**2, float(start @ length), float(start @ last))


def _over(chance: Floats, values: Floats) -> Floats:
    """Return the expectation over actions and outcomes, (states,)."""
    return np.asarray((chance * values).sum(axis=(1, 2)))


def values(bank: Bank, seed: int, runs: int, first: GymTest, second: GymTest) -> tuple[Floats, Floats, Floats]:
    """Return V_A, V_B and V_AB of a pair as the program measures them, each (runs,) and from trainings of its own."""
    parts = {"first": [first], "second": [second], "merged": [first, second]}
    one, two, both = (
        bank.trained(tests, runs, seeding.generator(seed, "published", first.name, second.name, what))
        for what, tests in parts.items()
    )
    return one, two, both


def heat_map(
    runs: int,
    seed: int,
    agent: PublishedAgent = AGENT,
    surplus: Surplus = "clamp",
    tests: Sequence[GymTest] = tuple(SUITE.values()),
) -> dict[Pair, Floats]:
    """Return |S| of every pair of tests, self-pairs included, as often as the recipe is simulated.

    Args:
        runs: simulated repetitions of the whole table.
        seed: root seed.
        agent: the recipe.
        surplus: what an action beyond an environment's own does.
        tests: the environments.

    Returns:
        pair -> (runs,), in [0, 1]; the pairs in the order of the tests.
    """
    bank = Bank(agent, surplus, seed)
    sizes = {}
    for i, first in enumerate(tests):
        for second in tests[i:]:
            v_a, v_b, v_ab = values(bank, seed, runs, first, second)
            size = np.abs(normalised(v_a, v_b, v_ab))
            sizes[first.name, second.name] = np.where(v_a == v_b, agent.tie, size)
    return sizes


def comparison(simulated: Mapping[Pair, Floats], confidence: float = 0.95) -> Table:
    """Return one row a pair: the printed |S| beside the simulated ones.

    ``below`` and ``above`` are the shares of the runs at or below, and at or above, the printed value as it was
    rounded; ``outside`` where the smaller of the two is under (1 - confidence) / 2.

    Args:
        simulated: what ``heat_map`` returned.
        confidence: of the range ``low`` to ``high``, quantiles of the runs.

    Raises:
        InputError: a pair that the table does not have, or the confidence is outside (0, 1).
    """
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")
    tail = (1 - confidence) / 2
    rows: list[tuple[Cell, ...]] = []
    table = printed()
    for pair, sizes in simulated.items():
        if pair not in table:
            raise InputError(f"the printed table has no pair {pair[0]}, {pair[1]}; give pairs of {', '.join(SUITE)}")
        value = table[pair]
        low, high = (float(end) for end in np.quantile(sizes, [tail, 1 - tail]))
        below, above = (float(np.mean(side)) for side in (sizes <= value + _HALF_DIGIT, sizes >= value - _HALF_DIGIT))
        rows.append((*pair, value, float(sizes.mean()), low, high, below, above, bool(min(below, above) < tail)))
    columns = ("a", "b", "printed", "mean", "low", "high", "below", "above", "outside")
    return Table.of(columns, rows)
