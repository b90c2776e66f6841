"""Mixtures of two control domains, trained as one population."""

import math

import numpy as np
import pytest
import reinforcement_worlds
import torch
from reinforcement_worlds import Drift

from aiq import seeding
from aiq.config.training import Evaluation, HardUpdate
from aiq.domains.control.mixed_worlds import earnings, inner_seeds, pay_rates
from aiq.domains.control.relabelled import PaddedDomain
from aiq.errors import DomainError, TrainingError
from aiq.records.domains import ControlInterface
from aiq.records.trial import Architecture
from aiq.training.data import control_interface
from aiq.training.q_learners import world_seed
from aiq.training.q_population import Member
from aiq.training.reinforcement import _train_mixed, train_alone, train_mixtures

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


def settings(**changes):
    short = {"steps": 80, "evaluation": Evaluation(every=40, episodes=2, final_episodes=4)}
    return reinforcement_worlds.settings(**short | changes)


def train(first, second, rule=None, proportions=(0.0, 0.3, 1.0), repetitions=(0, 1), **told):
    told = {"seed": 7, "dtype": torch.float64, **told}
    rule = rule or settings()
    return train_mixtures(first, second, NET, rule, proportions=proportions, repetitions=repetitions, **told)


def test_results_come_by_proportion_then_repetition_and_do_not_depend_on_each_other():
    found = train(Drift(2, 2), Drift(3, 4))
    assert [(r.proportion, r.repetition) for r in found] == [(p, r) for p in (0.0, 0.3, 1.0) for r in (0, 1)]
    assert len({r.first for r in found}) == 6
    assert all(r.parameters == 3 * 4 + 4 + 4 * 4 + 4 and r.status == "finished" for r in found)
    (alone,) = train(Drift(2, 2), Drift(3, 4), proportions=[0.3], repetitions=[1])
    assert (alone.first, alone.second) == (found[3].first, found[3].second)


def test_the_reference_gives_the_same_mixtures():
    ours = train(Drift(2, 2), Drift(3, 4), proportions=[0.4])
    theirs = train(Drift(2, 2), Drift(3, 4), settings(trainer="reference"), proportions=[0.4])
    assert [(r.first, r.second) for r in ours] == [(r.first, r.second) for r in theirs]


def test_the_proportion_decides_what_is_learnt():
    """Two domains that look alike and want different actions: the share of each decides which action is learnt."""
    evaluation = Evaluation(every=600, episodes=1, final_episodes=2)
    rule = settings(steps=600, target=HardUpdate(rule="hard", every=20), batch_size=16, evaluation=evaluation)
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
    return train_alone(domain, NET, rule or settings(), places=places, interface=interface, **told)


def test_the_interface_of_a_suite_of_worlds():
    suite = [Drift(2, 2), Drift(3, 4), Drift(1, 3)]
    suite[2].bounds = (-3.0, 40.0)
    found = control_interface(suite)
    assert found == ControlInterface(3, 4, 43.0) == control_interface(reversed(suite))
    suite[1].training_reward, suite[1].horizon = "tick", 50
    assert control_interface(suite).spread == 50.0


@pytest.mark.parametrize("trainer", ["population", "reference"])
def test_an_end_is_the_mixture_at_proportion_one_with_the_same_key(trainer):
    """Whatever the other domain is, and whichever wider domains the suite has."""
    first, others = Drift(2, 2), (Drift(3, 4), Drift(1, 2))
    for number, other in enumerate(others):
        other.name = f"other {number}"
    wide = ControlInterface(5, 6, 40.0)
    rule = settings(trainer=trainer)
    how = {"dtype": torch.float64}

    def ends(domains, shares):
        members = [Member(NET, 1 + r, 3 + r, shares) for r in (0, 1)]
        trained, parameters = _train_mixed(members, domains, rule, wide, **how)
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
