"""Known baselines of tiny suites: from prepared domains, with and without the libraries, shown and by the verb."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny
import tiny_control
import yaml

from aiq import known_baselines as known
from aiq import storage
from aiq.cli import main
from aiq.explain import compare
from aiq.explain.compare import baselines_of, beside_baselines
from aiq.plans.run import Run
from aiq.records.comparison import KnownBaselines
from aiq.run.products import make_products
from aiq.run.reducing.baselines import known_baselines, measure_known_baselines, random_performances
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.training import domains
from aiq.run.training.domains import prepared

JOB = "compare_known_baselines"


@pytest.fixture
def made(alone: Path, tmp_path: Path) -> Path:
    """A copy of a tiny run whose figures and tables are still to be made."""
    folder = shutil.copytree(alone, tmp_path / "copy")
    (folder / "tiny.yaml").write_text(yaml.safe_dump(tiny.TINY), encoding="utf-8")
    return folder


def sources(run: Run) -> list[str]:
    return [run.layout.domain(name) for name in run.configuration.domains]


def test_every_number_is_there_twice_the_same_and_in_its_range(made: Path):
    pytest.importorskip("problexity")
    run = Run.of(tiny.TINY)
    with tiny.inside(made):
        stored = storage.read_result(
            run.layout.known_baselines, "known baselines", KnownBaselines, run.plan.known_baselines()
        )
        again = known_baselines(run, sources(run))
    assert stored.reasons == ()
    for name in known.MEASURES:
        assert ((stored.of_domains[name] >= 0) & (stored.of_domains[name] <= 1)).all()
        assert np.array_equal(stored.of_domains[name], again.of_domains[name])
    assert stored.of_domains["n3"][1] > stored.of_domains["n3"][0]  # noisy digits beside the digits
    assert stored.of_domains["inputs"].tolist() == [64, 64, 13]
    pairs = list(zip(stored.a, stored.b, strict=True))
    itself = [k for k, (a, b) in enumerate(pairs) if a == b]
    assert len(itself) == 3
    assert len(pairs) == 6
    assert (stored.of_pairs["transfer_loss"][itself] == 0).all()
    assert (stored.of_pairs["transport"] >= stored.of_pairs["transport_inputs"]).all()
    apart = dict(zip(pairs, stored.of_pairs["transport"], strict=True))
    assert apart["digits", "digits"] < apart["digits", "noisy"] < apart["digits", "wine"]


def test_figure_and_tables_say_what_limits_them(made: Path):
    run = Run.of(tiny.TINY)
    with tiny.inside(made):
        make_products(run, JOB)
        rows = storage.read_published(run.layout.table("known-baselines"))
        caption = storage.read_words(run.layout.figure("known-baselines", "txt"))
        pairs = storage.read_published(run.layout.table("known-baselines-pairs"))
    assert "at most 500 samples" in caption
    assert "no interval for fewer than 5 domains, and there are 3" in str(rows.column("note")[0])
    assert set(rows.column("ours")) == {"complexity", "relative_excess", "dissimilarity", "transfer"}
    assert set(pairs.columns) >= {"a", "b", "transport", "transfer_loss_ab"}


def test_the_dissimilarities_that_are_ranked_are_those_of_the_space(made: Path, monkeypatch):
    given: dict[frozenset[str], float] = {}
    transfers: dict[frozenset[str], float] = {}

    def take(baselines, records, distances, parts):
        given.update(distances)
        transfers.update(parts)

    monkeypatch.setattr(compare, "_ranked", take)
    run = Run.of(tiny.TINY)
    with tiny.inside(made):
        beside_baselines(run, baselines_of(run))
        suite = storage.read_result(run.layout.dissimilarity, "dissimilarity", SuiteDissimilarity)
    names, matrix = suite.domains, suite.matrix
    assert given == {frozenset((a, b)): matrix[i, j] for i, a in enumerate(names) for j, b in enumerate(names)}
    parts = {frozenset((pair.a, pair.b)): pair.measured.parts for pair in suite.pairs}
    assert transfers == {pair: part.transfer.estimate.value for pair, part in parts.items()}
    assert any(pair.measured.plain.value != given[frozenset((pair.a, pair.b))] for pair in suite.pairs)


def test_without_the_libraries_the_tables_say_how_to_have_them(made: Path, monkeypatch, capsys):
    monkeypatch.setattr("aiq.known_baselines.find_spec", lambda name: None)
    run = Run.of(tiny.TINY)
    with tiny.inside(made):
        measure_known_baselines(run, sources(run), run.layout.known_baselines)
        make_products(run, JOB)
        table = storage.read_published(run.layout.table("known-baselines-domains"))
        assert main(["baselines", "tiny.yaml"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert set(table.column("f1")) == {None}
    assert None not in table.column("linear_error")
    for library in ("problexity", "POT"):
        assert f"{library} is not installed: pip install 'aiq[baselines]'" in str(table.column("note")[0])
        assert f"{library} is not installed" in shown


def test_the_verb_computes_for_a_run_that_has_none_and_the_summary_does_without(made: Path, capsys):
    run = Run.of(tiny.TINY)
    with tiny.inside(made):
        stored = storage.read_result(run.layout.known_baselines, "known baselines", KnownBaselines)
        assert main(["summary", "tiny.yaml", "--json"]) == 0
        beside = json.loads(capsys.readouterr().out)["known_baselines"]
        Path(run.layout.known_baselines).unlink()
        words = ["baselines", "tiny.yaml", "--json", "--csv", "c.csv", "--domains", "d.csv", "--pairs", "p.csv"]
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out) == beside
        with Path("d.csv").open(encoding="utf-8", newline="") as file:
            assert [row["domain"] for row in csv.DictReader(file)] == list(stored.domains)
        assert main(["summary", "tiny.yaml", "--json"]) == 0
        assert "known_baselines" not in json.loads(capsys.readouterr().out)
    assert {row["baseline"] for row in beside["correlations"]} >= {"f1", "linear_error", "transport", "transfer_loss"}


def test_fewer_pairs_are_drawn_and_said(made: Path):
    run = Run.of(tiny.tiny(known_baselines={"pairs": 2}))
    with tiny.inside(made):
        found = known_baselines(run, sources(run))
    assert sum(a != b for a, b in zip(found.a, found.b, strict=True)) == 2
    assert "2 of 3 pairs were compared, drawn at random" in found.note


def test_random_actions_on_control_domains(tmp_path: Path):
    raw = tiny_control.control(known_baselines={"episodes": 12})
    run = Run.of(raw)
    with tiny.inside(tmp_path):
        for name, path in zip(run.configuration.domains, sources(run), strict=True):
            domains.prepare_domain(run, name, path)
        found = known_baselines(run, sources(run))
        world = prepared(run, "normal", run.layout.domain("normal"))
        scores = random_performances(world, 12, run.configuration.seed)
    value, low, high = (ends["random_return"] for ends in (found.of_domains, found.low, found.high))
    assert value[0] == scores.mean()
    half = 2.201 * scores.std(ddof=1) / np.sqrt(12)  # Student's quantile of 11 degrees of freedom
    assert (low[0], high[0]) == pytest.approx((value[0] - half, value[0] + half), rel=1e-3)
    assert ((low >= 0) & (low < value) & (value < high) & (high <= 1)).all()
    assert found.pair_table().rows == ()
    assert "12 episodes of random actions per domain" in found.note


def test_never_leaves_no_job_and_numbers_have_no_such_baselines():
    plan = Run.of({**tiny.TINY, "known_baselines": {"when": "never"}}).plan
    assert plan.layout.known_baselines not in plan.results()
    assert JOB not in [made.name for made in plan.products()]
    number = {"source": "sklearn", "name": "diabetes"}
    assert not Run.of({**tiny.TINY, "domains": {"one": number}}).plan.with_known_baselines
