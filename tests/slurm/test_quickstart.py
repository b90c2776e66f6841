"""The command on a real SLURM: a cut of the quickstart, with the shipped profile as it is, equals a local run.

Its controller asks SLURM more often than it would by itself; see ``faulty/sitecustomize.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import cluster
import pytest
import runs
import tiny
import yaml

from aiq.plans.run import Run
from aiq.run.products import make_products
from aiq.run.reducing import complexity
from changes import changed

pytestmark = [pytest.mark.slurm, pytest.mark.slow, pytest.mark.workflow]

CHECKOUT = ("slurm", "profiles", "workflow", "scripts", "config", "envs")
TIMED = "cost.csv"  # the one table that tells seconds
FEWER = {"digits": {"limit": 300}, "cartpole3d": {"train_samples": 300, "test_samples": 200}}
CUT = {
    "known_baselines": {"when": "never"},
    "pool__size": 32,
    "training__epochs": 2,
    "dissimilarity__proportions": 3,
    "dissimilarity__repetitions": 2,
    "dissimilarity__repetitions_per_chunk": 2,
    "dissimilarity__training__epochs": 2,
    "agents__repetitions": 2,
}
"""What makes the quickstart short: its stages and kinds of agents stay, but for one analysis beside them."""


def fresh_clone(folder: Path) -> Path:
    """Copy what a clone holds, links as links, results left aside."""
    folder.mkdir()
    for name in CHECKOUT:
        source = tiny.ROOT / name
        if source.is_symlink() or source.is_file():
            shutil.copy2(source, folder / name, follow_symlinks=False)
        else:
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def alone(folder: Path, raw: dict) -> None:
    """Make the whole run but its figures in this process."""
    run = tiny.make(folder, raw)
    names, layout = list(run.configuration.domains), run.layout
    with tiny.inside(folder):
        for name in names:
            complexity.measure_entropy(run, name, layout.domain(name), layout.entropy(name))
        make_products(run, "write_tables")


def test_the_literal_command_gives_the_numbers_of_a_local_run(slurm: cluster.Cluster, tmp_path: Path):
    clone = fresh_clone(tmp_path / "clone")
    whole = yaml.safe_load((clone / "config" / "quickstart.yaml").read_text("utf-8"))
    raw = changed(whole, domains={name: whole["domains"][name] | fewer for name, fewer in FEWER.items()}, **CUT)
    (clone / "config" / "quickstart.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    command = [Path(sys.executable).with_name("snakemake"), "--profile", "slurm"]
    often = {"AIQ_TEST_STATUS_SECONDS": "2", "PYTHONPATH": f"{runs.FAULTY}{os.pathsep}{os.environ['PYTHONPATH']}"}
    with (tmp_path / "controller.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--configfile", "config/quickstart.yaml"],
            cwd=clone, env={**os.environ, "OMP_NUM_THREADS": "1", **often}, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        alone(tmp_path / "alone", raw)
        status = process.wait(1500)
    finally:
        process.kill()
    text = (tmp_path / "controller.log").read_text("utf-8")
    assert status == 0, text
    run = Run.of(raw)
    results = Path(run.configuration.results)
    (complete,) = (clone / ".snakemake" / "log").glob("*.log")
    submitted = complete.read_text("utf-8").count("has been submitted with SLURM jobid")
    assert submitted == len(list((clone / results / "benchmarks").rglob("*.tsv"))) > 0
    assert f"{submitted} of {submitted} jobs done, in " in text
    assert set(slurm.jobs().values()) <= {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT"}
    runs.assert_same(clone, tmp_path / "alone", raw)
    tables = sorted(path.name for path in (tmp_path / "alone" / results / "tables").glob("*.csv"))
    assert {"agents.csv", "complexity.csv", "dissimilarity.csv", "order.csv"} <= set(tables)
    differing = [
        name
        for name in tables
        if name != TIMED
        and (clone / results / "tables" / name).read_bytes()
        != (tmp_path / "alone" / results / "tables" / name).read_bytes()
    ]
    assert differing == []
    assert list((clone / results / "figures").glob("*.png"))
    assert list((clone / "logs" / "slurm").rglob("*.log"))
