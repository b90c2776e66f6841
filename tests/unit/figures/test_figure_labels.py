"""Names are placed apart, hulls are outlined as the reference finds them, numbers are written with sense."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.axes import Axes
from scipy.spatial import ConvexHull

from aiq.figures import style
from aiq.figures.labels import place_labels
from aiq.figures.solid import faces
from aiq.figures.space import outline
from aiq.records.estimate import Estimate

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
    middle = axes.transData.transform([0, 0])[1]
    assert free.y0 < middle < free.y1
    assert not (kept.y0 < middle < kept.y1 and kept.x1 > axes.transData.transform([0, 0])[0])


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
    assert triangles is not None
    apex = cube.mean(axis=0)
    assert sum(abs(np.linalg.det(t - apex)) / 6 for t in triangles) == pytest.approx(1)
    assert faces(cube[cube[:, 2] == 0]) is None
    assert faces(np.zeros((5, 3))) is None
    assert faces(cube[:3]) is None


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
