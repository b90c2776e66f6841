"""An agent that looks one tick ahead with a model (UMass's kind), and the distance to standing still by which it acts.

Lookout and repairing agents build on it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, solve_discrete_are

from aiq.agents.protocol import Task
from aiq.wings.novelty.physics import PUSHES, TICK, Floats, Linear, Predictor, cart_pole, fitted
from aiq.wings.novelty.protocol import Alarm, Seen, Watchful

_WEIGHTS = np.diag([0.05, 0.05, 10.0, 0.3])
"""Of place, speed, lean and turn: of seven sets tried, one of three that did best in level 0."""
_EFFORT = 0.3
_MOST_LEAN = 0.1
_HIT = 5.0
"""Error of a predicted acceleration, m/s² or 1/s², beyond which something was hit."""
_RATE = 0.2
_EPISODES, _FEWEST = 8, 30


class Stability:
    """The cost to go of a linear-quadratic regulator, the same along x and y (squared distance to the stable state).

    The stable state is the middle, at rest, with the lean at which a constant push holds what always acts in balance
    (``settle``), at most 0.1. ``slopes``: see ``physics.Linear``.
    """

    def __init__(self, slopes: Floats) -> None:
        (b, c), (e, d) = slopes
        self._slopes = slopes
        turn = np.array(
            [[1, TICK, c * TICK**2, 0], [0, 1, c * TICK, 0], [0, 0, 1 + d * TICK**2, TICK], [0, 0, d * TICK, 1]]
        )
        push = np.array([[b * TICK**2], [b * TICK], [e * TICK**2], [e * TICK]])
        self._cost = solve_discrete_are(turn, push, _WEIGHTS, np.array([[_EFFORT]]))
        self._rest = np.zeros((2, 4))

    def settle(self, drift: Floats) -> None:
        """Let what always acts on cart and lean (rows) along x and y (columns) be held in balance."""
        (b, c), (e, d) = self._slopes
        lean = (e * drift[0] - b * drift[1]) / (b * d - c * e)
        self._rest[:, 2] = np.clip(lean, -_MOST_LEAN, _MOST_LEAN)

    def distance(self, states: Floats) -> Floats:
        """Return the squared distance of states (n, 8) to the stable state, (n,)."""
        total = np.zeros(len(states))
        for axis in (0, 1):
            off = states[:, axis::2] - self._rest[axis]
            total += np.einsum("ni,ij,nj->n", off, self._cost, off)
        return total


def stability(slopes: Floats, before: Stability) -> Stability:
    """Return the distance that slopes give, or the one before where the cart-pole they describe cannot be steered."""
    try:
        return Stability(slopes)
    except (LinAlgError, ValueError):
        return before


class Record:
    """Transitions of an episode: state, push, state after it."""

    def __init__(self) -> None:
        self.before: list[Floats] = []
        self.pushes: list[Floats] = []
        self.after: list[Floats] = []

    def add(self, before: Floats, action: int, after: Floats) -> None:
        """Keep one transition."""
        self.before.append(before)
        self.pushes.append(PUSHES[action])
        self.after.append(after)

    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """Return states (n, 8), pushes (n, 2) and the states after them (n, 8)."""
        return np.array(self.before), np.array(self.pushes), np.array(self.after)


class Steerer(Watchful):
    """Looks one tick ahead with a predictor and takes the action whose next state lies nearest to the stable one.

    Once its alarm is raised it fits the accelerations anew by least squares to the episodes that the alarm is about,
    goes by them, and follows what always acts within an episode (such as wind).
    """

    name = "steerer"
    alarm: Alarm

    def __init__(self, predictor: Predictor, slopes: Floats) -> None:
        self._known, self._slopes = predictor, slopes
        self.alarm = Alarm(np.inf)
        self.predictor, self.stable = predictor, Stability(slopes)
        self._strange: list[Record] = []

    def begin(self, task: Task) -> None:
        """Begin a trial."""
        self.alarm = Alarm(self.alarm.threshold)
        self.predictor, self.stable = self._known, Stability(self._slopes)
        self._strange = []

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        super().start(observation)
        self.state, self.record = cart_pole(observation), Record()
        self._drift = np.zeros((2, 2))
        if isinstance(self.predictor, Linear):
            self._follow(np.zeros((2, 2)))

    def choose(self) -> int:
        """Return the action whose predicted next state lies nearest to the stable state."""
        return int(np.argmin(self.stable.distance(self.ahead(self.state[None])[0])))

    def ahead(self, states: Floats) -> Floats:
        """Return the predicted next states of each action, (n, 5, 8), of states (n, 8)."""
        count = len(PUSHES)
        given = np.repeat(states, count, axis=0), np.tile(PUSHES, (len(states), 1))
        return self.predictor.step(*given).reshape(len(states), count, -1)

    def observe(self, reward: float, observation: Seen, ended: bool) -> None:
        """Follow the state and keep the transition."""
        super().observe(reward, observation, ended)
        after = cart_pole(observation)
        self.record.add(self.state, self.action, after)
        if isinstance(self.predictor, Linear):
            off = (after - self.predictor.step(self.state[None], PUSHES[[self.action]])[0])[[2, 3, 6, 7]] / TICK
            if np.abs(off).max() < _HIT:
                self._follow(_RATE * off.reshape(2, 2))
        self.state = after

    def _follow(self, change: Floats) -> None:
        self._drift = self._drift + change
        self.predictor = Linear(self.predictor.slopes, self._drift)  # type: ignore[attr-defined]
        self.stable.settle(self._drift)

    def end(self) -> None:
        """Take the episode in: raise the alarm if need be, and once it is raised, fit anew."""
        value = self.strangeness()
        self.alarm.hear(value)
        if value > self.alarm.threshold or self.alarm.raised:
            self._strange = [*self._strange[1 - _EPISODES :], self.record]
        else:
            self._strange = []
        if self.alarm.raised:
            self.fit()

    def strangeness(self) -> float:
        """Return what the alarm hears of the episode: how far the known predictor was off, robust against hits.

        It is the median over ticks of the largest error of the predicted speeds and turns, so that a ball that hits
        once in a while does not count.
        """
        before, pushes, after = self.record.arrays()
        off = np.abs(after - self._known.step(before, pushes))[:, [2, 3, 6, 7]]
        return float(np.median(off.max(axis=1)))

    def fit(self) -> None:
        """Replace the accelerations by least squares over the episodes that the alarm is about."""
        parts = [record.arrays() for record in self._strange]
        before, pushes, after = (np.concatenate(part) for part in zip(*parts, strict=True))
        if len(before) < _FEWEST or len(np.unique(pushes, axis=0)) < 3:
            return
        episodes = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        model = fitted(before, pushes, after, episodes)
        if model.slopes[0, 0] > 0 > model.slopes[1, 0]:  # a push moves the cart along and the pole's top back
            self.predictor, self.stable = model, stability(model.slopes, self.stable)
