"""Progress of a run: counts, time left, the summary, and what is written where."""

import io
import logging
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from snakemake_logger_plugin_aiq import DRY, LogHandler, LogHandlerSettings, screen
from snakemake_logger_plugin_aiq.screen import Lines, Live
from snakemake_logger_plugin_aiq.tally import Left, Stage, Tally

STATS = {"train": 4, "reduce": 1, "all": 1, "total": 6}


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tally(clock: Clock) -> Tally:
    """Two trainings of 10 s and 20 s done at once, a third running since 5 s, a fourth failed."""
    tally = Tally(clock)
    tally.plan(STATS)
    for number in (1, 2):
        tally.start(number, "train", [f"shard-{number}.h5"], [f"{number}.log"])
    clock.now += 10
    tally.finish(1)
    clock.now += 10
    tally.finish(2)
    tally.start(3, "train", ["shard-3.h5"], [])
    tally.start(4, "train", ["shard-4.h5"], ["4.log"])
    clock.now += 5
    tally.fail(4, ["slurm-4.log"])
    return tally


def test_time_left_is_the_remaining_work_over_the_jobs_at_once(tally: Tally, clock: Clock):
    # mean 15 s, 10 of them left; busy 10 + 20 + 5 + 5 s of 25
    assert tally.left() == Left(pytest.approx(10 / 1.6), ("reduce",))
    tally.finish(3)
    tally.start(5, "reduce", [], [])
    assert tally.left() == Left(0.0, ("reduce",))
    clock.now += 5
    tally.finish(5)
    assert tally.left() == Left(0.0, ())


def test_nothing_is_guessed_before_a_job_has_finished(clock: Clock):
    tally = Tally(clock)
    tally.plan(STATS)
    tally.start(1, "train", [], [])
    clock.now += 1000
    assert tally.left() == Left(None, ("train", "reduce"))
    assert "time left not known yet" in screen.line(tally)


def test_a_job_that_overruns_its_mean_still_counts(tally: Tally, clock: Clock):
    clock.now += 1000
    assert tally.left().seconds > 0


def test_a_failed_job_that_runs_again_and_succeeds_is_done(tally: Tally, clock: Clock):
    assert tally.fail(4) is None  # Snakemake tells a failure twice
    tally.start(4, "train", ["shard-4.h5"], ["4.log"])
    clock.now += 7
    tally.finish(4)
    assert tally.whole() == Stage("all", 5, 3, 1, 0)
    assert tally.failed() == []
    tally.start(4, "train", ["shard-4.h5"], ["4.log"])
    assert "(attempt 3)" in screen.failure(tally.fail(4))


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(["start", "finish", "fail"])), max_size=60))
def test_counts_add_up_whatever_happens(events):
    clock = Clock()
    tally = Tally(clock)
    tally.plan({"train": 6, "total": 6})
    for number, what in events:
        clock.now += 1.0
        if what == "start":
            tally.start(number, "train", [], [])
        else:
            getattr(tally, what)(number)
        (stage,) = tally.stages()
        assert stage.done + stage.running + stage.failed + stage.waiting == stage.total == 6
        left = tally.left()
        assert left.seconds is None or left.seconds >= 0
        assert screen.line(tally)
        assert screen.summary(tally)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (3600, "1 h"),
     (273600, "3 d 4 h"), (86400 + 59, "1 d")],
)  # fmt: skip
def test_durations(seconds, text):
    assert screen.duration(seconds) == text


def test_a_line(tally: Tally):
    assert screen.line(tally) == (
        "2 of 5 jobs done, 1 running, 1 failed, more than 6 s left (reduce not timed yet)"
        " | train 2/4 (1 running, 1 failed)"
    )
    many = Left(3.0, tuple("abcde"))
    assert screen.time_left(many) == "more than 3 s left (5 stages not timed yet)"


def test_the_summary_is_short_and_names_the_failed_with_their_logs(tally: Tally, clock: Clock):
    assert screen.summary(tally).splitlines() == [
        "2 of 5 jobs done, 1 failed, 2 not run, in 25 s",
        "  FAILED train after 5 s: shard-4.h5; logs: 4.log, slurm-4.log",
    ]
    whole = Tally(clock)
    whole.plan({"train": 1, "total": 1})
    whole.start(1, "train", [], [])
    clock.now += 3
    whole.finish(1)
    assert screen.summary(whole) == "1 of 1 jobs done, in 3 s"


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (Left(0.0, ("reduce",)), "time left not known yet (reduce not timed yet)"),
        (Left(0.2, ()), "nearly done"),
        (Left(0.6, ("a", "b")), "more than 1 s left (a, b not timed yet)"),
        (Left(75.0, ()), "about 1 min 15 s left"),
        (Left(None, ("a",)), "time left not known yet"),
    ],
)
def test_the_time_left_is_never_more_than_nothing(left: Left, text: str):
    assert screen.time_left(left) == text


def test_lines_are_written_when_something_has_changed(tally: Tally):
    stream = io.StringIO()
    lines = Lines(tally, stream, every=1000)
    lines.open()
    for _ in range(5):
        lines._write()
    assert stream.getvalue().count("\n") == 1
    tally.finish(3)
    lines.close()
    assert stream.getvalue().count("\n") == 2
    for _ in range(25):
        lines._write()
    assert stream.getvalue().count("\n") == 3  # a sign of life


