"""The verb ``domains``: what can be measured, and how it is named in a configuration."""

from __future__ import annotations

import json

import click

from aiq.cli.output import emit_json, emit_table
from aiq.errors import InputError, choice

as_json = click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")


@click.group(invoke_without_command=True)
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
    from aiq.domains import FAMILIES

    found = [family.describe() for family in FAMILIES.values()]
    if json_:
        emit_json({"domains": found})
        return
    emit_table(["source", "kind", "what"], [(s["source"], s["kind"], s["description"]) for s in found])


@domains.command("show")
@click.argument("name")
@as_json
def show_source(name: str, json_: bool) -> None:
    """Parameters, shapes and bounds of one source, with an example.

    \b
    Example:
      aiq domains show recorded
    """
    from aiq.domains import FAMILIES

    if name not in FAMILIES:
        raise InputError(choice("the source of domains", name, FAMILIES))
    found = FAMILIES[name].describe()
    if json_:
        emit_json(found)
        return
    click.echo(f"{found['source']} ({found['kind']}): {found['description']}\n")
    rows = [
        (key, json.dumps(told["default"]) if "default" in told else "required", told["description"])
        for key, told in found["parameters"].items()
        if key != "source"
    ]
    emit_table(["parameter", "default", "what"], rows)
    click.echo(f"\nsamples: {found['samples']}\nperformance within: {found['bounds']}")
    click.echo(f"example: {json.dumps(found['example'])}")


COMMANDS = (domains,)
