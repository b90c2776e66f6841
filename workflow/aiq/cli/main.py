"""Entry point: every refusal is one sentence on standard error with exit status 2, never a traceback."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click

from aiq import __version__, wing
from aiq.cli.verbs import Verbs
from aiq.errors import AiqError

REFUSED = 2
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a standard output that takes no more."""
PAPERS = Path(__file__).resolve().parents[3] / "papers"

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Results that you have": {
        "read": "suite", "suite": "suite", "compare": "suite",
        **dict.fromkeys(("complexity", "dissimilarity", "space", "score"), "measures"),
    },
    "A run": {
        **dict.fromkeys(("init", "domains", "estimate"), "before"), "doctor": "upkeep", "run": "run",
        "shards": "upkeep", "store": "upkeep", "page": "upkeep", "verify": "upkeep",
    },
    "A finished run, understood": {
        **dict.fromkeys(("summary", "precision", "sensitivity", "baselines"), "summary"), "landmarks": "measures",
    },
    "The papers": {"experiment": "papers", "claims": "papers"},
    "Other measures": {"similarity": "measures", "agents": "agents"},
}  # fmt: skip
"""Heading of help -> verb -> the file here that it stands in; verbs of measures are found in their folders."""
FILES = {verb: file for verbs in SECTIONS.values() for verb, file in verbs.items()}
MOVED = {
    "instrument": "aiq score SPACE PERFORMANCE.csv for what each test counts, aiq suite TABLE.csv for what can go",
    "prefetch": "aiq doctor CONFIG --fetch",
    "reduce": "aiq summary CONFIG --partial",
    "variance": "aiq precision CONFIG",
}
OF_PAPERS = {
    "claims": ("Say of every claim of the papers whether it was reproduced", "claims", "results/my-suite"),
    "experiment": ("Run the experiment of a figure of the paper", "experiment", "f10"),
}

# ---- extras --------------------------------------------------------------------------------------

EXTRAS = {
    "train": (
        *("snakemake", "snakemake_executor_plugin_slurm", "snakemake_interface_logger_plugins", "torch", "torchvision"),
        *("gymnasium", "pybullet", "sklearn", "PIL", "submitit", "psutil", "numba"),
    ),
    "report": ("plotly", "jinja2", "pygments", "rocrate"),
    "suites": ("backports",),
    "baselines": ("problexity", "ot"),
    "dev": ("stable_baselines3",),
}
"""Extra -> what is imported of the packages that it installs; ``pyproject.toml`` has the packages."""
WEIGHTS = {"train": " (6.5 GB, or 2 GB with torch for the processor alone)", "report": " (80 MB)"}
"""Extra -> what it takes on the disk, where that is much."""
NEEDS = {
    **dict.fromkeys(("estimate", "doctor", "run", "store", "verify", *SECTIONS["The papers"]), "train"),
    **dict.fromkeys(("agents", "algorithmic", "collectives"), "train"), "page": "report",
}  # fmt: skip
"""Verb that the base alone does not serve -> the extra that it needs."""


FIRST = "my-suite.yaml is what aiq init my-suite writes, results/my-suite what aiq run my-suite.yaml makes."
"""What helps whose example names them say at their end."""


def install(extra: str) -> str:
    """Return the command that installs an extra, and what that weighs."""
    return f"pip install 'aiq[{extra}]'{WEIGHTS.get(extra, '')}"


