"""The verb that looks at a suite through results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aiq.cli._written import FIGURE
from aiq.cli.measures import as_json, confidence, seed
from aiq.cli.output import emit_json, emit_table
from aiq.cli.sources import print_warnings, read_source, source_options

if TYPE_CHECKING:
    from aiq.records.suite_report import SuiteReport

_STEPS = 6


@click.command()
@click.argument("table", metavar="TABLE")
@source_options("refuse", without=("keep",))
@click.option(
    "--at", default=0.5, show_default=True, help="performance whose location on the scale of ability is given"
)
@click.option("--power", default=0.8, show_default=True, help="probability of finding the smallest difference")
@click.option("--alpha", default=0.05, show_default=True, help="level of the test for differences")
@click.option(
    "--resamples", default=200, show_default=True, type=click.IntRange(2, 100_000), help="resamples of agents and runs"
)
@click.option(
    "--halves",
    default=50,
    show_default=True,
    type=click.IntRange(2, 10_000),
    help="random halves of the agents by which the dropping of tests is judged",
)
@click.option("--figure", type=FIGURE, metavar="FILE.png", help="figure to write, .png or .svg")
@confidence
@seed
@as_json
def suite(table: str, figure: str | None, json_: bool, missing: str, **how: Any) -> None:
    """A suite seen through results alone: agents × tests, no training. This is not the AIQ of the paper.

    TABLE is a table of agents × tests, or anything that aiq read reads. For each test: difficulty and discrimination
    by item response theory, and which other test predicts it. For each agent: mean, median, interquartile mean and
    optimality gap. For the suite: the smallest difference of two agents that it detects, how few tests keep the order,
    and whether weaker agents move it.

    \b
    Example:
      printf 'agent,A,B,C\\nme,.9,.4,.6\\nyou,.8,.5,.7\\nthey,.2,.1,.3\\n' > table.csv
      aiq suite table.csv
    """
    from aiq.suites import suite as look

    options = ("at", "power", "alpha", "resamples", "halves", "confidence", "seed")
    settings = {name: how.pop(name) for name in options}
    found = look(read_source(table, missing="keep", **how), missing=missing, **settings)
    if figure is not None:
        _draw(found, figure)
    if json_:
        emit_json(found.as_dict())
        return
    _print(found)


def _draw(found: SuiteReport, path: str) -> None:
    """Write the figure of a suite."""
    from pathlib import Path

    from aiq import figures
    from aiq.storage.files import replacing

    suffix = Path(path).suffix
    with replacing(path) as temporary:
        temporary.write_bytes(figures.render(figures.suite_overview(found), suffix))


def _print(found: SuiteReport) -> None:
    """Print both tables, then what holds for the suite."""
    level = f"{found.confidence:.0%}"
    tests = [
        (
            t.test, t.difficulty.value, t.difficulty.interval,
            None if t.discrimination is None else t.discrimination.value,
            None if t.discrimination is None else t.discrimination.interval,
            None if t.redundancy is None else t.redundancy.value, t.predicted_by or "–",
            None if t.without is None else t.without.value,
        )
        for t in found.tests
    ]  # fmt: skip
    columns = ["test", "difficulty", level, "discrimination", level, "predicted", "by", "order without"]
    emit_table(columns, tests, title="tests")
    agents = [
        (
            a.rank, a.agent, a.mean.value, a.mean.interval, a.median.value, a.interquartile_mean.value,
            a.optimality_gap.value, None if a.difference is None else a.difference.value,
            None if a.difference is None else a.difference.interval,
        )
        for a in found.agents
    ]  # fmt: skip
    columns = ["rank", "agent", "mean", level, "median", "IQM", "optimality gap", "above next", f"{level} over tests"]
    emit_table(columns, agents, title="agents")
    for sentence in _sentences(found):
        click.echo(sentence)
    print_warnings(found.warnings)


def _sentences(found: SuiteReport) -> list[str]:
    """Return what the columns mean and what holds for the whole suite."""
    said = [
        "difficulty: 1 - expected performance at average ability; predicted: share of a test's variance that one other "
        "test predicts on agents left out (below 0: worse than their mean); order without: rank "
        "correlation of agents' means without the test with those on all",
        *found.notes,
    ]
    if found.reduction is not None:
        kept, at = found.reduction.kept, found.reduction.correlation
        chosen = sorted({round(k * (len(kept) - 1) / _STEPS) for k in range(_STEPS + 1)})
        shown = ", ".join(f"{kept[k]:.0f}: {at[k]:.2f}" for k in chosen)
        said.append(f"rank correlation with all tests, on agents left out, by number of tests kept: {shown}")
    if found.sensitivity is not None:
        shown = ", ".join(f"{rule} {mean:.1%}" for rule, (mean, _) in found.sensitivity.moved.items())
        said.append(f"pairs of the better half that change order as weaker agents join, by the rule of order: {shown}")
    return said


COMMANDS = (suite,)
