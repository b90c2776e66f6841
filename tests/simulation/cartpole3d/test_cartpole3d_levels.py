"""The table of levels as numbers, and where their episodes begin."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from aiq.domains.cartpole3d.levels import DIFFICULTIES, LEVELS, PRESETS, Pull, Rules, Spawning, resolve
from aiq.domains.cartpole3d.starts import first_balls, moving_ball, stopped_ball
from aiq.domains.cartpole3d.world import World
from aiq.errors import InputError

GRADED = {
    1: ("cart_mass", (5, 10, 50)),
    6: ("gravity", (20, 30, 40)),
    7: ("pull", (Pull("origin", 15, 15), Pull("origin", 25, 25), Pull("origin", 35, 35))),
    8: ("spawning", (Spawning(50, False), Spawning(15, False), Spawning(7, False))),
    9: ("pole_length", (3, 5, 8)),
    10: ("line_distance", ((3, 4), (2, 3), (1.5, 2))),
    11: ("aimed", (0.25, 0.5, 0.75)),
    12: ("restitution", ((1.05, 1.15), (1.20, 1.30), (1.35, 1.45))),
    13: ("pull", (Pull("centroid", 1, 1), Pull("centroid", 3, 3), Pull("centroid", 5, 5))),
    14: ("wind_peak", (16, 18, 20)),
    15: ("pull", (Pull("tip", 10, 10), Pull("tip", 20, 20), Pull("tip", 30, 30))),
    16: ("spawning", (Spawning(3, True), Spawning(2, True), Spawning(1, True))),
}


@pytest.mark.parametrize("novelty", sorted(GRADED))
def test_graded_values_of_the_table(novelty: int) -> None:
    name, values = GRADED[novelty]
    assert tuple(getattr(resolve(novelty, difficulty), name) for difficulty in DIFFICULTIES) == values


@pytest.mark.parametrize("novelty", range(17))
def test_every_level_changes_at_most_two_rules_and_those_without_grades_are_alike(novelty: int) -> None:
    easy = resolve(novelty)
    changed = [name for name, value in vars(easy).items() if value != getattr(Rules(novelty), name)]
    assert min(novelty, 1) <= len(changed) <= 2
    if novelty not in GRADED:
        assert all(replace(resolve(novelty, other), difficulty="easy") == easy for other in DIFFICULTIES)
        assert LEVELS[novelty].values == ""


def test_the_presets_differ_where_the_authors_code_differs() -> None:
    for novelty in range(17):
        for difficulty in DIFFICULTIES:
            paper, wsu = (vars(resolve(novelty, difficulty, preset)) for preset in PRESETS)
            differing = {name for name in paper if paper[name] != wsu[name]} - {"preset"}
            extra = {5: {"pull"}, 6: {"gravity"}, 13: {"pull"}, 15: {"pull"}}.get(novelty, set())
            assert differing == {"fall_limit"} | extra
    assert sorted(LEVELS) == list(range(17))
    assert resolve(0).fall_limit == math.radians(12)
    assert resolve(0, "easy", "wsu").fall_limit == math.radians(10)
    assert resolve(13, "hard", "wsu").pull == Pull("centroid", -5, -5)
    assert (resolve(6, "hard", "wsu").gravity, resolve(6, "hard", "wsu").balls_fall) == (9.8, True)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"novelty": 17}, ["novelty is 17", "0 (no change) to 16"]),
        ({"novelty": -1}, ["novelty is -1", "0 (no change) to 16"]),
        ({"novelty": 2.5}, ["novelty is 2.5", "integers"]),
        ({"novelty": "two"}, ["novelty is 'two'", "integers"]),
        ({"novelty": True}, ["novelty is True", "integers"]),
        ({"difficulty": "heard"}, ["difficulty is 'heard'", "did you mean 'hard'", "easy, medium, hard"]),
        ({"difficulty": None}, ["difficulty is None", "easy, medium, hard"]),
        ({"preset": "papr"}, ["preset is 'papr'", "did you mean 'paper'", "paper, wsu"]),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(arguments: dict[str, object], parts: list[str]) -> None:
    with pytest.raises(InputError, match=r"^[^\n]+$") as refusal:
        resolve(**arguments)  # type: ignore[arg-type]
    assert all(part in str(refusal.value) for part in parts)


# ---- where episodes begin ------------------------------------------------------------------------


SEEDS = range(600)
LEVEL = 1e-4


@cache
def drawn(novelty: int = 0, difficulty: str = "easy"):
    """Return cart starts and balls of many episodes."""
    carts, balls = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        carts.append(rng.uniform(-3, 3, 2))
        balls.append(first_balls(resolve(novelty, difficulty), carts[-1], rng))
    return carts, balls


def uniform(values: np.ndarray, low: float, high: float) -> bool:
    """Whether numbers can be a sample of U[low, high]."""
    assert low <= np.min(values)
    assert np.max(values) <= high
    return bool(stats.kstest(values, "uniform", (low, high - low)).pvalue > LEVEL)


def test_two_to_four_balls_equally_often() -> None:
    counts = np.bincount([len(ball.positions) for ball in drawn()[1]], minlength=5)
    assert counts[:2].sum() == 0
    assert stats.chisquare(counts[2:]).pvalue > LEVEL


def test_first_velocities_have_magnitudes_six_to_ten_and_random_signs() -> None:
    velocities = np.concatenate([ball.velocities for ball in drawn()[1]])
    for axis in range(3):
        assert uniform(np.abs(velocities[:, axis]), 6, 10)
        assert stats.binomtest(int((velocities[:, axis] > 0).sum()), len(velocities)).pvalue > LEVEL


def test_balls_begin_apart_from_the_cart_and_from_each_other() -> None:
    for cart, balls in zip(*drawn(), strict=True):
        assert np.hypot(*(balls.positions[:, :2] - cart).T).min() >= 1
        gaps = [np.linalg.norm(a - b) for i, a in enumerate(balls.positions) for b in balls.positions[:i]]
        assert min(gaps) >= 1
        assert np.abs(balls.positions[:, :2]).max() <= 4
        assert balls.positions[:, 2].min() >= 1
        assert balls.positions[:, 2].max() <= 9
    heights = np.concatenate([ball.positions[:, 2] for ball in drawn()[1]])
    assert uniform(heights, 1, 9)


def test_large_balls_begin_inside_the_box_and_outside_the_cart() -> None:
    for cart, balls in zip(*drawn(4), strict=True):
        assert np.abs(balls.positions[:, :2]).max() <= 4
        assert balls.positions[:, 2].min() >= 1
        lowest = balls.positions - np.array([*cart, 0.1])
        beyond = np.maximum(np.hypot(lowest[:, 0], lowest[:, 1]) - 0.5, 0)
        assert np.hypot(beyond, np.maximum(np.abs(lowest[:, 2]) - 0.1, 0)).min() >= 0.99


def test_level_three_pushes_all_balls_to_one_point_at_one_speed() -> None:
    speeds = []
    for balls in drawn(3)[1]:
        each = np.linalg.norm(balls.velocities, axis=1)
        assert np.ptp(each) < 1e-9
        speeds.append(each[0])
        a, b = balls.positions[:2]
        u, v = balls.velocities[:2] / each[0]
        gap = np.cross(u, v) @ (b - a)  # two lines meet where this vanishes
        assert abs(gap) < 1e-7
    assert uniform(np.array(speeds), 0, 10)


@pytest.mark.parametrize(("difficulty", "low", "high"), [("easy", 3, 4), ("medium", 2, 3), ("hard", 1.5, 2)])
def test_level_ten_puts_balls_on_a_line_and_lets_them_move_along_it(difficulty: str, low: float, high: float) -> None:
    distances, along_x = [], 0
    for cart, balls in zip(*drawn(10, difficulty), strict=True):
        axis = int(np.abs(balls.velocities[0]).argmax())
        along_x += axis == 0
        across = 1 - axis
        assert np.ptp(balls.positions[:, across]) == 0
        assert np.ptp(balls.positions[:, 2]) == 0
        assert abs(balls.positions[0, across]) <= 4.5
        distances.append(abs(balls.positions[0, across] - cart[across]))
        speeds = np.abs(balls.velocities[:, axis])
        assert speeds.min() >= 6
        assert speeds.max() <= 10
        assert not np.delete(balls.velocities, axis, axis=1).any()
    assert uniform(np.array(distances), low, high)
    assert stats.binomtest(along_x, len(distances)).pvalue > LEVEL


@pytest.mark.parametrize(("difficulty", "share"), [("easy", 0.25), ("medium", 0.5), ("hard", 0.75)])
def test_level_eleven_aims_a_share_of_the_balls_at_the_cart(difficulty: str, share: float) -> None:
    aimed, speeds, count = 0, [], 0
    for cart, balls in zip(*drawn(11, difficulty), strict=True):
        lines = np.array([*cart, 0.1]) - balls.positions
        length = np.linalg.norm(balls.velocities, axis=1)
        cosines = (lines * balls.velocities).sum(1) / (np.linalg.norm(lines, axis=1) * length)
        towards = cosines > 1 - 1e-9
        aimed, count = aimed + int(towards.sum()), count + len(towards)
        speeds += length[towards].tolist()
    assert stats.binomtest(aimed, count, share).pvalue > LEVEL
    assert uniform(np.array(speeds), 0, 10)


@pytest.mark.parametrize(
    ("difficulty", "low", "high"), [("easy", 1.05, 1.15), ("medium", 1.2, 1.3), ("hard", 1.35, 1.45)]
)
def test_level_twelve_draws_the_restitution_anew_each_episode(build, difficulty: str, low: float, high: float) -> None:
    world: World = build(12, difficulty)
    values = []
    for seed in range(150):
        world.reset(np.random.default_rng(seed))
        values.append(world.restitution)
    assert uniform(np.array(values), low, high)


def test_cart_and_pole_begin_as_the_spec_says(build) -> None:
    world: World = build(2)
    carts, speeds, tilts, turns = [], [], [], []
    for seed in range(300):
        world.reset(np.random.default_rng(seed))
        carts.append(world.cart_position[:2])
        speeds.append(np.hypot(*world.cart_velocity[:2]))
        tilts.append(world.pole_orientation[:3])
        turns.append(world.pole_angular_velocity)
    assert uniform(np.ravel(carts) / 1.0001, -3, 3)
    assert np.abs(tilts).max() <= 0.0115  # one tick after the draw from U[-0.01, 0.01]
    assert np.std(tilts, axis=0) == pytest.approx([0.01 / np.sqrt(3)] * 3, rel=0.2)
    assert 0.015 < max(speeds) <= 0.0205  # at most 1 N on 1 kg for one tick
    assert np.abs(turns).max() < 0.01 + 0.0205 + 0.005


def test_moving_balls_appear_clear_of_everything_with_speeds_three_to_five() -> None:
    rules, velocities = resolve(16), []
    start, cart = np.array([2.0, 2.0]), np.array([-1.0, 0.0])
    others = np.array([[0.0, 3.0, 5.0], [3.0, -3.0, 2.0]])
    for seed in SEEDS:
        position, velocity = moving_ball(rules, start, cart, others, np.random.default_rng(seed))
        assert np.hypot(*(position[:2] - start)) >= 1
        assert np.hypot(*(position[:2] - cart)) >= 1
        assert np.linalg.norm(others - position, axis=1).min() >= 1
        velocities.append(velocity)
    assert uniform(np.abs(np.ravel(velocities)), 3, 5)
    assert stats.binomtest(int((np.ravel(velocities) > 0).sum()), np.size(velocities)).pvalue > LEVEL


def test_stopped_balls_appear_at_rest_ahead_of_the_cart() -> None:
    rules, others = resolve(8), np.array([[-3.0, -3.0, 5.0]])
    motion, cart = np.array([0.3, 0.4]), np.array([-1.0, -1.0])
    distances = []
    for seed in SEEDS:
        position, velocity = stopped_ball(rules, motion, cart, others, np.random.default_rng(seed))
        ahead = position[:2] - cart
        assert position[2] == 1
        assert not velocity.any()
        np.testing.assert_allclose(ahead / np.hypot(*ahead), [0.6, 0.8], atol=1e-12)
        distances.append(np.hypot(*ahead))
    assert uniform(np.array(distances), 0.75, 3)


def test_stopped_balls_find_another_place_beside_a_wall_and_none_in_a_crowd() -> None:
    rules, rng = resolve(8), np.random.default_rng(0)
    cart = np.array([4.5, 0.0])
    for _ in range(100):
        position, _ = stopped_ball(rules, np.array([1.0, 0.0]), cart, np.empty((0, 3)), rng)
        assert np.abs(position[:2]).max() <= 4.5
        assert np.hypot(*(position[:2] - cart)) >= 0.75
    crowd = np.array([[x, y, 1.0] for x in np.arange(-5, 5.1, 0.9) for y in np.arange(-5, 5.1, 0.9)])
    assert stopped_ball(rules, np.zeros(2), np.zeros(2), crowd, rng) is None
