"""Where the intervals of a finished run come from: sources held alone and together, and advice that follows from it."""

import json
import shutil
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
import tiny

from aiq import storage
from aiq.cli.main import main
from aiq.errors import InputError
from aiq.explain import rounds, spending
from aiq.explain import sources as room
from aiq.explain.finished import FinishedRun
from aiq.explain.rounds import Goal
from aiq.plans import growth
from aiq.plans.run import Run
from aiq.records.estimate import Estimate
from aiq.records.variance import ALL, NO_ENDS, SOURCES, AgentVariance, Variances
from aiq.report.explained import variance as shown
from aiq.stats import allocation

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


HARD = tiny.HARD


@pytest.fixture
def here(hard, monkeypatch) -> Run:
    """A finished run that has a headline, in whose folder the test stands."""
    monkeypatch.chdir(hard)
    return Run.of(HARD)


@pytest.fixture(scope="module")
def sources(hard) -> room.Sources:
    with tiny.inside(hard):
        return room.Sources(Run.of(HARD), 600, "volume")


def agent(name: str, half: float, **known: float) -> AgentVariance:
    return AgentVariance(name, 0.5, half, {source: Estimate(v, None, 9, "made") for source, v in known.items()})


def test_with_nothing_held_the_intervals_are_those_of_the_run(here):
    by_volume, by_skills = (room.Sources(here, 40, value).intervals() for value in ("volume", "skills"))
    for one in FinishedRun(here).scores.scores.agents:
        assert by_volume[one.agent] == pytest.approx(room.half_of(one.per_dimension), rel=1e-6)  # the same draws
        assert by_skills[one.agent] == pytest.approx(room.half_of(one.headline), rel=1e-9)


def test_the_variances_of_the_headline_are_those_of_its_intervals_and_add_up(here):
    found, by_skills, split = FinishedRun(here).scores.scores, room.Sources(here, 400, "skills"), spending.split(here)
    drawn = by_skills.variances()
    at = {one.agent: place for place, one in enumerate(found.skills.agents)}
    known = np.diag(found.skills.covariance)[[at[name] for name in by_skills.agents]]
    assert drawn[-1] == pytest.approx(known)
    assert drawn[0] == pytest.approx(0)
    pool, agents = (1 << by_skills.of_run.index(source) for source in ("pool", "agents"))
    assert drawn[pool | agents] == pytest.approx(drawn[pool] + drawn[agents])
    both = [1 << by_skills.of_run.index(source) for source in ("ends", "mixtures")]
    assert drawn[sum(both)] == pytest.approx(drawn[both[0]] + drawn[both[1]], rel=0.5)
    assert all((drawn[one] > 0).all() for one in both)
    assert "dimensions" not in split.sources
    for one in split.agents:
        assert sum(share.value for share in one.shares.values()) == pytest.approx(1)
        assert all(share.value > 0 for share in one.shares.values())


def test_a_suite_without_a_headline_has_its_volume_explained(here, monkeypatch):
    assert room.Sources(here, 40).value == "skills"
    space = FinishedRun(here).space
    monkeypatch.setattr(FinishedRun, "space", replace(space, weights=replace(space.weights, reason="no")))
    assert room.Sources(here, 40).value == "volume"
    assert not room.Sources(here, 40, "skills").variances().any()


def test_with_everything_held_nothing_is_left(sources):
    assert all(half == pytest.approx(0, abs=1e-9) for _, half in sources.intervals(SOURCES).values())


def test_the_agents_alone_make_what_their_repetitions_spread(sources):
    """The pool, the mixtures and the ends being known, an interval is a matter of the agent's trainings."""
    rest = [source for source in SOURCES if source != "agents"]
    alone, whole = sources.intervals(rest), sources.intervals()
    assert all(half > 0 for _, half in alone.values())
    assert sum(half for _, half in alone.values()) < sum(half for _, half in whole.values()) * 1.2


def test_the_corners_reach_from_no_noise_to_that_of_the_run(sources):
    drawn = sources.corners()
    assert drawn.shape[::2] == (2 ** len(sources.of_run), 2)
    assert drawn[0].std(axis=0) == pytest.approx(0, abs=1e-12)
    only = 1 << sources.of_run.index("dimensions")
    assert drawn[only] == pytest.approx(drawn[0])  # without noise every replicate keeps the same dimensions
    for place, name in enumerate(sources.agents):
        low, high = np.quantile(drawn[-1, :, place], [0.025, 0.975])
        assert (high - low) / 2 == pytest.approx(sources.intervals()[name][1], rel=0.15)  # other draws


def test_where_only_agents_are_repeated_they_have_the_whole_variance(sources):
    """A pool, ends and mixtures without noise: every share but the agents' is 0."""

    class Quiet(room.Sources):
        def _replicated(self, held):
            return super()._replicated([*held, "pool", "ends", "mixtures"])

    quiet = Quiet.__new__(Quiet)
    quiet.__dict__.update(sources.__dict__)
    value, _ = allocation.of_variance(quiet.corners())
    assert dict(zip(quiet.of_run, value, strict=True)) == pytest.approx(
        {source: float(source == "agents") for source in quiet.of_run}, abs=1e-9
    )


