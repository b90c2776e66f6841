"""A SLURM for tests: started once for a process of pytest, calmed after each test, stopped at the end."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))  # the tiny suite

import cluster
import runs
import tiny

import sharing

MUST_RUN = os.environ.get("CI", "").lower() in ("1", "true")


@pytest.fixture(scope="session")
def running_slurm() -> Iterator[cluster.Cluster]:
    """The process's own SLURM; ``slurm`` is what tests ask for."""
    reason = cluster.missing()
    if reason is not None and not MUST_RUN:
        pytest.skip(reason)
    with Path(tempfile.gettempdir(), "aiq-slurm-install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process installs, the others wait
        if cluster.missing() is not None:
            cluster.install()
    folder = Path(tempfile.mkdtemp(prefix="aiq-slurm-", dir="/tmp"))
    slurm = cluster.Cluster(folder)
    try:
        slurm.start()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in slurm.environment.items():
                patch.setenv(name, value)
            yield slurm
    finally:
        slurm.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def slurm(running_slurm: cluster.Cluster) -> Iterator[cluster.Cluster]:
    """A real single-node SLURM, idle before and after the test, that ``sbatch`` and its kin find by themselves.

    ``SLURM_CONF`` and ``PATH`` are set in ``os.environ``, so child processes, submitit and Snakemake's plugin use it.
    It has partitions ``cpu`` and ``gpu``, 4 CPUs (whatever the machine has), 200 GB of memory on paper (limits of
    jobs are enforced), two devices that look like GPUs (``--gpus``), accounting (``sacct`` answers), KillWait 1 s.
    ``slurm.run("scancel", …)`` runs a client and returns its text, ``slurm.jobs()`` is job id -> state,
    ``slurm.job(id)`` what ``scontrol show job`` says, ``slurm.wait(condition, else_say, seconds)`` waits.

    Where no SLURM can be started the test is skipped with the command that installs one; in CI it is installed.
    Mark tests that use it ``@pytest.mark.slurm``. Every process of pytest has a SLURM of its own (3 s to start),
    so that a test may break it.
    """
    yield running_slurm
    runs.end_all()
    running_slurm.calm()


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny suite made in this process without any fault: what every disturbed run must equal."""
    return sharing.made_once(tmp_path_factory, "alone", lambda folder: tiny.make(folder, tiny.TINY))


@pytest.fixture
def half(quiet: Path, tmp_path: Path) -> Path:
    """A run that got as far as the agents: the shard of one domain and the scores are missing."""
    return runs.copy_without(quiet, tmp_path / "run", [runs.agents_shard(quiet, "wine"), runs.SCORES])
