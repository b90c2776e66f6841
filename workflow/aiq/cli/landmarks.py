"""The verb ``landmarks``: which domain to measure all others against next."""

from __future__ import annotations

from dataclasses import asdict

import click

from aiq.cli.output import emit_json


@click.command()
@click.argument("config", metavar="CONFIG")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def landmarks(config: str, json_: bool) -> None:
    """The next landmark, farthest-point: the domain farthest from the landmarks of a finished run.

    Begin with one landmark by name, run, ask here, add the answer to the names, run again (only what is
    new is trained), until the answer is no farther than the noise floor.

    \b
    Example:
      aiq landmarks config/quickstart.yaml
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.tasks.suite.reducing.dissimilarity import next_landmark

    found = next_landmark(Run.of(read(config), "aiq", config))
    if json_:
        emit_json(asdict(found))
        return
    enough = "; that is within the noise floor: there are enough" if found.distance <= found.noise_floor else ""
    click.echo(
        f"next landmark: {found.domain}, at {found.distance:.4f} from the nearest of {', '.join(found.landmarks)} "
        f"(noise floor {found.noise_floor:.4f}){enough}"
    )


COMMANDS = (landmarks,)
