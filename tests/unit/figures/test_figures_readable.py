"""Figures stay readable: very many domains, names apart, hulls as the reference has them, numbers in words."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull

from aiq import figures
from aiq.figures import DomainTrials, MixturePair, dimensions, matrix, style
from aiq.figures.drawing import place_labels
from aiq.figures.space import faces, outline
from aiq.measures import complexity, dissimilarity, space
from aiq.records.estimate import Estimate
from aiq.seeding import generator

P = np.linspace(0, 1, 5)
COUNT = 41


def names(count: int) -> list[str]:
    return [f"d{k:03d}" for k in range(count)]


@cache
def pairs() -> tuple[MixturePair, ...]:
    """Domains on a line in a shuffled order; the area of a pair is its distance; two pairs lost a repetition."""
    count, lost = COUNT, 2
    place = generator(3, "line").permutation(count) / count
    entries = []
    for i, a in enumerate(names(count)):
        for j, b in enumerate(names(count)[i:], i):
            sag = 0.6 * abs(place[i] - place[j]) * P * (1 - P)
            noise = 0.002 * generator(i, "noise", str(j)).normal(size=(3, P.size))
            curves = np.clip(0.9 - sag + noise, 0, 1)
            if i < j and j == count - 1 and i >= count - 1 - lost:
                curves[0] = np.nan
            entries.append(MixturePair.of(a, b, dissimilarity.measure(P, curves, resamples=0), curves))
    return tuple(entries)


def records(among=None):
    """The dissimilarities by pair, of some domains alone where these are given."""
    return {(p.a, p.b): p.dissimilarity for p in pairs() if among is None or {p.a, p.b} <= set(among)}


def test_seriation_finds_the_order_of_a_line():
    place = generator(1, "line").permutation(50)
    order = matrix.seriation(np.abs(place[:, None] - place[None]).astype(float))
    assert list(place[order]) in (list(range(50)), list(range(49, -1, -1)))


def test_seriation_lives_with_unknown_cells_and_with_few_domains():
    values = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    values[0, 5] = values[5, 0] = np.nan
    assert sorted(matrix.seriation(values)) == list(range(6))
    assert matrix.seriation(np.full((4, 4), np.nan)) == [0, 1, 2, 3]
    assert matrix.seriation(np.zeros((2, 2))) == [0, 1]


@pytest.mark.parametrize(("count", "most"), [(3, 5), (5, 5), (6, 5), (200, 60)])
def test_domains_are_spread_evenly_over_their_ranks(count: int, most: int):
    values = generator(2, "values").permutation(count).astype(float)
    places = style.evenly(values, most)
    assert places == sorted(set(places))
    assert len(places) == min(count, most)
    ranks = np.sort(values[places])
    assert (ranks[0], ranks[-1]) == (0, count - 1)
    assert np.ptp(np.diff(ranks)) <= 1


MATRICES = {"dissimilarity": figures.dissimilarity_matrix, "part": partial(figures.part_matrix, part="signed")}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("count", [3, 24])
def test_long_names_beside_a_matrix_stay_on_the_page(name: str, count: int):
    among = {tuple(f"cifar10-noise-{domain}" for domain in pair): r for pair, r in records(names(count)).items()}
    figure = MATRICES[name](among).figure
    axes = figure.axes[0]
    for text in (axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()):
        box = text.get_window_extent()
        assert min(box.x0, box.y0) >= 0, text.get_text()
        assert box.x1 <= figure.bbox.x1, text.get_text()
        assert box.y1 <= figure.bbox.y1, text.get_text()


@pytest.mark.parametrize("name", MATRICES)
def test_a_large_matrix_has_no_numbers_few_names_and_neighbours_that_are_alike(name: str):
    drawing = MATRICES[name](records())
    axes = drawing.figure.axes[0]
    assert not axes.texts
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert 1 < len(labels) <= matrix.NAMES
    place = generator(3, "line").permutation(COUNT)
    at = [int(place[int(label[1:])]) for label in labels]
    assert at in (sorted(at), sorted(at, reverse=True))
    assert "puts alike ones side by side" in drawing.caption
    assert "Grey: " in drawing.caption
    assert {row[:2] for row in drawing.table.rows} >= set(records())
    assert axes.images[0].get_array().shape == (COUNT, COUNT)


def test_a_matrix_that_is_small_enough_keeps_numbers_and_order():
    axes = figures.dissimilarity_matrix(records(names(30))).figure.axes[0]
    assert len(axes.texts) == 900
    assert [label.get_text() for label in axes.get_yticklabels()] == names(30)


def test_the_overview_shows_every_pair_and_of_a_large_suite_those_that_stand_out():
    drawing = figures.mixture_overview(pairs())
    pictures = [axes for axes in drawing.figure.axes if axes.get_visible()]
    apart = sorted((p for p in pairs() if p.a != p.b), key=lambda p: -p.dissimilarity.value)
    flagged = sum(bool(p.dissimilarity.n_failed) or p.dissimilarity.crosses for p in apart)
    assert flagged > 2
    assert len(pictures) == 12 + min(6, flagged)
    titles = "\n".join(axes.get_title(loc="left") for axes in pictures)
    for pair in (*apart[:6], *apart[-6:], *(p for p in pairs() if p.dissimilarity.n_failed)):
        assert f"{pair.a} (a), {pair.b} (b)" in titles
    assert titles.count("1 repetitions lost") == 2
    assert len(drawing.table.rows) == len(pairs()) * P.size
    few = [pair for pair in pairs() if {pair.a, pair.b} <= set(names(24))]
    assert len(figures.mixture_overview(few).figure.axes) == 1


@cache
def trials(count: int) -> tuple[DomainTrials, ...]:
    entries = []
    for k, name in enumerate(names(count)):
        rng = generator(k, "trials")
        size = rng.uniform(3, 14, 40)
        reached = np.clip(0.95 / (1 + np.exp(4 + 5 * k / count - size)) * rng.uniform(0.9, 1, 40), 0, 1)
        entries.append(DomainTrials.of(name, complexity.measure(reached, size, resamples=0, k=8), reached, size))
    return tuple(entries)


def test_panels_of_very_many_domains_show_some_and_tell_of_all():
    measured = trials(61)
    panel = figures.complexity_panel(measured[:25])
    assert sum(axes.get_visible() for axes in panel.figure.axes) == style.PICTURES
    assert "24 of 25 domains" in panel.caption
    assert {row[0] for row in panel.table.rows} == set(names(25))
    bars = figures.complexity_values({m.domain: m.complexity for m in measured})
    assert len(bars.figure.axes[0].get_yticklabels()) == style.ROWS
    assert "60 of 61 domains" in bars.caption
    assert len(bars.table.rows) == 61
    assert bars.figure.get_figheight() < 18


def test_a_space_of_very_many_domains_names_the_outermost_and_stacks_the_largest():
    apart = matrix.filled({(a, b): r.distance * (a != b) for (a, b), r in records().items()}, names(COUNT))
    placed = space.build(names(COUNT), generator(5, "values").uniform(1, 2, COUNT), apart, dimensions=2)
    plane = figures.space_plane(placed)
    named = [text.get_text() for text in plane.figure.axes[0].texts if text.get_text()]
    assert len(named) == 40
    assert "the 40 outermost are named" in plane.caption
    stack = figures.contributions(placed)
    assert sum(patch.get_height() for patch in stack.figure.axes[0].patches) == pytest.approx(1)
    assert len(stack.figure.legends[0].get_texts()) == dimensions.SERIES
    assert len(stack.table.rows) == 2 * COUNT


# ---- Names beside points, hulls, numbers in words ------------------------------------------------


coordinates = st.floats(-1, 1, width=32).map(lambda x: round(x, 3))


def empty_axes(end: float) -> Axes:
    with style.look():
        figure = style.new_figure(4.0, 4.0)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.1, 0.1, 0.85, 0.85))
        axes.set(xlim=(-end, end), ylim=(-end, end))
        figure.draw_without_rendering()
    return axes


def placed(axes: Axes, points: np.ndarray, **given) -> list:
    with style.look():
        texts = place_labels(axes, points, [f"domain {k}" for k in range(len(points))], **given)
    return [text.get_window_extent() for text in texts]


@given(arrays(np.float64, st.tuples(st.integers(1, 9), st.just(2)), elements=coordinates))
@settings(max_examples=15, deadline=None)
def test_names_never_overlap_even_where_points_coincide(points):
    for a, b in combinations(placed(empty_axes(1.3), points), 2):
        assert min(a.x1, b.x1) <= max(a.x0, b.x0) or min(a.y1, b.y1) <= max(a.y0, b.y0)


def test_names_keep_off_lines_where_they_can():
    axes, point, line = empty_axes(1), np.zeros((1, 2)), np.array([[0.0, 0.0], [1.0, 0.0]])
    (free,), (kept,) = placed(axes, point), placed(axes, point, lines=[line])
    left, middle = axes.transData.transform([0, 0])
    assert free.y0 < middle < free.y1
    assert not (kept.y0 < middle < kept.y1 and kept.x1 > left)


@given(arrays(np.float64, st.tuples(st.integers(3, 12), st.just(2)), elements=coordinates))
@settings(max_examples=60, deadline=None)
def test_outline_is_the_convex_hull(points):
    if np.linalg.matrix_rank(points - points.mean(axis=0), tol=1e-2) < 2:
        return
    corners = outline(points)
    x, y = corners.T
    area = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area == pytest.approx(ConvexHull(points).volume)


def test_outline_of_flat_points():
    assert outline(np.array([[0.0, 0], [1, 1], [2, 2], [1, 1]])).tolist() == [[0, 0], [2, 2]]
    assert outline(np.zeros((3, 2))).tolist() == [[0, 0]]


def test_faces_enclose_the_hull():
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    triangles = faces(cube)
    apex = cube.mean(axis=0)
    assert sum(abs(np.linalg.det(t - apex)) / 6 for t in triangles) == pytest.approx(1)
    for flat in (cube[cube[:, 2] == 0], np.zeros((5, 3)), cube[:3]):
        assert faces(flat) is None


@pytest.mark.parametrize(
    ("value", "interval", "words"),
    [
        (8.848, (8.79, 9.05), "8.85 [8.79, 9.05]"),
        (0.03447, (0.0325, 0.0374), "0.0345 [0.0325, 0.0374]"),
        (123456.0, (120000.0, 130000.0), "123,456 [120,000, 130,000]"),
        (0.5, None, "0.5"),
        (0.0, (0.0, 0.0), "0.00000000 [0.00000000, 0.00000000]"),
    ],
)
def test_estimates_are_written_with_the_decimals_of_their_interval(value, interval, words):
    assert style.estimate_words(Estimate(value, interval, 3, "test")) == words


def test_series_are_told_apart_without_colour():
    looks = {(style.colour(k), style.marker(k)) for k in range(40)}
    assert len(looks) == 40
    assert len({(style.colour(k), style.hatch(k)) for k in range(40)}) == 40
    first = [(style.marker(k), str(style.line(k))) for k in range(8)]
    assert len(set(first)) == 8
