"""Anytime tests through Snakemake and the command line: a tiny run, growing, what is refused."""

from __future__ import annotations

import functools
import io
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tiny_anytime import TINY

import changes
from aiq.cli.main import main
from aiq.errors import ConfigurationError, InputError
from aiq.plans.run import Run
from aiq.seeding import generator
from aiq.wings.algorithmic.equations.machine import MachineSettings
from aiq.wings.anytime.equations import Clock
from aiq.wings.anytime.equations.automata import Program, ProgramClass
from aiq.wings.anytime.plan import Anytime, AnytimePlan, fits
from aiq.wings.anytime.work import environment_class, examine, examinee

changed = functools.partial(changes.changed, TINY)


def test_a_test_hangs_on_the_content_of_its_agent_s_file(tmp_path: Path):
    file = tmp_path / "mine.py"
    mine = changed(agents__oracle={"kind": "outside", "file": str(file)})
    with pytest.raises(ConfigurationError, match=r"mine.py cannot be read"):
        Run.of(mine).plan.results()
    prints = set()
    for text in ("a = 1", "a = 2"):
        file.write_text(text)
        prints.add(Run.of(mine).plan.test("grid", "oracle"))
    assert len(prints) == 2


def test_physical_time_on_a_simulated_clock_separates_the_slow_from_the_fast():
    agents = {"fast": {"kind": "oracle"}, "slow": {"kind": "slow", "agent": {"kind": "oracle"}, "seconds": 1.0}}
    test = {"by": "seconds", "budget": 2.0, "action": 0.001}
    (found,) = examine(Run.of(changed(test=test, agents=agents, classes={"grid": {"family": "grid"}})))
    last = {point.agent: point for point in found.points}
    assert last["slow"].upsilon.value == 0.0
    assert last["fast"].upsilon.interval[0] > 0


# ---- programs as a class ---------------------------------------------------------------------------


def test_programs_are_a_class_of_environments():
    cls = ProgramClass("programs", 1, 2)
    rng = generator(1, "test")
    low = 5.0
    environment = cls.draw(low, low + 1, set(), rng)
    assert low <= environment.complexity <= low + 1
    assert environment.key[-1] == "#"
    assert cls.draw(cls.highest + 1, cls.highest + 2, set(), rng) is None
    again = cls.draw(low, low + 1, {environment.key}, rng)
    assert again is None or again.key != environment.key
    means = []
    for _ in range(400):
        environment.reset(rng)
        means.append(np.mean([environment.step(int(rng.integers(5)))[0] for _ in range(20)]))
    assert np.std(means) > 0
    assert abs(np.mean(means)) < 4 * np.std(means) / 20, "the sign balances every program"
    with pytest.raises(InputError, match="no oracle"):
        cls.oracle()
    raw = changed(classes={"bf": {"family": "programs"}}, agents={"random": {"kind": "random"}})
    (found,) = examine(Run.of(raw))
    assert found.points[-1].agent == "random"


def test_a_program_repeats_from_equal_randomness_and_gives_rewards_in_range():
    program = Program(",.%.#", MachineSettings())
    courses = []
    for _ in range(2):
        program.reset(np.random.default_rng(4))
        courses.append([program.step(action) for action in (0, 1, 2, 3, 4, 0)])
    assert courses[0] == courses[1]
    assert [reward for reward, _ in courses[0]] == [-1.0, -0.5, 0.0, 0.5, 1.0, -1.0]  # echoes the action
    assert len({seen for _, seen in courses[0]}) > 1


# ---- refusals --------------------------------------------------------------------------------------

WRONG = [
    ({"classes": {}}, "is empty, name at least one"),
    ({"agents": {"a": {"kind": "slow", "agent": {"kind": "random"}, "seconds": 1}}}, "test by seconds"),
    ({"agents": {"a b": {"kind": "random"}}}, "'a b' must be letters"),
    ({"agents": {"a": {"kind": "black_cup"}}, "classes": {"g": {"family": "grid"}}}, "fits none of the classes g"),
    ({"classes": {"bf": {"family": "programs"}}}, "'oracle' fits none of the classes bf"),
    ({"budgets": [50]}, "budgets holds 50.0, it must be above 0 and at most 40"),
    ({"budgets": [5, 2]}, "must rise"),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG)
