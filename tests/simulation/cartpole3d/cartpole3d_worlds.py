"""What the tests of CartPole3D do to a world before they watch it."""

import numpy as np

from aiq.domains.cartpole3d.scene import CART, POLE
from aiq.domains.cartpole3d.starts import Balls
from aiq.domains.cartpole3d.world import World


def without_balls(world: World) -> World:
    """Let every ball of a world pass through everything."""
    for ball in world.scene.balls:
        world._p.setCollisionFilterGroupMask(ball, -1, 0, 0, world.scene.client)
    return world


def without_cart(world: World) -> World:
    """Let everything pass through cart and pole."""
    for link in (CART, POLE):
        world._p.setCollisionFilterGroupMask(world.scene.cart, link, 0, 0, world.scene.client)
    return world


def put_balls(world: World, positions: list[list[float]], velocities: list[list[float]]) -> None:
    """Replace the balls of a world by others."""
    world.place_balls(Balls(np.array(positions, float), np.array(velocities, float)))
