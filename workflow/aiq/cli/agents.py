"""The verb ``agents``: one table of agents by measures."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from typing import Any

import click

from aiq.cli._written import TABLE
from aiq.cli.output import emit_json, emit_shown, emit_table

_SIZES = {
    "programs": "programs of the algorithmic quotient's sample",
    "length": "cycles of its trials",
    "runs": "its trials",
    "budget": "interactions of an anytime test",
    "tests": "repeated anytime tests",
    "episodes": "worlds of Lambda*",
    "practice": "episodes of a game or a domain before those that count",
    "scored": "episodes of a game or a domain that count",
    "repetitions": "repetitions of games and domains",
    "trials": "trials of the open-world evaluation, for every level",
    "training": "environment steps of each network",
}
_SMALLEST = {"programs": 100, "runs": 100, "repetitions": 2, "trials": 2, "tests": 2, "practice": 0, "training": 100}


def _sizes(command: Any) -> Any:
    """Add an option for every size."""
    for name, about in reversed(_SIZES.items()):
        least = click.IntRange(_SMALLEST.get(name, 1), 10_000_000)
        command = click.option(f"--{name}", type=least, help=about)(command)
    return command


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option(
    "--measure", "measures", multiple=True, metavar="MEASURE", help="one of the list; repeatable; default all"
)
@_sizes
@click.option("--network", type=click.Path(), help="NPZ file: network of level 0 of CartPole3D; default: train one")
@click.option("--keep", type=click.Path(), help="folder that keeps finished cells, to go on from")
@click.option("--performances", type=TABLE, help="write agent,domain,performance,repetition to this CSV file")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="root seed")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def agents(
    agents: tuple[str, ...],
    measures: tuple[str, ...],
    network: str | None,
    keep: str | None,
    performances: str | None,
    seed: int,
    json_: bool,
    **sizes: int | None,
) -> None:
    """Score agents by every measure that can take them, as one table.

    An AGENT is one of the list, module:function (called with the task, it returns a function of the observation or an
    object that acts), actor:module:function (an agent of the algorithmic test), or sb3:ALGORITHM:FILE (a policy that
    Stable-Baselines3 saved). Without an AGENT the lists of agents and measures are shown and nothing is played. An
    empty cell means that the measure cannot take the agent; the reason stands below the table.

    \b
    Example:
      aiq agents random q --measure anytime-grid --tests 5 --budget 100
    """
    from aiq.agents.table import Catalogue, Sizes
    from aiq.report import agents as work
    from aiq.report.agents import agents as shown

    asked = {name: value for name, value in sizes.items() if value is not None}
    known = None if network is None else work.network(network)
    catalogue = Catalogue(replace(Sizes(), **asked), seed, known)
    if not agents:
        _lists(catalogue, json_)
        return
    watched = sys.stderr.isatty() and not json_
    report = (lambda told: click.echo(told, err=True)) if watched else None
    found = work.score(catalogue, agents, measures, keep, report)
    if performances is not None:
        work.write_performances(found, performances)
    if json_:
        sized = {item.name: getattr(catalogue.sizes, item.name) for item in fields(catalogue.sizes)}
        emit_json({**found.as_dict(), "sizes": sized})
        return
    abouts = {name: measure.about for name, measure in catalogue.measures().items()}
    for table in shown(found, abouts):
        emit_shown(table)


def _lists(catalogue: Any, json_: bool) -> None:
    """Print what agents and measures are known."""
    entries = {name: entry.about for name, entry in catalogue.agents().items()}
    measures = {name: measure.about for name, measure in catalogue.measures().items()}
    if json_:
        emit_json({"agents": entries, "measures": measures})
        return
    emit_table(["agent", "what it is"], list(entries.items()))
    emit_table(["measure", "its score"], list(measures.items()))


COMMANDS = (agents,)
