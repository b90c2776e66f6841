"""The verb ``init``: a commented configuration to begin with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import click

from aiq.cli.output import emit_json
from aiq.errors import InputError
from aiq.plans import workflow

TEMPLATES = Path(__file__).resolve().parent / "_templates"
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
WORD = re.compile(r"\bNAME\b")
OWN = """\
  mine: {source: npz, path: mine.npz}                          # x_train, y_train, x_test, y_test
  pictures: {source: image_folder, path: pictures, size: 32}   # one folder per class"""


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--kind", type=click.Choice(["labelled", "control", "own"]), default=None,
    help="of tests: labelled data (the default), control problems that are played, or data of your own",
)  # fmt: skip
@click.option("--data", multiple=True, metavar="PATH", help="an .npz archive or a folder of pictures of your own")
@click.option("--slurm", is_flag=True, help="write a profile for your site's SLURM too: the folder slurm/")
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
def init(name: str, kind: str | None, data: tuple[str, ...], slurm: bool, json_: bool) -> None:
    """Write a commented configuration, NAME.yaml, ready to be run or changed; nothing is overwritten.

    \b
    Example:
      aiq init my-suite
    """
    stem = name.removesuffix(".yaml").removesuffix(".yml")
    if not PLAIN.fullmatch(stem):
        raise InputError(f"name is {name!r}; take letters, digits, '_', '.', '-', a letter or digit first")
    if data and kind not in (None, "own"):
        raise InputError(f"--data is for data of your own, but --kind is {kind}; leave one of them out")
    template = "own" if data else kind or "labelled"
    text = (TEMPLATES / f"{template}.yaml").read_text(encoding="utf-8")
    files = {f"{stem}.yaml": WORD.sub(stem, text.replace("OWN\n", (_domains(data) if data else OWN) + "\n"))}
    if slurm:
        files |= _profile()
    _write(files)
    if json_:
        emit_json({"files": list(files), "kind": template})
        return
    click.echo(f"written: {', '.join(files)}")
    click.echo(f"every key is explained in {workflow.examples() / 'README.md'}")
    where = " --profile slurm" if slurm else ""
    click.echo(f"what would run: aiq run {stem}.yaml{where} -- -n; run it: aiq run {stem}.yaml{where}")


def _domains(paths: tuple[str, ...]) -> str:
    """Return the lines of domains that are read from given paths.

    Raises:
        InputError: a path does not exist, or no two of them give different names.
    """
    lines: dict[str, str] = {}
    for path in paths:
        if not Path(path).exists():
            raise InputError(f"--data is {path!r}, which does not exist; name an .npz archive or a folder of pictures")
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(path).stem).strip("-_") or "mine"
        if name in lines:
            raise InputError(f"--data names two domains {name!r}; rename one of the files")
        source = "source: image_folder, size: 32" if Path(path).is_dir() else "source: npz"
        lines[name] = f"  {name}: {{{source}, path: {json.dumps(path, ensure_ascii=False)}}}"
    return "\n".join(lines.values())


def _profile() -> Mapping[str, str]:
    """Return the workflow's profile for SLURM, to be changed here."""
    source = workflow.root() / "profiles" / "slurm"
    return {f"slurm/{path.name}": path.read_text(encoding="utf-8") for path in sorted(source.glob("config*.yaml"))}


def _write(files: Mapping[str, str]) -> None:
    """Write new files.

    Raises:
        InputError: one of them is there, or cannot be written.
    """
    for path in files:
        if Path(path).exists():
            raise InputError(f"{path} exists already; choose another name, or remove it first")
    for path, text in files.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}; choose another folder") from error


COMMANDS = (init,)
