"""Signals are noted, obeyed once something is kept, and what the job does then."""

import logging
import os
import signal
import stat
import threading
import time
from pathlib import Path

import pytest

from aiq.run import keeping as interruption
from aiq.run.keeping import Checkpoint, listening


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside SLURM."""
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


def scontrol(folder: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> Path:
    """Put a scontrol in the path that notes what it is told; return where."""
    told = folder / "told"
    program = folder / "scontrol"
    program.write_text(f'#!/bin/sh\necho "$@" >> {told}\necho said >&2\nexit {status}\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "12")
    return told


def test_a_signal_waits_for_a_checkpoint_which_is_written_at_once(tmp_path: Path, nowhere, caplog):
    with caplog.at_level(logging.INFO, "aiq"), listening() as heard:
        checkpoint = Checkpoint(tmp_path / "c.h5", "shard", 7, every=1000, interruption=heard)
        checkpoint._write(dict)
        assert not (tmp_path / "c.h5").exists()
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(SystemExit) as left:
            checkpoint._write(dict)
    assert left.value.code == 128 + signal.SIGTERM
    assert (tmp_path / "c.h5").exists()
    assert f"SIGTERM: what was reached is kept in {tmp_path / 'c.h5'}" in caplog.text
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@pytest.mark.parametrize("number", [signal.SIGURG, signal.SIGUSR1])
def test_a_warning_outside_slurm_keeps_and_goes_on(tmp_path: Path, nowhere, number):
    with listening() as heard:
        checkpoint = Checkpoint(tmp_path / "c.h5", "shard", 7, every=1000, interruption=heard)
        os.kill(os.getpid(), number)
        checkpoint._write(dict)
        assert heard.asked is None
    assert (tmp_path / "c.h5").exists()


@pytest.mark.parametrize(("array", "words"), [({}, "requeue 12"), ({"ARRAY_JOB_ID": "9", "ARRAY_TASK_ID": "3"}, "9_3")])
def test_a_warning_on_slurm_puts_the_job_back_into_the_queue(tmp_path: Path, monkeypatch, array, words):
    told = scontrol(tmp_path, monkeypatch, 0)
    for name, value in array.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    with listening() as heard:
        os.kill(os.getpid(), signal.SIGURG)
        with pytest.raises(SystemExit):
            heard.end(tmp_path)
    assert words in told.read_text()


def test_where_slurm_refuses_or_nothing_is_kept_the_job_goes_on(tmp_path: Path, monkeypatch, caplog):
    told = scontrol(tmp_path, monkeypatch, 1)
    with listening() as heard:
        os.kill(os.getpid(), signal.SIGURG)
        heard.end(None)
        assert not told.exists()
        os.kill(os.getpid(), signal.SIGURG)
        heard.end(tmp_path)
    assert told.exists()
    assert "does not put the job back into its queue (said); it goes on" in caplog.text


def test_the_end_outweighs_a_warning(nowhere):
    with listening() as heard:
        for number in (signal.SIGURG, signal.SIGTERM, signal.SIGURG):
            os.kill(os.getpid(), number)
        assert heard.asked == signal.SIGTERM
        with pytest.raises(SystemExit):  # whoever asks twice does not want to wait
            os.kill(os.getpid(), signal.SIGTERM)


def test_the_handler_of_somebody_else_is_called_once_something_is_kept_or_after_a_while(monkeypatch):
    called = []
    monkeypatch.setattr(interruption, "LOGGER", logging.getLogger("quiet"))
    before = signal.signal(signal.SIGUSR2, lambda number, frame: called.append(number))
    try:
        with listening(patience=30) as heard:
            os.kill(os.getpid(), signal.SIGUSR2)
            assert (heard.asked, called) == (signal.SIGUSR2, [])
            heard.end(None)
            assert called == [signal.SIGUSR2]
        with listening(patience=0.05):
            os.kill(os.getpid(), signal.SIGUSR2)
            time.sleep(0.2)
            assert len(called) == 2
        os.kill(os.getpid(), signal.SIGUSR2)
        assert len(called) == 3
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_beside_the_main_thread_nothing_is_heard():
    found = []

    def look() -> None:
        with listening() as heard:
            found.append((heard.asked, signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [(None, signal.SIG_DFL)]


def squeue(folder: Path, monkeypatch: pytest.MonkeyPatch, left: str) -> None:
    """Put a squeue in the path that tells the time left."""
    (folder / "squeue").write_text(f"#!/bin/sh\necho {left}\n", encoding="utf-8")
    (folder / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "12")


@pytest.mark.parametrize(
    ("left", "least", "moment"),
    [("10:00", 0, 480), ("10:00", 500, 500), ("1:30", 300, 85), ("1-00:00:00", 0, 86_280), ("UNLIMITED", 0, None),
     ("INVALID", 0, None)],
)  # fmt: skip
def test_a_job_of_slurm_knows_when_its_time_is_nearly_up(tmp_path: Path, monkeypatch, left, least, moment):
    """It looks twice a minute, in gaps of one second; it asks for its limit at the first time it may."""
    squeue(tmp_path, monkeypatch, left)
    now = [0.0]
    monkeypatch.setattr(interruption.time, "monotonic", lambda: now[0])
    heard = interruption.Interruption(ahead=120, least=least)
    for second in range(90_000):
        now[0] = float(second)
        heard.look(ask=True)
        if heard.asked:
            break
    assert (second if heard.asked else None) == (None if moment is None else moment + 1)
    heard.asked = None
    heard.look(ask=True)
    assert heard.asked is None  # once


def test_a_job_whose_moments_are_far_apart_ends_in_time(tmp_path: Path, monkeypatch):
    squeue(tmp_path, monkeypatch, "10:00")
    now = [0.0]
    monkeypatch.setattr(interruption.time, "monotonic", lambda: now[0])
    heard = interruption.Interruption(ahead=120)
    while not heard.asked:
        now[0] += 100.0
        heard.look(ask=True)
    assert now[0] == 500  # asked at 100, so the limit is at 700: 400 is three gaps before


def test_outside_slurm_or_before_it_may_ask_nothing_is_looked_up(tmp_path: Path, nowhere, monkeypatch):
    monkeypatch.setattr(interruption, "_seconds_left", lambda: 0.0)
    heard = interruption.Interruption(ahead=120)
    heard.look(ask=True)
    assert heard.asked is None
    monkeypatch.setenv("SLURM_JOB_ID", "12")
    for heard, ask in ((interruption.Interruption(), True), (interruption.Interruption(ahead=120), False)):
        heard.look(ask=ask)
        assert heard.asked is None
