"""``aiq run``: the checks, Snakemake, the table and the report by one command; after an accident it goes on."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiny
import tiny_anytime
import yaml
from tiny import aiq

from aiq.cli.main import main
from aiq.plans.run import Run
from aiq.run import resume
from aiq.run.resume import redone
from changes import changed, flip

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PLACE = "results/tiny"
KEPT = ("domains", "trials", "mixtures", "alone", "agents")
ANYTIME = changed(tiny_anytime.TINY, results="results/any", classes={"cups": {"family": "cups"}})


def refused(folder: Path, capfd: pytest.CaptureFixture[str], *words: str) -> subprocess.CompletedProcess[str]:
    """Call ``aiq run`` in this process, where it is refused before anything starts."""
    capfd.readouterr()
    with tiny.inside(folder):
        status = main(["run", *words])
    return subprocess.CompletedProcess(words, status, *capfd.readouterr())


def write(folder: Path, raw: dict, name: str = "tiny.yaml") -> str:
    (folder / name).write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    return name


def one_sentence(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """It was refused: one line on standard error, nothing on standard output, status 2."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    for word in words:
        assert word in done.stderr


def test_a_finished_run_is_told_again_and_nothing_is_made(copied: Path):
    before = tiny.files(copied)
    done = aiq(copied, "tiny.yaml", "--json", "--cores", "1")
    assert done.returncode == 0, done.stderr
    assert "Nothing to be done" in done.stderr
    found = json.loads(done.stdout)
    assert list(found) == ["results", "report", "agents"]
    assert (found["results"], found["report"]) == (PLACE, f"{PLACE}/report.html")
    assert [agent["agent"] for agent in found["agents"]] == ["large", "small"]
    report = (copied / PLACE / "report.html").read_text(encoding="utf-8")
    figures = [figure.name for figure in (copied / PLACE / "figures").glob("*.png")]
    assert len(figures) > 10
    assert [name for name in figures if f"{PLACE}/figures/{name}" not in report] == []
    after = tiny.files(copied)
    assert {name: after[name] for name in before} == before
    assert not (copied / PLACE / "controller.json").exists()
    written = (copied / PLACE / "report.html").stat().st_mtime_ns
    assert aiq(copied, "tiny.yaml", "--cores", "1").returncode == 0
    assert (copied / PLACE / "report.html").stat().st_mtime_ns == written  # nothing new to report


def test_a_dry_run_is_one_json_object_too(tmp_path: Path):
    write(tmp_path, ANYTIME, "any.yaml")
    done = aiq(tmp_path, "any.yaml", "--json", "--", "-n")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"results": "results/any", "report": None, "agents": []}
    assert "This was a dry-run" in done.stderr
    assert re.search(r"^administer_anytime +2$", done.stderr, re.M)


def test_a_dry_run_whose_reader_leaves_ends_quietly(tmp_path: Path):
    write(tmp_path, ANYTIME, "any.yaml")
    end, to = os.pipe()
    os.close(end)
    command = [sys.executable, "-m", "aiq.cli", "run", "any.yaml", "--", "-n"]
    done = subprocess.run(command, cwd=tmp_path, stdout=to, stderr=subprocess.PIPE, text=True, check=False)
    os.close(to)
    assert done.returncode == 1
    assert "Error" not in done.stderr
    assert "error" not in done.stderr
    assert done.stderr.count("\n") < 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cores", "0"), "--cores is '0'"),
        (("--coers", "2"), "--coers"),
        (("--", "-n", "--foo"), "unrecognized arguments: --foo"),
        (("--", "-n", "--config", "measure=[1]"), "measure is [1]"),
        (("--", "-n", "--config", "results=x{y}*"), "results is 'x{y}*'"),
    ],
)
def test_a_wrong_call_also_of_snakemake_is_one_sentence(tmp_path: Path, capfd, words: tuple[str, ...], said: str):
    write(tmp_path, ANYTIME, "any.yaml")
    one_sentence(refused(tmp_path, capfd, "any.yaml", *words), said)


def test_what_is_wrong_with_a_configuration_is_told_before_anything_runs_also_by_hand(copied: Path, capfd):
    """``aiq run``, ``aiq run -- -n`` and ``snakemake -n`` say the same."""
    raw = tiny.tiny(domains__mine={"source": "npz", "path": "nowhere.npz"}, results="results/new")
    write(copied, raw, "wrong.yaml")
    done, dry = (refused(copied, capfd, "wrong.yaml", *words) for words in ((), ("--", "-n")))
    one_sentence(done, "domain mine: there is no NumPy archive at", "nowhere.npz")
    assert dry.stderr == done.stderr
    by_hand = tiny.snakemake(copied, raw, "-n", name="wrong.yaml")
    assert by_hand.returncode == 1
    assert done.stderr.removeprefix("aiq: ") in by_hand.stdout
    assert not (copied / "results" / "new").exists()
    unlocking = tiny.snakemake(copied, raw, "--unlock", name="wrong.yaml")
    assert unlocking.returncode == 0, unlocking.stdout


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({"seed": 8}, {"domains": 3, "trials": 3, "agents": 3, "mixtures": 3, "alone": 6}),
        ({"training__epochs": 3}, {"trials": 3, "agents": 3, "mixtures": 3, "alone": 6}),
        ({"pool__policies_per_chunk": 8}, {"trials": 3}),
        ({"domains__noisy__noise": 0.4}, {"domains": 1, "trials": 1, "agents": 1, "mixtures": 2, "alone": 2}),
        ({"pool__size": 12}, {}),
        ({"agents__repetitions": 3}, {}),
        ({"jobs__chunks_per_job": 1}, {}),
        ({"complexity__resamples": 50}, {}),
        ({"domains__more": {"source": "sklearn", "name": "breast_cancer", "limit": 80}}, {}),
    ],
)
def test_what_would_be_made_anew_is_counted_by_stage(alone: Path, changes, counts):
    """Growing redoes nothing; a shard of mixtures is counted whole if one of its pairs is made anew."""
    with tiny.inside(alone):
        found = redone(Run.of(tiny.tiny(**changes)))
    assert {stage.name: stage.anew for stage in found.stages} == counts


