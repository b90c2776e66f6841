"""Suites in which nothing is to be measured: each ends in a table, a page, and a sentence on what cannot be had."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny

from aiq import storage
from aiq.cli.main import main
from aiq.errors import InputError, StorageError
from aiq.figures.drawing import SUFFIXES
from aiq.plans.run import Run
from aiq.report.page import write_page
from aiq.report.suite import MAKERS
from aiq.report.summary import variance
from aiq.run import products
from aiq.run.resume import damage

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

LEARNED = {"epochs": 25, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.05}}
WILD = {"epochs": 2, "batch_size": 16, "optimizer": {"name": "sgd", "learning_rate": 1e30}}
STILL = {"epochs": 2, "batch_size": 16, "optimizer": {"name": "sgd", "learning_rate": 1e-9}}
WIDE = [{"name": "large", "layers": 1, "width": 16}, {"name": "small", "layers": 1, "width": 12}]


def archive(path: Path, seed: int, *, separable: bool) -> None:
    """Two classes of 60 samples: far apart, or noise with labels that say nothing."""
    rng = np.random.default_rng(seed)
    y = np.arange(120) % 2
    x = rng.normal(size=(120, 4)) + (20.0 * rng.normal(size=(2, 4)) / 2)[y] * separable
    np.savez(path, x_train=x[:80].astype("f4"), y_train=y[:80], x_test=x[80:].astype("f4"), y_test=y[80:])


def suite(name: str) -> dict[str, Any]:
    """Return a suite, whose archives lie in the working folder."""
    two = {f"t{k}": {"source": "npz", "path": f"{name}{k}.npz"} for k in range(2)}
    digits = tiny.TINY["domains"]["digits"]
    small = tiny.tiny(known_baselines__when="never", domains={"digits": digits, "wine": tiny.TINY["domains"]["wine"]})
    return {
        "solved": {
            **small, "domains": two, "training": LEARNED,
            "agents": {"repetitions": 2, "training": LEARNED, "networks": WIDE},
            "pool": {**small["pool"], "layers": [1, 1], "width": [12, 16]},
            "dissimilarity": {**small["dissimilarity"], "training": LEARNED},
        },
        "unsolved": {**small, "domains": two},
        "one": {**small, "domains": {"digits": digits}},
        "equal": {**small, "domains": {"a": digits, "b": digits}},
        "still": {**small, "agents": {**small["agents"], "training": STILL}},
        "diverged": {**small, "agents": {**small["agents"], "training": WILD}},
    }[name]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("solved", "any policy of this pool solves every domain"),
        ("unsolved", "Mind: no agent is above guessing on any test (the best: 0."),
        ("one", "No agent is ranked: no test is shown to be harder"),
        ("equal", ""),
        ("still", ""),
    ],
)
def test_a_degenerate_suite_ends_in_a_table_a_page_and_a_sentence(
    made: Path, tmp_path: Path, capsys, name: str, said: str
):
    for k, separable in ((0, name == "solved"), (1, name == "solved")):
        archive(tmp_path / f"{name}{k}.npz", k, separable=separable)
    folder = made if name == "one" else tmp_path
    run = Run.of(suite(name)) if name == "one" else tiny.finish(tmp_path, suite(name))
    with tiny.inside(folder):
        assert products.not_computed(run) == {}
        table = storage.read_published(run.layout.table("agents"))
        assert sorted(table.column("agent")) == ["large", "small"]
        assert Path(run.layout.page).stat().st_size > 100_000
        capsys.readouterr()
        assert main(["summary", "tiny.yaml"]) == 0
    out = capsys.readouterr().out
    assert said in " ".join(out.split())
    assert "nan" not in out
    lines = out.splitlines()
    assert all(len(line) <= 80 for line in lines[:4])
    sentences = [line for line in lines[4:] if line.endswith(".")]
    assert 1 <= len(sentences) <= 3
    assert lines[-1] == "all of it: aiq summary tiny.yaml --all"


def test_where_every_agent_diverges_the_table_names_them_and_the_run_is_whole(tmp_path: Path):
    """Analyses of scores say why they lack; ``aiq run`` finds nothing to be done."""
    run = tiny.finish(tmp_path, suite("diverged"), suffixes=SUFFIXES)
    command = [sys.executable, "-m", "aiq.cli", "run", "tiny.yaml", "--cores", "1", "--no-report"]
    for more in ((), ("--resume",)):
        done = subprocess.run([*command, *more], **tiny.how(tmp_path), check=False, timeout=600)
        assert done.returncode == 0, done.stdout
        assert ("Nothing to be done" in done.stdout) == (not more)  # resumed, it tries again what is not computed
        assert "page: results/tiny/index.html" in done.stdout
        assert "No agent could be scored" in " ".join(done.stdout.split())
        ending = done.stdout[done.stdout.index("rank ") :].splitlines()
        assert max(map(len, ending)) <= 80
    with tiny.inside(tmp_path):
        table = storage.read_published(run.layout.table("agents"))
        assert sorted(table.column("agent")) == ["large", "small"]
        assert all("every training on" in str(words) for words in table.column("method"))
        assert "no agent could be scored" in products.not_computed(run)["explain_variance"][0]
        assert "o agent could be scored" in Path(run.layout.page).read_text("utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run of one test."""
    folder = tmp_path_factory.mktemp("one")
    tiny.finish(folder, suite("one"))
    return folder


def test_a_failed_analysis_says_why_and_takes_nothing_along(made: Path, tmp_path: Path, capsys, monkeypatch):
    folder = shutil.copytree(made, tmp_path / "copy")
    run = Run.of(suite("one"))

    def fails(*_: object) -> None:
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setitem(MAKERS, "explain_variance", fails)
    with tiny.inside(folder):
        products.make_products(run, "explain_variance")
        write_page(run)
        assert variance(run) is None
        (found,) = products.not_computed(run).items()
        capsys.readouterr()
        assert main(["summary", "tiny.yaml"]) == 0
        out = capsys.readouterr().out
        assert main(["summary", "tiny.yaml", "--all"]) == 0
        assert damage(run).lacking == (run.layout.table("variance"),)
        page = Path(run.layout.page).read_text("utf-8")
    name, (why, file) = found
    assert (name, file) == ("explain_variance", run.layout.table("variance"))
    assert why == f"the job explain_variance failed (SVD did not converge); see {run.layout.log('explain_variance')}"
    assert f"not computed: explain_variance ({why})" in " ".join(out.split())
    assert "large" in out
    assert "SVD did not converge" in page
    assert (folder / run.layout.figure("variance", "png")).stat().st_size > 1000


def test_what_a_person_can_mend_is_said_as_it_stands(made: Path, tmp_path: Path, monkeypatch):
    folder = shutil.copytree(made, tmp_path / "copy")
    run = Run.of(suite("one"))

    def refuses(*_: object) -> None:
        raise InputError("give two agents")

    monkeypatch.setitem(MAKERS, "explain_variance", refuses)
    with tiny.inside(folder):
        products.make_products(run, "explain_variance")
        assert products.not_computed(run)["explain_variance"][0] == "give two agents"


@pytest.mark.parametrize(
    ("job", "error"),
    [
        ("write_tables", ValueError("a defect")),
        ("explain_variance", StorageError("a file is missing")),
        ("explain_variance", OSError("the disk is full")),
        ("explain_variance", MemoryError()),
    ],
)
def test_the_table_itself_files_disk_and_memory_are_no_analysis(made: Path, monkeypatch, job: str, error: Exception):
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setitem(MAKERS, job, fails)
    with tiny.inside(made), pytest.raises(type(error)):
        products.make_products(Run.of(suite("one")), job)
