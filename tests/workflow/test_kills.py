"""Jobs that are killed or told to end at random moments go on, and leave the numbers of jobs that were left alone."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import tiny
import tiny_control

import sharing
from aiq.plans.run import Run
from aiq.storage import hdf5

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

DQN = {**tiny_control.DQN, "steps": 6000, "evaluation": {"every": 2000, "episodes": 2, "final_episodes": 4}}
RAW = tiny_control.control(
    domains={name: tiny_control.CONTROL["domains"][name] for name in ("normal", "weak")},
    training=DQN,
    agents__outside=[],
    jobs__checkpoint_seconds=0,
)
SHARD = "results/control/trials/normal/chunks-0000-0001.h5"
CHECKPOINT = "results/control/checkpoints/trials/normal/chunks-0000-0001.h5"
LOG = "results/control/logs/trials/normal/chunks-0000-0001.log"
GOES_ON = "goes on where it was interrupted"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prepared domains, and the shard made without interruption."""

    def make(folder: Path) -> None:
        work = tiny.jobs(Run.of(RAW))
        with tiny.inside(folder):
            for path in [p for p in work if "/domains/" in p or p.endswith("interface.h5")] + [SHARD]:
                work[path]()

    return sharing.made_once(tmp_path_factory, "kills", make)


def prepared(whole: Path, folder: Path) -> None:
    """Copy all but the shard."""
    for path in whole.rglob("*.h5"):
        if str(path.relative_to(whole)) != SHARD:
            (folder / path.relative_to(whole)).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.relative_to(whole)).write_bytes(path.read_bytes())


def disturb(
    root: int, job: str, folder: Path, how: list[signal.Signals], stop: threading.Event, done: list[str]
) -> None:
    """Send the job below a process one signal after another, each a random while after a new checkpoint."""
    checkpoint = folder / CHECKPOINT
    rng, seen = random.Random(4), checkpoint.stat().st_mtime if checkpoint.exists() else 0.0
    while how and not stop.is_set() and psutil.pid_exists(root):
        time.sleep(0.02)
        try:
            now = checkpoint.stat().st_mtime
            jobs = [p for p in psutil.Process(root).children(recursive=True) if re.search(job, " ".join(p.cmdline()))]
        except (FileNotFoundError, psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        if not jobs or now <= seen:
            continue
        time.sleep(rng.uniform(0, 0.4))
        try:
            jobs[-1].send_signal(how[0])
            jobs[-1].wait(20)
        except (psutil.NoSuchProcess, psutil.TimeoutExpired):
            continue
        done.append(how.pop(0).name)
        seen = checkpoint.stat().st_mtime if checkpoint.exists() else now


def disturbed(command: list[str], folder: Path, job: str, *how: signal.Signals) -> tuple[int, str]:
    """Run a command while its job is disturbed; return its status and what it said."""
    done: list[str] = []
    stop = threading.Event()
    with subprocess.Popen(command, **tiny.how(folder)) as process:
        told = (process.pid, job, folder, list(how), stop, done)
        thread = threading.Thread(target=disturb, args=told)
        thread.start()
        said, _ = process.communicate(timeout=300)
        stop.set()
        thread.join()
    assert len(done) == len(how), said
    return process.returncode, said


def same(whole: Path, folder: Path) -> bool:
    kind, fingerprint = Run.of(RAW).plan.shards()[SHARD]
    ours, theirs = (hdf5.read(place / SHARD, kind, fingerprint)[1] for place in (folder, whole))
    return tiny.same(tiny.numbers(ours), tiny.numbers(theirs))


def test_through_snakemake(whole: Path, tmp_path: Path):
    """A kill, a request to end, and a kill, each followed by another attempt; then nothing is left to do."""
    prepared(whole, tmp_path)
    command = tiny.command(tmp_path, RAW, "--cores", "1", "--retries", "6", SHARD)
    how = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL)
    status, said = disturbed(command, tmp_path, r"tmp\w+\.do_job\.py", *how)
    assert status == 0, said
    assert same(whole, tmp_path)
    assert GOES_ON in (tmp_path / LOG).read_text()  # of the last attempt
    assert not (tmp_path / CHECKPOINT).exists()


def test_through_submitted_jobs(whole: Path, tmp_path: Path):
    """A killed job fails, and the next call goes on; one that is told to end keeps what it has and is called again."""
    prepared(whole, tmp_path)
    tiny.command(tmp_path, RAW)  # writes the configuration
    script = [sys.executable, str(tiny.ROOT / "scripts" / "submit_shards.py"), "tiny.yaml", "--kind", "trials"]
    command = [*script, "--cluster", "local", "--parallel", "1", "--minutes", "20"]
    job = r"submitit\.core\._submit"
    status, said = disturbed(command, tmp_path, job, signal.SIGKILL)
    assert status == 1, said
    status, said = disturbed(command, tmp_path, job, signal.SIGUSR2)
    assert status == 0, said
    assert same(whole, tmp_path)
    log = (tmp_path / LOG).read_text()
    assert log.count(GOES_ON) == 2
    assert "SIGUSR2: what was reached is kept in" in log
    assert not (tmp_path / CHECKPOINT).exists()


@pytest.mark.parametrize("place", ["elsewhere", "~/kept"])
def test_checkpoints_lie_where_the_configuration_says(whole: Path, tmp_path: Path, place: str, monkeypatch):
    from aiq.run.keeping import checkpoint_path, keeping
    from aiq.run.training.trials import train_trials

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    prepared(whole, tmp_path)
    run = Run.of({**RAW, "jobs": {**RAW["jobs"], "checkpoints": place}})
    kind, fingerprint = run.plan.shards()[SHARD]
    expected = (tmp_path / "elsewhere" if place == "elsewhere" else tmp_path / "home" / "kept") / "control"
    with tiny.inside(tmp_path):
        with keeping(run, kind, SHARD, fingerprint) as kept:
            train_trials(run, "normal", 0, 1, run.layout.domain("normal"), SHARD, Watched(kept, expected))
        assert checkpoint_path(run, SHARD).resolve() == (expected / "trials/normal/chunks-0000-0001.h5").resolve()
        assert not list(expected.rglob("*.h5"))
        assert not Path("results/control/checkpoints").exists()
    assert same(whole, tmp_path)


class Watched:
    """A keeper that looks whether the checkpoint is where it is expected."""

    def __init__(self, kept: Any, folder: Path) -> None:
        self.kept, self.folder = kept, folder

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kept, name)

    def keep(self, name: str, unit: Any) -> None:
        self.kept.keep(name, unit)
        assert list(self.folder.rglob("*.h5"))
