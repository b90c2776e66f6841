"""What a hand-made proportional-derivative balancer saw in CartPole3D, and what it did (2.6.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import DataSheet, LabelledDomain, Request
from aiq.domains.cartpole3d.levels import LEVELS, TICKS, Rules, resolve
from aiq.domains.cartpole3d.observation import Colours, Observer, Painter
from aiq.domains.cartpole3d.scene import CART_HEIGHT
from aiq.domains.cartpole3d.world import PUSHES, World
from aiq.domains.labelled.settings import Recorded
from aiq.domains.labelled.splits import standardise
from aiq.errors import DomainError


@dataclass(frozen=True)
class Weights:
    """What counts beside the tilt of the pole in rad.

    Attributes:
        turn: of the pole's angular velocity, s.
        place: of the cart's position, rad/m, so that the cart drifts back to the middle.
        speed: of the cart's velocity, rad s/m.
        calm: need in rad below which nothing is done.
    """

    turn: float = 0.35
    place: float = 0.01
    speed: float = 0.03
    calm: float = 0.003


STEADY = Weights()
BY_SIGHT = Weights(turn=0.06, place=0.003, speed=0.006)
"""What a picture from above does not show counts little; the balancer does about as well with these weights."""


def balance(observation: npt.NDArray[Any], weights: Weights = STEADY) -> int:
    """Return the action 0 ... 4 that drives the cart under the pole, along the axis that needs it more.

    The need along an axis is the tilt of the pole plus the weighted angular velocity, position and velocity.

    Args:
        observation: of the preset ``paper`` in the view ``full`` or ``cart``; the first ten numbers are used.
        weights: of what counts beside the tilt.
    """
    x, y, v_x, v_y, yaw, pitch, roll, _, turn_y, turn_x = (float(value) for value in observation[:10])
    lean_x = math.cos(yaw) * math.sin(pitch) * math.cos(roll) + math.sin(yaw) * math.sin(roll)
    lean_y = math.sin(yaw) * math.sin(pitch) * math.cos(roll) - math.cos(yaw) * math.sin(roll)
    need_x = lean_x + weights.turn * turn_y + weights.place * x + weights.speed * v_x
    need_y = lean_y - weights.turn * turn_x + weights.place * y + weights.speed * v_y
    if max(abs(need_x), abs(need_y)) < weights.calm:
        return 0
    if abs(need_x) > abs(need_y):
        return 1 if need_x > 0 else 2
    return 3 if need_y > 0 else 4


ACTIONS = ("nothing", "right", "left", "forward", "backward")
_SLOTS = 4


def record3d(
    settings: Recorded, n: int, root: int, *key: str | int
) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.int64], int]:
    """Record the first ``n`` pairs of episodes 0, 1, 2, ... of the key.

    Every tick of an episode is kept up to the n-th pair; more pairs continue the same record, and the pictures show
    the same ticks as the vectors.

    Returns:
        Vectors (n, 10) float32: cart position, cart velocity, yaw, pitch, roll and angular velocity of the pole in
        SI units, as the view ``cart``; or pictures (n, 1, 32, 32) uint8. Actions, shape (n,). The number of episodes.
    """
    rules = resolve(settings.novelty, settings.difficulty)
    world, observer = World(rules), Observer("paper", _SLOTS, "cart")
    camera = Overhead(rules) if settings.view == "image" else None
    samples: list[npt.NDArray[np.generic]] = []
    actions: list[int] = []
    episodes = 0
    try:
        while len(actions) < n:
            explored = seeding.generator(root, *key, episodes, "exploration")
            world.reset(seeding.generator(root, *key, episodes, "reset"))
            while len(actions) < n and not (world.fallen or world.over):
                seen = observer(world)
                actions.append(balance(seen, BY_SIGHT))
                samples.append(seen if camera is None else camera.take(world))
                explore, instead = explored.random() < settings.exploration, int(explored.integers(len(PUSHES)))
                world.step(instead if explore else actions[-1])
            episodes += 1
    finally:
        world.close()
        if camera is not None:
            camera.close()
    return np.stack(samples), np.array(actions, np.int64), episodes


def load_recorded3d(settings: Recorded, request: Request) -> LabelledDomain:
    """Record both splits from different episodes."""
    key, root = (*request.key, "record"), request.root_seed
    train_x, train_y, train_episodes = record3d(settings, settings.train_samples, root, *key, "train")
    test_x, test_y, test_episodes = record3d(settings, settings.test_samples, root, *key, "test")
    stray = np.setdiff1d(test_y, train_y)
    if len(stray):
        raise DomainError(
            f"the agent's action {ACTIONS[stray[0]]!r} is in the test split, but among none of the "
            f"{settings.train_samples} training samples: raise train_samples"
        )
    level = LEVELS[settings.novelty]
    graded = f" ({level.values})" if level.values else ""
    shares = "; ".join(
        f"{name}: {share:.1%}"
        for name, share in zip(ACTIONS, np.bincount(train_y, minlength=len(ACTIONS)) / len(train_y), strict=True)
    )
    notes = [
        f"level {settings.novelty}, {settings.difficulty}: {level.effect}{graded}",
        f"{train_episodes} training and {test_episodes} test episodes of at most {TICKS} ticks, none in both",
        f"a random action instead of the agent's on {settings.exploration:.0%} of the ticks; labels are the agent's",
        f"actions of the training split: {shares}",
    ]
    if settings.view == "image":
        notes.append(
            "a camera goes with the cart above the pole: the tilt is seen, speeds and mostly the place are not, so one "
            "picture does not determine the action; a ball may hide the pole"
        )
    else:
        train_x, test_x = standardise(train_x, test_x)
        notes.append(
            "cart x, y, v_x, v_y; pole yaw, pitch, roll, omega_z, omega_y, omega_x; no balls, which the agent does not "
            "look at; standardised by the training split"
        )
    sheet = DataSheet(
        description="Observations of a hand-made balancer in CartPole3D, labelled with its actions",
        source="section 3.4.1 of The Artificial Intelligence Quotient (2025), computed and recorded here with PyBullet",
        licence="made here; PyBullet is zlib",
        class_names=ACTIONS,
        notes=tuple(notes),
    )
    space = settings.label_space
    return LabelledDomain(request.name, train_x, train_y, test_x, test_y, space, len(ACTIONS), sheet)


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
