"""The recording: a competent agent, its own labels, other episodes for the test, pictures that show the state."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from aiq import domains, seeding
from aiq.domains.cartpole import Constants, draw, gains, linearised
from aiq.domains.cartpole3d.recording import record3d
from aiq.domains.labelled.recorded import STEPS, make_agent, make_environment, record
from aiq.domains.labelled.settings import Recorded

SETTINGS = Recorded(source="recorded")
CONSTANTS = Constants(force=10.0, gravity=9.8, half_length=0.5, cart_mass=1.0, pole_mass=0.1)


def load(root_seed=1, **parameters):
    return domains.load("r", Recorded(source="recorded", **parameters), root_seed=root_seed)


# ---- the agent


def test_linearisation_is_the_jacobian_of_the_environment():
    world = make_environment(SETTINGS).unwrapped

    def step(state, force):
        world.reset(seed=0)
        world.state, world.force_mag = np.array(state, float), force
        world.step(1)
        return np.array(world.state)

    h = 1e-5
    moves = np.eye(4) * h
    a = np.stack([(step(move, 0.0) - step(-move, 0.0)) / (2 * h) for move in moves], axis=1)
    b = (step(np.zeros(4), h) - step(np.zeros(4), -h)) / (2 * h)
    expected_a, expected_b = linearised(CONSTANTS)
    assert a == pytest.approx(expected_a, abs=1e-8)
    assert b == pytest.approx(expected_b[:, 0], abs=1e-8)


def test_the_feedback_solves_the_regulator_problem():
    """The gains equal those of plain value iteration over a long horizon."""
    a, b = linearised(CONSTANTS)
    cost, price = np.diag([1.0, 0.0, 1e4, 0.0]), 1e-4
    value = cost
    for _ in range(5000):
        k = (b.T @ value @ a) / (price + b.T @ value @ b)
        value = cost + a.T @ value @ (a - b @ k)
    assert gains(CONSTANTS) == pytest.approx(k[0], rel=1e-6)


def test_the_agent_is_competent():
    environment = make_environment(SETTINGS)
    agent = make_agent(environment)
    returns = []
    for episode in range(50):
        observation, _ = environment.reset(seed=seeding.integer(11, "competence", episode))
        total, over = 0.0, False
        while not over:
            observation, reward, terminated, truncated, _ = environment.step(agent.act(observation))
            total += reward
            over = terminated or truncated
        returns.append(total)
    assert max(returns) == STEPS == 200
    assert np.mean(returns) >= 195


def test_constants_come_from_the_environment():
    environment = make_environment(SETTINGS)
    assert np.array_equal(make_agent(environment).gains, gains(CONSTANTS))
    environment.unwrapped.gravity = 180.0
    assert not np.array_equal(make_agent(environment).gains, gains(CONSTANTS))


# ---- the recording


def test_labels_are_the_agent_s_even_where_it_explored():
    observations, actions, _ = record(SETTINGS, 600, 1, "x")
    agent = make_agent(make_environment(SETTINGS))
    assert [agent.act(observation) for observation in observations] == actions.tolist()


def test_exploration_is_the_share_of_random_steps():
    """With exploration 1 every push is random: pushes and labels are independent."""
    observations, actions, episodes = record(Recorded(source="recorded", exploration=1.0), 3000, 1, "x")
    starts = np.abs(observations).max(axis=1) <= 0.05
    inside = ~starts[1:]
    pushed = (np.diff(observations[:, 1]) > 0)[inside]
    agreement = (pushed == actions[:-1][inside]).mean()
    assert agreement == pytest.approx(0.5, abs=0.05)
    assert episodes > 50
    calm, _, few = record(Recorded(source="recorded", exploration=0.0), 3000, 1, "x")
    assert few == 15
    assert calm[:, 2].std() < 0.3 * observations[:, 2].std()


@pytest.mark.parametrize(
    ("recorded", "told"), [(record, SETTINGS), (record3d, Recorded(source="recorded", environment="cartpole3d"))]
)
def test_more_samples_continue_the_same_record(recorded, told):
    short, longer = (recorded(told, n, 1, "x") for n in (300, 900))
    assert np.array_equal(short[0], longer[0][:300])
    assert np.array_equal(short[1], longer[1][:300])
    assert longer[2] > short[2]


def test_vectors_are_standardised_and_balanced():
    domain = load()
    assert (domain.shape, domain.train_x.dtype) == ((4,), np.float32)
    assert (len(domain.train_y), len(domain.test_y)) == (2000, 1000)
    assert not {row.tobytes() for row in domain.train_x} & {row.tobytes() for row in domain.test_x}
    assert domain.train_x.mean(axis=0) == pytest.approx(0, abs=1e-5)
    assert domain.train_x.std(axis=0) == pytest.approx(1, abs=1e-4)
    assert 0.4 < domain.train_y.mean() < 0.6
    share = f"{domain.train_y.mean():.1%} of the train labels are push right"
    assert any(share in note for note in domain.sheet.notes)


@pytest.mark.parametrize(
    ("environment", "hidden"), [("CartPole-v1", "no velocity"), ("cartpole3d", "speeds and mostly the place are not")]
)
def test_both_views_show_the_same_record(environment, hidden):
    views = ("vector", "image")
    vector, image = (load(environment=environment, view=view, train_samples=250, test_samples=50) for view in views)
    assert np.array_equal(vector.train_y, image.train_y)
    assert np.array_equal(vector.test_y, image.test_y)
    assert vector.label_space == image.label_space
    assert (image.shape, image.train_x.dtype) == ((1, 32, 32), np.uint8)
    assert any(hidden in note for note in image.sheet.notes)


def test_pictures_can_be_learned_from_but_do_not_decide():
    accuracy = {}
    for exploration in (0.3, 0.5):
        domain = load(view="image", exploration=exploration, train_samples=3000, test_samples=2000)
        train, test = (x.reshape(len(x), -1) / 255 for x in (domain.train_x, domain.test_x))
        model = LogisticRegression(C=10, max_iter=200).fit(train, domain.train_y)
        accuracy[exploration] = model.score(test, domain.test_y)
    assert 0.62 < accuracy[0.3] < accuracy[0.5] < 0.95
    assert accuracy[0.5] > 0.75


# ---- the pictures


def picture(x=0.0, angle=0.0):
    return draw(np.array([[x, 9.0, angle, -9.0]]))[0, 0].astype(int)


def centre(rows):
    weight = rows.sum(axis=0)
    return (weight * (np.arange(32) + 0.5)).sum() / weight.sum()


def test_the_cart_stands_where_the_position_says():
    for x in (-2.4, -1.0, -0.01, 0.0, 0.5, 2.4):
        bottom = picture(x)[27:29]
        assert centre(bottom) == pytest.approx(16 + 13 * x / 2.4, abs=0.02)
        assert bottom.sum() == pytest.approx(2 * 6 * 150, rel=0.01)


def test_the_pole_leans_as_the_angle_says():
    for degrees in (-12, -3, 0, 1, 6, 12):
        angle = np.deg2rad(degrees)
        for row in (8, 15):
            assert centre(picture(0.0, angle)[[row]]) == pytest.approx(16 + (24.5 - row) * np.tan(angle), abs=0.1)


def test_pictures_show_a_tenth_of_a_degree_and_a_centimetre_but_no_velocity_and_mirror_the_state():
    assert (picture(0.0, 0.0) != picture(0.0, np.deg2rad(0.1))).any()
    assert (picture(0.0) != picture(0.01)).any()
    first, second = draw(np.array([[0.3, 0.0, 0.1, 0.0], [0.3, 2.0, 0.1, -3.0]]))
    assert np.array_equal(first, second)
    assert np.array_equal(picture(0.7, 0.1), picture(-0.7, -0.1)[:, ::-1])


def test_pictures_do_not_depend_on_how_many_are_drawn_together():
    states = record(SETTINGS, 1500, 1, "x")[0]
    together = draw(states)
    assert np.array_equal(together[1020:1030], draw(states[1020:1030]))
    assert together.max() == 255
