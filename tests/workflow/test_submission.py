"""The script that submits missing shards: local jobs end to end, what the workflow then finds, refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny

from aiq.cli.main import run
from aiq.cli.run import submit_shards
from aiq.execution import Place
from aiq.plans.run import Run
from aiq.run.keeping import Checkpoint, checkpoint_path
from aiq.run.upkeep.submission import KINDS, JobFailedError, MakeShard, missing, submit
from aiq.storage import hdf5

pytestmark = pytest.mark.workflow

SCRIPT = tiny.ROOT / "scripts" / "submit_shards.py"
RAW = tiny.tiny(training__epochs=4)
FEW = tiny.tiny(domains={"wine": tiny.TINY["domains"]["wine"]}, jobs__alone_per_job=4)
SHARD = "results/tiny/trials/digits/chunks-0000-0001.h5"


def script(folder: Path, raw: dict, *arguments: str) -> subprocess.CompletedProcess[str]:
    tiny.command(folder, raw)  # writes the configuration
    command = [sys.executable, str(SCRIPT), "tiny.yaml", *arguments]
    return subprocess.run(command, **tiny.how(folder), check=False, timeout=900)


def test_local_jobs_leave_what_the_rules_leave(tmp_path: Path):
    done = script(tmp_path / "local", FEW, "--cluster", "local", "--minutes", "5", "--every", "0")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(" done\n") == 4  # one of each kind
    tiny.make(tmp_path / "alone", FEW, only=set(every(FEW)))
    for path, (kind, fingerprint) in every(FEW).items():
        (ours, a), (theirs, b) = (
            hdf5.read(folder / path, kind, fingerprint) for folder in (tmp_path / "local", tmp_path / "alone")
        )
        assert (ours.kind, ours.fingerprint, ours.seed) == (theirs.kind, theirs.fingerprint, theirs.seed)
        assert tiny.same(tiny.numbers(a), tiny.numbers(b)), path
    planned = tiny.planned(tmp_path / "local", FEW)
    assert not planned.keys() & {
        *("prepare_domain", "measure_interface", "train_trials", "train_mixtures", "train_alone", "train_agents")
    }
    assert "build_space" in planned
    again = script(tmp_path / "local", FEW, "--cluster", "local")
    assert (again.returncode, again.stdout) == (0, "nothing to submit: every shard is complete\n")


def every(raw: dict) -> dict[str, tuple[str, str]]:
    run = Run.of(raw)
    return run.plan.shards()


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Run]:
    with tiny.inside(tmp_path):
        yield Run.of(RAW)


def test_missing_shards_are_found_and_leftovers_swept(prepared: Run, tmp_path: Path):
    first = missing(prepared)
    assert set(first) == {path for path, (kind, _) in prepared.plan.shards().items() if kind in KINDS}
    assert missing(prepared, ["agents"]) == [p for p in first if "/agents/" in p]
    assert all(Path(prepared.layout.domain(d)).exists() for d in RAW["domains"])
    (outcome,) = submit(RAW, Place("debug", "jobs"), [SHARD], every=0).outcomes()
    assert outcome[0] == SHARD
    assert outcome[1].error is None
    before = Path(SHARD).read_bytes()
    MakeShard(RAW, str(tmp_path), SHARD, 0.0)()  # requeued although it had finished
    assert Path(SHARD).read_bytes() == before
    assert "is complete already" in Path(prepared.layout.log_of(SHARD)).read_text()
    leftover = checkpoint_path(prepared, SHARD)
    Checkpoint(leftover, "x", 7, every=0)._write(dict)
    assert SHARD not in missing(prepared)
    assert not leftover.exists()


def test_what_a_person_can_mend_is_one_sentence(prepared: Run, tmp_path: Path):
    with pytest.raises(JobFailedError) as failed:  # the domain has not been prepared
        MakeShard(RAW, str(tmp_path), SHARD, 0.0)()
    assert str(failed.value).startswith("results/tiny/domains/digits.h5")
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cluster", "slrm"], "invalid value for '--cluster'"),
        (["--cluster", "slurm", "--minutes", "1.5"], "a job's time limit is 1.5 minutes, SLURM counts whole ones"),
        (["--cluster", "local", "--minutes", "0"], "it must be positive"),
        (["--cluster", "local", "--grace", "7200"], "jobs are told 7200 s before a limit of 3600 s"),
        (["--every", "-1"], "--every is -1, it must be at least 0"),
        (["--partiton", "x"], "no such option"),
    ],
)
def test_refusals(tmp_path: Path, arguments: list[str], sentence: str, capsys, monkeypatch):
    tiny.command(tmp_path, RAW)
    monkeypatch.chdir(tmp_path)
    assert run(submit_shards, ["tiny.yaml", *arguments], "submit_shards") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence.lower() in err.lower()
    assert err.count("\n") == 1
    assert not (tmp_path / "results").exists()
