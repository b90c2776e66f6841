"""The physics of the world, measured as physics, and what acts during an episode: pulls, wind, balls that appear."""

from collections.abc import Callable

import numpy as np
import pytest
from cartpole3d_worlds import put_balls, without_balls, without_cart
from scipy import stats

from aiq.domains.cartpole3d.levels import DIFFICULTIES, TIME_STEP, Pull
from aiq.domains.cartpole3d.starts import drag, pull_forces, wind_velocity
from aiq.domains.cartpole3d.world import World
from aiq.errors import InputError

Build = Callable[..., World]


def energy(world: World, gravity: float = 0.0) -> float:
    """Return the balls' energy in J at 1 kg each."""
    kinetic = 0.5 * float(np.square(world.ball_velocities).sum())
    return kinetic + gravity * sum(z for _, _, z in world.ball_positions)


@pytest.mark.parametrize(
    ("variant", "gravity"), [(["easy"], 20.0), (["medium"], 30.0), (["hard"], 40.0), (["hard", "wsu"], 9.8)]
)
def test_a_ball_without_support_falls_freely(build: Build, variant: list[str], gravity: float) -> None:
    world = build(6, *variant)
    put_balls(world, [[4, 4, 9]], [[0, 0, 0]])
    for tick in range(1, 21):
        world.step(0)
        assert world.ball_velocities[0][2] == pytest.approx(-gravity * TIME_STEP * tick, rel=1e-9)
    fallen = 9 - world.ball_positions[0][2]
    assert fallen == pytest.approx(0.5 * gravity * (20 * TIME_STEP) ** 2, rel=1 / 20 + 1e-6)


