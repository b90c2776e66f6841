"""What killed runs leave: unfinished files are removed when old, SLURM jobs cancelled when nobody watches them."""

import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import Aiq, refused

from aiq.cli.main import main
from aiq.execution.slurm import SchedulerError, find_orphans
from aiq.run.upkeep.audit import sweep

RUNS = [f"{k}a1b2c3d-dfbd-4f65-a1af-046bf532944c" for k in range(4)]
CONFIG = """
measure: anytime
name: t
seed: 1
results: r
test: {by: interactions, budget: 5}
repetitions: 1
classes: {cups: {family: cups}}
agents: {random: {kind: random}}
"""


# ---- unfinished files ----------------------------------------------------------------------------


def test_only_files_that_have_not_changed_for_long_are_removed(tmp_path: Path):
    old, young, gone = (tmp_path / name for name in (".a.h5.1-2.part", ".b.h5.1-2.part", ".c.h5.1-2.part"))
    for path in (old, young):
        path.write_bytes(b"x")
    os.utime(old, (0, time.time() - 3700))
    done = sweep([str(old), str(young), str(gone)])
    assert (done.removed, done.kept) == ((str(old),), (str(young),))
    assert sorted(p.name for p in tmp_path.iterdir()) == [young.name]
    assert sweep([str(young)], minutes=0).removed == (str(young),)


def test_the_verb_removes_them_on_request_alone(aiq: Aiq):
    left = Path("r/tests/cups/random/.tests-0000-0000.h5.1-2.part")
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    words = "1 unfinished files of killed jobs may be removed (--sweep)"
    assert words in aiq("shards", "c.yaml", c_yaml=CONFIG)[1]
    assert json.loads(aiq("shards", "c.yaml", "--sweep", "--json")[1])["kept"] == [str(left)]
    assert json.loads(aiq("shards", "c.yaml", "--sweep", "--older-than", "0", "--json")[1])["swept"] == [str(left)]
    assert not left.exists()
    refused(aiq("shards", "c.yaml", "--older-than", "0"), "--older-than says what --sweep removes")


# ---- SLURM jobs ----------------------------------------------------------------------------------


def command(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A working folder with logs of three runs; squeue and scancel are scripts; the log of run 3 is missing."""
    work, commands = tmp_path / "work", tmp_path / "bin"
    logs = work / ".snakemake" / "log"
    for place in (logs, commands, tmp_path / "other"):
        place.mkdir(parents=True)
    here, date = os.uname().nodename, time.localtime(time.time() - 1000)
    for run, host, k in zip(RUNS, (here, here, "login9"), range(3), strict=False):
        name = time.strftime(f"%Y-%m-%dT%H%M%S.00000{k}.snakemake.log", date)
        (logs / name).write_text(f"\nSNAKEMAKE\n  Host: {host}\n  User: me\nBuilding\nSLURM run ID: {run}\n")
    rows = [
        f"1|RUNNING|{RUNS[0]}|{work}|rule_train_trials_wildcards_a_b",
        f"2_7|PENDING|mine_{RUNS[0]}|{work}|",  # a name with a prefix, whose log says nothing about it
        f"3|RUNNING|{RUNS[1]}|{work}|x|y",
        f"4|RUNNING|{RUNS[2]}|{work}|x",
        f"5|RUNNING|{RUNS[3]}|{work}|x",
        f"6|RUNNING|{RUNS[0]}|{tmp_path / 'other'}|x",
        f"7|RUNNING|something else|{work}|x",
    ]
    (tmp_path / "queue.txt").write_text("\n".join(rows) + "\n")
    command(commands / "squeue", f'[ "$1" = --me ] && cat {tmp_path}/queue.txt')
    command(commands / "scancel", f'echo "$@" >> {tmp_path}/cancelled.txt')
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def process(tmp_path: Path, monkeypatch) -> Callable[..., None]:
    """What shows a process that was started some seconds ago; at first nothing of ours runs."""
    shown: list[SimpleNamespace] = []

    def show(number: int, words: list[str], cwd: Path, ago: float) -> None:
        told = {"pid": number, "cmdline": words, "cwd": str(cwd), "create_time": time.time() - ago}
        shown.append(SimpleNamespace(info=told))

    show(1, ["init"], tmp_path, 90_000)
    monkeypatch.setattr("psutil.process_iter", lambda attributes: shown)
    return show


def numbers(jobs) -> list[str]:
    return [job.number for job in jobs]


def test_jobs_whose_controller_is_gone_are_orphans(folder: Path, process):
    found = find_orphans()
    assert numbers(found.orphans) == ["1", "3"]
    assert found.orphans[1].comment == "x|y"
    assert {host: numbers(jobs) for host, jobs in found.elsewhere.items()} == {
        "login9": ["4"],
        "an unknown host": ["2_7", "5"],
    }
    assert found.watched == ()


@pytest.mark.parametrize(
    ("words", "ago", "watched"),
    [
        (["python", "-m", "snakemake", "--profile", "slurm"], 1010, ["1", "3"]),
        (["/env/bin/python", "/env/bin/snakemake"], 1010, ["1", "3"]),
        (["/env/bin/python", "/env/bin/snakemake"], 500, []),  # began after those runs: not theirs
        (["python", "-m", "snakemake", "--mode", "remote"], 1010, []),  # a job's own
        (["vim", "Snakefile"], 1010, []),
    ],
)
def test_jobs_of_a_living_controller_are_left_to_it(folder: Path, process, words, ago, watched):
    process(77, words, folder, ago)
    found = find_orphans()
    assert numbers(found.watched) == watched
    assert numbers(found.orphans) == ([] if watched else ["1", "3"])


def test_a_controller_of_another_folder_watches_nothing_here(folder: Path, process, tmp_path: Path):
    process(77, ["python", "-m", "snakemake"], tmp_path / "other", 2000)
    assert numbers(find_orphans().orphans) == ["1", "3"]


def test_the_verb_cancels_them_and_nothing_else(folder: Path, tmp_path: Path, capsys):
    Path("c.yaml").write_text(CONFIG)
    assert main(["shards", "c.yaml", "--json"]) == 1
    assert not (tmp_path / "cancelled.txt").exists()
    assert main(["shards", "c.yaml", "--cancel-orphans", "--json"]) == 1
    found = [json.loads(text) for text in capsys.readouterr().out.replace("}\n{", "}\0{").split("\0")][-1]
    assert found["cancelled"] == ["1", "3"]
    assert (tmp_path / "cancelled.txt").read_text() == "1 3\n"
    assert main(["shards", "c.yaml", "--cancel-orphans"]) == 1
    out = capsys.readouterr().out
    assert "2 orphaned SLURM jobs cancelled" in out
    assert "1 jobs were submitted from login9" in out


def test_without_slurm_or_with_a_broken_one_one_sentence_says_so(folder: Path, tmp_path: Path, monkeypatch, capsys):
    Path("c.yaml").write_text(CONFIG)
    command(tmp_path / "bin" / "squeue", "echo slurm_load_jobs error >&2; exit 1")
    assert main(["shards", "c.yaml", "--cancel-orphans"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "squeue failed with status 1 (slurm_load_jobs error)" in err
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SchedulerError, match="squeue is not found; call this on a machine from which jobs"):
        find_orphans()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    command(tmp_path / "bin" / "squeue", f"/bin/cat {tmp_path}/queue.txt")
    monkeypatch.setattr("psutil.PROCFS_PATH", str(tmp_path / "no-proc"))
    with pytest.raises(SchedulerError, match="processes cannot be seen"):
        find_orphans()
