"""The experiments of the paper: one file per figure, whole at both scales, sharing what they have in common."""

import functools

import pytest

from aiq.errors import ConfigurationError, InputError
from aiq.run.costing import expected
from papers.claims import CLAIMS
from papers.drawing import SERIES, SUITES
from papers.planned import FOLDER, everywhere, experiment, merge, names, planned, read_experiment

LARGEST = 12 * 60 * 2
"""Core-seconds of a small run: 12 minutes on two cores."""
LEVELS = 45 * 60
"""Core-seconds of a run of all levels of CartPole3D, which may take longer."""
TOGETHER = 2.5 * 3600 * 2


@functools.cache
def plan(name: str, scale: str):
    return planned(name, scale)


def test_there_is_one_file_per_figure_of_the_claims():
    assert {name for name in names() if "-" not in name} == {
        f"f{int(name[1:]):02d}" for name in CLAIMS if name[1:].isdigit()
    }


@pytest.mark.parametrize("name", names())
def test_a_file_names_its_figure_and_its_claims(name):
    found = experiment(name)
    assert found.experiment == name
    assert set(found.claims) <= set(CLAIMS)
    assert any(CLAIMS[claim].place.split(",")[0] in found.source for claim in found.claims)
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    assert text.startswith(f"# Figure {int(name[1:3])}")  # f23-view is one more file of figure 23
    assert (name in SERIES) != (name in SUITES), "every experiment has a figure"


@pytest.mark.parametrize("scale", ["small", "paper"])
@pytest.mark.parametrize("name", names())
def test_both_scales_are_whole_configurations_with_files_to_make(name, scale):
    found = plan(name, scale)
    assert found.run.layout.root.parts[:3] == ("results", "experiments", scale)
    known = {*found.run.plan.results(), *found.run.plan.shards()}
    assert set(found.targets) <= known
    assert ("all" in found.experiment.makes) == (found.targets == ())


@pytest.mark.parametrize("name", names())
def test_the_paper_s_scale_is_the_larger_one_and_takes_data_that_torchvision_downloads_and_no_archive(name):
    small, paper = (plan(name, scale).run.configuration for scale in ("small", "paper"))
    assert paper.pool.size >= small.pool.size
    assert len(paper.domains) >= len(small.domains)
    found = paper.domains.values()
    assert {one.source for one in found} <= {"torchvision", "recorded", "cartpole", "cartpole3d"}
    named = {one.name for one in found if one.source == "torchvision"}
    assert named <= {"MNIST", "FashionMNIST", "CIFAR10", "CIFAR100"}
    assert all(one.grey for one in found if one.source == "torchvision" and one.name.startswith("CIFAR"))


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_one_pool_of_mnist_serves_figures_5_10_16_and_17_and_from_a_store_figure_9(scale):
    runs = [plan(name, scale).run for name in ("f05", "f10", "f16", "f17")]
    noise = plan("f09", scale).run
    assert len({run.layout.root for run in runs}) == 1
    assert len({str(run.plan.complexity("mnist")) for run in runs}) == 1
    assert len({str(run.plan.trials("mnist")) for run in (*runs, noise)}) == 1
    assert noise.configuration.store == runs[1].configuration.store is not None


def test_runs_that_share_a_folder_agree_on_every_domain_in_common():
    for scale in ("small", "paper"):
        of: dict[tuple[str, str], set[str]] = {}
        for name in names():
            found = plan(name, scale).run
            for domain in found.configuration.domains:
                of.setdefault((str(found.layout.root), domain), set()).add(str(found.plan.complexity(domain)))
        assert [where for where, prints in of.items() if len(prints) > 1] == []


def test_small_runs_fit_into_twelve_minutes_and_all_of_them_into_two_and_a_half_hours():
    own = [name for name in names() if experiment(name).scale is not None]
    seconds = {name: expected(plan(name, "small").raw).core_hours * 3600 for name in own}
    long = {"f23", "f23-balls"}
    assert max(seconds[name] for name in long) < LEVELS
    assert {name: cost for name, cost in seconds.items() if cost > LARGEST and name not in long} == {}
    assert sum(seconds.values()) < TOGETHER


@pytest.mark.parametrize("scale", ["small", "paper"])
def test_figures_23_to_28_are_of_all_levels_in_one_view_and_the_other_file_shows_the_other(scale):
    levels = {}
    for name in ("f23", "f23-view", "f23-balls"):
        domains = plan(name, scale).run.configuration.domains
        levels[name] = {one.novelty: one.view for one in domains.values()}
        assert {one.difficulty for one in domains.values()} == {"easy"}
    assert set(levels["f23"]) == set(levels["f23-balls"]) == set(range(17))
    assert set(levels["f23-balls"].values()) == ({"scaled"} if scale == "small" else {"full"})
    assert {1, 2, 3, 4, 8, 9} <= set(levels["f23-view"])
    views = [set(levels[name].values()) for name in ("f23", "f23-view")]
    assert views == ([{"cart"}, {"scaled"}] if scale == "small" else [{"full"}, {"cart"}])
    for like in ("f24", "f25", "f26", "f27", "f28"):
        assert plan(like, scale).run.layout.root == plan("f23", scale).run.layout.root


def test_an_experiment_like_another_with_a_scale_of_its_own_has_a_folder_and_a_name_of_its_own(tmp_path):
    f23, view = plan("f23", "small"), plan("f23-view", "small")
    assert (view.raw["name"], plan("f24", "small").raw["name"]) == ("f23-view", "f23")
    assert f23.run.layout.root != view.run.layout.root
    assert "agents" in f23.raw
    assert "agents" not in view.raw
    path = tmp_path / "f23-view.yaml"
    head = "experiment: f23-view\ntitle: t\nsource: s\nclaims: [F23]\nmakes: [all]\nlike: f23\n"
    path.write_text(head + "scale: {small: {results: a}, paper: {agents: null}}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="scale paper lacks results"):
        read_experiment(path)


def test_settings_are_laid_over_one_another():
    assert merge({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 4}, "d": None}) == {"a": {"b": 4, "c": 2}}
    assert everywhere({"*": {"limit": 5}, "x": {}, "y": {"limit": 7}}) == {"x": {"limit": 5}, "y": {"limit": 7}}


def test_what_is_wrong_is_refused(tmp_path):
    with pytest.raises(InputError, match="f99"):
        planned("f99", "small")
    path, head = tmp_path / "f10.yaml", "experiment: f10\ntitle: t\nsource: s\nclaims: [F10]\n"
    for rest, says in (("makes: [all]\n", "give scale"), ("makes: [everything]\nlike: f17\n", "makes")):
        path.write_text(head + rest, encoding="utf-8")
        with pytest.raises(ConfigurationError, match=says):
            read_experiment(path)
