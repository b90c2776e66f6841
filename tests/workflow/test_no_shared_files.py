"""A run on nodes that share no file with anybody: everything goes through a storage, and no number changes."""

from __future__ import annotations

from pathlib import Path

import apart
import numpy as np
import pytest
import tiny
import tiny_anytime

from aiq.plans.run import Run
from changes import changed

pytest.importorskip("moto.server", reason="needs the extra dev: moto[s3], flask, flask-cors")
pytest.importorskip("snakemake_storage_plugin_s3", reason="needs the extra dev: snakemake-storage-plugin-s3")
pytest.importorskip("snakemake_executor_plugin_cluster_generic", reason="needs the extra dev: its executor plugin")
pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def suite(folder: Path) -> dict:
    """The tiny suite with two domains: one that ships with a package, one from a file that lies on this machine."""
    rng = np.random.default_rng(3)
    (folder / "data").mkdir(parents=True)
    arrays = {}
    for split, n in (("train", 80), ("test", 60)):
        y = np.arange(n) % 3
        arrays |= {f"x_{split}": rng.normal(y[:, None], 1.0, (n, 13)), f"y_{split}": y}
    np.savez(folder / "data" / "clouds.npz", **arrays)
    domains = {"wine": tiny.TINY["domains"]["wine"], "clouds": {"source": "npz", "path": "clouds.npz"}}
    (folder / "site.json").write_text('{"machine": "made up"}', encoding="utf-8")
    jobs = {"chunks_per_job": 2, "mixtures_per_job": 3, "alone_per_job": 4, "calibration": "site.json"}
    return {**tiny.TINY, "data_root": "data", "domains": domains, "jobs": jobs}


def test_a_suite_through_a_storage_gives_the_numbers_of_one_process(tmp_path: Path, monkeypatch):
    folder = tmp_path / "start"
    raw = suite(folder)
    monkeypatch.chdir(folder)  # where the calibration is found
    run = Run.of(raw)
    apart.started(folder, raw)
    with apart.s3() as address:
        done = apart.snakemake(folder, address, run.layout.scores)
        assert done.returncode == 0, done.stdout + apart.said(folder)
        assert apart.planned(apart.snakemake(folder, address, "-n", run.layout.scores)) == set()
        stored = set(apart.keys(address))
        fetched = apart.brought(address, tmp_path / "fetched")
    assert len(list((folder / "nodes").glob("*.rc"))) >= 4
    nothing_was_shared(folder)
    assert {*run.plan.shards(), run.layout.space, run.layout.scores} <= stored
    (tmp_path / "one").mkdir()
    for name in ("data", "site.json"):
        (tmp_path / "one" / name).symlink_to(folder / name)
    tiny.make(tmp_path / "one", raw, [path for path in tiny.jobs(run) if "/entropy/" not in path])
    assert tiny.differing(tiny.units(fetched, raw), tiny.units(tmp_path / "one", raw)) == []
    for path, kind in (("complexity/wine", "complexity"), ("space", "space"), ("scores", "scores")):
        file = f"results/tiny/{path}.h5"
        assert tiny.same(tiny.result(fetched, file, kind), tiny.result(tmp_path / "one", file, kind))


def nothing_was_shared(folder: Path) -> None:
    """Neither the folder of the start nor those of the nodes hold results."""
    assert not (folder / "results").exists()
    assert not [path for path in (folder / "nodes").glob("*/results/**/*") if path.is_file()]


OWN = """
def act(observation):
    return 0
"""


def test_a_whole_run_with_code_of_a_persons_own_that_travels_with_the_workflow(tmp_path: Path, monkeypatch):
    """Every job computes the fingerprints of all agents, so each reads their files; a change in one is noticed."""
    folder = tmp_path / "start"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("mine.py").write_text(OWN, encoding="utf-8")
    raw = changed(tiny_anytime.TINY, name="mine", classes={"cups": {"family": "cups"}})
    raw["agents"] = {"own": {"kind": "outside", "file": "mine.py", "attribute": "act"}}
    run = Run.of(raw)
    apart.started(folder, raw)
    with apart.s3() as address:
        done = apart.snakemake(folder, address)
        assert done.returncode == 0, done.stdout + apart.said(folder)
        stored = set(apart.keys(address))
        assert apart.planned(apart.snakemake(folder, address, "-n")) == set()
        Path("mine.py").write_text(OWN.replace("return 0", "return 1"), encoding="utf-8")
        again = apart.planned(apart.snakemake(folder, address, "-n"))
        fetched = apart.brought(address, tmp_path / "fetched")
    nothing_was_shared(folder)
    assert again - {"all"} == {
        *(step.rule for step in run.plan.steps),
        *(made.name for made in run.plan.products()),
        "write_page",
    }
    figures = [run.layout.figure(name, "png") for made in run.plan.products() for name in made.figure_names(run.plan)]
    assert {*run.plan.shards(), *run.plan.results(), *figures, run.layout.page} <= stored
    page = (fetched / run.layout.page).read_text(encoding="utf-8")
    assert "not known to the job that wrote this page" in page
