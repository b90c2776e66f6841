"""A world that is closed after its test, and an environment likewise."""

from collections.abc import Callable, Iterator

import gymnasium
import numpy as np
import pytest

from aiq.domains.cartpole3d.levels import resolve
from aiq.domains.cartpole3d.world import World

NAME = "aiq/CartPole3D-v0"


@pytest.fixture
def build() -> Iterator[Callable[..., World]]:
    """Build worlds by level, difficulty and preset."""
    built: list[World] = []

    def make(*variant: int | str, seed: int = 0, most_balls: int = 20) -> World:
        world = World(resolve(*variant), most_balls)  # type: ignore[arg-type]
        world.reset(np.random.default_rng(seed))
        built.append(world)
        return world

    yield make
    for world in built:
        world.close()


@pytest.fixture
def make() -> Iterator[Callable[..., gymnasium.Env]]:
    """Make environments by their arguments."""
    made: list[gymnasium.Env] = []

    def environment(**arguments: object) -> gymnasium.Env:
        made.append(gymnasium.make(NAME, **arguments))
        return made[-1]

    yield environment
    for each in made:
        each.close()
