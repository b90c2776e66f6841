"""Where the intervals of a finished run come from: sources held one at a time, and advice that follows from it."""

import json
from math import sqrt

import pytest
import tiny

from aiq import storage
from aiq.cli.main import main
from aiq.errors import InputError
from aiq.plans.run import Run
from aiq.records.variance import SOURCES, AgentVariance
from aiq.tasks.sensitivity import variance
from aiq.tasks.suite.reducing.space import AgentScores

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


@pytest.fixture(scope="module")
def sources(finished) -> variance.Sources:
    with tiny.inside(finished):
        return variance.Sources(Run.of(tiny.TINY), 600)


def test_with_nothing_held_the_intervals_are_those_of_the_run(finished, sources):
    run = Run.of(tiny.TINY)
    with tiny.inside(finished):
        scores = storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores()).scores
    found = sources.intervals()
    for one in scores.agents:
        low, high = one.per_dimension.interval
        value, half = found[one.agent]
        assert value == pytest.approx(one.per_dimension.value, rel=1e-9)
        assert half == pytest.approx((high - low) / 2, rel=0.35)  # 40 replicates there


def test_with_everything_held_nothing_is_left(sources):
    assert all(half == pytest.approx(0, abs=1e-9) for _, half in sources.intervals(SOURCES).values())


def test_the_agents_alone_make_what_their_repetitions_spread(sources):
    """The pool, the mixtures and the ends being known, an interval is a matter of the agent's trainings."""
    rest = [source for source in SOURCES if source != "agents"]
    alone, whole = sources.intervals(rest), sources.intervals()
    assert all(half > 0 for _, half in alone.values())
    assert sum(half for _, half in alone.values()) < sum(half for _, half in whole.values()) * 1.2


def test_a_share_is_what_goes_of_the_square():
    one = AgentVariance("me", 0.5, 0.10, {"pool": 0.06, "agents": 0.10})
    assert one.share("pool") == pytest.approx(0.64)
    assert one.share("agents") == pytest.approx(0)


def test_doubling_the_only_source_divides_the_half_width_by_the_root_of_two():
    run = Run.of(tiny.TINY)
    only = [AgentVariance("me", 0.5, 0.1, {"agents": 0.0}), AgentVariance("you", 0.5, 0.2, {"agents": 0.0})]
    found = variance._advised(run, tiny.TINY, only, "agents")
    assert (found.key, found.now, found.then) == ("agents.repetitions", 2, 4)
    assert found.half == pytest.approx(0.15 / sqrt(2))
    assert found.core_hours > 0
    none = [AgentVariance("me", 0.5, 0.1, {"pool": 0.1})]
    assert variance._advised(run, tiny.TINY, none, "pool").half == pytest.approx(0.1)


def test_more_mixtures_leave_the_ends_as_they_are():
    run = Run.of(tiny.TINY)
    _, _, other = variance._doubled(run, tiny.TINY, "mixtures")
    d, usual = other.configuration.dissimilarity, run.configuration.dissimilarity
    assert (d.repetitions, d.ends_trained) == (2 * usual.repetitions, usual.ends_trained)


def test_the_verb_prints_one_json_object(finished, tmp_path, capsys):
    (tmp_path / "tiny.yaml").write_text(json.dumps(tiny.TINY), encoding="utf-8")
    with tiny.inside(finished):
        assert main(["variance", str(tmp_path / "tiny.yaml"), "--json", "--csv", str(tmp_path / "v.csv")]) == 0
        found = json.loads(capsys.readouterr().out)
        assert main(["variance", str(tmp_path / "tiny.yaml")]) == 0
        assert "what to spend next" in capsys.readouterr().out
    assert set(found["sources"]) == set(SOURCES)
    assert [one["key"] for one in found["advice"]] != []
    gains = [(one["before"] - one["half_width"]) / one["core_hours"] for one in found["advice"]]
    assert gains == sorted(gains, reverse=True)
    assert len((tmp_path / "v.csv").read_text("utf-8").splitlines()) == 3


def test_a_run_that_scores_nobody_is_refused(finished):
    raw = {**tiny.TINY, "agents": {}}
    with tiny.inside(finished), pytest.raises(InputError, match="scores nobody"):
        variance.variances(raw, "tiny.yaml")
