"""A job that draws reads the files that it declares and no others: it works where nothing else is.

The finished runs of ``tests/data/finished``, one a measure; each job gets a folder with its declared files alone.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aiq.config.load import read
from aiq.plans.run import Run
from aiq.run import products
from aiq.storage import hdf5

RUNS = ("suite", "control", "algorithmic", "anytime", "collectives")
SUITES = ("suite", "control")  # older records than some figures need; what tables read is read all the same


@pytest.mark.parametrize("measure", RUNS)
def test_what_is_declared_is_enough(measure: str, finished_runs: Path, tmp_path: Path, monkeypatch):
    raw = read(finished_runs / measure / "tiny.yaml")
    if measure in SUITES:
        raw["dissimilarity"]["ends"] = "pair"
        raw["known_baselines"] = {"when": "never"}  # younger than the archive
    monkeypatch.chdir(finished_runs / measure)
    run = Run.of(raw)
    drawn: list[str] = []

    def save(layout, drawings) -> None:
        for name, draw in drawings.items():
            drawn.append(name)
            if measure not in SUITES:
                draw()

    whole = hdf5.read

    def any_stage(path, kind, fingerprint=None, *more):
        return whole(path, kind, None, *more)

    monkeypatch.setattr(hdf5, "read", any_stage)  # files of older stages are good enough here
    monkeypatch.setattr(products, "save", save)  # nothing is rendered
    for made in run.plan.products():
        folder = tmp_path / made.name
        for path in [path for paths in made.needs(run.plan).values() for path in paths]:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(finished_runs / measure / path, folder / path)
        for code in (finished_runs / measure).glob("*.py"):
            shutil.copy(code, folder)
        monkeypatch.chdir(folder)
        products.make_products(run, made.name)
        tables = [run.layout.table(name) for name in made.table_names(run.plan)]
        assert [path for path in tables if not Path(path).exists()] == []
    assert len(drawn) >= 3
