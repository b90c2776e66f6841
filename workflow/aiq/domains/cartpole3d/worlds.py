"""CartPole3D as a control domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aiq import seeding
from aiq.domains.base import DataSheet
from aiq.domains.cartpole3d.levels import LEVELS, TICKS, resolve
from aiq.domains.cartpole3d.observation import Observer
from aiq.domains.cartpole3d.scene import bullet
from aiq.domains.cartpole3d.world import World
from aiq.domains.control.base import DeclaredDomain, streams
from aiq.domains.control.lane_worlds import Lane, LaneWorlds, Observed

if TYPE_CHECKING:
    from aiq.domains.control.settings import CartPole3D

_ACTIONS = ("nothing", "right", "left", "forward", "backward")


class CartPole3DDomain(DeclaredDomain):
    """A pole on a cart in a box of bouncing balls; 1/200 for every tick survived, 200 ticks (3.4.1).

    PyBullet worlds are built when an episode needs one and used again after it: what happened in a world before
    changes nothing. So there are as many of them as episodes that run at the same time; a world holds about 50 MB,
    30 of them PyBullet's client, and a process keeps what it once took.
    """

    settings: CartPole3D
    side_by_side = 8

    def __init__(self, name: str, settings: CartPole3D) -> None:
        """Choose the variant; no world is built yet."""
        bullet()
        self.rules = resolve(settings.novelty, settings.difficulty, settings.preset)
        self.observer = Observer(settings.preset, settings.most_balls, settings.view)
        self._free: list[World] = []
        super().__init__(
            name,
            settings,
            observations=len(self.observer.names),
            actions=len(_ACTIONS),
            bounds=(0.0, 1.0),
            horizon=TICKS,
            sheet=_sheet(settings),
        )

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> LaneWorlds:
        """Return one world for each seed."""
        return LaneWorlds(self, [_CartPole3DLane(self, seed) for seed in seeds], device)

    def borrow(self) -> World:
        """Return a world that nobody uses."""
        return self._free.pop() if self._free else World(self.rules, self.settings.most_balls)

    def give_back(self, world: World) -> None:
        """Take a world back that is not used any more."""
        self._free.append(world)

    def close(self) -> None:
        """Give the PyBullet clients of all free worlds back; new ones are built when they are needed."""
        while self._free:
            self._free.pop().close()


class _CartPole3DLane(Lane):
    """One random stream, and a world while an episode runs.

    The stream is that of the Gymnasium environment after ``reset(seed=seed)``.
    """

    def __init__(self, domain: CartPole3DDomain, seed: int) -> None:
        self._domain, self._observer, self._seed = domain, domain.observer, seed
        self._random = streams([seed])[0]
        self._world: World | None = None

    def reset(self) -> Observed:
        if self._world is None:
            self._world = self._domain.borrow()
        self._world.reset(self._random)
        return self._observer(self._world)

    def step(self, action: int) -> tuple[Observed, float, bool, bool]:
        world = self._world
        if world is None:
            raise RuntimeError("a tick was asked for outside an episode")
        world.step(action)
        fallen = world.fallen
        over = not fallen and world.over
        observed = self._observer(world)
        if fallen or over:
            self.close()
        return observed, 0.0 if fallen else 1 / TICKS, fallen, over

    def stream(self) -> str:
        """Return where the stream is: a world has no memory of earlier episodes."""
        return seeding.state_of(self._random)

    def rewind(self, stream: str | None) -> None:
        """Be before an episode that begins at a place of the stream."""
        self.close()
        self._random = streams([self._seed])[0] if stream is None else seeding.resumed(stream)

    def close(self) -> None:
        if self._world is not None:
            self._domain.give_back(self._world)
            self._world = None


def _sheet(settings: CartPole3D) -> DataSheet:
    level = LEVELS[settings.novelty]
    graded = f" ({level.values})" if level.values else ""
    return DataSheet(
        description="A pole on a cart that moves in the plane, in a box of bouncing balls, to be kept upright",
        source="section 3.4.1 of The Artificial Intelligence Quotient (2025), computed here with PyBullet",
        licence="made here; PyBullet is zlib",
        value_range=(0.0, 1.0),
        class_names=_ACTIONS,
        notes=(
            f"level {settings.novelty}, {settings.difficulty}: {level.effect}{graded}; preset {settings.preset}",
            f"observation: view {settings.view}, slots for {settings.most_balls} balls, as the environment "
            "aiq/CartPole3D-v0 describes it",
            f"reward: 1/{TICKS} for every tick at whose end the pole stands; performance = return",
            f"end: roll or pitch of the pole beyond {12 if settings.preset == 'paper' else 10} degrees, or {TICKS} "
            "ticks",
        ),
    )
