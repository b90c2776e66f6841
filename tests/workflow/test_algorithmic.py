"""The algorithmic quotient through Snakemake: a tiny run, again, grown, cut differently, from a file, refused."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import tiny
import tiny_algorithmic
from tiny_algorithmic import TINY, Q

from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.run.products import make_products
from aiq.wings.algorithmic import work as tasks
from aiq.wings.algorithmic.records import Quotients

OUTSIDE = """
class Constant:
    def __init__(self, answer): self.answer = answer
    def act(self, observation, reward):
        if self.answer == "raise": raise RuntimeError("broken")
        return self.answer
def constant(actions, observations, seed, answer=0): return Constant(answer)
"""


def raw(**changes: Any) -> dict[str, Any]:
    """The configuration with some keys changed."""
    return copy.deepcopy(TINY) | changes


def make(folder: Path, configuration: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Quotients:
    """Make a run in this process and stay in its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    return tiny_algorithmic.make(folder, configuration)


def numbers(quotients: Quotients) -> list[tuple[Any, ...]]:
    """What a cut must not change."""
    return [(a.agent, a.length, a.quotient, a.by_length, a.lengths.tolist()) for a in quotients.agents]


def test_a_grown_run_runs_only_what_is_new(tmp_path, monkeypatch):
    make(tmp_path / "grown", TINY, monkeypatch)
    ran = []
    original = tasks.Supply.__call__

    def watched(self, blocks):
        before = self.ran
        found = original(self, blocks)
        ran.append(self.ran - before)
        return found

    monkeypatch.setattr(tasks.Supply, "__call__", watched)
    more = {"name": "random", "agent": "random", "lengths": [30]}
    large = raw(runs=400, programs={"count": 600}, agents=[TINY["agents"][0], more])
    grown = make(tmp_path / "grown", large, monkeypatch)
    spent, ran[:] = sum(ran), []
    assert numbers(make(tmp_path / "fresh", large, monkeypatch)) == numbers(grown)
    assert spent < sum(ran) - 60
    (difference,) = grown.differences
    assert difference.estimate.value > 10
    assert difference.probability > 0.99


def test_programs_from_a_file_give_the_same_numbers(tmp_path, monkeypatch):
    whole = numbers(make(tmp_path / "whole", TINY, monkeypatch))
    text = (tmp_path / "whole" / "r" / "programs.txt").read_text()
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "mine.txt").write_text(text)
    mine = make(tmp_path / "file", raw(programs={"file": "mine.txt"}), monkeypatch)
    assert numbers(mine) == whole
    assert mine.sample.candidates is None


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "empty"), ("1 ,.x#\n", "not BF"), ("1 ,.[#\n", "open"), ("21 ,.#\n", "stratum 21"), ("hello\n", "line 1")],
)
def test_a_bad_file_of_programs_is_one_sentence(tmp_path, monkeypatch, text, words):
    (tmp_path / "bad.txt").write_text(text)
    with pytest.raises(AiqError, match=words):
        make(tmp_path, raw(programs={"file": "bad.txt"}), monkeypatch)


def test_a_refused_job_says_one_sentence(tmp_path):
    (tmp_path / "bad.txt").write_text("1 ,.x#\n")
    done = tiny.snakemake(tmp_path, raw(programs={"file": "bad.txt"}), "--cores", "1")
    assert done.returncode != 0
    assert "aiq: program ',.x#' has 'x' at position 2, which is not BF" in done.stdout
    assert "InputError" not in done.stdout


@pytest.mark.parametrize(
    ("answer", "words"),
    [(5, "returned the action 5; allowed are integers from 0 to 4"), ("raise", "raised RuntimeError")],
)
def test_an_agent_from_outside(tmp_path, monkeypatch, answer, words):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine_outside.py").write_text(OUTSIDE)
    entry = {"name": "mine", "agent": "outside", "lengths": [5], "factory": "mine_outside:constant"}
    good = make(tmp_path / "good", raw(agents=[entry]), monkeypatch)
    assert abs(good.agents[0].quotient.estimate.value) < 15
    with pytest.raises(AiqError, match=words):
        make(tmp_path / "bad", raw(agents=[{**entry, "arguments": {"answer": answer}}]), monkeypatch)


def test_zero_strata_left_and_failures_shown(tmp_path, monkeypatch):
    loops = "1 ,+[<+]#\n" * 3  # marches over the tape until the step limit
    (tmp_path / "fail.txt").write_text(loops)
    one = raw(programs={"file": "fail.txt"}, agents=[{"name": "q", "lengths": [30], **Q}])
    with pytest.raises(AiqError, match="zero strata left"):
        make(tmp_path / "x" / "..", one, monkeypatch)
    (tmp_path / "fail.txt").write_text(loops + "2 ,.#\n")
    found = make(tmp_path, one, monkeypatch)
    assert found.agents[0].quotient.dropped == (1,)
    assert found.agents[0].quotient.failures >= 100
    run = Run.of(one)
    make_products(run, "draw_algorithmic")
    make_products(run, "write_algorithmic_tables")
    assert (
        "pairs of trials dropped because the program failed"
        in Path(run.layout.figure("algorithmic-lengths", "txt")).read_text()
    )
