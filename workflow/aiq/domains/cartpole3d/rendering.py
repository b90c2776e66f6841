"""Pictures of the world by PyBullet's software renderer, drawn in a client of their own so that they change nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.domains.cartpole3d.levels import HALF_WIDTH, HEIGHT, Rules
from aiq.domains.cartpole3d.scene import CART_HEIGHT, CART_RADIUS, POLE_RADIUS, Client, bullet
from aiq.domains.cartpole3d.world import World

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
