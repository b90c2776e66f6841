"""``aiq instrument`` on tables: what it says, where it cannot say a thing, and what it refuses."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from aiq import storage
from aiq.cli.main import main
from aiq.measures import instrument
from aiq.records.instrument import RULES
from aiq.stats import percentile_interval
from aiq.tasks.instrument import sentences
from aiq.tasks.instrument.looking import _first, look
from aiq.tasks.instrument.sources import Judged, judged
from aiq.tasks.suite.tables.spaces import space_from_tables


def write(path: Path, header: str, rows) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n", "utf-8")
    return path


def suite(folder: Path, tests: int, agents: int, *, se: bool = True, repetitions: int = 3) -> tuple[str, str]:
    """Write a space of tests and a table of agents; the first two tests share nothing."""
    rng = np.random.default_rng(tests)
    points = np.abs(rng.normal(size=(tests, max(tests - 1, 1)))) + 0.1
    points[:2] = np.eye(max(tests - 1, 2))[:2, : points.shape[1]] if tests > 2 else points[:2]
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    names = [f"t{i}" for i in range(tests)]
    c = write(folder / "c.csv", "domain,complexity" + ",se" * se, [(n, 1 - 0.05 * i, *([0.03] * se))
                                                                   for i, n in enumerate(names)])  # fmt: skip
    pairs = [
        (names[i], names[j], 0.05 * np.sqrt(1 - min(points[i] @ points[j], 0.99)), *([0.004] * se))
        for i, j in combinations(range(tests), 2)
    ]
    d = write(folder / "d.csv", "a,b,dissimilarity" + ",se" * se, pairs)
    found = space_from_tables(str(c), str(d))
    storage.write_result(folder / "s.h5", "space", found, "made", 0)
    skill = np.linspace(0.2, 0.9, agents)
    rows = [
        (f"agent{a}", name, np.clip(skill[a] + 0.1 * rng.normal(), 0, 1).round(3), r)
        for a in range(agents)
        for name in names
        for r in range(repetitions)
    ]
    table = write(folder / "p.csv", "agent,domain,performance,repetition", rows)
    return str(folder / "s.h5"), str(table)


def test_one_json_object_with_everything(tmp_path, capsys):
    space, table = suite(tmp_path, 5, 12)
    asked = ["instrument", space, table, "--splits", "10", "--replicates", "30"]
    assert main([*asked, "--json", "--csv", str(tmp_path / "i.csv"), "-o", str(tmp_path / "i.svg")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["test"] for one in found["tests"]] == [f"t{i}" for i in range(5)]
    for one in found["tests"]:
        low, high = one["worth_interval"]
        assert 0 <= low <= high <= 1
        assert 0 <= one["needed"] <= 1
        assert -1 <= one["rank_correlation_without"] <= 1
    steps = found["dropping"]["steps"]
    assert [one["kept"] for one in steps] == [5, 4, 3, 2, 1]
    assert steps[0]["chosen"] == steps[0]["random"] == 1
    assert found["dropping"]["left_out"]
    assert found["dropping"]["judged"] == 6
    assert sorted(found["dropping"]["order"]) == [f"t{i}" for i in range(5)]
    gains = [one["gain"] for one in found["additions"]]
    assert gains == sorted(gains, reverse=True)
    assert all(set(one["likeness"]) == {f"t{i}" for i in range(5)} for one in found["additions"])
    assert found["replicates"] == 30
    assert found["agents"][0]["agent"] == "agent11"
    assert (tmp_path / "i.svg").read_bytes().startswith(b"<?xml")
    with (tmp_path / "i.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"test", "tests_kept", "moved", "agent", "warning"} <= {row["part"] for row in rows}
    assert [row["name"] for row in rows if row["part"] == "warning"] == found["warnings"]


def test_the_screen_says_what_the_numbers_cannot_tell(tmp_path, capsys):
    space, table = suite(tmp_path, 4, 4)
    assert main(["instrument", space, table, "--splits", "5", "--replicates", "20"]) == 0
    out = capsys.readouterr().out
    assert "4 agents: all choose which tests go and all are judged" in out
    assert "it needs 10 agents" in out
    assert "adds a dimension, and volumes of different dimensions do not compare" in out
    assert "the same agents that choose" in out


@pytest.mark.parametrize(
    ("tests", "agents", "said"),
    [
        (4, 1, "one agent has no order: nothing is said of which tests keep it"),
        (4, 2, "two agents have one order or the other"),
        (2, 4, "2 tests: a suite of fewer hardly is one"),
        (3, 4, "3 tests: a suite of fewer hardly is one"),
    ],
)
def test_small_suites_say_what_they_cannot(tmp_path, capsys, tests, agents, said):
    space, table = suite(tmp_path, tests, agents)
    assert main(["instrument", space, table, "--splits", "3", "--replicates", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert any(said in sentence for sentence in found["warnings"])
    assert (found["dropping"] is None) == (agents < 3)


def test_as_many_tests_as_dimensions_can_lose_none(tmp_path, capsys):
    write(tmp_path / "c.csv", "domain,complexity", [("A", 1), ("B", 2)])
    write(tmp_path / "d.csv", "a,b,dissimilarity", [("A", "B", 0.02)])
    found = space_from_tables(str(tmp_path / "c.csv"), str(tmp_path / "d.csv"))
    known = {name: [np.array([x]), np.array([y])] for name, x, y in (("a", 0.9, 0.5), ("b", 0.8, 0.1), ("c", 0.1, 0.9))}
    seen = look(Judged("two", found, known), splits=3)
    assert [one.worth.value for one in seen.tests] == [1, 1]
    assert any("2 tests in 2 dimensions: none can be left out" in sentence for sentence in seen.warnings)
    assert any("no number here has an interval" in sentence for sentence in seen.warnings)
    assert all(one.worth.interval is None and one.needed is None for one in seen.tests)


def test_tests_that_are_alike_are_named(tmp_path):
    write(tmp_path / "c.csv", "domain,complexity", [("A", 1), ("B", 1), ("C", 1)])
    write(tmp_path / "d.csv", "a,b,dissimilarity", [("A", "B", 1), ("A", "C", 0.01), ("B", "C", 1)])
    found = space_from_tables(str(tmp_path / "c.csv"), str(tmp_path / "d.csv"), dimensions=2)
    seen = look(Judged("three", found, {"me": [np.array([0.5])] * 3}), splits=3)
    assert any("nearly alike: A and C; noise lets one" in sentence for sentence in seen.warnings)


def test_intervals_of_tests_that_may_be_copies_begin_at_nothing(tmp_path):
    """C is longer than A in nearly its direction, so it is worth something in every replicate."""
    write(tmp_path / "c.csv", "domain,complexity,se", [("A", 1, 0.01), ("B", 1, 0.01), ("C", 1.3, 0.01)])
    pairs = [("A", "B", 1, 0.02), ("A", "C", 0.05, 0.02), ("B", "C", 1, 0.02)]
    write(tmp_path / "d.csv", "a,b,dissimilarity,se", pairs)
    found = space_from_tables(str(tmp_path / "c.csv"), str(tmp_path / "d.csv"), dimensions=2)
    seen = look(Judged("three", found, {"me": [np.array([0.5])] * 3}), splits=3)
    a, b, c = (one.worth for one in seen.tests)
    assert c.value > 0.15
    assert seen.tests[2].needed == 1
    assert a.interval[0] == c.interval[0] == 0
    assert b.interval[0] > 0.5
    assert any(sentence.startswith("C: interval of worth begins at 0") for sentence in seen.warnings)


def test_gains_are_those_in_the_dimensions_of_the_suite(tmp_path):
    """Although some replicates keep another number of dimensions."""
    suite(tmp_path, 4, 3)
    c, d = (str(tmp_path / name) for name in ("c.csv", "d.csv"))
    write(tmp_path / "d.csv", "a,b,dissimilarity,se", [
        ("t0", "t1", 1, 0.25), ("t0", "t2", 0.5, 0.25), ("t0", "t3", 0.8, 0.25),
        ("t1", "t2", 0.7, 0.25), ("t1", "t3", 0.6, 0.25), ("t2", "t3", 0.6, 0.25),
    ])  # fmt: skip
    found = space_from_tables(c, d, dimensions="auto")
    assert len(np.unique(found.bootstrap.numbers)) > 1
    seen = look(Judged("four", found, {"me": [np.array([0.5, 0.6])] * 4}), splits=3, replicates=400)
    points = instrument.within(found, 400)
    kinds = instrument.candidates(found.coordinates)
    for one in seen.additions:
        fits = [kind for kind in kinds if sentences.kind(kind, found.domains) == one.words]
        gains = instrument.enlarging(points, fits[0].directions(points))
        assert one.gain.interval == pytest.approx(percentile_interval(gains, 0.95))
    assert sum(one.best for one in seen.additions) == pytest.approx(1)


def test_kinds_that_add_the_same_share_a_replicate():
    gains = np.array([[0.5, 0.5, 0.1], [0.2, 0.3, 0.1], [0.0, 0.0, 0.0], [np.nan, np.nan, 0.4]])
    assert _first(gains) == pytest.approx([1 / 6, 1 / 2, 1 / 3])
    assert _first(np.zeros((5, 2))) is None


def test_a_space_without_replicates_gives_worths_and_gains_no_interval(tmp_path):
    """Although the agents were repeated, which does not say how well the places of the tests are known."""
    space, table = suite(tmp_path, 4, 5, se=False)
    seen = look(judged(space, table), splits=5)
    for one in seen.tests:
        assert one.worth.interval is None
        assert one.needed is None
        assert one.without is None or one.without.interval is not None
    assert all(one.gain.interval is None and one.best is None for one in seen.additions)


def test_agents_and_copies_move_aiq_by_nothing_but_means_by_much(tmp_path):
    """Exact in a space without negative eigenvalues: all dimensions kept, one test twice."""
    write(tmp_path / "c.csv", "domain,complexity", [("A", 1), ("B", 1), ("C", 1)])
    pairs = [("A", "B", 1), ("A", "C", 1), ("B", "C", 0.8)]
    write(tmp_path / "d.csv", "a,b,dissimilarity", pairs)
    found = space_from_tables(str(tmp_path / "c.csv"), str(tmp_path / "d.csv"), dimensions="all")
    rng = np.random.default_rng(1)
    known = {f"a{i}": [np.array([v]) for v in rng.uniform(0.1, 1, 3)] for i in range(4)}
    moved = {one.rule: one for one in look(Judged("three", found, known), splits=3).moved}
    assert moved["per_dimension"].copy == pytest.approx(0, abs=1e-6)
    assert moved["per_dimension"].copy_pairs == 0
    assert moved["per_dimension"].agents == 0
    assert moved["mean"].copy > 0.05
    assert moved["mean"].copied in "ABC"
    assert set(moved) == set(RULES) - {"ability"}


def test_abilities_are_given_where_agents_are_enough(tmp_path):
    space, table = suite(tmp_path, 4, 14)
    from aiq.tasks.instrument.sources import judged

    seen = look(judged(space, table), splits=3, replicates=10)
    ability = [one.numbers["ability"].value for one in seen.agents]
    assert np.corrcoef(ability, range(len(ability)))[0, 1] < -0.8
    assert {one.rule for one in seen.moved} == set(RULES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["s.h5"], "s.h5 alone has no agents; give a table agent,domain,performance beside it"),
        (["."], "holds no space.h5"),
        (["s.h5", "bad.csv"], "no agent has a performance on the test"),
        (["s.h5", "p.csv", "--confidence", "1"], "confidence"),
        (["s.h5", "p.csv", "-o", "figure.bmp"], "figure.bmp|.bmp"),
        (["missing.yaml"], "missing.yaml"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(tmp_path, capsys, monkeypatch, arguments, words):
    suite(tmp_path, 3, 3)
    write(tmp_path / "bad.csv", "agent,domain,performance", [("me", "elsewhere", 0.5)])
    monkeypatch.chdir(tmp_path)
    assert main(["instrument", *arguments]) == 2
    err = capsys.readouterr().err
    assert any(word in err for word in words.split("|"))
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in err
