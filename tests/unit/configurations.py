"""Configurations that tests change in one place, and what whatever is refused must be."""

import copy
import functools
from pathlib import Path

import pytest
import yaml
from hypothesis import strategies as st

import changes
from aiq.config import parse
from aiq.errors import ConfigurationError

ROOT = Path(__file__).parents[2]
QUICKSTART = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
changed = functools.partial(changes.changed_at, QUICKSTART)

leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
anything = st.recursive(leaf, lambda x: st.lists(x, max_size=2) | st.dictionaries(st.text(max_size=5), x, max_size=2))


def places(node: object, place: str = "") -> list[str]:
    if not isinstance(node, dict):
        return []
    return [f"{place}{key}" for key in node] + [p for key in node for p in places(node[key], f"{place}{key}/")]


def refusal(raw: object) -> str:
    with pytest.raises(ConfigurationError) as error:
        parse(raw)
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 440
    assert not text.endswith(".")
    assert "validation error" not in text
    assert "pydantic" not in text
    return text


def of_domains(count: int, **dissimilarity) -> dict:
    """The quickstart with so many domains."""
    raw = copy.deepcopy(QUICKSTART)
    raw["domains"] = {f"d{k}": {"source": "sklearn", "name": "digits", "limit": 100 + k} for k in range(count)}
    raw["dissimilarity"] |= dissimilarity
    return raw
