"""A default stands once: the key of the configuration, the argument of the function and the flag follow it."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import aiq
from aiq.cli.main import cli
from aiq.config.dissimilarity import Dissimilarity
from aiq.config.measures import Complexity, OfSuites, OfTables, Space
from aiq.config.suite import Configuration
from aiq.settings import Settings
from aiq.suites import suite

SECTIONS = {"complexity": Complexity, "dissimilarity": Dissimilarity, "space": Space, "score": Configuration}
DIFFERENT = {("complexity", "size")}
"""Of a table sizes count as log2 or linear; a pool can also be counted in bytes."""


def options(verb: str) -> dict[str, click.Option]:
    """The options of a verb by the name of the argument."""
    command = cli.get_command(click.Context(cli), verb)
    return {one.name: one for one in command.params if isinstance(one, click.Option)}


def shared() -> list[tuple[str, type[Settings], str]]:
    """Verb, settings and key, wherever a verb or its function has an option of the settings' name."""
    return [
        (verb, settings, key)
        for verb, section in SECTIONS.items()
        for settings in (section, OfTables)
        for key in (settings.model_fields if settings is not Configuration else ["value"])
        if (key in options(verb) or key in inspect.signature(getattr(aiq, verb)).parameters)
        and (verb, key) not in DIFFERENT
    ]


@pytest.mark.parametrize(("verb", "settings", "key"), shared())
def test_verb_function_and_configuration_have_the_same_option(verb: str, settings: type[Settings], key: str):
    field, option = settings.model_fields[key], options(verb).get(key)
    if option is None:  # landmarks of a configuration are a section; of a verb, a switch
        assert key == "landmarks"
        return
    assert inspect.signature(getattr(aiq, verb)).parameters[key].default == field.default
    assert option.default == field.default or field.default is None
    assert option.help.startswith(str(field.description)[:20])


@pytest.mark.parametrize("key", OfSuites.model_fields)
def test_options_that_look_at_results_alone_have_one_default(key: str):
    default = OfSuites.model_fields[key].default
    assert options("suite")[key].default == default == inspect.signature(suite).parameters[key].default
    if key in options("compare"):
        assert options("compare")[key].default == default == inspect.signature(aiq.compare).parameters[key].default


CHANGES = {  # verb, section of the configuration that has the key, key, new default: before and after
    ("complexity", "Complexity", "bins", 31): ("bins: int = Field(30,", "bins: int = Field(31,"),
    ("dissimilarity", None, "paired", "no"): (
        'paired: Literal["auto", "yes", "no"] = Field(\n        "auto"',
        'paired: Literal["auto", "yes", "no"] = Field(\n        "no"',
    ),
    ("space", None, "confidence", 0.9): ("CONFIDENCE, RESAMPLES = 0.95,", "CONFIDENCE, RESAMPLES = 0.9,"),
}
SEEN = """
import inspect, json, sys
import aiq, click
from aiq.cli.main import cli
from aiq.config.load import schema
from aiq.config.measures import OfTables
verb, section, key = sys.argv[1:]
stated = schema()["$defs"][section]["properties"][key] if section else OfTables.model_json_schema()["properties"][key]
option = next(one for one in cli.get_command(click.Context(cli), verb).params if one.name == key)
function = inspect.signature(getattr(aiq, verb)).parameters[key]
print(json.dumps([option.default, function.default, stated["default"]]))
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(Path(aiq.__file__).parent, folder / "aiq", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize("change", CHANGES)
def test_a_default_changed_in_one_place_is_seen_in_all_three(copied: Path, change: tuple[str, str | None, str, Any]):
    file, (before, after) = copied / "aiq" / "config" / "measures.py", CHANGES[change]
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), "utf-8")
    command = [sys.executable, "-c", SEEN, *(word or "" for word in change[:3])]
    environment = {**os.environ, "PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    file.write_text(text, "utf-8")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [change[3]] * 3