def test_finished_work_is_made_anew_only_when_a_person_agrees(copied: Path, capfd):
    before = tiny.files(copied)
    write(copied, tiny.tiny(agents__training=tiny.TINY["training"] | {"epochs": 3}), "other.yaml")
    anew = "3 of 3 agents, which took 27 s of jobs"
    one_sentence(refused(copied, capfd, "other.yaml", "--cores", "1"), anew, "--yes", "another folder")
    one_sentence(refused(copied, capfd, "other.yaml", "--resume"), anew, "--yes")
    assert tiny.files(copied) == before
    with tiny.inside(copied):
        assert main(["shards", "other.yaml"]) == 1
    assert "aiq run other.yaml --resume --yes" in " ".join(capfd.readouterr().out.split())
    dry = aiq(copied, "other.yaml", "--", "-n", "--quiet", "rules")
    assert dry.returncode == 0
    assert "would be made anew: 3 of 3 agents" in dry.stderr
    done = aiq(copied, "other.yaml", "--cores", "2", "--no-report", "--yes", "--", f"{PLACE}/scores.h5")
    assert done.returncode == 0, done.stderr
    assert "made anew: 3 of 3 agents" in done.stderr
    assert "of 5 jobs done" not in done.stderr
    with tiny.inside(copied):
        assert redone(Run.of(yaml.safe_load(Path("other.yaml").read_text("utf-8")))).stages == ()
    again = aiq(copied, "other.yaml", "--", "-n")
    assert again.returncode == 0


def test_what_a_job_refuses_is_one_sentence_at_the_end(copied: Path):
    """A picture that only reading tells to be broken."""
    from PIL import Image

    for name in "ab":
        (copied / "pictures" / name).mkdir(parents=True)
        for number in range(8):
            Image.new("L", (8, 8), number).save(copied / "pictures" / name / f"{number}.png")
    broken = copied / "pictures" / "b" / "7.png"
    broken.write_bytes(broken.read_bytes()[:40])
    raw = tiny.tiny(domains__mine={"source": "image_folder", "path": "pictures"})
    write(copied, raw, "wrong.yaml")
    done = aiq(copied, "wrong.yaml", "--cores", "1", "--", f"{PLACE}/domains/mine.h5")
    assert done.returncode == 2
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("aiq: ") and "(log: " in line]
    assert "7.png cannot be read" in said
    assert done.stderr.count("7.png cannot be read") == 1
    assert not [word for word in ("RuleException", "CalledProcessError", "WorkflowError") if word in done.stderr]
    assert f"(log: {PLACE}/logs/domains/mine.log)" in said


def test_what_is_gone_or_cut_short_is_noticed_and_made_again(copied: Path):
    """A deleted shard, one without its end and with its old time, and a deleted reduction of a finished run."""
    shard, short = (f"{PLACE}/trials/{name}/chunks-0000-0001.h5" for name in ("wine", "digits"))
    reductions = [f"{PLACE}/complexity/{name}.h5" for name in ("digits", "noisy", "wine")]
    whole = tiny.units(copied, tiny.TINY)
    (copied / shard).unlink()
    (copied / reductions[1]).unlink()
    times = (copied / short).stat()
    os.truncate(copied / short, times.st_size - 200)
    os.utime(copied / short, ns=(times.st_atime_ns, times.st_mtime_ns))
    with tiny.inside(copied):
        assert set(redone(Run.of(tiny.TINY)).missing) == {shard, short, reductions[1]}
        assert redone(Run.of(tiny.tiny(pool__size=12))).missing == (short,)  # the others are to be made anyway
    dry = aiq(copied, "tiny.yaml", "--", "-n")
    assert re.search(r"^train_trials +2$", dry.stdout, re.M)
    done = aiq(copied, "tiny.yaml", "--cores", "2", "--no-report", "--", *reductions)
    assert done.returncode == 0, done.stderr
    (said,) = [line for line in done.stderr.splitlines() if "made again" in line]
    assert said.startswith("3 files are missing or cut short and made again: ")
    assert tiny.differing(whole, tiny.units(copied, tiny.TINY)) == []


