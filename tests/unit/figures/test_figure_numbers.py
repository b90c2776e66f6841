"""The table beside a figure holds the numbers of the records, and what is uncertain is said."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_hex
from scipy.stats import t

from aiq import figures
from aiq.errors import InputError
from aiq.figures import DomainTrials, MixturePair, style
from aiq.figures import space as drawn_space
from aiq.measures import complexity, dissimilarity, quotient, space
from aiq.records.comparison import BaselineComparison, Ranked
from aiq.records.dissimilarity import Alone
from aiq.records.estimate import Estimate
from aiq.records.matrix import Completion
from aiq.stats.ranks import rank_correlation

P = np.linspace(0, 1, 11)


def measured(**options) -> DomainTrials:
    performance, size = np.array([0.1, 0.2, 0.3, np.nan, 0.25]), np.array([4.0, 5.0, 8.0, 6.0, 9.0])
    return DomainTrials.of(
        "wine", complexity.measure(performance, size, **{"estimator": "minimum", **options}), performance, size
    )


def pair(a="a", b="b", height=0.05, repetitions=3, **options) -> MixturePair:
    noise = np.linspace(-0.01, 0.01, repetitions)[:, None] * np.ones((1, P.size))
    curves = 0.8 * P + 0.6 * (1 - P) - height * 4 * P * (1 - P) + noise
    return MixturePair.of(a, b, dissimilarity.measure(P, curves, resamples=20, **options), curves)


def three_domains(dimensions=2):
    distances = [[1e-6, 0.1, 0.1], [0.1, 1e-6, 0.08], [0.1, 0.08, 1e-6]]
    return space.build(["a", "b", "c"], [4, 2, 3], distances, dimensions=dimensions)


def rows(drawing, **wanted):
    return [row for row in drawing.table.dicts if all(row[key] == value for key, value in wanted.items())]


BEST_OF_2 = {"estimator": "best_of_k", "k": 2}


@pytest.mark.parametrize(
    ("options", "how", "said"),
    [
        ({}, "extrapolated", ["1 more failed and count for nothing"]),
        (BEST_OF_2, "filled", ["1 more failed and reach nothing", "smallest of k = 2 policies"]),
    ],
)
def test_area_of_the_bins_is_the_complexity_and_what_is_lost_or_filled_is_said(options, how, said):
    entry = measured(**options)
    drawing = figures.complexity_curve(entry)
    bins = rows(drawing, kind="bin")
    for column, value in (("size", entry.complexity.value), ("smallest", entry.complexity.minimum)):
        area = sum(row[column] * (row["performance_high"] - row["performance_low"]) for row in bins)
        assert area == pytest.approx(value)
    assert [row["filling"] for row in bins] == list(entry.complexity.curve.filling)
    assert all(words in drawing.caption for words in (*said, f"more than half is {how}", "falls as the pool grows"))
    assert drawing.figure.axes[0].get_title(loc="left").endswith("(!)")
    assert len(rows(drawing, kind="trial", filling="failed")) == 1
    assert f"More than half {how}: wine" in figures.complexity_panel([entry]).caption


def test_base_and_excess_are_stacked_and_the_minimum_is_beside():
    entry = measured(**BEST_OF_2)
    drawing = figures.complexity_values({"wine": entry.complexity})
    (row,) = rows(drawing, domain="wine")
    assert row["complexity"] == pytest.approx(row["base"] + row["excess"])
    assert (row["k"], row["minimum"]) == (2, entry.complexity.minimum)
    assert row["relative_excess"] == entry.complexity.best_of_k.relative_excess.value
    bars = [bar.get_width() for bar in drawing.figure.axes[0].patches]
    assert bars == pytest.approx([row["base"], row["excess"]])
    assert "no interval that could be trusted" in drawing.caption
    old = figures.complexity_values({"wine": measured().complexity})
    assert "which falls as the pool grows" in old.caption


def test_the_curve_against_k_marks_the_chosen_one():
    performance, size = np.linspace(0.1, 0.9, 40), np.linspace(9.0, 4.0, 40)
    curve = complexity.by_k(performance, size, chosen=16)
    drawing = figures.complexity_by_k({"wine": curve})
    (row,) = rows(drawing, k=16)
    assert row["chosen"]
    assert row["mccp_k"] == curve.estimates[curve.ks.index(16)].value
    assert rows(drawing, k=40)[0]["mccp_k_low"] is None
    assert "k = 16" in drawing.caption


def test_observed_and_filled_bins_look_different_and_units_follow_the_size():
    entry = measured(envelope="within")
    fillings = set(entry.complexity.curve.filling)
    assert {"observed", "extrapolated", "interpolated"} <= fillings
    axes = figures.complexity_curve(entry, unit="bytes").figure.axes[0]
    looks = {(to_hex(bar.get_facecolor()), bar.get_hatch()) for bar in axes.patches if hasattr(bar, "get_width")}
    assert len(looks) == len(fillings)
    assert axes.get_ylabel() == "policy size (bytes)"
    open_ended = figures.complexity_curve(measured(extrapolate="none"), unit="compressed")
    assert any(row["size"] is None for row in rows(open_ended, filling="omitted"))
    assert open_ended.figure.axes[0].get_ylabel() == "policy size (compressed bytes)"


def test_area_of_the_mixture_curve_is_the_dissimilarity_and_its_interval_students():
    entry = pair()
    points = rows(figures.mixture_curve(entry))
    gap = [abs(row["observed"] - row["line"]) for row in points]
    assert np.trapezoid(gap, [row["p"] for row in points]) == pytest.approx(entry.dissimilarity.value)
    half = t.ppf(0.975, entry.dissimilarity.error.df) * 0.01 / np.sqrt(3)  # all variances alike: moderation moves none
    assert [row["observed_high"] - row["observed_low"] for row in points] == pytest.approx([2 * half] * 11, rel=1e-6)
    assert pair(repetitions=1).band() is None
    older = replace(entry.dissimilarity, error=None, point_errors=np.zeros(0))  # then it comes from the repetitions
    low, high = MixturePair.of("a", "b", older, entry.repetitions).band()
    assert high - low == pytest.approx(np.full(11, 2 * 4.302653 * 0.01 / np.sqrt(3)), rel=1e-6)


def test_shared_ends_are_drawn_with_their_own_interval():
    entry = pair()
    ends = [entry.dissimilarity.observed[k] + np.array([-0.02, 0, 0.02]) for k in (-1, 0)]
    curves = np.array(entry.repetitions)
    record = dissimilarity.measure(P, curves[:, 1:-1], ends=ends, resamples=5)
    curves[:, [0, -1]] = np.nan
    shared = MixturePair.of("a", "b", record, curves)
    assert len(shared.complete) == 3
    low, high = shared.band()
    assert high[0] - low[0] > 1.5 * (high[5] - low[5])
    assert figures.mixture_curve(shared).table.rows


def test_the_parts_of_a_mixture_curve_are_its_numbers():
    entry = pair()
    alone = [Alone(P[1:], entry.repetitions[:, 1:] * 0 + 0.8 + 0.05 * P[1:])] * 2
    parts = dissimilarity.decompose(P, entry.repetitions, told=entry.repetitions + 0.005, alone=alone)
    record = replace(entry.dissimilarity, parts=parts)
    drawing = figures.mixture_curve(MixturePair.of("a", "b", record, entry.repetitions))
    points = rows(drawing)
    assert [row["told"] - row["observed"] for row in points] == pytest.approx([0.005] * 11)
    assert [row["control"] for row in points] == pytest.approx(list(parts.control))
    for word in ("starvation", "confusion 0.005", "transfer", "add up to the signed area"):
        assert word in drawing.caption
    matrix = figures.part_matrix({("a", "b"): record}, part="confusion")
    assert rows(matrix)[0]["value"] == pytest.approx(0.005)
    assert "no sign of being different" in matrix.caption


def test_failed_repetitions_are_counted_and_not_drawn():
    curves = np.vstack([pair().repetitions, np.full((1, 11), np.nan)])
    entry = MixturePair.of("a", "b", dissimilarity.measure(P, curves, resamples=5), curves)
    assert len(entry.complete) == 3
    assert "1 more failed" in figures.mixture_curve(entry).caption


def test_cells_that_noise_alone_may_have_made_are_hatched():
    """By a pair's own interval where it has one, whatever the noise floor is; by the floor where it has none."""
    heights = {("a", "a"): 0.004, ("b", "b"): 0.05, ("a", "b"): 0.005, ("a", "c"): 0.03, ("b", "c"): 0.02}
    records = {names: pair(height=height).dissimilarity for names, height in heights.items()}
    records["b", "c"] = dissimilarity.measure(P, records["b", "c"].observed, resamples=5)
    floor = dissimilarity.noise_floor([records["a", "a"], records["b", "b"]], resamples=5)
    drawing = figures.dissimilarity_matrix(records, floor=floor)
    apart = {(row["a"], row["b"]) for row in rows(drawing, told_apart=True)}
    holds_0 = {names for names, r in records.items() if r.signed.interval and np.prod(r.signed.interval) <= 0}
    assert ("a", "c") in apart
    assert apart == {p for a, b in records.keys() - holds_0 - {("b", "c")} for p in ((a, b), (b, a))}
    assert "without an interval, the value is at or below the noise floor" in drawing.caption
    assert "1 cells with a dash" in drawing.caption
    assert sum(bar.get_hatch() is not None for bar in drawing.figure.axes[0].patches) == 8 - len(apart)


