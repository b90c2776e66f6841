"""Roulette and NChain: Gymnasium's own check, their tables by hand, exact expectations, use as control domains."""

import itertools
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from aiq.errors import InputError
from aiq.wings.similarity2020.gym_suite import SUITE, Transitions, optimal, transitions, weights
from studies.gym_noise import expected

IDS = ("aiq/Roulette-v0", "aiq/NChain-v0")


@pytest.mark.parametrize("name", IDS)
@pytest.mark.filterwarnings("error")
def test_gymnasiums_own_check_passes(name):
    check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("first", ["import aiq.domains, gymnasium", "import gymnasium, aiq.domains"])
def test_importing_the_domains_registers_all_environments(first):
    code = f"{first}\nprint(*sorted(name[4:-3] for name in gymnasium.registry if name.startswith('aiq/')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    names = "Answered AnytimeAutomaton AnytimeCups AnytimeGrid BF CartPole3D LambdaStar NChain Roulette"
    assert done.stdout.strip() == names


# ---- the tables, by hand


def wins(action, shown):
    """What the wheel pays, as the rules say it."""
    if action == 37:
        return 0
    if action == 0:
        return 36 if shown == 0 else -1
    return 1 if shown != 0 and shown % 2 == action % 2 else -1


def test_roulette_pays_as_the_wheel_says():
    table = gymnasium.make("aiq/Roulette-v0").unwrapped.P[0]
    for action in range(38):
        paid = [wins(action, shown) for shown in range(37)]
        for probability, state, reward, terminated in table[action]:
            assert probability == pytest.approx(1 if terminated else paid.count(reward) / 37)
            assert (state, terminated) == (0, action == 37)
        assert sum(p * r for p, _, r, _ in table[action]) == pytest.approx(np.mean(paid))


def test_the_chain_by_hand():
    table = gymnasium.make("aiq/NChain-v0").unwrapped.P
    assert table[0] == {
        0: [(0.8, 1, 0.0, False), (0.2, 0, 2.0, False)],
        1: [(0.8, 0, 2.0, False), (0.2, 1, 0.0, False)],
    }
    assert table[4] == {
        0: [(0.8, 4, 10.0, False), (0.2, 0, 2.0, False)],
        1: [(0.8, 0, 2.0, False), (0.2, 4, 10.0, False)],
    }
    assert len(table) == 5


# ---- exact expectations


def test_a_random_policy_on_the_chain():
    """Every step moves back or forward with 1/2: 1 a step, and 5 more where the end is reached (1/16, from step 5)."""
    exact = expected(transitions(SUITE["NChain"]), weights(2), 1000)
    assert exact.mean == pytest.approx(1000 + 5 * 996 / 16) == pytest.approx(1311.25)
    assert exact.last == pytest.approx(1 + 5 / 16)
    assert exact.length == pytest.approx(1000)


def test_the_best_policy_on_the_chain():
    table = transitions(SUITE["NChain"])
    forward = expected(table, np.array([1.0, 0.0]), 1000)
    in_the_end = 0.8**4
    chain = 0.2 * 2 * 1000 + 0.8 * 10 * in_the_end * (1000 - 4)  # from state 0 the end is reached after 4 steps at best
    assert forward.mean == pytest.approx(chain)
    assert chain < optimal(table, 1000) == pytest.approx(3665.8324, abs=1e-4)  # going back pays in the last steps
    assert 1000 * (0.4 + 8 * in_the_end) == pytest.approx(3676.8)


def test_a_random_policy_at_the_wheel():
    exact = expected(transitions(SUITE["Roulette"]), weights(38), 100)
    stays = 37 / 38
    steps = (1 - stays**100) / (1 - stays)
    assert exact.length == pytest.approx(steps)
    assert exact.mean == pytest.approx(-36 / 38 / 37 * steps) == pytest.approx(-0.9054, abs=1e-4)
    assert optimal(transitions(SUITE["Roulette"]), 100) == pytest.approx(0, abs=1e-12), "nobody earns at the wheel"


def enumerated(table: Transitions, policy, horizon):
    """Mean, variance, length and last reward over every trajectory, one by one."""
    ended, running = [], [(float(p), s, 0.0, 0, 0.0) for s, p in enumerate(table.start) if p]
    for _ in range(horizon):
        following = []
        for (p, s, total, steps, _), a in itertools.product(running, range(table.reward.shape[1])):
            for k, chance in enumerate(table.probability[s, a]):
                if chance * policy[a]:
                    r = float(table.reward[s, a, k])
                    path = (p * chance * policy[a], int(table.following[s, a, k]), total + r, steps + 1, r)
                    (ended if table.ended[s, a, k] else following).append(path)
        running = following
    p, _, total, steps, last = (np.array(column) for column in zip(*ended, *running, strict=True))
    mean = p @ total
    return mean, p @ total**2 - mean**2, p @ steps, p @ last


@pytest.mark.parametrize(("name", "horizon"), [("NChain", 7), ("Roulette", 2), ("FrozenLake", 4), ("CliffWalking", 6)])
def test_the_recursion_equals_the_sum_over_all_trajectories(name, horizon):
    table = transitions(SUITE[name])
    policy = np.random.default_rng(2).dirichlet(np.ones(table.reward.shape[1]))
    exact = expected(table, policy, horizon)
    assert (exact.mean, exact.variance, exact.length, exact.last) == pytest.approx(enumerated(table, policy, horizon))


# ---- arguments, refusals


def test_arguments_change_the_table():
    assert gymnasium.make("aiq/NChain-v0", n=3, slip=0.0, small=1, large=5).unwrapped.P[2][0][0] == (1.0, 2, 5.0, False)
    assert gymnasium.make("aiq/Roulette-v0", spots=5).action_space.n == 6


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("aiq/NChain-v0", {"n": 1}, "n is 1, it must be a whole number of at least 2"),
        ("aiq/NChain-v0", {"n": 2.5}, "n is 2.5"),
        ("aiq/NChain-v0", {"slip": 1.5}, "slip is 1.5, it must lie in [0, 1]"),
        ("aiq/Roulette-v0", {"spots": 36}, "spots is 36, it must be odd"),
    ],
)
def test_arguments_out_of_range_are_refused(name, arguments, words):
    with pytest.raises(InputError) as caught:
        gymnasium.make(name, **arguments)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", IDS)
def test_steps_without_an_episode_and_foreign_actions_are_refused(name):
    environment = gymnasium.make(name, disable_env_checker=True).unwrapped
    with pytest.raises(ResetNeeded):
        environment.step(0)
    environment.reset(seed=0)
    for action in (environment.action_space.n, -1, 0.5, None):
        with pytest.raises(InputError, match="discrete actions 0 to"):
            environment.step(action)
    if "Roulette" in name:
        assert environment.step(37)[1:4] == (0.0, True, False)
        with pytest.raises(ResetNeeded):
            environment.step(0)
