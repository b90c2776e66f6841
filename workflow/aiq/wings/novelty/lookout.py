"""Agents that look ahead by what they know: over balls that come (WOW's kind), and over plans (HYDRA's kind).

The lookout looks one or two ticks ahead, notices novelty by tails dimension by dimension, then avoids balls. After the
description of the UCCS system (Algorithms 15:381, 2022; the environment's authors' Fig. 29). Differences: the ticks
ahead come from the reduced cart-pole instead of a copy of the simulator; scores of states are a regulator's cost; one
statistic of all dimensions takes the place of the blend of tests over episodes; balls are expected to fly on with the
acceleration seen last.

The repairing agent searches shortly with a model whose constants it repairs, best first, by inconsistency. After the
description of PARC's system (its public code holds no licence: read, not copied). Differences: the equations of the
reduced cart-pole take the place of a PDDL+ domain and its planner; plans are two stretches of five ticks, each one push
for some of its ticks, found by trying all; constants move by steps that fit this model.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import replace

import numpy as np
from scipy.stats import weibull_min

from aiq.agents.protocol import Task
from aiq.records.estimate import Floats
from aiq.wings.novelty.protocol import Seen
from aiq.wings.novelty.steering import (
    PUSHES,
    Constants,
    Physics,
    Predictor,
    Record,
    Steerer,
    balls,
    cart_pole,
    stability,
)

_TAIL = 0.05
_FEWEST = 20
_SMALLEST = 1e-3
_TIMES = np.linspace(0.04, 0.6, 12)
_ROOM = 4.5
_SAFE = 1.1
_FOOT, _TOP = 0.2, 1.7
_BOUNCE = 2.0
_STEADY = 0.01  # change of a ball's velocity in a tick, m/s, beyond which something acts on it


class Tails:
    """How far in the tail of level 0 a vector lies, dimension by dimension (extreme value theory).

    For each dimension a Weibull distribution is fitted to the excesses of the distance from the median over its 95 %
    point, of vectors (n, dimensions) of level 0. Where it has fewer than 20 of them, or all alike, whatever lies beyond
    is in the tail.
    """

    def __init__(self, normal: Floats) -> None:
        self._middle = np.median(normal, axis=0)
        far = np.abs(normal - self._middle)
        self._begin = np.quantile(far, 1 - _TAIL, axis=0) + _SMALLEST
        self._shape, self._scale = np.ones(normal.shape[1]), np.full(normal.shape[1], _SMALLEST)
        for k in range(normal.shape[1]):
            excess = far[:, k][far[:, k] > self._begin[k]] - self._begin[k]
            if len(excess) >= _FEWEST and np.ptp(excess) > _SMALLEST:
                self._shape[k], _, self._scale[k] = weibull_min.fit(excess, floc=0)

    def __call__(self, vectors: Floats) -> Floats:
        """Return the probability that level 0 lies nearer to the median than each number, in its tail, (n, dims)."""
        excess = np.maximum(np.abs(vectors - self._middle) - self._begin, 0.0)
        return np.asarray(1 - np.exp(-((excess / self._scale) ** self._shape)))


class Lookout(Steerer):
    """Of the kind of WOW.

    ``caution``: weight of predicted hits in the score of a state, once the alarm is raised. ``worry``: score from which
    on two ticks are looked ahead. ``opening`` and ``noted``: what the beginning of an episode and its ticks are judged
    by. ``scores``: of the states that were chosen.
    """

    name = "lookout"

    def __init__(self, predictor: Predictor, slopes: Floats, caution: float) -> None:
        super().__init__(predictor, slopes)
        self.caution, self.worry = caution, np.inf
        self.tails: tuple[Tails, Tails] | None = None
        self.scale: Floats | None = None

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        super().start(observation)
        self._balls = balls(observation)
        self._pull = np.zeros((len(self._balls), 3))
        self.opening = self._opening(observation)
        self.noted: list[Floats] = []
        self.scores: list[float] = []

    def choose(self) -> int:
        """Return the first action of the best way one tick ahead, or two where one tick looks bad."""
        next_states = self.ahead(self.state[None])[0]
        scores = self.score(next_states)
        best = int(np.argmin(scores))
        self.scores.append(float(scores[best]))
        if scores[best] <= self.worry:
            return best
        later = self.ahead(next_states).reshape(len(PUSHES) ** 2, -1)
        return int(np.argmin(self.score(later))) // len(PUSHES)

    def score(self, states: Floats) -> Floats:
        """Return how bad states (n, 8) are: distance to the stable state, and hits to come once it is alarmed."""
        distance = self.stable.distance(states)
        if len(self._balls) and self.caution and self.alarm.raised:
            return distance + self.caution * self.hits(states)
        return distance

    def hits(self, states: Floats) -> Floats:
        """Return how near balls are going to come to the pole if the cart goes on as in states (n, 8), (n,)."""
        t = _TIMES[:, None]
        flown = self._balls[:, None, :3] + self._balls[:, None, 3:] * t + self._pull[:, None] * t**2 / 2
        flown[..., :2] = _folded(flown[..., :2])
        carts = _folded(states[:, None, :2] + states[:, None, 2:4] * t)
        across = flown[None, :, :, :2] - carts[:, None]
        above = np.maximum(0, flown[..., 2] - _TOP) + np.maximum(0, _FOOT - flown[..., 2])
        apart = np.sqrt((across**2).sum(-1) + above**2)
        near = np.maximum(0.0, _SAFE - apart) ** 2 * np.exp(-_TIMES / 0.3)
        return np.asarray(near.max(axis=2).sum(axis=1))

    def observe(self, reward: float, observation: Seen, ended: bool) -> None:
        """Follow the state and the balls, and note what the tails are about."""
        before, old = self.state, self._balls
        expected = self._known.step(before[None], PUSHES[[self.action]])[0]
        super().observe(reward, observation, ended)
        self._balls = balls(observation)
        same = min(len(old), len(self._balls))
        turned = self._balls[:same, 3:] - old[:same, 3:]
        self._pull = np.zeros((len(self._balls), 3))
        steady = np.abs(turned).max(axis=1, initial=0) < _BOUNCE
        self._pull[:same][steady] = turned[steady] / 0.02
        self.noted.append(self._judged(before, expected, turned, len(self._balls) - len(old)))

    def strangeness(self) -> float:
        """Return the largest share of the tails among all dimensions, in units of what level 0 has of it."""
        return 0.0 if self.scale is None else float((self.shares() / self.scale).max())

    def shares(self) -> Floats:
        """Return for each dimension the mean probability in the tail, of the ticks and of the opening, (dims,)."""
        assert self.tails is not None
        opening, ticks = self.tails
        return np.concatenate([opening(self.opening[None])[0], ticks(np.array(self.noted)).mean(axis=0)])

    def fit(self) -> None:
        """Nothing: this kind keeps the model that it has."""

    def _opening(self, observation: Seen) -> Floats:
        """Return what the beginning of an episode is judged by: the state, the number and speed of balls."""
        speeds = np.linalg.norm(self._balls[:, 3:], axis=1)
        heights = self._balls[:, 2]
        summary = [len(self._balls), speeds.mean() if len(speeds) else 0.0, heights.mean() if len(heights) else 0.0]
        return np.array([*cart_pole(observation)[2:], *summary])

    def _judged(self, before: Floats, expected: Floats, turned: Floats, more: int) -> Floats:
        """Return what a tick is judged by: transition, error of the prediction, what the balls did."""
        change = np.linalg.norm(turned, axis=1)
        away = np.linalg.norm(self._balls[:, :2] - self.state[:2], axis=1)
        seen = [
            float(len(change) > 0 and change.min() > _STEADY), float(np.median(change)) if len(change) else 0.0,
            float(turned.mean()) if len(turned) else 0.0, float(away.mean()) if len(away) else 5.0,
            float(len(self._balls)), float(more),
        ]  # fmt: skip
        return np.array([*(self.state - before)[4:], *(self.state - expected)[[2, 3, 6, 7]], *seen])


def _folded(places: Floats) -> Floats:
    """Return places along x and y as walls throw them back."""
    return np.asarray(_ROOM - np.abs((places + _ROOM) % (4 * _ROOM) - 2 * _ROOM))


# ---- Repairing ----------------------------------------------------------------------------------------


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
