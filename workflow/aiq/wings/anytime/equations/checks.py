"""Are rewards balanced (Definitions 12, 13) and is the environment reward-sensitive (Definition 7)?

Exactly from the table of a finite deterministic environment, by sampling elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from aiq.errors import InputError
from aiq.wings.anytime.equations.protocol import Environment
from aiq.wings.anytime.records import PropertyCheck

Array = npt.NDArray[Any]
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Table:
    """A finite deterministic environment with S states and A actions.

    ``following`` (S, A): next state; ``rewards`` (S,): reward on entering a state; ``start`` (S,):
    probabilities of the first state.
    """

    following: Array
    rewards: Array
    start: Array

    def __post_init__(self) -> None:
        """Refuse shapes that do not fit and probabilities that do not add up to 1."""
        states = self.following.shape[0]
        if self.rewards.shape != (states,) or self.start.shape != (states,) or abs(self.start.sum() - 1) > 1e-9:
            raise ValueError("rewards, start and transitions of a table do not fit together")


def exact_balance(table: Table, steps: int) -> PropertyCheck:
    """Check that a uniform random agent's expected reward is 0 at each of the first ``steps`` steps."""
    states, actions = table.following.shape
    probabilities, worst = table.start, 0.0
    for _ in range(steps):
        share = np.repeat(probabilities / actions, actions)
        probabilities = np.bincount(table.following.ravel(), weights=share, minlength=states)
        worst = max(worst, abs(float(probabilities @ table.rewards)))
    bounded = bool(np.all(np.abs(table.rewards) <= 1))
    return PropertyCheck("balanced", bounded and worst < TOLERANCE, worst, 0.0, f"exact over {steps} steps")


def exact_sensitivity(table: Table, horizon: int) -> PropertyCheck:
    """Check that from every state two continuations of one length ≤ ``horizon`` differ in their reward sums.

    All states count, also those that cannot be reached, so the check is a little too strict.
    """
    states = table.following.shape[0]
    least, most = np.zeros(states), np.zeros(states)
    sensitive = np.zeros(states, dtype=bool)
    for _ in range(horizon):
        least = (table.rewards + least)[table.following].min(axis=1)
        most = (table.rewards + most)[table.following].max(axis=1)
        sensitive |= most - least > TOLERANCE
    share = float(sensitive.mean())
    return PropertyCheck("reward-sensitive", bool(sensitive.all()), share, 0.0, f"exact within {horizon} steps")


def _positive(what: str, value: int) -> None:
    if value < 1:
        raise InputError(f"{what} is {value}; it must be at least 1, so give a larger number")


def sampled_balance(
    environment: Environment, steps: int, runs: int, rng: np.random.Generator, error: float = 1e-3
) -> PropertyCheck:
    """Check by t-test over ``runs`` independent starts that a random agent's expected mean reward is 0.

    The check refuses a balanced environment with probability about ``error``.
    """
    _positive("the number of steps", steps)
    _positive("the number of runs less one", runs - 1)
    means = np.empty(runs)
    bounded = True
    for run in range(runs):
        environment.reset(rng)
        rewards = [environment.step(int(rng.integers(environment.actions)))[0] for _ in range(steps)]
        bounded = bounded and all(abs(reward) <= 1 for reward in rewards)
        means[run] = np.mean(rewards)
    spread = float(means.std(ddof=1)) / math.sqrt(runs)
    limit = float(stdtrit(runs - 1, 1 - error / 2)) * spread
    mean = abs(float(means.mean()))
    method = f"t-test over {runs} starts of {steps} random steps"
    return PropertyCheck("balanced", bounded and mean <= max(limit, TOLERANCE), mean, error, method)


def sampled_sensitivity(
    environment: Environment, steps: int, histories: int, tries: int, rng: np.random.Generator
) -> PropertyCheck:
    """Check from sampled histories that ``tries`` random continuations do not all have the same reward sums.

    Continuations are compared after the same history with the same randomness. The method names the
    largest probability with which a sampled history of an environment that is nowhere less sensitive
    than one differing continuation in ten is refused wrongly: 0.9 to the power tries − 1.
    """
    _positive("the number of steps", steps)
    _positive("the number of histories", histories)
    _positive("the number of continuations less one", tries - 1)
    sensitive = 0
    for _ in range(histories):
        seed = int(rng.integers(2**62))
        history = rng.integers(environment.actions, size=int(rng.integers(steps))).tolist()
        sums = []
        for _ in range(tries):
            environment.reset(np.random.default_rng(seed))
            for action in history:
                environment.step(action)
            actions = rng.integers(environment.actions, size=steps).tolist()
            sums.append(np.cumsum([environment.step(action)[0] for action in actions]))
        differs = np.ptp(np.array(sums), axis=0) > TOLERANCE
        sensitive += bool(differs.any())
    share = sensitive / histories
    error = min(1.0, histories * 0.9 ** (tries - 1))
    method = f"{tries} continuations of {steps} steps after each of {histories} histories"
    return PropertyCheck("reward-sensitive", sensitive == histories, share, error, method)
