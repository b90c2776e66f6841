from typing import get_args

import pytest
from pydantic import ValidationError

from aiq.errors import InputError
from aiq.wings.collectives.equations import PRESETS, Learning, Settings, preset, simulate
from aiq.wings.collectives.settings import LambdaTest, Preset


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 2}, "rows of the grid is 2"),
        ({"columns": 2}, "columns of the grid is 2"),
        ({"agents": 0}, "number of agents is 0"),
        ({"agents": 2.5}, "number of agents is 2.5"),
        ({"steps": 1}, "iterations ϑ is 1: iterations is 1, so the longest pattern"),
        ({"steps": 0}, "iterations ϑ is 0"),
        ({"pattern": "wolk"}, "did you mean 'walk'"),
        ({"start": "here"}, "start of the agents is 'here'"),
        ({"program": True, "rows": 3, "columns": 3, "agents": 10}, "10 agents cannot start in cells of their own on 9"),
        ({"stigmergy_discount": 0}, "fake rewards is 0"),
        ({"stigmergy_discount": float("nan")}, "fake rewards is nan"),
    ],
)
def test_what_is_no_test_is_refused(changes, words):
    with pytest.raises(InputError, match=words) as caught:
        Settings(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("changes", [{"rate": 0}, {"discount": 1.5}, {"exploration": -0.1}, {"passes": -1}])
def test_impossible_learning_is_refused(changes):
    with pytest.raises(InputError):
        Learning(**changes)


def test_presets():
    assert preset("paper") == Settings()
    code = preset("code", rows=5, columns=5)
    assert (code.pattern, code.stigmergy_keeps, code.auction_keeps, code.program) == ("replay", True, True, True)
    assert code.learning == Learning(rate=0.3, discount=0.3, exploration=0.0, passes=100, initial=2.0)
    with pytest.raises(InputError, match="did you mean 'code'"):
        preset("cod")


def test_unknown_kinds_and_empty_blocks_are_refused():
    with pytest.raises(InputError, match="did you mean 'auction'"):
        simulate(["auktion"], Settings(), 0, 0, 1)
    with pytest.raises(InputError, match="no kinds"):
        simulate([], Settings(), 0, 0, 1)
    with pytest.raises(InputError, match="0 episodes"):
        simulate(["random"], Settings(), 0, 0, 0)


def test_every_preset_of_a_configuration_is_there_and_its_defaults_are_the_paper_s():
    assert set(PRESETS) == set(get_args(Preset))
    told = LambdaTest()
    assert (told.agents, told.iterations) == (Settings().agents, Settings().steps)


@pytest.mark.parametrize("agents", [0, 1, 1000, 1001])
def test_test_and_configuration_have_one_range(agents):
    refused = []
    for kind in (Settings, LambdaTest):
        try:
            kind(agents=agents)
        except (InputError, ValidationError):
            refused.append(kind)
    assert refused == ([] if 1 <= agents <= 1000 else [Settings, LambdaTest])
