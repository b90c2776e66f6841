"""What the doctor sees of a real SLURM, and what it makes of wrong profiles; arrays as long as it allows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cluster
import pytest
import tiny
import yaml

from aiq.cli.main import main
from aiq.execution import max_array_size
from aiq.execution import slurm as asking

pytestmark = pytest.mark.slurm

PROFILE = yaml.safe_load((tiny.ROOT / "profiles" / "slurm" / "config.v9+.yaml").read_text("utf-8"))


@pytest.fixture
def doctor(slurm: cluster.Cluster, tmp_path: Path, monkeypatch, capsys):
    """Call the verb on the tiny suite with changed profile settings; return its status and failed checks by name."""
    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(yaml.safe_dump(tiny.TINY, sort_keys=False), encoding="utf-8")
    Path("mine").mkdir()

    def call(changed: dict[str, Any] | None = None, **resources: Any) -> tuple[int, dict[str, str]]:
        found = PROFILE | {"default-resources": PROFILE["default-resources"] | resources} | (changed or {})
        Path("mine/config.v9+.yaml").write_text(yaml.safe_dump(found), encoding="utf-8")
        status = main(["doctor", "tiny.yaml", "--profile", "mine", "--json"])
        checks = json.loads(capsys.readouterr().out)["checks"]
        assert all(set(check) == {"name", "passed", "says"} for check in checks)
        return status, {check["name"]: check["says"] for check in checks if not check["passed"]}

    return call


def test_the_shipped_profile_is_well_and_nothing_is_submitted(doctor, slurm: cluster.Cluster):
    before = slurm.jobs()
    assert doctor() == (0, {})
    assert slurm.jobs() == before


def test_what_is_wrong_is_found_before_anything_is_submitted(doctor, slurm: cluster.Cluster):
    status, failed = doctor(slurm_partition="cpus")
    assert status == 1
    assert "cpus does not exist; this SLURM has cpu, gpu" in failed["partition cpus"]
    slurm.run("scontrol", "update", "PartitionName=cpu", "MaxTime=25")
    try:
        status, failed = doctor()
        assert (status, list(failed)) == (1, ["time in cpu"])
        assert "a limit of 25 minutes; set partition_minutes" in failed["time in cpu"]
        assert doctor(partition_minutes=25) == (0, {})
        slurm.run("scontrol", "update", "PartitionName=cpu", "State=DOWN")
        assert "cpu is down" in doctor()[1]["partition cpu"]
    finally:
        slurm.run("scontrol", "update", "PartitionName=cpu", "MaxTime=INFINITE", "State=UP")
    assert "SLURM refuses them" in doctor(constraint="nowhere")[1]["account"]


def test_polling_must_fit_the_age_of_jobs(doctor):
    assert doctor()[0] == 0
    status, failed = doctor({"slurm-init-seconds-before-status-checks": 150})
    assert (status, list(failed)) == (1, ["polling"])
    assert "MinJobAge is 300 s" in failed["polling"]
    assert doctor({"slurm-init-seconds-before-status-checks": 150, "slurm-status-command": "sacct"}) == (0, {})


def test_what_slurm_says_about_itself(slurm: cluster.Cluster):
    told = int(asking.settings()["MaxArraySize"])
    assert max_array_size() == told
    found = asking.partitions()
    assert set(found) == {"cpu", "gpu"}
    assert found["cpu"].default
    assert found["cpu"].megabytes == 200_000
    assert found["cpu"].gpus
