"""The verbs ``collectives run`` and ``collectives complexity``: groups of agents in Lambda*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from aiq.cli.verbs import Answer, Verbs, answers
from aiq.errors import InputError
from aiq.records.table import Display


@click.group(cls=Verbs)
def collectives() -> None:
    """Groups of agents scored together in the environment Lambda*.

    \b
    Example:
      aiq collectives run --side 10 --kind oracle --kind local_search --episodes 200
    """


@collectives.command("run")
@click.argument("config", metavar="[CONFIG]", required=False)
@click.option(
    "--side", "sides", multiple=True, type=click.IntRange(3, 1000), help="side of the square grid; repeatable"
)
@click.option("--kind", "kinds", multiple=True, help="kind of group; repeatable")
@click.option("--episodes", type=click.IntRange(1), help="episodes per side")
@click.option("--agents", type=click.IntRange(1, 1000), help="agents of a group")
@click.option("--iterations", type=click.IntRange(2, 10_000), help="iterations of an episode")
@click.option("--preset", type=str, help="paper, or code for the public program's test")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="root seed")
@answers
def run(config: str | None, seed: int, **options: Any) -> Answer:
    """Score kinds of groups: as a configuration CONFIG says (measure: collectives), or by options.

    Nothing is written.

    \b
    Example:
      aiq collectives run --side 10 --kind oracle --kind local_search --episodes 200
    """
    from aiq.config import read
    from aiq.plans.run import Run
    from aiq.wings.collectives.work import reduce, simulate_all

    given = {name: value for name, value in options.items() if value not in (None, ())}
    if config is not None and given:
        raise InputError(f"both a configuration and options ({', '.join(given)}) are given; give one of them")
    setup = Run.of(read(config) if config is not None else from_options(seed, **given), "collectives")
    reduced = reduce(setup, simulate_all(setup))
    curves = [
        {"pattern": part.pattern, "kind": s.kind, "complexity": [s.lowest, s.highest], **s.estimate.as_dict()}
        for part in reduced.by_complexity
        for s in part.scores
    ]
    rows = [
        (g.kind, g.rows, g.uncertainty, g.estimate.value, g.estimate.interval, g.variation, g.estimate.n)
        for g in reduced.intelligence
    ]
    display = Display("", ("kind", "side", "H (bits)", "Υ", "95%", "variation", "episodes"), tuple(rows))
    return Answer({"intelligence": [g.as_dict() for g in reduced.intelligence], "by_complexity": curves}, (display,))


def from_options(
    seed: int, sides: Sequence[int] = (10,), kinds: Sequence[str] = (), episodes: int = 500, **test: Any
) -> dict[str, Any]:
    """Return the raw configuration that the options mean."""
    return {
        "measure": "collectives",
        "name": "command line",
        "seed": seed,
        "results": "results/collectives",
        "test": test,
        "by_side": {"sides": list(sides), "episodes": episodes, **({"kinds": list(kinds)} if kinds else {})},
        "by_complexity": None,
        "jobs": {"episodes_per_block": 1},
    }


@collectives.command("complexity")
@click.argument("pattern")
@answers
def complexity(pattern: str) -> Answer:
    """Complexity K of a movement pattern, the number of its LZ76 phrases; any letters.

    \b
    Example:
      aiq collectives complexity URRDL
    """
    from aiq.wings.collectives.equations.world import complexity as phrases

    count = phrases(pattern)
    display = Display("", ("pattern", "moves", "complexity K"), ((pattern, len(pattern), count),))
    return Answer({"complexity": count, "length": len(pattern)}, (display,))


COMMANDS = (collectives,)
