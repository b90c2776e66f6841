"""Gymnasium environments as control domains, and the cart-pole of many lanes; refusals, worlds that break."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces

from aiq import domains
from aiq.domains.cartpole import Constants
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.gymnasium_family import Gymnasium, flattening
from aiq.domains.control.settings import CartPole
from aiq.errors import DomainError
from tests.simulation.like_gymnasium import check_like_gymnasium


class Walk(gymnasium.Env):
    """Walks on a line; ``breaks``: raises or goes astray there; any spaces."""

    def __init__(self, observation_space=None, action_space=None, breaks="nowhere", at=3):
        self.observation_space = observation_space or spaces.Box(-9, 9, (1,))
        self.action_space = action_space or spaces.Discrete(3, start=-1)
        self.breaks, self.at, self.closed = breaks, at, False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.odd = bool(self.np_random.integers(2))
        if self.breaks == "reset" and self.odd:
            raise ValueError("the ground\nis gone")
        self.place = 0
        return self._see(), {}

    def step(self, action):
        self.place += int(action)
        astray = abs(self.place) >= self.at and self.odd
        if self.breaks == "step" and astray:
            raise ZeroDivisionError("division by zero")
        reward = np.nan if self.breaks == "reward" and astray else float(action)
        return self._see(), reward, abs(self.place) == 9, False, {}

    def _see(self):
        astray = self.breaks == "observation" and abs(self.place) >= self.at and self.odd
        return np.array([np.nan if astray else self.place], np.float32)

    def close(self):
        self.closed = True


@pytest.fixture(autouse=True, scope="module")
def _registered():
    gymnasium.register("tests/Walk-v0", Walk, max_episode_steps=20)
    gymnasium.register("tests/Endless-v0", Walk)
    gymnasium.register("tests/Text-v0", lambda: Walk(observation_space=spaces.Sequence(spaces.Discrete(3))), 9)
    yield
    for name in ("tests/Walk-v0", "tests/Endless-v0", "tests/Text-v0"):
        gymnasium.registry.pop(name)


def control(name, bounds=(-10, 10), **parameters):
    return domains.control_domain("d", Gymnasium(source="gymnasium", id=name, bounds=bounds, **parameters))


def every(lanes):
    return torch.ones(lanes, dtype=torch.bool)


# ---- the trajectories are the environment's own


@pytest.mark.parametrize(
    ("name", "horizon", "entries"),
    [
        ("FrozenLake-v1", None, 16),
        ("Taxi-v4", None, 500),
        ("CliffWalking-v1", 30, 48),
        ("Acrobot-v1", 60, 6),
        ("MountainCar-v0", None, 2),
        ("Blackjack-v1", 10, 32 + 11 + 2),
    ],
)
def test_trajectories_are_gymnasium_s(name, horizon, entries):
    domain = control(name, horizon=horizon)
    assert domain.observations == entries
    assert domain.horizon == (horizon or gymnasium.spec(name).max_episode_steps)
    environments = [gymnasium.make(name, max_episode_steps=horizon) for _ in range(2)]
    space = environments[0].observation_space

    def flat(observation):
        return spaces.flatten(space, observation).astype(np.float32)

    assert check_like_gymnasium(domain, environments, [4, 5], 250, flat) >= 2


def test_actions_count_from_the_space_s_first():
    worlds = control("tests/Walk-v0").worlds([1, 1, 1])
    worlds.reset(every(3))
    outcome = worlds.step(torch.tensor([0, 1, 2]), every(3))
    assert outcome.observation[:, 0].tolist() == [-1.0, 0.0, 1.0]
    assert outcome.reward.tolist() == [-1.0, 0.0, 1.0]


def test_options_reach_the_environment():
    calm, slippery = (
        control("FrozenLake-v1", options={"is_slippery": slips, "map_name": "8x8"}) for slips in (False, True)
    )
    assert calm.observations == 64
    for domain, straight in ((calm, True), (slippery, False)):
        worlds = domain.worlds(range(20))
        worlds.reset(every(20))
        outcome = worlds.step(torch.full((20,), 2), every(20))
        assert bool((outcome.observation[:, 1] == 1).all()) == straight


def test_scales_map_ranges_to_minus_one_and_one():
    plain = control("MountainCar-v0").worlds([3])
    listed = control("MountainCar-v0", scale=[(-1.2, 0.6), (-0.1, 0.3)]).worlds([3])
    auto = control("MountainCar-v0", scale="auto").worlds([3])
    raw, ranged, bounded = (worlds.reset(every(1))[0] for worlds in (plain, listed, auto))
    assert ranged[0] == pytest.approx((float(raw[0]) + 0.3) / 0.9, abs=1e-6)
    assert ranged[1] == pytest.approx((0.0 - 0.1) / 0.2)
    assert bounded[0] == pytest.approx(float(ranged[0]), abs=1e-6)
    assert bounded[1] == pytest.approx(0.0, abs=1e-7)


def test_dictionaries_and_tuples_are_flattened():
    space = {"x": spaces.Box(0, 1, (2, 2)), "y": spaces.Discrete(3), "z": spaces.MultiDiscrete([2, 3])}
    domain = control("tests/Walk-v0", options={})
    size, flatten = flattening("d", domain.settings, spaces.Dict(space))
    assert size == 4 + 3 + 5
    flat = flatten({"x": np.full((2, 2), 0.5), "y": 2, "z": np.array([1, 0])})
    assert flat.tolist() == [0.5, 0.5, 0.5, 0.5, 0, 0, 1, 0, 1, 1, 0, 0]


# ---- refusals


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("Acrobat-v1", {}, "id is 'Acrobat-v1' (did you mean 'Acrobot-v1'?), which Gymnasium does not know"),
        ("CartPole-v77", {}, "id is 'CartPole-v77' (did you mean"),
        ("no_such_module:Env-v0", {}, "needs a package or module that is not installed here"),
        ("Pendulum-v1", {}, "the actions of 'Pendulum-v1' are Box(-2.0, 2.0, (1,), float32); only discrete actions"),
        ("tests/Endless-v0", {}, "'tests/Endless-v0' has no longest episode of its own: set horizon"),
        ("tests/Text-v0", {"horizon": 5}, "which have no fixed number of entries"),
        (
            "FrozenLake-v1", {"options": {"slippery": True}},
            "'FrozenLake-v1' cannot be made with options {'slippery': True}: TypeError",
        ),
        ("Acrobot-v1", {"scale": [(0, 1)]}, "scale has 1 ranges; observations of 'Acrobot-v1' have 6"),
        (
            "CartPole-v1", {"scale": "auto"},
            "scale is 'auto', but entry 1 of an observation of 'CartPole-v1' has the bounds [-inf, inf]",
        ),
        ("Taxi-v4", {"scale": "auto"}, "scale is 'auto', but observations of 'Taxi-v4' are Discrete(500)"),
        (
            "Acrobot-v1", {"foreign_actions": "noop", "noop": 3},
            "noop is 3; the domain's actions are the integers 0 to 2",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_one_sentence(name, parameters, words):
    with pytest.raises(DomainError, match=r"^domain d: [^\n]+$") as caught:
        control(name, **parameters)
    assert words in str(caught.value)


# ---- environments that break


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ("step", "raised ZeroDivisionError (division by zero) at action 2"),
        ("reset", "raised ValueError (the ground is gone) at a reset"),
        ("observation", "gave an observation that is not finite"),
        ("reward", "paid nan at action 2, which is not finite"),
    ],
)
def test_a_world_that_breaks_fails_alone(where, sentence):
    """Lanes whose first draw is odd break; the others are as if no lane did."""
    seeds = list(range(8))
    odd = [bool(gymnasium.utils.seeding.np_random(seed)[0].integers(2)) for seed in seeds]
    broken, sound = (control("tests/Walk-v0", options={"breaks": how}).worlds(seeds) for how in (where, "nowhere"))
    broken.reset(every(8))
    sound.reset(every(8))
    for _ in range(5):
        outcome, expected = (worlds.step(torch.full((8,), 2), every(8)) for worlds in (broken, sound))
        for lane in range(8):
            if lane in broken.failures:
                assert (outcome.reward[lane], bool(outcome.terminated[lane])) == (0, True)
                assert not outcome.observation[lane].any()
            else:
                assert torch.equal(outcome.observation[lane], expected.observation[lane])
                assert outcome.reward[lane] == expected.reward[lane]
                assert not outcome.terminated[lane]
        broken.reset(outcome.terminated)
    assert [lane in broken.failures for lane in range(8)] == odd
    for lane, told in broken.failures.items():
        assert told == f"domain d: the environment of lane {lane} {sentence}"
    assert not sound.failures
    survivors = [lane for lane in (7, 6, 5, 4, 3, 2, 1, 0) if lane % 2]
    kept = {new: broken.failures[old] for new, old in enumerate(survivors) if old in broken.failures}
    broken.keep(survivors)
    assert broken.failures == kept


def test_a_discrete_observation_outside_its_space_is_a_failure():
    _, flatten = flattening("d", Gymnasium(source="gymnasium", id="x", bounds=(0, 1)), spaces.Discrete(3, start=5))
    assert flatten(6).tolist() == [0, 1, 0]
    for stray in (4, 8):
        with pytest.raises(ValueError, match=f"observation {stray} lies outside"):
            flatten(stray)


def test_worlds_that_are_not_kept_are_closed():
    worlds = control("tests/Walk-v0").worlds([1, 2, 3])
    held = [lane._environment.unwrapped for lane in worlds._simulators]
    worlds.keep([2])
    assert [environment.closed for environment in held] == [True, True, False]
    worlds.close()
    assert held[2].closed


# ---- the cart-pole, many side by side: step by step Gymnasium's ----------------------------------


VARIANTS = [
    {},
    {"force": 1.0},
    {"force": 20.0},
    {"gravity": 0.0},
    {"gravity": 360.0},
    {"gravity": 180.0, "force": 7.0, "steps": 30},
]


def pole(**parameters):
    return CartPoleDomain("c", CartPole(source="cartpole", **parameters))


def of_gymnasium(settings):
    """Gymnasium's own environment with the same constants."""
    environment = gymnasium.make("CartPole-v1", max_episode_steps=settings.steps)
    world = environment.unwrapped
    world.gravity, world.force_mag = settings.gravity, settings.force
    return environment


