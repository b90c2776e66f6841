"""Check everything that a configuration names before anything runs: paths, data, columns, code of agents."""

from __future__ import annotations

import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from aiq.errors import InputError
from aiq.plans.registry import PIPELINES
from aiq.plans.run import AnyRun
from aiq.training.processor import LACKING, has_bfloat16


def check_named(run: AnyRun) -> None:
    """Refuse a run that names what is not there or cannot be used.

    Every measure may have a module ``checks`` beside its tasks, with a function ``check``.

    Raises:
        AiqError: one sentence about the first thing that is wrong.
    """
    check_results(run.configuration.results)
    room = f"{PIPELINES[run.configuration.measure].tasks}.checks"
    if find_spec(room) is not None:
        import_module(room).check(run)


def check_processor(run: AnyRun) -> None:
    """Refuse products of bfloat16 where jobs run on this machine and its processor does not have them.

    Raises:
        InputError: one sentence.
    """
    if getattr(run.configuration, "device", "cpu") == "cpu" and rounding(run) and not has_bfloat16():
        raise InputError(LACKING)


def rounding(run: AnyRun) -> list[str]:
    """Return the places of the configuration whose trainings multiply in bfloat16."""
    c = run.configuration
    parts = {"training": c, "dissimilarity.training": getattr(c, "dissimilarity", None)}
    parts["agents.training"] = getattr(c, "agents", None)
    return [place for place, part in parts.items() if getattr(getattr(part, "training", None), "rounded", False)]


def check_results(folder: str | Path) -> None:
    """Refuse a results folder that is a file, or that cannot be written.

    Raises:
        InputError: one sentence.
    """
    why = unwritable(Path(folder))
    if why is not None:
        raise InputError(f"results is {folder}, but {why}; name a folder that can be written")


def unwritable(folder: Path) -> str | None:
    """Return why nothing can be written into a folder that is there or is to be made; None where it can be."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        return f"{place} is a file"
    try:
        tempfile.TemporaryFile(dir=place).close()
    except OSError as error:
        return f"{place} cannot be written ({error.strerror})"
    return None
