"""Settings of control domains and suites of them: what fits together, and one sentence for everything else."""

import functools
from pathlib import Path

import pytest
from pydantic import TypeAdapter

import changes
from aiq.config import validate
from aiq.config.load import parse, read
from aiq.config.suite import Source
from aiq.config.training import Reinforcement
from aiq.domains import CONTROL_FAMILIES
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.settings import CartPole, CartPole3D
from aiq.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
ACROBOT = {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]}
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


def refused(make, *given):
    with pytest.raises(ConfigurationError) as caught:
        make(*given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# ---- domains --------------------------------------------------------------------------------------


def test_a_source_chooses_its_settings():
    adapter = TypeAdapter(Source)
    assert adapter.validate_python({"source": "cartpole", "gravity": 180}) == CartPole(source="cartpole", gravity=180.0)
    assert isinstance(adapter.validate_python({"source": "cartpole3d", "novelty": 14}), CartPole3D)
    assert isinstance(adapter.validate_python(ACROBOT), Gymnasium)


def test_defaults_are_gymnasium_s_cart_pole_with_200_steps():
    told = CartPole(source="cartpole")
    assert (told.force, told.gravity, told.half_length, told.cart_mass, told.pole_mass) == (10.0, 9.8, 0.5, 1.0, 0.1)
    assert (told.steps, told.training_reward, told.foreign_actions, told.idle) == (200, "own", "modulo", None)


@pytest.mark.parametrize(("given", "idle"), [({}, 0), ({"noop": 3}, 3)])
def test_cartpole3d_knows_its_idle_action(given, idle):
    assert validate(CartPole3D, {"source": "cartpole3d", "foreign_actions": "noop", **given}).idle == idle
    assert CartPole3D(source="cartpole3d").idle is None


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ({"source": "cartpole3d", "novelty": 17}, "at novelty: must be less than or equal to 16 (given: 17)"),
        ({"source": "cartpole3d", "difficulty": "eazy"}, "difficulty is 'eazy' (did you mean 'easy'?); allowed are"),
        ({"source": "cartpole", "length": 1}, "unknown key 'length'"),
        ({"source": "cartpole", "foreign_actions": "noop"}, "noop, the action that does nothing, is not named"),
        ({"source": "cartpole", "noop": 1}, "noop is 1, but foreign_actions is modulo"),
        ({"source": "gymnasium", "id": "Acrobot-v1"}, "the key 'bounds' is missing"),
        ({**ACROBOT, "bounds": [0, -500]}, "bounds [0.0, -500.0] must be the smallest and the largest return"),
        ({**ACROBOT, "bounds": [0]}, "bounds is [0], it must be [smallest return, largest return]"),
        ({**ACROBOT, "scale": [[0, 1], [2, 2]]}, "scale [2.0, 2.0] of entry 1 must be low and high"),
        ({**ACROBOT, "scale": "aut"}, "at scale: must be a list or 'auto' (given: 'aut')"),
        ({**ACROBOT, "options": {"max_episode_steps": 3}}, "options must not hold 'max_episode_steps': use horizon"),
        ({**ACROBOT, "options": {"x": float("inf")}}, "at options.x: must be a finite number"),
    ],
)
def test_a_mistake_is_one_sentence(raw, sentence):
    assert sentence in refused(validate, CONTROL_FAMILIES[raw["source"]].settings, raw, "domain")


# ---- suites ---------------------------------------------------------------------------------------


def test_a_suite_of_control_domains_is_told_from_a_labelled_one():
    found = parse(CONTROL)
    assert found.control
    assert isinstance(found.training, Reinforcement)
    assert found.agent_training == found.training
    assert parse(found.model_dump(mode="json")) == found
    assert not parse(read(ROOT / "config" / "quickstart.yaml")).control


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
    ("dissimilarity", {"network": NET, "controls": True, "training": {**DQN, "steps": 50}},
     "with dissimilarity.controls the shortest training has 5 steps, but learning starts after 10"),
    ("agents/outside", [{"name": "m", "factory": "mine"}], "factory is 'mine'; write module:factory"),
    ("agents/outside", [{"name": "small", "factory": "m:n"}], "agent 'small' is named twice"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "sentence"), CASES, ids=[f"{p}-{k}" for k, (p, _, _) in enumerate(CASES)])
def test_what_does_not_fit_is_one_sentence(place: str, value: object, sentence: str):
    assert sentence in refused(parse, changed(place, value))


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("training", DQN, "training has the algorithm 'dqn', but the domains are labelled: give epochs"),
        ("baseline", {}, "baseline is for control domains, but the domains are labelled"),
    ],
)
def test_labelled_suites_take_nothing_that_plays(key: str, value: object, sentence: str):
    assert sentence in refused(parse, {**read(ROOT / "config" / "quickstart.yaml"), key: value})
