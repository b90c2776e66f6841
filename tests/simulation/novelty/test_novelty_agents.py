"""Agents for novelty: their physics against Bullet, what they estimate, when they raise an alarm."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from scipy.stats import weibull_min

from aiq import seeding
from aiq.wings.novelty import scoring
from aiq.wings.novelty.lookout import PLANS, Lookout, Repairing, Tails, repaired
from aiq.wings.novelty.networks import Adaptive, Frozen, Overriding
from aiq.wings.novelty.protocol import TASK, Alarm, Arena, play_level0
from aiq.wings.novelty.steering import (
    PUSHES,
    Constants,
    Linear,
    Physics,
    Record,
    Stability,
    Steerer,
    balls,
    cart_pole,
    fitted,
)


@pytest.fixture(scope="module")
def arena():
    held = Arena()
    yield held
    held.close()


@pytest.fixture(scope="module")
def steerer(arena):
    return scoring.steerer([], arena, 20, 3)


def transitions(episodes=4, **variant):
    """Random play of a variant: states, pushes, states after."""
    environment = gymnasium.make("aiq/CartPole3D-v0", **variant).unwrapped
    record, rng = Record(), np.random.default_rng(0)
    for seed in range(episodes):
        seen, _ = environment.reset(seed=seed)
        over = False
        while not over:
            action = int(rng.integers(5))
            state = cart_pole(seen)
            seen, _, terminated, truncated, _ = environment.step(action)
            record.add(state, action, cart_pole(seen))
            over = terminated or truncated
    environment.close()
    return record.arrays()


TRUE = {
    "level 0": ({}, Constants()),
    "heavy": ({"novelty": 1}, Constants(cart_mass=5.0)),
    "gravity": ({"novelty": 6}, Constants(gravity=20.0)),
    "long": ({"novelty": 9}, Constants(length=3.0)),
}


@pytest.mark.parametrize("name", TRUE)
def test_the_equations_are_bullets_and_least_squares_finds_the_accelerations(name):
    variant, constants = TRUE[name]
    before, pushes, after = transitions(**variant)
    off = np.abs(Physics(constants).step(before, pushes) - after)
    assert np.median(off, axis=0).max() < 1e-4, "a push changes a speed by 0.04 to 0.2 m/s"
    if name != "level 0":
        assert np.median(np.abs(Physics().step(before, pushes) - after).max(axis=1)) > 1e-3
    found = fitted(before, pushes, after)
    assert found.slopes == pytest.approx(Physics(constants).slopes(), rel=0.05, abs=0.1)
    assert np.abs(found.drift).max() < 0.1


def test_least_squares_leaves_hits_out_and_finds_what_always_acts():
    rng = np.random.default_rng(1)
    truth = Linear(np.array([[9.0, -1.0], [-8.0, 10.0]]), np.array([[0.5, -0.2], [2.0, 0.0]]))
    before, pushes = rng.normal(0, 0.05, (400, 8)), PUSHES[rng.integers(5, size=400)]
    after = truth.step(before, pushes)
    after[::25, 2:4] += 3.0
    found = fitted(before, pushes, after)
    assert found.slopes == pytest.approx(truth.slopes, abs=1e-8)
    assert found.drift == pytest.approx(truth.drift, abs=1e-8)
    calm = Linear(truth.slopes, -truth.drift)
    half = np.arange(400) < 200
    mixed = np.where(half[:, None], truth.step(before, pushes), calm.step(before, pushes))
    both = fitted(before, pushes, mixed, (~half).astype(np.int64))
    assert both.slopes == pytest.approx(truth.slopes, abs=1e-8)
    assert np.abs(both.drift).max() < 1e-8


def test_the_stable_state_is_the_nearest_and_holds_what_always_acts():
    slopes = Physics().slopes()
    stable = Stability(slopes)
    assert stable.distance(np.zeros((1, 8)))[0] == 0
    assert (stable.distance(np.random.default_rng(0).normal(size=(50, 8))) > 0).all()
    drift = np.array([[0.4, 0.0], [-0.3, 0.0]])
    stable.settle(drift)
    rest = np.zeros((1, 8))
    rest[0, 4] = stable._rest[0, 2]
    assert stable.distance(rest)[0] == 0
    (b, c), (e, d) = slopes
    push = -(c * rest[0, 4] + drift[0, 0]) / b
    assert e * push + d * rest[0, 4] + drift[1, 0] == pytest.approx(0, abs=1e-12)


def test_greedy_control_balances_level_0_and_the_balls_are_read(arena):
    ticks = play_level0(arena, Steerer(Physics(), Physics().slopes()), 12, 5)
    assert np.mean(ticks) > 150
    world = arena.world(0, "easy")
    seen = balls(arena.observer(world))
    assert seen.shape == (world.ball_count, 6)
    assert seen[:, :3] == pytest.approx(np.array(world.ball_positions), abs=1e-4)


# ---- detection


def test_an_alarm_needs_a_streak_and_stays():
    alarm = Alarm(1.0)
    for value, raised in ((2.0, False), (0.5, False), (2.0, False), (1.5, True), (0.0, True)):
        alarm.hear(value)
        assert alarm.raised == raised


def test_the_threshold_lets_one_normal_episode_in_twenty_through():
    rng = np.random.default_rng(0)
    shares = [
        (rng.exponential(size=200) > scoring.threshold(rng.exponential(size=100).tolist())).mean() for _ in range(200)
    ]
    assert np.mean(shares) == pytest.approx(0.058, abs=0.01), "of 100 values; measured over 2,000 samples"


def test_tails_are_the_weibull_distribution_of_the_excess():
    rng = np.random.default_rng(0)
    sample = weibull_min.rvs(1.7, size=(200_000, 1), random_state=rng) * rng.choice([-1, 1], (200_000, 1))
    tails = Tails(np.concatenate([sample, np.zeros_like(sample)], axis=1))
    points = np.quantile(np.abs(sample), [0.5, 0.975, 0.9975])
    told = tails(np.stack([points, [0.0, 0.0, 0.5]], axis=1))
    assert told[:, 0] == pytest.approx([0.0, 0.5, 0.95], abs=0.03)
    assert told[:, 1].tolist() == [0, 0, 1], "what never differs in level 0 is in the tail where it does"


# ---- the kinds


def test_the_re_estimating_kind_hears_a_heavy_cart_learns_it_and_does_better(arena, steerer):
    worlds, scores = arena.world(1, "easy"), []
    steerer.begin(TASK)
    for number in range(14):
        scores.append(arena.play(steerer, worlds, seeding.generator(2, number)))
        assert steerer.alarm.raised == (number >= 1)
    assert steerer.predictor.slopes == pytest.approx(Physics(Constants(cart_mass=5.0)).slopes(), rel=0.1, abs=0.2)
    still = Steerer(Physics(), Physics().slopes())
    still.begin(TASK)
    before = [arena.play(still, worlds, seeding.generator(2, number)) for number in range(2, 14)]
    assert np.mean(scores[2:]) > np.mean(before) + 40
    steerer.begin(TASK)
    assert not steerer.alarm.raised
    assert isinstance(steerer.predictor, Physics), "a trial forgets what the one before taught"


def test_the_learned_predictor_knows_no_constant_and_finds_them(arena):
    agent = scoring.learned_steerer([], arena, 20, 3)
    assert agent.predictor.slopes == pytest.approx(Physics().slopes(), rel=0.1, abs=0.1)


def test_the_lookout_hears_spawned_balls_and_a_pull_which_the_others_do_not(arena, steerer):
    agent = scoring.lookout([], arena, 25, 3)
    for level in (15, 16):
        for one, raised in ((agent, True), (steerer, False)):
            one.begin(TASK)
            for number in range(3):
                arena.play(one, arena.world(level, "easy"), seeding.generator(4, number))
            assert one.alarm.raised == raised


def test_the_lookout_keeps_away_from_a_ball_that_comes():
    agent = Lookout(Physics(), Physics().slopes(), caution=3.0)
    agent._balls = np.array([[2.0, 0.0, 1.0, -5.0, 0.0, 0.0]])
    agent._pull = np.zeros((1, 3))
    states = np.zeros((3, 8))
    states[1, 3], states[2, 2] = 3.0, 2.0
    aside, towards = agent.hits(states)[1:] - agent.hits(states)[0]
    assert aside < 0
    assert towards >= 0


def test_plans_are_all_there_and_repair_finds_the_mass(arena):
    assert PLANS.shape == (169, 10, 2)
    assert len({plan.tobytes() for plan in PLANS}) == 169
    record = Record()
    before, pushes, after = transitions(episodes=3, novelty=1)
    record.before, record.pushes, record.after = list(before[:100]), list(pushes[:100]), list(after[:100])
    found = repaired(record, Constants(), 1e-6)
    slopes = Physics(Constants(cart_mass=5.0)).slopes()
    assert Physics(found).slopes() == pytest.approx(slopes, rel=0.15, abs=0.5)


def test_the_repairing_kind_balances_level_0(arena):
    agent = Repairing()
    agent.begin(TASK)
    ticks = [arena.play(agent, arena.world(0, "easy"), seeding.generator(2, number)) for number in range(6)]
    assert np.mean(ticks) > 120


RNG = np.random.default_rng(0)
NETWORK = [RNG.normal(0, 0.5, shape).astype(np.float32) for shape in ((8, 10), (8,), (5, 8), (5,))]
SEEN = np.random.default_rng(1).normal(size=150).astype(np.float32)


def greedy(seen):
    agent = Frozen(NETWORK)
    agent.start(seen)
    return agent.act()


def test_the_frozen_network_is_the_network():
    hidden = np.maximum(NETWORK[0] @ SEEN[:10] + NETWORK[1], 0)
    values, embedding = Frozen(NETWORK).values(SEEN)
    assert values == pytest.approx(NETWORK[2] @ hidden + NETWORK[3], abs=1e-6)
    assert embedding == pytest.approx(hidden, abs=1e-6)
    assert greedy(SEEN) == values.argmax()


def test_the_adaptive_network_learns_and_a_trial_forgets_it(arena):
    agent = Adaptive(NETWORK, np.zeros((64, 22), np.float32), exploration=0.0)
    acts = []
    for _ in range(2):
        agent.begin(replace(TASK, seed=7))
        fresh = [weight.detach().numpy().copy() for weight in agent._net.parameters()]
        assert all(np.array_equal(one, other) for one, other in zip(fresh, NETWORK, strict=True))
        ticks = [arena.play(agent, arena.world(0, "easy"), seeding.generator(2, number)) for number in range(2)]
        moved = [weight.detach().numpy() for weight in agent._net.parameters()]
        assert any(not np.array_equal(one, other) for one, other in zip(moved, NETWORK, strict=True))
        agent.start(SEEN)
        acts.append((ticks, agent.act()))
    assert acts[0] == acts[1], "a trial depends on its seed alone"


def test_overrides_act_near_their_centre_only_and_are_kept_if_they_help():
    agent, seen = Overriding(NETWORK, radius=0.5, alarm=Alarm(0.5, streak=1)), SEEN
    agent.begin(replace(TASK, seed=1))
    own = greedy(seen)
    for ticks in (200, 40, 40, 40):
        agent.start(seen)
        assert agent.act() == own
        agent.ticks = ticks
        agent.end()
    assert agent.alarm.raised
    trial = agent._trial
    assert trial.action != own
    agent.start(seen)
    assert agent.act() == trial.action
    agent.observe(1.0, seen + 5, False)
    assert agent.act() == greedy(seen + 5)
    for _ in range(2):
        agent.ticks = 180
        agent.end()
        agent.start(seen)
        agent.act()
    assert agent.regions[0] is trial
