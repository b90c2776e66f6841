"""Collectives through Snakemake and the command line: a tiny run, growing, what is refused."""

from __future__ import annotations

import functools
import json
import typing

import numpy as np
import pytest
from tiny_collectives import TINY

import changes
from aiq.cli.main import main
from aiq.errors import ConfigurationError
from aiq.plans.run import Run
from aiq.wings.collectives import equations as collectives
from aiq.wings.collectives import plan as settings_of
from aiq.wings.collectives.equations.simulation import simulate
from aiq.wings.collectives.work import settings

changed = functools.partial(changes.changed, TINY)


def test_the_configuration_knows_the_library():
    """The layer of the configuration cannot import the library, so the words stand twice."""
    assert typing.get_args(settings_of.Kind) == collectives.KINDS == tuple(settings_of.ALL_KINDS)
    run = Run.of({**TINY, "test": {}})
    assert settings(run.configuration, run.plan.tests["side-010"]) == collectives.PRESETS["paper"]
    code = Run.of({**TINY, "test": {"preset": "code"}})
    assert settings(code.configuration, code.plan.tests["side-010"]) == collectives.PRESETS["code"]
    made = settings(Run.of(TINY).configuration, run.plan.tests["side-005"])
    assert (made.rows, made.steps, made.agents, made.learning.rate, made.learning.passes) == (5, 10, 2, 0.5, 5)
    near = settings(run.configuration, run.plan.tests["complexity-segment"])
    assert (near.start, near.pattern) == ("near_good", "segment")


# ---- refusals --------------------------------------------------------------------------------------

WRONG = [
    ({"by_side__sides": []}, "sides [] must be at least one, each named once"),
    ({"test__iterations": 1}, "iterations is 1, so the longest pattern ⌊iterations/2⌋ would have length 0"),
    ({"by_side__episodes": 30}, "by_side.episodes 30 is not a multiple of jobs.episodes_per_block 20"),
    ({"by_complexity__patterns": []}, "patterns [] must be at least one"),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG)
def test_bad_settings_are_one_sentence(changes, sentence):
    with pytest.raises(ConfigurationError) as error:
        Run.of(changed(**changes))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "--side", "2"], "'--side': 2 is not in the range 3<=x<=1000"),
        (["run", "--kind", "orcle"], "did you mean 'oracle'"),
        (["run", "none.yaml", "--side", "5"], "both a configuration and options (sides) are given"),
        (["complexity", ""], "the word after aiq collectives complexity is empty"),
    ],
)
def test_bad_options_are_one_sentence(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status = main(["collectives", *arguments])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_the_command_line_gives_the_librarys_numbers(capsys):
    assert main(["collectives", "run", "--side", "5", "--kind", "oracle", "--episodes", "90", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["intelligence"]
    (block,) = simulate(["oracle"], collectives.Settings(rows=5, columns=5), 0, 0, 90)
    assert found["value"] == pytest.approx(collectives.intelligence([block]).estimate.value)
    assert np.isfinite(found["variation"])
    assert main(["collectives", "complexity", "URRDL", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"complexity": 4, "length": 5}
