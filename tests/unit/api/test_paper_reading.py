"""The paper's own reading beside the defaults, from the results of one run. About 3 seconds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from synthetic_runs import write_run
from test_claims_verbs import SETTINGS

from aiq.config.load import parse
from aiq.errors import InputError
from aiq.plans.run import Run
from papers.claims.evidence import pair_name
from papers.claims.registry import CLAIMS
from papers.planned import planned
from papers.runs.drawing import SUITES, draw_experiment
from papers.runs.paper_reading import paper_stored
from papers.runs.reading import of_suite
from papers.runs.report import Report, page, read_answers, write
from papers.runs.stored import stored_of


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run, its evidence, and what is stored of it."""
    settings = parse(SETTINGS).model_dump(mode="json")
    place = write_run(tmp_path_factory.mktemp("runs") / "made", settings)
    run = Run.of({**settings, "results": str(place)}, measure="aiq", origin="made")
    return run, of_suite(place, settings, "made", "other", ()), stored_of(run, exact=False)


def test_complexities_are_minima_and_areas_are_plain_without_errors(made):
    _, e, kept = made
    for name, one in kept.complexity.items():
        assert e.by_paper.complexity[name] == one.complexity.minimum
        assert e.complexity[name] == one.complexity.best_of_k.estimate.value
        assert e.by_paper.complexity.margin({name: 1.0}).bounds() is None
    for pair in kept.suite.pairs:
        assert e.by_paper.dissimilarity[pair_name(pair.a, pair.b)] == pair.measured.plain.value


def test_agents_have_the_volumes_of_all_dimensions_of_the_plain_areas(made):
    run, e, kept = made
    read = paper_stored(run, kept)
    space = read.space
    assert space.dimensionality.rule == "all"
    assert space.dimensions == 3  # three domains apart: as many as there are
    radius = np.array([kept.complexity[name].complexity.minimum for name in space.domains])
    assert np.linalg.norm(space.coordinates, axis=1) == pytest.approx(radius / radius.max())

    def volume(points):
        return ConvexHull(np.vstack([points, np.zeros(3)])).volume

    for k, agent in enumerate(e.agents.names):
        means = [kept.scores.repetitions(agent, name).mean() for name in space.domains]
        share = volume(space.coordinates * np.array(means)[:, None]) / volume(space.coordinates)
        assert e.by_paper.agents.relative[k] == pytest.approx(share)
        assert share == pytest.approx(np.prod(means))  # a simplex: the product of the performances
        scored = {one.agent: one for one in read.scores.scores.agents}
        assert scored[agent].relative.value == pytest.approx(share)


def test_a_statement_has_both_numbers_on_screen_page_and_table(made, tmp_path):
    _, e, kept = made
    answer = CLAIMS["F12"].answer(replace(e, scale="small"))
    part, pair = answer.parts[0], kept.suite.pair("digits", "faces")
    assert part.ours == pytest.approx(pair.measured.signed.value)
    assert part.by_paper == pytest.approx(pair.measured.plain.value)
    assert part.paper_holds == (0.009 < part.by_paper < 0.036)
    report = Report((answer,))
    shown = report.display()
    cell = shown.rows[0][shown.columns.index("paper's reading")]
    assert cell == f"{part.by_paper:.4g} ({'holds' if part.paper_holds else 'does not hold'})"
    holding, seen = int(part.paper_holds), int(part.verdict == "reproduced")
    words = f"without errors, {holding} of 1 statements hold; by the defaults {seen} of the 1 are reproduced."
    assert f"By the paper's own reading of the same trainings, {words}" in page(report)
    assert f"| F12 | dissimilarity 0.018 | {answer.verdict} | {part.says} | {part.ours:.4g} |" in page(report)
    bare = CLAIMS["F12"].answer(replace(e, by_paper=None))
    assert "statements hold" not in page(Report((bare,)))
    write(report, tmp_path / "claims.csv")
    again = read_answers(tmp_path / "claims.csv")["F12"].parts[0]
    assert (again.by_paper, again.paper_holds) == (pytest.approx(part.by_paper), part.paper_holds)


@pytest.mark.parametrize(
    ("name", "paper"), [*((f"f{k}", False) for k in (16, 17, 18, 19, 20, 26, 27)), ("f17", True), ("f21", True)]
)
def test_figures_of_a_suite_are_drawn_by_both_readings(made, name, paper):
    run, e, kept = made
    drawn = SUITES[name](run, e, paper_stored(run, kept) if paper else kept)
    assert drawn.table.rows
    if name in ("f20", "f21"):
        assert max(drawn.table.column("width")) == (2 if name == "f21" else 64)


def test_what_was_not_measured_is_told_in_one_sentence(tmp_path):
    for name, says in (("f17", "no dissimilarity"), ("f26", "not placed"), ("f20", "no agent"), ("f05", "both")):
        with pytest.raises(InputError, match=says):
            draw_experiment(planned(name, "small", results=str(tmp_path / name)))
    with pytest.raises(InputError, match="by the defaults"):
        draw_experiment(planned("f10", "small", results=str(tmp_path)), "paper")
