"""What a verb is: its place in a group, and what it prints: one JSON object, or tables and sentences for a person."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console

from aiq.api.results import grid
from aiq.errors import did_you_mean
from aiq.records.estimate import jsonable
from aiq.records.table import Display

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
        shown: tables and sentences for a person; they are asked for only where a person reads.
        status: exit status.
    """

    record: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    shown: Iterable[Display | str] = ()
    status: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        """Return the object of ``--json``."""
        return self.record() if callable(self.record) else self.record

    def parts(self) -> Iterable[Display | str]:
        """Return tables and sentences."""
        return self.shown


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
