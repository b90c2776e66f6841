"""Mixtures of two control domains, trained as one population."""

import math

import numpy as np
import pytest
import torch
from reinforcement_worlds import Constant, Drift

from aiq import seeding
from aiq.config.reinforcement import Evaluation, HardUpdate, Reinforcement
from aiq.config.training import Adam
from aiq.domains.mixed_worlds import inner_seeds
from aiq.errors import TrainingError
from aiq.records.trial import Architecture
from aiq.training.reinforcement import train_mixtures
from aiq.training.reinforcement.learner import world_seed
from aiq.training.reinforcement.padded import PaddedDomain

NET = Architecture("dense", (4,))


class Choice(Drift):
    """One step an episode, one of 4 actions: ``right`` pays 1, others nothing."""

    def __init__(self, name, right, shown):
        super().__init__(1, 4, 1)
        self.name, self.right, self.shown = name, right, shown

    def worlds(self, seeds, *, device="cpu", dtype=None):
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
    told = {
        "algorithm": "dqn",
        "steps": 80,
        "optimizer": Adam(name="adam", learning_rate=1e-2),
        "batch_size": 4,
        "replay": 50,
        "evaluation": Evaluation(every=40, episodes=2, final_episodes=4),
    }
    return Reinforcement(**{**told, **changes})


def train(first, second, rule=None, proportions=(0.0, 0.3, 1.0), repetitions=(0, 1), **told):
    told = {"seed": 7, "dtype": torch.float64, **told}
    rule = rule or settings()
    return train_mixtures(first, second, NET, rule, proportions=proportions, repetitions=repetitions, **told)


def test_results_come_by_proportion_then_repetition_and_do_not_depend_on_each_other():
    told = []
    found = train(Drift(2, 2), Drift(3, 4), progress=told.append)
    assert [(r.proportion, r.repetition) for r in found] == [(p, r) for p in (0.0, 0.3, 1.0) for r in (0, 1)]
    assert told[-1] == 1
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
    rule = settings(
        steps=600,
        target=HardUpdate(rule="hard", every=20),
        batch_size=16,
        evaluation=Evaluation(every=600, episodes=1, final_episodes=2),
    )
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


def test_wrong_mixtures_are_refused():
    pair = (Constant(terminates=True), Constant(terminates=False))
    with pytest.raises(TrainingError, match="none was given"):
        train(*pair, proportions=[])
    with pytest.raises(TrainingError, match="must lie"):
        train(*pair, proportions=[1.5])
