"""The verbs ``anytime run`` and ``anytime play``: examine agents, or yourself, by the anytime test."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from aiq.cli.verbs import Verbs, emit_json, emit_table
from aiq.errors import InputError

FAMILIES = ("cups", "automata", "grid", "programs")
as_json = click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="root seed")


@click.group(cls=Verbs)
def anytime() -> None:
    """The anytime intelligence test: adapts to whoever is examined, and can be stopped at any time.

    \b
    Example:
      aiq anytime run --class grid --agent oracle --agent random --budget 200
    """


@anytime.command("run")
@click.argument("config", metavar="[CONFIG]", required=False)
@click.option("--class", "classes", multiple=True, metavar="FAMILY", help=f"one of {', '.join(FAMILIES)}; repeatable")
@click.option("--agent", "agents", multiple=True, metavar="AGENT", help="a kind, or FILE.py:NAME; repeatable")
@click.option("--budget", type=float, help="interactions (or seconds) in all")
@click.option("--seconds", is_flag=True, help="the budget is in seconds of the wall clock (Definition 18)")
@click.option("--repetitions", type=int, help="tests of each agent in each class")
@seed
@as_json
def run(config: str | None, json_: bool, **options: Any) -> None:
    """Examine agents: those of a configuration CONFIG (measure: anytime), or those named by options.

    Kinds of agents: random, oracle, q_learning, black_cup (cups only), follow_good (grid only). FILE.py:NAME is a
    class with begin, observe and act, or a function of the observation. Nothing is written.

    \b
    Example:
      aiq anytime run --class grid --agent oracle --agent random --budget 200
    """
    from aiq.config import read
    from aiq.plans.run import Run
    from aiq.wings.anytime.work import examine

    given = [name for name in ("classes", "agents", "budget", "repetitions") if options[name] not in (None, ())]
    if config is not None and given:
        raise InputError(f"both a configuration and options ({', '.join(given)}) are given; give one of them")
    raw = read(config) if config is not None else from_options(**options)
    points = [(result.environments, p) for result in examine(Run.of(raw, "anytime")) for p in result.points]
    if json_:
        emit_json({"results": [_point(made, p) for made, p in points]})
        return
    last = {(made, p.agent): p for made, p in points}
    rows = [
        (made, agent, p.upsilon.value, p.upsilon.interval, p.level.value, p.level.n, p.unfinished)
        for (made, agent), p in last.items()
    ]
    emit_table(["class", "agent", "Υ", "95%", "level ξ", "tests", "of them unfinished"], rows)


def _point(made: str, point: Any) -> dict[str, object]:
    return {
        "class": made,
        "agent": point.agent,
        "measure": point.measure,
        "budget": point.budget,
        "upsilon": point.upsilon.as_dict(),
        "level": point.level.as_dict(),
        "unfinished": point.unfinished,
    }


def from_options(
    classes: Sequence[str], agents: Sequence[str], budget: float | None, seconds: bool, repetitions: int | None,
    seed: int,
) -> dict[str, Any]:  # fmt: skip
    """Return the raw configuration that the options mean."""
    amount = 200.0 if budget is None else budget
    if not seconds and amount.is_integer():
        amount = round(amount)
    return {
        "measure": "anytime",
        "name": "command line",
        "seed": seed,
        "results": "results/anytime",
        "test": {"by": "seconds" if seconds else "interactions", "budget": amount},
        "repetitions": 10 if repetitions is None else repetitions,
        "classes": {family: {"family": family} for family in classes or ("grid",)},
        "agents": dict(map(_agent, agents or ("random", "oracle"))),
    }


def _agent(word: str) -> tuple[str, dict[str, str]]:
    """Return name and settings of an agent: a kind, or a Python file and a name in it."""
    file, colon, attribute = word.rpartition(":")
    if colon:
        return f"{Path(file).stem}.{attribute}", {"kind": "outside", "file": file, "attribute": attribute}
    return word, {"kind": word}


@anytime.command("play")
@click.option("--class", "family", default="grid", show_default=True, type=click.Choice(FAMILIES), help="environments")
@click.option("--budget", default=100, show_default=True, type=int, help="actions in all")
@click.option("--blind", is_flag=True, help="show bare observations instead of pictures, as agents see them")
@seed
def play(family: str, budget: int, blind: bool, seed: int) -> None:
    """Be examined yourself, in the terminal: type the number of an action, or q to end the test.

    \b
    Example:
      printf '0\\n1\\n2\\nq\\n' | aiq anytime play --class cups --budget 30
    """
    from aiq.plans.run import Run
    from aiq.wings.anytime.equations import Person
    from aiq.wings.anytime.equations.administer import administer_interactions
    from aiq.wings.anytime.work import environment_class

    if sys.stdin is None:
        raise InputError("standard input is closed; the actions are read from it")
    raw = from_options([family], ["random"], float(budget), False, 1, seed)
    setup = Run.of(raw, "anytime")
    environments = environment_class(family, setup.configuration.classes[family], seed)
    done = administer_interactions(Person(sys.stdin, sys.stdout, picture=not blind), environments, budget, root=seed)
    if not done.rows:
        click.echo("\nno environment was finished, so there is no result")
        return
    rows = [(k + 1, row.complexity, row.interactions, row.reward) for k, row in enumerate(done.rows)]
    click.echo()
    emit_table(["environment", "complexity H", "actions", "mean reward R"], rows)
    click.echo(f"Υ = {done.upsilon:+.3f}, level ξ = {done.level:.2f} ({done.status})")


COMMANDS = (anytime,)
