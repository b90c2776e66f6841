"""Short search with a model, and best-first repair of its constants by inconsistency (HYDRA's kind).

After the description of PARC's system (its public code holds no licence: read, not copied). Differences: the equations
of the reduced cart-pole take the place of a PDDL+ domain and its planner; plans are two stretches of five ticks, each
one push for some of its ticks, found by trying all; constants move by steps that fit this model.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import replace

import numpy as np

from aiq.agents.protocol import Task
from aiq.wings.novelty.physics import PUSHES, Constants, Floats, Physics
from aiq.wings.novelty.protocol import Seen
from aiq.wings.novelty.steering import Record, Steerer, stability

STRETCH = 5
_FADING, _LOOKED_AT, _STRETCH_SEEN, _ITERATIONS = 0.9, 100, 10, 40
_STEPS = {"cart_mass": 1.0, "length": 0.5, "centre": 0.1, "force": 1.0, "gravity": 2.0}
_LEAST = {"cart_mass": 0.2, "length": 0.2, "centre": 0.2, "force": 1.0, "gravity": 1.0}


def stretches() -> Floats:
    """Return the pushes of all plans of one stretch, (13, 5, 2): nothing, or one push for 1, 3 or 5 of its ticks."""
    plans = np.zeros((13, STRETCH, 2))
    for plan, (action, ticks) in zip(plans[1:], itertools.product(range(1, 5), (1, 3, 5)), strict=True):
        plan[:ticks] = PUSHES[action]
    return plans


PLANS = np.array([np.concatenate(pair) for pair in itertools.product(stretches(), repeat=2)])
"""Pushes of all plans of two stretches, (169, 10, 2)."""


class Repairing(Steerer):
    """Of the kind of HYDRA: it plans anew at every fifth tick; novelty is that a repair was needed."""

    name = "repairing"

    def __init__(self) -> None:
        physics = Physics()
        super().__init__(physics, physics.slopes())
        self._level0 = self._believed = physics

    def begin(self, task: Task) -> None:
        """Begin a trial with the constants of level 0."""
        super().begin(task)
        self._known = self.predictor = self._believed = self._level0

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        super().start(observation)
        self._plan: list[Floats] = []

    def choose(self) -> int:
        """Return the next action of the plan, which is made anew at every fifth tick."""
        if not self._plan:
            self._plan = list(PLANS[self._best()][:STRETCH])
        push = self._plan.pop(0)
        return int(np.flatnonzero((push == PUSHES).all(axis=1))[0])

    def _best(self) -> int:
        """Return the number of the plan whose states stay nearest to the stable one."""
        states = np.repeat(self.state[None], len(PLANS), axis=0)
        total = np.zeros(len(PLANS))
        for tick in range(PLANS.shape[1]):
            states = self.predictor.step(states, PLANS[:, tick])
            total += self.stable.distance(states)
        return int(np.argmin(total))

    def strangeness(self) -> float:
        """Return the inconsistency of the episode under the constants that are believed now."""
        return inconsistency(self.record, self._believed)

    def fit(self) -> None:
        """Repair the constants: best-first over single steps, until the latest episode is consistent."""
        worth = [record for record in self._strange if len(record.before) > STRETCH]
        if not worth:
            return
        constants = repaired(worth[-1], self._believed.constants, self.alarm.threshold)
        self._known = self.predictor = self._believed = Physics(constants)
        self.stable = stability(self._believed.slopes(), self.stable)


def inconsistency(record: Record, physics: Physics) -> float:
    """Return the median over stretches of the largest faded distance between a simulated and the observed path.

    The first 100 ticks count, cut into stretches of 10: a pole is unstable, so a longer simulation parts from what was
    seen by rounding alone, and the median lets a ball hit now and then.
    """
    before, pushes, after = record.arrays()
    count = min(len(before), _LOOKED_AT) // _STRETCH_SEEN
    if count == 0:
        return 0.0
    paths = [part[: count * _STRETCH_SEEN].reshape(count, _STRETCH_SEEN, -1) for part in (before, pushes, after)]
    states, worst = paths[0][:, 0], np.zeros(count)
    for tick in range(_STRETCH_SEEN):
        states = physics.step(states, paths[1][:, tick])
        off = np.linalg.norm(states - paths[2][:, tick], axis=1)
        worst = np.maximum(worst, _FADING**tick * off)
    return float(np.median(worst))


def repaired(record: Record, constants: Constants, enough: float) -> Constants:
    """Return the constants of the least inconsistency that a best-first search finds; it ends at ``enough``."""
    first = inconsistency(record, Physics(constants))
    number = itertools.count()
    waiting = [(first, next(number), 0, constants)]
    seen, best, least = {constants}, constants, first
    for _ in range(_ITERATIONS):
        if not waiting or least <= enough:
            break
        _, _, changes, here = heapq.heappop(waiting)
        for name, step in _STEPS.items():
            for change in (-step, step):
                value = getattr(here, name) + change
                other = replace(here, **{name: round(value, 6)})
                if value < _LEAST[name] or other in seen:
                    continue
                seen.add(other)
                off = inconsistency(record, Physics(other))
                if off < least:
                    best, least = other, off
                heapq.heappush(waiting, (off + 1e-3 * (changes + 1), next(number), changes + 1, other))
    return best
