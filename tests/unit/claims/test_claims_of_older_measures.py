"""Claims from tables of finished runs of the older measures, as their workflows write them.

The runs are the tiny ones of ``tests/data/finished``. A quotient of few trials by its difference to an agent of many:
by hand, which one is taken, and its coverage. About 3 seconds.
"""

from dataclasses import replace

import numpy as np
import pytest

from aiq import storage
from aiq.records.table import Table
from aiq.wings.algorithmic.equations.estimation import AgentDifference, Quotients
from aiq.wings.algorithmic.shown import tables
from aiq.wings.anytime.shown import table
from aiq.wings.anytime.work import ClassResult
from aiq.wings.collectives.shown import ordering_table
from aiq.wings.collectives.work import CollectivesResult
from papers.claims import CLAIMS
from papers.claims.evidence import Evidence
from papers.claims.older import Bounded, controlled

REPORTED = {"reproduced", "not reproduced", "undecided"}


@pytest.mark.parametrize(("label", "length", "claim"), [("Q(λ)", 1000, "A13-table"), ("MC-AIXI", 10_000, "A13-aixi")])
def test_quotients_are_found_by_labels_and_lengths_of_shipped_configurations(finished_runs, label, length, claim):
    found = storage.read_result(finished_runs / "algorithmic" / "r" / "quotients.h5", "quotients", Quotients)
    named = replace(found, agents=tuple(replace(one, label=label, length=length) for one in found.agents[:1]))
    part = CLAIMS[claim].answer(Evidence("made", measure="algorithmic", tables=tables(named))).parts[0]
    assert part.verdict in REPORTED
    assert part.ours == found.agents[0].quotient.estimate.value
    assert part.interval == pytest.approx(found.agents[0].quotient.estimate.interval)
    bare = CLAIMS[claim].answer(Evidence("made", measure="algorithmic", tables=tables(found)))
    assert bare.why == "none of the agents in print at a length in print"


def test_orders_are_found_by_the_names_of_the_shipped_configurations(finished_runs):
    found = storage.read_result(finished_runs / "algorithmic" / "r" / "quotients.h5", "quotients", Quotients)
    one = found.agents[0].quotient.estimate
    names = ("freq", "q-0", "q-lambda", "hlq-lambda")
    pairs = [(names[i + 1], names[i]) for i in range(3)]
    ahead = replace(one, value=2.0, interval=(1.0, 3.0))
    made = replace(found, differences=tuple(AgentDifference(a, b, 1000, ahead, 0.9) for a, b in pairs))
    answer = CLAIMS["A13-order"].answer(Evidence("made", measure="algorithmic", tables=tables(made)))
    assert answer.verdict == "reproduced"
    assert answer.parts[0].ours == 2.0


def test_anytime_tables_are_found(finished_runs):
    place = finished_runs / "anytime" / "results" / "tiny" / "anytime"
    found = [storage.read_result(path, "anytime result", ClassResult) for path in sorted(place.glob("*.h5"))]
    evidence = Evidence("made", measure="anytime", tables={"anytime": table(found)})
    assert CLAIMS["T10-random"].answer(evidence).verdict in REPORTED
    assert CLAIMS["T10-order"].answer(evidence).why == "the agent q-learning was not run"


def test_orderings_of_collectives_are_found(finished_runs):
    place = finished_runs / "collectives" / "results" / "tiny" / "collectives.h5"
    found = storage.read_result(place, "collectives", CollectivesResult)
    evidence = Evidence("made", measure="collectives", tables={"orderings": ordering_table(found)})
    words = {str(row[0]) for row in evidence.tables["orderings"].rows}
    for name, word in {"C15-random": "random is 0", "C15-imitation": "imitation is above local_search"}.items():
        answer = CLAIMS[name].answer(evidence)
        assert (answer.verdict in REPORTED) == (word in words), answer.why
    assert words


# ---- A quotient by its difference to an agent of many trials ------------------------------------------


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
