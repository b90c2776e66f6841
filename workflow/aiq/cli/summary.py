"""Verbs of a finished run: ``summary``; what moves the numbers: ``precision``, ``sensitivity``, ``baselines``."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aiq.cli import verbs
from aiq.cli.verbs import FIGURE, TABLE, WIDTH, Answer, answers, configured, emit_display, emit_table, opened, say
from aiq.config.suite import Configuration
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
    from aiq.report.summary import scores, summarise

    if run.configuration.measure != "aiq":
        return summarise(run).table.dicts
    return list(scores(run).scores.as_dict()["agents"]) if run.plan.scored else []


def _partial(run: SuiteRun) -> Answer:
    from aiq.run.reducing.partial import reduce_partially

    part = reduce_partially(run)
    agents = part.scores.agents if part.scores is not None else ()
    lines = (
        f"PARTIAL: {part.share}; without {', '.join(part.missing_domains) or 'none'}",
        *(f"{a.rank} {a.agent}: AIQ per dimension {a.per_dimension.value:.3g} (partial)" for a in agents),
        f"{len(part.missing)} shards are not complete: {', '.join(list(part.missing)[:NAMED])}",
        f"written: {', '.join(part.files)}",
    )
    return Answer(part.as_dict, lines)


# ---- for a person --------------------------------------------------------------------------------


def _parts(run: AnyRun, config: str, all_: bool) -> Iterator[Display | str]:
    from aiq.report.summary import summarise

    suite = run.configuration.measure == "aiq"
    if all_:
        yield from _whole_suite(run) if suite else _cost(summarise(run).cost)
    if suite and run.plan.scored:
        yield from _end_of_suite(run, config)
    else:
        main = summarise(run)
        yield Display(main.title, main.table.columns, main.table.rows)
    files = {"page": run.layout.page, "report": run.layout.report}
    there = [f"{name}: {path}" for name, path in files.items() if Path(path).exists()]
    yield "\n".join(there or [f"tables and figures: {run.layout.root}"])
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
    guessing = _no_better_than_guessing(run, reached)
    lacking = [guessing] if guessing else []
    lacking += [f"not scored: {agent} ({reason})" for agent, reason in scored.unscored.items()]
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


def _no_better_than_guessing(run: SuiteRun, reached: Mapping[str, Mapping[str, float]]) -> str:
    """Say that no agent is above chance on any test: within two standard errors of its test split, all classes known.

    Of played tests and numbers nothing is said.
    """
    from aiq.run.expected import looked_up

    if run.configuration.control or not reached:
        return ""
    held = run.plan.sizing.costs.sizes | looked_up(run)
    best = {name: max(of[name] for of in reached.values()) for name in run.configuration.domains}
    for name, performance in best.items():
        test = held[name]
        chance = 1 / max(test.classes, 1)
        if not test.certain or chance == 1 or performance > chance + 2 * math.sqrt(chance * (1 - chance) / test.test):
            return ""
    name = max(best, key=lambda test: best[test] * held[test].classes)
    most = f"{best[name]:.2f} on {name}, of {held[name].classes} classes"
    return f"no agent is above guessing on any test (the best: {most})"


def _whole_suite(run: SuiteRun) -> Iterator[Display | str]:
    from aiq.explain.finished import FinishedRun
    from aiq.report import explained
    from aiq.report.measures import agents
    from aiq.report.summary import cost, rounds_of, scores, variance
    from aiq.run.reducing.dissimilarity import without_controls

    sources, beside, rounds = variance(run), _known_baselines(run), rounds_of(run)
    if beside is not None:
        yield explained.known_baselines(beside, run.configuration.name)
    yield from _cost(cost(FinishedRun(run)))
    if run.plan.scored:
        yield agents(scores(run).scores)
    unwritten = "where these intervals come from: the run has written no table of it; "
    unwritten += "aiq precision CONFIG tells it from the results"
    yield from [unwritten] if sources is None else explained.variance(sources)
    yield from () if rounds is None else explained.precision(rounds)
    if note := without_controls(run.configuration):
        yield f"dissimilarities: {note}"


def _cost(table: Table) -> Iterator[Display | str]:
    yield Display("what the run cost", table.columns, table.rows)
    total = table.dicts[-1]
    yield f"{total['jobs']} jobs held their cores for {total['core_hours_held']:.2f} core-hours (wall time times cores)"


# ---- for programs --------------------------------------------------------------------------------


def _record(run: AnyRun) -> dict[str, Any]:
    from aiq.explain.finished import FinishedRun
    from aiq.report.summary import cost, rounds_of, scores, summarise, variance
    from aiq.run.reducing.dissimilarity import without_controls

    if run.configuration.measure != "aiq" or not run.plan.scored:
        main = summarise(run)
        tables = {"results": main.table.dicts, "cost": main.cost.dicts}
        return {"measure": main.measure, **tables, "report": run.layout.report}
    scored, sources, beside, rounds = scores(run), variance(run), _known_baselines(run), rounds_of(run)
    note = without_controls(run.configuration)
    return {
        **scored.scores.as_dict(),
        "failed": scored.failed,
        "unscored": dict(scored.unscored),
        "cost": cost(FinishedRun(run)).dicts,
        "report": run.layout.report,
        "notes": [note] if note else [],
        **({} if beside is None else {"known_baselines": beside.as_dict()}),
        "variance": None if sources is None else sources.as_dict(),
        **({} if rounds is None else {"precision": {**rounds.as_dict(), "spent": rounds.spent}}),
    }


def _known_baselines(run: SuiteRun) -> BaselineComparison | None:
    from aiq.explain.compare import baselines_of, beside_baselines

    if not run.plan.with_known_baselines or not Path(run.layout.known_baselines).exists():
        return None
    return beside_baselines(run, baselines_of(run))


# ---- A finished suite, explained -----------------------------------------------------------------


def _write(path: str | None, table: Any) -> None:
    from aiq.storage import write_table

    if path is not None:
        write_table(path, table)


@click.command()
@configured
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the shares, one row per agent and one of all")
@verbs.settings(Configuration, "value", over=True)
@answers
def precision(config: str, csv: str | None, value: str | None) -> Answer:
    """Where the variance of a suite's scores comes from, and what the next core-hour should be spent on.

    Sources are taken as known exactly, alone and together: the pool, the domains alone at the ends of the mixtures, the
    mixtures, the agents' trainings, and for AIQ per dimension (--value volume) the number of dimensions. Their shares
    add up to 1.

    With precision in the configuration also its rounds: what each grew, cost and gave, and what the next one would
    grow. Nothing is trained and nothing is changed; aiq run CONFIG runs the rounds.

    \b
    Example:
      aiq precision my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.explain.rounds import Goal
    from aiq.explain.spending import variances
    from aiq.report import explained

    raw, run = read(config), opened(config, "aiq")
    goal = Goal(raw, config) if run.configuration.precision is not None else None
    record: dict[str, Any] = {}
    parts: list[Any] = []
    if goal is None or csv is not None or Path(run.layout.scores).exists():
        split = variances(raw, config, value=value or (None if goal is None else goal.quantity))
        _write(csv, split.table())
        record |= split.as_dict()
        parts += explained.variance(split)
    if goal is not None:
        ahead = goal.ahead()
        record |= {**goal.rounds.as_dict(), "spent": goal.rounds.spent, "next": ahead}
        parts += [*explained.precision(goal.rounds), ahead]
    return Answer(record, parts)


