"""The verb ``agents``: one table of agents by measures."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace

import click

from aiq.cli.options import TABLE, every
from aiq.cli.verbs import Answer, answers, say, wants_json
from aiq.records.table import Display

_SIZES = {
    "programs": (100, "programs of the algorithmic quotient's sample"),
    "length": (1, "cycles of its trials"),
    "runs": (100, "its trials"),
    "budget": (1, "interactions of an anytime test"),
    "tests": (2, "repeated anytime tests"),
    "episodes": (1, "worlds of Lambda*"),
    "practice": (0, "episodes of a game or a domain before those that count"),
    "scored": (1, "episodes of a game or a domain that count"),
    "repetitions": (2, "repetitions of games and domains"),
    "trials": (2, "trials of the open-world evaluation, for every level"),
    "training": (100, "environment steps of each network"),
}
"""Size -> its smallest value, and what it counts."""


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option(
    "--measure", "measures", multiple=True, metavar="MEASURE", help="one of the list; repeatable; default all"
)
@every([click.option(f"--{n}", type=click.IntRange(least, 10_000_000), help=h) for n, (least, h) in _SIZES.items()])
@click.option("--network", type=click.Path(), help="NPZ file: network of level 0 of CartPole3D; default: train one")
@click.option("--keep", type=click.Path(), help="folder that keeps finished cells, to go on from")
@click.option("--performances", type=TABLE, help="write agent,domain,performance,repetition to this CSV file")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="root seed")
@answers
def agents(
    agents: tuple[str, ...], measures: tuple[str, ...], network: str | None, keep: str | None,
    performances: str | None, seed: int, **sizes: int | None,
) -> Answer:  # fmt: skip
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
    from aiq.report.agents import agents as displays

    asked = {name: value for name, value in sizes.items() if value is not None}
    weights = None if network is None else work.network(network)
    catalogue = Catalogue(replace(Sizes(), **asked), seed, weights)
    of_measures = {name: measure.about for name, measure in catalogue.measures().items()}
    if not agents:
        of_agents = {name: agent.about for name, agent in catalogue.agents().items()}
        tables = (
            Display("", ("agent", "what it is"), tuple(of_agents.items())),
            Display("", ("measure", "its score"), tuple(of_measures.items())),
        )
        return Answer({"agents": of_agents, "measures": of_measures}, tables)
    report = say if sys.stderr.isatty() and not wants_json() else None
    scored = work.score(catalogue, agents, measures, keep, report)
    if performances is not None:
        work.write_performances(scored, performances)
    return Answer({**scored.as_dict(), "sizes": asdict(catalogue.sizes)}, displays(scored, of_measures))


COMMANDS = (agents,)
