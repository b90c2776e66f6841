"""Arguments and options that verbs share: the configuration, its keys, files that are written, roots of resampling.

Of an option that is a key of the configuration, too, name, default, bounds and sentence stand there, once.
"""

from __future__ import annotations

import functools
import os
import shlex
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
import click
from pydantic.fields import FieldInfo

from aiq.config.measures import Complexity
from aiq.errors import REDO, InputError, StorageError, choice
from aiq.settings import Settings

FIGURES = ("png", "svg", "pdf")
LIMITS = {
    annotated_types.Gt: ("min", "gt", True),
    annotated_types.Ge: ("min", "ge", False),
    annotated_types.Lt: ("max", "lt", True),
    annotated_types.Le: ("max", "le", False),
}
"""Bound of a key -> the end of click's range, the bound's own attribute, whether the end is left out."""


def _named(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Let advice name the configuration as the person did, as long as the verb works."""
    if value == "-" or value.endswith((".csv", ".tsv")):
        return value
    before = os.environ.get(REDO)
    os.environ[REDO] = shlex.join(["aiq", "run", value, "--resume"])
    ctx.call_on_close(lambda: os.environ.pop(REDO) if before is None else os.environ.update({REDO: before}))
    return value


configured = click.argument("config", metavar="CONFIG", callback=_named)
"""The argument of a verb that takes a configuration."""
sourced = click.argument("source", metavar="SOURCE", callback=_named)
"""That of a verb that takes a configuration or a table."""


def opened(config: str, measure: str | None = None) -> Any:
    """Return the run of a configuration, of any measure or of one alone."""
    from aiq.config.load import read
    from aiq.plans.run import Run

    return Run.of(read(config), measure, config)


# ---- keys of the configuration -------------------------------------------------------------------


def settings(section: type[Settings], *keys: str, over: bool = False) -> Callable[[Any], Any]:
    """Return the options of a verb that set keys of a section of the configuration, named as they are, with hyphens.

    With ``over`` they are laid over a configuration, whose own values are the defaults.
    """
    options = []
    for key in keys:
        field = section.model_fields[key]
        how: dict[str, Any] = {"help": f"{field.description}  [default: the configuration's]"}
        if not over:
            how = {"default": field.default, "show_default": field.default is not None}
            how["help"] = str(field.description).replace("null:", "left out:")
        options.append(click.option(f"--{key.replace('_', '-')}", key, type=_kind(field), **how))
    return every(options)


def every(options: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return the decorator that gives a verb several options, in this order."""
    return lambda verb: functools.reduce(lambda inner, option: option(inner), reversed(options), verb)


def _kind(field: FieldInfo) -> click.ParamType:
    """Return the type of an option, with the bounds of the key."""
    kinds = _kinds(field.annotation)
    words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
    if words:
        return click.Choice(words) if int not in kinds else _WordOrNumber(words)
    bounds: dict[str, Any] = {}
    for limit in field.metadata:
        if type(limit) in LIMITS:
            end, attribute, is_open = LIMITS[type(limit)]
            bounds |= {end: getattr(limit, attribute), f"{end}_open": is_open}
    return click.FloatRange(**bounds) if float in kinds else click.IntRange(**bounds)


def _kinds(annotation: Any) -> list[Any]:
    if get_origin(annotation) in (Union, types.UnionType):
        return [kind for part in get_args(annotation) for kind in _kinds(part)]
    return _kinds(get_args(annotation)[0]) if get_origin(annotation) is Annotated else [annotation]


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


confidence = settings(Complexity, "confidence")
seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="root of the resampling")

# ---- files that are written ----------------------------------------------------------------------


class Written(click.ParamType):
    """A file, or a folder, that can be written; the folder in which it lies is there already.

    ``what`` it holds stands in a refusal of other ``endings``; without endings every name is allowed, with ``bare`` one
    without an ending too. A pipe or a device may have any. With ``dash``, ``-`` is standard output.
    """

    name = "file"

    def __init__(
        self, what: str = "", endings: tuple[str, ...] = (), *, bare: bool = False, dash: bool = False,
        folder: bool = False,
    ) -> None:  # fmt: skip
        self.endings = endings
        self._what, self._bare, self._dash, self._folder = what, bare, dash, folder

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name.

        Raises:
            AiqError: it ends otherwise, there is no such folder, or nothing can be written there.
        """
        if self._dash and value == "-":
            return value
        from aiq.storage.files import check_writable

        if value and self._folder:
            check_writable(Path(value) / "tables.csv")
        elif check_writable(value):
            return value
        inside = Path(os.path.realpath(value)).parent
        if not inside.is_dir():
            raise StorageError(f"{value} cannot be written: there is no folder {inside}; make it, or choose another")
        suffix = Path(value).suffix
        allowed = [ending.removeprefix(".") for ending in self.endings]
        if allowed and suffix.removeprefix(".") not in allowed and (suffix or not self._bare):
            raise InputError(choice(self._what, suffix, self.endings))
        return value


FILE = Written()
TEXT_OR_DASH = Written("the ending of a list of programs", ("txt",), bare=True, dash=True)
TABLE = Written("the ending of a table", ("csv",), bare=True)
TABLE_OR_DASH = Written("the ending of a table", ("csv",), bare=True, dash=True)
SPACE = Written("the ending of a space's file", ("h5", "hdf5"), bare=True)
FIGURE = Written("the format of a figure", FIGURES)
REPORT = Written("the ending of the file", (".md", ".csv", ".json"))
PAGE = Written("the ending of the file", (".md",))
HTML = Written("the ending of a page", ("html", "htm"), bare=True)
FOLDER = Written(folder=True)


def check_not_read(source: str, *written: str | Path) -> None:
    """Refuse to write over what is read."""
    given = Path(source).resolve()
    for target in map(Path.resolve, map(Path, written if source != "-" else ())):
        inside = given in target.parents and target.is_file()
        if target.exists() and (target in (given, *given.parents) or inside):
            raise InputError(f"{target} would overwrite what is read; give another name, outside {source}")
