"""The 2020 Gym suite: dynamics as Gymnasium's, exact expectations, and the public table as a random policy's noise.

Roulette and NChain: Gymnasium's own check, their tables by hand, exact expectations, refusals.
"""

import itertools
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from aiq.errors import InputError
from aiq.wings.similarity2020.gym_suite import (
    SUITE,
    Episodes,
    Transitions,
    dynamics,
    optimal,
    play,
    trained,
    transitions,
    weights,
)
from studies.gym_noise import comparison, expected, heat_map

TABLED = [name for name, test in SUITE.items() if test.tabled]
EQUATIONS = ["CartPole-v1", "MountainCar", "Acrobot"]
FAR = {"MountainCar": ([-1.2, -0.07], [0.6, 0.07]), "Acrobot": ([-3] * 4, [3] * 4)}
EXPECTED = {  # dynamic programming over Gymnasium 1.4.0's tables, uniformly random policy
    "FrozenLake": (0.0139, 7.67), "NChain": (1311.25, 1000), "Roulette": (-0.9054, 35.36),
    "FrozenLake8x8": (0.0019, 32.07), "CliffWalking": (-17588.06, 1730.8), "Taxi": (-771.09, 196.59),
}  # fmt: skip
BEST = {"FrozenLake": 0.7442, "FrozenLake8x8": 0.9132, "CliffWalking": -13, "Taxi": 7.93, "Roulette": 0,
        "NChain": 3665.83}  # fmt: skip


def episodes(name, count=2000, asked=None, seed=5):
    test = SUITE[name]
    policy = weights(test.actions, asked)
    return play(dynamics(test), policy, test.horizon, count, np.random.default_rng(seed))


# ---- what the suite says of its environments


@pytest.mark.parametrize("name", SUITE)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_actions_and_longest_episodes_are_gymnasium_s(name):
    test = SUITE[name]
    environment = gymnasium.make(test.id, **test.options)
    assert environment.action_space.n == test.actions
    longest = environment.spec.max_episode_steps or 2000  # CliffWalking has no limit; the authors' is 2,000
    assert longest == test.horizon
    assert hasattr(environment.unwrapped, "P") == test.tabled


@pytest.mark.parametrize("name", TABLED)
def test_what_value_iteration_says_of_the_ranges(name):
    test = SUITE[name]
    best = optimal(transitions(test), test.horizon)
    assert best == pytest.approx(BEST[name], abs=0.005)
    assert test.performance(best) > 0.74  # FrozenLake's limit in 100 steps; the others 0.9 and more
    assert (test.performance(-1e9), test.performance(1e9)) == (0.0, 1.0)


# ---- the dynamics


@pytest.mark.parametrize("name", EQUATIONS)
def test_every_step_is_gymnasium_s(name):
    environment = gymnasium.make(SUITE[name].id).unwrapped
    moving, rng = dynamics(SUITE[name]), np.random.default_rng(3)
    ends = 0
    for episode in range(12):
        environment.reset(seed=episode)
        for _ in range(150):
            before = np.array(environment.state, np.float64)
            if name in FAR and episode > 5:  # where a random policy does not get
                before = environment.state = rng.uniform(*FAR[name])
            action = int(rng.integers(SUITE[name].actions))
            _, reward, terminated, _, _ = environment.step(action)
            state, paid, ended = moving.step(before[:, None], np.array([action]), rng)
            assert np.allclose(state[:, 0], environment.state, atol=1e-9)
            assert (paid[0], ended[0]) == (reward, terminated)
            ends += terminated
            if terminated:
                environment.reset(seed=100 + ends)
    assert ends > 5


@pytest.mark.parametrize("name", EQUATIONS)
def test_episodes_begin_where_gymnasium_s_do(name):
    environment = gymnasium.make(SUITE[name].id).unwrapped
    begun = dynamics(SUITE[name]).begin(4000, np.random.default_rng(1))
    theirs = []
    for seed in range(1000):
        environment.reset(seed=seed)
        theirs.append(environment.state)
    parts = [0, 0.25, 0.5, 0.75, 1]
    assert np.allclose(np.quantile(begun, parts, axis=1), np.quantile(np.array(theirs), parts, axis=0), atol=0.015)


# ---- expectations


@pytest.mark.parametrize("asked", [None, 38])
@pytest.mark.parametrize("name", TABLED)
def test_simulation_and_recursion_agree_within_three_standard_errors(name, asked):
    """``asked``: 38 actions are drawn, those beyond the environment's own become its last one."""
    test = SUITE[name]
    exact = expected(transitions(test), weights(test.actions, asked), test.horizon)
    found = episodes(name, 600, asked)
    error = np.sqrt(exact.variance / len(found.total))
    assert abs(found.total.mean() - exact.mean) < max(3 * error, 1e-6)
    assert abs(found.length.mean() - exact.length) < max(3 * found.length.std() / np.sqrt(len(found.length)), 0.05)
    if asked is None:
        assert (exact.mean, exact.length) == pytest.approx(EXPECTED[name], rel=2e-3, abs=1e-4)


