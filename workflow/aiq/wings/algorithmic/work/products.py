"""Figures and tables of the algorithmic quotient, from the stored quotients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from aiq import storage
from aiq.records.table import Table
from aiq.tasks.shell.publishing import Made, Needs
from aiq.wings.algorithmic.figures import FIGURES
from aiq.wings.algorithmic.records import Quotients, SampleSummary
from aiq.wings.algorithmic.run import AlgorithmicRun as Run


def _read(run: Run, source: str | Path) -> Quotients:
    """Read the stored quotients."""
    return storage.read_result(source, "quotients", Quotients, run.plan.quotients())


def draw(run: Run, needs: Needs) -> Made:
    """Return every figure."""
    quotients = _read(run, needs["quotients"][0])
    names = ("algorithmic-lengths", "algorithmic-programs", "algorithmic-strata", "algorithmic-effort")
    return Made({name: partial(FIGURES[name], quotients) for name in names})


def tabulate(run: Run, needs: Needs) -> Made:
    """Return every table."""
    found = tables(_read(run, needs["quotients"][0]))
    return Made(tables={name: partial(found.__getitem__, name) for name in found})


def tables(quotients: Quotients) -> dict[str, Table]:
    """Return the tables by name: quotients, differences, strata, program lengths, and the sample."""
    return {
        "quotients": _quotients(quotients),
        "differences": _differences(quotients),
        "strata": _strata(quotients),
        "program-lengths": _lengths(quotients),
        "programs": _sample(quotients.sample),
    }


def _quotients(quotients: Quotients) -> Table:
    """Return one row per agent and length."""
    columns = (
        "agent", "label", "kind", "length", "parameters", "quotient", "quotient_low", "quotient_high",
        "half_from_trials", "half_from_strata", "runs", "failed_pairs", "reused_programs", "dropped_strata", "method",
    )  # fmt: skip
    rows = []
    for record in quotients.agents:
        q = record.quotient
        words = " ".join(f"{name}={value}" for name, value in record.parameters.items())
        none = q.estimate.interval is None
        rows.append(
            (
                record.agent, record.label, record.kind, record.length, words, *q.estimate.cells(),
                None if none else q.half_sampling, None if none else q.half_weights, q.runs, q.failures, q.reused,
                " ".join(map(str, q.dropped)), q.estimate.method,
            )
        )  # fmt: skip
    return Table.of(columns, rows)


def _differences(quotients: Quotients) -> Table:
    """Return one row a pair of agents at one length."""
    columns = ("first", "second", "length", "difference", "difference_low", "difference_high", "probability", "pairs")
    rows = [
        (d.first, d.second, d.length, *d.estimate.cells(), d.probability, d.estimate.n) for d in quotients.differences
    ]
    return Table.of(columns, rows)


def _strata(quotients: Quotients) -> Table:
    """Return one row per agent, length and stratum."""
    columns = ("agent", "length", "stratum", "probability", "mean", "mean_low", "mean_high", "deviation", "pairs")
    rows = [
        (
            record.agent, record.length, value.stratum, value.probability, *value.estimate.cells(),
            None if value.estimate.interval is None else value.deviation, value.estimate.n,
        )
        for record in quotients.agents
        for value in record.quotient.strata
    ]  # fmt: skip
    return Table.of(columns, rows)


def _lengths(quotients: Quotients) -> Table:
    """Return one row per agent, length and range of program lengths."""
    columns = ("agent", "length", "shortest", "longest", "share", "mean", "mean_low", "mean_high", "pairs")
    rows = [
        (record.agent, record.length, v.shortest, v.longest, v.share, *v.estimate.cells(), v.estimate.n)
        for record in quotients.agents
        for v in record.by_length
    ]
    return Table.of(columns, rows)


def _sample(sample: SampleSummary) -> Table:
    """Return the sample in numbers: counts of candidates and of each stratum."""
    counts = {
        "accepted": sample.size,
        "candidates": sample.candidates,
        "without input or output": sample.without_io,
        "failed": sample.failed,
        "passive": sample.passive,
    } | {f"stratum {k}": count for k, count in enumerate(sample.strata, start=1)}
    return Table.of(("programs", "count"), list(counts.items()))


MAKERS: Mapping[str, Callable[[Run, Needs], Made]] = {"draw_algorithmic": draw, "write_algorithmic_tables": tabulate}
"""By the name of the job."""