def test_both_orders_keep_their_own_numbers():
    records = {("a", "b"): pair(height=0.02).dissimilarity, ("b", "a"): pair(height=0.03).dissimilarity}
    drawing = figures.dissimilarity_matrix(records)
    values = {(row["a"], row["b"]): row["dissimilarity"] for row in rows(drawing)}
    assert values == {names: record.value for names, record in records.items()}
    assert "noise floor was not measured" in drawing.caption


def test_completed_cells_are_told_from_measured_ones():
    records = {("a", "b"): pair(height=0.02).dissimilarity, ("a", "c"): pair(height=0.03).dissimilarity}
    matrix = np.array([[0, 0.013, 0.02], [0.013, 0, 0.015], [0.02, 0.015, 0]])
    mask = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 1]])
    completion = Completion(matrix, matrix, matrix, mask, (0,), np.zeros((3, 1)), np.zeros(3), 0.0)
    drawing = figures.dissimilarity_matrix(records, domains=["a", "b", "c"], completion=completion)
    assert [(row["a"], row["b"]) for row in rows(drawing, measured=False)] == [("b", "c"), ("c", "b")]
    slanted = [t.get_text() for t in drawing.figure.axes[0].texts if t.get_fontstyle() == "italic"]
    assert slanted == ["15.0", "15.0"]


