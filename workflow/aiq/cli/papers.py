"""The verbs ``experiment`` and ``claims``: what belongs to the papers lies beside the library, in a checkout alone."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click

from aiq.errors import AiqError

PAPERS = Path(__file__).resolve().parents[3] / "papers"
VERBS = {
    "claims": "Say of every claim of the papers whether it was reproduced (in a checkout of aiq alone).",
    "experiment": "Run the experiment of a figure of the paper, such as f10 (in a checkout of aiq alone).",
}


def _carry_papers() -> None:
    """Make ``papers`` of the checkout known, whatever the working folder holds under that name."""
    if "papers" in sys.modules:
        return
    spec = spec_from_file_location("papers", PAPERS / "__init__.py", submodule_search_locations=[str(PAPERS)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{PAPERS} cannot be imported")
    module = module_from_spec(spec)
    sys.modules["papers"] = module
    spec.loader.exec_module(module)


def _elsewhere(name: str) -> click.Command:
    """Return a verb that says where the papers are."""

    @click.command(name, help=VERBS[name], context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def verb(arguments: tuple[str, ...]) -> None:
        raise AiqError(
            f"aiq {name} needs the folder papers, which is part of a checkout of aiq and not of what pip installs: "
            "clone the repository and call it there"
        )

    return verb


def _verbs() -> tuple[click.Command, ...]:
    """Return the verbs of a checkout, or those that say where they are."""
    if not (PAPERS / "__init__.py").is_file():
        return tuple(_elsewhere(name) for name in VERBS)
    _carry_papers()
    commands: tuple[click.Command, ...] = import_module("papers.verbs").COMMANDS
    return commands


COMMANDS = _verbs()