def test_a_share_of_one_source_alone_is_what_goes_of_the_square():
    one = AgentVariance("me", 0.5, 0.10, {}, {"pool": 0.06, "agents": 0.10})
    assert one.gone("pool") == pytest.approx(0.64)
    assert one.gone("agents") == pytest.approx(0)


def test_doubling_the_only_source_divides_the_half_width_by_the_root_of_two(sources):
    one, other = sorted(sources.repeated_here)
    only = [agent(one, 0.1, agents=1.0), agent(other, 0.2, agents=1.0)]
    found = spending._advised(sources, HARD, only, "agents")
    assert (found.key, found.now, found.then, found.also) == ("agents.repetitions", 2, 4, "")
    assert found.half == pytest.approx(0.15 / sqrt(2))
    assert found.core_hours > 0
    of_a_table = [agent(one, 0.1, agents=1.0), agent("of a table", 0.2, agents=1.0)]  # has what it came with
    assert spending._advised(sources, HARD, of_a_table, "agents").half == pytest.approx((0.1 / sqrt(2) + 0.2) / 2)
    none = [agent("me", 0.1, pool=-0.1)]  # below 0 it makes nothing wider
    assert spending._advised(sources, HARD, none, "pool").half == pytest.approx(0.1)


def test_more_mixtures_leave_the_ends_as_they_are_or_double_both():
    run = Run.of(HARD)
    d = run.configuration.dissimilarity
    for ends, factor in ((False, 1), (True, 2)):
        _, other = spending._doubled(run, HARD, "mixtures", ends=ends)
        found = other.configuration.dissimilarity
        assert (found.repetitions, found.ends_trained) == (2 * d.repetitions, factor * d.ends_trained)


PLAIN = tiny.tiny(dissimilarity__value="plain", dissimilarity__resamples=30, agents__table="mine.csv")
"""Replicates in the place of errors: ends are not told from mixtures, and there are fewer than of complexities."""


@pytest.fixture(scope="module")
def plain(alone, tmp_path_factory) -> Path:
    """The tiny run reduced again with plain areas, with an agent of a table beside those trained here."""
    folder = shutil.copytree(alone, tmp_path_factory.mktemp("plain") / "run")
    rows = [f"mine,{name},{v},{r}\n" for name in tiny.TINY["domains"] for r, v in enumerate((0.4, 0.6, 0.5))]
    (folder / "mine.csv").write_text("agent,domain,performance,repetition\n" + "".join(rows), encoding="utf-8")
    with tiny.inside(folder):
        for path in tiny.reduced(Run.of(PLAIN)):
            Path(path).unlink()
        tiny.grow(folder, PLAIN)
    return folder


def test_ends_that_are_not_told_apart_are_counted_with_the_mixtures_and_double_with_them(plain):
    with tiny.inside(plain):
        sources = room.Sources(Run.of(PLAIN), 1000, "volume")  # 30 replicates of areas, more of complexities
        whole, held = sources.intervals(), sources.intervals(["agents"], sources.repeated_here)
        found = spending.split(Run.of(PLAIN))
    assert sources.of_run == ("pool", "mixtures", "agents", "dimensions")
    assert sources.grown_together
    assert found.sentences[-1] == NO_ENDS
    (mixtures,) = (one for one in found.advice if one.source == "mixtures")
    assert mixtures.also == "dissimilarity.end_repetitions 6 → 12"
    assert ", with dissimilarity.end_repetitions 6 → 12" in str(shown(found)[-1].rows)
    assert held["mine"][1] == pytest.approx(whole["mine"][1])  # its repetitions cannot grow here
    here = [name for name in whole if name != "mine"]
    assert sum(held[name][1] for name in here) < sum(whole[name][1] for name in here)


def test_a_round_grows_ends_with_the_mixtures_where_they_are_not_told_apart(plain, tmp_path, monkeypatch):
    raw = {**PLAIN, "precision": {"per_dimension": 0.1, "budget": "10 core-hours"}}
    monkeypatch.setattr(rounds, "squares", lambda widths, names: ({n: float(n == "mixtures") for n in names}, 0.0))
    shutil.copytree(plain, tmp_path / "run")
    with tiny.inside(tmp_path / "run"):
        goal = Goal(raw)
        goal.begin()
        goal.finish()
        found = goal.decide()
        assert not found.stop
        ends = growth.in_proportion(Run.of(raw).configuration, found.numbers["mixtures"])
        assert found.numbers["ends"] == ends == 3 * found.numbers["mixtures"] > 6
        goal.begin(found)
        grown = growth.numbers(Run.of(raw).configuration)
    assert grown == found.numbers


