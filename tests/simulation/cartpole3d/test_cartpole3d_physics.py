"""The physics of the world, measured as physics."""

from collections.abc import Callable

import numpy as np
import pytest
from cartpole3d_worlds import put_balls, without_balls, without_cart

from aiq.domains.cartpole3d.levels import TIME_STEP
from aiq.domains.cartpole3d.world import World

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
