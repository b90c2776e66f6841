"""Figures of very many domains: ordered, thinned, bounded, and complete in the table beside them."""

from functools import cache, partial

import numpy as np
import pytest

from aiq import figures
from aiq.figures import DomainTrials, MixturePair, dimensions, matrix, style
from aiq.measures import complexity, dissimilarity, space
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
    found = []
    for i, a in enumerate(names(count)):
        for j, b in enumerate(names(count)[i:], i):
            sag = 0.6 * abs(place[i] - place[j]) * P * (1 - P)
            noise = 0.002 * generator(i, "noise", str(j)).normal(size=(3, P.size))
            curves = np.clip(0.9 - sag + noise, 0, 1)
            if i < j and j == count - 1 and i >= count - 1 - lost:
                curves[0] = np.nan
            found.append(MixturePair.of(a, b, dissimilarity.measure(P, curves, resamples=0), curves))
    return tuple(found)


def records(found):
    return {(pair.a, pair.b): pair.dissimilarity for pair in found}


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
    found = style.evenly(values, most)
    assert found == sorted(set(found))
    assert len(found) == min(count, most)
    ranks = np.sort(values[found])
    assert (ranks[0], ranks[-1]) == (0, count - 1)
    assert np.ptp(np.diff(ranks)) <= 1


MATRICES = {"dissimilarity": figures.dissimilarity_matrix, "part": partial(figures.part_matrix, part="signed")}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("count", [3, 24])
def test_long_names_beside_a_matrix_stay_on_the_page(name: str, count: int):
    among = {(a, b): one for (a, b), one in records(pairs()).items() if {a, b} <= set(names(count))}
    figure = MATRICES[name]({(f"cifar10-noise-{a}", f"cifar10-noise-{b}"): one for (a, b), one in among.items()}).figure
    axes = figure.axes[0]
    for text in (axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()):
        box = text.get_window_extent()
        assert min(box.x0, box.y0) >= 0, text.get_text()
        assert box.x1 <= figure.bbox.x1, text.get_text()
        assert box.y1 <= figure.bbox.y1, text.get_text()


@pytest.mark.parametrize("name", MATRICES)
def test_a_large_matrix_has_no_numbers_few_names_and_neighbours_that_are_alike(name: str):
    found = records(pairs())
    drawing = MATRICES[name](found)
    axes = drawing.figure.axes[0]
    assert not axes.texts
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert 1 < len(labels) <= matrix.NAMES
    place = generator(3, "line").permutation(COUNT)
    at = [int(place[int(label[1:])]) for label in labels]
    assert at in (sorted(at), sorted(at, reverse=True))
    assert "puts alike ones side by side" in drawing.caption
    assert "Grey: " in drawing.caption
    assert {row[:2] for row in drawing.table.rows} >= set(found)
    assert axes.images[0].get_array().shape == (COUNT, COUNT)


def test_a_matrix_that_is_small_enough_keeps_numbers_and_order():
    found = {pair: record for pair, record in records(pairs()).items() if set(pair) <= set(names(30))}
    axes = figures.dissimilarity_matrix(found).figure.axes[0]
    assert len(axes.texts) == 900
    assert [label.get_text() for label in axes.get_yticklabels()] == names(30)


def test_the_overview_shows_every_pair_and_of_a_large_suite_those_that_stand_out():
    found = pairs()
    drawing = figures.mixture_overview(list(found))
    shown = [axes for axes in drawing.figure.axes if axes.get_visible()]
    apart = sorted((p for p in found if p.a != p.b), key=lambda p: -p.dissimilarity.value)
    flagged = sum(bool(p.dissimilarity.n_failed) or p.dissimilarity.crosses for p in apart)
    assert flagged > 2
    assert len(shown) == 12 + min(6, flagged)
    titles = "\n".join(axes.get_title(loc="left") for axes in shown)
    for pair in (*apart[:6], *apart[-6:], *(p for p in found if p.dissimilarity.n_failed)):
        assert f"{pair.a} (a), {pair.b} (b)" in titles
    assert titles.count("1 repetitions lost") == 2
    assert len(drawing.table.rows) == len(found) * P.size
    few = [pair for pair in found if {pair.a, pair.b} <= set(names(24))]
    assert len(figures.mixture_overview(few).figure.axes) == 1


@cache
def trials(count: int) -> tuple[DomainTrials, ...]:
    found = []
    for k, name in enumerate(names(count)):
        rng = generator(k, "trials")
        size = rng.uniform(3, 14, 40)
        reached = np.clip(0.95 / (1 + np.exp(4 + 5 * k / count - size)) * rng.uniform(0.9, 1, 40), 0, 1)
        found.append(DomainTrials.of(name, complexity.measure(reached, size, resamples=0, k=8), reached, size))
    return tuple(found)


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
    found = records(pairs())
    apart = matrix.filled({(a, b): one.distance * (a != b) for (a, b), one in found.items()}, names(COUNT))
    made = space.build(names(COUNT), generator(5, "values").uniform(1, 2, COUNT), apart, dimensions=2)
    plane = figures.space_plane(made)
    named = [text.get_text() for text in plane.figure.axes[0].texts if text.get_text()]
    assert len(named) == 40
    assert "the 40 outermost are named" in plane.caption
    stack = figures.contributions(made)
    assert sum(patch.get_height() for patch in stack.figure.axes[0].patches) == pytest.approx(1)
    assert len(stack.figure.legends[0].get_texts()) == dimensions.SERIES
    assert len(stack.table.rows) == 2 * COUNT
