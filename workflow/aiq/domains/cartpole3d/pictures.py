"""Grey 32x32 pictures of CartPole3D, taken from above the cart."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.domains.cartpole3d.levels import Rules
from aiq.domains.cartpole3d.rendering import Colours, Painter
from aiq.domains.cartpole3d.scene import CART_HEIGHT
from aiq.domains.cartpole3d.world import World

SIDE = 32
ABOVE = 0.4
_FINER = 3
_LUMA = np.array([0.299, 0.587, 0.114])


class Overhead(Painter):
    """A camera above the cart that looks down, 0.4 m above the tip of an upright pole, and goes with the cart.

    So the tip, which is close to the camera, moves by a pixel a degree; the edges of the box and balls come into view
    when they are near. Drawn three times as fine by PyBullet's software renderer and averaged, so that shifts below a
    pixel change grey levels.
    """

    colours = Colours(
        cart=(0.45, 0.45, 0.45, 1),
        pole=(1, 1, 1, 1),
        balls=((0.7, 0.7, 0.7, 1),),
        floor=(0.2, 0.2, 0.2, 1),
        edges=(0.7, 0.7, 0.7, 1),
    )
    field = 90.0

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, _FINER * SIDE, _FINER * SIDE)
        self._eye = CART_HEIGHT + rules.tip_height + ABOVE

    def view(self, world: World) -> Any:
        """Return the matrix of the camera above the cart; +x is right and +y up in the picture."""
        x, y, _ = world.cart_position
        return self._p.computeViewMatrix((x, y, self._eye), (x, y, 0.0), (0.0, 1.0, 0.0))

    def take(self, world: World) -> npt.NDArray[np.uint8]:
        """Return a picture of the world as it is, shape (1, 32, 32)."""
        fine = (self.draw(world) @ _LUMA).reshape(SIDE, _FINER, SIDE, _FINER)
        picture: npt.NDArray[np.uint8] = np.rint(fine.mean(axis=(1, 3))).astype(np.uint8)[None]
        return picture
