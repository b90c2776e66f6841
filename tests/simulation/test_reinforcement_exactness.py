"""The population of agents equals the one-agent reference, no agent depends on the others; mixtures of two worlds."""

import math

import numpy as np
import pytest
import reinforcement_worlds
import torch
from reference_learner import ReferenceLearner
from reinforcement_worlds import Drift
from torch import nn

from aiq import seeding
from aiq.config.training import (
    Adadelta,
    Adam,
    AdamW,
    Boltzmann,
    EpsilonGreedy,
    Evaluation,
    HardUpdate,
    Reinforcement,
    Sgd,
    SoftUpdate,
)
from aiq.domains.control.mixed_worlds import earnings, inner_seeds, pay_rates
from aiq.domains.control.relabelled import PaddedDomain
from aiq.errors import DomainError, TrainingError
from aiq.policies.networks import initial_weights, load, network
from aiq.records.domains import ControlInterface
from aiq.records.trial import Architecture
from aiq.training import q_population
from aiq.training.data import control_interface
from aiq.training.q_learners import PopulationLearner, world_seed
from aiq.training.q_networks import Pass, QNets
from aiq.training.q_population import Member
from aiq.training.reinforcement import _train_mixed, train_alone, train_mixtures

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


# ---- Mixtures of two control domains, trained as one population ------------------------------------

NET = Architecture("dense", (4,))


class Choice(Drift):
    """One step an episode, one of 4 actions: ``right`` pays 1, others nothing."""

    def __init__(self, name, right, shown):
        super().__init__(1, 4, 1)
        self.name, self.right, self.shown = name, right, shown

    def worlds(self, seeds, *, device="cpu"):
        return ChoiceWorlds(self, seeds)


class ChoiceWorlds(type(Drift().worlds([0]))):
    def reset(self, which):
        super().reset(which)
        self.state[:] = self.domain.shown
        return torch.from_numpy(self.state.copy())

    def step(self, actions, which):
        outcome = super().step(actions, which)
        outcome.reward.copy_(((actions == self.domain.right) & which).float())
        outcome.terminated.copy_(which)
        outcome.truncated.zero_()
        outcome.observation.copy_(torch.full_like(outcome.observation, self.domain.shown) * which[:, None])
        self.over[which.numpy()] = True
        return outcome


def short(**changes):
    told = {"steps": 80, "evaluation": Evaluation(every=40, episodes=2, final_episodes=4)}
    return reinforcement_worlds.settings(**told | changes)


def train(first, second, rule=None, proportions=(0.0, 0.3, 1.0), repetitions=(0, 1), **told):
    told = {"seed": 7, "dtype": torch.float64, **told}
    rule = rule or short()
    return train_mixtures(first, second, NET, rule, proportions=proportions, repetitions=repetitions, **told)


def test_results_come_by_proportion_then_repetition_and_do_not_depend_on_each_other():
    found = train(Drift(2, 2), Drift(3, 4))
    assert [(r.proportion, r.repetition) for r in found] == [(p, r) for p in (0.0, 0.3, 1.0) for r in (0, 1)]
    assert len({r.first for r in found}) == 6
    assert all(r.parameters == 3 * 4 + 4 + 4 * 4 + 4 and r.status == "finished" for r in found)
    (one,) = train(Drift(2, 2), Drift(3, 4), proportions=[0.3], repetitions=[1])
    assert (one.first, one.second) == (found[3].first, found[3].second)


def test_the_reference_gives_the_same_mixtures(monkeypatch):
    ours = train(Drift(2, 2), Drift(3, 4), proportions=[0.4])
    monkeypatch.setattr(q_population, "PopulationLearner", ReferenceLearner)
    for repetition, one in enumerate(ours):
        (two,) = train(Drift(2, 2), Drift(3, 4), proportions=[0.4], repetitions=[repetition])
        assert (one.first, one.second) == (two.first, two.second)


def test_the_proportion_decides_what_is_learnt():
    """Two domains that look alike and want different actions: the share of each decides which action is learnt."""
    evaluation = Evaluation(every=600, episodes=1, final_episodes=2)
    rule = short(steps=600, target=HardUpdate(rule="hard", every=20), batch_size=16, evaluation=evaluation)
    found = train(Choice("a", 1, 1.0), Choice("b", 3, 1.0), rule, proportions=[0.15, 0.85], repetitions=[0, 1, 2])
    assert [(r.first, r.second) for r in found] == [(0.0, 1.0)] * 3 + [(1.0, 0.0)] * 3
    both = train(Choice("a", 1, 1.0), Choice("b", 3, -1.0), rule, proportions=[0.5], repetitions=[0])
    assert (both[0].first, both[0].second) == (1.0, 1.0)


