"""Small parts of the studies of coverage and of dimensions, with bounds that a broken interval fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aiq.measures import dissimilarity
from studies import chain_tables, chain_truth, coverage_chain, coverage_noise
from studies.cells import Cells
from studies.chain_estimates import Found, Said, estimate
from studies.chain_truth import Design, Measured
from studies.coverage_paired import AT, drawn, intervals, run
from studies.dimensions_of_noise import _weights, carried, curves, kept, tried
from studies.levels_noise import spread_of_halves

# ---- the whole chain -----------------------------------------------------------------------------

CELLS = (Design(6, 3, "unbounded", 64, 5, 8, ends="pair", easy=2), Design(5, 2, "bounded", 64, 3, 16))
SUITES = 16
BOUNDS = {
    "complexity": 0.85,
    "relative_excess": 0.80,
    "signed": 0.90,
    "per_dimension": 0.85,
    "relative_given_d": 0.85,
    "per_dimension_by_excess": 0.85,
    "relative_given_d_by_excess": 0.85,
    "right_d": 0.80,
}


def coverage(says: Callable[[Measured, Design, int], Found]) -> dict[str, float]:
    """Mean coverage of both cells."""
    rows = [coverage_chain.study(design, SUITES, says) for design in CELLS]
    return {what: float(np.mean([row[what] for row in rows])) for what in BOUNDS}


@pytest.fixture(scope="module")
def said() -> Callable[[Measured, Design, int], Found]:
    """What the chain says, each suite estimated once for all tests."""
    known: dict[tuple[Design, int], Found] = {}

    def says(measured: Measured, design: Design, seed: int) -> Found:
        key = (design, seed)
        if key not in known:
            known[key] = estimate(measured, design, seed)
        return known[key]

    return says


def test_every_interval_of_the_chain_covers(said):
    found = coverage(said)
    assert all(found[what] >= bound for what, bound in BOUNDS.items()), found


def test_the_bounds_fail_intervals_that_are_too_narrow(said):
    def narrow(one: Said) -> Said:
        middle = one.interval.mean(axis=1, keepdims=True)
        return replace(one, interval=middle + (one.interval - middle) * 0.5)

    def broken(measured: Measured, design: Design, seed: int) -> Found:
        found = said(measured, design, seed)
        return replace(found, said={what: narrow(one) for what, one in found.said.items()})

    found = coverage(broken)
    assert all(found[what] < bound for what, bound in BOUNDS.items() if what != "right_d"), found


@pytest.mark.parametrize("luck", ["bounded", "unbounded"])
def test_the_true_complexity_is_the_mean_over_fresh_pools(luck: str):
    design = Design(5, 2, luck, 16, 3, 8)
    rng = np.random.default_rng(3)
    suite = chain_truth.draw(design, rng)
    levels = np.arange(chain_truth.BINS) / chain_truth.BINS
    found = []
    for _ in range(1500):
        measured = chain_truth.measure(suite, design, rng)
        size, largest = np.log2(measured.parameters), np.log2(measured.largest)
        reach = measured.performance[:, :, None] >= levels
        found.append(np.where(reach, size[:, :, None], largest[:, None, None]).min(axis=1).mean(axis=1))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    true = [chain_truth.complexity(test, luck, 16).value for test in suite.tests]
    assert np.abs((mean - true) / error).max() < 4


@pytest.mark.parametrize("euclidean", [True, False])
def test_suites_are_what_they_claim(euclidean: bool):
    design = Design(6, 3, "bounded", 64, 3, 8, euclidean=euclidean)
    rng = np.random.default_rng(1)
    for _ in range(20):
        suite = chain_truth.draw(design, rng)
        spectrum = np.linalg.eigvalsh(suite.gram)[::-1]
        assert (spectrum[:3] >= chain_truth.THINNEST - 1e-9).all()
        assert np.abs(spectrum[3:-1]).max() < 1e-9
        assert (spectrum[-1] < -1e-4) != euclidean
        assert np.diag(suite.gram) == pytest.approx(np.ones(6))
        assert suite.gram[0, 1] == pytest.approx(0, abs=1e-12)
        p = chain_truth.POINTS
        line = suite.ends[0] * p + suite.ends[1] * (1 - p)
        assert np.trapezoid(line - chain_truth.curves(suite)[0, 1], p) == pytest.approx(suite.area[0, 1])


@pytest.mark.parametrize("ends", ["pair", "domain"])
def test_signal_to_noise_is_what_the_cell_says(ends: str):
    design = Design(5, 2, "bounded", 16, 5, 8, ends=ends)
    rng = np.random.default_rng(5)
    suite = chain_truth.draw(design, rng)
    signed = []
    for _ in range(2000):
        measured = chain_truth.measure(suite, design, rng)
        curve = measured.curves[0, 1].mean(axis=0)
        if ends == "domain":
            curve[[0, -1]] = measured.ends[1].mean(), measured.ends[0].mean()
        line = curve[0] + (curve[-1] - curve[0]) * chain_truth.POINTS
        signed.append(np.trapezoid(line - curve, chain_truth.POINTS))
    pairs = suite.area[np.triu_indices(5, 1)]
    assert pairs.mean() / np.std(signed) == pytest.approx(8, rel=0.06)
    assert np.mean(signed) == pytest.approx(suite.area[0, 1], abs=4 * np.std(signed) / np.sqrt(2000))


def test_the_command_line_says_what_the_functions_say():
    design = Design(5, 2, "bounded", 64, 3, 8, ends="pair")
    rng = np.random.default_rng(4)
    measured = chain_truth.measure(chain_truth.draw(design, rng), design, rng)
    functions, tables = estimate(measured, design, 1), chain_tables.estimate(measured, design, 1)
    for what in ("complexity", "relative_excess", "signed"):
        assert tables.said[what].value == pytest.approx(functions.said[what].value)
        assert tables.said[what].interval == pytest.approx(functions.said[what].interval)
    assert tables.dimensions == functions.dimensions
    apart = np.abs(tables.said["per_dimension"].value - functions.said["per_dimension"].value)
    assert apart.max() < 1e-6


# ---- suites whose tests do not differ ------------------------------------------------------------


def test_one_dimension_is_kept_and_replicates_keep_more():
    """One processor second: eight suites of six tests."""
    (row,) = coverage_noise.run(True, Cells(None, "test", lambda line: None))
    assert row["one"] >= 0.75
    assert 0.2 < row["more"] < 0.9
    assert row["more_least"] <= row["more"] <= row["more_most"]
    assert 0.4 < row["signal"] < 1.1
    assert row["covered"] >= 0.8
    assert 0 < row["width"] < 0.4


def test_the_error_of_a_signed_area_is_that_of_the_curves():
    departures = curves(np.random.default_rng(3), 80, 0, 0.0)
    areas = np.trapezoid(departures, AT, axis=-1)
    assert areas.std() == pytest.approx(np.sqrt((_weights() ** 2).sum()), rel=0.03)
    assert areas.mean() == pytest.approx(0, abs=0.03)


def test_a_sagging_curve_has_the_area_that_is_asked_for():
    areas = np.trapezoid(curves(np.random.default_rng(3), 80, 40, 3.0), AT, axis=-1)
    assert areas[:40, 40:].mean() == pytest.approx(3.0, rel=0.03)  # the trapezoid cuts 1 % off the parabola
    assert areas[:40, :40].mean() == pytest.approx(0, abs=0.05)


def test_without_noise_tests_that_are_apart_make_two_dimensions_and_equal_ones_fewer():
    apart = curves(np.random.default_rng(3), 6, 2, 1e6)
    assert carried(6, apart) == kept(6, apart) == 2
    assert tried(6, 0, 0.0, 25)["default keeps, mean"] < 2


def test_more_tests_that_do_not_differ_make_more_dimensions_by_the_paper_s_reading():
    found = [tried(tests, 0, 0.0, 10)["carry 90 %, mean"] for tests in (4, 9)]
    assert found[1] > found[0] + 0.5


def test_halves_of_a_pool_of_equal_policies_have_one_minimum_and_of_unequal_ones_do_not():
    rng = np.random.default_rng(3)
    alike = spread_of_halves(np.full(8, 0.5), np.full(8, 4.0), rng)
    assert alike == pytest.approx(np.zeros(alike.size))
    unlike = spread_of_halves(np.array([1.0, *[0.5] * 7]), np.array([2.0, *[8.0] * 7]), rng)
    assert (np.abs(unlike) > 1).all()  # one half has the small policy that reaches everything, the other has not


# ---- errors from whole repetitions ---------------------------------------------------------------


def test_whole_repetitions_cover_and_points_do_not_where_much_is_shared():
    rows = {(row["shared"], row["errors from"]): row["covers"] for row in run(quick=True)}
    for shared in (0.0, 1.0, 3.0):
        assert rows[shared, "whole"] == pytest.approx(0.95, abs=4 * 0.007)
    assert rows[0.0, "points"] == pytest.approx(0.95, abs=4 * 0.007)
    assert rows[3.0, "points"] < 0.85


def test_the_error_is_that_of_the_mean_of_areas():
    curves = np.clip(0.5 + 0.05 * np.random.default_rng(1).standard_normal((4, 11)), 0, 1)
    areas = [dissimilarity.measure(AT, one, resamples=0).signed.value for one in curves]
    found = dissimilarity.measure(AT, curves, paired=True, resamples=20_000)
    assert found.paired
    assert found.error is not None
    assert found.error.se == pytest.approx(np.std(areas, ddof=1) / 2)
    assert found.error.df == 3
    one_by_one = dissimilarity.measure(AT, curves, resamples=20)
    assert found.signed.value == pytest.approx(one_by_one.signed.value)
    # draws of the curve have the error of the area: Student's, 3 degrees of freedom, variance 3
    assert found.point_errors == pytest.approx(curves.std(axis=0, ddof=1) / 2)


def test_equal_repetitions_know_no_error():
    found = dissimilarity.measure(AT, np.tile(np.full(11, 0.4), (3, 1)), paired=True, resamples=10)
    assert found.signed.interval is None


def test_the_intervals_of_the_study_are_those_of_the_measure():
    curves = drawn(np.random.default_rng(3), 4, 2.0, "hump")
    for name, interval in intervals(curves).items():
        found = dissimilarity.measure(AT, curves, paired=name == "whole", resamples=0)
        assert interval == pytest.approx(found.signed.interval)
