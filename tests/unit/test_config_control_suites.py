"""Suites of control domains: what fits together, one sentence for everything else; old fingerprints stay."""

import functools
from pathlib import Path

import pytest
import yaml

import changes
from aiq.config.load import load, parse
from aiq.config.reinforcement import Reinforcement
from aiq.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
DQN = {"algorithm": "dqn", "steps": 500, "optimizer": {"name": "adam", "learning_rate": 0.001}}
SUPERVISED = {"epochs": 2, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.01}}
NET = {"layers": 1, "width": 8}
CONTROL = {
    "name": "control",
    "seed": 1,
    "results": "r",
    "domains": {"normal": {"source": "cartpole"}, "heavy": {"source": "cartpole", "gravity": 180}},
    "pool": {"size": 4, "policies_per_chunk": 2},
    "training": DQN,
    "dissimilarity": {"network": NET, "training": DQN},
    "agents": {"networks": [{"name": "small", **NET}], "outside": [{"name": "mine", "factory": "mine:make"}]},
    "baseline": {},
}
changed = functools.partial(changes.changed_at, CONTROL)


def test_a_suite_of_control_domains_is_told_from_a_labelled_one():
    found = parse(CONTROL)
    assert found.control
    assert isinstance(found.training, Reinforcement)
    assert found.agent_training == found.training
    assert parse(found.model_dump(mode="json")) == found
    assert not load(ROOT / "config" / "quickstart.yaml").control


def test_the_baseline_is_the_papers_by_default():
    """Section 3.4.3 and the public code: 2 x 512, 500,000 steps, Adam at 0.001, Boltzmann, soft target 0.01."""
    baseline = parse(CONTROL).baseline
    assert (baseline.network.layers, baseline.network.width) == (2, 512)
    assert baseline.training.steps == 500_000
    assert baseline.training.optimizer.learning_rate == 0.001
    assert (baseline.training.exploration.rule, baseline.training.exploration.temperature) == ("boltzmann", 1)
    assert (baseline.training.target.rate, baseline.training.batch_size, baseline.training.replay) == (0.01, 32, 50_000)
    assert (baseline.training.discount, baseline.training.learning_starts, baseline.training.double) == (0.99, 10, True)


CASES = [
    ("domains/digits", {"source": "sklearn", "name": "digits"},
     "domain 'normal' is played and domain 'digits' is labelled, a suite is all of one kind: take source: recorded"),
    ("training", SUPERVISED, "training is for labelled data, but the domains are played: give algorithm: dqn"),
    ("training/algorithm", "ppo", "at training.algorithm: algorithm is 'ppo'; allowed are dqn"),
    ("training", {**SUPERVISED, "algorithm": "dqn"}, "at training: unknown key 'epochs'"),
    ("training", {"algorithm": "dqn", "optimizer": DQN["optimizer"]}, "at training: the key 'steps' is missing"),
    ("pool/family", "convolutional", "pool is convolutional, but control domains are observed as vectors"),
    ("dissimilarity/network/family", "convolutional", "dissimilarity.network is convolutional"),
    ("agents/networks", [{"name": "c", "family": "convolutional", **NET}], "agent c is convolutional"),
    ("baseline", {"network": {"family": "convolutional", **NET}}, "baseline.network is convolutional"),
    ("baseline", {"trained_on": "norml"}, "baseline.trained_on is 'norml', which is no domain of the suite (did you"),
    ("baseline/step", 5, "at baseline: unknown key 'step'"),
    ("dissimilarity/samples", 100, "dissimilarity.samples is 100, but control domains have no samples"),
    ("dissimilarity/labels", "told", "dissimilarity.labels is 'told', but control domains have no labels"),
    ("dissimilarity/interface", {"shape": [4], "outputs": 2}, "dissimilarity.interface is for labelled data"),
    ("dissimilarity", {"network": NET, "controls": True, "training": {**DQN, "steps": 50}},
     "with dissimilarity.controls the shortest training has 5 steps, but learning starts after 10"),
    ("agents/outside", [{"name": "m", "factory": "mine"}], "factory is 'mine'; write module:factory"),
    ("agents/outside", [{"name": "small", "factory": "m:n"}], "agent 'small' is named twice"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "sentence"), CASES, ids=[f"{p}-{k}" for k, (p, _, _) in enumerate(CASES)])
def test_what_does_not_fit_is_one_sentence(place: str, value: object, sentence: str):
    with pytest.raises(ConfigurationError) as error:
        parse(changed(place, value))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert "validation error" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("training", DQN, "training has the algorithm 'dqn', but the domains are labelled: give epochs"),
        ("baseline", {}, "baseline is for control domains, but the domains are labelled"),
    ],
)
def test_labelled_suites_take_nothing_that_plays(key: str, value: object, sentence: str):
    raw = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
    with pytest.raises(ConfigurationError) as error:
        parse({**raw, key: value})
    assert sentence in str(error.value)
