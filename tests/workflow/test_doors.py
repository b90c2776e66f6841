"""One number through every door: a run, the command line on its tables, data frames, records and arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
import tiny_control
from test_everything_run import cut

import aiq
from aiq.cli import main
from aiq.explain.finished import FinishedRun
from aiq.plans.run import Run
from aiq.report.suite import MAKERS
from aiq.storage import write_table
from changes import changed

pytestmark = [pytest.mark.workflow]

MANY: dict[str, Any] = {"dissimilarity__resamples": 1000}  # as many replicates as the verbs draw
DIGITS = tiny.TINY["domains"]["digits"]
SUITES: dict[str, tuple[dict[str, Any], Any]] = {
    "labelled": (tiny.tiny(pool__size=32, **MANY), tiny.jobs),
    "landmarks": (
        tiny.tiny(
            pool__size=32,
            domains={**tiny.TINY["domains"], "noisier": {**DIGITS, "noise": 1.0}, "fewer": {**DIGITS, "classes": 2}},
            dissimilarity__landmarks={"names": ["digits", "noisy", "wine"]},
            **MANY,
        ),
        tiny.jobs,
    ),
    "control": (changed(tiny_control.CONTROL, pool__size=8, agents__outside=[], **MANY), tiny.jobs),
    "everything": (changed(cut(), **MANY), tiny.jobs),
}


class Finished:
    """A run with its tables, made in this process."""

    def __init__(self, name: str) -> None:
        raw, jobs = SUITES[name]
        self.run = Run.of(raw)
        for work in jobs(self.run).values():
            work()
        for job in self.run.plan.products():
            if job.maker == "write_tables":
                made = MAKERS[job.maker](FinishedRun(self.run))
                for table in ("complexity", "dissimilarity", "performance", "agents", "tests"):
                    write_table(self.path(table), made.tables[table]())
        self.loaded = aiq.load(self.run.layout.root)
        self.landmarks = name == "landmarks"
        self.how = {"seed": self.run.configuration.seed}

    def path(self, name: str) -> str:
        return self.run.layout.table(name)

    @property
    def truth(self) -> dict[str, Any]:
        assert self.loaded.scores is not None
        return dict(self.loaded.scores.as_dict())


@pytest.fixture(scope="module", params=SUITES)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    with tiny.inside(tmp_path_factory.mktemp(request.param)):
        tiny_control.write_balancers(Path())
        yield Finished(request.param)


def same(found: dict[str, Any], truth: dict[str, Any]) -> None:
    """Headline, interval, number of dimensions and order are those of the run, digit for digit."""
    assert found["dimensions"] == truth["dimensions"]
    assert found["headline"] == truth["headline"] == "skills"
    for ours, runs in zip(found["agents"], truth["agents"], strict=True):
        for key in ("agent", "value", "per_dimension", "rank", "order", "mean"):
            assert ours[key] == runs[key], key
        for key in ("interval", "per_dimension_interval"):
            assert (None if ours[key] is None else list(ours[key])) == runs[key], key
    for ours, runs in zip(found["tests"], truth["tests"], strict=True):
        assert ours == runs


def test_the_command_line_on_a_runs_tables_gives_its_numbers(finished: Finished, capsys: pytest.CaptureFixture[str]):
    tables = ("--complexity", finished.path("complexity"), "--dissimilarity", finished.path("dissimilarity"))
    words = ("--landmarks",) if finished.landmarks else ()
    seed = ("--seed", str(finished.how["seed"]), "--json")
    assert main(["space", *tables, "-o", "space.h5", *words, *seed]) == 0
    capsys.readouterr()
    assert main(["score", "space.h5", finished.path("performance"), *seed]) == 0
    same(json.loads(capsys.readouterr().out), finished.truth)


def test_data_frames_of_its_tables_give_its_numbers(finished: Finished):
    frames = {name: pd.read_csv(finished.path(name)) for name in ("complexity", "dissimilarity", "performance")}
    space = aiq.space(frames["complexity"], frames["dissimilarity"], landmarks=finished.landmarks, **finished.how)
    same(aiq.score(space, frames["performance"], **finished.how).as_dict(), finished.truth)


def test_its_records_give_its_numbers(finished: Finished):
    run = finished.loaded
    space = aiq.space(run.complexity, run.dissimilarity, landmarks=finished.landmarks, **finished.how)
    same(aiq.score(space, run.tables["performance"], **finished.how).as_dict(), finished.truth)
    again = aiq.space(
        run.complexity.to_frame(), run.dissimilarity.to_frame(), landmarks=finished.landmarks, **finished.how
    )
    assert np.array_equal(again.record.coordinates, space.record.coordinates)


def test_arrays_of_all_its_columns_give_its_numbers(finished: Finished):
    frames = [pd.read_csv(finished.path(name)) for name in ("complexity", "dissimilarity")]
    arrays = [{column: frame[column].to_numpy() for column in frame} for frame in frames]
    space = aiq.space(*arrays, landmarks=finished.landmarks, **finished.how)
    performances = pd.read_csv(finished.path("performance"))
    reached = {column: performances[column].to_numpy() for column in performances}
    same(aiq.score(space, reached, **finished.how).as_dict(), finished.truth)


MEASURED_WHOLE = [name for name in SUITES if name != "landmarks"]  # arrays cannot say which values were completed


@pytest.mark.parametrize("finished", MEASURED_WHOLE, indirect=True, scope="module")
def test_arrays_of_values_and_errors_alone_give_its_value_per_dimension(finished: Finished):
    run = finished.loaded
    complexity = run.tables["complexity"]
    names = list(complexity["domain"])
    length = run.space.record.length
    signed = pd.DataFrame(np.nan, index=names, columns=names)
    errors = signed.copy()
    for row in run.tables["dissimilarity"].itertuples():
        signed.loc[row.a, row.b] = signed.loc[row.b, row.a] = row.signed
        errors.loc[row.a, row.b] = errors.loc[row.b, row.a] = row.signed_se
    long = [(a, b, signed.loc[a, b], errors.loc[a, b]) for i, a in enumerate(names) for b in names[i:]]
    pairs = dict(zip(("a", "b", "dissimilarity", "se"), map(np.array, zip(*long, strict=True)), strict=True))
    lengths = {"domain": names, length: complexity[length].to_numpy(), "se": complexity[f"{length}_se"].to_numpy()}
    found = aiq.score(aiq.space(lengths, pairs, **finished.how), run.tables["performance"], **finished.how).as_dict()
    truth = finished.truth
    assert found["dimensions"] == truth["dimensions"]
    by_name = {one["agent"]: one for one in truth["agents"]}
    for one in found["agents"]:  # errors that pairs share are taken as independent: other draws, and other noise
        runs = by_name[one["agent"]]
        assert one["per_dimension"] == pytest.approx(runs["per_dimension"], rel=1e-9)
        if runs["interval"] is not None:  # None: a run without a headline, whose pool's errors go together
            low, high = runs["interval"]
            assert low <= one["value"] <= high
