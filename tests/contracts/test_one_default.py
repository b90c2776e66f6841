"""A default stands once: the key of the configuration, the argument of the function and the flag follow it."""

from __future__ import annotations

import inspect

import click
import pytest

import aiq
from aiq.cli.main import cli
from aiq.config.dissimilarity import Dissimilarity
from aiq.config.measures import Complexity, Space
from aiq.config.suite import Configuration

SECTIONS = {"complexity": Complexity, "dissimilarity": Dissimilarity, "space": Space, "score": Configuration}
DIFFERENT = {("complexity", "size")}
"""Of a table sizes count as log2 or linear; a pool can also be counted in bytes."""


def options(verb: str) -> dict[str, click.Option]:
    """The options of a verb by the name of the argument."""
    command = cli.get_command(click.Context(cli), verb)
    return {one.name: one for one in command.params if isinstance(one, click.Option)}


def shared() -> list[tuple[str, str]]:
    """Verb and key, wherever a verb or its function has an option of the configuration's name."""
    return [
        (verb, key)
        for verb, settings in SECTIONS.items()
        for key in (settings.model_fields if settings is not Configuration else ["value"])
        if (key in options(verb) or key in inspect.signature(getattr(aiq, verb)).parameters)
        and (verb, key) not in DIFFERENT
    ]


@pytest.mark.parametrize(("verb", "key"), shared())
def test_verb_function_and_configuration_have_the_same_option(verb: str, key: str):
    field, option = SECTIONS[verb].model_fields[key], options(verb).get(key)
    if option is None:  # landmarks of a configuration are a section; of a verb, a switch
        assert key == "landmarks"
        return
    assert inspect.signature(getattr(aiq, verb)).parameters[key].default == field.default
    assert option.default == field.default or field.default is None
    assert option.help.startswith(str(field.description)[:20])
