"""Compiled code computes what the source says."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from aiq.wings.algorithmic.equations.adaptive import Block
from aiq.wings.algorithmic.equations.agents import MCAIXI
from aiq.wings.algorithmic.equations.programs import Population
from aiq.wings.algorithmic.equations.runs import Experiment, run_blocks
from aiq.wings.algorithmic.equations.trials import Episode
from aiq.wings.algorithmic.records import Program

UNCOMPILED = """
import warnings
warnings.simplefilter("ignore", RuntimeWarning)
from aiq.wings.algorithmic.equations import Block, Episode, Experiment, Population, make_agent, run_blocks
from aiq.wings.algorithmic.records import Program
agent = make_agent("mc-aixi", {"simulations": 8, "depth": 5, "horizon": 2, "factored": FACTORED, "epsilon": 0.3,
    "common_random_numbers": COMMON})
population = Population([Program(1, "CODE")])
outcomes = run_blocks(Experiment(agent, Episode(12), 5), population, [Block(1, 0, 2)])
print(*[value.hex() for value in [*outcomes.plus.tolist(), *outcomes.minus.tolist()]])
"""


@pytest.mark.parametrize(("factored", "common"), [(True, True), (False, False)])
def test_compiled_planner_equals_the_same_source_uncompiled(factored, common):
    code = ",>+.<[.+]>,-#"
    agent = MCAIXI(8, 5, 2, factored=factored, epsilon=0.3, common_random_numbers=common)
    experiment = Experiment(agent, Episode(12), 5)
    outcomes = run_blocks(experiment, Population([Program(1, code)]), [Block(1, 0, 2)])
    source = UNCOMPILED.replace("FACTORED", str(factored)).replace("COMMON", str(common)).replace("CODE", code)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", source], env=environment, check=True, capture_output=True, text=True, cwd=Path.cwd()
    )
    values = [float.fromhex(word) for word in done.stdout.split()]
    np.testing.assert_allclose(np.concatenate([outcomes.plus, outcomes.minus]), values, rtol=1e-12)
    assert len(set(values)) > 1
