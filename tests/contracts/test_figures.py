"""Contract of every registered figure: drawn from any input, readable, keyed, inside its page, reproducible."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import algorithmic_records
import matplotlib
import numpy as np
import pytest
import similarity_records
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from aiq import figures, wing
from aiq.errors import InputError
from aiq.figures import FIGURES as OWN
from aiq.figures import DomainTrials, Drawing, MixturePair
from aiq.figures.style import look
from aiq.measures import complexity, dissimilarity, entropy, quotient, similarity, skills, space
from aiq.measures.dissimilarity.relative import relative
from aiq.records.complexity import Complexity, KCurve
from aiq.records.dissimilarity import NoiseFloor
from aiq.records.dissimilarity_parts import Alone
from aiq.records.entropy import Entropy
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.relative import RelativePair
from aiq.records.similarity import Similarity
from aiq.records.skills import Weights
from aiq.records.space import Space
from aiq.seeding import generator
from aiq.tables.scores import listed_by_skills

NAMES = {
    "typical": ("digits", "digits-noisy", "digits-first-5", "cartpole", "cartpole-images", "wine", "breast-cancer"),
    "minimal": ("digits", "wine"),
    "single": ("digits",),
    "large": tuple(f"{word}-{k}" for k in range(4) for word in ("mnist", "cifar100", "gravity", "cartpole3d", "svhn")),
}
AGENTS = {"typical": 5, "minimal": 1, "single": 1, "large": 15}
RESAMPLES = {"typical": 40, "minimal": 0, "single": 0, "large": 25}
REPETITIONS = {"typical": 3, "minimal": 1, "single": 1, "large": 3}
FEWEST_POINTS = 7.0
PAGE = (7.0, 9.8)


@dataclass(frozen=True)
class Suite:
    """Records of one suite, made by the measures from synthetic trials and mixtures."""

    measured: tuple[DomainTrials, ...]
    pairs: tuple[MixturePair, ...]
    case: str

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[self.case]

    @property
    def complexities(self) -> dict[str, Complexity]:
        return {entry.domain: entry.complexity for entry in self.measured}

    @property
    def distances(self) -> tuple[np.ndarray, np.ndarray]:
        """Dissimilarities with their replicates, none where nothing is resampled."""
        n, resamples = len(self.names), RESAMPLES[self.case]
        matrix, replicates = np.zeros((n, n)), np.zeros((resamples, n, n))
        for pair in self.pairs:
            i, j = self.names.index(pair.a), self.names.index(pair.b)
            matrix[i, j] = matrix[j, i] = pair.dissimilarity.distance
            if resamples:
                replicates[:, i, j] = replicates[:, j, i] = pair.dissimilarity.replicates
        return matrix, replicates

    def space(self, dimensions: int) -> Space:
        matrix, replicates = self.distances
        values = [entry.complexity.value for entry in self.measured]
        options: dict[str, Any] = {}
        if len(replicates):
            columns = np.column_stack([entry.complexity.replicates for entry in self.measured])
            options = {"complexity_replicates": columns, "dissimilarity_replicates": replicates}
        return space.build(self.names, values, matrix, dimensions=dimensions, noise=[1e-6], **options)

    @property
    def weights(self) -> Weights:
        """What each test counts, by its relative excess and its distances from the others."""
        matrix, replicates = self.distances
        best = [entry.complexity.best_of_k for entry in self.measured]
        options: dict[str, Any] = {}
        if len(replicates):
            errors = [complexity.standard_error(one, "relative_excess") for one in best]
            options = {"length_se": [error.se for error in errors], "dissimilarity_replicates": replicates}
        return skills.weigh(self.names, [one.relative_excess.value for one in best], matrix, **options)

    @property
    def dimensions(self) -> int:
        return min(3, len(self.names))


@cache
def suite(case: str) -> Suite:
    rng, names, resamples = generator(7, "figures", case), NAMES[case], RESAMPLES[case]
    measured, pairs = [], []
    p = np.linspace(0, 1, 11)
    places = np.eye(max(4, len(names)))[: len(names), :4] + rng.normal(size=(len(names), 4))
    places /= np.linalg.norm(places, axis=1, keepdims=True)
    best = rng.uniform(0.4, 0.99, len(names))
    trials = 3 if resamples == 0 else 40
    for name, top in zip(names, best, strict=True):
        size = rng.uniform(4, 14, trials)
        reached = np.clip(top / (1 + np.exp(8 - size)) * rng.uniform(0.85, 1, trials), 0, 1)
        reached[1] = np.nan if resamples else reached[1]
        record = complexity.measure(reached, size, resamples=resamples, k=16 if trials > 16 else 2)
        measured.append(DomainTrials.of(name, record, reached, size))
    for i, a in enumerate(names):
        for j, b in enumerate(names[i:], i):
            sag = 0.03 * np.linalg.norm(places[i] - places[j]) * 4 * p * (1 - p)
            noise = 0.004 * rng.normal(size=(REPETITIONS[case], 11))
            curves = np.clip(p * best[i] + (1 - p) * best[j] - sag + noise, 0, 1)
            pairs.append(MixturePair.of(a, b, dissimilarity.measure(p, curves, resamples=resamples), curves))
    return Suite(tuple(measured), tuple(pairs), case)


def parted(made: Suite) -> list[MixturePair]:
    """The pairs with controls and performances when told: domains starve, and help each other a little."""
    rng, p = generator(11, "parts"), np.linspace(0, 1, 11)
    found = []
    for pair in made.pairs:
        curves = pair.repetitions
        told = np.clip(curves + 0.012 * 4 * p * (1 - p) * (pair.a != pair.b) + 0.001 * rng.random(curves.shape), 0, 1)
        line = pair.dissimilarity.line
        alone = [
            Alone(p[1:], np.clip(end - 0.12 * (1 - p[1:]) ** 2 + 0.004 * rng.normal(size=(len(curves), 10)), 0, 1))
            for end in ((line[-1],) if pair.a == pair.b else (line[-1], line[0]))
        ]
        parts = dissimilarity.decompose(p, curves, told=told, alone=alone)
        found.append(MixturePair.of(pair.a, pair.b, replace(pair.dissimilarity, parts=parts), curves))
    return found


def _entropies(made: Suite) -> dict[str, Entropy]:
    rng = generator(8, "entropy")
    return {
        name: entropy.vector_entropy(rng.normal(size=(40, 3 + 3 * (k % 9))), 2 + k, resamples=RESAMPLES[made.case])
        for k, name in enumerate(made.names)
    }


def _by_k(made: Suite) -> dict[str, KCurve]:
    k = made.measured[0].complexity.best_of_k.k
    return {m.domain: complexity.by_k(m.performance, m.size, chosen=k) for m in made.measured}


def _floor(made: Suite) -> NoiseFloor:
    self_pairs = [pair.dissimilarity for pair in made.pairs if pair.a == pair.b]
    return dissimilarity.noise_floor(self_pairs, resamples=RESAMPLES[made.case])


def _similarities(made: Suite) -> dict[tuple[str, str], Similarity]:
    records = {}
    for pair in made.pairs:
        curves = pair.repetitions if pair.a != made.names[-1] else pair.repetitions + np.linspace(0, 1, 11) ** 8 / 2
        records[pair.a, pair.b] = similarity.measure(pair.dissimilarity.proportions, curves, self_pair=pair.a == pair.b)
    return records


def _relatives(made: Suite) -> list[RelativePair]:
    found = []
    for k, pair in enumerate(pair for pair in made.pairs if pair.a != pair.b):
        twins = np.full((2, 3), 0.05 if k % 5 else 0.0) + generator(12, "twins").normal(0, 0.002, (2, 3))
        found.append(RelativePair(pair.a, pair.b, relative([0.03 + 0.01 * (k % 4)] * 3, twins)))
    return found or [RelativePair(made.names[0], made.names[0], relative([0.0, 0.001], [[0.05] * 2] * 2))]


def _performances(made: Suite) -> np.ndarray:
    count = AGENTS[made.case]
    drawn = generator(9, "agents").uniform(0.5, 0.98, (count, len(made.names)))
    return drawn * np.linspace(0.2, 1, count)[:, None]


def _estimates(made: Suite) -> dict[str, Estimate]:
    rng = generator(10, "baseline")
    values = {name: float(rng.uniform(0.2, 0.9)) for name in made.names}
    return {
        n: Estimate(v, (v - 0.05, v + 0.04) if RESAMPLES[made.case] else None, 3, "made") for n, v in values.items()
    }


def _networks(made: Suite) -> dict[str, tuple[int, int]]:
    return {f"agent of {k + 1} layers": (1 + k % 5, 2 ** (2 + k // 5)) for k in range(len(_scores(made).agents))}


def _scores(made: Suite) -> Scores:
    table = _performances(made)
    replicates = None
    if RESAMPLES[made.case]:
        replicates = np.clip(table + 0.02 * generator(9, "r").normal(size=(25, *table.shape)), 0, 1)
    names = [f"agent of {k + 1} layers" for k in range(len(table))]
    scores = quotient.score(made.space(made.dimensions), names, table, replicates)
    samples = table[None] if replicates is None else replicates[:3]
    counted = skills.score(made.weights, {name: samples[:, k].T for k, name in enumerate(names)})
    scores = replace(scores, skills=counted)
    return scores if made.case == "large" else listed_by_skills(scores)  # a suite of many tests by its volumes


def _of_other_measures() -> dict[str, Callable[[Suite], Any]]:
    """What each ``*_records.py`` beside this file makes: its ``GIVEN``, type -> function of the case."""
    found: dict[str, Callable[[str], Any]] = {}
    for file in sorted(Path(__file__).parent.glob("*_records.py")):
        found |= import_module(file.stem).GIVEN
    return {kind: lambda made, make=make: make(made.case) for kind, make in found.items()}


GIVEN: dict[str, Callable[[Suite], Any]] = {
    "DomainTrials": lambda made: made.measured[0],
    "Sequence[DomainTrials]": lambda made: made.measured,
    "Mapping[str, Complexity]": lambda made: made.complexities,
    "Mapping[str, Entropy]": _entropies,
    "Mapping[str, KCurve]": _by_k,
    "MixturePair": lambda made: made.pairs[-1],
    "Mapping[Pair, Dissimilarity]": lambda made: {(pair.a, pair.b): pair.dissimilarity for pair in made.pairs},
    "Mapping[Pair, Similarity]": _similarities,
    "Mapping[Pair, Dissimilarity] | list[MixturePair]": lambda made: list(made.pairs),
    "Sequence[RelativePair]": _relatives,
    "Space": lambda made: made.space(made.dimensions),
    "Scores": _scores,
    "Mapping[str, tuple[int, int]]": _networks,
    "Mapping[str, Estimate]": _estimates,
    **_of_other_measures(),
}
"""Records by the type under which a figure asks for them: a figure of a known type is drawn here without more."""

OPTIONS: dict[str, Callable[[Suite], dict[str, Any]]] = {
    "mixture-curve": lambda made: {"pair": parted(made)[-2] if made.case == "typical" else made.pairs[-1]},
    "dissimilarity-matrix": lambda made: {"floor": _floor(made)},
    "part-matrix": lambda made: {"pairs": {(p.a, p.b): p.dissimilarity for p in parted(made)}},
    "space-plane": lambda made: {
        "space": made.space(min(2, made.dimensions)),
        "agents": {"dense 1×8": _performances(made)[0]},
    },
    "baseline": lambda made: {"trained_on": dict.fromkeys(made.names, made.names[0]), "trainings": 3, "lost": 1},
    "collectives-complexity": lambda made: {"pattern": "segment"},
    "similarity-halvings": lambda made: {"performances": similarity_records.halved(made.case)},
    "similarity-noise": lambda made: {"published": {("MNIST", "Fashion-MNIST"): 0.216}},
}
"""What a figure is drawn with besides, or in the place of, the record of its type."""


FIGURES = {
    **OWN,
    **{
        name: draw
        for measure in wing.measures().values()
        if measure.figures
        for name, draw in measure.part("figures").items()
    },
}
"""Those of the core and those of every measure."""


def draw(name: str, made: Suite) -> Drawing:
    """Draw a figure from records made by the types of its parameters."""
    given = OPTIONS.get(name, lambda made: {})(made)
    for parameter in inspect.signature(FIGURES[name]).parameters.values():
        if parameter.name not in given and parameter.default is parameter.empty:
            given[parameter.name] = GIVEN[parameter.annotation](made)
    first = next(iter(inspect.signature(FIGURES[name]).parameters))
    return FIGURES[name](given.pop(first), **given)


@cache
def drawn(name: str, case: str) -> Drawing:
    return draw(name, suite(case))


@cache
def rendered(name: str, case: str, kind: str = "svg") -> bytes:
    return figures.render(drawn(name, case), kind)


@cache
def visible_texts(name: str, case: str) -> list[Text]:
    """Everything written in the figure, tick labels and legends among it."""
    drawing = drawn(name, case)
    with look():
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


def test_every_figure_is_tested():
    assert all(figure.written for figure in FIGURES.values())
    assert set(OPTIONS) <= set(FIGURES)


@pytest.mark.parametrize("case", NAMES)
@pytest.mark.parametrize("name", FIGURES)
class TestEveryFigure:
    def test_has_words_and_numbers(self, name, case):
        drawing = drawn(name, case)
        assert drawing.table.rows
        assert drawing.caption.endswith(".")
        assert drawing.alt.endswith(".")
        for words in (drawing.caption, drawing.alt):
            assert "nan" not in words.lower().split()
        cells = [cell for row in drawing.table.rows for cell in row]
        assert all(cell is None or isinstance(cell, str | int | float | bool) for cell in cells)
        assert not any(isinstance(cell, float) and not np.isfinite(cell) for cell in cells)

    def test_names_its_axes_with_units(self, name, case):
        written = "\n".join(t.get_text() for t in visible_texts(name, case)).replace("\n", " ")
        for words in FIGURES[name].written:
            assert words in written

    def test_has_a_key_where_there_is_more_than_one_mark(self, name, case):
        figure = drawn(name, case).figure
        legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
        marks = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
        assert legends or len(marks) <= 1
        assert all(legend.get_texts() for legend in legends)
        keyed = [text.get_text() for legend in legends for text in legend.get_texts()]
        assert keyed != ["domain"]  # a key that explains nothing

    def test_its_caption_says_nothing_twice(self, name, case):
        caption = drawn(name, case).caption
        sentences = [one.strip().lower() for one in re.split(r"(?<=[.;:]) ", caption) if len(one) > 12]
        assert len(set(sentences)) == len(sentences)
        for listed in re.findall(r"\d+ \(0\.\d+\), \d+ \(0\.\d+\)", caption):
            assert caption.count(listed) == 1

    def test_is_legible_and_inside_its_page(self, name, case):
        figure = drawn(name, case).figure
        width, height = figure.get_size_inches()
        assert width <= PAGE[0] + 1e-9
        assert height <= PAGE[1] + 1e-9
        assert FigureCanvasAgg(figure).get_renderer()
        for text in visible_texts(name, case):
            assert text.get_fontsize() >= FEWEST_POINTS, text.get_text()
            box = text.get_window_extent()
            assert box.x0 >= -1, text.get_text()
            assert box.y0 >= -1, text.get_text()
            assert box.x1 <= figure.bbox.x1 + 1, text.get_text()
            assert box.y1 <= figure.bbox.y1 + 1, text.get_text()

    def test_no_text_covers_another(self, name, case):
        upright = [t for t in visible_texts(name, case) if t.get_rotation() in (0, 90)]
        boxes = [(t.get_text(), t.get_window_extent()) for t in upright]
        for k, (first, a) in enumerate(boxes):
            for second, b in boxes[:k]:
                across = min(a.x1, b.x1) - max(a.x0, b.x0)
                down = min(a.y1, b.y1) - max(a.y0, b.y0)
                assert not (across > 1.5 and down > 1.5), f"{first!r} and {second!r} overlap"

    def test_renders(self, name, case):
        assert rendered(name, case, "png").startswith(b"\x89PNG")
        if case == "typical":
            assert rendered(name, case, "pdf").startswith(b"%PDF")


@pytest.mark.parametrize("name", FIGURES)
class TestReproducible:
    def test_same_records_same_bytes(self, name):
        first, second = drawn(name, "typical"), draw(name, suite("typical"))
        assert first is not second
        for kind in ("svg", "png", "pdf"):
            assert rendered(name, "typical", kind) == figures.render(second, kind)

    def test_svg_keeps_text_and_tells_no_date(self, name):
        picture = rendered(name, "typical").decode()
        assert "<text" in picture
        assert matplotlib.__version__ not in picture
        assert "<dc:date>" not in picture
        assert any(words in picture for words in FIGURES[name].written)

    def test_a_users_settings_change_nothing(self, name):
        before = rendered(name, "minimal")
        with matplotlib.rc_context({"font.size": 20, "svg.fonttype": "path", "axes.grid": True, "lines.linewidth": 9}):
            mine = dict(matplotlib.rcParams)
            assert figures.render(draw(name, suite("minimal")), "svg") == before
            assert dict(matplotlib.rcParams) == mine


def test_pyplot_and_the_slow_part_of_scipy_are_never_loaded():
    code = "import sys, aiq.figures; sys.exit(bool({'matplotlib.pyplot', 'scipy.stats'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_similarity_is_given_once_and_of_known_domains():
    record = similarity.from_values([0.9, 0.91], [0.5, 0.52], [0.6, 0.62])
    with pytest.raises(InputError, match="given in both orders"):
        figures.similarity_matrix({("a", "b"): record, ("b", "a"): record})
    with pytest.raises(InputError, match="'b', which is not among a"):
        figures.similarity_matrix({("a", "b"): record}, domains=["a"])
    told = figures.similarity_matrix({("a", "b"): record}, absolute=True, published={("b", "a"): 0.25})
    assert told.table.column("published") == [0.25]
    assert "published |S|" in told.caption


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="did you mean 'spectrum'"):
        figures.draw("spectrun")
    with pytest.raises(InputError, match="pdf"):
        figures.render(drawn("spectrum", "minimal"), "gif")


def test_search_effort_compares_agents_that_are_alike_in_all_else():
    made = algorithmic_records.quotients("typical")
    other = replace(made.agents[0], agent="tree", parameters={**made.agents[0].parameters, "factored": False})
    usual = FIGURES["algorithmic-effort"](made)
    mixed = FIGURES["algorithmic-effort"](replace(made, agents=(other, *made.agents)))
    assert mixed.table == usual.table
    assert len(usual.table.rows) > 1
