"""What tests start ends with them, however they end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
CONFTEST = f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
import watchdog

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        watchdog.start()
"""
A_TEST = """
import os, pathlib, signal, subprocess, sys, time

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(100)"

def test_that_starts_daemons():
    here = pathlib.Path(__file__).parent
    daemons = [
        subprocess.Popen([sys.executable, "-c", DEAF], start_new_session=True),
        subprocess.Popen(["sh", "-c", "sleep 99 & echo $! > orphan; exec sleep 99"], cwd=here, start_new_session=True),
    ]
    while not (here / "orphan").exists() or not (here / "orphan").read_text().strip():
        time.sleep(0.05)
    pids = [os.getpid(), *(daemon.pid for daemon in daemons), int((here / "orphan").read_text())]
    (here / "pids.part").write_text(" ".join(map(str, pids)))
    (here / "pids.part").rename(here / "pids")
    time.sleep(100)
"""


def runs(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere nothing is watched")
@pytest.mark.parametrize(
    ("number", "shared"),
    [(signal.SIGINT, ()), (signal.SIGTERM, ("-n", "1")), (signal.SIGKILL, ()), (signal.SIGKILL, ("-n", "1"))],
    ids=["interrupted", "ended and shared", "killed", "killed and shared"],
)
def test_daemons_of_a_test_end_with_pytest(number: signal.Signals, shared: tuple[str, ...], tmp_path: Path):
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_daemons.py").write_text(A_TEST, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *shared, str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    with subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert until((tmp_path / "pids").exists, 60)
        pids = [int(word) for word in (tmp_path / "pids").read_text("utf-8").split()]
        assert len(pids) == 4
        assert all(runs(pid) for pid in pids)
        process.send_signal(number)
        process.wait(60)
    assert until(lambda: not any(runs(pid) for pid in pids), 20), [pid for pid in pids if runs(pid)]
