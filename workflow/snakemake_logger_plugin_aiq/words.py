"""A tally as plain text: one line while a run goes on, a few at its end, a table of what a dry run would do."""

from __future__ import annotations

import os
import threading

from snakemake_logger_plugin_aiq.tally import Job, Left, Stage, Tally

FEW = 3
TOLD = "AIQ_TELLS"
"""Variable of the environment: whoever started Snakemake says at the end which jobs failed, and why."""
interrupted = threading.Event()
"""Set once this process has been interrupted."""


def duration(seconds: float) -> str:
    """Return a duration as two units: ``42 s``, ``3 min 20 s``, ``2 h 5 min``, ``3 d 4 h``."""
    whole = round(seconds)
    for unit, size, lower, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {lower}" if rest else "")
    return f"{whole} s"


def time_left(left: Left) -> str:
    """Return the time left, and what it leaves out."""
    names = ", ".join(left.unmeasured) if len(left.unmeasured) <= FEW else f"{len(left.unmeasured)} stages"
    beside = f" ({names} not timed yet)" if left.unmeasured else ""
    if left.seconds is None:
        return "time left not known yet"
    if round(left.seconds) < 1:
        return f"time left not known yet{beside}" if beside else "nearly done"
    return f"{'more than' if beside else 'about'} {duration(left.seconds)} left{beside}"


def line(tally: Tally) -> str:
    """Return the state of a run in one line: the whole, the time left, then every stage under way."""
    whole = tally.whole()
    parts = [f"{whole.done} of {whole.total} jobs done, {whole.running} running, {whole.failed} failed"]
    if whole.done + whole.failed < whole.total:
        parts.append(time_left(tally.left()))
    under_way = [counts(s) for s in tally.stages() if s.running or s.failed or 0 < s.done < s.total]
    return ", ".join(parts) + (f" | {'; '.join(under_way)}" if under_way else "")


def counts(stage: Stage) -> str:
    """Return the state of one stage."""
    extra = [f"{n} {word}" for n, word in ((stage.running, "running"), (stage.failed, "failed")) if n]
    return f"{stage.rule} {stage.done}/{stage.total}" + (f" ({', '.join(extra)})" if extra else "")


def failure(job: Job) -> str:
    """Return that a job failed, and where its logs are."""
    again = f" (attempt {job.attempts})" if job.attempts > 1 else ""
    return f"FAILED {job.rule}{again} after {duration(job.seconds)}: {job.name}; logs: {', '.join(job.logs) or 'none'}"


def summary(tally: Tally) -> str:
    """Return what a run has done, and which jobs failed, each with its logs, where nobody else says it."""
    whole = tally.whole()
    unfinished = whole.total - whole.done - whole.failed
    rest = f", {whole.failed} failed, {unfinished} not run" if whole.failed or unfinished else ""
    lines = [f"{whole.done} of {whole.total} jobs done{rest}, in {duration(tally.elapsed)}"]
    failed = () if TOLD in os.environ else tally.failed()
    return "\n".join([*lines, *(f"  {failure(job)}" for job in failed)])


def planned(tally: Tally) -> str:
    """Return how many jobs of each rule a dry run would start."""
    stages = [stage for stage in tally.stages() if stage.total]
    if not stages:
        return ""
    width = max(len(stage.rule) for stage in stages)
    rows = [("rule", "jobs"), *((stage.rule, str(stage.total)) for stage in stages), ("all", str(tally.whole().total))]
    return "\n".join(f"{rule.ljust(width)}  {count:>6}" for rule, count in rows)
