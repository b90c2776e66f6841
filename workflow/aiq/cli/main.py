"""Entry point: every refusal is one sentence on standard error with exit status 2, never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click

from aiq import __version__, wing
from aiq.cli._extras import lacking, needs
from aiq.cli._verbs import Verbs
from aiq.errors import AiqError

REFUSED = 2
RUNS = ("init", "domains", "estimate", "doctor", "run", "shards", "store", "page", "verify")
FINISHED = ("summary", "precision", "sensitivity", "baselines", "landmarks")
SECTIONS = {
    "Results that you have": ("read", "suite", "compare", "complexity", "dissimilarity", "space", "score"),
    "A run": RUNS,
    "A finished run, understood": FINISHED,
    "The papers": ("experiment", "claims"),
    "Other measures": ("similarity", "agents"),
}
MOVED = {
    "instrument": "aiq score SPACE PERFORMANCE.csv for what each test counts, aiq suite TABLE.csv for what can go",
    "prefetch": "aiq doctor CONFIG --fetch",
    "reduce": "aiq summary CONFIG --partial",
    "variance": "aiq precision CONFIG",
}
WITHIN = {
    **dict.fromkeys(("complexity", "space", "score"), "measures"),
    **dict.fromkeys(("experiment", "claims"), "papers"),
    "read": "readers",
}
"""Verbs that stand in a file of another name."""
WITH_TRAIN = (*RUNS[2:], *FINISHED, "experiment", "claims", "agents", "algorithmic", "collectives")
"""Verbs that the base alone does not serve."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a standard output that takes no more."""


class Everything(Verbs):
    """All verbs. A verb's module is imported when it is called; help, and words that are no verb, need all of them."""

    own: MutableMapping[str, click.Command]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb; of one that stands in a file of this package nothing else is imported."""
        file = WITHIN.get(cmd_name, cmd_name)
        if cmd_name not in self.own and file in _files():
            self.own |= _of_file(file)
        return self.own.get(cmd_name) or self.commands.get(cmd_name)

    @property
    def commands(self) -> MutableMapping[str, click.Command]:  # type: ignore[override]
        """Every verb by its name."""
        for file in _files():
            self.own |= _of_file(file)
        for measure in wing.measures().values():
            for verb in measure.part("verbs") if measure.verbs else ():
                self.own.setdefault(verb.name, _explained(verb))
        return self.own

    @commands.setter
    def commands(self, own: MutableMapping[str, click.Command]) -> None:
        self.own = own


@click.group(cls=Everything, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="aiq")
def cli() -> None:
    """How hard AI tests are, how different they are, and what a score over a suite of them means.

    \b
    Example, from a table of trials (size of a network, performance it reached):
      printf 'size,performance\\n100,0.5\\n2000,0.9\\n' | aiq complexity -
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, 1 (an audit found something), or 2 (refused)."""
    for sentence in wing.discovered().broken:
        click.echo(f"aiq: {sentence}", err=True)
    return run(cli, arguments, "aiq")


def run(command: click.Command, arguments: Sequence[str] | None, name: str) -> int:
    """Run a command and return the exit status: 0, what the command returns, or 2 (refused, in one sentence)."""
    try:
        result = command.main(args=arguments, prog_name=name, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as wanted:
        click.echo(wanted.ctx.get_help() if wanted.ctx else wanted.format_message(), err=True)
        return REFUSED
    except click.ClickException as error:
        message = error.format_message().rstrip(".")
        verb = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else name
        click.echo(f"aiq: {message[:1].lower()}{message[1:]}; see {verb} --help", err=True)
        return REFUSED
    except AiqError as error:
        click.echo(f"aiq: {error}", err=True)
        return REFUSED
    except ModuleNotFoundError as error:
        told = lacking(error.name)
        if told is None:
            raise
        click.echo(f"aiq: {told}", err=True)
        return REFUSED
    except click.Abort:
        click.echo("aiq: interrupted", err=True)
        return 130
    except BrokenPipeError:
        _silence()
        return 1
    except OSError as error:
        if error.errno not in NO_ROOM or error.filename is not None:
            raise
        _silence()
        click.echo(
            f"aiq: standard output cannot be written: {error.strerror}; free space, or send it elsewhere", err=True
        )
        return REFUSED


def _silence() -> None:
    """Let standard output lead nowhere, so that nothing fails again when the process ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explained(command: click.Command) -> click.Command:
    """Return the verb, which ends its help with the extra that it needs."""
    if command.name in WITH_TRAIN:
        command.epilog = f"This {needs('train')}."
    return command


@cache
def _files() -> tuple[str, ...]:
    """Return the names of the files here that hold verbs."""
    names = [file.name for file in iter_modules([str(Path(__file__).parent)])]
    return tuple(name for name in names if name != "main" and not name.startswith("_"))


@cache
def _of_file(name: str) -> Mapping[str, click.Command]:
    """Return the verbs of a file by their names."""
    verbs = getattr(import_module(f"aiq.cli.{name}"), "COMMANDS", ())
    return {str(verb.name): _explained(verb) for verb in verbs}


cli.sections, cli.moved = SECTIONS, MOVED  # type: ignore[attr-defined]
