"""CartPole3D as a labelled domain: the balancer's own labels, other episodes for the test, pictures of the tilt."""

import math
import re

import numpy as np
import pytest

from aiq import domains
from aiq.config import validate
from aiq.domains.cartpole3d import recording
from aiq.domains.cartpole3d.levels import resolve
from aiq.domains.cartpole3d.observation import Observer
from aiq.domains.cartpole3d.recording import BY_SIGHT, Overhead, balance, record3d
from aiq.domains.labelled.settings import Recorded
from aiq.errors import ConfigurationError, DomainError


def settings(**parameters):
    return validate(Recorded, {"source": "recorded", "environment": "cartpole3d", **parameters})


def load(root_seed=1, **parameters):
    return domains.load("r", settings(**parameters), root_seed=root_seed)


# ---- settings


def test_the_agent_follows_the_environment():
    assert settings().agent == "balancer"
    assert Recorded(source="recorded").agent == "lqr"
    assert settings().label_space == "recorded:cartpole3d"


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ({"agent": "balancer"}, "agent is 'balancer', but the agent of CartPole-v1 is 'lqr'"),
        ({"environment": "cartpole3d", "agent": "lqr"}, "agent is 'lqr', but the agent of cartpole3d is 'balancer'"),
        ({"novelty": 3}, "novelty is 3 and difficulty 'easy', but CartPole-v1 has no levels"),
        ({"difficulty": "hard"}, "but CartPole-v1 has no levels: take environment cartpole3d"),
        ({"environment": "cartpole3d", "novelty": 17}, "at novelty: must be less than or equal to 16"),
        ({"environment": "cartpole3D"}, "did you mean 'cartpole3d'"),
    ],
)
def test_mistakes_are_one_sentence(raw, sentence):
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        validate(Recorded, {"source": "recorded", **raw})


# ---- the agent


def test_the_agent_is_competent(build):
    world, observer = build(0), Observer("paper", 4, "cart")
    lengths = []
    for episode in range(20):
        world.reset(np.random.default_rng(episode))
        while not (world.fallen or world.over):
            world.step(balance(observer(world), BY_SIGHT))
        lengths.append(world.ticks)
    assert np.mean(lengths) / 200 > 0.75


# ---- the recording


def test_labels_are_the_agent_s_even_where_it_explored():
    seen, actions, _ = record3d(settings(exploration=0.5), 500, 1, "x")
    assert [balance(row, BY_SIGHT) for row in seen] == actions.tolist()


def test_exploration_replaces_the_agent_s_action(monkeypatch):
    """With exploration 1 the pushes are uniform whatever the labels are; with 0 they are the labels."""
    pushed = []

    class Watched(recording.World):
        def step(self, action):
            pushed.append(action)
            super().step(action)

    monkeypatch.setattr(recording, "World", Watched)
    _, labels, _ = record3d(settings(exploration=0.0), 400, 1, "x")
    assert pushed == labels.tolist()
    pushed.clear()
    _, labels, _ = record3d(settings(exploration=1.0), 4000, 1, "x")
    assert np.bincount(pushed) / 4000 == pytest.approx(0.2, abs=0.03)
    assert (np.array(pushed) == labels).mean() == pytest.approx(0.2, abs=0.03)


def test_levels_change_the_record():
    plain, windy = (record3d(settings(novelty=level), 300, 1, "x") for level in (0, 14))
    assert np.allclose(plain[0][0][:7], windy[0][0][:7], atol=0.01), "all begin alike but for the wind"
    assert not np.allclose(plain[0], windy[0], atol=0.05)
    assert windy[2] > plain[2]


def test_vectors_are_standardised_and_training_and_test_differ():
    domain = load()
    assert (domain.shape, domain.labels, len(domain.train_y), len(domain.test_y)) == ((10,), 5, 2000, 1000)
    assert domain.train_x.mean(axis=0) == pytest.approx(0, abs=1e-5)
    assert domain.train_x.std(axis=0) == pytest.approx(1, abs=1e-4)
    assert not {row.tobytes() for row in domain.train_x} & {row.tobytes() for row in domain.test_x}
    assert np.bincount(domain.train_y).max() < 0.35 * 2000
    assert domain.classes == (0, 1, 2, 3, 4)
    assert "level 0, easy: no change" in domain.sheet.notes


def test_an_action_that_training_lacks_is_refused(monkeypatch):
    def lacking(told, n, root, *key):
        seen, actions, episodes = record3d(told, n, root, *key)
        return seen, np.where(actions == 0, 1, actions) if "train" in key else actions, episodes

    monkeypatch.setattr(recording, "record3d", lacking)
    words = "domain r: the agent's action 'nothing' is in the test split, but among none"
    with pytest.raises(DomainError, match=words):
        load()


# ---- the pictures


def tip(world, camera, pitch=0.0, roll=0.0):
    """Centre of the bright pixels of an empty world whose pole is tilted, in pixels right and up from the middle."""
    world.scene.place((0.0, 0.0), world._p.getQuaternionFromEuler((roll, pitch, 0.0)), (0, 0, 0))
    world._look()
    picture = camera.take(world)[0].astype(float)
    rows, columns = np.nonzero(picture > 200)
    return columns.mean() - 15.5, 15.5 - rows.mean()


def test_the_tip_moves_as_the_pole_tilts(build):
    world, camera = build(2), Overhead(resolve(2))
    for number in range(len(world.scene.balls)):
        world.scene.park(number)
    for degrees in (-4, -1, 1, 4):
        right, up = tip(world, camera, pitch=math.radians(degrees))
        assert right == pytest.approx(degrees, abs=1 + 0.25 * abs(degrees))
        assert right * degrees > 0
        assert abs(up) < 0.5
        right, up = tip(world, camera, roll=math.radians(degrees))
        assert up * degrees < 0
        assert abs(right) < 0.5
    still = tip(world, camera)
    assert still == pytest.approx((0, 0), abs=0.3)
    camera.close()


def test_a_long_pole_stays_below_the_camera():
    domain = load(view="image", novelty=9, difficulty="hard", train_samples=60, test_samples=10)
    assert domain.train_x.reshape(60, -1).std(axis=1).min() > 5
