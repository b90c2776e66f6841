"""``aiq instrument`` on a finished run, by its configuration and by its results folder."""

import json

import pytest
import tiny

from aiq import storage
from aiq.cli.main import main
from aiq.plans.run import Run
from aiq.tasks.instrument.looking import _case
from aiq.tasks.instrument.sources import _scored_as, judged
from aiq.tasks.suite.reducing.space import AgentScores

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_configuration_and_folder_say_the_same(finished, tmp_path, capsys):
    (tmp_path / "tiny.yaml").write_text(json.dumps(tiny.TINY), encoding="utf-8")
    run = Run.of(tiny.TINY)
    asked = ["--splits", "4", "--replicates", "20", "--json"]
    with tiny.inside(finished):
        assert main(["instrument", str(tmp_path / "tiny.yaml"), *asked]) == 0
        first = json.loads(capsys.readouterr().out)
        assert main(["instrument", run.configuration.results, *asked]) == 0
        second = json.loads(capsys.readouterr().out)
    assert first["tests"] == second["tests"]
    assert first["agents"] == second["agents"]
    assert [one["test"] for one in first["tests"]] == list(run.configuration.domains)
    assert first["replicates"] == 20


def test_the_agents_have_the_intervals_of_the_runs_own_scores(finished):
    """By the run's own seed, confidence and weight of an agent's mean variance."""
    with tiny.inside(finished):
        run = Run.of(tiny.TINY)
        scores = storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores()).scores
        known = judged(run.configuration.results)
        again = _case(known, 2, 10, known.confidence, known.seed).scores
        other = _case(known, 2, 10, known.confidence, known.seed + 1).scores
    assert [one.per_dimension.interval for one in again.agents] == [one.per_dimension.interval for one in scores.agents]
    assert again.agents != other.agents
    settings = {"seed": 9, "quotient": {"confidence": 0.8, "prior_df": 2.0, "facet_budget": 1000}}
    found = _scored_as(known, settings)
    assert (found.seed, found.confidence, found.prior_df, found.facet_budget) == (9, 0.8, 2.0, 1000)


def test_a_run_that_scores_nobody_is_refused(finished, tmp_path, capsys):
    (tmp_path / "tiny.yaml").write_text(json.dumps({**tiny.TINY, "agents": {}}), encoding="utf-8")
    with tiny.inside(finished):
        assert main(["instrument", str(tmp_path / "tiny.yaml")]) == 2
    assert "tiny scores nobody; give a table agent,domain,performance beside it" in capsys.readouterr().err