def test_contributions_add_up_and_the_spectrum_has_all_eigenvalues_and_marks_the_kept():
    drawing = figures.contributions(three_domains())
    assert sum(drawing.table.column("part_of_space")) == pytest.approx(1)
    for dimension in (1, 2):
        assert sum(row["share_of_dimension"] for row in rows(drawing, dimension=dimension)) == pytest.approx(1)
    table = figures.spectrum(three_domains()).table
    assert table.column("eigenvalue") == pytest.approx(list(three_domains().spectrum))
    assert list(table.column("kept")) == [True, True, False]


def test_opacities_are_what_matplotlib_takes():
    """1 at the nearest point, however the depths are rounded: it refuses 1.0000000000000002."""
    axes, rng = SimpleNamespace(elev=22.0, azim=-52.0), np.random.default_rng(3)
    for _ in range(3000):
        opacities = drawn_space._nearness(rng.normal(size=(20, 3)), axes)
        assert opacities.min() == pytest.approx(0.45)
        assert 1 - 1e-12 < opacities.max() <= 1
    assert drawn_space._nearness(np.ones((2, 3)), axes).tolist() == [1, 1]


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_agents_lie_inside_the_suite(dimensions):
    drawing = figures.space_solid(three_domains(dimensions), agents={"half": [0.5, 0.5, 0.5]})
    suite, agent = rows(drawing, agent=None), rows(drawing, agent="half")
    axis = f"dimension_{dimensions}"
    assert [row[axis] for row in agent] == pytest.approx([row[axis] / 2 for row in suite])
    assert ("There is no third dimension" in drawing.caption) == (dimensions < 3)


