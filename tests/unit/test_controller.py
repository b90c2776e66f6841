"""The lock of a results folder: a living controller is never taken over, a dead one is."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from aiq.errors import StorageError
from aiq.run import controller
from aiq.run.controller import Controller, ControllerError, Held, Process, check_gone, held, machine, read


def write(path: Path, found: Controller) -> None:
    path.write_text(json.dumps({**vars(found), "processes": [vars(one) for one in found.processes]}), encoding="utf-8")


def ours(*processes: Process) -> Controller:
    return Controller("t", os.uname().nodename, machine(), processes, "2026-01-01 00:00:00")


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "results" / "controller.json"


def nobody() -> None:
    raise AssertionError("the lock was lost")


def ended() -> Process:
    """A process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        return Process.of(process.pid)


def test_a_lock_is_held_and_released(lock: Path):
    assert check_gone(lock) is None
    with held(lock, nobody) as one:
        assert read(lock).processes == (Process.of(os.getpid()),)
        with pytest.raises(ControllerError, match=rf"process {os.getpid()} on .* works on these results"):
            check_gone(lock)
        with pytest.raises(ControllerError), held(lock, nobody):
            pass
        one.started(os.getppid())
        assert [process.pid for process in read(lock).processes] == [os.getpid(), os.getppid()]
    assert not lock.exists()


def test_a_controller_lives_as_long_as_one_of_its_processes(lock: Path):
    lock.parent.mkdir()
    write(lock, ours(ended(), Process.of(os.getpid())))
    with pytest.raises(ControllerError, match="wait for its end"):
        check_gone(lock)
    write(lock, ours(ended(), ended()))
    assert check_gone(lock) == read(lock)


def test_a_number_that_another_process_has_now_is_not_taken_for_it(lock: Path):
    lock.parent.mkdir()
    write(lock, ours(replace(Process.of(os.getpid()), started=1.0)))
    assert check_gone(lock) is not None


@pytest.mark.parametrize("elsewhere", [{"host": "another"}, {"machine": "pid:[1]"}])
def test_one_that_cannot_be_seen_lives_as_long_as_it_shows_signs_of_life(lock: Path, elsewhere):
    lock.parent.mkdir()
    write(lock, replace(ours(ended()), **elsewhere))
    with pytest.raises(ControllerError, match=r"last sign of life \d+ s ago"):
        check_gone(lock)
    long_ago = time.time() - controller.SILENT - 5
    os.utime(lock, (long_ago, long_ago))
    assert check_gone(lock) is not None


def test_what_a_dead_one_left_is_replaced(lock: Path):
    lock.parent.mkdir()
    write(lock, ours(ended()))
    with held(lock, nobody):
        assert read(lock).processes == (Process.of(os.getpid()),)


def test_of_two_starts_at_once_one_is_refused(lock: Path):
    first, second = Held(lock, nobody), Held(lock, nobody)
    first.begin(None)
    with pytest.raises(ControllerError, match="just begun"):
        second.begin(None)
    second.release()
    assert lock.exists()
    first.release()
    assert not lock.exists()


def test_signs_of_life_are_shown_and_a_loss_is_noticed(lock: Path):
    lost: list[int] = []
    one = Held(lock, lambda: lost.append(1), beat=0.02)
    one.begin(None)
    os.utime(lock, (0, 0))
    end = time.monotonic() + 10
    while lock.stat().st_mtime < 1 and time.monotonic() < end:
        time.sleep(0.01)
    assert lock.stat().st_mtime > 1
    write(lock, ours(Process.of(os.getpid())))
    while not lost and time.monotonic() < end:
        time.sleep(0.01)
    assert lost == [1]
    one.release()
    assert lock.exists()  # it is another's


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"host": 1}', "\x00"])
def test_a_file_that_says_nothing_is_refused_with_a_remedy(lock: Path, text: str):
    lock.parent.mkdir()
    lock.write_text(text, encoding="utf-8")
    with pytest.raises(StorageError, match="remove it"):
        check_gone(lock)
