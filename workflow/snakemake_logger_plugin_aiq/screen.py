"""A tally as text, and where it is shown: a table that redraws itself on a terminal, plain lines everywhere else."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, TextIO

from snakemake_logger_plugin_aiq.tally import Job, Left, Stage, Tally

if TYPE_CHECKING:
    from rich.table import Table

BAR = 24
HEARTBEAT = 20  # lines that stay away while nothing changes, before one is written all the same
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


class Lines:
    """A line every so many seconds if anything has changed, and now and then if nothing has."""

    def __init__(self, tally: Tally, stream: TextIO, every: float) -> None:
        self._tally, self._stream, self._every = tally, stream, every
        self._last, self._silent = "", 0
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def open(self) -> None:
        """Write the first line and go on."""
        self._write()
        self._thread.start()

    def say(self, text: str, style: str = "") -> None:
        """Write text."""
        with self._lock:
            self._stream.write(text + "\n")
            self._stream.flush()

    def close(self) -> None:
        """Write the last line."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._write()

    def _tick(self) -> None:
        while not self._stop.wait(self._every):
            self._write()

    def _write(self) -> None:
        whole = self._tally.whole()
        state = f"{whole} {self._tally.stages()}"
        self._silent += 1
        if state == self._last and self._silent < HEARTBEAT:
            return
        self._last, self._silent = state, 0
        self.say(f"{time.strftime('%H:%M:%S')} {line(self._tally)}")


class Live:
    """A table that redraws itself twice a second, with what is said above it."""

    def __init__(self, tally: Tally, stream: TextIO, nocolor: bool) -> None:
        import rich.console
        import rich.live

        self._tally = tally
        self._console = rich.console.Console(file=stream, no_color=nocolor, highlight=False)
        self._live = rich.live.Live(
            console=self._console, get_renderable=lambda: table(self._tally), refresh_per_second=2,
            redirect_stdout=False, redirect_stderr=False, transient=True,
        )  # fmt: skip

    def open(self) -> None:
        """Begin to draw."""
        self._live.start(refresh=True)

    def say(self, text: str, style: str = "") -> None:
        """Write text above the table."""
        self._console.print(text, style=style or None, markup=False, soft_wrap=True)

    def close(self) -> None:
        """Draw no more."""
        self._live.stop()


def table(tally: Tally) -> Table:
    """Return the state of a run as a table: a row a stage, the whole and the time left below."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    grid = Table(show_edge=False, box=None, padding=(0, 1), show_footer=True)
    whole = tally.whole()
    grid.add_column("stage", footer=f"after {duration(tally.elapsed)}")
    grid.add_column("", footer=ProgressBar(total=max(1, whole.total), completed=whole.done, width=BAR))
    for name in ("done", "running", "failed"):
        text = f"{whole.done}/{whole.total}" if name == "done" else str(getattr(whole, name))
        grid.add_column(
            name, justify="right", footer=Text(text, style="red" if name == "failed" and whole.failed else "")
        )
    grid.add_column("", footer=time_left(tally.left()))
    for stage in tally.stages():
        style = "red" if stage.failed else "dim" if stage.done == stage.total else ""
        bar = ProgressBar(total=max(1, stage.total), completed=stage.done, width=BAR)
        numbers = (f"{stage.done}/{stage.total}", str(stage.running or "-"), str(stage.failed or "-"))
        grid.add_row(Text(stage.rule, style=style), bar, *(Text(n, style=style) for n in numbers), "")
    return grid
