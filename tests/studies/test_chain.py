"""A small part of the whole chain's coverage, with bounds that a broken interval fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from studies import chain_tables, chain_truth, coverage_chain
from studies.chain_estimates import Found, Said, estimate
from studies.chain_truth import Design, Measured

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
        area = np.trapezoid(
            suite.ends[0] * chain_truth.POINTS
            + suite.ends[1] * (1 - chain_truth.POINTS)
            - chain_truth.curves(suite)[0, 1],
            chain_truth.POINTS,
        )
        assert area == pytest.approx(suite.area[0, 1])


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
