"""``aiq claims`` and ``aiq experiment`` on folders, the page that is written, and the paper's own reading of one run.

About 6 seconds.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import Aiq, record, refused
from scipy.spatial import ConvexHull
from synthetic_runs import write_run

from aiq.config.load import parse
from aiq.errors import InputError
from aiq.explain.finished import FinishedRun
from aiq.measures import apti
from aiq.measures.complexity import differences
from aiq.plans.run import Run
from papers.claims import CLAIMS
from papers.claims.evidence import pair_name
from papers.claims.numbers import VERDICTS
from papers.drawing import SUITES, draw_experiment
from papers.planned import planned
from papers.reading import areas, of_suite, pooled
from papers.report import Report, page, read_answers, write
from papers.stored import _apti, _vertices, paper_stored, stored_of

TRAINING = {"epochs": 1, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.001}}
SETTINGS = {
    "name": "made",
    "seed": 7,
    "results": "x",
    "domains": {
        "digits": {"source": "torchvision", "name": "MNIST", "size": 32},
        "faces": {"source": "npz", "path": "cifar10.npz", "labels": "cifar10"},
        "wine": {"source": "torchvision", "name": "FashionMNIST", "size": 32},
    },
    "pool": {"size": 64},
    "training": TRAINING,
    "dissimilarity": {"repetitions": 5, "network": {"layers": 1, "width": 8}, "training": TRAINING},
    "agents": {"repetitions": 3, "networks": [{"name": "small", "layers": 1, "width": 2},
                                              {"name": "large", "layers": 1, "width": 64}]},
}  # fmt: skip


@pytest.fixture(scope="module")
def settings():
    return parse(SETTINGS).model_dump(mode="json")


@pytest.fixture(scope="module")
def run(tmp_path_factory, settings):
    return write_run(tmp_path_factory.mktemp("runs") / "made", settings)


def test_json_has_every_claim_with_the_promised_keys(run, aiq: Aiq):
    found = record(aiq("claims", str(run), "--json"))["claims"]
    assert [one["id"] for one in found] == list(CLAIMS)
    for one in found:
        assert {"id", "verdict", "ours", "interval", "paper", "scale"} <= set(one)
        assert one["verdict"] in VERDICTS
        assert (one["scale"] is None) == (one["run"] == "")
    f12, f23 = (next(one for one in found if one["id"] == name) for name in ("F12", "F23"))
    assert f12["verdict"] != "not run here"  # MNIST and CIFAR10 are in the run
    assert f12["scale"] == "other"
    assert "64 policies" in f12["scaled"]
    assert f12["interval"][0] < f12["ours"] < f12["interval"][1]
    assert f23["verdict"] == "not run here"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["claims", "nowhere"], "nowhere is no folder"),
        (["claims", "--only", "F99"], "'F99'"),
        (["claims", "--keep", "nowhere.csv"], "nowhere.csv cannot be read"),
        (["experiment", "f99"], "'f99'"),
        (["experiment", "f10", "--scale", "huge"], "huge"),
        (["experiment", "f14", "-o", "x.png/x.png"], "x.png/x.png cannot be written"),
        (["experiment", "--costs", "-o", "x.svg"], "the ending of the file is '.svg'"),
        (["experiment"], "give the experiment of a figure"),
    ],
)
def test_what_is_wrong_is_refused_in_one_sentence_and_leaves_nothing(arguments, says, aiq: Aiq):
    refused(aiq(*arguments, x_png=""), says)
    assert [path.name for path in Path().iterdir()] == ["x.png"]


@pytest.mark.parametrize("unfinished", ["", "mine/complexity", "mine/tables/provenance"])
def test_where_nothing_is_finished_nothing_was_run(unfinished, aiq: Aiq):
    (Path("results") / unfinished).mkdir(parents=True)
    assert {one["verdict"] for one in record(aiq("claims", "--json"))["claims"]} == {"not run here"}
    refused(aiq("claims", "results"), "holds no results")


def test_a_damaged_folder_is_left_out_unless_it_is_named(run, aiq: Aiq):
    shutil.copytree(run, "results/good")
    beside = Path("results/bad/tables/provenance")
    beside.mkdir(parents=True)
    (beside / "x.json").write_text('{"settings": {"name": "half"')
    status, out, err = aiq("claims", "--json")
    assert {one["id"]: one["verdict"] for one in json.loads(out)["claims"]}["F12"] != "not run here"
    assert (status, err.count("\n")) == (0, 1)
    assert "bad is left out" in err
    refused(aiq("claims", "results"), "x.json is damaged")


def test_an_experiment_writes_the_configuration_that_it_would_run(aiq: Aiq):
    path = aiq("experiment", "f10", "--only-write", "--data-root", "elsewhere")[1].strip()
    assert path == "results/experiments/small/pictures/experiments/small/f10.yaml"
    text = Path(path).read_text(encoding="utf-8")
    assert "data_root: elsewhere" in text
    assert "duplicate: 4" in text
    folder = "results/experiments/small/pictures"
    found = {"experiment": "f10", "scale": "small", "results": folder, "configuration": path, "claims": []}
    assert record(aiq("experiment", "f10", "--only-write", "--json")) == found


def test_results_of_other_settings_are_not_taken_for_an_experiment_s(run, aiq: Aiq):
    aiq("experiment", "f12", "--only-write", "--results", str(run))
    (found,) = record(aiq("claims", str(run), "--only", "F12", "--json"))["claims"]
    assert (found["verdict"], found["why"]) == ("not run here", "no dissimilarity was measured")


# ---- the paper's own reading beside the defaults -------------------------------------------------


@pytest.fixture(scope="module")
def made(run, settings):
    """A run, its evidence, and what is stored of it."""
    of = Run.of({**settings, "results": str(run)}, measure="aiq", origin="made")
    return of, of_suite(run, settings, "made", "other", ()), stored_of(of, exact=False)


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


# ---- numbers that the checks take are those of the run: intervals agree with the measures' own ---


@pytest.fixture(scope="module")
def stored(run):
    return FinishedRun.in_folder(run)


def test_complexities_keep_their_values_and_their_paired_differences(stored):
    found = pooled(stored.complexity, "mccp_k")
    assert found is not None
    for name, one in stored.complexity.items():
        assert found[name] == pytest.approx(one.complexity.best_of_k.estimate.value)
        assert found.margin({name: 1.0}).bounds() == pytest.approx(one.complexity.best_of_k.estimate.interval, abs=1e-9)
    for apart in differences({name: one.complexity for name, one in stored.complexity.items()}):
        margin = found.margin({apart.first: 1.0, apart.second: -1.0})
        assert margin.value == pytest.approx(apart.complexity.value)
        assert margin.bounds() == pytest.approx(apart.complexity.interval, abs=1e-9)


def test_areas_keep_their_values_and_intervals(stored):
    found = areas(stored.dissimilarity)
    assert found is not None
    for pair in stored.dissimilarity.pairs:
        name = pair_name(pair.a, pair.b)
        assert found[name] == pytest.approx(pair.measured.signed.value)
        assert found.margin({name: 1.0}).bounds() == pytest.approx(pair.measured.signed.interval, abs=1e-9)


def test_a_copy_is_no_vertex_and_on_a_line_only_the_ends_are():
    assert _vertices(np.array([[1.0], [0.5], [0.2]])).tolist() == [1, 0, 0]
    assert _vertices(np.array([[1.0], [-0.5], [0.2]])).tolist() == [1, 1, 0]
    twice = _vertices(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.3, 0.3]]))
    assert twice.sum() == 2
    assert (twice[0], twice[3]) == (1, 0)
    assert _vertices(np.array([[1.0, 0.0], [0.5, 0.0]])).tolist() == [1, 0]  # flat


def test_apti_in_the_place_of_performance_is_read_domain_by_domain_of_the_space(stored):
    domains = stored.space.domains
    rng = np.random.default_rng(29)
    own = {name: [rng.uniform(0.2 + 0.3 * k, 0.4 + 0.3 * k, 5) for _ in domains] for k, name in enumerate("ab")}
    base = [rng.uniform(0.4, 0.6, 5) for _ in domains]
    turned = domains[::-1]  # files may hold the domains in another order than the space

    def made(name):
        return apti.measure(own[name][::-1], base[::-1], resamples=300, seed=1)

    scores = SimpleNamespace(
        domains=turned,
        agents=[SimpleNamespace(agent=n, per_dimension=SimpleNamespace(value=v)) for n, v in (("b", 0.6), ("a", 0.4))],
    )
    held = SimpleNamespace(agents=("b", "a"), apti=(made("b"), made("a")), scores=scores)
    found = _apti(("a", "b"), held, stored.space, 1)
    assert found["apti_aiq"].tolist() == [0.4, 0.6]
    for place, name in enumerate("ab"):
        ratios = [np.mean(x) / (np.mean(x) + np.mean(y)) for x, y in zip(own[name], base, strict=True)]
        assert found["apti"][place] == pytest.approx(np.mean(ratios))
    assert found["apti_draws"].shape == found["apti_aiq_draws"].shape
    assert np.allclose(found["apti_draws"].mean(axis=0), found["apti"], atol=0.02)
    assert (found["apti_draws"][:, 0] < found["apti_draws"][:, 1]).all()
    assert _apti(("a", "c"), held, stored.space, 1) == {}