def test_bad_settings_are_one_sentence(changes, sentence):
    with pytest.raises(ConfigurationError) as error:
        Run.of(changed(**changes))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


OUTSIDE = {
    "class Agent:\n    def begin(self, a, r): pass\n    def observe(self, o, r): pass\n    def act(self): return 'up'":
        "returned the action 'up'; allowed are the whole numbers 0 to 4",
    "def Agent(observation): raise KeyError('x')": "failed in act() with KeyError",
    "class Agent:\n    def begin(self, a, r): raise ValueError('no')\n    observe = act = begin":
        "failed in begin() with ValueError: no",
    "class Agent: pass": "is no agent; it needs the methods begin, observe and act",
    "Agent = 3": "must be a class or a function",
    "import nowhere_at_all": "fails: ModuleNotFoundError",
    "a = 1": "defines no 'Agent'",
}  # fmt: skip


@pytest.mark.parametrize("text", OUTSIDE, ids=range(len(OUTSIDE)))
def test_an_agent_that_returns_nonsense_is_one_sentence(text, tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(text)
    status = main(["anytime", "run", "--class", "grid", "--agent", f"{file}:Agent", "--budget", "20"])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert OUTSIDE[text] in err


def test_an_outside_agent_is_examined_and_sees_no_environment(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text(
        "def stay(observation):\n    assert (observation.shape, observation.dtype) == ((12,), 'int64')\n    return 4\n"
    )
    assert main(["anytime", "run", "--class", "grid", "--agent", f"{file}:stay", "--budget", "30", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["results"]
    assert found[-1]["agent"] == "mine.stay"
    assert -1 <= found[-1]["upsilon"]["value"] <= 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--budget", "0"], "test.budget: must be greater than or equal to 1 (given: 0)"),
        (["--class", "gird"], "did you mean 'grid'"),
        (["none.yaml", "--budget", "3"], "both a configuration and options (budget) are given"),
    ],
)
def test_bad_options_are_one_sentence(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status = main(["anytime", "run", *arguments])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_a_person_plays_and_leaves(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("4\nx\n4\n4\n4\n4\n4\nq\n"))
    assert main(["anytime", "play", "--class", "grid", "--budget", "50"]) == 0
    out = capsys.readouterr().out
    assert "'x' is no action; type a number from 0 to 4, or q." in out
    assert out.count("A new environment with actions 0 to 4") == 4
    assert "+" in out
    assert "Υ = " in out
    assert "(stopped)" in out
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["anytime", "play", "--blind"]) == 0
    assert "no environment was finished" in capsys.readouterr().out


# ---- plan ------------------------------------------------------------------------------------------


def test_agents_meet_only_the_classes_that_they_fit():
    raw = changed(
        agents={
            "cups": {"kind": "black_cup"},
            "good": {"kind": "follow_good"},
            "bag": {"kind": "sandbagger", "winner": {"kind": "oracle"}},
            "any": {"kind": "q_learning"},
        },
        classes={name: {"family": name} for name in ("cups", "grid", "programs", "automata")},
    )
    c = Run.of(raw).configuration
    fitting = {agent: [name for name, made in c.classes.items() if fits(who, made)] for agent, who in c.agents.items()}
    assert fitting == {
        "cups": ["cups"],
        "good": ["grid"],
        "bag": ["cups", "grid", "automata"],
        "any": ["cups", "grid", "programs", "automata"],
    }
    assert len(AnytimePlan(c).jobs) == len(c.pairs) == 9
    for name, agent in c.pairs:
        if name != "programs":
            made = environment_class(name, c.classes[name], 1)
            assert examinee(agent, c.agents[agent], made, Clock()).name == agent


def test_budgets_are_spread_in_log_up_to_the_tests_own():
    points = Anytime.model_validate(TINY).points
    assert points[0] == 1.0
    assert points[-1] == 40.0
    assert all(a < b for a, b in pairwise(points))
