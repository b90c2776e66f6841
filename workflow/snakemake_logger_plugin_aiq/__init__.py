"""Progress that a person can read, as a logger plugin of Snakemake: ``snakemake --logger aiq``.

It counts the jobs of every rule that are done, running and failed, tells the time left, and ends with the number of
jobs and the failed ones with their logs. Snakemake's own messages go to ``.snakemake/log`` as ever; of them only
warnings and errors are shown. A dry run counts the jobs by rule; with ``-p`` or ``--verbose`` it lists every job, as
Snakemake does.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from logging import WARNING, Handler, LogRecord

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from snakemake_logger_plugin_aiq.screen import TOLD, Lines, Live, failure, interrupted, planned, summary
from snakemake_logger_plugin_aiq.tally import Tally

KEPT = ("Nothing to be done",)  # messages without event that are worth a line while jobs run,
AFTER = ("Complete log",)  # and after jobs have failed
REPEATED = ("RuleException", "WorkflowError:\nAt least one job", "Exiting because a job execution failed")
"""Beginnings of what Snakemake says when a job has failed, which the line of that job says already."""
PREAMBLE = (
    "Assuming unrestricted shared filesystem usage",
    "Building DAG of jobs",
    "Using shell:",
    "Provided cores:",
    "Provided resources:",
    "Provided remote nodes:",
    "Rules claiming more threads",
    "Conda environments: ignored",
    "Singularity containers: ignored",
    "Job stats:",
)
"""Beginnings of what Snakemake says before the first job whatever it does; ``.snakemake/log`` has it too."""
DRY = "This was a dry-run: nothing was made (-- -n -p lists every job)"


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Settings on the command line: ``--logger-aiq-every 60``."""

    every: float = field(
        default=30.0, metadata={"help": "Seconds between two lines where output is no terminal", "type": float}
    )


class LogHandler(LogHandlerBase):
    """Shows a run; see the module."""

    def __post_init__(self) -> None:
        """Prepare; nothing is shown before the first job."""
        self._tally = Tally(time.monotonic)
        self._screen: Lines | Live | None = None
        self._stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self._own = self._usual_handler()
        if self.common_settings.dryrun and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # where nobody reads on, a dry run ends without a word

    @property
    def writes_to_stream(self) -> bool:
        """Whether it takes the place of Snakemake's own output."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Whether it writes a file."""
        return False

    @property
    def has_filter(self) -> bool:
        """Whether it chooses records itself."""
        return True

    @property
    def has_formatter(self) -> bool:
        """Whether it formats records itself."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """Whether it needs the graph of rules."""
        return False

    def emit(self, record: LogRecord) -> None:
        """Take in one record."""
        try:
            self._take(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Show the summary, or what a dry run would do."""
        screen, self._screen = self._screen, None
        if self._counts and (table := planned(self._tally)) and not self._quiet:
            self._stream.write(f"{table}\n{DRY}\n")
            self._tally = Tally(time.monotonic)  # once
        if screen is not None:
            screen.close()
            screen.say(summary(self._tally))
        self._own.close()
        super().close()

    def _take(self, record: LogRecord) -> None:
        """Count what is an event of a job, pass on what is not."""
        event = getattr(record, "event", None)
        said = str(record.msg).lstrip()
        preamble = record.levelno < WARNING and said.startswith(PREAMBLE) and event != LogEvent.RUN_INFO
        repeated = self._screen is not None and said.startswith(REPEATED)
        if interrupted.is_set() and event not in (LogEvent.JOB_FINISHED, LogEvent.RUN_INFO):
            return  # jobs that end of an interruption have not failed
        if (preamble or repeated) and not self.common_settings.verbose:
            return
        if self._counts:
            self._count(record, event)
        elif self.common_settings.dryrun:
            self._pass_on(record)
        elif event == LogEvent.WORKFLOW_STARTED and not self.common_settings.verbose:
            return  # a page about host and versions, which .snakemake/log has too
        elif event == LogEvent.RUN_INFO:
            self._begin(record.stats)
        elif event == LogEvent.JOB_INFO:
            self._tally.start(record.jobid, record.rule_name, record.output or (), record.log or ())
        elif event == LogEvent.JOB_FINISHED:
            self._tally.finish(record.job_id)
        elif event == LogEvent.JOB_ERROR:
            self._failed(record.jobid, record.log or ())
        elif event == LogEvent.GROUP_ERROR:
            for info in record.job_error_info:
                self._failed(info["jobid"], [*(info["log"] or ()), *(record.aux_logs or ())])
        elif self._screen is None or record.levelno >= WARNING or str(record.msg).startswith(self._kept):
            self._pass_on(record)

    @property
    def _kept(self) -> tuple[str, ...]:
        """Beginnings of the messages without event that are shown."""
        return (*KEPT, *AFTER) if self._tally.failed() and TOLD not in os.environ else KEPT

    @property
    def _counts(self) -> bool:
        """Whether jobs of a dry run are counted, not listed."""
        asked = self.common_settings
        return bool(asked.dryrun and not asked.printshellcmds and not asked.verbose)

    def _count(self, record: LogRecord, event: str | None) -> None:
        """Count the jobs of a dry run; pass on what is wrong, and that nothing is to be done."""
        if event == LogEvent.RUN_INFO:
            self._tally.plan(record.stats)
        elif event == LogEvent.ERROR or record.levelno >= WARNING or str(record.msg).startswith(KEPT):
            self._pass_on(record)

    def _begin(self, stats: dict) -> None:
        self._tally.plan(stats)
        if self._screen is None and not self._quiet:
            if self._stream.isatty():
                self._screen = Live(self._tally, self._stream, self.common_settings.nocolor)
            else:
                self._screen = Lines(self._tally, self._stream, self.settings.every if self.settings else 30.0)
            self._screen.open()

    @property
    def _quiet(self) -> bool:
        return bool({"all", "progress"} & {str(word).lower() for word in self.common_settings.quiet or ()})

    def _failed(self, number: int, logs: list[str]) -> None:
        job = self._tally.fail(number, logs)
        if job is not None and self._screen is not None:
            self._screen.say(failure(job), "red")

    def _pass_on(self, record: LogRecord) -> None:
        if not self._own.filter(record):
            return
        if self._screen is None:
            self._own.handle(record)
            return
        text = self._own.format(record)
        if text:
            self._screen.say(text, "red" if record.levelno > WARNING else "yellow" if record.levelno == WARNING else "")

    def _usual_handler(self) -> Handler:
        from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter

        s = self.common_settings
        return ColorizingTextHandler(
            nocolor=s.nocolor,
            stream=self._stream,
            filter=DefaultFilter(s.quiet, s.debug_dag, s.verbose, s.dryrun, s.printshellcmds),
            formatter=DefaultFormatter(s.quiet, s.show_failed_logs),
        )
