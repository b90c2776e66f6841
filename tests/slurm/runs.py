"""Runs of the tiny suite through the SLURM profile: started, watched, disturbed by orders, compared."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import tiny
import yaml

from aiq.plans.run import Run
from aiq.storage import hdf5

PROFILE = tiny.ROOT / "profiles" / "slurm" / "config.v9+.yaml"
QUICK = {"slurm-init-seconds-before-status-checks": 1, "max-status-checks-per-second": 10, "latency-wait": 5}
FAULTY = Path(__file__).resolve().parent / "faulty"
LEAN = Path(__file__).resolve().parents[1] / "lean"
SCORES = "results/tiny/scores.h5"


def quick_profile(folder: Path) -> Path:
    """Write the shipped profile with shorter waits, nothing else changed; return its folder."""
    profile = folder / "quick"
    profile.mkdir(parents=True, exist_ok=True)
    content = yaml.safe_load(PROFILE.read_text("utf-8")) | QUICK
    (profile / "config.v9+.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return profile


def aiq_run(folder: Path, targets: Sequence[str], *words: str, options: Sequence[str] = ()) -> list[str]:
    """Return ``aiq run`` on the tiny suite through the SLURM profile, for some files and what they need.

    Args:
        folder: where the run's results lie.
        targets: the files.
        words: further words of ``aiq run``.
        options: further words for Snakemake.
    """
    start = [sys.executable, "-m", "aiq.cli", "run", "tiny.yaml", "--no-report"]
    return [*start, "--profile", str(quick_profile(folder)), *words, "--", "--nocolor", *options, "--", *targets]


class Controller:
    """A Snakemake process that submits the jobs of a run to SLURM, with its output in a file.

    Args:
        folder: where the run's results lie.
        raw: the configuration.
        arguments: further words, such as targets.
        command: another command than Snakemake's own.
    """

    started: ClassVar[list[Controller]] = []

    def __init__(self, folder: Path, raw: Mapping[str, Any], *arguments: str, command: list[str] | None = None) -> None:
        self.folder, self.orders = folder, folder / "orders"
        self.orders.mkdir(exist_ok=True)
        if command is None:
            command = tiny.command(folder, raw, "--profile", str(quick_profile(folder)), *arguments)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "400", "AIQ_TEST_ORDERS": str(self.orders)}
        environment["AIQ_TEST_STATUS_SECONDS"] = "0.5"
        paths = [str(FAULTY), str(LEAN), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self.log = folder / f"controller-{time.monotonic_ns()}.log"
        self._logs, self._before = folder / ".snakemake" / "log", set(folder.glob(".snakemake/log/*.log"))
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
            )

        self.started.append(self)

    @property
    def text(self) -> str:
        """What it printed so far."""
        return self.log.read_text("utf-8", "replace")

    @property
    def complete_log(self) -> str:
        """What Snakemake wrote into its own log so far: the first that appeared after the start."""
        logs = sorted(set(self._logs.glob("*.log")) - self._before)
        return logs[0].read_text("utf-8", "replace") if logs else ""

    def wait(self, seconds: float = 900) -> int:
        """Wait for its end and return its exit status."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the run does not end within {seconds:.0f} s:\n{self.text}") from None

    def kill(self) -> None:
        """Kill it as ``kill -9`` does: nothing of it can react."""
        tiny.kill_session(self.process.pid)
        self.process.wait()


def agents_shard(folder: Path, domain: str) -> str:
    """Return the one shard of agents of a domain."""
    (path,) = sorted((folder / "results" / "tiny" / "agents" / domain).glob("*.h5"))
    return str(path.relative_to(folder))


def end_all() -> None:
    """Kill every controller that a failed test left running."""
    while Controller.started:
        controller = Controller.started.pop()
        if controller.process.poll() is None:
            controller.kill()


def order(folder: Path, rule: str, moment: str, action: str) -> None:
    """Let the next job of a rule do something at a moment; see ``faulty/sitecustomize.py``."""
    orders = folder / "orders"
    orders.mkdir(exist_ok=True)
    (orders / f"{rule}.{moment}.{action}").touch()


def taken(folder: Path, rule: str, controller: Controller, action: str = "hang") -> dict[str, Any]:
    """Wait until a job carries out the order; return its ``pid`` and SLURM ``job``."""
    path, end = folder / "orders" / f"{rule}.{action}.taken", time.monotonic() + 300
    while not path.exists():
        assert controller.process.poll() is None, controller.text
        assert time.monotonic() < end, controller.text
        time.sleep(0.05)
    return json.loads(path.read_text("utf-8"))


def go(folder: Path, rule: str) -> None:
    """Let hanging jobs of a rule go on."""
    (folder / "orders" / f"{rule}.go").touch()


def submitted(controller: Controller) -> list[str]:
    """Return the SLURM ids of the jobs that a controller submitted so far, in that order."""
    return re.findall(r"has been submitted with SLURM jobid (\d+)", controller.complete_log)


def megabytes(job: Mapping[str, str]) -> float:
    """Return the memory that a job asked for, from what ``scontrol`` says of it."""
    amount, unit = re.fullmatch(r"([\d.]+)([MGT]?)", job["MinMemoryNode"]).groups()
    return float(amount) * {"": 1, "M": 1, "G": 1024, "T": 1024**2}[unit]


def audit(folder: Path, *options: str) -> dict[str, Any]:
    """Return what ``aiq shards`` finds, and with options does, in a run."""
    command = [sys.executable, "-m", "aiq.cli", "shards", "tiny.yaml", "--json", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


# ---- what came out -------------------------------------------------------------------------------


def contents(folder: Path, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of every stored shard and result of a run, times aside; each file is validated."""
    run, found = Run.of(raw), {}
    with tiny.inside(folder):
        kinds = {path: kind for path, (kind, _) in {**run.plan.shards(), **run.plan.results()}.items()}
        for path in sorted(Path(run.configuration.results).rglob("*.h5")):
            kind = kinds.get(str(path)) or _kind(str(path))
            found[str(path)] = tiny.numbers(hdf5.read(path, kind)[1])
    return found


def _kind(path: str) -> str:
    """Return the kind of a result: the name of its file, or of its folder where each domain has one."""
    inner = Path(path)
    return inner.stem if inner.parent.parent.name == "results" else inner.parent.name


def assert_same(folder: Path, quiet: Path, raw: Mapping[str, Any]) -> None:
    """Assert that a run holds every file of an undisturbed one, with exactly its numbers."""
    ours, theirs = contents(folder, raw), contents(quiet, raw)
    assert sorted(ours) == sorted(theirs), set(ours) ^ set(theirs)
    assert [path for path in theirs if not tiny.same(ours[path], theirs[path])] == []


def until(condition: Callable[[], bool], else_say: str, seconds: float = 120) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, else_say
        time.sleep(0.1)


def copy_without(quiet: Path, folder: Path, paths: list[str]) -> Path:
    """Copy a finished run without some of its files, as if it had got so far."""
    shutil.copytree(quiet, folder)
    for path in paths:
        (folder / path).unlink()
    return folder
