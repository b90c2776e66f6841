"""The verb ``landmarks``: which domain to measure all others against next."""

from __future__ import annotations

from dataclasses import asdict

import click

from aiq.cli.output import emit_json


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def landmarks(source: str, json_: bool) -> None:
    """The next landmark, farthest-point: the domain farthest from the landmarks of a finished run or of a table.

    Begin with one landmark by name, run, ask here, add the answer to the names, run again (only what is
    new is trained), until the answer is no farther than the noise floor, or completed pairs are close enough.
    SOURCE is a configuration, or a table a,b,dissimilarity whose landmarks are the domains measured against all.

    \b
    Example:
      aiq landmarks my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.run.reducing.dissimilarity import next_landmark
    from aiq.tables.landmarks import next_from_table

    if source == "-" or source.endswith((".csv", ".tsv")):
        found = next_from_table(source)
    else:
        found = next_landmark(Run.of(read(source), "aiq", source))
    if json_:
        emit_json(asdict(found))
        return
    enough = "; that is within the noise floor: there are enough" if found.distance <= found.noise_floor else ""
    click.echo(
        f"next landmark: {found.domain}, at {found.distance:.4f} from the nearest of {', '.join(found.landmarks)} "
        f"(noise floor {found.noise_floor:.4f}){enough}"
    )
    if found.error is None:
        click.echo("how far completed pairs are off is not known: at least three landmarks are needed")
    else:
        click.echo(
            f"completed pairs are off by about {found.error:.0%} of the root mean square dissimilarity, as the "
            "landmarks tell that are left out in turn; the noise of the measured pairs is in it"
        )


COMMANDS = (landmarks,)
