"""CartPole3D as others use it: through Gymnasium."""

import gc

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from aiq.domains.cartpole3d.recording import balance
from aiq.domains.cartpole3d.scene import bullet
from aiq.errors import DomainError, InputError


def rollout(env, seed: int, actions: list[int] | None = None) -> tuple[np.ndarray, float, bool]:
    """Play one episode; return its observations, its return and whether it was truncated."""
    observation, _ = env.reset(seed=seed)
    seen, total = [observation], 0.0
    for tick in range(500):
        action = actions[tick % len(actions)] if actions else balance(observation)
        observation, reward, fallen, over, _ = env.step(action)
        seen.append(observation)
        total += reward
        if fallen or over:
            return np.array(seen), total, over
    raise AssertionError("the episode has no end")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"novelty": 14, "difficulty": "easy", "preset": "paper"},
        {"novelty": 16, "difficulty": "hard", "most_balls": 8},
        {"novelty": 12, "difficulty": "hard", "preset": "wsu"},
        {"view": "cart"},
        {"view": "baseline", "preset": "wsu"},
        {"view": "scaled", "most_balls": 8},
    ],
)
@pytest.mark.filterwarnings("error")
def test_gymnasiums_own_check_passes(make, arguments: dict) -> None:
    env = make(render_mode="rgb_array", **arguments)
    check_env(env.unwrapped)


@pytest.mark.parametrize("novelty", range(17))
def test_two_copies_with_one_seed_agree_bit_for_bit_whatever_they_did_before(make, novelty: int) -> None:
    one, other = make(novelty=novelty, difficulty="hard"), make(novelty=novelty, difficulty="hard")
    rollout(other, 5, [1, 0, 4])
    first, second = rollout(one, 3, [0, 1, 2, 4, 3])[0], rollout(other, 3, [0, 1, 2, 4, 3])[0]
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, rollout(one, 3, [0, 1, 2, 4, 3])[0])
    assert not np.array_equal(first[:5], rollout(one, 4, [0, 1, 2, 4, 3])[0][:5])


def test_worlds_in_one_process_do_not_touch_each_other(make) -> None:
    alone = rollout(make(), 1, [1])[0]
    one, other = make(), make(novelty=6)
    one.reset(seed=1)
    other.reset(seed=2)
    together = []
    for _ in range(len(alone) - 1):
        together.append(one.step(1)[0])
        if other.step(2)[2]:
            other.reset()
    np.testing.assert_array_equal(alone[1:], together)
    other.close()
    one.reset(seed=1)
    np.testing.assert_array_equal(one.step(1)[0], alone[1])


def test_drawing_does_not_change_the_episode(make) -> None:
    plain = rollout(make(novelty=16), 2, [0])[0]
    env = make(novelty=16, render_mode="rgb_array")
    env.reset(seed=2)
    drawn = []
    for _ in range(len(plain) - 1):
        drawn.append(env.step(0)[0])
        if len(drawn) % 10 == 0:
            env.render()
    np.testing.assert_array_equal(plain[1:], drawn)


@pytest.mark.parametrize(
    ("view", "preset", "entries"), [("cart", "paper", 10), ("cart", "wsu", 11), ("baseline", "wsu", 10)]
)
def test_leaving_the_balls_out_leaves_the_episode_as_it_is(make, view: str, preset: str, entries: int) -> None:
    whole, bare = make(preset=preset), make(preset=preset, view=view)
    for env in (whole, bare):
        env.reset(seed=4)
    for tick in range(20):
        seen, less = whole.step(3 + tick % 2)[0], bare.step(3 + tick % 2)[0]
        assert less.shape == (entries,)
        if view == "cart":
            np.testing.assert_array_equal(seen[:entries], less)
    assert whole.unwrapped.world.pole_orientation == bare.unwrapped.world.pole_orientation


