"""The bodies of the world in a PyBullet client of its own: box, cart with pole, and a pool of balls."""

from __future__ import annotations

import math
import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiq.domains.cartpole3d.levels import HALF_WIDTH, HEIGHT, TIME_STEP, Rules
from aiq.errors import DomainError

_SLIDE, CART, POLE = 0, 1, 2
CART_RADIUS, CART_HEIGHT = 0.5, 0.2
POLE_RADIUS, POLE_MASS, POLE_CENTRE = 0.03, 0.1, 1.0
BALL_MASS = 1.0
MAX_SPEED = 25.0
_UPRIGHT = (0.0, 0.0, 0.0, 1.0)
_PARKING = -100.0
_WALL, _GROUND, _BODY, _BALL = 1, 2, 4, 8
_PLANES = (
    ((0, 0, 1), (0, 0, 0), _GROUND),
    ((0, 0, -1), (0, 0, HEIGHT), _GROUND),
    ((1, 0, 0), (-HALF_WIDTH, 0, 0), _WALL),
    ((-1, 0, 0), (HALF_WIDTH, 0, 0), _WALL),
    ((0, 1, 0), (0, -HALF_WIDTH, 0), _WALL),
    ((0, -1, 0), (0, HALF_WIDTH, 0), _WALL),
)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the banner that PyBullet prints from C when it is first imported off standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def bullet() -> Any:
    """Import PyBullet when a world first needs it."""
    if "pybullet" in sys.modules:
        return sys.modules["pybullet"]
    with _quiet():
        import pybullet  # type: ignore[import-not-found]
    return pybullet


class Client:
    """A PyBullet client of one's own; it is given back by ``close``, or when nothing refers to it any more.

    Attributes:
        number: id of the client.
    """

    def __init__(self) -> None:
        p = bullet()
        number: int = p.connect(p.DIRECT)
        if number < 0:
            raise DomainError(
                "PyBullet has no room for another world: close environments that are not needed any more, "
                "or use several processes"
            )
        self.number = number
        self.close = weakref.finalize(self, p.disconnect, number)


