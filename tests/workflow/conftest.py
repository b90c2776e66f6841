"""Finished tiny runs, each made once for all processes of pytest; tests work on copies of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import tiny
import tiny_control

import sharing
from aiq.plans.run import Run


@pytest.fixture(scope="session")
def finished(alone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run, not to be changed.

    Snakemake takes over what was made in this process up to the space, of which each shard is said to have taken 9 s;
    scores, figures, tables and page are its own.
    """
    run = Run.of(tiny.TINY)

    def make(folder: Path) -> None:
        shutil.copytree(alone, folder, dirs_exist_ok=True)
        (folder / run.layout.scores).unlink()
        for shard in run.plan.shards():
            spent = folder / run.layout.benchmark_of(shard)
            spent.parent.mkdir(parents=True, exist_ok=True)
            spent.write_text("s\n9.0\n", encoding="utf-8")
        there = [path for path in tiny.jobs(run) if path != run.layout.scores]
        for words in (["--touch", "--forceall", "--cores", "1", *there], ["--cores", "2"]):
            done = tiny.snakemake(folder, tiny.TINY, *words)
            assert done.returncode == 0, done.stdout

    return sharing.made_once(tmp_path_factory, "finished", make)


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, with Snakemake's memory of it."""
    return shutil.copytree(finished, tmp_path / "copy")


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was made in this process, one job after another; not to be changed."""
    return sharing.made_once(tmp_path_factory, "alone", lambda folder: tiny.make(folder, tiny.TINY))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the smallest run, made in this process; not to be changed."""
    return sharing.made_once(tmp_path_factory, "small", lambda folder: tiny.make(folder, tiny.SMALL))


@pytest.fixture(scope="session")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has a headline, made in this process with its tables; not to be changed."""
    only = ["explain_variance", "write_tables"]
    return sharing.made_once(tmp_path_factory, "hard", lambda folder: tiny.finish(folder, tiny.HARD, only))


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of control domains that was made in this process; not to be changed."""
    return sharing.made_once(tmp_path_factory, "played", lambda folder: tiny_control.make(folder, tiny_control.CONTROL))
