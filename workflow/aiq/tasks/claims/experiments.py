"""Run an experiment: its configuration is kept beside its results, and Snakemake makes what its figure needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from aiq.plans.experiments import Planned
from aiq.storage.files import replacing
from aiq.tasks.running.call import Snakemake
from aiq.tasks.running.checks import check_named
from aiq.tasks.running.start import Start, go


def keep(planned: Planned) -> None:
    """Write the configuration of an experiment's run beside its results."""
    found = planned.experiment
    told = f"# {found.title} ({found.source}), scale {planned.scale}. Written by aiq experiment.\n"
    with replacing(planned.file) as temporary:
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
    return go(Start(planned.run, snakemake, how["resume"], how["yes"], quiet, say))
