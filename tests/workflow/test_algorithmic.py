"""The algorithmic quotient through Snakemake: a tiny run, again, grown, cut differently, from a file, refused."""

from __future__ import annotations

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
from aiq.wings.algorithmic.equations.estimation import Quotients
from changes import changed

OUTSIDE = """
class Constant:
    def __init__(self, actions, observations, seed, answer=0): self.answer = answer
    def act(self, observation, reward): return self.answer
"""


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
    large = changed(TINY, runs=400, programs={"count": 600}, agents=[TINY["agents"][0], more])
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
    mine = make(tmp_path / "file", changed(TINY, programs={"file": "mine.txt"}), monkeypatch)
    assert numbers(mine) == whole
    assert mine.sample.candidates is None


def test_a_refused_job_says_one_sentence(tmp_path):
    (tmp_path / "bad.txt").write_text("1 ,.x#\n")
    done = tiny.snakemake(tmp_path, changed(TINY, programs={"file": "bad.txt"}), "--cores", "1")
    assert done.returncode != 0
    assert "aiq: program ',.x#' has 'x' at position 2, which is not BF" in done.stdout
    assert "InputError" not in done.stdout


def test_an_agent_from_outside(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine_outside.py").write_text(OUTSIDE)
    entry = {"name": "mine", "agent": "outside", "lengths": [5], "factory": "mine_outside:Constant"}
    good = make(tmp_path / "good", changed(TINY, agents=[entry]), monkeypatch)
    assert abs(good.agents[0].quotient.estimate.value) < 15
    with pytest.raises(AiqError, match="returned the action 5; allowed are integers from 0 to 4"):
        make(tmp_path / "bad", changed(TINY, agents=[{**entry, "arguments": {"answer": 5}}]), monkeypatch)


def test_zero_strata_left_and_failures_shown(tmp_path, monkeypatch):
    loops = "1 ,+[<+]#\n" * 3  # marches over the tape until the step limit
    (tmp_path / "fail.txt").write_text(loops)
    one = changed(TINY, programs={"file": "fail.txt"}, agents=[{"name": "q", "lengths": [30], **Q}])
    with pytest.raises(AiqError, match="zero strata left"):
        make(tmp_path / "x" / "..", one, monkeypatch)
    (tmp_path / "fail.txt").write_text(loops + "2 ,.#\n")
    found = make(tmp_path, one, monkeypatch)
    assert found.agents[0].quotient.dropped == (1,)
    assert found.agents[0].quotient.failures >= 100
    run = Run.of(one)
    make_products(run, "draw_algorithmic")
    make_products(run, "write_algorithmic_tables")
    caption = Path(run.layout.figure("algorithmic-lengths", "txt")).read_text()
    assert "pairs of trials dropped because the program failed" in caption