@pytest.mark.parametrize("parameters", VARIANTS, ids=str)
def test_every_step_is_gymnasium_s(parameters):
    """Observations, rewards, ends and starts of 5 lanes over 250 random steps, with restarts."""
    told, seeds = pole(**parameters), [3, 4, 2**40 + 1, 0, 99]
    assert check_like_gymnasium(told, [of_gymnasium(told.settings) for _ in seeds], seeds, 250) > 5


def test_the_state_is_exact_in_float64():
    told = pole(gravity=180.0)
    environment, worlds = of_gymnasium(told.settings), told.worlds([8])
    environment.reset(seed=8)
    worlds.reset(every(1))
    for step in range(40):
        worlds.step(torch.tensor([step % 2]), every(1))
        _, _, terminated, _, _ = environment.step(step % 2)
        assert np.abs(worlds._state[:, 0] - environment.unwrapped.state).max() < 1e-12
        if terminated:
            break


def test_numpy_and_torch_compute_the_same():
    """The path of other devices, on the CPU."""
    told = pole(gravity=90.0)
    plain, other = told.worlds(range(7)), told.worlds(range(7))
    other._library = torch
    other = _in_torch(other)
    random = torch.Generator().manual_seed(1)
    seen = [worlds.reset(every(7)) for worlds in (plain, other)]
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
