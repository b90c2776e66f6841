"""Results of synthetic agents on synthetic tests, for the contract of all figures."""

from __future__ import annotations

import numpy as np

from aiq.records.observations import Observations
from aiq.records.suite_report import SuiteReport
from aiq.seeding import generator
from aiq.suites import suite

AGENTS = {"typical": 30, "minimal": 10, "single": 10, "large": 40}
TESTS = {"typical": 7, "minimal": 2, "single": 2, "large": 50}


def report(case: str) -> SuiteReport:
    """One ability moves most tests; one test is constant where there are many, one repeats another."""
    rng = generator(13, "suite", case)
    agents, tests = AGENTS[case], TESTS[case]
    ability = rng.normal(size=(agents, 1))
    latent = ability * rng.uniform(0.2, 2, tests) + rng.normal(0, 1, tests) + rng.normal(0, 0.7, (agents, tests))
    values = 1 / (1 + np.exp(-latent))
    if tests > 2:
        values[:, 1], values[:, 2] = values[:, 0], 0.5
    rows = [
        (f"agent {i}", f"a test with a name of some length {j}" if j % 9 == 3 else f"test {j}", values[i, j])
        for i in range(agents)
        for j in range(tests)
    ]
    cells = dict(zip(("agent", "domain", "performance"), zip(*rows, strict=True), strict=True))
    return suite(Observations.of(cells), resamples=10, halves=10)


GIVEN = {"SuiteReport": report}
