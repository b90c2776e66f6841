"""What an agent sees of the world, as one vector of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.domains.cartpole3d.levels import HALF_WIDTH, HEIGHT, Rules
from aiq.domains.cartpole3d.scene import CART_HEIGHT, CART_RADIUS, MAX_SPEED, POLE_RADIUS, Client, bullet
from aiq.domains.cartpole3d.world import World
from aiq.errors import InputError, choice

VIEWS = ("full", "cart", "baseline", "scaled")
WITH_BALLS = ("full", "scaled")
FASTEST_CART = 50.0
FASTEST_TURN = 100.0
BALL_LENGTH = 20.0
"""Metres that are 1 in a ball's position in the view ``scaled``: it is then about as large as the pole's angles."""
BALL_SPEED = 40.0
"""Metres a second that are 1 in a ball's velocity in the view ``scaled``."""
_PRESET_DECIMALS = {"paper": {}, "wsu": {"full": 6, "cart": 6, "baseline": 2, "scaled": 6}}
_PER_BALL = 6

Observation = npt.NDArray[np.float32]


class Observer:
    """Turns a world into an observation.

    Attributes:
        view: ``full``; ``cart`` (the balls left out); ``baseline`` (the ten inputs of the paper's baseline agent,
            scaled towards [0, 1]); ``scaled`` (as ``full``, balls in units of 20 m and 40 m/s).
        decimals: number of decimals to which values are rounded, or None.
        low: smallest value of every entry, shape (entries,), float32.
        high: largest value of every entry, shape (entries,), float32.
        names: name of every entry.
    """

    def __init__(self, preset: str, most_balls: int, view: str = "full", decimals: int | str | None = "preset") -> None:
        """Choose what is seen, with so many slots for balls.

        The preset is ``paper`` (angles in rad) or ``wsu`` (quaternion); decimals are 0 to 15, None for no rounding, or
        ``preset`` for the preset's own: none in ``paper``; in ``wsu`` six, and two in the view ``baseline``.
        """
        if view not in VIEWS:
            raise InputError(choice("view", view, VIEWS))
        self.view = view
        self.decimals = _PRESET_DECIMALS[preset].get(view) if decimals == "preset" else _checked(decimals)
        self._quaternion = preset == "wsu"
        self._slots = most_balls if view in WITH_BALLS else 0
        self._units = (BALL_LENGTH, BALL_SPEED) if view == "scaled" else (1.0, 1.0)
        table = _baseline_table() if view == "baseline" else _table(self._quaternion, self._slots, *self._units)
        self.names = tuple(name for name, _, _ in table)
        self.low = np.array([low for _, low, _ in table], np.float32)
        self.high = np.array([high for _, _, high in table], np.float32)

    def __call__(self, world: World) -> Observation:
        """Return the observation of the world as it is, shape (entries,), float32."""
        x, y, _ = world.cart_position
        vx, vy, _ = world.cart_velocity
        wx, wy, wz = world.pole_angular_velocity
        if self.view == "baseline":
            roll, pitch, yaw = world.roll_pitch_yaw
            values = [(value + 10) / 20 for value in (x, y, vx, vy, wx, wy, wz)]
            values += [(math.degrees(angle) + 180) / 360 for angle in (roll, pitch, yaw)]
        elif self._quaternion:
            values = [x, y, vx, vy, *world.pole_orientation, wx, wy, wz]
        else:
            roll, pitch, yaw = world.roll_pitch_yaw
            values = [x, y, vx, vy, yaw, pitch, roll, wz, wy, wx]
        if self._slots:
            values += self._balls(world)
        if self.decimals is not None:
            values = [round(value, self.decimals) for value in values]
        return np.array(values, np.float32)

    def _balls(self, world: World) -> list[float]:
        """Return positions and velocities of all slots, then which of them are filled."""
        positions, values = world.ball_positions, list[float]()
        length, speed = self._units
        for position, velocity in zip(positions, world.ball_velocities, strict=True):
            values += [x / length for x in position]
            values += [v / speed for v in velocity]
        absent = self._slots - len(positions)
        return values + [0.0] * (_PER_BALL * absent) + [1.0] * len(positions) + [0.0] * absent


def _checked(decimals: Any) -> int | None:
    if decimals is None:
        return None
    if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= 15:
        raise InputError(
            f"decimals is {decimals!r}; allowed are the integers 0 to 15, None for no rounding "
            "and 'preset' for the preset's own"
        )
    return decimals


def _table(quaternion: bool, slots: int, length: float, speed: float) -> list[tuple[str, float, float]]:
    """Return name, smallest and largest value of every entry in SI units and rad, of balls in the units given."""
    table = [
        ("cart x", -HALF_WIDTH, HALF_WIDTH),
        ("cart y", -HALF_WIDTH, HALF_WIDTH),
        ("cart v_x", -FASTEST_CART, FASTEST_CART),
        ("cart v_y", -FASTEST_CART, FASTEST_CART),
    ]
    if quaternion:
        table += [(f"pole q_{part}", -1.0, 1.0) for part in "xyzw"]
        table += [(f"pole omega_{axis}", -FASTEST_TURN, FASTEST_TURN) for axis in "xyz"]
    else:
        table += [("pole yaw", -math.pi, math.pi), ("pole pitch", -math.pi / 2, math.pi / 2)]
        table += [("pole roll", -math.pi, math.pi)]
        table += [(f"pole omega_{axis}", -FASTEST_TURN, FASTEST_TURN) for axis in "zyx"]
    for ball in range(slots):
        table += [(f"ball {ball} {axis}", -HALF_WIDTH / length, HALF_WIDTH / length) for axis in "xy"]
        table += [(f"ball {ball} z", 0.0, HEIGHT / length)]
        table += [(f"ball {ball} v_{axis}", -MAX_SPEED / speed, MAX_SPEED / speed) for axis in "xyz"]
    return table + [(f"ball {ball} is there", 0.0, 1.0) for ball in range(slots)]