def test_many_agents_and_very_many_domains_have_fewer_replicates():
    assert room.replicates(6, 2, 5, 200) == 200
    assert room.FEW < room.replicates(22, 3, 8, 200) < 100
    assert room.replicates(22, 3, 60, 200) == room.FEW
    assert room.replicates(1000, 1, 1, 200) == room.FEW
    assert room.replicates(6, 2, 5, 30) == room.FEW  # with fewer no share is told


def test_the_tables_of_a_split_give_it_again():
    shared = {source: Estimate(0.2, (0.1, 0.3), 200, "made") for source in SOURCES if source != "ends"}
    agents = (AgentVariance("me", 0.5, 0.1, shared), AgentVariance("you", 0.4, 0.2, {}))
    advice = spending.Advice("pool", "pool.size", 8, 16, 0.15, 0.12, 0.01)
    made = Variances("tiny", 0.95, tuple(shared), agents, shared, 200, (advice,))
    again = Variances.of("tiny", 0.95, made.table(), made.advised())
    assert again.as_dict() == made.as_dict()
    assert made.table().rows[-1][0] == ALL
    nothing = Variances("tiny", 0.95, SOURCES, (AgentVariance("me", 0.5, 0.0),), {}, 0)
    assert Variances.of("tiny", 0.95, nothing.table(), nothing.advised()).as_dict() == nothing.as_dict()


@pytest.fixture
def told(tmp_path, capsys):
    """Run a verb on the configuration and return what it prints, or the JSON that it prints."""
    config = tmp_path / "tiny.yaml"
    config.write_text(json.dumps(HARD), encoding="utf-8")

    def call(verb: str, *words: str):
        assert main([verb, str(config), *words]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in words else out

    return call


def test_the_verb_prints_one_json_object(here, tmp_path, told):
    found, shown = told("precision", "--json", "--csv", str(tmp_path / "v.csv")), told("precision")
    for words in ("what to spend next", "one source alone known exactly", "add up to 1", "well few repetitions"):
        assert words in shown
    assert set(found["sources"]) == set(SOURCES) - {"dimensions"}
    assert sum(found["sources"].values()) == pytest.approx(1)
    assert all(sum(one["value"] for one in row["shares"].values()) == pytest.approx(1) for row in found["agents"])
    assert set(found["agents"][0]["without"]) == set(found["sources"])
    assert [one["key"] for one in found["advice"]] != []
    gains = [(one["before"] - one["half_width"]) / one["core_hours"] for one in found["advice"]]
    assert gains == sorted(gains, reverse=True)
    assert len((tmp_path / "v.csv").read_text("utf-8").splitlines()) == 4


def test_the_run_has_a_figure_two_tables_and_a_block_in_its_summary(here, told):
    table = storage.read_published(here.layout.table("variance"))
    assert table.column("agent") == [one.agent for one in spending.split(here).agents] + [ALL]
    assert all(sum(row[i] or 0 for i in range(3, 18, 3)) == pytest.approx(1) for row in table.rows)
    for name in ("variance", "advice"):
        beside = json.loads(Path(here.layout.provenance(name)).read_text("utf-8"))
        assert beside["file"] == f"{name}.csv"
    assert "enter no score" in storage.read_words(here.layout.figure("variance", "txt"))
    shown, found = told("summary", "--all"), told("summary", "--json")["variance"]
    for words in ("where the variance of the mean over skills comes from", "what to spend next", ALL, "pool.size"):
        assert words in shown
    parts = {"sources", "shares", "replicates", "agents", "advice", "notes"}
    assert set(found) == {"run", "headline", "confidence", *parts}
    assert sum(found["sources"].values()) == pytest.approx(1)
    assert found["shares"]["pool"] == {"value": found["sources"]["pool"], "interval": None}
    assert {"source", "key", "now", "then", "before", "half_width", "core_hours", "also"} == set(found["advice"][0])


def test_a_table_of_another_configuration_is_not_shown(hard, tmp_path, monkeypatch, told):
    """Tables older than the scores, as after a larger run that was cut off, are left out, and the summary says so."""
    monkeypatch.chdir(shutil.copytree(hard, tmp_path / "run"))
    beside = Path("results/tiny/tables/provenance/advice.json")
    beside.write_text(json.dumps({**json.loads(beside.read_text("utf-8")), "configuration_hash": "another"}), "utf-8")
    assert "aiq precision CONFIG" in told("summary", "--all")
    assert told("summary", "--json")["variance"] is None


def test_where_nobody_is_scored_there_is_no_product():
    plan = Run.of({**tiny.TINY, "agents": {}}).plan
    assert "explain_variance" not in [one.name for one in plan.products()]
    assert "explain_variance" in [one.name for one in Run.of(tiny.TINY).plan.products()]


def test_a_run_that_scores_nobody_is_refused():
    with pytest.raises(InputError, match="scores nobody"):
        spending.variances({**tiny.TINY, "agents": {}}, "tiny.yaml")
