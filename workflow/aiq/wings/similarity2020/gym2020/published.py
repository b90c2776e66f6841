"""The recipe of the public program: uniformly random actions, the last reward doubled, the last 20 episodes.

What the program (dev/diversity/DQN_M.py, 2019) did: epsilon fell from 200 over a million steps, so in the 20,000 steps
of a training every action was uniformly random; observations were cast to zeros; at the end of an episode its wrapper
paid the total reward, cut to ±200, in place of the last one; each value is the mean of the last 20 training episodes
of one run. Nothing of it depends on the network, so it is simulated without one.

The public table of the suite's similarities, and how it lies in the noise of the simulated recipe.

The table is the authors' file ``dev/formatter/old_code/nice results.csv``, all tests (2019). That it is the paper's
Fig. 5, which is a picture without numbers, is inferred: the same ten tests, half of the diagonal is 1, both pairs that
the text names are 1, the lower triangle is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.measures.similarity import normalised
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.gym2020.episodes import Episodes, play
from aiq.wings.similarity2020.gym2020.exact import Floats, Surplus, weights
from aiq.wings.similarity2020.gym2020.lanes import dynamics
from aiq.wings.similarity2020.gym2020.suite import SUITE, GymTest

Pair = tuple[str, str]


@dataclass(frozen=True)
class Recipe:
    """Settings of the recipe.

    Attributes:
        steps: environment steps of a training (paper 10,000; program 20,000, in June 2019 100,000).
        last: number of episodes, the last finished ones, over which a value is the mean.
        share: probability with which a reset draws the first environment of a pair.
        surplus: what an action beyond an environment's own does, ``clamp`` (2019) or ``random`` (2020).
        tie: |S| where V_A = V_B (older program .5, later 1).
        episodes: episodes played of every environment, from which trainings draw theirs with replacement.
    """

    steps: int = 20_000
    last: int = 20
    share: float = 0.5
    surplus: Surplus = "clamp"
    tie: float = 0.5
    episodes: int = 2000


def heat_map(
    runs: int, seed: int, recipe: Recipe | None = None, tests: Sequence[GymTest] | None = None
) -> dict[Pair, Floats]:
    """Return |S| of every pair of the suite, self-pairs included, as often as the recipe is simulated.

    Each value (V_A, V_B, V_AB) is that of a training of its own, as many times as there are runs.

    Args:
        runs: simulated repetitions of the whole table.
        seed: root seed.
        recipe: its settings.
        tests: the environments; default the whole suite.

    Returns:
        pair -> (runs,), in [0, 1]; the pairs in the order of the tests.
    """
    chosen = recipe or Recipe()
    suite = list(SUITE.values()) if tests is None else list(tests)
    bank = Bank(chosen, seed)
    found = {}
    for i, first in enumerate(suite):
        for second in suite[i:]:
            pair = (first.name, second.name)
            v_a, v_b, v_ab = (bank.values(runs, *pair, what) for what in ("first", "second", "merged"))
            size = np.abs(normalised(v_a, v_b, v_ab))
            found[pair] = np.where(v_a == v_b, chosen.tie, size)
    return found


def values(runs: int, seed: int, first: str, second: str, recipe: Recipe | None = None) -> Mapping[str, Floats]:
    """Return V_A, V_B and V_AB of a pair as the program measures them: ``first``, ``second``, ``merged``, (runs,)."""
    bank = Bank(recipe or Recipe(), seed)
    return {what: bank.values(runs, first, second, what) for what in ("first", "second", "merged")}


class Bank:
    """Episodes of every environment at every number of actions, played when first asked for.

    Args:
        recipe: settings of the program.
        seed: root seed.
    """

    def __init__(self, recipe: Recipe, seed: int) -> None:
        self._recipe, self._seed = recipe, seed
        self._episodes: dict[tuple[str, int], Episodes] = {}

    def values(self, runs: int, first: str, second: str, what: str) -> Floats:
        """Return the values of a training on the first test, the second, or both."""
        pair = (SUITE[first], SUITE[second])
        rng = seeding.generator(self._seed, "published", first, second, what)
        if what == "merged":
            most = max(test.actions for test in pair)
            return trained([self.of(test, most) for test in pair], runs, self._recipe, rng)
        test = pair[0] if what == "first" else pair[1]
        return trained([self.of(test, test.actions)], runs, self._recipe, rng)

    def trainings(self, tests: Sequence[GymTest], repetitions: Sequence[int]) -> Floats:
        """Return what so many trainings on one test, or on a pair of tests, give: raw returns, (repetitions,).

        Args:
            tests: one, or two whose environment is drawn at every reset; twice the same is a pair too.
            repetitions: their numbers; the first one names their stream.
        """
        most = max(test.actions for test in tests)
        words = [word for test in tests for word in (test.name, str(test.actions))]
        rng = seeding.generator(self._seed, "published", "trainings", *words, repetitions[0])
        return trained([self.of(test, most) for test in tests], len(repetitions), self._recipe, rng)

    def of(self, test: GymTest, asked: int) -> Episodes:
        """Return episodes of a test in which ``asked`` actions are drawn uniformly."""
        key = (test.name, asked)
        if key not in self._episodes:
            rng = seeding.generator(self._seed, "published", "episodes", *key)
            policy = weights(test.actions, asked, self._recipe.surplus)
            self._episodes[key] = play(dynamics(test), policy, test.horizon, self._recipe.episodes, rng)
        return self._episodes[key]


def trained(sources: Sequence[Episodes], runs: int, recipe: Recipe, rng: np.random.Generator) -> Floats:
    """Return the mean return of the last episodes of each training, (runs,); NaN where none was finished.

    Args:
        sources: episodes of the one environment, or of both of a pair; each episode of a training is drawn from the
            first with the recipe's share as probability.
        runs: number of trainings.
        recipe: steps of a training, number of last episodes.
        rng: source of randomness.
    """
    shares = [1.0] if len(sources) == 1 else [recipe.share, 1 - recipe.share]
    typical = sum(share * source.length.mean() for share, source in zip(shares, sources, strict=True))
    doubled, length = np.empty((runs, 0)), np.empty((runs, 0), np.int64)
    while length.sum(axis=1).min(initial=recipe.steps + 1) <= recipe.steps or not length.size:
        more = int(1.1 * recipe.steps / typical) + recipe.last
        drawn = _draw(sources, shares, (runs, more), rng)
        doubled = np.concatenate([doubled, drawn[0]], axis=1)
        length = np.concatenate([length, drawn[1]], axis=1)
    finished = (np.cumsum(length, axis=1) <= recipe.steps).sum(axis=1)
    place = finished[:, None] - 1 - np.arange(recipe.last)
    counted = np.take_along_axis(doubled, np.maximum(place, 0), axis=1)
    return np.asarray(
        np.divide((counted * (place >= 0)).sum(axis=1), (place >= 0).sum(axis=1), out=np.full(runs, np.nan),
                  where=finished > 0)
    )  # fmt: skip


def _draw(
    sources: Sequence[Episodes], shares: Sequence[float], shape: tuple[int, int], rng: np.random.Generator
) -> tuple[Floats, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """Return returns and lengths of drawn episodes, each of the shape."""
    in_first = rng.random(shape) < shares[0]
    doubled, length = np.empty(shape), np.empty(shape, np.int64)
    for source, where in zip(sources, (in_first, ~in_first), strict=False):
        picked = rng.integers(len(source.total), size=int(where.sum()))
        doubled[where], length[where] = source.doubled[picked], source.length[picked]
    return doubled, length


# ---- The public table of the suite's similarities, and how it lies in the noise of the -----------


_ROWS = (
    (1, 1, 0.13, 0.03, 0.55, 0.50, 0.82, 0.39, 0.10, 0.20),
    (1, 0.05, 0.02, 0.50, 0.14, 0.58, 0.56, 0.20, 0.21),
    (0.5, 0.10, 0.30, 0.09, 0.30, 0.10, 0.23, 0.03),
    (0.5, 0.40, 0.30, 0.11, 0.19, 0.16, 0.28),
    (1, 0.25, 1, 1, 0.31, 0.27),
    (1, 0.20, 0.37, 0.25, 0.25),
    (1, 1, 0.80, 1),
    (0.5, 0.00, 0.16),
    (0.28, 0.33),
    (0.85,),
)
_NAMES = tuple(SUITE)
PRINTED: Mapping[Pair, float] = MappingProxyType(
    {(_NAMES[i], _NAMES[i + j]): float(value) for i, row in enumerate(_ROWS) for j, value in enumerate(row)}
)
_HALF_DIGIT = 0.005


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
    for pair, sizes in simulated.items():
        if pair not in PRINTED:
            raise InputError(f"the printed table has no pair {pair[0]}, {pair[1]}; give pairs of {', '.join(_NAMES)}")
        printed = PRINTED[pair]
        low, high = (float(end) for end in np.quantile(sizes, [tail, 1 - tail]))
        below, above = (
            float(np.mean(side)) for side in (sizes <= printed + _HALF_DIGIT, sizes >= printed - _HALF_DIGIT)
        )
        rows.append((*pair, printed, float(sizes.mean()), low, high, below, above, bool(min(below, above) < tail)))
    columns = ("a", "b", "printed", "mean", "low", "high", "below", "above", "outside")
    return Table.of(columns, rows)