def lacking(module: str | None) -> str | None:
    """Return the sentence about a module that cannot be imported, or None if no extra brings it."""
    top = (module or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if top in modules:
            return (
                f"this needs the Python package {top!r}, which is not installed; "
                f"it comes with the extra {extra}: {install(extra)}"
            )
    return None


# ---- verbs ---------------------------------------------------------------------------------------


class Everything(Verbs):
    """All verbs. A verb's module is imported when it is called; help, and words that are no verb, need all of them."""

    sections, moved = SECTIONS, MOVED
    own: MutableMapping[str, click.Command]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb; of one that stands in a file of this package nothing else is imported."""
        if cmd_name not in self.own and cmd_name in FILES:
            self.own |= _of_file(FILES[cmd_name])
        return self.own.get(cmd_name) or self.commands.get(cmd_name)

    @property
    def commands(self) -> MutableMapping[str, click.Command]:  # type: ignore[override]
        """Every verb by its name."""
        for file in dict.fromkeys(FILES.values()):
            self.own |= _of_file(file)
        for measure in wing.measures().values():
            for verb in measure.part("verbs") if measure.verbs else ():
                self.own.setdefault(verb.name, _explained(verb))
        return self.own

    @commands.setter
    def commands(self, own: MutableMapping[str, click.Command]) -> None:
        self.own = own


@cache
def _of_file(name: str) -> Mapping[str, click.Command]:
    verbs = _of_papers() if name == "papers" else import_module(f"aiq.cli.{name}").COMMANDS
    return {str(verb.name): _explained(verb) for verb in verbs}


def _explained(command: click.Command) -> click.Command:
    for param in command.params:
        if isinstance(param.type, click.types.FloatParamType) and param.callback is None:
            param.callback = _number
    if "my-suite" in (command.help or "") and "aiq init my-suite" not in str(command.help):
        command.epilog = FIRST
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _explained(inner)
    if (extra := NEEDS.get(str(command.name))) is not None:
        first = f"{FIRST}\n\n" if command.epilog == FIRST else ""
        command.epilog = f"{first}This needs the extra {extra}: {install(extra)}."
    return command


def _number(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse NaN, which Click takes for a number inside any bounds."""
    if value is not None and value != value:
        raise click.BadParameter("nan must be a number", ctx, param)
    return value


def _of_papers() -> Sequence[click.Command]:
    """Return the verbs of the papers, which lie in a checkout alone; elsewhere those that say so."""
    if not (PAPERS / "__init__.py").is_file():
        return [_elsewhere(name) for name in OF_PAPERS]
    if "papers" not in sys.modules:  # whatever the working folder holds under that name
        spec = spec_from_file_location("papers", PAPERS / "__init__.py", submodule_search_locations=[str(PAPERS)])
        if spec is None or spec.loader is None:
            raise ImportError(f"{PAPERS} cannot be imported")
        sys.modules["papers"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["papers"])
    commands: Sequence[click.Command] = import_module("papers.verbs").COMMANDS
    return commands


def _elsewhere(name: str) -> click.Command:
    help_text = "{} (in a checkout of aiq alone).\n\n\b\nExample, in a checkout:\n  aiq {} {}".format(*OF_PAPERS[name])

    @click.command(name, help=help_text, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def verb(arguments: tuple[str, ...]) -> None:
        raise AiqError(f"aiq {name} needs the folder papers, not part of the wheel; clone the repository for it")

    return verb


@click.group(cls=Everything, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="aiq")
def cli() -> None:
    """How hard AI tests are, how different they are, and what a score over a suite of them means.

    \b
    Example, from a table of trials (size of a network, performance it reached):
      printf 'size,performance\\n100,0.5\\n2000,0.9\\n' | aiq complexity -
    """


# ---- entry ---------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0, 1 (an audit found something), or 2 (refused)."""
    for sentence in wing.broken():
        click.echo(f"aiq: {sentence}", err=True)
    return run(cli, arguments, "aiq")


def run(command: click.Command, arguments: Sequence[str] | None, name: str) -> int:
    """Run a command and return the exit status: 0, what the command returns, or 2 (refused, in one sentence)."""
    if "" in (words := sys.argv[1:] if arguments is None else arguments):
        before = list(words)[: list(words).index("")]
        return _refused(f"the word after {' '.join([name, *before])} is empty; give a name or a file there")
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
        verb = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else name
        return _refused(f"{_worded(error, verb)}; see {verb} --help")
    except AiqError as error:
        return _refused(str(error))
    except ModuleNotFoundError as error:
        if (sentence := lacking(error.name)) is None:
            raise
        return _refused(sentence)
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
        return _refused(f"standard output cannot be written: {error.strerror}; free space, or send it elsewhere")


def _worded(error: click.ClickException, verb: str) -> str:
    """Return what Click refuses in words that say what to give instead."""
    message = error.format_message().rstrip(".")
    for kind, words in (("float", "a number"), ("integer", "a whole number")):
        message = re.sub(rf"is not a valid {kind}( range)?$", f"must be {words}", message)
    if isinstance(error, click.NoSuchOption) and verb == "aiq run":
        message += f" of aiq; options of Snakemake follow --: aiq run CONFIG -- {error.option_name}"
    return f"{message[:1].lower()}{message[1:]}"


def _refused(sentence: str) -> int:
    click.echo(f"aiq: {sentence}", err=True)
    return REFUSED


def _silence() -> None:
    """Let standard output lead nowhere, so that nothing fails again when the process ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