def test_scores_are_those_of_the_record():
    scores = quotient.score(three_domains(), ["good", "flat"], [[0.9, 0.8, 0.9], [0.9, 0.0, 0.0]])
    drawing = figures.agent_scores(scores)
    assert [row["agent"] for row in rows(drawing)] == ["good", "flat"]
    assert [row["relative"] for row in rows(drawing)] == [agent.relative.value for agent in scores.agents]
    assert "Without volume because their points span fewer dimensions: flat." in drawing.caption
    assert "No intervals" in drawing.caption


def test_intervals_are_drawn_where_they_lie_not_where_the_value_is():
    with style.look():
        axes = style.new_figure(2, 2).subplots()
        estimates = [Estimate(7.5, (8.0, 9.0), 3, "t"), Estimate(1.0, None, 1, "t")]
        style.interval_bars(axes, "x", estimates, np.arange(2.0))
    assert axes.collections[0].get_segments()[0][:, 0] == pytest.approx([8.0, 9.0])


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: figures.complexity_panel([]), "no domain"),
        (lambda: figures.complexity_entropy({}, {}, quantity="sum"), "allowed are mean, observations"),
        (lambda: figures.mixture_overview([]), "no pair"),
        (lambda: figures.dissimilarity_matrix({("a", "b"): pair().dissimilarity}, domains=["a"]), "not among a"),
        (lambda: figures.complexity_curve(measured(), unit="log"), "did you mean 'log2'"),
        (lambda: figures.part_matrix({("a", "b"): pair().dissimilarity}), "no pair has a value of transfer"),
        (lambda: figures.part_matrix({}, part="transfers"), "did you mean 'transfer'"),
        (lambda: figures.space_plane(three_domains(), agents={"x": [0.5, 0.5]}), "2 performances; the space has 3"),
        (lambda: figures.space_plane(three_domains(), agents={"x": [0.5, 0.5, 1.5]}), "outside"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(draw, words):
    with pytest.raises(InputError, match=words):
        draw()


@pytest.mark.parametrize("size", [0.0004, 0.003, 0.05, 0.3])
def test_numbers_on_the_axis_of_parts_keep_apart(size):
    rng = np.random.default_rng(0)
    curves = np.clip(0.6 - size * 4 * P * (1 - P) + 0.1 * size * rng.standard_normal((3, 11)), 0, 1)
    alone = [Alone(P[1:], np.tile(0.6 - size * (1 - P[1:]), (3, 1)))] * 2
    parts = dissimilarity.decompose(P, curves, told=curves + size / 2, alone=alone)
    record = replace(dissimilarity.measure(P, curves, resamples=20), parts=parts)
    figure = figures.mixture_curve(MixturePair.of("a", "b", record, curves)).figure
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in figure.axes[1].get_xticklabels() if label.get_text()]
    low, high = figure.axes[1].get_window_extent().extents[[0, 2]]
    inside = [box for box in boxes if low - 1 <= (box.x0 + box.x1) / 2 <= high + 1]
    assert len(inside) >= 2
    assert all(b.x0 - a.x1 > 6 for a, b in itertools.pairwise(inside))


def test_a_baseline_whose_package_is_missing_is_in_the_table_and_has_no_row():
    why, ours = "problexity is not installed: pip install 'aiq[baselines]'", np.arange(6.0)
    there = Ranked("domains", "complexity", "linear_error", "an error", rank_correlation(ours, ours**2))
    absent = Ranked("domains", "complexity", "f1", "an overlap", rank_correlation(ours[:0], ours[:0]))
    drawing = figures.known_baselines(BaselineComparison((there, absent), 0.95, (why,)))
    (axes,) = drawing.figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["linear error"]
    assert len(drawing.table.rows) == 2
    assert why[1:] in drawing.caption
    assert "there are 0" not in drawing.caption