def test_the_observation_is_the_world_with_a_mask(make) -> None:
    env = make(most_balls=5)
    seen, info = env.reset(seed=0)
    world, count = env.unwrapped.world, info["balls"]
    assert seen.shape == (10 + 6 * 5 + 5,)
    assert len(env.unwrapped.observer.names) == len(seen)
    roll, pitch, yaw = world.roll_pitch_yaw
    turn = world.pole_angular_velocity
    expected = [*world.cart_position[:2], *world.cart_velocity[:2], yaw, pitch, roll, *turn[::-1]]
    np.testing.assert_array_equal(seen[:10], np.array(expected, np.float32))
    slots = seen[10:40].reshape(5, 6)
    np.testing.assert_array_equal(slots[:count, :3], np.array(world.ball_positions, np.float32))
    np.testing.assert_array_equal(slots[:count, 3:], np.array(world.ball_velocities, np.float32))
    assert not slots[count:].any()
    np.testing.assert_array_equal(seen[40:], np.arange(5) < count)


def test_the_view_scaled_is_the_view_full_with_balls_in_other_units(make) -> None:
    whole, scaled = make(most_balls=5), make(most_balls=5, view="scaled")
    seen, less = (env.reset(seed=0)[0] for env in (whole, scaled))
    units = np.concatenate([np.ones(10), np.tile([20.0] * 3 + [40.0] * 3, 5), np.ones(5)])
    np.testing.assert_allclose(less * units, seen, rtol=1e-6)
    for end in ("low", "high"):
        ends = [getattr(env.observation_space, end) for env in (whole, scaled)]
        np.testing.assert_allclose(ends[1] * units, ends[0], rtol=1e-6)
    assert whole.unwrapped.observer.names == scaled.unwrapped.observer.names


def test_angles_are_pybullets_own(make) -> None:
    env = make()
    env.reset(seed=0)
    for tick in range(20):
        env.step(1 + tick % 2)
    world = env.unwrapped.world
    expected = world._p.getEulerFromQuaternion(world.pole_orientation)
    np.testing.assert_allclose(world.roll_pitch_yaw, expected, atol=1e-12)


def test_rounding_and_scaling(make) -> None:
    exact, rounded = make(view="baseline"), make(view="baseline", decimals=2)
    seen, coarse = exact.reset(seed=3)[0], rounded.reset(seed=3)[0]
    np.testing.assert_array_equal(coarse, np.round(seen.astype(float), 2).astype(np.float32))
    assert not np.array_equal(seen, coarse)
    world = exact.unwrapped.world
    assert seen[0] == pytest.approx((world.cart_position[0] + 10) / 20)
    assert seen[7] == pytest.approx((np.degrees(world.roll_pitch_yaw[0]) + 180) / 360)
    six = make(preset="wsu").reset(seed=3)[0]
    full = make(preset="wsu", decimals=None).reset(seed=3)[0]
    np.testing.assert_array_equal(six[4:8], np.round(full[4:8].astype(float), 6).astype(np.float32))
    assert np.abs(six - full).max() < 1e-6 + 1e-7 * 10


@pytest.mark.parametrize(("preset", "limit"), [("paper", 12), ("wsu", 10)])
def test_the_episode_ends_when_the_pole_passes_the_limit(make, preset: str, limit: float) -> None:
    env = make(novelty=2, preset=preset)
    env.reset(seed=1)
    rewards, angles, fallen = [], [], False
    while not fallen:
        _, reward, fallen, over, info = env.step(1)
        rewards.append(reward)
        angles.append(np.degrees(np.abs(env.unwrapped.world.roll_pitch_yaw[:2]).max()))
        assert not over
    assert angles[-2] <= limit < angles[-1]
    assert rewards == [1 / 200] * (info["ticks"] - 1) + [0]


def test_a_balanced_pole_is_worth_one_and_ends_at_tick_two_hundred(make) -> None:
    seen, total, over = rollout(make(novelty=2), 0)
    assert (len(seen), total, over) == (201, pytest.approx(1), True)


def test_means_of_level_zero_lie_where_they_were_measured(make) -> None:
    env = make(view="cart")
    means = {}
    for name in ("nothing", "random", "balancer"):
        returns = []
        for seed in range(30):
            actions = {"nothing": [0], "random": np.random.default_rng(seed).integers(0, 5, 200).tolist()}.get(name)
            returns.append(rollout(env, seed, actions)[1])
        means[name] = np.mean(returns)
    assert means["nothing"] == pytest.approx(0.24, abs=0.05)
    assert means["random"] == pytest.approx(0.11, abs=0.03)
    assert means["balancer"] == pytest.approx(0.88, abs=0.08)


