"""An experiment asks Snakemake for what its figure needs, and for nothing else. About 3 seconds."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def experiment(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "aiq.cli", "experiment", *words]
    return subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)


def test_a_figure_of_dissimilarities_trains_no_pool_and_its_claims_are_not_run(tmp_path: Path):
    done = experiment(tmp_path, "f14", "-o", "f14.png", "--json", "--", "-n")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["experiment"], found["scale"]) == ("f14", "small")
    assert [(claim["id"], claim["verdict"]) for claim in found["claims"]] == [("F14", "not run here")]
    assert "train_mixtures" in done.stderr
    assert "train_trials" not in done.stderr
    assert "draw_" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".snakemake"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "x.foo"), "the format of a figure is '.foo'"),
        (("-o", "x.png/x.png"), "x.png/x.png cannot be written"),
        (("--costs", "-o", "x.svg"), "the ending of the file is '.svg'"),
    ],
)
def test_a_refused_call_leaves_nothing(tmp_path: Path, words: tuple[str, ...], said: str):
    (tmp_path / "x.png").write_text("")
    done = experiment(tmp_path, "f14", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]


def test_the_file_alone_is_told_as_json_too(tmp_path: Path):
    done = experiment(tmp_path, "f14", "--only-write", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["experiment"], found["scale"], found["claims"]) == ("f14", "small", [])
    assert (tmp_path / found["configuration"]).is_file()
    assert found["configuration"].startswith(found["results"])
    plain = experiment(tmp_path, "f14", "--only-write")
    assert plain.stdout == found["configuration"] + "\n"
