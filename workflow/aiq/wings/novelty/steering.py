"""The predictor that agents share, and the one that looks one tick ahead with it (UMass's kind).

The reduced cart-pole in three dimensions, without balls: the pole is a thin rod on a frictionless joint. With the unit
vector u along it, L the distance from the joint to its centre of mass, J its moment of inertia about the joint and
k = m L / J:

    u'' = -k P (a + g z) - |u'|² u,    (M + m - m L k) a + m L k (a · u) u = F - m L k g u_z u + m L |u'|² u

where P takes the part across u, a is the cart's acceleration, and the second line holds in the plane. A tick is
Bullet's: first velocities, then places. The constants of level 0 are the simulator's own: *privileged knowledge*, which
``fitted`` does without. Lookout and repairing agents build on the steerer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, solve_discrete_are

from aiq.agents.protocol import Task
from aiq.wings.novelty.protocol import MOST_BALLS, Alarm, Seen, Watchful

Floats = npt.NDArray[np.float64]


def cart_pole(observation: npt.NDArray[Any]) -> Floats:
    """Return the state of cart and pole, (8,), from the first ten numbers of a view of the preset ``paper``.

    Cart position (m) and velocity (m/s) in the plane; ``lean``: the horizontal part of the unit vector along the pole;
    ``turn``: its change a second.
    """
    x, y, v_x, v_y, yaw, pitch, roll, w_z, w_y, w_x = (float(value) for value in observation[:10])
    lean_x = math.cos(yaw) * math.sin(pitch) * math.cos(roll) + math.sin(yaw) * math.sin(roll)
    lean_y = math.sin(yaw) * math.sin(pitch) * math.cos(roll) - math.cos(yaw) * math.sin(roll)
    up = math.cos(pitch) * math.cos(roll)
    return np.array([x, y, v_x, v_y, lean_x, lean_y, w_y * up - w_z * lean_y, w_z * lean_x - w_x * up])


def balls(observation: npt.NDArray[Any]) -> Floats:
    """Return position (m) and velocity (m/s) of every ball that is there, shape (n, 6), from the view ``full``."""
    slots = observation[10 : 10 + 6 * MOST_BALLS].reshape(MOST_BALLS, 6)
    there = observation[10 + 6 * MOST_BALLS : 10 + 7 * MOST_BALLS] > 0.5
    return np.asarray(slots[there], np.float64)


TICK = 0.02
PUSHES = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
"""Direction of the push of each action."""
WALL = 4.5  # largest distance of the cart's centre from the middle of the box along x and y, m


class Predictor(Protocol):
    """What says where a state goes."""

    def step(self, states: Floats, pushes: Floats) -> Floats:
        """Return the states (n, 8) after one tick under pushes (n, 2), directions of length 0 or 1."""


@dataclass(frozen=True)
class Constants:
    """What the equations hold, of level 0 by default: kg, m, m/s², N; ``centre``: from the joint to the centre of mass.

    ``length`` of the pole is for its moment of inertia alone.
    """

    cart_mass: float = 1.0
    pole_mass: float = 0.1
    centre: float = 1.0
    length: float = 1.0
    gravity: float = 9.8
    force: float = 10.0

    @property
    def inertia(self) -> float:
        """Of the pole about its joint, kg m²."""
        return self.pole_mass * (self.centre**2 + self.length**2 / 12)


class Physics:
    """The equations with given constants (privileged, if they are the simulator's)."""

    def __init__(self, constants: Constants | None = None) -> None:
        self.constants = constants or Constants()

    def step(self, states: Floats, pushes: Floats) -> Floats:
        """Return the states (n, 8) after one tick under pushes (n, 2)."""
        c = self.constants
        place, speed, lean, turn = states[:, :2], states[:, 2:4], states[:, 4:6], states[:, 6:8]
        k = c.pole_mass * c.centre / c.inertia
        coupling = c.pole_mass * c.centre * k
        across = (lean * lean).sum(1, keepdims=True)
        up = np.sqrt(np.maximum(1e-9, 1 - across))
        rising = -(lean * turn).sum(1, keepdims=True) / up
        whirl = (turn * turn).sum(1, keepdims=True) + rising**2
        plain = c.cart_mass + c.pole_mass - coupling
        drive = c.force * pushes + (c.pole_mass * c.centre * whirl - coupling * c.gravity * up) * lean
        along = (drive * lean).sum(1, keepdims=True)
        moved = (drive - coupling * along / (plain + coupling * across) * lean) / plain
        pulled = (moved * lean).sum(1, keepdims=True) + c.gravity * up
        bent = -k * (moved - pulled * lean) - whirl * lean
        return advanced(place, speed, lean, turn, moved, bent)

    def slopes(self) -> Floats:
        """Return the accelerations near the upright, (2, 2): of cart and lean (rows) by push and lean (columns)."""
        c = self.constants
        k = c.pole_mass * c.centre / c.inertia
        coupling = c.pole_mass * c.centre * k
        plain = c.cart_mass + c.pole_mass - coupling
        cart = np.array([c.force, -coupling * c.gravity]) / plain
        return np.array([cart, -k * cart + [0.0, k * c.gravity]])


@dataclass(frozen=True, eq=False)
class Linear:
    """Accelerations that are linear in push and lean, the same along x and y, and what always acts.

    ``slopes`` (2, 2): of cart and lean (rows) by push and lean (columns), 1/s². ``drift`` (2, 2): what always acts on
    cart and lean (rows) along x and y (columns).
    """

    slopes: Floats
    drift: Floats

    def step(self, states: Floats, pushes: Floats) -> Floats:
        """Return the states (n, 8) after one tick under pushes (n, 2)."""
        place, speed, lean, turn = states[:, :2], states[:, 2:4], states[:, 4:6], states[:, 6:8]
        moved = self.slopes[0, 0] * pushes + self.slopes[0, 1] * lean + self.drift[0]
        bent = self.slopes[1, 0] * pushes + self.slopes[1, 1] * lean + self.drift[1]
        return advanced(place, speed, lean, turn, moved, bent)


def advanced(place: Floats, speed: Floats, lean: Floats, turn: Floats, moved: Floats, bent: Floats) -> Floats:
    """Return the states (n, 8) after one tick under accelerations (n, 2) of cart and lean; walls give the cart back."""
    speed = speed + TICK * moved
    place = place + TICK * speed
    beyond = np.abs(place) > WALL
    if beyond.any():
        speed = np.where(beyond & (speed * place > 0), -speed, speed)
        place = np.clip(place, -WALL, WALL)
    turn = turn + TICK * bent
    return np.concatenate([place, speed, lean + TICK * turn, turn], axis=1)


def fitted(before: Floats, pushes: Floats, after: Floats, episodes: npt.NDArray[np.int64] | None = None) -> Linear:
    """Return linear accelerations by least squares over transitions (n, 8), (n, 2), (n, 8), without ticks of hits.

    Those whose residual lies beyond five times the median one count as hits. Nothing of the simulator's constants
    enters, so fitted on play in level 0 this is the *learned* predictor. ``episodes`` (n,): number of each transition's
    episode, from 0 on; what always acts may differ between them, and its mean is returned.
    """
    number = np.zeros(len(before), np.int64) if episodes is None else episodes
    held = np.eye(int(number.max()) + 1)[number]
    accelerations = (after[:, [2, 3, 6, 7]] - before[:, [2, 3, 6, 7]]) / TICK
    slopes, drift = np.zeros((2, 2)), np.zeros((2, 2))
    for row, columns in enumerate(([0, 1], [2, 3])):
        goal = accelerations[:, columns].T.reshape(-1)
        moved = np.stack([pushes.T.reshape(-1), before[:, 4:6].T.reshape(-1)], axis=1)
        seen = np.concatenate([moved, np.kron(np.eye(2), held)], axis=1)
        keep = np.ones(len(seen), bool)
        for _ in range(3):
            solved = np.linalg.lstsq(seen[keep], goal[keep], rcond=None)[0]
            rest = np.abs(goal - seen @ solved)
            keep = rest <= 5 * max(float(np.median(rest)), 1e-6)
        slopes[row], drift[row] = solved[:2], solved[2:].reshape(2, -1).mean(axis=1)
    return Linear(slopes, drift)


# ---- The steerer --------------------------------------------------------------------------------------


_WEIGHTS = np.diag([0.05, 0.05, 10.0, 0.3])
"""Of place, speed, lean and turn: of seven sets tried, one of three that did best in level 0."""
_EFFORT = 0.3
_MOST_LEAN = 0.1
_HIT = 5.0  # error of a predicted acceleration, m/s² or 1/s², beyond which something was hit
_RATE = 0.2
_EPISODES, _FEWEST = 8, 30


class Stability:
    """The cost to go of a linear-quadratic regulator, the same along x and y (squared distance to the stable state).

    The stable state is the middle, at rest, with the lean at which a constant push balances what always acts
    (``settle``), at most 0.1. ``slopes`` are those of ``Linear``.
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
        """Return the median over ticks of the largest error of predicted speeds and turns; rare hits do not count."""
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
