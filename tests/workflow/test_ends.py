"""Ends of domains in a whole suite: what is trained, what the matrix is made of, what is said."""

import json
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny
import tiny_control

from aiq import storage
from aiq.cli.main import main
from aiq.errors import StorageError
from aiq.explain.finished import FinishedRun
from aiq.plans.layout import unit_name
from aiq.plans.run import Run
from aiq.records.domains import Interface
from aiq.records.space import Space
from aiq.report.suite import dissimilarity_figures, suite_tables
from aiq.run.reducing.dissimilarity import SuiteDissimilarity, reduce_dissimilarity, without_controls
from aiq.run.reducing.measuring import Cost, read_alone, read_curves
from aiq.storage import shards
from aiq.storage.shards import unpack_alone, unpack_mixtures

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FINER = {"dissimilarity__proportions": 5, "dissimilarity__repetitions": 3}


@pytest.fixture(scope="module")
def finer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny suite with three inner proportions and three repetitions."""
    folder = tmp_path_factory.mktemp("finer")
    tiny.make(folder, tiny.tiny(**FINER))
    return folder


def suite_of(folder: Path, raw: dict) -> SuiteDissimilarity:
    run = Run.of(raw)
    path = folder / run.layout.dissimilarity
    return storage.read_result(path, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())


def test_what_is_trained(finer: Path):
    run = Run.of(tiny.tiny(**FINER))
    with tiny.inside(finer):
        found = storage.read_result(run.layout.interface, "interface", Interface, run.plan.ends.common)
        assert found == Interface((64,), (1, 8, 8), 6, 80)
        for job in run.plan.ends.jobs:
            units = shards.read(run.layout.alone_job(job), "alone", run.plan.ends.of_job(job))
            assert set(units) == {unit_name(job.domain, part, chunk) for part, chunk in job.units}
            for part, chunk in job.units:
                results = unpack_alone(units[unit_name(job.domain, part, chunk)].tree)
                shares = {r.proportion for r in results}
                assert shares == ({1.0} if part == "ends" else {0.25, 0.5, 0.75})
                assert {r.repetition for r in results} == (
                    set(range(3 * chunk, 3 * chunk + 3)) if part == "ends" else {chunk}
                )
                assert all(r.samples == 80 for r in results if r.proportion == 1)
                assert all(abs(r.samples - 80 * r.proportion) < 20 for r in results)
        for job in run.plan.mixture_jobs:
            units = shards.read(run.layout.mixture_job(job), "mixtures", run.plan.of_mixture_job(job))
            results = [r for unit in units.values() for r in unpack_mixtures(unit.tree)]
            assert {r.proportion for r in results} == {0.25, 0.5, 0.75}
            assert {r.parameters for r in results} == {64 * 8 + 8 + 8 * 6 + 6}
            assert all(r.told is not None for r in results)


def test_the_matrix_is_measured_with_the_ends_of_domains_and_its_parts_sum_up(finer: Path):
    suite = suite_of(finer, tiny.tiny(**FINER))
    assert (suite.trainings, suite.trainings_alone) == (6 * 3 * 3, 3 * (9 + 3 * 3))
    ends = {one.domain: one.ends for one in suite.alone}
    for pair in suite.pairs:
        record = pair.measured
        assert record.error.shared
        assert record.observed[[0, -1]] == pytest.approx([ends[pair.b].mean(), ends[pair.a].mean()])
        assert pair.curves.shape == (3, 5)
        assert pair.curves.mean(0) == pytest.approx(record.observed)
        parts = record.parts
        total = sum(getattr(parts, name).estimate.value for name in ("starvation", "confusion", "transfer"))
        assert total == pytest.approx(record.signed.value, abs=1e-12)
        assert parts.starvation.estimate.interval is not None
    assert suite.core_seconds_alone > 0


def test_pairs_of_one_domain_err_together(tmp_path: Path, finer: Path):
    """Replicates of pairs with a common domain go together, those of pairs without one do not."""
    raw = tiny.tiny(**FINER, dissimilarity__resamples=4000, dissimilarity__value="signed")
    run = Run.of(raw)
    shutil.copytree(finer, tmp_path / "again")
    with tiny.inside(tmp_path / "again"):
        sources = [run.layout.mixture_job(job) for job in run.plan.mixture_jobs]
        alone = [run.layout.alone_job(job) for job in run.plan.ends.jobs]
        reduce_dissimilarity(run, sources, run.layout.dissimilarity, alone)
    found = {(p.a, p.b): p.measured for p in suite_of(tmp_path / "again", raw).pairs}
    one, other = found["digits", "noisy"], found["digits", "wine"]
    expected = one.error.end_a * other.error.end_a  # what both have from digits alone, both errors Student's
    scale = one.error.df_a / (one.error.df_a - 2)
    measured = np.cov(one.replicates, other.replicates)[0, 1]
    assert measured == pytest.approx(expected * scale, rel=0.25)
    apart = np.corrcoef(found["digits", "digits"].replicates, found["wine", "wine"].replicates)[0, 1]
    assert abs(apart) < 0.06


@pytest.mark.parametrize("labels", ["told", "shared"])
def test_labels_name_what_is_scored(tmp_path: Path, finer: Path, labels: str):
    raw = tiny.tiny(**FINER, dissimilarity__labels=labels)
    shutil.copytree(finer, tmp_path / "run")
    run, before = Run.of(raw), tiny.units(finer, tiny.tiny(**FINER))
    kinds = {"told": (), "shared": ("interface", "mixtures", "alone")}[labels]
    wanted = [path for path, (kind, _) in run.plan.shards().items() if kind in kinds]
    tiny.make(tmp_path / "run", raw, only=[*wanted, run.layout.dissimilarity])
    suite = suite_of(tmp_path / "run", raw)
    assert suite.labels == labels
    if labels == "told":  # the same trainings, scored otherwise
        assert tiny.differing(before, tiny.units(tmp_path / "run", raw)) == []
        for pair in suite.pairs:
            assert pair.measured.parts.confusion.estimate.value == pytest.approx(0, abs=1e-12)
            assert pair.measured.observed == pytest.approx(pair.measured.parts.told)
        return
    with tiny.inside(tmp_path / "run"):
        found = storage.read_result(run.layout.interface, "interface", Interface, run.plan.ends.common)
    assert found.outputs == 3
    assert all(pair.measured.parts.confusion.estimate.value == 0 for pair in suite.pairs)


def test_without_controls_nothing_else_changes_and_it_is_said(tmp_path: Path, finer: Path, caplog):
    raw = tiny.tiny(**FINER, dissimilarity__controls=False)
    run = Run.of(raw)
    shutil.copytree(finer, tmp_path / "run")
    wanted = [path for path in run.plan.shards() if not (tmp_path / "run" / path).exists()]
    with caplog.at_level(logging.INFO, "aiq"):
        tiny.make(tmp_path / "run", raw, only=[*wanted, run.layout.dissimilarity])
    assert "no controls were trained: what fewer samples cost is not told" in caplog.text
    one, other = suite_of(finer, tiny.tiny(**FINER)), suite_of(tmp_path / "run", raw)
    assert np.array_equal(one.matrix, other.matrix)
    assert other.trainings_alone == 27
    assert all(pair.measured.parts.starvation is None for pair in other.pairs)


def test_both_orders_have_the_same_ends(tmp_path: Path):
    raw = tiny.tiny(**FINER, dissimilarity__both_orders=True)
    run = tiny.make(tmp_path, raw)
    suite = suite_of(tmp_path, raw)
    assert suite.trainings == 9 * 9
    for pair in suite.pairs:
        parts = pair.measured.parts
        total = sum(getattr(parts, name).estimate.value for name in ("starvation", "confusion", "transfer"))
        assert total == pytest.approx(pair.measured.signed.value, abs=1e-12)
        assert pair.measured.n == (3 if pair.a == pair.b else 6)
    assert run.configuration.dissimilarity.ends == "domain"


def test_ends_of_pairs_are_as_they_were(tmp_path: Path):
    raw = tiny.tiny(dissimilarity__ends="pair")
    run = tiny.make(tmp_path, raw)
    suite = suite_of(tmp_path, raw)
    assert (suite.trainings, suite.trainings_alone, suite.alone) == (6 * 2 * 3, 0, ())
    assert not (tmp_path / run.layout.interface).exists()
    assert not (tmp_path / "results/tiny/alone").exists()
    assert not any(pair.measured.error.shared for pair in suite.pairs)


def test_what_is_missing_is_refused_in_a_sentence(tmp_path: Path, finer: Path):
    raw = tiny.tiny(**FINER)
    run = Run.of(raw)
    shutil.copytree(finer, tmp_path / "run")
    with tiny.inside(tmp_path / "run"):
        job = run.plan.ends.jobs[0]
        path = run.layout.alone_job(job)
        units = shards.read(path, "alone")
        units.pop(next(iter(units)))
        shards.write(path, "alone", run.plan.ends.of_job(job), 7, units)
        with pytest.raises(StorageError, match="digits alone: the chunk digits"):
            read_alone(run, [run.layout.alone_job(j) for j in run.plan.ends.jobs], Cost())
        assert len(read_curves(run, [run.layout.mixture_job(j) for j in run.plan.mixture_jobs], Cost())) == 6


def test_a_control_suite_has_ends_of_domains_and_says_why_no_controls(tmp_path: Path, caplog, capsys):
    raw = tiny_control.control()
    with caplog.at_level(logging.INFO, "aiq"):
        run = tiny_control.make(tmp_path, raw)
    assert not run.configuration.controls
    reason = "a mixture of worlds has no share of steps in a domain that its proportion would tell"
    assert reason in caplog.text
    with tiny.inside(tmp_path):  # said in the table, in captions and on the screen as well, not only in the log
        tables = suite_tables(FinishedRun(run)).tables
        table = tables["dissimilarity"]()
        assert all(reason in note for note in table.column("note"))
        drawings = dissimilarity_figures(FinishedRun(run)).figures
        for name in ("dissimilarity-matrix", "mixture-normal+weak"):
            assert f"No controls: {reason}" in drawings[name]().caption
        Path("run.yaml").write_text(json.dumps(raw), encoding="utf-8")
        assert main(["summary", "run.yaml", "--all"]) == 0
        assert f"dissimilarities: no controls: {reason}" in capsys.readouterr().out
        assert main(["summary", "run.yaml", "--json"]) == 0
        assert reason in json.loads(capsys.readouterr().out)["notes"][0]
    suite = storage.read_result(
        tmp_path / run.layout.dissimilarity, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity()
    )
    assert [one.ends.shape for one in suite.alone] == [(6,)] * 3
    assert all(one.told_ends is None and one.controls.size == 0 for one in suite.alone)
    assert all(pair.measured.error.shared and pair.measured.parts is None for pair in suite.pairs)
    with_controls = tiny_control.control(dissimilarity__controls=True)
    again = tiny_control.make(tmp_path, with_controls)
    with tiny.inside(tmp_path):
        reduce_dissimilarity(
            again, [again.layout.mixture_job(j) for j in again.plan.mixture_jobs], again.layout.dissimilarity,
            [again.layout.alone_job(j) for j in again.plan.ends.jobs],
        )  # fmt: skip
    found = storage.read_result(tmp_path / again.layout.dissimilarity, "dissimilarity", SuiteDissimilarity)
    assert all(pair.measured.parts.starvation is not None for pair in found.pairs)
    assert np.array_equal(found.matrix, suite.matrix)


def test_distances_by_transfer_make_another_space_of_the_same_matrix(tmp_path: Path, finer: Path):
    """The identity of the sanity suite in a run: d² is twice the told area less those of both with themselves."""
    shutil.copytree(finer, tmp_path / "run")
    usual, raw = Run.of(tiny.tiny(**FINER)), tiny.tiny(**FINER, space__distance="transfer")
    run = tiny.make(tmp_path / "run", raw, only=[usual.layout.space])
    with tiny.inside(tmp_path / "run"):
        built = storage.read_result(run.layout.space, "space", Space, run.plan.space())
    assert built.distance == "transfer"
    assert any("soon learned" in sentence for sentence in built.warnings)
    assert built.bootstrap is not None
    told = np.zeros((3, 3))
    suite = suite_of(finer, tiny.tiny(**FINER))
    for pair in suite.pairs:
        i, j = (suite.domains.index(name) for name in (pair.a, pair.b))
        told[[i, j], [j, i]] = pair.measured.signed.value - pair.measured.parts.confusion.estimate.value
    squares = 2 * told - np.diag(told)[:, None] - np.diag(told)[None, :]
    np.testing.assert_allclose(
        (built.dissimilarity * built.largest_dissimilarity) ** 2, np.maximum(squares, 0), atol=1e-12
    )


def test_distances_by_transfer_of_a_control_suite(tmp_path: Path):
    run = tiny_control.make(tmp_path, tiny_control.control(space__distance="transfer"))
    built = storage.read_result(tmp_path / run.layout.space, "space", Space, run.plan.space())
    assert built.distance == "transfer"
    assert built.bootstrap is not None


def test_every_reason_for_missing_controls_is_a_sentence():
    for changes, words in (
        ({}, ""),
        ({"dissimilarity__controls": False}, "no controls were trained"),
        ({"dissimilarity__ends": "pair"}, "with ends of pairs no domain is trained alone"),
    ):
        assert without_controls(Run.of(tiny.tiny(**changes)).configuration).count(words or "no controls") == bool(words)
        assert bool(without_controls(Run.of(tiny.tiny(**changes)).configuration)) == bool(words)
