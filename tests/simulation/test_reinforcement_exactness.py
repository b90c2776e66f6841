"""The population of agents equals the one-agent reference, and no agent depends on its neighbours."""

import numpy as np
import pytest
import torch
from reinforcement_worlds import Drift
from torch import nn

from aiq.config.training import (
    Adadelta,
    Adam,
    AdamW,
    Boltzmann,
    EpsilonGreedy,
    HardUpdate,
    Reinforcement,
    Sgd,
    SoftUpdate,
)
from aiq.policies.networks import initial_weights, load, network
from aiq.records.trial import Architecture
from aiq.training.q_learners import PopulationLearner, ReferenceLearner, world_seed
from aiq.training.q_networks import Pass, QNets

ADAM = Adam(name="adam", learning_rate=1e-2)
DEEP_FIRST = [(5, 9, 3), (8, 2, 4), (6, 11), (1,), (12,), ()]
BOLTZMANN, GREEDY = Boltzmann(rule="boltzmann", temperature=0.7), EpsilonGreedy(rule="epsilon_greedy", fraction=0.5)
SOFT, HARD = SoftUpdate(rule="soft", rate=0.05), HardUpdate(rule="hard", every=17)


def settings(**changes):
    told = {"algorithm": "dqn", "steps": 200, "optimizer": ADAM, "batch_size": 8, "replay": 60, "learning_starts": 5}
    return Reinforcement(**{**told, **changes})


def learner(kind, domain, rule, widths=DEEP_FIRST, seeds=None, dtype=torch.float64):
    architectures = [Architecture("dense", w) for w in widths]
    seeds = seeds or [100 + len(DEEP_FIRST) - i for i in range(len(widths))]
    shape = (domain.observations,)
    weights = [initial_weights(a, shape, domain.actions, s, dtype) for a, s in zip(architectures, seeds, strict=True)]
    worlds = domain.worlds([world_seed(seed) for seed in seeds])
    return kind(architectures, weights, seeds, domain, rule, worlds)


