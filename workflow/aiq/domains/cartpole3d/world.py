"""The world of CartPole3D: one physics step of 0.02 s a tick, without any habit of reinforcement learning."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from aiq.domains.cartpole3d import starts
from aiq.domains.cartpole3d.levels import PUSH, TICKS, Pull, Rules
from aiq.domains.cartpole3d.scene import (
    CART,
    CART_HEIGHT,
    CART_RADIUS,
    MAX_SPEED,
    POLE,
    POLE_CENTRE,
    POLE_MASS,
    POLE_RADIUS,
    Scene,
    bullet,
    roll_pitch_yaw,
)
from aiq.errors import InputError
from aiq.records.estimate import Floats

Vector = tuple[float, float, float]

MOST_BALLS = 20
PUSHES: tuple[Vector | None, ...] = (None, (PUSH, 0, 0), (-PUSH, 0, 0), (0, PUSH, 0), (0, -PUSH, 0))
_RECENT = 10


def checked_most_balls(most_balls: object) -> int:
    """Return the declared maximum of balls, or refuse it in one sentence."""
    if isinstance(most_balls, bool) or not isinstance(most_balls, int | np.integer) or not 4 <= most_balls <= 200:
        raise InputError(f"most_balls is {most_balls!r}; allowed are the integers 4 to 200")
    return int(most_balls)


class World:
    """Box, cart, pole and balls of one variant, in a PyBullet client of its own.

    Everything random comes from the generator handed to ``reset``; the same generator gives the same episode,
    bit for bit, whatever the world did before.

    Attributes:
        rules: the variant.
        most_balls: declared maximum of balls; spawning stops there.
        ticks: ticks since the start of the episode.
        cart_position: x, y, z of the cart's centre in m.
        cart_velocity: m/s.
        pole_position: centre of mass of the pole in m.
        pole_velocity: of the centre of mass in m/s.
        pole_orientation: quaternion x, y, z, w.
        pole_angular_velocity: rad/s in world axes.
        ball_velocities: one velocity in m/s a ball that is present.
        restitution: of balls and walls in this episode.
        wind_angle: direction of the wind in the plane in this episode in rad.
    """

    def __init__(self, rules: Rules, most_balls: int = MOST_BALLS) -> None:
        self.rules = rules
        self.most_balls = checked_most_balls(most_balls)
        self._p = bullet()
        self.scene = Scene(rules, 4 if rules.spawning is None else self.most_balls)
        self._weight = (0.0, 0.0, 0.0 if rules.balls_fall else -POLE_MASS * rules.gravity)
        self._rng = np.random.default_rng(0)
        self._present: list[int] = []
        self._recent: deque[Vector] = deque(maxlen=_RECENT)
        self.ticks = 0
        self.restitution = 1.0
        self.wind_angle = 0.0
        self._start = np.zeros(2)
        self._look()

    def reset(self, rng: np.random.Generator) -> None:
        """Begin an episode: place everything, push the cart a little, let one tick pass."""
        self._rng, rules = rng, self.rules
        cart = rng.uniform(-3, 3, 2)
        tilt = np.append(rng.uniform(-0.01, 0.01, 3), 1.0)
        turn = np.append(rng.uniform(-0.01, 0.01, 2), 0.0)
        heading, strength = rng.uniform(-math.pi, math.pi), rng.uniform(0, 1)
        self.restitution = float(rng.uniform(*rules.restitution))
        self.wind_angle = float(rng.uniform(-math.pi, math.pi))
        balls = starts.first_balls(rules, cart, rng)
        self._start = cart
        self.scene.place(cart, (tilt / np.linalg.norm(tilt)).tolist(), turn.tolist())
        self.scene.make_bouncy(self.restitution)
        self._recent.clear()
        self.place_balls(balls)
        self._tick((strength * math.cos(heading), strength * math.sin(heading), 0.0))
        self.ticks = 0

    def step(self, action: int) -> None:
        """Let one tick pass under an action 0 ... 4: nothing, push to +x, -x, +y or -y with 10 N."""
        if self.rules.spawning is not None:
            self._recent.append(self.cart_position)
        self._tick(PUSHES[action])
        self.ticks += 1
        if self.rules.spawning is not None and self.ticks % self.rules.spawning.interval == 0:
            self._spawn()

    def place_balls(self, balls: starts.Balls) -> None:
        """Let these balls be in the box and no others."""
        if len(balls.positions) > len(self.scene.balls):
            raise InputError(f"{len(balls.positions)} balls are asked for; this world has {len(self.scene.balls)}")
        for number in range(len(balls.positions), len(self._present)):
            self.scene.park(number)
        self._present = []
        for position, velocity in zip(balls.positions, balls.velocities, strict=True):
            self._appear(position, velocity)
        self._look()

    @property
    def ball_count(self) -> int:
        """Number of balls in the box."""
        return len(self._present)

    @property
    def ball_positions(self) -> list[Vector]:
        """Position in m of every ball in the box."""
        where, client = self._p.getBasePositionAndOrientation, self.scene.client
        return [where(ball, client)[0] for ball in self._present]

    @property
    def roll_pitch_yaw(self) -> Vector:
        """Orientation of the pole as angles in rad."""
        return roll_pitch_yaw(self.pole_orientation)

    @property
    def fallen(self) -> bool:
        """Whether the pole's roll or pitch is beyond the limit."""
        roll, pitch, _ = roll_pitch_yaw(self.pole_orientation)
        limit = self.rules.fall_limit
        return abs(roll) > limit or abs(pitch) > limit

    @property
    def over(self) -> bool:
        """Whether the last tick of an episode has passed."""
        return self.ticks >= TICKS

    @property
    def tip(self) -> Floats:
        """Position of the pole's upper end in m, shape (3,)."""
        joint = self.joint
        centre = np.asarray(self.pole_position)
        return joint + (centre - joint) * (self.rules.tip_height / POLE_CENTRE)

    @property
    def joint(self) -> Floats:
        """Position of the pole's joint in m, shape (3,)."""
        x, y, z = self.cart_position
        return np.array([x, y, z + CART_HEIGHT / 2])

    def close(self) -> None:
        """Give the PyBullet client back."""
        self.scene.close()

    def _appear(self, position: Floats, velocity: Floats) -> None:
        ball = self.scene.balls[len(self._present)]
        self.scene.place_ball(ball, position.tolist(), velocity.tolist())
        self._present.append(ball)

    def _tick(self, push: Vector | None) -> None:
        p, body, client = self._p, self.scene.cart, self.scene.client
        force, frame = p.applyExternalForce, p.WORLD_FRAME
        force(body, POLE, self._weight, self.pole_position, frame, client)
        if push is not None:
            force(body, CART, push, self.cart_position, frame, client)
        if self.rules.pull is not None:
            self._pull(self.rules.pull)
        if self.rules.wind_peak:
            self._blow()
        p.stepSimulation(client)
        self._look()

    def _look(self) -> None:
        p, client = self._p, self.scene.client
        cart, pole = p.getLinkStates(self.scene.cart, (CART, POLE), 1, 1, client)
        self.cart_position, self.cart_velocity = cart[0], cart[6]
        self.pole_position, self.pole_orientation = pole[0], pole[1]
        self.pole_velocity, self.pole_angular_velocity = pole[6], pole[7]
        speed_of = p.getBaseVelocity
        self.ball_velocities: list[Vector] = [speed_of(ball, client)[0] for ball in self._present]
        for number, (x, y, z) in enumerate(self.ball_velocities):
            squared = x * x + y * y + z * z
            if squared > MAX_SPEED**2:
                scale = MAX_SPEED / math.sqrt(squared)
                slower = (x * scale, y * scale, z * scale)
                p.resetBaseVelocity(self._present[number], slower, physicsClientId=client)
                self.ball_velocities[number] = slower

    def _pull(self, pull: Pull) -> None:
        """Pull or push every ball (levels 5, 7, 13, 15)."""
        positions = self.ball_positions
        drawn = starts.pull_forces(pull, np.array(positions), self.joint, self.tip, self._rng)
        self._push_balls(drawn, positions)

    def _blow(self) -> None:
        """Let the wind drag balls, cart and pole (level 14)."""
        positions = self.ball_positions
        places = np.array([*positions, self.cart_position, self.pole_position])
        velocities = np.array([*self.ball_velocities, self.cart_velocity, self.pole_velocity])
        ball = math.pi * self.rules.ball_radius**2
        areas = [ball] * len(positions) + [2 * CART_RADIUS * CART_HEIGHT, 2 * POLE_RADIUS * self.rules.pole_length]
        air = starts.wind_velocity(self.rules.wind_peak, self.wind_angle, places[:, 2])
        dragged = starts.drag(air, velocities, np.array(areas))
        self._push_balls(dragged[:-2], positions)
        p, body, client = self._p, self.scene.cart, self.scene.client
        p.applyExternalForce(body, CART, dragged[-2].tolist(), self.cart_position, p.WORLD_FRAME, client)
        p.applyExternalForce(body, POLE, dragged[-1].tolist(), self.pole_position, p.WORLD_FRAME, client)

    def _push_balls(self, drawn: Floats, positions: list[Vector]) -> None:
        """Apply one force in N in world axes to every ball."""
        p, client = self._p, self.scene.client
        for ball, force, position in zip(self._present, drawn.tolist(), positions, strict=True):
            p.applyExternalForce(ball, -1, force, position, p.WORLD_FRAME, client)

    def _spawn(self) -> None:
        """Let a new ball appear (levels 8, 16) unless the declared maximum is reached or there is no room."""
        if self.ball_count >= self.most_balls:
            return
        cart = np.array(self.cart_position[:2])
        others = np.array(self.ball_positions)
        if self.rules.spawning is not None and self.rules.spawning.moving:
            drawn = starts.moving_ball(self.rules, self._start, cart, others, self._rng)
        else:
            motion = cart - np.array(self._recent[0][:2])
            drawn = starts.stopped_ball(self.rules, motion, cart, others, self._rng)
        if drawn is not None:
            self._appear(*drawn)
            self.ball_velocities.append((drawn[1][0], drawn[1][1], drawn[1][2]))
