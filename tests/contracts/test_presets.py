"""Presets: every key is a setting, names its source, gives way to what is given, and keeps trainings."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest
import yaml

from aiq.config import parse
from aiq.config.suite import PRESETS, applied
from aiq.errors import ConfigurationError
from aiq.plans.suite import SuitePlan

ROOT = Path(__file__).parents[2]
QUICKSTART = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
for section in ("complexity", "space"):
    QUICKSTART.pop(section, None)
KEYS = [(name, key) for name, keys in PRESETS.items() for key in keys]
SOURCE = re.compile(r"^(\d+(\.\d+)+|Eq\. \d+|Fig\. \d+|Definition \d+): \w")


def value_at(configuration: object, place: str) -> object:
    found = configuration
    for part in place.split("."):
        assert part in type(found).model_fields, f"{place} is no setting"
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(("name", "key"), KEYS, ids=lambda one: getattr(one, "place", one))
def test_every_key_is_a_setting_and_names_its_source(name, key):
    made = value_at(parse({**QUICKSTART, "preset": name}), key.place)
    assert (list(made) if isinstance(made, tuple) else made) == key.value
    assert SOURCE.match(key.source), key.source
    assert f"`{key.place}`" in (ROOT / "docs" / "how-to" / "paper-preset.md").read_text(encoding="utf-8")


def test_what_is_given_stands():
    raw = copy.deepcopy(QUICKSTART) | {"preset": "paper", "complexity": {"estimator": "best_of_k"}}
    made = parse(raw)
    assert made.complexity.estimator == "best_of_k"
    assert made.complexity.extrapolate == "linear"
    assert raw["complexity"] == {"estimator": "best_of_k"}  # what was read is left alone


def test_without_a_preset_nothing_is_set():
    assert applied(QUICKSTART) == QUICKSTART
    assert parse({**QUICKSTART, "preset": None}) == parse(QUICKSTART)


def test_an_unknown_preset_and_a_broken_section_are_refused_in_their_own_place():
    with pytest.raises(ConfigurationError, match="preset"):
        parse({**QUICKSTART, "preset": "papers"})
    with pytest.raises(ConfigurationError, match="space"):
        parse({**QUICKSTART, "preset": "paper", "space": 3})


def test_both_readings_share_what_is_trained():
    """Domains, the pool and agents keep fingerprints and paths; no shard of mixtures of one is one of the other."""
    usual, paper = (SuitePlan(parse(raw)) for raw in (QUICKSTART, {**QUICKSTART, "preset": "paper"}))
    kinds = ("domain", "trials", "agents")
    for plan, other in ((usual, paper), (paper, usual)):
        kept = {path: one for path, one in plan.shards().items() if one[0] in kinds}
        assert kept
        assert kept.items() <= other.shards().items()
    mixtures = [{p for p, one in plan.shards().items() if one[0] == "mixtures"} for plan in (usual, paper)]
    assert not mixtures[0] & mixtures[1]
    domain = next(iter(usual.configuration.domains))
    assert usual.complexity(domain) != paper.complexity(domain)
