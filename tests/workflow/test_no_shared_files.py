"""A run on nodes that share no file with anybody: everything goes through a storage, and no number changes."""

from __future__ import annotations

from pathlib import Path

import apart
import numpy as np
import pytest
import tiny

from aiq.plans.run import Run

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
    few = {"known_baselines": {"when": "never"}}  # a job fewer, of a kind that is there anyway
    return {**tiny.TINY, "data_root": "data", "domains": domains, "jobs": jobs, **few}


def test_a_run_through_a_storage_gives_the_numbers_of_one_process(tmp_path: Path, monkeypatch):
    folder = tmp_path / "start"
    raw = suite(folder)
    monkeypatch.chdir(folder)  # where the calibration is found
    apart.started(folder, raw)
    with apart.s3() as address:
        done = apart.snakemake(folder, address)
        assert done.returncode == 0, done.stdout + apart.said(folder)
        nodes = len(list((folder / "nodes").glob("*.rc")))
        assert apart.planned(apart.snakemake(folder, address, "-n")) == set()
        stored = set(apart.keys(address))
        fetched = apart.brought(address, tmp_path / "fetched")
    assert nodes >= 6
    assert not (folder / "results").exists()  # nothing was shared by accident
    assert not [path for path in (folder / "nodes").glob("*/results/**/*") if path.is_file()]
    run = Run.of(raw)
    figures = [run.layout.figure(name, "png") for made in run.plan.products() for name in made.figure_names(run.plan)]
    assert {*run.plan.shards(), *run.plan.results(), *figures, run.layout.page} <= stored
    page = (fetched / run.layout.page).read_text(encoding="utf-8")
    assert "not known to the job that wrote this page" in page
    (tmp_path / "one").mkdir()
    for name in ("data", "site.json"):
        (tmp_path / "one" / name).symlink_to(folder / name)
    tiny.make(tmp_path / "one", raw)
    assert tiny.differing(tiny.units(fetched, raw), tiny.units(tmp_path / "one", raw)) == []
    for path, kind in (("complexity/wine", "complexity"), ("space", "space"), ("scores", "scores")):
        file = f"results/tiny/{path}.h5"
        assert tiny.same(tiny.result(fetched, file, kind), tiny.result(tmp_path / "one", file, kind))


OWN = """
def act(observation):
    return 0
"""


def test_code_of_a_persons_own_travels_with_the_workflow(tmp_path: Path):
    """Every job computes the fingerprints of all agents, so each reads their files; a change in one is noticed."""
    folder = tmp_path / "start"
    folder.mkdir()
    (folder / "mine.py").write_text(OWN, encoding="utf-8")
    raw = {
        "measure": "anytime",
        "name": "mine",
        "seed": 1,
        "results": "results/mine",
        "test": {"by": "interactions", "budget": 40},
        "repetitions": 3,
        "classes": {"cups": {"family": "cups"}},
        "agents": {"own": {"kind": "outside", "file": "mine.py", "attribute": "act"}},
        "resamples": 50,
        "jobs": {"repetitions_per_job": 3},
    }
    apart.started(folder, raw)
    result = "results/mine/anytime/cups.h5"
    with apart.s3() as address:
        done = apart.snakemake(folder, address, result)
        assert done.returncode == 0, done.stdout + apart.said(folder)
        assert result in apart.keys(address)
        assert apart.planned(apart.snakemake(folder, address, "-n", result)) == set()
        (folder / "mine.py").write_text(OWN.replace("return 0", "return 1"), encoding="utf-8")
        assert apart.planned(apart.snakemake(folder, address, "-n", result)) == {"administer_anytime", "reduce_anytime"}
