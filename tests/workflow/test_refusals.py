"""What a person can mend is one sentence and a failed run; nothing else is harmed."""

import csv
import json
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import tiny
import yaml
from PIL import Image

from aiq.cli.main import main
from aiq.plans.run import Run
from changes import flip

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PLACE = "results/tiny"


def sentences(text: str) -> list[str]:
    """What aiq says in an output; lines of jobs and of Snakemake may run into each other."""
    return re.findall(r"aiq: (?:(?!aiq: )[^\n])+", text)


def no_traceback_of_ours(text: str) -> None:
    assert "workflow/aiq/" not in text
    assert "Error: aiq" not in text


def archive(path: Path, labels: Iterable[int]) -> None:
    y = np.array(list(labels))
    x = np.random.default_rng(0).integers(0, 256, (len(y), 8, 8), dtype=np.uint8)
    np.savez(path, x_train=x, y_train=y, x_test=x, y_test=y)


def pictures(folder: Path) -> None:
    for label in ("cat", "dog"):
        (folder / label).mkdir(parents=True)
        for k in range(4):
            Image.fromarray(np.full((8, 8), 10 * k, dtype=np.uint8)).save(folder / label / f"{k}.png")
    (folder / "dog" / "2.png").write_bytes(b"no picture")


def test_a_wrong_configuration_stops_before_anything_runs(copied: Path, capsys):
    before, words = tiny.files(copied), ["unknown key 'sede'", "did you mean 'seed'"]
    done = tiny.snakemake(copied, tiny.tiny(sede=3), "--cores", "1", name="wrong.yaml")
    assert done.returncode == 1
    (sentence,) = (line for line in done.stdout.splitlines() if words[0] in line)
    for word in words:
        assert word in sentence
    no_traceback_of_ours(done.stdout)
    for verb in ("shards", "summary"):
        with tiny.inside(copied):
            assert main([verb, "wrong.yaml", "--json"]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert all(word in err for word in words)
    assert tiny.files(copied) == before


def test_domains_that_cannot_be_read_fail_alone_with_one_sentence_each(copied: Path):
    archive(copied / "one.npz", [4] * 30)
    archive(copied / "good.npz", [0, 1] * 30)
    pictures(copied / "pictures")
    good = {**tiny.TINY["domains"], "good": {"source": "npz", "path": "good.npz"}}
    unreadable = {"unreadable": {"source": "image_folder", "path": "pictures"}}
    before = tiny.files(copied)

    one_class = tiny.tiny(domains={**good, "one-class": {"source": "npz", "path": "one.npz"}})
    done = tiny.snakemake(copied, one_class, "--cores", "2", name="wrong.yaml")
    assert done.returncode == 1  # its header is read for sizes, so nothing starts
    assert "domain one-class has one class only, at least 2 are needed" in done.stdout
    assert tiny.files(copied) == before

    targets = [f"{PLACE}/domains/{name}.h5" for name in ("unreadable", "good")]
    raw = tiny.tiny(domains={**good, **unreadable})
    done = tiny.snakemake(copied, raw, "--cores", "2", "--keep-going", *targets, name="wrong.yaml")
    assert done.returncode == 1
    (line,) = sentences(done.stdout)
    assert "2.png" in line
    log = (copied / PLACE / "logs" / "domains" / "unreadable.log").read_text(encoding="utf-8")
    assert line.removeprefix("aiq: ") in log
    assert log.count("\n") == 1
    assert not (copied / PLACE / "domains" / "unreadable.h5").exists()
    no_traceback_of_ours(done.stdout)
    after = tiny.files(copied)
    assert after.pop(f"{PLACE}/domains/good.h5")
    assert after == before


def damage(copied: Path) -> dict[str, str]:
    """Damage three shards in three ways; return path -> what the audit must call it."""
    run = Run.of(tiny.TINY)
    flipped, foreign = (f"{PLACE}/trials/{domain}/chunks-0000-0001.h5" for domain in ("digits", "wine"))
    (truncated,) = (run.layout.mixture_job(job) for job in run.plan.mixture_jobs if job.group == "noisy")
    flip(copied / flipped)
    whole = (copied / truncated).read_bytes()
    (copied / truncated).write_bytes(whole[: len(whole) // 2])
    other = copied.parent / "other"
    tiny.make(other, tiny.tiny(seed=99), only=[f"{PLACE}/domains/wine.h5", foreign])
    (copied / foreign).write_bytes((other / foreign).read_bytes())
    return {flipped: "corrupt", truncated: "corrupt", foreign: "stale"}


def test_damaged_and_foreign_shards_are_named_and_refused(copied: Path, capsys):
    bad = damage(copied)
    damaged = tiny.files(copied)
    targets = [f"{PLACE}/complexity/digits.h5", f"{PLACE}/complexity/wine.h5", f"{PLACE}/dissimilarity.h5"]
    done = tiny.snakemake(copied, tiny.TINY, "--cores", "2", "--keep-going", "-f", *targets)
    assert done.returncode == 1
    said = sentences(done.stdout)
    assert len(said) == 3
    for path, state in bad.items():
        (line,) = (sentence for sentence in said if path in sentence)
        assert ("another configuration" in line) == (state == "stale")
        assert re.search(r"; redo it: aiq run \S*tiny.yaml --resume$", line)
    no_traceback_of_ours(done.stdout)
    after = tiny.files(copied)
    assert {name: after[name] for name in after if name not in targets} == {
        name: damaged[name] for name in damaged if name not in targets
    }

    with tiny.inside(copied):
        assert main(["shards", "tiny.yaml", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {path: state for state in ("corrupt", "stale", "missing") for path in found[state]} == bad
    assert set(found["complete"]) | set(bad) == set(Run.of(tiny.TINY).plan.shards())
    with tiny.inside(copied):
        assert main(["shards", "tiny.yaml"]) == 1
    text = capsys.readouterr().out
    assert text.count(found["redo"]) == 1
    assert all(path in text for path in bad)

    assert found["redo"] == "aiq run tiny.yaml --resume"


# ---- what a finished run tells -------------------------------------------------------------------


def test_the_summary_of_a_finished_run(copied: Path, capsys):
    with tiny.inside(copied):
        assert main(["summary", "tiny.yaml", "--all"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "AIQ per dimension" in out
    assert f"page: {PLACE}/index.html" in out
    with tiny.inside(copied):
        assert main(["summary", "tiny.yaml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with (copied / PLACE / "tables" / "agents.csv").open(encoding="utf-8") as file:
        ranked = [row["agent"] for row in csv.DictReader(file)]
    assert [agent["agent"] for agent in found["agents"]] == ranked
    assert {row["stage"] for row in found["cost"]} >= {"domains", "trials", "agents", "mixtures", "total"}
    (total,) = (row for row in found["cost"] if row["stage"] == "total")
    assert total["wall_seconds"] > total["training_seconds"] > 0


def test_the_examples_of_verbs_that_take_a_configuration_run(copied: Path, capsys):
    """The tiny run takes the place of the one that the examples name."""
    (copied / "my-suite.yaml").write_text(yaml.safe_dump(tiny.TINY, sort_keys=False), encoding="utf-8")
    for verb in ("shards", "summary", "estimate", "landmarks"):
        assert main([verb, "--help"]) == 0
        example = re.search(rf"Example:\s+aiq ({verb} .*)", capsys.readouterr().out)
        assert example
        with tiny.inside(copied):
            assert main(shlex.split(example.group(1))) == 0, verb
            out, err = capsys.readouterr()
            assert (len(out) > 50, err) == (True, "")
            assert main([*shlex.split(example.group(1)), "--json"]) == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_the_summary_of_a_run_that_is_not_finished_is_one_sentence(copied: Path, capsys):
    (copied / PLACE / "scores.h5").unlink()
    with tiny.inside(copied):
        assert main(["summary", "tiny.yaml", "--json"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "results/tiny/scores.h5 does not exist; make it: aiq run tiny.yaml --resume" in err
