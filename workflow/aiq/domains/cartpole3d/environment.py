"""CartPole3D as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from aiq.domains.cartpole3d.levels import TICKS, resolve
from aiq.domains.cartpole3d.observation import Observation, Observer, Painter
from aiq.domains.cartpole3d.world import MOST_BALLS, PUSHES, World, checked_most_balls
from aiq.domains.control.base import checked_action
from aiq.errors import InputError, choice

_ACTIONS = "0 (nothing), 1 (+x), 2 (-x), 3 (+y) and 4 (-y)"


class CartPole3DEnv(gymnasium.Env[Observation, np.int64]):
    r"""A pole on a cart that moves in the plane, in a box of bouncing balls.

    ## Description

    The domain of section 3.4.1 of "The Artificial Intelligence Quotient" (2025): a cart on the floor of a cube of
    10 m carries a pole on a free spherical joint; 2 to 4 balls fly through the box, bounce off everything without
    loss and are held against gravity. PyBullet computes the physics: time step 0.02 s, gravity 9.8 m/s², no
    friction, no damping. Sixteen levels of novelty change one thing each.

    | Body | Size | Mass | Notes |
    |------|------|------|-------|
    | cart | cylinder, radius 0.5 m, height 0.2 m | 1 kg | slides in the plane |
    | pole | cylinder, radius 0.03 m, length 1 m | 0.1 kg | centre of mass 1 m above the joint, which is at 0.2 m |
    | ball | sphere, radius 0.5 m | 1 kg | restitution 1 |
    | box | x, y = ±5 m, z = 0 ... 10 m | | restitution 1 |

    ## Action Space

    `Discrete(5)`: a force of 10 N in world axes for one tick.

    | Action | Force |
    |--------|-------|
    | 0 | none |
    | 1 | right, +x |
    | 2 | left, -x |
    | 3 | forward, +y |
    | 4 | backward, -y |

    ## Observation Space

    `Box`, float32. View `full`, preset `paper`, with M = `most_balls` slots (150 numbers for M = 20):

    | Index | Quantity | Unit | Range |
    |-------|----------|------|-------|
    | 0, 1 | cart position x, y | m | ±5 |
    | 2, 3 | cart velocity x, y | m/s | ±50 |
    | 4, 5, 6 | pole yaw, pitch, roll, R = R_z(yaw) R_y(pitch) R_x(roll) | rad | ±π, ±π/2, ±π |
    | 7, 8, 9 | pole angular velocity about world z, y, x | rad/s | ±100 |
    | 10 + 6i ... 15 + 6i | ball i: position x, y, z; velocity x, y, z | m; m/s | ±5, ±5, 0 ... 10; ±25 |
    | 10 + 6M + i | 1 if ball i is there, 0 if its slot is empty (zeros) | | 0, 1 |

    Preset `wsu` gives the quaternion x, y, z, w and the angular velocity about x, y, z instead (11 numbers before
    the balls), all rounded to 6 decimals. View `cart` leaves the balls out (10 numbers; `wsu` 11). View `baseline`
    is what the paper's baseline agent sees: x, y, v_x, v_y, ω_x, ω_y, ω_z as (v + 10) / 20, then roll, pitch, yaw as
    (degrees + 180) / 360 (in `wsu` rounded to 2 decimals, steps of 3.6°).

    ## Rewards

    1/200 for every tick at whose end the pole stands; the return of an episode is the paper's performance, in [0, 1].

    ## Starting State

    Cart x, y ~ U[-3, 3]; components x, y, z of the pole's quaternion ~ U[-0.01, 0.01]; its angular velocity about x
    and y ~ U[-0.01, 0.01] rad/s; 2 to 4 balls at x, y ~ U[-4, 4], z ~ U[1, 9], at least 1 m from the cart in the plane
    and without overlap; every velocity component U[6, 10] m/s with a random sign. Then one tick without action, in
    which a random force of at most 1 N pushes the cart.

    ## Episode End

    Termination: roll or pitch of the pole beyond 12° (`wsu`: 10°). Truncation: after 200 ticks. No end by position.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `novelty` | int | `0` | level 0 (no change) ... 16, see the table |
    | `difficulty` | str | `"easy"` | `easy`, `medium`, `hard` |
    | `preset` | str | `"paper"` | `paper`, or `wsu` for what the authors' code does where it differs |
    | `view` | str | `"full"` | `full`, `cart`, `baseline`, `scaled` |
    | `decimals` | int, None, str | `"preset"` | decimals of the observation, None for no rounding |
    | `most_balls` | int | `20` | slots in the observation; no more balls than that are spawned; 4 ... 200 |
    | `render_mode` | str, None | `None` | `rgb_array` (480 × 480) |

    ## Levels

    | Level | Change | easy / medium / hard | Applied |
    |-------|--------|----------------------|---------|
    | 1 | mass of the cart | 5 / 10 / 50 kg | reset |
    | 2 | balls unmovable | | reset |
    | 3 | balls first pushed towards one random point, one shared speed U[0, 10] m/s | | reset |
    | 4 | radius of the balls 1 m | | reset |
    | 5 | balls pushed away from each other, U[0, 6] N from their centroid (`wsu`: towards it) | | tick |
    | 6 | gravity increased, and it acts on the balls | 20 / 30 / 40 m/s² (`wsu`: 9.8) | reset |
    | 7 | balls attracted to the floor's centre | 15 / 25 / 35 N | tick |
    | 8 | balls at rest spawned ahead of the cart at z = 1 m | every 50 / 15 / 7 ticks | tick |
    | 9 | length of the pole, its centre of mass where it was | 3 / 5 / 8 m | reset |
    | 10 | balls on one line in the plane of the cart, ±U[6, 10] m/s | 3-4 / 2-3 / 1.5-2 m away | reset |
    | 11 | balls first pushed towards the cart, U[0, 10] m/s | each with probability .25 / .5 / .75 | reset |
    | 12 | restitution of balls and walls | 1.05-1.15 / 1.20-1.30 / 1.35-1.45 | reset |
    | 13 | balls attracted to their centroid (`wsu`: pushed away) | 1 / 3 / 5 N | tick |
    | 14 | wind on balls, cart and pole | 16 / 18 / 20 m/s peak | tick |
    | 15 | balls pushed towards the pole's tip (`wsu`: 0.5 m above the cart) | 10 / 20 / 30 N | tick |
    | 16 | moving balls spawned, U[3, 5] m/s an axis | every 3 / 2 / 1 ticks | tick |

    ## Version History

    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012 (Gymnasium declares it as a variable)

    def __init__(
        self,
        novelty: int = 0,
        difficulty: str = "easy",
        preset: str = "paper",
        view: str = "full",
        decimals: int | str | None = "preset",
        most_balls: int = MOST_BALLS,
        render_mode: str | None = None,
    ) -> None:
        """Choose the variant; the world is built at the first reset.

        Raises:
            InputError: an argument that does not exist, in one sentence.
        """
        self.rules = resolve(novelty, difficulty, preset)
        self.most_balls = checked_most_balls(most_balls)
        self.observer = Observer(preset, self.most_balls, view, decimals)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise InputError(choice("render_mode", render_mode, self.metadata["render_modes"]))
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(len(PUSHES))
        self.observation_space = spaces.Box(self.observer.low, self.observer.high, dtype=np.float32)
        self.world: World | None = None
        self._painter: Painter | None = None
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; all its randomness comes from the environment's own generator."""
        super().reset(seed=seed)
        if self.world is None:
            self.world = World(self.rules, self.most_balls)
        self.world.reset(self.np_random)
        self._running = True
        return self.observer(self.world), {"ticks": 0, "balls": self.world.ball_count}

    def step(self, action: int | np.integer[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let one tick pass.

        Raises:
            ResetNeeded: no episode is running.
            InputError: an action other than the integers 0 to 4.
        """
        world = self.world
        if world is None or not self._running:
            raise ResetNeeded("no episode of CartPole3D is running: call reset() before step()")
        world.step(checked_action("CartPole3D", action, len(PUSHES), _ACTIONS))
        fallen = world.fallen
        over = not fallen and world.over
        self._running = not (fallen or over)
        reward = 0.0 if fallen else 1 / TICKS
        return self.observer(world), reward, fallen, over, {"ticks": world.ticks, "balls": world.ball_count}

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Return a picture of the world, shape (480, 480, 3), where ``render_mode`` is ``rgb_array``."""
        if self.render_mode is None:
            return None
        if self.world is None:
            raise ResetNeeded("there is nothing to draw yet: call reset() before render()")
        if self._painter is None:
            self._painter = Painter(self.rules)
        return self._painter.draw(self.world)

    def close(self) -> None:
        """Give the PyBullet clients back; a reset afterwards builds them anew."""
        for held in (self.world, self._painter):
            if held is not None:
                held.close()
        self.world = self._painter = None
        self._running = False