# ---- as Snakemake calls it -----------------------------------------------------------------------


def record(event=None, level=logging.INFO, msg="", **extra) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", level, "", 0, msg, (), None)
    made.__dict__.update(extra | ({} if event is None else {"event": event}))
    return made


def job(number: int, rule: str = "train") -> logging.LogRecord:
    return record(LogEvent.JOB_INFO, jobid=number, rule_name=rule, output=[f"{number}.h5"], log=[f"{number}.log"])


def shown(monkeypatch, *records: logging.LogRecord, terminal: bool = False, **changes) -> str:
    """Show records and close, twice as Snakemake may; return all that was written."""
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", stream)
    common = {
        "printshellcmds": False, "nocolor": True, "quiet": None, "debug_dag": False, "verbose": False,
        "show_failed_logs": False, "stdout": False, "dryrun": False,
    }  # fmt: skip
    handler = LogHandler(SimpleNamespace(**(common | changes)), LogHandlerSettings(every=1000))
    for one in records:
        handler.emit(one)
    if isinstance(handler._screen, Live):
        handler._screen._live.refresh()
    handler.close()
    handler.close()
    return stream.getvalue()


TABLE = record(LogEvent.RUN_INFO, stats=STATS, msg="a long table")


def failure(*logs: str) -> logging.LogRecord:
    return record(LogEvent.JOB_ERROR, logging.ERROR, jobid=2, rule_name="train", log=list(logs), output=["2.h5"])


def test_snakemake_finds_the_plugin():
    plugin = LoggerPluginRegistry().get_plugin("aiq")
    assert plugin.log_handler is LogHandler


@pytest.mark.parametrize("told", [False, True])
def test_a_run_in_a_log(monkeypatch, told):
    """``told``: whoever started Snakemake says at the end which jobs failed."""
    monkeypatch.delenv(screen.TOLD, raising=False)
    if told:
        monkeypatch.setenv(screen.TOLD, "1")
    text = shown(
        monkeypatch,
        *(record(msg="Building DAG of jobs..."), TABLE),
        *(one for number in (1, 2, 3) for one in (job(number), record(msg="Select jobs to execute..."))),
        record(LogEvent.JOB_FINISHED, job_id=1),
        *[failure("2.log", "slurm/2.log")] * 2,
        record(msg="a warning", level=logging.WARNING),
        record(msg="Complete log(s): x.log"),
    )
    for words in ("Building DAG", "a long table", "Select jobs"):
        assert words not in text
    times = 1 if told else 2  # at once, and in the summary
    assert text.count("FAILED train after 0 s: 2.h5; logs: 2.log, slurm/2.log") == times
    assert "a warning" in text
    assert ("Complete log(s): x.log" in text) is not told  # since a job failed
    assert text.count("1 of 5 jobs done, 1 failed, 3 not run") == 1


def test_a_dry_run_counts_jobs_by_rule(monkeypatch):
    text = shown(
        monkeypatch,
        *(record(msg="host: here"), TABLE, TABLE),  # Snakemake tells them twice
        *map(job, range(4)),
        record(msg="mind this", level=logging.WARNING),
        record(msg="This was a dry-run (flag -n). The order of jobs"),
        dryrun=True,
    )
    assert text.splitlines() == [
        *("mind this", "rule      jobs", "train        4", "reduce       1", "all          5", DRY)
    ]


NOTHING = "Nothing to be done (all requested files are present and up to date)."


@pytest.mark.parametrize(
    ("records", "asked", "text"),
    [
        ([TABLE, record(msg="This was a dry-run")], {"dryrun": True, "printshellcmds": True},
         "a long table\nThis was a dry-run\n"),
        ([TABLE, record(msg="This was a dry-run")], {"dryrun": True, "verbose": True},
         "a long table\nThis was a dry-run\n"),
        ([record(msg=NOTHING)], {"dryrun": True}, f"{NOTHING}\n"),
        ([record(msg="Report created."), record(LogEvent.ERROR, logging.ERROR, "a broken rule")], {},
         "Report created.\na broken rule\n"),
        ([TABLE, job(1)], {"quiet": {"all"}}, ""),
    ],
    ids=["every job", "verbose", "nothing to do", "no run", "quiet"],
)  # fmt: skip
def test_what_is_asked_for_is_passed_on_and_nothing_else(monkeypatch, records, asked, text):
    assert shown(monkeypatch, *records, **asked) == text


def test_a_defect_of_the_display_is_told_and_stops_nothing(monkeypatch):
    text = shown(monkeypatch, record(LogEvent.JOB_FINISHED), record(msg="goes on"))  # the first lacks the job's number
    assert "AttributeError" in text
    assert text.endswith("goes on\n")


def test_on_a_terminal_a_table_is_drawn_and_words_stay(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    text = shown(monkeypatch, TABLE, job(2), failure("2.log"), terminal=True)
    for word in ("stage", "train", "0/4", "reduce", "0/1", "0/5", "after 0 s"):
        assert word in text
    assert text.count("FAILED train after 0 s: 2.h5") == 2