def distance(ours, theirs):
    return max(float((a - b).abs().max()) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize(
    ("changes", "compared"),
    [
        ({"exploration": BOLTZMANN, "target": SOFT, "double": True}, (0, 2, 4)),
        ({"exploration": BOLTZMANN, "target": HARD, "double": False, "loss": "huber"}, (1, 3, 5)),
        ({"exploration": GREEDY, "double": False, "optimizer": Sgd(name="sgd", learning_rate=0.01)}, (0, 2, 4)),
        ({"exploration": GREEDY, "target": HARD, "double": True, "train_every": 3, "loss": "huber"}, (1, 3, 5)),
        ({"optimizer": AdamW(name="adamw", learning_rate=1e-2), "replay": 1000}, (0, 2, 4)),
        ({"optimizer": Adadelta(name="adadelta", learning_rate=1.0), "learning_starts": 1}, (1, 3, 5)),
    ],
    ids=["soft-double", "hard-huber", "epsilon-sgd", "epsilon-hard-double", "adamw", "adadelta"],
)
def test_the_population_equals_the_reference(changes, compared):
    domain, rule = Drift(tick="loss" in changes), settings(**changes)
    ours = learner(PopulationLearner, domain, rule)
    ours.advance(120)
    ours.advance(80)
    losses = ours.losses()
    for agent in compared:
        widths = DEEP_FIRST[agent]
        alone = learner(ReferenceLearner, domain, rule, [widths], [100 + len(DEEP_FIRST) - agent])
        start = alone.weights(0)
        alone.advance(200)
        assert distance(ours.weights(agent), alone.weights(0)) < 1e-10
        assert distance(start, alone.weights(0)) > 1e-3
        assert losses[agent] == pytest.approx(alone.losses()[0], rel=1e-9)


def test_an_agent_does_not_depend_on_its_neighbours_nor_on_which_of_them_stop():
    domain, rule = Drift(), settings()
    together = learner(PopulationLearner, domain, rule)
    together.advance(100)
    together.keep([1, 3, 5])
    together.advance(100)
    for place, agent in enumerate([1, 3, 5]):
        alone = learner(PopulationLearner, domain, rule, [DEEP_FIRST[agent]], [100 + len(DEEP_FIRST) - agent])
        alone.advance(200)
        assert distance(together.weights(place), alone.weights(0)) < 1e-10


def test_single_precision_stays_near_double_precision_for_some_updates():
    domain, rule = Drift(), settings(steps=60, exploration=GREEDY)
    one, two = (learner(PopulationLearner, domain, rule, dtype=dtype) for dtype in (torch.float32, torch.float64))
    one.advance(60)
    two.advance(60)
    for agent in range(len(DEEP_FIRST)):
        assert distance([w.double() for w in one.weights(agent)], two.weights(agent)) < 1e-3


def test_gradients_equal_those_of_autograd_and_padding_stays_zero():
    architectures = [Architecture("dense", w) for w in DEEP_FIRST]
    weights = [initial_weights(a, (4,), 3, i, torch.float64) for i, a in enumerate(architectures)]
    nets = QNets(architectures, weights)
    random = np.random.default_rng(0)
    x = torch.from_numpy(random.normal(size=(len(architectures), 4, 13)))
    slope = torch.from_numpy(random.normal(size=(len(architectures), 3, 9)))
    everything = Pass(nets, x, 9)
    values = everything.forward()
    everything.slopes.copy_(slope)
    everything.backward()
    for agent, architecture in enumerate(architectures):
        module = network(architecture, (4,), 3, 0, torch.float64)
        load(module, weights[agent])
        theirs = module(x[agent].t())
        (theirs[:9] * slope[agent].t()).sum().backward()
        assert float((values[agent].t() - theirs.detach()).abs().max()) < 1e-12
        assert distance(nets.take(nets.flat.gradients, agent), [p.grad for p in module.parameters()]) < 1e-12
    every = [g for agent in range(len(architectures)) for g in nets.take(nets.flat.gradients, agent)]
    assert float(nets.flat.gradients.abs().sum()) == pytest.approx(sum(float(g.abs().sum()) for g in every))


def test_a_hard_target_is_copied_when_due_and_a_soft_one_follows():
    domain = Drift()
    hard = learner(PopulationLearner, domain, settings(target=HARD))
    hard.advance(16)
    assert distance([hard._learning.targets], [hard._learning.nets.flat.values]) > 1e-3
    hard.advance(1)
    assert distance([hard._learning.targets], [hard._learning.nets.flat.values]) == 0
    soft = learner(PopulationLearner, domain, settings(target=SoftUpdate(rule="soft", rate=1.0)))
    soft.advance(16)
    assert distance([soft._learning.targets], [soft._learning.nets.flat.values]) == 0


def test_the_loss_of_the_reference_is_the_textbook_one():
    """By hand: one linear agent, one transition that goes on and one that ends; double Q with both networks known."""
    domain = Drift(observations=1, actions=2)
    alone = learner(ReferenceLearner, domain, settings(discount=0.5), [()], [1])
    with torch.no_grad():
        online, target = (list(m.parameters()) for m in (alone.module, alone._target))
        for (weight, bias), values in (((online[0], online[1]), [1.0, 3.0]), ((target[0], target[1]), [10.0, 4.0])):
            weight.zero_()
            bias.copy_(torch.tensor(values))
    one = torch.ones(2, 1, dtype=torch.float64)
    told = (torch.tensor([0, 1]), torch.tensor([1.0, 1.0], dtype=torch.float64), torch.tensor([False, True]), one)
    # online prefers action 1, which the target values 4: goals 1 + 0.5 * 4 = 3 and 1; errors 1 - 3 and 3 - 1.
    assert float(alone.loss(one, *told).detach()) == pytest.approx((4 + 4) / 2)
    plain = learner(ReferenceLearner, domain, settings(discount=0.5, double=False, loss="huber"), [()], [1])
    plain.module, plain._target = alone.module, alone._target
    # the target's largest value is 10: goals 6 and 1; errors -5 and 2; Huber 4.5 and 1.5.
    assert float(plain.loss(one, *told).detach()) == pytest.approx(3.0)
    assert isinstance(alone.module[-1], nn.Linear)
