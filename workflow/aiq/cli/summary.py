"""The verb ``summary``: what a finished run found, in a few lines or whole, what it cost, and where its page lies."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.options import configured, opened
from aiq.cli.verbs import WIDTH, Answer, answers, emit_display, emit_table
from aiq.records.table import Display

if TYPE_CHECKING:
    from aiq.plans.run import AnyRun, SuiteRun
    from aiq.records.comparison import BaselineComparison
    from aiq.records.table import Table

NAMED = 10  # shards that are not complete, by name


@click.command()
@configured
@click.option("--all", "all_", is_flag=True, help="also cost, variance, advice, baselines, and every warning")
@click.option("--partial", is_flag=True, help="reduce what is there of an unfinished suite, and say what is missing")
@answers
def summary(config: str, all_: bool, partial: bool) -> Answer:
    """The table of a finished run of any measure, what limits it, and where its page and its report lie.

    --partial takes the domains of a suite of which everything is there, and writes below RESULTS/partial. Scores among
    some domains are not those among all: a space of fewer domains has other dimensions.

    \b
    Example:
      aiq summary my-suite.yaml
    """
    if partial:
        return _partial(opened(config, "aiq"))
    run = opened(config)
    return Answer(lambda: _record(run), _parts(run, config, all_))


def show(run: AnyRun, config: str, whole: bool = True) -> None:
    """Print what a finished run of any measure found: its table, at most four sentences, where the rest lies.

    Of a run that is not ``whole`` nothing is said of what comes next, or where all of it lies.
    """
    parts = _parts(run, config, False) if whole else _end_of_suite(run, config)
    for part in (part for part in parts if whole or not str(part).startswith("Next:")):
        emit_display(part) if isinstance(part, Display) else click.echo(part)


def agents(run: AnyRun) -> list[Mapping[str, Any]]:
    """Return the agents of a finished run, as ``aiq summary --json`` does."""
    if run.configuration.measure != "aiq":
        from aiq.report.summary import summarise

        return _rows(summarise(run).table)
    if not run.plan.scored:
        return []
    from aiq.report.summary import scores

    return list(scores(run).scores.as_dict()["agents"])


def _partial(run: SuiteRun) -> Answer:
    from aiq.run.reducing.partial import reduce_partially

    part = reduce_partially(run)
    agents = part.scores.agents if part.scores is not None else ()
    lines = [f"PARTIAL: {part.share}; without {', '.join(part.missing_domains) or 'none'}"]
    lines += [
        f"{agent.rank} {agent.agent}: AIQ per dimension {agent.per_dimension.value:.3g} (partial)" for agent in agents
    ]
    lines.append(f"{len(part.missing)} shards are not complete: {', '.join(list(part.missing)[:NAMED])}")
    return Answer(part.as_dict, (*lines, f"written: {', '.join(part.files)}"))


# ---- for a person --------------------------------------------------------------------------------


def _parts(run: AnyRun, config: str, all_: bool) -> Iterator[Display | str]:
    """Return what a finished run found; all of it where that is asked for."""
    from aiq.report.summary import summarise

    suite = run.configuration.measure == "aiq"
    if all_:
        yield from _whole_suite(run) if suite else _cost(summarise(run).cost)
    if suite and run.plan.scored:
        yield from _end_of_suite(run, config)
    else:
        main = summarise(run)
        yield Display(main.title, main.table.columns, main.table.rows)
    place = run.layout
    files = {"page": place.page, "report": place.report}
    there = [f"{name}: {path}" for name, path in files.items() if Path(path).exists()]
    yield "\n".join(there or [f"tables and figures: {place.root}"])
    if not all_:
        yield f"all of it: aiq summary {config} --all"


def _end_of_suite(run: SuiteRun, config: str) -> Iterator[str]:
    """Print the agents within a terminal's width, and return at most four sentences."""
    from aiq.report.summary import ending, rounds_of, scores, variance
    from aiq.run.products import not_computed

    scored, rounds = scores(run), rounds_of(run)
    reached = {
        agent.agent: {name: float(scored.repetitions(agent.agent, name).mean()) for name in scored.scores.domains}
        for agent in scored.scores.agents
    }
    guessing = list(_no_better_than_guessing(run, reached))
    lacking = guessing + [f"not scored: {agent} ({reason})" for agent, reason in scored.unscored.items()]
    lacking += [f"not computed: {name} ({why})" for name, (why, _) in not_computed(run).items()]
    if scored.failed:
        lacking.append(f"{scored.failed} trainings or repetitions of agents diverged or failed and were left out")
    more = f"Precision: {rounds.says}" if rounds is not None and rounds.stop else ""
    if guessing:
        more = f"Next: let agents train longer (agents.training.epochs), or take other tests, in {config}"
    end = ending(scored.scores, variance(run), lacking, config, run.layout.table("agents"), more, reached)
    emit_table(end.columns, end.rows, width=WIDTH)
    for sentence in end.sentences:
        yield textwrap.fill(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)


