"""Precision as a goal: what a round grows, how uncertainty is split, what a record keeps, what is refused."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aiq.cli.main import main
from aiq.errors import ConfigurationError, InputError
from aiq.explain import sources as room
from aiq.explain.rounds import Goal
from aiq.explain.spending import AIM, FACTOR, next_round, squares, stalled
from aiq.measures import space
from aiq.plans import growth
from aiq.plans.run import Run
from aiq.plans.workflow import carried
from aiq.records.variance import Growth, Round, Rounds, Source
from aiq.report.explained import precision as displays
from aiq.run.products import benchmarks
from aiq.stats import allocation

ROOT = Path(__file__).parents[2]
GOAL = {"per_dimension": 0.02, "budget": "50 core-hours"}
RAW: dict[str, Any] = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text("utf-8"))
WITH_GOAL = {**RAW, "precision": GOAL}


def sources(**parts: tuple[int, float, float]) -> list[Source]:
    """Sources by name: repetitions, part, price."""
    return [Source(name, now, 1, part, price) for name, (now, part, price) in parts.items()]


# ---- the next round ------------------------------------------------------------------------------


def test_a_round_halves_the_variance_at_the_least_cost():
    """What is very dear waits until the cheap source has been grown; two sources that are alike are doubled."""
    unlike = next_round(sources(pool=(100, 0.5, 1.0), mixtures=(100, 0.5, 1e6)), 0.0, 0.01, 1e9)
    assert dict(unlike.numbers) == {"pool": 400, "mixtures": 100}  # the factor squared
    alike = next_round(sources(pool=(100, 0.5, 1.0), mixtures=(100, 0.5, 1.0)), 0.0, 0.01, 1e9)
    assert dict(alike.numbers) == {"pool": 200, "mixtures": 200}
    assert alike.half == pytest.approx(sqrt(0.5))
    assert alike.core_hours == pytest.approx(200)


def test_the_last_round_is_aimed_just_below_the_goal():
    last = next_round(sources(agents=(1000, 1.0, 1.0)), 0.0, 0.9, 1e9)
    assert AIM * 0.9 * (1 - 1e-3) <= last.half <= AIM * 0.9


SOURCE = st.tuples(st.integers(1, 50), st.floats(0, 1), st.floats(0.01, 10), st.integers(1, 8))


@pytest.mark.parametrize(
    ("goal", "rest", "left", "why"),
    [(1.0, 0.0, 1e9, "goal"), (0.5, 0.3, 1e9, "nothing"), (0.5, 0.0, 0.5, "budget"), (0.5, 0.0, -3.0, "budget")],
)
def test_why_rounds_stop(goal: float, rest: float, left: float, why: str):
    next_growth = next_round(sources(agents=(3, 0.5, 1.0), pool=(64, 0.2, 1.0)), rest, goal, left)
    assert (next_growth.stop, next_growth.core_hours) == (why, 0)
    assert dict(next_growth.numbers) == {"agents": 3, "pool": 64}


@given(
    st.lists(SOURCE, min_size=1, max_size=4),
    st.floats(0, 0.2), st.floats(0.05, 1), st.floats(0, 500), st.floats(0, 1),
)  # fmt: skip
def test_a_round_only_grows_in_whole_steps_within_budget_and_caps(given_, rest, goal, left, overhead):
    names = ("pool", "ends", "mixtures", "agents")
    drawn = [Source(name, now * step, step, part, price)
             for name, (now, part, price, step) in zip(names, given_, strict=False)]  # fmt: skip
    next_growth = next_round(drawn, rest, goal, left, overhead)
    grown = [next_growth.numbers[source.name] - source.now for source in drawn]
    for more, source in zip(grown, drawn, strict=True):
        assert more % source.step == 0
        assert 0 <= more <= max((FACTOR**2 - 1) * source.now, source.step) + 1e-6
    assert next_growth.core_hours <= left * (1 + 1e-6) or next_growth.stop
    assert bool(next_growth.stop) == (not any(grown))
    assert next_growth.stop or next_growth.half < sqrt(rest + sum(source.part for source in drawn))


@pytest.mark.parametrize(
    ("halves", "predicted", "why"),
    [
        ([0.08, 0.06], [0.05], False),  # one round alone says nothing
        ([0.08, 0.079, 0.078], [0.06, 0.06], True),
        ([0.08, 0.07, 0.06], [0.06, 0.05], False),
        ([0.08, 0.05, 0.0499, 0.0498], [0.05, 0.04, 0.04], True),
        ([0.08, 0.05, 0.055], [0.05, 0.04], False),
    ],
)
def test_two_rounds_that_gain_next_to_nothing_are_the_last_ones(halves, predicted, why):
    assert bool(stalled(halves, predicted)) == why


# ---- the split -----------------------------------------------------------------------------------

NAMES = ["pool", "mixtures", "agents"]


def test_sources_that_add_up_are_split_exactly():
    parts = {"me": {"pool": 3.0, "mixtures": 1.0, "agents": 4.0}, "you": {"pool": 1.0, "mixtures": 1.0, "agents": 0.0}}

    def widths(held):
        return {a: sqrt(0.5 + sum(x for name, x in of.items() if name not in held)) for a, of in parts.items()}

    shares, rest = squares(widths, NAMES)
    assert rest == pytest.approx(1 / 11)
    assert shares == pytest.approx({"pool": 4 / 11, "mixtures": 2 / 11, "agents": 4 / 11})


def test_sources_that_only_act_together_share_alike_and_nothing_is_lost():
    """Wide unless both are known: neither goes alone, yet everything is theirs."""

    def widths(held):
        return {"me": 0.0 if {"pool", "mixtures"} <= set(held) else 1.0}

    shares, rest = squares(widths, NAMES)
    assert rest == 0
    assert shares == pytest.approx({"pool": 0.5, "mixtures": 0.5, "agents": 0.0})


def test_where_there_is_no_width_or_nothing_moves_it_there_is_nothing_to_split():
    assert squares(lambda held: {"me": 0.0}, NAMES) == (dict.fromkeys(NAMES, 0.0), 1.0)
    assert squares(lambda held: {"me": 0.3}, NAMES) == (dict.fromkeys(NAMES, 0.0), 1.0)


# ---- numbers beside the results ------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(numbers: dict[str, int], place: str = "results/quickstart") -> None:
    path = Path(place) / "precision.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(Rounds("x", 0.02, 50.0, (Round(numbers, 0.0),)).as_dict()), encoding="utf-8")


def test_every_plan_takes_the_larger_number_of_configuration_and_record(here: Path):
    start = Run.of(WITH_GOAL).configuration
    assert growth.numbers(start) == {"pool": 128, "ends": 15, "mixtures": 5, "agents": 5}
    written({"pool": 200, "ends": 15, "mixtures": 10, "agents": 2})
    grown = Run.of(WITH_GOAL).configuration
    assert growth.numbers(grown) == {"pool": 200, "ends": 15, "mixtures": 10, "agents": 5}  # whole chunks; no less
    more = Run.of({**WITH_GOAL, "agents": {**RAW["agents"], "repetitions": 7}}).configuration
    assert growth.numbers(more) == {"pool": 200, "ends": 15, "mixtures": 10, "agents": 7}
    assert growth.numbers(Run.of(RAW).configuration) == growth.numbers(start)  # without a goal no record is read


def test_what_is_grown_is_what_a_person_would_have_written(here: Path):
    """The same fingerprints as with the numbers in the configuration, and all units of before are valid."""
    written({"pool": 128, "ends": 15, "mixtures": 10, "agents": 3})
    grown = Run.of(WITH_GOAL).plan
    ends = {**RAW["dissimilarity"], "repetitions": 10, "end_repetitions": 15}
    by_hand = Run.of({**RAW, "pool": {**RAW["pool"], "size": 128}, "dissimilarity": ends}).plan
    assert grown.shards() == by_hand.shards()
    assert grown.results() == by_hand.results()
    assert grown.page() != by_hand.page()  # it also shows the goal
    before = Run.of(RAW).plan
    assert grown.trials("digits") == before.trials("digits")
    assert grown.mixture("digits", "cartpole") == before.mixture("digits", "cartpole")


def test_a_small_pool_keeps_its_k_when_it_grows_and_what_cannot_grow_is_no_source(here: Path):
    small = {**WITH_GOAL, "pool": {**RAW["pool"], "size": 16}}
    assert Run.of(small).configuration.best_of == 8
    written({"pool": 64})
    assert (Run.of(small).configuration.pool.size, Run.of(small).configuration.best_of) == (64, 8)
    paper = {**RAW, "complexity": {"estimator": "minimum"}, "dissimilarity": {**RAW["dissimilarity"], "ends": "pair"}}
    assert set(growth.numbers(Run.of(paper).configuration)) == {"mixtures", "agents"}


def test_a_record_is_kept_whole_and_a_broken_one_is_told(here: Path):
    rounds = Rounds("s", 0.02, 50.0, (
        Round({"pool": 64, "agents": 3}, 0.0, None, None, {"trials": 0.5}, 0.08, 2, {"pool": 0.6, "rest": 0.4}),
        Round({"pool": 128, "agents": 4}, 5.0, 0.7, 0.06),
    ))  # fmt: skip
    assert Rounds.of(json.loads(json.dumps(rounds.as_dict()))) == rounds
    assert rounds.spent == 0.5
    assert rounds.finished == rounds.rounds[:1]
    table = rounds.table()
    assert table.columns[:3] == ("round", "pool.size", "agents.repetitions")
    assert table.rows[1][:7] == (1, 128, 4, 0.7, None, 0.06, None)
    (display,) = displays(rounds)
    assert "half-width 0.02, 0.5 of 50 core-hours" in display.title
    assert any("too small" in words for words in display.sentences)
    written({"pool": 128})
    Path("results/quickstart/precision.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"record of rounds .* cannot be read .* remove it"):
        Run.of(WITH_GOAL)
    written({"pool": -1})
    with pytest.raises(ConfigurationError, match="no whole number above 0"):
        Run.of(WITH_GOAL)


def test_a_goal_changes_no_fingerprint_and_its_record_travels_where_no_file_is_shared(here: Path):
    with_goal, without = Run.of(WITH_GOAL), Run.of(RAW).plan
    assert (with_goal.plan.shards(), with_goal.plan.results()) == (without.shards(), without.results())
    assert carried(with_goal.configuration) == []
    written({"pool": 128})
    assert carried(with_goal.configuration) == ["results/quickstart/precision.json"]


# ---- the record of the rounds --------------------------------------------------------------------


def test_rounds_begin_go_on_and_begin_anew_for_another_suite(here: Path):
    goal = Goal(WITH_GOAL)
    assert "next is the start as it is configured" in goal.ahead()
    first = goal.begin()
    assert (dict(first.numbers), first.half) == ({"pool": 128, "ends": 15, "mixtures": 5, "agents": 5}, None)
    assert goal.begin() == first  # cut off: it goes on
    second = goal.begin(Growth({"pool": 128}, 0.05, 0.1))
    assert (second.predicted, second.expected) == (0.05, 0.1)
    assert second.begun > 0
    assert goal.run.configuration.pool.size == 128
    assert len(Goal(WITH_GOAL).rounds.rounds) == 2
    other = Goal({**WITH_GOAL, "seed": 1})
    assert other.rounds.rounds == ()
    assert other.begin().numbers["pool"] == 128  # numbers never shrink
    assert len(other.rounds.rounds) == 1
    assert Goal({**RAW, "precision": {**GOAL, "budget": "2 core-minutes"}}).rounds.budget == pytest.approx(1 / 30)


def test_only_jobs_after_a_moment_are_counted(here: Path):
    run = Run.of(RAW)
    for name, seconds in (("trials/digits/a", 36.0), ("complexity/digits", 18.0), ("space", 9.0)):
        path = Path(run.layout.benchmark(*name.split("/")))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\n{seconds}\t-\n", encoding="utf-8")
    moment = Path(run.layout.benchmark("space")).stat().st_mtime
    assert {stage: hours for stage, _, _, hours in benchmarks(run.layout, 2)} == pytest.approx(
        {"trials": 0.02, "complexity": 0.005, "reduction": 0.0025}
    )
    assert benchmarks(run.layout, 1, moment) == []


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"precision": {**GOAL, "budget": 50}}, "budget is 50; write a number above 0 and its unit, core-hours"),
        ({"precision": {**GOAL, "budget": "0 core-hours"}}, "above 0"),
        ({"precision": {**GOAL, "budget": "50 euros"}}, "core-minutes"),
        ({"precision": {"budget": "1 core-hours"}}, "precision needs one goal"),
        ({"precision": GOAL, "agents": {}}, "agents names nobody; add agents"),
        ({"precision": GOAL, "agents": {**RAW["agents"], "repetitions": 1}}, "agents.repetitions to 2 or more"),
        ({"precision": GOAL, "pool": {**RAW["pool"], "policies_per_chunk": 128}}, "is one chunk; take a pool of at "),
    ],
)
def test_a_goal_that_makes_no_sense_is_one_sentence(here: Path, changes, says):
    with pytest.raises(InputError, match=says) as refused:
        Run.of({**RAW, **changes})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("words", "hours"),
    [("50 core-hours", 50), ("30 core-minutes", 0.5), ("1e3 Core-Seconds", 1 / 3.6), (".5 core-hour", 0.5)],
)
def test_budgets_have_units(words: str, hours: float):
    goal = Run.of({**RAW, "precision": {**GOAL, "budget": words}}).configuration.precision
    assert goal.core_hours == pytest.approx(hours)


def test_the_verb_says_what_comes_next_where_there_is_a_goal(here: Path, capsys):
    Path("with.yaml").write_text(yaml.safe_dump(WITH_GOAL), encoding="utf-8")
    Path("without.yaml").write_text(yaml.safe_dump(RAW), encoding="utf-8")
    assert main(["precision", "with.yaml", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["goal"], answer["budget"], answer["rounds"], answer["spent"]) == (0.02, 50, [], 0)
    assert "core-hours of trainings by the cost model" in answer["next"]
    assert main(["precision", "without.yaml"]) == 2  # without a goal it is about a finished run
    assert "does not exist; make it: aiq run without.yaml --resume" in capsys.readouterr().err
    assert not Path("results").exists()


# ---- The variance of a score by source, where it can be written down -----------------------------


COUNT, LENGTH, SPREAD, SKILL, SD = 20000, 0.5, 0.03, 0.7, 0.6


class Line(room.Sources):
    """Tests of lengths 1 and 0.5 ± 0.03 in one direction, and an agent that is good at the second one only.

    In one dimension its AIQ is the largest of performance times length: here x · p, of the second test.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.names, self._count = ["long", "short"], COUNT
        skill = rng.normal(size=400)
        skill = SKILL + SD * (skill - skill.mean()) / skill.std(ddof=1)
        self._performances = {"one": [0.01 + 0 * skill, skill]}
        self._pool = np.column_stack([np.ones(COUNT), LENGTH + SPREAD * rng.normal(size=COUNT)])
        self.run = SimpleNamespace(configuration=SimpleNamespace(seed=3))
        self._space = space.build(self.names, [1.0, LENGTH], np.zeros((2, 2)), dimensions=1, **self._lengths([], True))

    of_run = ("pool", "mixtures", "agents")

    def _lengths(self, held, only_draws=False):
        values = np.array([1.0, LENGTH])
        drawn = np.tile(values, (COUNT, 1)) if "pool" in held else self._pool
        return {"complexity_replicates": drawn} | ({} if only_draws else {"complexity": values})

    def _distances(self, held):
        return {"dissimilarity_replicates": np.zeros((COUNT, 2, 2))}


def test_shares_of_two_sources_of_known_variances():
    """Var(x p) = p² Var x + x² Var p + Var x Var p, and what both make together is halved; mixtures have nothing."""
    drawn = Line().corners()
    a, b = (SKILL * SPREAD) ** 2, (LENGTH * SD) ** 2 / 400
    both = SPREAD**2 * SD**2 / 400
    truth = np.array([a + both / 2, 0, b + both / 2]) / (a + b + both)
    value, se = allocation.of_variance(drawn)
    assert 0.2 < truth[0] < 0.8
    assert value == pytest.approx(truth, abs=0.02)
    assert value.sum() == pytest.approx(1)
    assert (np.abs(value - truth) <= 4 * se + 1e-9).all()
    assert drawn[-1].var() == pytest.approx(a + b + both, rel=0.05)