class Scene:
    """The bodies of one variant. Building takes tens of milliseconds; placing them anew takes microseconds.

    Gravity is not a property of the Bullet world where balls are held against it: there the pole's weight is a force on
    the pole, which is the same and leaves the balls free of any force. Contacts are frictionless, undamped and
    positions are corrected by split impulses, so that a bounce at restitution 1 keeps the energy.

    ``client`` is the id of the PyBullet client, shared with nobody; ``cart`` that of the body whose links are ``CART``
    and ``POLE``; ``balls`` those of all balls in the pool, absent ones parked outside the box.
    """

    def __init__(self, rules: Rules, pool: int) -> None:
        self.rules = rules
        self._p = bullet()
        self._own = Client()
        self.client = self._own.number
        self._p.setTimeStep(TIME_STEP, physicsClientId=self.client)
        self._p.setPhysicsEngineParameter(
            numSubSteps=0,
            contactBreakingThreshold=1e-4,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=1e-9,
            deterministicOverlappingPairs=1,
            physicsClientId=self.client,
        )
        self._p.setGravity(0, 0, -rules.gravity if rules.balls_fall else 0, physicsClientId=self.client)
        self._walls = [self._plane(*plane) for plane in _PLANES]
        self.cart = self._cart()
        self._sphere = self._p.createCollisionShape(
            self._p.GEOM_SPHERE, radius=rules.ball_radius, physicsClientId=self.client
        )
        self.balls = [self._ball(number) for number in range(pool)]
        self._restitution = math.nan

    def _plane(self, normal: tuple[int, ...], position: tuple[float, ...], group: int) -> int:
        """Add a half-space that nothing passes; floor and ceiling meet balls alone."""
        p = self._p
        shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=normal, physicsClientId=self.client)
        body: int = p.createMultiBody(0, shape, -1, position, useMaximalCoordinates=True, physicsClientId=self.client)
        mask = _BALL if group == _GROUND else _BALL | _BODY
        p.changeDynamics(body, -1, lateralFriction=0, physicsClientId=self.client)
        p.setCollisionFilterGroupMask(body, -1, group, mask, self.client)
        return body

    def _cart(self) -> int:
        """Add the cart, which slides in the plane, and the pole on a free spherical joint.

        Two sliding joints, the first one's link without mass, stand for the planar joint: without friction nothing
        turns the cart about its axis, and PyBullet can put sliding joints back to a place.
        """
        p, client = self._p, self.client
        cart = p.createCollisionShape(p.GEOM_CYLINDER, radius=CART_RADIUS, height=CART_HEIGHT, physicsClientId=client)
        pole = p.createCollisionShape(
            p.GEOM_CYLINDER,
            radius=POLE_RADIUS,
            height=self.rules.pole_length,
            collisionFramePosition=[0, 0, POLE_CENTRE],
            physicsClientId=client,
        )
        body: int = p.createMultiBody(
            baseMass=0,
            linkMasses=[0, self.rules.cart_mass, POLE_MASS],
            linkCollisionShapeIndices=[-1, cart, pole],
            linkVisualShapeIndices=[-1, -1, -1],
            linkPositions=[[0, 0, CART_HEIGHT / 2], [0, 0, 0], [0, 0, CART_HEIGHT / 2]],
            linkOrientations=[_UPRIGHT] * 3,
            linkInertialFramePositions=[[0, 0, 0], [0, 0, 0], [0, 0, POLE_CENTRE]],
            linkInertialFrameOrientations=[_UPRIGHT] * 3,
            linkParentIndices=[0, 1, 2],
            linkJointTypes=[p.JOINT_PRISMATIC, p.JOINT_PRISMATIC, p.JOINT_SPHERICAL],
            linkJointAxis=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            physicsClientId=client,
        )
        for link in (-1, _SLIDE, CART, POLE):
            p.changeDynamics(
                body,
                link,
                restitution=1,
                lateralFriction=0,
                linearDamping=0,
                angularDamping=0,
                jointDamping=0,
                maxJointVelocity=MAX_SPEED,
                physicsClientId=client,
            )
        for slide in (_SLIDE, CART):
            p.setJointMotorControl2(body, slide, p.VELOCITY_CONTROL, force=0, physicsClientId=client)
        p.setJointMotorControlMultiDof(
            body,
            POLE,
            p.POSITION_CONTROL,
            targetPosition=_UPRIGHT,
            positionGain=0,
            velocityGain=0,
            force=[0, 0, 0],
            physicsClientId=client,
        )
        return body

    def _ball(self, number: int) -> int:
        p = self._p
        mass = 0.0 if self.rules.balls_fixed else BALL_MASS
        where = (0.0, 0.0, _PARKING - 3 * number)
        ball: int = p.createMultiBody(
            mass, self._sphere, -1, where, useMaximalCoordinates=True, physicsClientId=self.client
        )
        p.changeDynamics(
            ball,
            -1,
            lateralFriction=0,
            rollingFriction=0,
            spinningFriction=0,
            linearDamping=0,
            angularDamping=0,
            physicsClientId=self.client,
        )
        p.setCollisionFilterGroupMask(ball, -1, 0, 0, self.client)
        return ball

    def place_ball(self, ball: int, position: Any, velocity: Any) -> None:
        """Put a ball of the pool at a place in the box with a velocity."""
        p = self._p
        p.resetBasePositionAndOrientation(ball, position, _UPRIGHT, self.client)
        p.resetBaseVelocity(ball, velocity, (0, 0, 0), physicsClientId=self.client)
        p.setCollisionFilterGroupMask(ball, -1, _BALL, _WALL | _GROUND | _BODY | _BALL, self.client)

    def park(self, number: int) -> None:
        """Put a ball of the pool where nothing meets it."""
        p, ball = self._p, self.balls[number]
        p.resetBasePositionAndOrientation(ball, (0, 0, _PARKING - 3 * number), _UPRIGHT, self.client)
        p.resetBaseVelocity(ball, (0, 0, 0), (0, 0, 0), physicsClientId=self.client)
        p.setCollisionFilterGroupMask(ball, -1, 0, 0, self.client)

    def place(self, cart: Any, orientation: Any, angular_velocity: Any) -> None:
        """Put the cart at rest at x and y, tilt the pole, and forget all contacts of both.

        Args:
            cart: x and y in m.
            orientation: of the pole, quaternion x, y, z, w.
            angular_velocity: of the pole, x, y, z in rad/s.
        """
        p, client = self._p, self.client
        for slide, place in zip((_SLIDE, CART), cart, strict=True):
            p.resetJointState(self.cart, slide, place, 0, client)
        p.resetJointStateMultiDof(self.cart, POLE, orientation, angular_velocity, physicsClientId=client)
        for link in (CART, POLE):
            p.setCollisionFilterGroupMask(self.cart, link, _BODY, _WALL | _BALL, client)

    def make_bouncy(self, restitution: float) -> None:
        """Give balls and walls a restitution."""
        if restitution != self._restitution:
            for body in (*self._walls, *self.balls):
                self._p.changeDynamics(body, -1, restitution=restitution, physicsClientId=self.client)
            self._restitution = restitution

    def close(self) -> None:
        """Give the client back; a second call does nothing."""
        self._own.close()


def roll_pitch_yaw(quaternion: Any) -> tuple[float, float, float]:
    """Return the angles in rad of R = R_z(yaw) R_y(pitch) R_x(roll) from a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return roll, pitch, yaw
