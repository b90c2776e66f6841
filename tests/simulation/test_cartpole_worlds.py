"""The batched cart-pole: step by step Gymnasium's, lane by lane independent."""

import gymnasium
import numpy as np
import pytest
import torch

from aiq.domains.cartpole import Constants
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.settings import CartPole
from tests.simulation.like_gymnasium import check_like_gymnasium

VARIANTS = [
    {},
    {"force": 1.0},
    {"force": 20.0},
    {"gravity": 0.0},
    {"gravity": 360.0},
    {"gravity": 180.0, "force": 7.0, "steps": 30},
]


def domain(**parameters):
    return CartPoleDomain("c", CartPole(source="cartpole", **parameters))


def of_gymnasium(settings):
    """Gymnasium's own environment with the same constants."""
    environment = gymnasium.make("CartPole-v1", max_episode_steps=settings.steps)
    world = environment.unwrapped
    world.gravity, world.force_mag = settings.gravity, settings.force
    return environment


def everywhere(lanes):
    return torch.ones(lanes, dtype=torch.bool)


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_every_step_is_gymnasium_s(parameters):
    """Observations, rewards, ends and starts of 5 lanes over 250 random steps, with restarts."""
    told, seeds = domain(**parameters), [3, 4, 2**40 + 1, 0, 99]
    assert check_like_gymnasium(told, [of_gymnasium(told.settings) for _ in seeds], seeds, 250) > 5


def test_the_state_is_exact_in_float64():
    told = domain(gravity=180.0)
    environment, worlds = of_gymnasium(told.settings), told.worlds([8])
    environment.reset(seed=8)
    worlds.reset(everywhere(1))
    for step in range(40):
        worlds.step(torch.tensor([step % 2]), everywhere(1))
        _, _, terminated, _, _ = environment.step(step % 2)
        assert np.abs(worlds._state[:, 0] - environment.unwrapped.state).max() < 1e-12
        if terminated:
            break


def test_numpy_and_torch_compute_the_same():
    """The path of other devices, on the CPU."""
    told = domain(gravity=90.0)
    plain, other = told.worlds(range(7)), told.worlds(range(7))
    other._library = torch
    other = _in_torch(other)
    random = torch.Generator().manual_seed(1)
    seen = [worlds.reset(everywhere(7)) for worlds in (plain, other)]
    for _ in range(400):
        actions = torch.randint(0, 2, (7,), generator=random)
        which = torch.rand(7, generator=random) < 0.7
        outcomes = [worlds.step(actions, which) for worlds in (plain, other)]
        assert torch.allclose(outcomes[0].observation, outcomes[1].observation, atol=1e-6)
        for part in ("reward", "terminated", "truncated"):
            assert torch.equal(getattr(outcomes[0], part), getattr(outcomes[1], part))
        over = outcomes[0].terminated | outcomes[0].truncated
        seen = [worlds.reset(over) for worlds in (plain, other)]
        assert torch.allclose(*seen, atol=1e-6)


def _in_torch(worlds):
    """Turn fresh worlds' arrays into tensors, as another device has them."""
    from aiq.domains.cartpole import Equations

    worlds._starts._arrays = torch.from_numpy
    worlds._starts._lane, worlds._starts._next = (
        torch.from_numpy(part) for part in (worlds._starts._lane, worlds._starts._next)
    )
    for name in ("_state", "_ticks", "_running"):
        setattr(worlds, name, torch.from_numpy(getattr(worlds, name)))
    parts = {k: torch.from_numpy(v) for k, v in vars(worlds._equations.constants).items() if k != "step"}
    worlds._equations = Equations(torch, Constants(**parts))
    return worlds
