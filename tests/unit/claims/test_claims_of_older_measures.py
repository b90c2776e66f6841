"""The tables of finished runs of the older measures, as their workflows write them, are what the claims read.

The runs are the tiny ones of ``tests/data/finished``. About 3 seconds.
"""

from dataclasses import replace

import pytest

from aiq import storage
from aiq.wings.algorithmic.records import AgentDifference, Quotients
from aiq.wings.algorithmic.shown import tables
from aiq.wings.anytime.shown import table
from aiq.wings.anytime.work import ClassResult
from aiq.wings.collectives.shown import ordering_table
from aiq.wings.collectives.work import CollectivesResult
from papers.claims.evidence import Evidence
from papers.claims.registry import CLAIMS

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
