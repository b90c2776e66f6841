"""A quotient of few trials by its difference to an agent of many: by hand, which one is taken, and its coverage."""

import numpy as np
import pytest

from aiq.records.table import Table
from papers.claims.evidence import Evidence
from papers.claims.older import Bounded, controlled
from papers.claims.registry import CLAIMS

QUOTIENTS = ("agent", "label", "length", "quotient", "quotient_low", "quotient_high", "runs")
DIFFERENCES = ("first", "second", "length", "difference", "difference_low", "difference_high", "pairs")


OWN = Bounded(44.0, 34.0, 54.0)


def row(columns, *values):
    return dict(zip(columns, values, strict=True))


def made(first="q-lambda", second="mc-aixi", gap=4.0, runs=10_000, length=10_000):
    agent = row(QUOTIENTS, "mc-aixi", "MC-AIXI", 10_000, 44.0, 34.0, 54.0, 200)
    other = row(QUOTIENTS, "q-lambda", "Q(λ)", length, 51.0, 50.0, 52.0, runs)
    step = row(DIFFERENCES, first, second, length, gap, gap - 2.4, gap + 2.4, 100)
    return agent, other, step


def taken(own=OWN, **how):
    agent, other, step = made(**how)
    return controlled(agent, own, [agent, other], [step])


@pytest.mark.parametrize(("first", "second", "sign"), [("q-lambda", "mc-aixi", -1), ("mc-aixi", "q-lambda", 1)])
def test_the_sum_by_hand_whichever_agent_the_difference_has_first(first, second, sign):
    found = taken(first=first, second=second)
    assert found.value == 51 + sign * 4
    assert found.half == pytest.approx(2.6)  # 1 and 2.4
    assert found.by == "the difference to Q(λ) on 100 pairs of trials plus Q(λ) on all its pairs"


def test_an_agent_of_no_more_trials_or_another_length_is_no_control_and_a_sharper_own_mean_stays():
    for changed in ({"runs": 200}, {"length": 1000}, {"first": "freq"}):
        assert taken(**changed) is OWN
    sharper = Bounded(44.0, 43.0, 45.0)
    assert taken(sharper) is sharper


def test_the_claim_is_judged_by_the_sharper_estimate_and_says_so():
    agent, other, step = made(gap=9.0)
    tables = {
        "quotients": Table(QUOTIENTS, tuple(tuple(one.values()) for one in (agent, other))),
        "differences": Table(DIFFERENCES, (tuple(step.values()),)),
    }
    part = CLAIMS["A13-aixi"].answer(Evidence("made", measure="algorithmic", tables=tables)).parts[0]
    assert (part.verdict, part.ours) == ("not reproduced", 42)
    assert part.why.startswith("1 of 2 numbers in print, at the run's parameters; the difference to Q(λ) on 100 pairs")
    alone = Evidence("made", measure="algorithmic", tables={"quotients": tables["quotients"]})
    assert CLAIMS["A13-aixi"].answer(alone).verdict == "undecided"


def test_coverage_with_few_of_the_many_pairs_in_common():
    rng = np.random.default_rng(2013)
    many, few, tries = 5000, 100, 1500
    covered = 0
    for _ in range(tries):
        q = 100 * rng.beta(0.4, 0.4, size=many)  # most programs near 0 or 100, as quotients have it
        loses = rng.random(few) < 0.15  # an agent that differs much on few programs
        gaps = np.where(loses, -45 * rng.random(few), 6 * rng.normal(size=few))
        ends = [1.96 * one.std(ddof=1) / np.sqrt(one.size) for one in (q, gaps)]
        other = row(QUOTIENTS, "q", "q", 1, q.mean(), q.mean() - ends[0], q.mean() + ends[0], many)
        step = row(DIFFERENCES, "a", "q", 1, gaps.mean(), gaps.mean() - ends[1], gaps.mean() + ends[1], few)
        found = controlled(row(QUOTIENTS, "a", "a", 1, 0, 0, 0, few), Bounded(0, None, None), [other], [step])
        truth = 50 - 0.15 * 22.5
        covered += bool(found.low <= truth <= found.high)
    assert covered / tries == pytest.approx(0.95, abs=0.015)