@pytest.mark.parametrize("novelty", range(17))
def test_observations_lie_in_the_declared_space(make, novelty: int) -> None:
    for arguments in ({"difficulty": "hard"}, {"difficulty": "hard", "preset": "wsu"}, {"view": "baseline"}):
        env = make(novelty=novelty, **arguments)
        seen, _, _ = rollout(env, novelty, [0])
        assert all(env.observation_space.contains(row) for row in seen)
        assert seen.shape[1] == env.observation_space.shape[0]


@pytest.mark.parametrize("action", [5, -1, 0.5, np.float32(1), [0.1, 0.2], None, "left"])
def test_an_action_outside_the_space_is_refused_in_one_sentence(make, action: object) -> None:
    env = make().unwrapped
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"^action is .*; CartPole3D has the discrete actions 0 \(nothing\)"):
        env.step(action)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"view": "ball"}, "view is 'ball'.*allowed are full, cart, baseline, scaled"),
        ({"decimals": -1}, "decimals is -1; allowed are the integers 0 to 15"),
        ({"decimals": "two"}, "decimals is 'two'; allowed are the integers 0 to 15"),
        ({"most_balls": 3}, "most_balls is 3; allowed are the integers 4 to 200"),
        ({"most_balls": 20.0}, "most_balls is 20.0; allowed are the integers 4 to 200"),
    ],
)
def test_arguments_that_do_not_exist_are_refused_in_one_sentence(make, arguments: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(**arguments)


def test_a_step_without_an_episode_is_refused_and_without_a_render_mode_nothing_is_drawn(make) -> None:
    env = make().unwrapped
    with pytest.raises(ResetNeeded):
        env.step(0)
    rollout(env, 0, [1])
    with pytest.raises(ResetNeeded):
        env.step(0)
    assert env.render() is None


def test_a_closed_environment_can_be_closed_again_and_begun_anew(make) -> None:
    env = make(render_mode="rgb_array")
    before = rollout(env, 1, [0])[0]
    env.render()
    env.close()
    env.close()
    env = env.unwrapped
    np.testing.assert_array_equal(rollout(env, 1, [0])[0], before)


def test_the_picture_shows_cart_pole_and_balls_where_they_are(make) -> None:
    env = make(novelty=2, render_mode="rgb_array")
    env.reset(seed=0)
    before = env.render()
    assert before.shape == (480, 480, 3)
    assert before.dtype == np.uint8
    cart = of_cart(before)
    assert len(cart) > 100
    red, green, blue = (before[..., channel].astype(int) for channel in range(3))
    assert ((red > blue + 60) & (green > blue + 20)).sum() > 30  # pole
    assert ((red > green + 60) & (red > blue + 60)).sum() > 200  # first ball
    for _ in range(15):
        env.unwrapped.world.step(1)
    after = env.render()
    changed = np.abs(after.astype(int) - before).max(axis=2) > 20
    assert 50 < changed.sum() < 0.05 * changed.size
    assert of_cart(after)[:, 1].mean() > cart[:, 1].mean() + 5  # pushed to the right


def of_cart(picture: np.ndarray) -> np.ndarray:
    """Return rows and columns of the blue pixels, shape (n, 2)."""
    red, green, blue = (picture[..., channel].astype(int) for channel in range(3))
    return np.argwhere((blue > red + 40) & (blue > green + 20))


def test_forgotten_worlds_give_their_clients_back() -> None:
    gc.collect()  # worlds that earlier tests forgot
    numbers = set()
    for _ in range(8):
        env = gymnasium.make("aiq/CartPole3D-v0")
        env.reset(seed=0)
        numbers.add(env.unwrapped.world.scene.client)
        del env
        gc.collect()
    assert len(numbers) == 1


def test_too_many_worlds_are_refused_in_one_sentence(monkeypatch) -> None:
    monkeypatch.setattr(bullet(), "connect", lambda mode: -1)
    with pytest.raises(DomainError, match="no room for another world: close environments"):
        gymnasium.make("aiq/CartPole3D-v0").reset(seed=0)