def test_surplus_actions():
    assert weights(2, 6) == pytest.approx([1 / 6, 5 / 6])
    assert weights(2, 6, "random") == pytest.approx([0.5, 0.5])
    assert weights(3) == pytest.approx([1 / 3] * 3)
    leaning = episodes("CartPole-v0", asked=38)
    assert leaning.total.mean() < episodes("CartPole-v0").total.mean() / 2  # pushed to the right, it falls at once


# ---- the published recipe


def test_the_last_reward_is_replaced_by_the_total():
    totals, last = np.array([-200.0, 22.0, 1.0, 1300.0]), np.array([-1.0, 1.0, 1.0, 2.0])
    played = Episodes(totals, last, np.array([200, 22, 7, 1000]))
    assert played.doubled.tolist() == [-399.0, 43.0, 1.0, 1498.0]


def test_the_recipe_gives_the_values_of_the_authors_data():
    """MountainCar -399, Acrobot -699, CartPole about 43, NChain 1,510: mean returns of the public data."""
    assert set(episodes("MountainCar").doubled) == {-399.0}
    acrobot = episodes("Acrobot")
    assert np.median(acrobot.doubled) == -699.0
    cartpole = episodes("CartPole-v0")
    assert cartpole.doubled.mean() == pytest.approx(2 * cartpole.length.mean() - 1, abs=0.05)  # hardly one beyond 200
    exact = expected(transitions(SUITE["NChain"]), weights(2), 1000)
    assert exact.mean - exact.last + 200 == pytest.approx(1509.9375)
    chain = episodes("NChain").doubled
    assert abs(chain.mean() - 1509.9375) < 3 * chain.std() / np.sqrt(len(chain))


def one(value, length, count=50):
    return Episodes(np.full(count, value), np.zeros(count), np.full(count, length, np.int64))


def test_a_training_is_the_mean_of_its_last_finished_episodes():
    rng = np.random.default_rng(0)
    twice = trained([one(3.0, 10)], 4, 100, 20, rng)  # 10 episodes of 10 steps; total and total again
    assert twice.tolist() == [6.0] * 4
    assert np.isnan(trained([one(3.0, 101)], 2, 100, 20, rng)).all()
    mixed = trained([one(0.0, 1), one(1.0, 1)], 4000, 100, 20, rng)
    assert np.allclose((mixed * 10) % 1, 0)
    assert mixed.mean() == pytest.approx(1.0, abs=0.02)
    assert mixed.std() == pytest.approx(2 * np.sqrt(0.25 / 20), rel=0.05)  # which of both the last 20 episodes are


def test_the_mixture_of_constant_returns_is_the_noise_of_twenty_draws():
    """|S| of MountainCar with FrozenLake 8x8 is |1 - 2 k / 20| for k of 20 episodes: the table's .10 and .30."""
    sizes = heat_map(2000, 1, tests=[SUITE["MountainCar"], SUITE["FrozenLake8x8"]])
    found = sizes["MountainCar", "FrozenLake8x8"]
    binomial = np.abs(1 - np.random.default_rng(0).binomial(20, 0.5, 20_000) / 10)
    assert found.mean() == pytest.approx(binomial.mean(), abs=4 * binomial.std() / np.sqrt(2000) + 0.005)
    assert (sizes["MountainCar", "MountainCar"] == 0.5).all()


@pytest.fixture(scope="module")
def table():
    return comparison(heat_map(400, 0))


def test_the_printed_table_lies_in_the_noise_of_a_random_policy(table):
    """Of 55 values 2 lie outside, or at the edge of, a range that holds 95 %; 2.75 are expected."""
    outside = {(row[0], row[1]) for row in table.rows if row[-1]}
    assert len(table.rows) == 55
    assert ("FrozenLake8x8", "CliffWalking") in outside  # printed as .00
    assert outside <= {("FrozenLake8x8", "CliffWalking"), ("CartPole-v0", "NChain")}  # the second is printed as .50


def test_the_printed_table_has_the_simulated_scale(table):
    """Pair by pair the printed values follow the simulated means, which no learning enters."""
    printed, mean = (np.array(table.column(name), float) for name in ("printed", "mean"))
    assert np.corrcoef(printed, mean)[0, 1] > 0.75
    assert abs(printed.mean() - mean.mean()) < 0.05


# ---- Roulette and NChain ------------------------------------------------------------------------------


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
