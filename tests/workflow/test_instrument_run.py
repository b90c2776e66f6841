"""``aiq instrument`` on a finished run, by its configuration and by its results folder."""

import json

import pytest
import tiny

from aiq.cli.main import main
from aiq.plans.run import Run

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


def test_a_run_that_scores_nobody_is_refused(finished, tmp_path, capsys):
    (tmp_path / "tiny.yaml").write_text(json.dumps({**tiny.TINY, "agents": {}}), encoding="utf-8")
    with tiny.inside(finished):
        assert main(["instrument", str(tmp_path / "tiny.yaml")]) == 2
    assert "tiny scores nobody; give a table agent,domain,performance beside it" in capsys.readouterr().err
