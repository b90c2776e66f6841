"""The 2020 similarities in the report of a suite: from its mixtures and ends, without training."""

from pathlib import Path

import numpy as np
import pytest
import tiny
from scipy import stats

from aiq import storage
from aiq.explain.finished import FinishedRun
from aiq.plans.run import Run
from aiq.records.dissimilarity import Similarity
from aiq.report import suite as figures
from aiq.run.reducing.dissimilarity import SuiteDissimilarity, suite_similarities
from aiq.tables.columns import similarity_table

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PAIRS = {"dissimilarity__ends": "pair", "dissimilarity__value": "plain", "dissimilarity__estimator": "average_first"}


def found_in(folder: Path, raw: dict) -> tuple[Run, SuiteDissimilarity, dict[tuple[str, str], Similarity]]:
    run = Run.of(raw)
    path = folder / run.layout.dissimilarity
    suite = storage.read_result(path, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())
    return run, suite, suite_similarities(run, suite)


def test_every_measured_pair_has_one_from_ends_of_domains(alone: Path):
    _, suite, found = found_in(alone, tiny.TINY)
    assert list(found) == [(pair.a, pair.b) for pair in suite.pairs]
    ends = {part.domain: part.ends for part in suite.alone}
    for (a, b), record in found.items():
        high, low = sorted((ends[a].mean(), ends[b].mean()), reverse=True)
        assert (record.v_a.value, record.v_b.value) == (pytest.approx(high), pytest.approx(low))
        assert record.self_pair == (a == b)
        if a == b:
            assert (record.value, record.segments) == (None, ())
            assert record.note.startswith("self pair")
            continue
        middle = suite.pair(a, b).curves[:, 1]
        assert record.v_ab.value == pytest.approx(middle.mean())
        error = np.sqrt(ends[a].var(ddof=1) / ends[a].size + ends[b].var(ddof=1) / ends[b].size)
        assert record.separation == pytest.approx((high - low) / error)
        assert (record.value is None) == (high - low < 2 * error)
        assert (record.note == "undetermined: V_A and V_B cannot be told apart") == (record.value is None)
    assert any(record.value is not None for record in found.values())


def test_the_performances_alone_have_the_noise_of_their_ends(alone: Path):
    _, suite, found = found_in(alone, tiny.TINY)
    ends = {part.domain: part.ends for part in suite.alone}
    for (a, b), record in found.items():
        easier = ends[b if record.swapped else a]
        half = stats.t.ppf(0.975, easier.size - 1) * easier.std(ddof=1) / np.sqrt(easier.size)
        low, high = record.v_a.interval
        assert (high - low) / 2 == pytest.approx(half)
        assert half > 0


def test_it_is_the_area_of_2025_where_the_curve_has_three_points(tmp_path: Path):
    raw = tiny.tiny(**PAIRS, dissimilarity__proportions=3)
    tiny.make(tmp_path, raw)
    _, suite, found = found_in(tmp_path, raw)
    compared = 0
    for pair in suite.pairs:
        record = found[pair.a, pair.b]
        inside = record.v_b.value <= record.v_ab.value <= record.v_a.value
        if record.value is not None and inside:
            gap = record.v_a.value - record.v_b.value
            assert record.absolute == pytest.approx(4 * abs(pair.measured.signed.value) / gap)
            b, m, a = pair.curves.mean(axis=0)
            departure = abs(m - (a + b) / 2)
            assert record.absolute == pytest.approx(2 * departure / gap)
            compared += 1
    assert compared


def test_figure_and_table_say_why_a_cell_is_empty(alone: Path):
    run, _, found = found_in(alone, tiny.TINY)
    with tiny.inside(alone):
        drawing = figures.dissimilarity_figures(FinishedRun(run))
        matrix = drawing.figures["similarity-matrix"]()
    table = similarity_table(found)
    assert len(matrix.table.rows) == len(table.rows) == len(found)
    for record, value, note in zip(found.values(), table.column("similarity"), table.column("note"), strict=True):
        assert value == record.value
        assert (note is not None) == bool(record.note)
        assert value is not None or note


def test_it_is_shown_only_where_it_can_be_read():
    def names(**changes):
        plan = Run.of(tiny.tiny(**changes)).plan
        return {name for made in plan.products() for name in (*made.figure_names(plan), *made.table_names(plan))}

    assert {"similarity-matrix", "similarity"} <= names()
    assert not {"similarity-matrix", "similarity"} & names(dissimilarity__proportions=4)
    assert {"similarity-matrix", "similarity"} <= names(dissimilarity__proportions=5)


def test_of_several_proportions_that_of_equal_shares_is_read(tmp_path: Path):
    raw = tiny.tiny(**PAIRS, dissimilarity__proportions=5, similarity={"absolute": True})
    tiny.make(tmp_path, raw)
    _, suite, found = found_in(tmp_path, raw)
    for pair in suite.pairs:
        record = found[pair.a, pair.b]
        assert record.v_ab.value == pytest.approx(pair.curves[:, 2].mean())
        assert record.at == 0.5
