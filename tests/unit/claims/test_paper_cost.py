"""What the whole paper costs: sums against estimates of single suites, nothing twice, the page as computed.

About 4 seconds.
"""

import json
from pathlib import Path

import pytest

from aiq.cli.main import main
from aiq.run.costing import expected
from papers.costs import PAPER_HOURS, cost_page, paper_cost
from papers.planned import experiment, planned

PAGE = Path(__file__).resolve().parents[3] / "docs" / "runs" / "full-paper.md"


@pytest.fixture(scope="module")
def cost():
    return paper_cost()


@pytest.fixture(scope="module")
def by_name(cost):
    return {one.name: one for one in cost.figures}


@pytest.mark.parametrize("name", ["f17", "f23"])
def test_a_figure_that_asks_for_everything_costs_what_its_suite_is_estimated_at(by_name, name):
    whole = expected(planned(name, "paper").raw)
    asked = {"f17": {stage.stage for stage in whole.stages}, "f23": {"trials", "domains", "reduction"}}[name]
    stages = [stage for stage in whole.stages if stage.stage in asked]
    assert by_name[name].core_hours == pytest.approx(sum(stage.core_seconds for stage in stages) / 3600)
    assert by_name[name].trainings == sum(stage.trainings for stage in stages)
    assert by_name[name].at_most == whole.upper_bound == (name == "f23")


def test_nothing_is_counted_twice_and_nothing_is_left_out(cost, by_name):
    """Every pool of a domain that a figure asks for, once, by the fingerprint of its trainings."""
    pools: dict[str, int] = {}
    for name in by_name:
        if not {"complexity", "all"} & set(experiment(name).makes):
            continue
        run = planned(name, "paper").run
        pools |= {str(run.plan.trials(domain)): run.configuration.pool.size for domain in run.configuration.domains}
    wanted = {"all": {"agents", "mixtures", "alone", "baseline"}, "dissimilarity": {"mixtures", "alone"},
              "entropy": {"baseline"}, "complexity": set()}  # fmt: skip
    stages: dict[str, set[str]] = {}
    for name in by_name:
        own = stages.setdefault(experiment(name).like or name, set())
        own.update(*(wanted[what] for what in experiment(name).makes))
    others = 0
    for owner, asked in stages.items():
        suite = expected(planned(owner, "paper").raw).stages
        others += sum(stage.trainings for stage in suite if stage.stage in asked)
    assert sum(one.added_trainings for one in cost.figures) == sum(pools.values()) + others
    for one in cost.figures:
        assert 0 <= one.added_core_hours <= one.core_hours * (1 + 1e-12)
    assert by_name["f05"].added_core_hours == by_name["f05"].core_hours
    assert by_name["f16"].added_trainings + by_name["f18"].added_trainings + by_name["f28"].added_trainings == 0
    assert cost.core_hours == pytest.approx(sum(one.added_core_hours for one in cost.figures))
    assert cost.core_hours < PAPER_HOURS


def test_pictures_have_gpu_hours_and_played_worlds_have_none(cost, by_name):
    assert {name for name, one in by_name.items() if one.added_gpu_hours is None} == {
        "f07", "f08", "f14", "f23", "f24", "f25", "f26", "f27", "f28", "f29"}  # fmt: skip
    assert 0 < cost.gpu_hours < cost.core_hours - cost.simulated
    assert 0 < cost.benchmark.added_gpu_hours < cost.benchmark.core_hours


def test_the_page_is_what_is_computed(cost):
    assert cost_page(cost) == PAGE.read_text(encoding="utf-8"), (
        "write it anew: aiq experiment --costs -o docs/runs/full-paper.md"
    )


def test_the_verb_prints_the_costs_without_a_figure(tmp_path, capsys):
    assert main(["experiment", "--costs", "--json", "-o", str(tmp_path / "p.md")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["scale"], found["paper_hours"]) == ("paper", 950_000)
    assert {"name", "core_hours", "added_core_hours", "added_gpu_hours"} <= set(found["figures"][0])
    assert (tmp_path / "p.md").read_text(encoding="utf-8").startswith("# What the whole paper costs")
