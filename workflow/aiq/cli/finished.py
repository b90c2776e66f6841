"""Verbs that explain a finished suite: ``precision``, ``sensitivity``, ``baselines`` and ``landmarks``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from aiq.cli.options import FIGURE, TABLE, configured, opened, settings, sourced
from aiq.cli.verbs import Answer, answers, say, say_unless_json, write_drawing
from aiq.config.suite import Configuration


def _write(path: str | None, table: Any) -> None:
    from aiq.storage import write_table

    if path is not None:
        write_table(path, table)


@click.command()
@configured
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the shares, one row per agent and one of all")
@settings(Configuration, "value", over=True)
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
    from aiq.report import explained as rounds
    from aiq.report import explained as variance

    raw, run = read(config), opened(config, "aiq")
    goal = Goal(raw, config) if run.configuration.precision is not None else None
    record: dict[str, Any] = {}
    parts: list[Any] = []
    if goal is None or csv is not None or Path(run.layout.scores).exists():
        split = variances(raw, config, value=value or (None if goal is None else goal.quantity))
        _write(csv, split.table())
        record |= split.as_dict()
        parts += variance.variance(split)
    if goal is not None:
        ahead = goal.ahead()
        record |= {**goal.rounds.as_dict(), "spent": goal.rounds.spent, "next": ahead}
        parts += [*rounds.precision(goal.rounds), ahead]
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
    moved = moves(raw, config, only, say=say_unless_json)
    if output is not None:
        from aiq.figures import sensitivity as figure

        write_drawing(figure(moved), output)
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


@click.command()
@sourced
@answers
def landmarks(source: str) -> Answer:
    """The next landmark, farthest-point: the domain farthest from the landmarks of a finished run or of a table.

    Begin with one landmark by name, run, ask here, add the answer to the names, run again (only what is
    new is trained), until the answer is no farther than the noise floor, or completed pairs are close enough.
    SOURCE is a configuration, or a table a,b,dissimilarity whose landmarks are the domains measured against all.

    \b
    Example:
      aiq landmarks my-suite.yaml
    """
    from aiq.run.reducing.dissimilarity import next_landmark
    from aiq.tables.locating import next_from_table

    is_table = source == "-" or source.endswith((".csv", ".tsv"))
    chosen = next_from_table(source) if is_table else next_landmark(opened(source, "aiq"))
    enough = "; that is within the noise floor: there are enough" if chosen.distance <= chosen.noise_floor else ""
    where = (
        f"next landmark: {chosen.domain}, at {chosen.distance:.4f} from the nearest of {', '.join(chosen.landmarks)} "
        f"(noise floor {chosen.noise_floor:.4f}){enough}"
    )
    error = "how far completed pairs are off is not known: at least three landmarks are needed"
    if chosen.error is not None:
        error = (
            f"completed pairs are off by about {chosen.error:.0%} of the root mean square dissimilarity, as the "
            "landmarks tell that are left out in turn; the noise of the measured pairs is in it"
        )
    return Answer(asdict(chosen), (where, error))


COMMANDS = (precision, sensitivity, baselines, landmarks)
