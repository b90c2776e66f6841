"""What must be known beside the numbers of a suite, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from aiq.records.suite_report import NOT_AIQ, AgentReport, Detectable, TestReport
from aiq.suites.response import FEWEST, LOWER, UPPER

Floats = npt.NDArray[np.float64]

FEW = 100  # agents below which intervals over agents cover less than they say
ONE_FACTOR = 0.5  # share of the rank variance below which one ability is a poor summary
ENOUGH_RUNS = 10  # runs a test from which bootstrap intervals of means cover nearly what they say
ALIKE = 0.9  # share of variance from which a test is nearly another


def warnings(
    means: Floats,
    tests: Sequence[TestReport],
    agents: Sequence[AgentReport],
    smallest: Detectable,
    enough: bool,
) -> tuple[str, ...]:
    """Return the warnings of a suite.

    Args:
        means: performances, (A, T).
        tests: what is said of the tests.
        agents: what is said of the agents, best first.
        smallest: what the suite detects.
        enough: whether a model of responses was fitted.
    """
    said = [NOT_AIQ[0].upper() + NOT_AIQ[1:]]
    if not enough:
        said.append(
            f"{len(means)} agents are fewer than {FEWEST}: no model of responses was fitted, difficulty is 1 - mean "
            "performance and there is no discrimination"
        )
    else:
        said += _of_model(means, tests)
    alike = [f"{t.test} by {t.predicted_by}" for t in tests if t.redundancy and t.redundancy.value >= ALIKE]
    if alike:
        said.append(f"nearly given by one other test ({ALIKE:.0%} of the variance or more): {', '.join(alike)}")
    said += _of_order(agents, smallest)
    runs = min(agent.mean.n for agent in agents)
    if any(agent.mean.method.startswith("bootstrap") for agent in agents) and runs < ENOUGH_RUNS:
        said.append(
            f"the means rest on {runs} runs a test: simulated, such 95% bootstrap intervals cover 87% at 3 runs and "
            "92% at 5"
        )
    if all(agent.mean.interval is None for agent in agents):
        said.append("one run a cell and no standard errors: no interval of an agent's mean carries its own uncertainty")
    return tuple(said)


def _of_model(means: Floats, tests: Sequence[TestReport]) -> list[str]:
    """Return what holds for difficulty and discrimination."""
    said = []
    if len(means) < FEW:
        said.append(
            f"{len(means)} agents are few for a model of responses: simulated, 95% intervals of difficulty cover 89% "
            "at 40 agents and 94% at 100, those of discrimination 97%"
        )
    share = first_share(means)
    if share < ONE_FACTOR:
        said.append(
            f"the largest common factor holds {share:.0%} of the tests' rank variance: one ability is a poor summary"
        )
    for side, value, words in (("upper", UPPER, "at least"), ("lower", LOWER, "at most")):
        names = [t.test for t in tests if t.bound == side]
        if names:
            said.append(f"discrimination stands at the library's bound, {words} {value:g}: {', '.join(names)}")
    negative = [t.test for t in tests if t.rest_correlation is not None and t.rest_correlation < 0]
    if negative:
        said.append(f"agents that are better elsewhere are worse on: {', '.join(negative)}")
    return said


def first_share(means: Floats) -> float:
    """Return the share of the largest eigenvalue of the tests' rank correlations; constant tests are left out."""
    ranks = rankdata(means, axis=0)
    ranks = ranks[:, np.ptp(ranks, axis=0) > 0]
    if ranks.shape[1] < 2:
        return 1.0
    values = np.linalg.eigvalsh(np.corrcoef(ranks.T))
    return float(values[-1] / values.sum())


def _of_order(agents: Sequence[AgentReport], smallest: Detectable) -> list[str]:
    """Return how much of the order of agents the suite can tell."""
    if smallest.over_tests is None:
        return []
    told = sum(
        a.difference is not None and a.difference.interval is not None and a.difference.interval[0] > 0 for a in agents
    )
    runs = "" if smallest.over_runs is None else f" (on exactly these tests, run again: {smallest.over_runs:.3g})"
    return [
        f"over tests like these, differences below {smallest.over_tests:.3g} are missed more often than "
        f"{1 - smallest.power:.0%} of the time{runs}; {told} of {len(agents) - 1} agents are told from the next, each "
        "interval for itself, not for all together"
    ]
