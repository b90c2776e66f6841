"""What verbs have in common: the configuration that they take, and options that are keys of it too.

Of such an option name, default, bounds and sentence stand in the configuration, once.
"""

from __future__ import annotations

import os
import shlex
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
import click
from pydantic.fields import FieldInfo

from aiq.errors import REDO
from aiq.settings import Settings


def _named(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Let advice name the configuration as the person did, as long as the verb works."""
    before = os.environ.get(REDO)
    os.environ[REDO] = shlex.join(["aiq", "run", value, "--resume"])
    ctx.call_on_close(lambda: os.environ.pop(REDO) if before is None else os.environ.update({REDO: before}))
    return value


configured = click.argument("config", metavar="CONFIG", callback=_named)
"""The argument of a verb that takes a configuration."""


def setting(settings: type[Settings], key: str, *, over: bool = False) -> Callable[[Any], Any]:
    """Return the option of a verb that sets one key of the configuration.

    Args:
        settings: the section that has the key.
        key: its name; that of the option has hyphens.
        over: the option is laid over a configuration, whose own value is the default.
    """
    field = settings.model_fields[key]
    kind, explained = _kind(field), str(field.description)
    flag = f"--{key.replace('_', '-')}"
    if over:
        return click.option(flag, key, type=kind, help=f"{explained}  [default: the configuration's]")
    has_default = field.default is not None
    explained = explained.replace("null:", "left out:")
    return click.option(flag, key, type=kind, default=field.default, show_default=has_default, help=explained)


def _kind(field: FieldInfo) -> click.ParamType:
    """Return the type of an option, with the bounds of the key."""
    kinds = _kinds(field.annotation)
    words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if words:
        return click.Choice(words) if int not in kinds else _WordOrNumber(words)
    bounds: dict[str, Any] = {}
    for limit in field.metadata:
        if isinstance(limit, annotated_types.Gt):
            bounds |= {"min": limit.gt, "min_open": True}
        if isinstance(limit, annotated_types.Ge):
            bounds |= {"min": limit.ge}
        if isinstance(limit, annotated_types.Lt):
            bounds |= {"max": limit.lt, "max_open": True}
        if isinstance(limit, annotated_types.Le):
            bounds |= {"max": limit.le}
    return click.FloatRange(**bounds) if float in kinds else click.IntRange(**bounds)


def _kinds(annotation: Any) -> list[Any]:
    """Return the types that an annotation allows."""
    if get_origin(annotation) in (Union, types.UnionType):
        return [kind for part in get_args(annotation) for kind in _kinds(part)]
    return [annotation] if typing.get_origin(annotation) is not typing.Annotated else _kinds(get_args(annotation)[0])


class _WordOrNumber(click.ParamType):
    """One of some words, or a whole number of at least 1; ``auto`` is the older word for ``noise``."""

    name = "text"

    def __init__(self, words: list[str]) -> None:
        self.words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return what help shows."""
        return f"[{'|'.join(self.words)}|N]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        """Return the word or the number."""
        text = "noise" if value == "auto" and "noise" in self.words else str(value)
        if text in self.words:
            return text
        if text.isdigit() and int(text) >= 1:
            return int(text)
        allowed = ", ".join(map(repr, self.words))
        return self.fail(f"{value!r} is neither {allowed} nor a whole number of at least 1", param, ctx)