def test_a_supported_ball_moves_straight_at_constant_speed(build: Build) -> None:
    world = build(0)
    put_balls(world, [[-4, -4, 2]], [[3, 2, 5]])
    for _ in range(60):
        world.step(0)
    np.testing.assert_allclose(world.ball_velocities, [[3, 2, 5]], atol=1e-12)
    np.testing.assert_allclose(world.ball_positions, [[-0.4, -1.6, 8]], atol=1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_wall_turns_one_component_around_and_keeps_the_rest(build: Build, axis: int, sign: int) -> None:
    world = build(0)
    velocity = np.full(3, 0.5)
    velocity[axis] = 8.0 * sign
    put_balls(world, [[2.5, 2.5, 5]], [velocity.tolist()])
    expected = velocity.copy()
    expected[axis] *= -1
    for _ in range(48 if sign < 0 or axis == 2 else 24):
        world.step(0)
    np.testing.assert_allclose(world.ball_velocities[0], expected, atol=1e-9)


def test_two_balls_exchange_their_speeds_in_a_central_collision(build: Build) -> None:
    world = build(0)
    put_balls(world, [[-1, 4, 5], [1, 4, 5]], [[6, 0, 0], [-2, 0, 0]])
    for _ in range(20):
        world.step(0)
    np.testing.assert_allclose(world.ball_velocities, [[-2, 0, 0], [6, 0, 0]], atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_bounces_keep_the_energy_at_restitution_one(build: Build, seed: int) -> None:
    world = without_cart(build(0, seed=seed))
    before = energy(world)
    bounced = world.ball_velocities
    for _ in range(400):
        world.step(0)
    assert energy(world) == pytest.approx(before, rel=1e-3)
    assert not np.allclose(world.ball_velocities, bounced)


def test_bounces_gain_energy_by_the_product_of_two_restitutions(build: Build) -> None:
    world = build(12, "hard")
    put_balls(world, [[3, 3, 5]], [[0, 0, 4]])
    for _ in range(80):
        world.step(0)
        if world.ball_velocities[0][2] < 0:
            break
    assert 1.35 <= world.restitution <= 1.45
    assert world.ball_velocities[0][2] == pytest.approx(-4 * world.restitution**2, rel=1e-6)


@pytest.mark.parametrize(("action", "axis", "sign"), [(1, 0, 1), (2, 0, -1), (3, 1, 1), (4, 1, -1)])
def test_ten_newtons_change_the_speed_of_one_kilogram_by_a_fifth(
    build: Build, action: int, axis: int, sign: int
) -> None:
    world = without_balls(build(0))
    before = np.array(world.cart_velocity)
    world.step(action)
    gained = np.array(world.cart_velocity) - before
    assert gained[axis] == pytest.approx(0.2 * sign, rel=0.02)
    assert abs(gained[1 - axis]) < 0.005
    before = np.array(world.cart_velocity)
    world.step(0)
    assert np.abs(np.array(world.cart_velocity) - before).max() < 0.005


def test_the_push_keeps_its_direction_in_the_world_when_the_pole_has_turned(build: Build) -> None:
    world = without_balls(build(0))
    turned = [0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)]
    world.scene.place([0, 0], turned, [0, 0, 0])
    world._look()
    world.step(1)
    np.testing.assert_allclose(world.cart_velocity, [0.2, 0, 0], atol=0.005)


@pytest.mark.parametrize(("difficulty", "mass"), [("easy", 5.0), ("medium", 10.0), ("hard", 50.0)])
def test_a_heavier_cart_gains_less_speed(build: Build, difficulty: str, mass: float) -> None:
    world = without_balls(build(1, difficulty))
    before = world.cart_velocity[0]
    world.step(1)
    assert world.cart_velocity[0] - before == pytest.approx(0.2 / mass, rel=0.03)


def fall_ticks(world: World, seed: int) -> int:
    """Return the ticks without action until the pole is beyond the limit."""
    world.reset(np.random.default_rng(seed))
    without_balls(world)
    ticks = 0
    while not world.fallen:
        world.step(0)
        ticks += 1
    return ticks


@pytest.mark.parametrize(("novelty", "difficulty", "measured"), [(0, "easy", 47), (9, "easy", 60), (9, "hard", 116)])
def test_the_fall_without_action_takes_as_long_as_measured(
    build: Build, novelty: int, difficulty: str, measured: int
) -> None:
    world = build(novelty, difficulty, "wsu")
    assert np.median([fall_ticks(world, seed) for seed in range(25)]) == pytest.approx(measured, rel=0.08)


def test_the_pole_falls_at_the_rate_of_a_rigid_body(build: Build) -> None:
    """Linearised cart and pole: θ'' = g θ m d (M + m) / (I (M + m) - m² d²) with I = m (r²/4 + L²/12 + d²)."""
    world = without_balls(build(0))
    world.scene.place([0, 0], [0.0005, 0, 0, 1], [0, 0, 0])
    world._look()
    angles = []
    for _ in range(50):
        world.step(0)
        angles.append(world.roll_pitch_yaw[0])
    mass, cart, lever = 0.1, 1.0, 1.0
    inertia = mass * (0.03**2 / 4 + 1 / 12 + lever**2)
    rate = np.sqrt(9.8 * mass * lever * (cart + mass) / (inertia * (cart + mass) - (mass * lever) ** 2))
    assert angles[-1] / 0.001 == pytest.approx(np.cosh(rate * 50 * TIME_STEP), rel=0.05)


def test_unmovable_balls_do_not_move_even_when_hit(build: Build) -> None:
    world = build(2)
    before = np.array(world.ball_positions)
    for _ in range(200):
        world.step(1)
    np.testing.assert_array_equal(world.ball_positions, before)
    assert not np.any(world.ball_velocities)


def test_a_ball_knocks_the_pole_over(build: Build) -> None:
    world = build(0)
    x, y, _ = world.cart_position
    put_balls(world, [[x + 1, y, 1.2]], [[-8, 0, 0]])
    ticks = 0
    while not world.fallen:
        world.step(0)
        ticks += 1
    assert ticks < 10


@pytest.mark.parametrize("preset", ["paper", "wsu"])
@pytest.mark.parametrize("novelty", range(17))
def test_nothing_leaves_the_box(build: Build, novelty: int, preset: str) -> None:
    world = build(novelty, "hard", preset, seed=novelty)
    for tick in range(200):
        world.step(tick // 7 % 5)
        balls = np.array(world.ball_positions)
        assert np.abs(balls[:, :2]).max() <= 5
        assert balls[:, 2].min() >= 0
        assert balls[:, 2].max() <= 10
        assert np.abs(world.cart_position[:2]).max() <= 5
        assert world.cart_position[2] == pytest.approx(0.1, abs=1e-9)
    assert np.linalg.norm(world.ball_velocities, axis=1).max() <= 25 + 1e-9


# ---- what acts during an episode -----------------------------------------------------------------


PLACES = [[3, 3, 4], [-3, 2, 6], [1, -3, 8]]
LEVEL = 1e-4


def first_tick(world) -> np.ndarray:
    """Return the forces in N that three resting balls of 1 kg feel in one tick, shape (3, 3)."""
    put_balls(world, PLACES, [[0, 0, 0]] * 3)
    world.step(0)
    return np.array(world.ball_velocities) / TIME_STEP


def along(forces: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the component of each force towards a target, and check that there is no other."""
    lines = target - np.array(PLACES, float)
    units = lines / np.linalg.norm(lines, axis=1, keepdims=True)
    components = (forces * units).sum(1)
    np.testing.assert_allclose(forces, components[:, None] * units, atol=1e-6)
    return components


@pytest.mark.parametrize(
    ("level", "preset", "target", "strengths"),
    [
        (7, "paper", np.zeros(3), (15, 25, 35)),
        (13, "paper", np.mean(PLACES, axis=0), (1, 3, 5)),
        (13, "wsu", np.mean(PLACES, axis=0), (-1, -3, -5)),
    ],
)
def test_balls_are_attracted_to_the_floors_centre_or_their_own(build, level, preset, target, strengths) -> None:
    for difficulty, strength in zip(DIFFICULTIES, strengths, strict=True):
        components = along(first_tick(build(level, difficulty, preset)), target)
        np.testing.assert_allclose(components, strength, rtol=1e-6)


@pytest.mark.parametrize(("preset", "sign"), [("paper", -1), ("wsu", 1)])
def test_level_five_repels_in_paper_and_attracts_in_wsu(build, preset: str, sign: int) -> None:
    world = build(5, "easy", preset)
    strengths = sign * np.ravel([along(first_tick(world), np.mean(PLACES, axis=0)) for _ in range(200)])
    assert strengths.min() >= 0
    assert strengths.max() <= 6
    assert stats.kstest(strengths, "uniform", (0, 6)).pvalue > LEVEL


@pytest.mark.parametrize(("difficulty", "strength"), [("easy", 10), ("medium", 20), ("hard", 30)])
def test_level_fifteen_pushes_to_the_tip_or_above_the_cart(build, difficulty: str, strength: float) -> None:
    world = build(15, difficulty)
    tip = world.tip
    assert tip[2] == pytest.approx(1.7, abs=0.001)
    np.testing.assert_allclose(along(first_tick(world), tip), strength, rtol=1e-6)
    world = build(15, difficulty, "wsu")
    x, y, _ = world.cart_position
    np.testing.assert_allclose(along(first_tick(world), np.array([x, y, 0.7])), strength, rtol=1e-6)


def test_a_ball_at_the_target_feels_nothing() -> None:
    rng = np.random.default_rng(0)
    force = pull_forces(Pull("origin", 15, 15), np.zeros((1, 3)), np.zeros(3), np.ones(3), rng)
    np.testing.assert_array_equal(force, np.zeros((1, 3)))


def test_forces_keep_their_direction_in_the_world_when_balls_have_turned(build) -> None:
    world = build(7)
    put_balls(world, PLACES, [[0, 0, 0]] * 3)
    for ball, place in zip(world._present, PLACES, strict=True):
        world._p.resetBasePositionAndOrientation(ball, place, (0, 1, 0, 0), world.scene.client)
    world.step(0)
    along(np.array(world.ball_velocities) / TIME_STEP, np.zeros(3))


def test_the_winds_profile_is_that_of_a_channel() -> None:
    speeds = np.linalg.norm(wind_velocity(16.0, 0.3, np.array([0, 2.5, 5, 7.5, 10, 12])), axis=1)
    np.testing.assert_allclose(speeds, [0, 12, 16, 12, 0, 0], atol=1e-12)
    np.testing.assert_allclose(wind_velocity(16.0, np.pi / 2, np.array([5.0])), [[0, 16, 0]], atol=1e-12)


def test_drag_follows_the_square_of_the_air_past_the_body() -> None:
    area = np.array([np.pi / 4])
    at_rest = drag(np.array([[16.0, 0, 0]]), np.zeros((1, 3)), area)
    np.testing.assert_allclose(at_rest, [[0.5 * 1.225 * 0.5 * np.pi / 4 * 16**2, 0, 0]])
    np.testing.assert_allclose(drag(np.array([[16.0, 0, 0]]), np.array([[8.0, 0, 0]]), area), at_rest / 4)
    np.testing.assert_array_equal(drag(np.ones((1, 3)), np.ones((1, 3)), area), np.zeros((1, 3)))


@pytest.mark.parametrize(("difficulty", "peak"), [("easy", 16), ("medium", 18), ("hard", 20)])
def test_the_wind_moves_balls_cart_and_pole(build, difficulty: str, peak: float) -> None:
    world = build(14, difficulty)
    cart, pole = np.array(world.cart_velocity), np.array(world.pole_velocity)
    put_balls(world, [[3, 3, 5]], [[0, 0, 0]])
    world.step(0)
    heading = np.array([np.cos(world.wind_angle), np.sin(world.wind_angle), 0])
    expected = 0.5 * 1.225 * 0.5 * np.pi / 4 * peak**2 * heading
    np.testing.assert_allclose(np.array(world.ball_velocities[0]) / TIME_STEP, expected, atol=1e-5)
    assert (np.array(world.pole_velocity) - pole) @ heading > 0.1
    assert (np.array(world.cart_velocity) - cart) @ heading > 0


def test_the_winds_direction_is_uniform_and_drawn_each_episode(build) -> None:
    world = build(14)
    angles = []
    for seed in range(300):
        world.reset(np.random.default_rng(seed))
        angles.append(world.wind_angle)
    assert stats.kstest(angles, "uniform", (-np.pi, 2 * np.pi)).pvalue > LEVEL


@pytest.mark.parametrize(
    ("novelty", "difficulty", "interval"),
    [(8, "easy", 50), (8, "medium", 15), (8, "hard", 7), (16, "easy", 3), (16, "medium", 2), (16, "hard", 1)],
)
def test_balls_appear_at_the_documented_interval_up_to_the_maximum(
    build, novelty: int, difficulty: str, interval: int
) -> None:
    world = build(novelty, difficulty, most_balls=12)
    count = first = world.ball_count
    times = []
    for tick in range(1, 201):
        world.step(0)
        if world.ball_count > count:
            times.append(tick)
            count = world.ball_count
    assert times == list(range(interval, 201, interval))[: 12 - first]


def test_a_stopped_ball_stays_until_something_hits_it(build) -> None:
    world = without_balls(build(8, "hard", most_balls=6))
    put_balls(world, [[4, 4, 9]], [[0, 0, 0]])
    for _ in range(7):
        world.step(1)
    assert world.ball_count == 2
    assert not np.any(world.ball_velocities)
    new, cart = np.array(world.ball_positions[1]), np.array(world.cart_position)
    assert new[2] == 1
    assert new[0] - cart[0] >= 0.74  # the cart was pushed to the right


def test_the_declared_maximum_holds_and_is_checked(build) -> None:
    world = build(16, "hard", most_balls=7)
    for _ in range(60):
        world.step(0)
    assert world.ball_count == 7
    with pytest.raises(InputError, match="8 balls are asked for; this world has 7"):
        put_balls(world, [[0, 0, z] for z in range(1, 9)], [[0, 0, 0]] * 8)


def test_slots_beyond_the_balls_that_there_are_change_no_tick(build) -> None:
    few, many = (build(8, "easy", seed=5, most_balls=slots) for slots in (8, 20))
    for _ in range(200):
        few.step(1)
        many.step(1)
    assert 4 < few.ball_count <= 8
    assert few.ball_positions == many.ball_positions
    assert few.cart_position == many.cart_position
