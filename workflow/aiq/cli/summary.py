"""The verb ``summary``: what a finished run found, in a few lines or whole, what it cost, and where its page lies."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aiq.cli.options import configured
from aiq.cli.output import WIDTH, emit_json, emit_shown, emit_table

if TYPE_CHECKING:
    from aiq.plans.run import AnyRun, SuiteRun
    from aiq.records.known_baselines import BaselineComparison
    from aiq.records.table import Table


NOT_THERE = "the run has written no table of it; aiq precision CONFIG tells it from the results"
SHOWN = 10  # shards that are not complete, by name


@click.command()
@configured
@click.option("--all", "all_", is_flag=True, help="also cost, variance, advice, baselines, and every warning")
@click.option("--partial", is_flag=True, help="reduce what is there of an unfinished suite, and say what is missing")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def summary(config: str, all_: bool, partial: bool, json_: bool) -> None:
    """The table of a finished run of any measure, what limits it, and where its page and its report lie.

    --partial takes the domains of a suite of which everything is there, and writes below RESULTS/partial. Scores among
    some domains are not those among all: a space of fewer domains has other dimensions.

    \b
    Example:
      aiq summary my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run

    if partial:
        _partial(Run.of(read(config), "aiq", origin=config), json_)
        return
    run: AnyRun = Run.of(read(config), origin=config)
    if json_:
        _emit(run)
    else:
        show(run, config, all_)


def show(run: AnyRun, config: str, all_: bool = False) -> None:
    """Print what a finished run of any measure found: its table, at most three sentences, where the rest lies.

    Args:
        run: the run.
        config: the configuration's file, as it was named.
        all_: whether the rest is printed, too.
    """
    suite = run.configuration.measure == "aiq"
    if all_:
        (_whole_suite if suite else _whole_measure)(run)
    if suite and run.plan.scored:
        _end_suite(run, config)
    else:
        _end_measure(run)
    place = run.layout
    files = [("page", place.page), ("report", place.report), ("tables and figures", str(place.root))]
    there = [f"{name}: {path}" for name, path in files[:2] if Path(path).exists()]
    click.echo("\n".join(there or [f"{files[2][0]}: {files[2][1]}"]))
    if not all_:
        click.echo(f"all of it: aiq summary {config} --all")


def _partial(run: SuiteRun, json_: bool) -> None:
    """Reduce a part of a suite and print what it gives."""
    from aiq.run.reducing.partial import reduce_partially

    found = reduce_partially(run)
    if json_:
        emit_json(found.as_dict())
        return
    click.echo(f"PARTIAL: {found.share}; without {', '.join(found.missing_domains) or 'none'}")
    for agent in found.scores.agents if found.scores is not None else ():
        click.echo(f"{agent.rank} {agent.agent}: AIQ per dimension {agent.per_dimension.value:.3g} (partial)")
    click.echo(f"{len(found.missing)} shards are not complete: {', '.join(list(found.missing)[:SHOWN])}")
    click.echo(f"written: {', '.join(found.files)}")


def _end_suite(run: SuiteRun, config: str) -> None:
    """Print the agents and at most three sentences."""
    from aiq.plans import growth
    from aiq.report.ending import ending
    from aiq.report.summary import scores, variance
    from aiq.run.products import not_computed

    found = scores(run)
    lacking = [f"not scored: {agent} ({reason})" for agent, reason in found.unscored.items()]
    lacking += [f"not computed: {name} ({why})" for name, (why, _) in not_computed(run).items()]
    if found.failed:
        lacking.append(f"{found.failed} trainings or repetitions of agents diverged or failed and were left out")
    rounds = growth.read(run.layout.precision) if run.configuration.precision is not None else None
    more = f"Precision: {rounds.says}" if rounds is not None and rounds.stop else ""
    shown = ending(found.scores, variance(run), lacking, config, run.layout.table("agents"), more)
    emit_table(shown.columns, shown.rows, width=WIDTH)
    for sentence in shown.sentences:
        click.echo(textwrap.fill(sentence, WIDTH, break_long_words=False, break_on_hyphens=False))


def _end_measure(run: AnyRun) -> None:
    """Print the main table of a measure without agents' scores of its own."""
    from aiq.report.summary import summarise

    found = summarise(run)
    emit_table(found.table.columns, found.table.rows, title=found.title)


def _emit(run: AnyRun) -> None:
    """Print one JSON object."""
    from aiq.plans import growth
    from aiq.report.summary import cost, scores, summarise, variance
    from aiq.run.reducing.dissimilarity import without_controls

    if run.configuration.measure != "aiq" or not run.plan.scored:
        found = summarise(run)
        emit_json(
            {"measure": found.measure, "results": _rows(found.table), "cost": _rows(found.cost),
             "report": found.layout.report}
        )  # fmt: skip
        return
    scored = scores(run)
    note, sources, beside = without_controls(run.configuration), variance(run), _known_baselines(run)
    rounds = growth.read(run.layout.precision) if run.configuration.precision is not None else None
    emit_json(
        {
            **scored.scores.as_dict(),
            "failed": scored.failed,
            "unscored": dict(scored.unscored),
            "cost": _rows(cost(run)),
            "report": run.layout.report,
            "notes": [note] if note else [],
            **({} if beside is None else {"known_baselines": beside.as_dict()}),
            "variance": None if sources is None else sources.as_dict(),
            **({} if rounds is None else {"precision": {**rounds.as_dict(), "spent": rounds.spent}}),
        }
    )


def _rows(table: Table) -> list[dict[str, object]]:
    """Return the rows of a table as mappings."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _whole_suite(run: SuiteRun) -> None:
    """Print known baselines, cost, all numbers of the agents, variance, rounds, and every warning."""
    from aiq.plans import growth
    from aiq.report.explained import known_baselines, precision
    from aiq.report.explained import variance as split
    from aiq.report.measures import agents
    from aiq.report.summary import cost, scores, variance
    from aiq.run.reducing.dissimilarity import without_controls

    sources, beside = variance(run), _known_baselines(run)
    rounds = growth.read(run.layout.precision) if run.configuration.precision is not None else None
    if beside is not None:
        emit_shown(known_baselines(beside, run.configuration.name))
    _cost(cost(run))
    if run.plan.scored:
        emit_shown(agents(scores(run).scores))
    for one in () if sources is None else split(sources):
        emit_shown(one)
    if sources is None:
        click.echo(f"where these intervals come from: {NOT_THERE}")
    for one in () if rounds is None else precision(rounds):
        emit_shown(one)
    if note := without_controls(run.configuration):
        click.echo(f"dissimilarities: {note}")


def _whole_measure(run: AnyRun) -> None:
    """Print what a run of another measure cost."""
    from aiq.report.summary import summarise

    _cost(summarise(run).cost)


def _cost(table: Table) -> None:
    """Print what a run cost, by stage and in one sentence."""
    emit_table(table.columns, table.rows, title="what the run cost")
    total = _rows(table)[-1]
    click.echo(
        f"{total['jobs']} jobs held their cores for {total['core_hours_held']:.2f} core-hours (wall time times cores)"
    )


def _known_baselines(run: SuiteRun) -> BaselineComparison | None:
    """Return the rank correlations with known baselines; None where the run has none."""
    from aiq.report.known_baselines import compared, found_or_computed

    if not run.plan.with_known_baselines or not Path(run.layout.known_baselines).exists():
        return None
    return compared(run, found_or_computed(run))


COMMANDS = (summary,)
