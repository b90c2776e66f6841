"""What verbs share: their place in a group, what they print (one JSON object, or tables and sentences), options."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
import click
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console

from aiq.api.results import grid
from aiq.errors import REDO, InputError, StorageError, choice, did_you_mean
from aiq.records.estimate import jsonable
from aiq.records.table import Display

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from aiq.settings import Settings

WIDTH = 80
"""Columns of a usual terminal."""


class Verbs(click.Group):
    """A group that answers an unknown verb with the closest known one.

    ``sections``: heading -> verbs; those that stand nowhere come under the last one. ``moved``: verb of before -> what
    does its work.
    """

    sections: Mapping[str, Iterable[str]] = {"Commands": ()}
    moved: Mapping[str, str] = {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            if args[0] in self.moved:
                raise click.UsageError(f"the verb {args[0]!r} is gone; call {self.moved[args[0]]}", ctx)
            verbs = self.list_commands(ctx)
            hint = did_you_mean(args[0], verbs)
            raise click.UsageError(f"there is no verb {args[0]!r}{hint}; allowed are {', '.join(verbs)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs by section, each with the first sentence of its help, whole."""
        verbs = {name: verb for name in self.list_commands(ctx) if (verb := self.get_command(ctx, name)) is not None}
        named = [name for names in self.sections.values() for name in names]
        rest = [name for name in verbs if name not in named]
        for place, (heading, names) in enumerate(self.sections.items(), 1):
            further = rest if place == len(self.sections) else ()
            rows = [(name, sentence(verbs[name])) for name in (*names, *further) if name in verbs]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help, or its first paragraph if that is one sentence."""
    paragraph = " ".join((command.help or "").split("\n\n")[0].replace("``", "").split())
    return re.split(r"(?<=[.])\s", paragraph, maxsplit=1)[0].rstrip(".")


# ---- what a verb prints --------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What a verb found, as the results of ``aiq.api`` are, and its exit status.

    Attributes:
        record: the object of ``--json``, or what makes it.
        screen: tables and sentences for a person; they are asked for only where a person reads.
        status: exit status.
    """

    record: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    screen: Iterable[Display | str] = ()
    status: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        """Return the object of ``--json``."""
        return self.record() if callable(self.record) else self.record

    def parts(self) -> Iterable[Display | str]:
        """Return tables and sentences."""
        return self.screen


def answers(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the option ``--json``, and print the ``Answer`` or the result of ``aiq.api`` that it returns."""

    @click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
    @functools.wraps(verb)
    def printing(*args: Any, json_: bool, **options: Any) -> int:
        answer = verb(*args, **options)
        if answer is None:  # a verb of this verb answers
            return 0
        if wants_json():
            emit_json(answer.as_dict())
        for part in () if wants_json() else answer.parts():
            emit_display(part) if isinstance(part, Display) else click.echo(part)
        return getattr(answer, "status", 0)

    return printing


def wants_json() -> bool:
    """Whether the verb that runs, or its group, was asked for JSON, beside which nothing may be printed."""
    ctx: click.Context | None = click.get_current_context()
    while ctx is not None and not ctx.params.get("json_"):
        ctx = ctx.parent
    return ctx is not None


def say(sentence: str) -> None:
    """Say what goes on, beside what is printed."""
    click.echo(sentence, err=True)


def say_unless_json(sentence: str) -> None:
    """Say what goes on to a person."""
    if not wants_json():
        say(sentence)


def emit_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object and nothing else; numbers that are not finite become null."""
    click.echo(json.dumps(jsonable(record), indent=2, allow_nan=False, default=list))


def emit_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], title: str | None = None, width: int | None = None
) -> None:
    """Print a table; text left, numbers right; never cut off, folded on a terminal, whole elsewhere.

    With a ``width`` it is bare and takes so many columns at most, wherever it is printed.
    """
    table = grid(Display(title or "", tuple(columns), tuple(tuple(row) for row in rows)),
                 header_style="bold", box=SIMPLE_HEAD if width else HEAVY_HEAD)  # fmt: skip
    if width:
        table.show_edge, table.padding = False, (0, 1, 0, 0)
    console = Console(highlight=False)
    if width or not console.is_terminal:
        console = Console(highlight=False, width=width or 200)
    console.print(table)


def emit_display(table: Display) -> None:
    """Print a table for a person and the sentences beside it, one a line."""
    if table.columns:
        emit_table(table.columns, table.rows, title=table.title)
    for line in table.sentences:
        click.echo(line)


def write_drawing(drawing: Any, path: str) -> None:
    """Write a figure in the format that its name says."""
    from aiq.figures import render
    from aiq.storage.files import replacing

    with replacing(path) as temporary:
        temporary.write_bytes(render(drawing, Path(path).suffix))


# ---- options: the configuration and its keys, of which name, default, bounds and sentence stand there


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