def test_a_world_that_raises_costs_its_own_mixture_only():
    key = ("drift", "drift", 1, "0.3")
    seed = inner_seeds([world_seed(seeding.integer(7, "mixture", *key))], 0)[0]
    found = train(Drift(broken={seed}, breaks=5), Drift())
    assert [r.status for r in found].count("failed") == 1
    assert found[3].status == "failed"
    assert math.isnan(found[3].first)
    assert math.isnan(found[3].second)


def test_a_padded_domain_is_the_same_world():
    plain, wide = Drift(2, 2), PaddedDomain(Drift(2, 2), 5, 4)
    one, two = plain.worlds([3, 4]), wide.worlds([3, 4])
    on = torch.ones(2, dtype=torch.bool)
    assert torch.equal(two.reset(on), torch.nn.functional.pad(one.reset(on), (0, 3)))
    ours, theirs = two.step(torch.tensor([3, 0]), on), one.step(torch.tensor([1, 0]), on)
    assert torch.equal(ours.reward, theirs.reward)
    assert np.array_equal(ours.observation[:, :2], theirs.observation)
    assert wide.performance(3.5) == plain.performance(3.5)
    two.keep([1])
    assert two.lanes == 1
    two.close()


# ---- a domain alone -----------------------------------------------------------------------------


def alone(domain, interface, places, rule=None, **told):
    told = {"seed": 7, "dtype": torch.float64, **told}
    return train_alone(domain, NET, rule or short(), places=places, interface=interface, **told)


def test_the_interface_of_a_suite_of_worlds():
    suite = [Drift(2, 2), Drift(3, 4), Drift(1, 3)]
    suite[2].bounds = (-3.0, 40.0)
    found = control_interface(suite)
    assert found == ControlInterface(3, 4, 43.0) == control_interface(reversed(suite))
    suite[1].training_reward, suite[1].horizon = "tick", 50
    assert control_interface(suite).spread == 50.0


def test_an_end_is_the_mixture_at_proportion_one_with_the_same_key():
    """Whatever the other domain is, and whichever wider domains the suite has."""
    first, others = Drift(2, 2), (Drift(3, 4), Drift(1, 2))
    wide, rule = ControlInterface(5, 6, 40.0), short()

    def ends(domains, shares):
        members = [Member(NET, 1 + r, 3 + r, shares) for r in (0, 1)]
        trained, parameters = _train_mixed(members, domains, rule, wide, dtype=torch.float64)
        assert parameters == [5 * 4 + 4 + 4 * 6 + 6] * 2
        return [(result.performances[0], result.curve.status) for result in trained]

    alone_ = ends([first], (1.0,))
    assert all(ends([first, other], (1.0, 0.0)) == alone_ for other in others)
    assert len(set(alone_)) == 2


def test_a_control_has_its_share_of_the_steps_and_no_company():
    wide = control_interface([Drift(2, 2), Drift(3, 4)])
    places = [(p, r) for p in (0.25, 0.5, 1.0) for r in (0, 1)]
    found = alone(Drift(2, 2), wide, places)
    assert [(r.proportion, r.repetition, r.samples) for r in found] == [(p, r, round(80 * p)) for p, r in places]
    assert len({r.performance for r in found}) > 3
    (one,) = alone(Drift(2, 2), wide, [(0.5, 1)])
    assert (one.performance, one.status) == (found[3].performance, "finished")


def test_impossible_trainings_are_refused():
    wide = control_interface([Drift(2, 2)])
    with pytest.raises(TrainingError, match="learning starts"):
        alone(Drift(2, 2), wide, [(0.1, 0)])
    with pytest.raises(DomainError, match="the interface of their suite"):
        alone(Drift(3, 4), wide, [(1.0, 0)])


def test_all_domains_of_a_suite_pay_alike():
    one, two = Drift(2, 2), Drift(3, 4)
    two.bounds = (0.0, 2 * (one.bounds[1] - one.bounds[0]))
    assert pay_rates(one, two) == (2.0, 1.0)
    assert pay_rates(one, two, ControlInterface(3, 4, 8 * earnings(one))) == (8.0, 4.0)
