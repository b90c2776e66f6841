"""The verb ``sensitivity``: how a finished suite's numbers move with each choice of its configuration."""

from __future__ import annotations

from pathlib import Path

import click

from aiq.cli._written import FIGURE, TABLE
from aiq.cli.measures import as_json
from aiq.cli.options import configured
from aiq.cli.output import emit_json, emit_shown


@click.command()
@configured
@click.option("--choice", "only", multiple=True, metavar="KEY", help="change this key alone; once per key")
@click.option("--train", multiple=True, metavar="KEY", help="train runs of their own for this key first")
@click.option("--cores", metavar="N", help="cores of this machine for --train [default: the profile's]")
@click.option("--profile", default="local", show_default=True, metavar="P", help="where --train runs its jobs")
@click.option("-o", "--output", type=FIGURE, metavar="FIGURE.png", help="draw what moves; .png, .svg or .pdf")
@click.option("--csv", type=TABLE, metavar="TABLE.csv", help="write the table, one row per choice and value")
@as_json
def sensitivity(
    config: str,
    only: tuple[str, ...],
    train: tuple[str, ...],
    cores: str | None,
    profile: str,
    output: str | None,
    csv: str | None,
    json_: bool,
) -> int:
    """How complexities, dissimilarities, dimensions and agents' scores of a finished suite move with each choice.

    One choice is changed at a time, and what depends on it is computed again from the same trainings. Choices that
    need trainings are listed with what they cost; --train runs them as small suites of their own beside the run.

    \b
    Example:
      aiq sensitivity my-suite.yaml -o moves.png
    """
    from aiq import storage
    from aiq.config.load import read
    from aiq.explain.sensitivity import sensitivity as moves
    from aiq.explain.sensitivity import write_variants
    from aiq.report.explained import sensitivity as shown
    from aiq.storage.files import replacing

    raw = read(config)
    if train:
        from aiq.run.call import Snakemake
        from aiq.run.start import check_call

        check_call(Snakemake(config, profile, cores))
    for path in write_variants(raw, config, train) if train else ():
        status = _run(path, profile, cores)
        if status != 0:
            return status
    found = moves(raw, config, only, say=lambda what: None if json_ else click.echo(what, err=True))
    if output is not None:
        from aiq.figures import render
        from aiq.figures import sensitivity as figure

        with replacing(output) as temporary:
            temporary.write_bytes(render(figure(found), Path(output).suffix))
    if csv is not None:
        storage.write_table(csv, found.table())
    if json_:
        emit_json(found.as_dict())
        return 0
    for one in shown(found):
        emit_shown(one)
    return 0


def _run(config: str, profile: str, cores: str | None) -> int:
    """Run a variant as ``aiq run`` does, and return the exit status."""
    from aiq.config.load import read
    from aiq.plans.run import AnyRun, Run
    from aiq.run.call import Snakemake
    from aiq.run.checks import check_named
    from aiq.run.start import Start, go

    click.echo(f"training {config}", err=True)
    run: AnyRun = Run.of(read(config), origin=config)
    check_named(run)
    snakemake = Snakemake(config, profile, cores)
    return go(Start(run, snakemake, False, False, True, lambda what: click.echo(what, err=True)))


COMMANDS = (sensitivity,)