def _no_better_than_guessing(run: SuiteRun, reached: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield that no agent is above chance on any test: within two standard errors of its test split, all classes known.

    Of played tests and numbers nothing is said.
    """
    if run.configuration.control or not reached:
        return
    from aiq.run.costs.expected import looked_up

    held = run.plan.sizing.costs.sizes | looked_up(run)
    best = {name: max(of[name] for of in reached.values()) for name in run.configuration.domains}
    for name, performance in best.items():
        test = held[name]
        chance = 1 / max(test.classes, 1)
        if not test.certain or chance == 1 or performance > chance + 2 * math.sqrt(chance * (1 - chance) / test.test):
            return
    name = max(best, key=lambda test: best[test] * held[test].classes)
    most = f"{best[name]:.2f} on {name}, of {held[name].classes} classes"
    yield f"no agent is above guessing on any test (the best: {most})"


def _whole_suite(run: SuiteRun) -> Iterator[Display | str]:
    """Return known baselines, cost, all numbers of the agents, variance, rounds, and every warning."""
    from aiq.explain.finished import FinishedRun
    from aiq.report.explained import known_baselines, precision
    from aiq.report.explained import variance as split
    from aiq.report.measures import agents
    from aiq.report.summary import cost, rounds_of, scores, variance
    from aiq.run.reducing.dissimilarity import without_controls

    sources, beside, rounds = variance(run), _known_baselines(run), rounds_of(run)
    if beside is not None:
        yield known_baselines(beside, run.configuration.name)
    yield from _cost(cost(FinishedRun(run)))
    if run.plan.scored:
        yield agents(scores(run).scores)
    if sources is None:
        yield (
            "where these intervals come from: the run has written no table of it; "
            "aiq precision CONFIG tells it from the results"
        )
    else:
        yield from split(sources)
    yield from () if rounds is None else precision(rounds)
    if note := without_controls(run.configuration):
        yield f"dissimilarities: {note}"


def _cost(table: Table) -> Iterator[Display | str]:
    yield Display("what the run cost", table.columns, table.rows)
    total = _rows(table)[-1]
    yield f"{total['jobs']} jobs held their cores for {total['core_hours_held']:.2f} core-hours (wall time times cores)"


# ---- for programs --------------------------------------------------------------------------------


def _record(run: AnyRun) -> dict[str, Any]:
    from aiq.explain.finished import FinishedRun
    from aiq.report.summary import cost, rounds_of, scores, summarise, variance
    from aiq.run.reducing.dissimilarity import without_controls

    if run.configuration.measure != "aiq" or not run.plan.scored:
        main = summarise(run)
        tables = {"results": _rows(main.table), "cost": _rows(main.cost)}
        return {"measure": main.measure, **tables, "report": run.layout.report}
    scored, sources, beside, rounds = scores(run), variance(run), _known_baselines(run), rounds_of(run)
    note = without_controls(run.configuration)
    return {
        **scored.scores.as_dict(),
        "failed": scored.failed,
        "unscored": dict(scored.unscored),
        "cost": _rows(cost(FinishedRun(run))),
        "report": run.layout.report,
        "notes": [note] if note else [],
        **({} if beside is None else {"known_baselines": beside.as_dict()}),
        "variance": None if sources is None else sources.as_dict(),
        **({} if rounds is None else {"precision": {**rounds.as_dict(), "spent": rounds.spent}}),
    }


def _rows(table: Table) -> list[Mapping[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _known_baselines(run: SuiteRun) -> BaselineComparison | None:
    from aiq.explain.compare import baselines_of, beside_baselines

    if not run.plan.with_known_baselines or not Path(run.layout.known_baselines).exists():
        return None
    return beside_baselines(run, baselines_of(run))


COMMANDS = (summary,)
