"""A training by reward, interrupted anywhere and taken up again, ends with the bits of one that was not."""

import gymnasium
import numpy as np
import pytest
import reinforcement_worlds
from test_training_checkpoints import Disk, Interrupted, check_every_boundary, check_starts_anew, equal, numbers

from aiq.config.training import EpsilonGreedy, Evaluation, HardUpdate, Plateau, Sgd
from aiq.domains import control_domain
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.settings import CartPole, CartPole3D
from aiq.errors import NotKeptError
from aiq.records.domains import ControlInterface
from aiq.records.trial import Architecture, Policy
from aiq.training import q_population, reinforcement
from aiq.training.checkpoints import Memory

POLICIES = [Policy(Architecture("dense", w), i) for i, w in enumerate([(3,), (4, 5), (), (2, 3, 2)])]
SEEDS = [11, 12, 13, 14]
NETWORK = Architecture("dense", (4,))
EARLY_STOPS = {
    "convergence": Plateau(window=1, patience=1, improvement=0.02), "evaluation": Evaluation(every=20, episodes=3)
}  # fmt: skip
HARD = {
    "optimizer": Sgd(name="sgd", learning_rate=0.01), "target": HardUpdate(rule="hard", every=7),
    "exploration": EpsilonGreedy(rule="epsilon_greedy", fraction=0.9), "loss": "huber", "train_every": 3,
}  # fmt: skip


class Learning(gymnasium.Env):
    """Remembers its episodes: the later they are, the further a step goes. Seeds from ``broken`` raise in the third."""

    observation_space = gymnasium.spaces.Box(-100, 100, (2,))
    action_space = gymnasium.spaces.Discrete(2)
    broken = False

    def __init__(self):
        self.episodes, self.place = 0, 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episodes += 1
        self.place = float(self.np_random.normal())
        if self.broken and self.episodes == 3 and self.np_random.random() < 0.1:
            raise RuntimeError("the world broke")
        return np.array([self.place, 0.0], np.float32), {}

    def step(self, action):
        self.place += (2 * int(action) - 1) * 0.1 * self.episodes + float(self.np_random.normal()) * 0.1
        over = self.np_random.random() < 0.1
        return np.array([self.place, 1.0], np.float32), 1 / (1 + abs(self.place)), over, False, {}


class Breaking(Learning):
    broken = True


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of few steps, so that there are many places to be interrupted at, and the environments made here."""
    monkeypatch.setattr(q_population, "BLOCK", 16)
    for name, made in (("Learning-v0", Learning), ("Breaking-v0", Breaking)):
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=made, max_episode_steps=9)


def settings(**changes):
    return reinforcement_worlds.settings(
        **{"evaluation": Evaluation(every=40, episodes=3, final_episodes=6), **changes}
    )


def world(identity, bounds=(0, 9), **more):
    return control_domain("world", Gymnasium(source="gymnasium", id=identity, bounds=bounds, **more))


def pole(**more):
    return control_domain("pole", CartPole(source="cartpole", **more))


def chunk(domain, rule, policies=POLICIES):
    seeds = SEEDS[: len(policies)]
    return lambda memory: [
        agent.trial for agent in reinforcement.train_agents(domain, policies, rule, seeds=seeds, memory=memory)
    ]


@pytest.mark.parametrize(
    "changes",
    [{}, EARLY_STOPS, HARD],
    ids=["soft", "early-stops", "hard"],
)
def test_a_pool_on_cart_poles(changes):
    train = chunk(pole(steps=30), settings(**changes))
    states = check_every_boundary(train)
    if "convergence" in changes:
        assert len({len(state["000000"]["active"]) for state in states}) > 2
    else:
        assert any(state["000000"]["learner"]["replay"]["rows"]["000000"].shape[0] == 51 for state in states[:-1])


@pytest.mark.parametrize(
    ("name", "bounds", "remembers"), [("FrozenLake-v1", (0, 1), False), ("Learning-v0", (0, 9), True)]
)
def test_episodes_are_played_again_from_their_beginning_or_the_first_where_worlds_remember(name, bounds, remembers):
    states = check_every_boundary(chunk(world(name, bounds), settings(), POLICIES[:2]))
    held = states[4]["000000"]["learner"]["worlds"]["lanes"]["000000"]
    assert (held["since"] is None) == remembers
    assert len(held["actions"]) > 64 if remembers else len(held["actions"]) < 40


def test_a_world_that_raises_stays_failed_and_a_policy_that_diverged_stays_so():
    train = chunk(world("Breaking-v0"), settings())
    assert {trial.status for trial in train(None)} == {"failed", "finished"}
    check_every_boundary(train)
    train = chunk(pole(), settings(optimizer=Sgd(name="sgd", learning_rate=1e30)), POLICIES[:2])
    assert {trial.status for trial in train(None)} == {"diverged"}
    check_every_boundary(train)


def test_a_world_of_bodies():
    rule = settings(steps=48, evaluation=Evaluation(every=40, episodes=1, final_episodes=1))
    check_every_boundary(chunk(control_domain("w", CartPole3D(source="cartpole3d", view="cart")), rule, POLICIES[:2]))


def test_mixtures_and_domains_alone():
    lake = world("FrozenLake-v1", (0, 1), foreign_actions="random")
    ground = ControlInterface(16, 6, 200.0)
    told = {"interface": ground, "seed": 9}
    proportions = {"proportions": (0.0, 0.5), "repetitions": (0, 1)}
    check_every_boundary(
        lambda memory: reinforcement.train_mixtures(
            pole(), lake, NETWORK, settings(), **proportions, **told, memory=memory
        )
    )
    places = [(1.0, 0), (0.5, 0), (0.5, 1)]
    check_every_boundary(
        lambda memory: reinforcement.train_alone(lake, NETWORK, settings(), places=places, **told, memory=memory)
    )


def test_worlds_that_cannot_tell_where_they_are_keep_finished_trainings_alone():
    declined = []

    class Patient(Disk):
        """Declines what cannot be kept, as a checkpoint does."""

        def __call__(self, make, finished):
            try:
                super().__call__(make, finished)
            except NotKeptError as error:
                declined.append(str(error))

    train = chunk(reinforcement_worlds.Constant(terminates=False), settings(), POLICIES[:2])
    whole, once = numbers(train(None)), Patient(1)
    with pytest.raises(Interrupted):
        train(Memory({}, once))
    (state,) = once.states
    assert state["000000"]["step"] == 90
    assert declined
    assert all("ConstantWorlds cannot tell" in sentence for sentence in declined)
    rest = Patient()
    assert equal(numbers(train(Memory(state, rest))), whole)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda s: s["learner"]["learning"]["nets"].update(device="cuda"), "taken on cuda"),
        (lambda s: s["curves"].popitem(), "members"),
        (lambda s: s["learner"]["replay"]["rows"].popitem(), "memory"),
        (lambda s: s["learner"]["worlds"]["lanes"].popitem(), "lanes"),
        (lambda s: s["learner"]["worlds"]["lanes"]["000001"].update(sum=5), "did not take the same course"),
        (lambda s: s["learner"]["streams"]["000000"].update(replay='{"bit_generator": "MT19937"}'), "MT19937"),
        (lambda s: s.pop("left"), "left"),
    ],
)
def test_a_state_of_another_training_is_left_aside_and_said(spoil, reason, caplog):
    check_starts_anew(chunk(world("Learning-v0"), settings(), POLICIES[:2]), 3, spoil, reason, caplog)