def test_the_end_of_a_run_fits_a_screen_and_is_what_the_summary_says(copied: Path, capsys):
    done = aiq(copied, "tiny.yaml", "--no-report", "--cores", "1")
    assert done.returncode == 0, done.stderr
    with tiny.inside(copied):
        assert main(["summary", "tiny.yaml"]) == 0
    assert done.stdout == capsys.readouterr().out
    lines = done.stdout.splitlines()
    assert len(lines) <= 14  # three sentences, folded
    assert all(len(line) <= 80 for line in lines)
    table = lines[: 3 + 2]  # two lines of headings, a rule, the agents
    assert "mean over skills" in table[0]
    assert [line.split()[:2] for line in table[3:]] == [
        ["1–2", "large"],
        ["1–2", "small"],
    ]  # too few networks for an order
    assert f"page: {PLACE}/index.html" in lines
    assert lines[-1] == "all of it: aiq summary tiny.yaml --all"


def killed(folder: Path, *targets: str, seconds: float = 300) -> None:
    """Start ``aiq run`` for some shards, kill it with all that it started once their jobs are under way."""
    logs = [folder / Run.of(tiny.TINY).layout.log_of(target) for target in targets]
    for path in (*logs, *(folder / target for target in targets)):
        path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "aiq.cli", "run", "tiny.yaml", "--cores", str(len(targets)), "--", *targets]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    end = time.monotonic() + seconds
    while not all(log.exists() for log in logs):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    tiny.kill_session(process.pid)
    process.wait()


def test_a_killed_run_goes_on_by_one_command_and_redoes_what_is_damaged_and_nothing_else(copied: Path):
    """One file is finished after the controller has gone: Snakemake takes it for unfinished, its checksum says more."""
    numbers, before = tiny.units(copied, tiny.TINY), tiny.files(copied)
    target = f"{PLACE}/trials/wine/chunks-0000-0001.h5"
    (late,) = (str(path.relative_to(copied)) for path in (copied / PLACE / "agents" / "wine").glob("*.h5"))
    killed(copied, target, late)
    with tiny.inside(copied):
        assert {target, late} <= set(resume.unfinished())
    (copied / target).unlink(missing_ok=True)  # its job may have come as far
    (copied / late).write_bytes(before[late])
    one_sentence(aiq(copied, "tiny.yaml"), "was killed", "aiq run tiny.yaml --resume")
    flipped = f"{PLACE}/trials/digits/chunks-0000-0001.h5"
    flip(copied / flipped)
    (truncated,) = (str(p.relative_to(copied)) for p in (copied / PLACE / "agents" / "digits").glob("*.h5"))
    os.truncate(copied / truncated, 1000)
    foreign = f"{PLACE}/trials/noisy/chunks-0000-0001.h5"
    other = copied.parent / "other"
    tiny.make(other, tiny.tiny(seed=99), only=[f"{PLACE}/domains/noisy.h5", foreign])
    shutil.copy(other / foreign, copied / foreign)
    scores = ("--", f"{PLACE}/scores.h5")
    done = aiq(copied, "tiny.yaml", "--resume", "--cores", "2", "--no-report", *scores)
    assert done.returncode == 0, done.stderr
    assert "unlocking the folder" in done.stderr
    assert "2 files are corrupt and made again" in done.stderr
    assert "1 file is kept, finished after the controller had gone" in done.stderr
    assert f"1 file is of another configuration and made again: {foreign}" in done.stderr
    after, redo = tiny.files(copied), {target, flipped, truncated, foreign}
    trained = {name for name in before if name.endswith(".h5") and name.split("/")[2] in KEPT}
    assert redo <= trained
    assert {name for name in trained if after[name] != before[name]} <= redo
    assert {name: after[name] for name in trained - redo} == {name: before[name] for name in trained - redo}
    assert tiny.differing(numbers, tiny.units(copied, tiny.TINY)) == []
    with tiny.inside(copied):
        assert main(["shards", "tiny.yaml"]) == 0
    again = aiq(copied, "tiny.yaml", "--resume", "--no-report", *scores)
    assert again.returncode == 0
    assert "Nothing to be done" in again.stderr


def test_a_living_controller_is_never_disturbed(copied: Path, capfd):
    """Another ``aiq run``, or a Snakemake by hand."""
    target = f"{PLACE}/trials/wine/chunks-0000-0001.h5"
    (copied / target).unlink()
    for command in (
        [sys.executable, "-m", "aiq.cli", "run", "tiny.yaml", "--cores", "1", "--", target],
        tiny.command(copied, tiny.TINY, "--cores", "1", target),
    ):
        (copied / target).unlink(missing_ok=True)
        log = copied / Run.of(tiny.TINY).layout.log_of(target)
        log.unlink(missing_ok=True)
        with subprocess.Popen(command, cwd=copied, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while not log.exists() and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(signal.SIGSTOP)
            try:
                one_sentence(refused(copied, capfd, "tiny.yaml", "--resume"), "wait for its end")
            finally:
                process.send_signal(signal.SIGCONT)
            assert process.wait(600) == 0
        assert (copied / target).exists()