def _baseline_table() -> list[tuple[str, float, float]]:
    """Return name, smallest and largest value of the baseline's ten inputs."""

    def scaled(name: str, most: float) -> tuple[str, float, float]:
        return (name, (10 - most) / 20, (10 + most) / 20)

    table = [scaled("cart x", HALF_WIDTH), scaled("cart y", HALF_WIDTH)]
    table += [scaled("cart v_x", FASTEST_CART), scaled("cart v_y", FASTEST_CART)]
    table += [scaled(f"pole omega_{axis}", FASTEST_TURN) for axis in "xyz"]
    return [*table, ("pole roll", 0.0, 1.0), ("pole pitch", 0.25, 0.75), ("pole yaw", 0.0, 1.0)]


# ---- Pictures by PyBullet's software renderer, drawn in a client of its own so that they change nothing

Colour = tuple[float, float, float, float]

_EDGE = 0.04
_DRAWN_POLE_RADIUS = 2 * POLE_RADIUS
_EYE, _TARGET, _FIELD = (6.5, -20.5, 9.0), (-0.2, 0.0, 4.3), 40.0
_AWAY = (0.0, 0.0, -500.0)
_UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Colours:
    """Colours of what is drawn; balls take theirs in turn."""

    cart: Colour = (0.16, 0.32, 0.62, 1)
    pole: Colour = (0.85, 0.55, 0.15, 1)
    balls: tuple[Colour, ...] = (
        (0.80, 0.20, 0.20, 1),
        (0.20, 0.60, 0.30, 1),
        (0.55, 0.30, 0.65, 1),
        (0.15, 0.60, 0.65, 1),
    )
    floor: Colour = (0.82, 0.82, 0.80, 1)
    edges: Colour = (0.35, 0.35, 0.38, 1)


class Painter:
    """Draws cart, pole, balls, floor and the edges of the box from outside; the pole is drawn twice as thick."""

    colours = Colours()
    field = _FIELD

    def __init__(self, rules: Rules, width: int = 480, height: int = 480) -> None:
        self.width, self.height = width, height
        self._p = p = bullet()
        self._own = Client()
        self.client = self._own.number
        self._projection = p.computeProjectionMatrixFOV(self.field, width / height, 0.1, 60)
        self._draw_box()
        self._cart = self._body(p.GEOM_CYLINDER, self.colours.cart, radius=CART_RADIUS, length=CART_HEIGHT)
        self._pole = self._body(p.GEOM_CYLINDER, self.colours.pole, radius=_DRAWN_POLE_RADIUS, length=rules.pole_length)
        self._radius = rules.ball_radius
        self._balls: list[int] = []

    def _body(self, kind: int, colour: tuple[float, ...], place: Any = _AWAY, **size: Any) -> int:
        shape = self._p.createVisualShape(kind, rgbaColor=colour, physicsClientId=self.client, **size)
        body: int = self._p.createMultiBody(0, -1, shape, place, physicsClientId=self.client)
        return body

    def _draw_box(self) -> None:
        box, half, middle = self._p.GEOM_BOX, HALF_WIDTH, HEIGHT / 2
        self._body(box, self.colours.floor, (0, 0, -0.05), halfExtents=(half, half, 0.05))
        for side in (-half, half):
            for level in (0.0, HEIGHT):
                self._body(box, self.colours.edges, (0, side, level), halfExtents=(half, _EDGE, _EDGE))
                self._body(box, self.colours.edges, (side, 0, level), halfExtents=(_EDGE, half, _EDGE))
            for across in (-half, half):
                self._body(box, self.colours.edges, (side, across, middle), halfExtents=(_EDGE, _EDGE, middle))

    def view(self, world: World) -> Any:
        """Return the matrix of the camera that looks at a world: here one that does not move."""
        return self._p.computeViewMatrix(_EYE, _TARGET, (0, 0, 1))

    def draw(self, world: World) -> npt.NDArray[np.uint8]:
        """Return a picture of the world as it is, shape (height, width, 3)."""
        p, client = self._p, self.client
        place = p.resetBasePositionAndOrientation
        place(self._cart, world.cart_position, _UPRIGHT, client)
        place(self._pole, world.pole_position, world.pole_orientation, client)
        positions = world.ball_positions
        while len(self._balls) < len(positions):
            colour = self.colours.balls[len(self._balls) % len(self.colours.balls)]
            self._balls.append(self._body(p.GEOM_SPHERE, colour, radius=self._radius))
        for number, ball in enumerate(self._balls):
            place(ball, positions[number] if number < len(positions) else _AWAY, _UPRIGHT, client)
        _, _, pixels, _, _ = p.getCameraImage(
            self.width,
            self.height,
            self.view(world),
            self._projection,
            lightDirection=(4, -8, 14),
            shadow=0,
            renderer=p.ER_TINY_RENDERER,
            flags=p.ER_NO_SEGMENTATION_MASK,
            physicsClientId=client,
        )
        picture = np.asarray(pixels, np.uint8).reshape(self.height, self.width, 4)
        return np.ascontiguousarray(picture[:, :, :3])

    def close(self) -> None:
        """Give the client back; a second call does nothing."""
        self._own.close()
