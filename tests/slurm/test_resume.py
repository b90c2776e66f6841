"""``aiq run --resume`` on a real SLURM: one command after the controller was killed and shards were damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import cluster
import pytest
import runs
import tiny

from changes import flip

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.workflow]

RULE = "train_agents"


def command(folder: Path, *words: str) -> list[str]:
    """Return ``aiq run`` on the tiny suite through the SLURM profile, for the scores and what they need."""
    return runs.aiq_run(folder, [runs.SCORES], *words)


def test_a_killed_controller_and_damaged_shards_are_mended_by_one_command(
    slurm: cluster.Cluster, half: Path, quiet: Path
):
    """Of two agents' shards one is being made when the controller dies; others are cut, flipped and foreign then."""
    tiny.command(half, tiny.TINY)
    runs.order(half, RULE, "start", "hang")
    first = runs.Controller(half, tiny.TINY, command=command(half))
    job = runs.taken(half, RULE, first)["job"]
    refused = subprocess.run(command(half, "--resume"), cwd=half, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert "works on these results" in refused.stderr
    assert slurm.jobs()[job] == "RUNNING"
    left = runs.submitted(first)
    first.kill()
    assert slurm.jobs()[job] == "RUNNING"  # nobody watches it any more

    truncated, flipped = runs.agents_shard(half, "noisy"), "results/tiny/trials/wine/chunks-0000-0001.h5"
    os.truncate(half / truncated, 1000)
    flip(half / flipped)
    shutil.rmtree(half / "orders")
    before = tiny.files(half)

    second = runs.Controller(half, tiny.TINY, command=command(half, "--resume"))
    assert second.wait() == 0, second.text
    assert slurm.jobs()[job] == "CANCELLED"
    assert "SLURM jobs that the last controller left" in second.text
    assert "unlocking the folder" in second.text
    assert "2 files are corrupt and made again" in second.text
    runs.assert_same(half, quiet, tiny.TINY)
    audit = runs.audit(half)
    assert audit["corrupt"] == audit["missing"] == audit["stale"] == []
    after, shards = tiny.files(half), set(audit["complete"])
    made_again = {name for name in before if name in shards and after[name] != before[name]}
    assert made_again <= {truncated, flipped}
    assert not set(runs.submitted(second)) & set(left)
    assert not (half / "results" / "tiny" / "controller.json").exists()