@click.command()
@configured
@click.option("--choice", "only", multiple=True, metavar="KEY", help="change this key alone; once per key")
@click.option("--train", multiple=True, metavar="KEY", help="train runs of their own for this key first")
@click.option("--cores", metavar="N", help="cores of this machine for --train [default: the profile's]")
@click.option("--profile", default="local", show_default=True, metavar="P", help="where --train runs its jobs")
@click.option("-o", "--output", type=FIGURE, metavar="FIGURE.png", help="draw what moves; .png, .svg or .pdf")
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the table, one row per choice and value")
@answers
def sensitivity(
    config: str, only: tuple[str, ...], train: tuple[str, ...], cores: str | None, profile: str, output: str | None,
    csv: str | None,
) -> Answer:  # fmt: skip
    """How complexities, dissimilarities, dimensions and agents' scores of a finished suite move with each choice.

    One choice is changed at a time, and what depends on it is computed again from the same trainings. Choices that
    need trainings are listed with what they cost; --train runs them as small suites of their own beside the run.

    \b
    Example:
      aiq sensitivity my-suite.yaml -o moves.png
    """
    from aiq.config.load import read
    from aiq.explain.sensitivity import sensitivity as moves
    from aiq.explain.sensitivity import write_variants
    from aiq.report.explained import sensitivity as displays

    raw = read(config)
    if train:
        from aiq.run.call import Snakemake
        from aiq.run.start import check_call

        check_call(Snakemake(config, profile, cores))
        for path in write_variants(raw, config, train):
            _run(Snakemake(path, profile, cores))
    moved = moves(raw, config, only, say=verbs.say_unless_json)
    if output is not None:
        from aiq.figures import sensitivity as figure

        verbs.write_drawing(figure(moved), output)
    _write(csv, moved.table())
    return Answer(moved.as_dict, displays(moved))


def _run(snakemake: Any) -> None:
    """Run a variant as ``aiq run`` does; a status other than 0 ends the verb with it."""
    from aiq.run.checks import check_named
    from aiq.run.start import Start, go

    say(f"training {snakemake.config}")
    run = opened(snakemake.config)
    check_named(run)
    if status := go(Start(run, snakemake, False, False, True, say)):
        raise click.exceptions.Exit(status)


@click.command()
@configured
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the table, one row per comparison")
@click.option("--domains", type=TABLE, metavar="TABLE.csv", help="write what the baselines say of every domain")
@click.option(
    "--pairs", type=TABLE, metavar="TABLE.csv", help="write what the baselines say of every pair (labelled domains)"
)
@answers
def baselines(config: str, csv: str | None, domains: str | None, pairs: str | None) -> Answer:
    """Rank correlations of a finished suite's complexities and dissimilarities with baselines that people know.

    On labelled domains: complexity measures of problexity, the optimal-transport distance of data sets (POT), the loss
    of linear probes; on control domains: the performance of random actions. A run computes them itself (the key
    known_baselines); for an older run they are computed here, from its prepared domains. Nothing is trained. Where
    controls were trained, transfer areas (what mixing itself costs) are ranked beside the dissimilarities.

    \b
    Example:
      aiq baselines my-suite.yaml
    """
    from aiq.explain.compare import baselines_of, beside_baselines
    from aiq.report.explained import known_baselines as display

    run = opened(config, "aiq")
    baselines = baselines_of(run)
    ranked = beside_baselines(run, baselines)
    for path, table in ((csv, ranked.table()), (domains, baselines.domain_table()), (pairs, baselines.pair_table())):
        _write(path, table)
    return Answer(ranked.as_dict, (display(ranked, run.configuration.name),))


COMMANDS = (summary, precision, sensitivity, baselines)
