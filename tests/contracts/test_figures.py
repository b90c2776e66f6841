"""Contract of every registered figure: drawn from any input, readable, keyed, inside its page, reproducible."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib
import measure_records
import numpy as np
import pytest
import similarity_records
import suite_records
from matplotlib.text import Text
from suite_records import NAMES, suite

from aiq import figures, wing
from aiq.errors import InputError
from aiq.figures import FIGURES as OWN
from aiq.figures import Drawing
from aiq.measures import similarity
from papers.figures import variants

FEWEST_POINTS = 7.0
PAGE = (7.0, 9.8)
FIGURES = OWN | {
    name: draw
    for measure in wing.measures().values()
    if measure.figures
    for name, draw in measure.part("figures").items()
}
"""Those of the core and of the paper, and those of every measure."""

MAKERS: dict[str, Callable[[str], Any]] = {
    kind: make
    for file in sorted(Path(__file__).parent.glob("*_records.py"))
    for kind, make in import_module(file.stem).GIVEN.items()
}
"""What makes records of a type: a figure that asks for known types is drawn here without more."""


def _space_plane(case: str) -> dict[str, Any]:
    given = suite(case)
    agents = {"dense 1×8": suite_records.performances(given)[0]}
    return {"space": given.space(min(2, given.dimensions)), "agents": agents}


def _mixture_curve(case: str) -> dict[str, Any]:
    return {"pair": suite_records.parted(suite(case))[-2] if case == "typical" else suite(case).pairs[-1]}


OPTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "mixture-curve": _mixture_curve,
    "dissimilarity-matrix": lambda case: {"floor": suite_records.floor(suite(case))},
    "part-matrix": lambda case: {"pairs": {(p.a, p.b): p.dissimilarity for p in suite_records.parted(suite(case))}},
    "space-plane": _space_plane,
    "baseline": lambda case: {"trained_on": dict.fromkeys(NAMES[case], NAMES[case][0]), "trainings": 3, "lost": 1},
    "collectives-complexity": lambda case: {"pattern": "segment"},
    "similarity-halvings": lambda case: {"performances": similarity_records.halved(case)},
    "similarity-noise": lambda case: {"published": {("MNIST", "Fashion-MNIST"): 0.216}},
}
"""What a figure is drawn with besides, or in the place of, the record of its type."""


@cache
def records(kind: str, case: str) -> Any:
    return MAKERS[kind](case)


def draw(name: str, case: str) -> Drawing:
    """Draw a figure from records made by the types of its parameters."""
    given = OPTIONS.get(name, lambda case: {})(case)
    parameters = inspect.signature(FIGURES[name]).parameters
    for parameter in parameters.values():
        if parameter.name not in given and parameter.default is parameter.empty:
            given[parameter.name] = records(parameter.annotation, case)
    return FIGURES[name](given.pop(next(iter(parameters))), **given)


@cache
def drawn(name: str, case: str) -> Drawing:
    return draw(name, case)


def visible_texts(drawing: Drawing) -> list[Text]:
    """Everything written in a figure, where its files have it; tick labels and legends among it."""
    with figures.style.look():
        drawing.figure.draw_without_rendering()
    texts = [t for t in drawing.figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
    hidden = {id(t) for axes in drawing.figure.axes if not axes.get_visible() for t in axes.findobj(Text)}
    for axes in drawing.figure.axes:
        for axis in axes._axis_map.values():
            low, high = sorted(axis.get_view_interval())
            slack = 1e-6 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - slack <= tick.get_loc() <= high + slack:
                    hidden |= {id(tick.label1), id(tick.label2)}
    return [t for t in texts if id(t) not in hidden]


def check_words_and_numbers(drawing: Drawing) -> None:
    """A table of finite numbers; a caption and an alternative text that are sentences, none of them twice."""
    for words in (drawing.caption, drawing.alt):
        assert words.endswith(".")
        assert "nan" not in words.lower().split()
    parts = re.split(r"(?<=[.;:]) ", drawing.caption)
    sentences = [part.strip().lower() for part in parts if len(part) > 12]
    assert len(set(sentences)) == len(sentences)
    for listed in re.findall(r"\d+ \(0\.\d+\), \d+ \(0\.\d+\)", drawing.caption):
        assert drawing.caption.count(listed) == 1
    assert drawing.table.rows
    cells = [cell for row in drawing.table.rows for cell in row]
    assert all(cell is None or isinstance(cell, str | int | float | bool) for cell in cells)
    assert not any(isinstance(cell, float) and not np.isfinite(cell) for cell in cells)


def check_key(drawing: Drawing) -> None:
    """A key where there is more than one mark, and none that explains nothing."""
    figure = drawing.figure
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    marks = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    assert legends or len(marks) <= 1
    assert all(legend.get_texts() for legend in legends)
    assert [text.get_text() for legend in legends for text in legend.get_texts()] != ["domain"]


def check_place(drawing: Drawing, texts: list[Text]) -> None:
    """The page is large enough, every text is legible and inside it, and none covers another."""
    width, height = drawing.figure.get_size_inches()
    assert width <= PAGE[0] + 1e-9
    assert height <= PAGE[1] + 1e-9
    boxes = [(text, text.get_window_extent()) for text in texts]
    for text, box in boxes:
        assert text.get_fontsize() >= FEWEST_POINTS, text.get_text()
        assert min(box.x0, box.y0) >= -1, text.get_text()
        assert box.x1 <= drawing.figure.bbox.x1 + 1, text.get_text()
        assert box.y1 <= drawing.figure.bbox.y1 + 1, text.get_text()
    upright = [(text.get_text(), box) for text, box in boxes if text.get_rotation() in (0, 90)]
    for k, (first, a) in enumerate(upright):
        for second, b in upright[:k]:
            across = min(a.x1, b.x1) - max(a.x0, b.x0)
            down = min(a.y1, b.y1) - max(a.y0, b.y0)
            assert not (across > 1.5 and down > 1.5), f"{first!r} and {second!r} overlap"


def test_every_figure_is_tested():
    assert all(figure.written for figure in FIGURES.values())
    assert set(OPTIONS) <= set(FIGURES)
    assert FIGURES["variants"] is variants


@pytest.mark.parametrize("case", NAMES)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_what_it_shows_and_can_be_read(name: str, case: str):
    drawing = drawn(name, case)
    check_words_and_numbers(drawing)
    check_key(drawing)
    texts = visible_texts(drawing)
    written = "\n".join(text.get_text() for text in texts).replace("\n", " ")
    assert all(words in written for words in FIGURES[name].written)  # axes with their units
    check_place(drawing, texts)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_renders_and_the_same_records_give_the_same_bytes_whatever_a_user_has_set(name: str):
    picture = figures.render(drawn(name, "minimal"), "svg")
    with matplotlib.rc_context({"font.size": 20, "svg.fonttype": "path", "axes.grid": True, "lines.linewidth": 9}):
        mine = dict(matplotlib.rcParams)
        assert figures.render(draw(name, "minimal"), "svg") == picture
        assert dict(matplotlib.rcParams) == mine
    words = picture.decode()
    assert "<text" in words
    assert matplotlib.__version__ not in words
    assert "<dc:date>" not in words
    assert any(written in words for written in FIGURES[name].written)


@pytest.mark.parametrize("name", ["spectrum", "dissimilarity-matrix", "space-solid", "agents"])
def test_other_formats_have_the_same_bytes_too(name: str):
    again = draw(name, "typical")
    for kind, begin in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        picture = figures.render(drawn(name, "typical"), kind)
        assert picture == figures.render(again, kind)
        assert picture.startswith(begin)


def test_pyplot_and_the_slow_part_of_scipy_are_never_loaded():
    code = "import sys, aiq.figures; sys.exit(bool({'matplotlib.pyplot', 'scipy.stats'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_similarity_is_given_once_and_of_known_domains():
    record = similarity.from_values([0.9, 0.91], [0.5, 0.52], [0.6, 0.62])
    with pytest.raises(InputError, match="given in both orders"):
        figures.similarity_matrix({("a", "b"): record, ("b", "a"): record})
    with pytest.raises(InputError, match="'b', which is not among a"):
        figures.similarity_matrix({("a", "b"): record}, domains=["a"])
    drawing = figures.similarity_matrix({("a", "b"): record}, absolute=True, published={("b", "a"): 0.25})
    assert drawing.table.column("published") == [0.25]
    assert "published |S|" in drawing.caption


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="did you mean 'spectrum'"):
        figures.draw("spectrun")
    with pytest.raises(InputError, match="pdf"):
        figures.render(drawn("spectrum", "minimal"), "gif")


def test_search_effort_compares_agents_that_are_alike_in_all_else():
    record = measure_records.quotients("typical")
    other = replace(record.agents[0], agent="tree", parameters={**record.agents[0].parameters, "factored": False})
    usual = FIGURES["algorithmic-effort"](record)
    mixed = FIGURES["algorithmic-effort"](replace(record, agents=(other, *record.agents)))
    assert mixed.table == usual.table
    assert len(usual.table.rows) > 1
