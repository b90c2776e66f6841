"""The shell around one job: its checked configuration, its log, and how it says that it failed."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiq.config.base import Keeping, RunSettings
from aiq.errors import AiqError
from aiq.plans.run import AnyRun, Run
from aiq.storage.files import job_time


def settled(configuration: RunSettings) -> dict[str, Any]:
    """Return the settings without those on which no result hangs and that may differ from user to user."""
    jobs = set(Keeping.model_fields)
    return configuration.model_dump(mode="json", exclude={"store": True, "precision": True, "jobs": jobs})


LOGGER = logging.getLogger("aiq")
INTERRUPTED = 130
TOLD = "AIQ_TELLS"
"""Variable of the environment: whoever started the run says at its end what jobs refused."""
USER_ERROR = 2  # exit status when a person has to change something


class JobLog(logging.FileHandler):
    """A job's log. Where the disk under it is full, lines are lost and one sentence on standard error says so."""

    told = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the name is logging's)
        """Tell a failed write in one sentence; anything else is a defect, shown as logging shows it."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.tell(error)
        else:
            super().handleError(record)

    def close(self) -> None:
        """Close the file; what could not be flushed is told, not raised: it must not hide why the job failed."""
        try:
            super().close()
        except OSError as error:
            self.tell(error)

    def tell(self, error: OSError) -> None:
        """Say once that the log is incomplete."""
        if not self.told:
            self.told = True
            print(f"aiq: the log {self.baseFilename} is incomplete: {error.strerror}; free space", file=sys.stderr)


@contextmanager
def job(
    config: Mapping[str, Any], log: str | Path, measure: str | None = None, *, append: bool = False
) -> Iterator[AnyRun]:
    """Run a job's body with its log open; a refusal is one sentence in the log and on standard error.

    Args:
        config: the raw configuration.
        log: the job's log; where it lies below another folder than the configuration says, all files of the job do
            (see ``Files.follow``).
        measure: the only measure that the job serves; None where it serves every one.
        append: whether the log goes on where an interrupted job left it.

    Raises:
        SystemExit: with status 2, for everything that a person can mend (``AiqError``); with status 130, where a
            person interrupts. Other exceptions are defects: their traceback is logged and they are raised again.
    """
    try:
        Path(log).parent.mkdir(parents=True, exist_ok=True)
        handler = JobLog(log, mode="a" if append else "w", encoding="utf-8")
    except OSError as error:
        print(f"aiq: the log {log} cannot be written: {error.strerror}; make its folder writable", file=sys.stderr)
        raise SystemExit(USER_ERROR) from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    started = time.monotonic()
    try:
        with job_time():
            run: AnyRun = Run.of(config, measure)
            run.layout.follow(Path(log))
            yield run
        LOGGER.info("finished in %.1f s", time.monotonic() - started)
    except AiqError as error:
        LOGGER.error("%s", error)
        if TOLD not in os.environ:
            sys.stderr.write(f"aiq: {error}\n")  # in one piece, for other jobs write there too
        raise SystemExit(USER_ERROR) from None
    except KeyboardInterrupt:
        LOGGER.info("interrupted after %.1f s", time.monotonic() - started)
        raise SystemExit(INTERRUPTED) from None
    except Exception:
        LOGGER.exception("failed after %.1f s", time.monotonic() - started)
        raise
    finally:
        LOGGER.removeHandler(handler)
        handler.close()


class Progress:
    """Plain lines of progress: what, how many of how many, time left; at most one every few seconds."""

    def __init__(self, what: str, total: int, every: float = 5.0) -> None:
        self.what, self.total, self.every = what, total, every
        self.started = self.shown = time.monotonic()

    def __call__(self, done: int) -> None:
        """Report that ``done`` of the total are finished."""
        now = time.monotonic()
        if done < self.total and now - self.shown < self.every:
            return
        self.shown = now
        left = (now - self.started) / max(done, 1) * (self.total - done)
        LOGGER.info("%s: %d of %d, %.0f s left", self.what, done, self.total, left)
