"""Where a tally is shown: a table that redraws itself on a terminal, plain lines everywhere else."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TextIO

from snakemake_logger_plugin_aiq import words
from snakemake_logger_plugin_aiq.tally import Tally

if TYPE_CHECKING:
    from rich.table import Table

BAR = 24
HEARTBEAT = 20  # lines that stay away while nothing changes, before one is written all the same


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
        """Write lines until told to stop."""
        while not self._stop.wait(self._every):
            self._write()

    def _write(self) -> None:
        """Write a line if it tells something new."""
        whole = self._tally.whole()
        state = f"{whole} {self._tally.stages()}"
        self._silent += 1
        if state == self._last and self._silent < HEARTBEAT:
            return
        self._last, self._silent = state, 0
        self.say(f"{time.strftime('%H:%M:%S')} {words.line(self._tally)}")


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

    shown = Table(show_edge=False, box=None, padding=(0, 1), show_footer=True)
    whole = tally.whole()
    shown.add_column("stage", footer=f"after {words.duration(tally.elapsed)}")
    shown.add_column("", footer=ProgressBar(total=max(1, whole.total), completed=whole.done, width=BAR))
    for name in ("done", "running", "failed"):
        text = f"{whole.done}/{whole.total}" if name == "done" else str(getattr(whole, name))
        shown.add_column(
            name, justify="right", footer=Text(text, style="red" if name == "failed" and whole.failed else "")
        )
    shown.add_column("", footer=words.time_left(tally.left()))
    for stage in tally.stages():
        style = "red" if stage.failed else "dim" if stage.done == stage.total else ""
        bar = ProgressBar(total=max(1, stage.total), completed=stage.done, width=BAR)
        numbers = (f"{stage.done}/{stage.total}", str(stage.running or "-"), str(stage.failed or "-"))
        shown.add_row(Text(stage.rule, style=style), bar, *(Text(n, style=style) for n in numbers), "")
    return shown
