"""Settings of control domains: what is understood, and the sentence for what is not."""

import json

import pytest
from pydantic import TypeAdapter

from aiq.config import fingerprint, validate
from aiq.config.suite import Source
from aiq.domains import CONTROL_FAMILIES
from aiq.domains.cartpole.family import CartPole
from aiq.domains.cartpole3d.family import CartPole3D
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.errors import ConfigurationError

ACROBOT = {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]}


def refused(raw):
    with pytest.raises(ConfigurationError) as caught:
        validate(CONTROL_FAMILIES[raw["source"]].settings, raw, "domain")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_source_chooses_its_settings():
    adapter = TypeAdapter(Source)
    assert adapter.validate_python({"source": "cartpole", "gravity": 180}) == CartPole(source="cartpole", gravity=180.0)
    assert isinstance(adapter.validate_python({"source": "cartpole3d", "novelty": 14}), CartPole3D)
    assert isinstance(adapter.validate_python(ACROBOT), Gymnasium)


def test_settings_have_a_fingerprint_and_a_schema():
    one = validate(Gymnasium, {**ACROBOT, "options": {"a": [1, {"b": None}], "c": False}})
    assert fingerprint(one) != fingerprint(validate(Gymnasium, ACROBOT))
    assert fingerprint(CartPole(source="cartpole", force=10)) == fingerprint(CartPole(source="cartpole"))
    json.dumps(TypeAdapter(Source).json_schema(), allow_nan=False)


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
    assert sentence in refused(raw)
