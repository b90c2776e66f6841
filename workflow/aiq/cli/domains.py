"""The verb ``domains``: what can be measured, and how it is named in a configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from aiq.cli._verbs import Verbs
from aiq.cli.output import emit_json, emit_table
from aiq.errors import InputError, choice

if TYPE_CHECKING:
    from aiq.domains import ControlFamily, Family

as_json = click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")


def _families() -> dict[str, Family | ControlFamily]:
    """Return every family, labelled ones first."""
    from aiq.domains import CONTROL_FAMILIES, FAMILIES

    return {**FAMILIES, **CONTROL_FAMILIES}


@click.group(cls=Verbs, invoke_without_command=True)
@as_json
@click.pass_context
def domains(ctx: click.Context, json_: bool) -> None:
    """Sources of domains; ``aiq domains show NAME`` tells the parameters of one.

    \b
    Example:
      aiq domains show sklearn
    """
    if ctx.invoked_subcommand is not None:
        return
    found = [family.describe() for family in _families().values()]
    if json_:
        emit_json({"domains": found})
        return
    emit_table(["source", "kind", "what"], [(s["source"], s["kind"], s["description"]) for s in found])


@domains.command("show")
@click.argument("name")
@as_json
@click.pass_context
def show_source(ctx: click.Context, name: str, json_: bool) -> None:
    """Parameters, shapes and bounds of one source, with an example.

    \b
    Example:
      aiq domains show recorded
    """
    families = _families()
    if name not in families:
        raise InputError(choice("the source of domains", name, families))
    found = families[name].describe()
    if json_ or (ctx.parent is not None and ctx.parent.params["json_"]):
        emit_json(found)
        return
    click.echo(f"{found['source']} ({found['kind']}): {found['description']}\n")
    rows = [
        (key, json.dumps(told["default"]) if "default" in told else "required", told["description"])
        for key, told in found["parameters"].items()
        if key != "source"
    ]
    emit_table(["parameter", "default", "what"], rows)
    shapes = "samples" if found["kind"] == "labelled" else "worlds"
    click.echo(f"\n{shapes}: {found['samples']}\nperformance within: {found['bounds']}")
    click.echo(f"example: {json.dumps(found['example'])}")


COMMANDS = (domains,)
