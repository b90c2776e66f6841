"""The verb ``dice``."""

from __future__ import annotations

import click


@click.command()
@click.argument("sides", type=int)
def dice(sides: int) -> None:
    """Expected value of a fair die."""
    click.echo((sides + 1) / 2)


COMMANDS = (dice,)
