"""The SLURM of the tests is one: it runs jobs, gives out GPUs, ends what is too big or too long, keeps accounts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import cluster
import pytest

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


def submit(slurm: cluster.Cluster, folder: Path, script: str, *options: str) -> tuple[str, Path]:
    """Submit a Python script and return the job's id and what it will have printed."""
    out = folder / "out.txt"
    line = f"srun -n1 {sys.executable} -c '{script}'"
    return slurm.run("sbatch", "--parsable", f"--output={out}", *options, f"--wrap={line}").strip(), out


def ended(slurm: cluster.Cluster, job: str, seconds: float = 30) -> str:
    slurm.wait(
        lambda: slurm.jobs()[job] not in ("PENDING", "RUNNING", "COMPLETING"), f"job {job} does not end", seconds
    )
    return slurm.jobs()[job]


def test_a_job_gets_its_gpu_and_is_accounted_for(slurm: cluster.Cluster, tmp_path: Path):
    script = 'import os; print("devices", os.environ["CUDA_VISIBLE_DEVICES"])'
    job, out = submit(slurm, tmp_path, script, "--partition=gpu", "--gpus=2")
    assert ended(slurm, job) == "COMPLETED"
    assert "devices 0,1" in out.read_text("utf-8")
    slurm.wait(lambda: "COMPLETED" in slurm.run("sacct", "-X", "-n", "-o", "State", "-j", job), "no account", 60)
    with pytest.raises(cluster.ClusterError):
        submit(slurm, tmp_path, script, "--partition=gpu", "--gpus=3")


def test_a_job_beyond_its_memory_is_killed(slurm: cluster.Cluster, tmp_path: Path):
    script = "import time; kept = bytearray(400_000_000); kept[::4096] = bytes(97657); time.sleep(20)"
    job, out = submit(slurm, tmp_path, script, "--mem=100")
    assert ended(slurm, job) in ("FAILED", "OUT_OF_MEMORY")
    assert "memory" in out.read_text("utf-8").lower()


def test_a_second_instance_does_not_touch_the_first(slurm: cluster.Cluster, tmp_path: Path):
    job, _ = submit(slurm, tmp_path, "import time; time.sleep(60)")
    slurm.wait(lambda: slurm.jobs()[job] == "RUNNING", "the job does not start", 60)
    other = cluster.Cluster(tmp_path / "s")
    try:
        other.start()
        assert other.jobs() == {}
        assert other.node != slurm.node
    finally:
        other.stop()
    assert other.processes() == []
    assert not (tmp_path / "s").exists()
    assert slurm.jobs()[job] == "RUNNING"
    assert list(Path("/sys/fs/cgroup").glob(f"*/slurm_{slurm.node}")) or slurm.memory_limits == "polling"


def test_where_none_can_run_the_reason_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(cluster, "which", lambda name: None)
    assert "slurmctld" in cluster.missing()
    assert cluster.missing().endswith("as root, python tests/slurm/cluster.py install")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "needs root" in cluster.missing()
    with pytest.raises(cluster.ClusterError, match="needs root and apt-get"):
        cluster.install()
