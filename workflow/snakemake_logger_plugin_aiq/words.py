"""A tally as plain text: one line while a run goes on, a summary at its end."""

from __future__ import annotations

from snakemake_logger_plugin_aiq.tally import Job, Left, Stage, Tally

SLOWEST = 5
FEW = 3


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
    if left.seconds is None:
        return "time left not known yet"
    if not left.unmeasured:
        return f"about {duration(left.seconds)} left"
    names = ", ".join(left.unmeasured) if len(left.unmeasured) <= FEW else f"{len(left.unmeasured)} stages"
    return f"more than {duration(left.seconds)} left ({names} not timed yet)"


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
    """Return what a run has done: stages with their times, the slowest jobs, the failed ones, each with its logs."""
    whole = tally.whole()
    unfinished = whole.total - whole.done - whole.failed
    head = f"{whole.done} of {whole.total} jobs done, {whole.failed} failed, {unfinished} not run"
    lines = [f"{head}, in {duration(tally.elapsed)}"]
    rows = [("stage", "done", "failed", "mean", "longest"), *(_row(tally, stage) for stage in tally.stages())]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines += [
        "  " + row[0].ljust(widths[0]) + "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]
    slowest = tally.slowest(SLOWEST)
    if slowest:
        lines.append("slowest jobs:")
        lines += [
            f"  {duration(job.seconds):>12}  {job.name}; logs: {', '.join(job.logs) or 'none'}" for job in slowest
        ]
    if tally.failed():
        lines.append("failed jobs:")
        lines += [f"  {failure(job)}" for job in tally.failed()]
    return "\n".join(lines)


def _row(tally: Tally, stage: Stage) -> tuple[str, str, str, str, str]:
    """Return a stage's line of the summary."""
    times = [job.seconds for job in tally.jobs.values() if job.rule == stage.rule and job.state == "done"]
    mean, longest = (f"{sum(times) / len(times):.1f} s", f"{max(times):.1f} s") if times else ("-", "-")
    return stage.rule, f"{stage.done}/{stage.total}", str(stage.failed), mean, longest
