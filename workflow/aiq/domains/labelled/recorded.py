"""A competent agent's observations in a control problem, labelled with the actions it took (2.6.3)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import DataSheet, LabelledDomain, Request
from aiq.domains.cartpole import Constants, Regulator, draw, gains
from aiq.domains.family import Family, check_installed
from aiq.domains.labelled.settings import Recorded
from aiq.domains.labelled.splits import standardise

if TYPE_CHECKING:
    import gymnasium


STEPS = 200
_ACTIONS = ("push left", "push right")


def make_environment(settings: Recorded) -> gymnasium.Env[Any, Any]:
    """Make the environment with episodes of at most 200 steps."""
    import gymnasium

    return gymnasium.make(settings.environment, max_episode_steps=STEPS)


def make_agent(environment: gymnasium.Env[Any, Any]) -> Regulator:
    """Make the regulator from the constants that Gymnasium's own environment holds."""
    world: Any = environment.unwrapped
    constants = (world.force_mag, world.gravity, world.length, world.masscart, world.masspole, world.tau)
    return Regulator(gains(Constants(*constants)))


def _episode(
    environment: gymnasium.Env[Any, Any], agent: Regulator, exploration: float, root: int, *key: str | int
) -> tuple[list[npt.NDArray[np.float32]], list[int]]:
    """Play one episode; return its observations and the agent's action at each (explored steps included)."""
    random = seeding.generator(root, *key, "exploration")
    observation, _ = environment.reset(seed=seeding.integer(root, *key, "reset"))
    observations, actions, over = [], [], False
    while not over:
        action = agent.act(observation)
        observations.append(observation)
        actions.append(action)
        explore, instead = random.random() < exploration, int(random.integers(2))
        observation, _, terminated, truncated, _ = environment.step(instead if explore else action)
        over = terminated or truncated
    return observations, actions


def record(
    settings: Recorded, n: int, root: int, *key: str | int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], int]:
    """Record the first ``n`` observation-action pairs of episodes 0, 1, 2, ... of the key.

    Every step of an episode is kept up to the n-th pair; more pairs continue the same record.

    Returns:
        Observations in SI units, shape (n, 4); actions, shape (n,); the number of episodes.
    """
    environment = make_environment(settings)
    agent = make_agent(environment)
    observations: list[npt.NDArray[np.float32]] = []
    actions: list[int] = []
    episodes = 0
    while len(actions) < n:
        seen, taken = _episode(environment, agent, settings.exploration, root, *key, episodes)
        observations += seen
        actions += taken
        episodes += 1
    environment.close()
    return np.stack(observations[:n]).astype(np.float32), np.array(actions[:n], np.int64), episodes


def load_recorded(settings: Recorded, request: Request) -> LabelledDomain:
    """Record both splits from different episodes and show them as vectors or pictures."""
    if settings.environment == "cartpole3d":
        check_installed("recorded", ("pybullet",))
        made: LabelledDomain = import_module("aiq.domains.cartpole3d.recording").load_recorded3d(settings, request)
        return made
    key, root = (*request.key, "record"), request.root_seed
    train, train_y, train_episodes = record(settings, settings.train_samples, root, *key, "train")
    test, test_y, test_episodes = record(settings, settings.test_samples, root, *key, "test")
    right = [
        f"{y.mean():.1%} of the {split} labels are push right" for split, y in (("train", train_y), ("test", test_y))
    ]
    notes = [
        f"{train_episodes} training and {test_episodes} test episodes of at most {STEPS} steps, none in both",
        f"a random action instead of the agent's on {settings.exploration:.0%} of the steps; labels are the agent's",
        "; ".join(right),
    ]
    train_x: npt.NDArray[np.generic]
    test_x: npt.NDArray[np.generic]
    if settings.view == "image":
        train_x, test_x = draw(train), draw(test)
        notes.append("one picture shows position and angle but no velocity, so it does not determine the action")
        notes.append("the pole is drawn longer than to scale, at its true angle")
    else:
        train_x, test_x = standardise(train, test)
        notes.append("position, velocity, angle, angular velocity, standardised by the training split")
        notes.append("the agent is linear, so a linear classifier can tell the actions apart")
    sheet = DataSheet(
        description="Observations of a linear-quadratic regulator that balances a pole, labelled with its actions",
        source=f"Gymnasium {settings.environment}, recorded here",
        licence="made here; the environment is MIT",
        class_names=_ACTIONS,
        notes=tuple(notes),
    )
    return LabelledDomain(request.name, train_x, train_y, test_x, test_y, settings.label_space, 2, sheet)


FAMILY = Family(
    Recorded,
    load_recorded,
    "a competent agent's observations in a control problem, labelled with the actions it took",
    "vectors (4,), of cartpole3d (10,), or images (1, 32, 32)",
    ("gymnasium",),
    {"source": "recorded", "environment": "CartPole-v1", "view": "vector"},
)
