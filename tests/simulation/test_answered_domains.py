"""Labelled domains that are played: the same samples and labels, the test split when measured, Gymnasium, learned."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from aiq import domains
from aiq.config import Configuration, validate
from aiq.config.training import Reinforcement
from aiq.domains.control.answered import Answered
from aiq.domains.control.relabelled import on_ground
from aiq.domains.labelled.library_sets import Sklearn
from aiq.errors import ConfigurationError, DomainError, InputError
from aiq.plans.cost import sizes
from aiq.records.domains import ControlInterface
from aiq.records.trial import Architecture
from aiq.training.playing import evaluate, play
from aiq.training.reinforcement import train_pool
from tests.simulation.like_gymnasium import check_like_gymnasium

DIGITS = {"source": "sklearn", "name": "digits"}
ODD = {"source": "sklearn", "name": "digits", "classes": [1, 3, 5], "limit": 60, "limit_test": 30}


def answered(data=DIGITS, **given):
    told = validate(Answered, {"source": "answered", "data": data, **given})
    return domains.control_domain("d", told, root_seed=3)


def labelled(data=DIGITS):
    return domains.load("d", validate(Sklearn, data), root_seed=3)


def by_row(x, y):
    """From the bytes of a sample to its label."""
    shown = (x.reshape(len(x), -1) / np.float32(255)).astype(np.float32)
    return {row.tobytes(): int(label) for row, label in zip(shown, y, strict=True)}


# ---- equality with the labelled domain


@pytest.mark.parametrize("data", [DIGITS, ODD], ids=["digits", "three classes"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_the_samples_are_those_of_the_labelled_domain_and_its_label_alone_is_paid(data, split):
    domain, whole = answered(data, steps=400), labelled(data)
    label = by_row(getattr(whole, f"{split}_x"), getattr(whole, f"{split}_y"))
    worlds = (domain if split == "train" else domain.measured).worlds([1, 2])
    every, random, seen = torch.ones(2, dtype=torch.bool), np.random.default_rng(0), worlds.reset(torch.ones(2).bool())
    met = set()
    for _ in range(400):
        right = [whole.classes.index(label[row.numpy().tobytes()]) for row in seen]
        given = [action if random.random() < 0.5 else int(random.integers(domain.actions)) for action in right]
        outcome = worlds.step(torch.tensor(given), every)
        assert outcome.reward.tolist() == [float(g == r) for g, r in zip(given, right, strict=True)]
        met |= {row.numpy().tobytes() for row in seen}
        seen = outcome.observation
    assert outcome.truncated.all()
    assert not outcome.terminated.any()
    assert len(met) > 0.4 * min(800, len(label)), "all samples are drawn from"


def test_a_classifier_has_its_accuracy_on_the_test_split_as_performance():
    domain, whole = answered(steps=100), labelled()
    centres = np.stack([whole.train_x[whole.train_y == c].reshape(-1, 64).mean(0) for c in range(10)]) / 255

    def nearest(seen):
        return ((seen[:, None] - centres[None]) ** 2).sum(2).argmin(1)

    accuracy = (nearest(whole.test_x.reshape(-1, 64) / 255) == whole.test_y).mean()
    found = play(domain, range(100), lambda seen, _: nearest(seen)).returns.mean()
    assert domain.performance(found) == pytest.approx(accuracy, abs=5 * np.sqrt(accuracy * (1 - accuracy) / 10_000))


def test_what_is_learned_from_and_what_is_measured_share_no_sample():
    domain = answered()
    train, test = domain.samples.observations, domain.measured.samples.observations
    whole = labelled()
    assert (len(train), len(test)) == (len(whole.train_y), len(whole.test_y))
    assert domain.measured.measured is domain.measured
    padded = on_ground(domain, ControlInterface(70, 12, 50.0))
    assert (padded.measured.observations, padded.measured.actions) == (70, 12)
    rows = {row.tobytes() for row in test}
    seen = padded.measured.worlds([5]).reset(torch.tensor([True]))
    assert seen.shape == (1, 70)
    assert seen[0, :64].numpy().tobytes() in rows
    assert not {row.tobytes() for row in train} & rows


def test_training_is_on_the_training_split_and_the_performance_on_the_test_split(monkeypatch):
    from aiq.domains.control.answered import AnsweredDomain

    made, original = [], AnsweredDomain.worlds

    def noted(self, seeds, **given):
        made.append(self.split)
        return original(self, seeds, **given)

    monkeypatch.setattr(AnsweredDomain, "worlds", noted)
    settings = dqn(40, every=40)
    for domain in (answered(), on_ground(answered(), ControlInterface(70, 12, 50.0))):
        made.clear()
        train_pool([domain], [Architecture("dense", (4,))], settings, share=1, numbers=[0], seed=1)
        assert made == ["train", "train", "test", "test"], "a mixture has two worlds a lane, then both evaluations"
        made.clear()
        evaluate(domain, lambda seen: torch.zeros(len(seen), dtype=torch.int64), seeds=[1])
        assert made == ["test"]


# ---- Gymnasium


def test_the_gymnasium_environment_passes_the_check_and_shows_what_the_worlds_show():
    given = {"data": ODD, "steps": 20, "root": 3}
    env = gymnasium.make("aiq/Answered-v0", **given).unwrapped
    check_env(env, skip_render_check=True)
    domain = answered(ODD, steps=20)
    for split, own in (("train", domain), ("test", domain.measured)):
        environments = [gymnasium.make("aiq/Answered-v0", split=split, **given) for _ in range(2)]
        assert check_like_gymnasium(own, environments, [11, 12], 50) == 4
    env.reset()
    with pytest.raises(InputError, match="action is 3; AnsweredEnv has the discrete actions 0 to 2"):
        env.step(3)
    with pytest.raises(ResetNeeded):
        gymnasium.make("aiq/Answered-v0", **given).unwrapped.step(0)
    with pytest.raises(InputError, match="split is 'all'; allowed are train, test"):
        gymnasium.make("aiq/Answered-v0", split="all", **given)


# ---- what is refused, what is known before


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"source": "sklearn", "name": "diabetes"}, "a number is learned"),
        ({"source": "sklern", "name": "digits"}, "data.source is 'sklern'"),
        ({"source": "sklearn", "name": "digits", "sise": 8}, "unknown key 'sise'"),
        ({"source": "answered", "data": DIGITS}, "data.source is 'answered'"),
    ],
)
def test_data_that_cannot_be_played_are_refused_in_one_sentence(data, sentence):
    with pytest.raises(ConfigurationError, match=sentence) as caught:
        validate(Answered, {"source": "answered", "data": data})
    assert "\n" not in str(caught.value)


def test_missing_data_name_the_domain():
    told = validate(Answered, {"source": "answered", "data": {"source": "npz", "path": "none.npz", "labels": "x"}})
    with pytest.raises(DomainError, match=r"domain d.*none\.npz"):
        domains.control_domain("d", told, data_root="/nowhere")


def test_defaults_of_the_data_are_written_out_and_sizes_are_known_before_anything_is_read():
    told = validate(Answered, {"source": "answered", "data": ODD})
    assert told.data == {**validate(Sklearn, ODD).model_dump(mode="json")}
    assert validate(Answered, told.model_dump(mode="json")) == told
    mnist = {"source": "torchvision", "name": "MNIST", "size": 8, "limit": 100}
    found = sizes(validate(Answered, {"source": "answered", "data": mnist}))
    assert (found.train, found.test, found.classes, found.shape, found.world) == (0, 0, 10, (64,), 0.0)
    assert sizes(validate(Answered, {"source": "answered", "data": ODD})).classes == 3


# ---- learned by reward alone, also in a mixture with a domain that is played


def dqn(steps, every=500):
    told = {"algorithm": "dqn", "steps": steps, "discount": 0.9, "learning_starts": 32}
    told["optimizer"] = {"name": "adam", "learning_rate": 0.002}
    told["exploration"] = {"rule": "epsilon_greedy", "fraction": 0.5}
    told["evaluation"] = {"every": every, "episodes": 2, "final_episodes": 10}
    return validate(Reinforcement, told)


def test_digits_are_learned_by_reward_alone_and_together_with_cups():
    told = {"source": "anytime_cups", "steps": 50, "scale": [0, 1]}
    cups = domains.control_domain("cups", validate(domains.CONTROL_FAMILIES["anytime_cups"].settings, told))
    network = [Architecture("dense", (32, 32))] * 2
    alone = train_pool([answered()], network, dqn(1500), share=1, numbers=[0, 1], seed=2)
    both = train_pool([answered(), cups], network, dqn(1500), share=0.5, numbers=[0, 1], seed=2)
    assert min(one.performances[0] for one in alone) > 0.5, "chance is 0.1"
    for one in both:
        assert one.performances[0] > 0.3
        assert one.performances[1] > 0.5, "a random agent has 0"


def test_a_configuration_takes_both_kinds_in_one_suite():
    training = {"algorithm": "dqn", "steps": 100, "optimizer": {"name": "adam", "learning_rate": 0.002}}
    raw = {"name": "both", "seed": 1, "results": "results/both", "pool": {"size": 4, "policies_per_chunk": 4}}
    raw["domains"] = {"digits": {"source": "answered", "data": DIGITS}, "pole": {"source": "cartpole"}}
    raw["training"] = training
    raw["dissimilarity"] = {"proportions": 3, "network": {"layers": 1, "width": 8}, "training": training}
    assert validate(Configuration, raw).control
