"""Run an experiment: its configuration is kept beside its results, and Snakemake makes what its figure needs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from aiq.run.call import Snakemake
from aiq.run.checks import check_named
from aiq.run.controller import Held
from aiq.run.start import Start, called, check_call, go
from aiq.storage.files import replacing
from papers.planned import Planned


def keep(planned: Planned, file: str | None = None) -> None:
    """Write the configuration of an experiment's run beside its results, or into another file."""
    found = planned.experiment
    told = f"# {found.title} ({found.source}), scale {planned.scale}. Written by aiq experiment.\n"
    with replacing(file or planned.file) as temporary:
        temporary.write_text(told + yaml.safe_dump(planned.raw, sort_keys=False), encoding="utf-8")


def run_experiment(planned: Planned, quiet: bool, say: Callable[[str], None], **how: Any) -> int:
    """Make what an experiment needs and return the exit status, as ``aiq run`` does.

    Args:
        planned: the experiment.
        quiet: standard output is kept free.
        say: told what is done.
        how: ``profile``, ``cores``, ``resume``, ``yes`` and ``arguments`` (further words for Snakemake).

    Raises:
        AiqError: what ``aiq run`` refuses.
    """
    check_named(planned.run)
    words = (*planned.targets, *how["arguments"])
    snakemake = Snakemake(planned.file, how["profile"], how["cores"], words)
    check_call(snakemake)
    start = Start(planned.run, snakemake, how["resume"], how["yes"], quiet, say)
    if snakemake.only_looks:
        with tempfile.TemporaryDirectory(prefix="aiq-") as folder:
            file = str(Path(folder) / Path(planned.file).name)
            keep(planned, file)
            return go(replace(start, snakemake=replace(snakemake, config=file)))
    if start.resume:  # what is cleared away needs it, too
        keep(planned)

    def work(start: Start, forced: tuple[str, ...], lock: Held, child: list[int]) -> int:
        """Write the configuration once nothing is refused any more, and call Snakemake."""
        keep(planned)
        return called(start, forced, lock, child)

    return go(start, work)
