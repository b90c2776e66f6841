"""Compiled code: where it is kept, that any source change leaves it, and that it computes what the source says."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from aiq.algorithmic import compiled
from aiq.algorithmic.adaptive import Block
from aiq.algorithmic.agents import MCAIXI
from aiq.algorithmic.population import Population
from aiq.algorithmic.runs import Experiment, run_blocks
from aiq.algorithmic.trials import Episode
from aiq.records.algorithmic import Program

UNCOMPILED = """
import warnings
warnings.simplefilter("ignore", RuntimeWarning)
from aiq.algorithmic import Block, Episode, Experiment, Population, make_agent, run_blocks
from aiq.records.algorithmic import Program
agent = make_agent("mc-aixi", {"simulations": 8, "depth": 5, "horizon": 2, "factored": FACTORED})
population = Population([Program(1, "CODE")])
outcomes = run_blocks(Experiment(agent, Episode(12), 5), population, [Block(1, 0, 2)])
print(*[value.hex() for value in [*outcomes.plus.tolist(), *outcomes.minus.tolist()]])
"""


@pytest.fixture
def fresh_folder():
    compiled.cache_folder.cache_clear()
    yield compiled.cache_folder
    compiled.cache_folder.cache_clear()


def test_folder_follows_the_environment(fresh_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "yet"))
    assert fresh_folder().parent == tmp_path / "not" / "yet"


def test_folder_changes_with_any_source(fresh_folder, monkeypatch, tmp_path):
    monkeypatch.setattr(compiled, "_SOURCES", tmp_path)
    (tmp_path / "one.py").write_text("x = 1\n")
    before = fresh_folder()
    fresh_folder.cache_clear()
    (tmp_path / "two.py").write_text("y = 1\n")
    assert fresh_folder() != before


def test_nothing_is_kept_where_nothing_can_be_written(fresh_folder, monkeypatch):
    monkeypatch.setattr(compiled, "_writable", lambda folder: False)
    assert fresh_folder() is None
    assert compiled.compiled(lambda x: x + 1)(2) == 3


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    assert not compiled._writable(tmp_path / "file" / "below")
    assert compiled._writable(tmp_path / "new" / "folder")


@pytest.mark.parametrize("factored", [True, False])
def test_compiled_planner_equals_the_same_source_uncompiled(factored):
    code = ",>+.<[.+]>,-#"
    agent = MCAIXI(8, 5, 2, factored=factored)
    experiment = Experiment(agent, Episode(12), 5)
    outcomes = run_blocks(experiment, Population([Program(1, code)]), [Block(1, 0, 2)])
    source = UNCOMPILED.replace("FACTORED", str(factored)).replace("CODE", code)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", source], env=environment, check=True, capture_output=True, text=True, cwd=Path.cwd()
    )
    values = [float.fromhex(word) for word in done.stdout.split()]
    np.testing.assert_allclose(np.concatenate([outcomes.plus, outcomes.minus]), values, rtol=1e-12)
    assert len(set(values)) > 1
