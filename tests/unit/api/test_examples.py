"""The Python interface as its users meet it: examples, ``help``; one table by path, frame, array and results."""

from __future__ import annotations

import doctest
import inspect
import math
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import aiq
from aiq.errors import InputError

FUNCTIONS = [name for name in aiq.__all__ if name != "InputError"]
X = np.array([[0.9, 0.4, 0.6], [0.8, 0.5, 0.7], [0.2, 0.1, 0.3]])
FRAME = pd.DataFrame(X, index=["me", "you", "they"], columns=["A", "B", "C"])
PAIRS = pd.DataFrame([[0, 0.02, 0.03], [0.02, 0, 0.015], [0.03, 0.015, 0]], index=[*"ABC"], columns=[*"ABC"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_every_public_function_gives_what_it_says(name: str, finished_runs: Path, monkeypatch):
    monkeypatch.chdir(finished_runs / "suite")
    found = doctest.DocTestFinder(recurse=False).find(getattr(aiq, name), name, globs={})
    assert [bool(one.examples) for one in found] == [True]
    said: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(found[0], out=said.append).failed
    assert failed == 0, "".join(said)


def test_names_are_public_and_types_can_be_read():
    assert [name for name in dir(aiq) if name.startswith("_") and not name.startswith("__")] == []
    assert aiq.InputError is InputError
    assert "performance: TableLike | ReadResult | Observations" in str(inspect.signature(aiq.score))


def test_agents_in_the_index_an_array_and_a_table_give_the_same():
    space = aiq.space([1, 2, 3], PAIRS.to_numpy(), names="ABC")
    assert space.value == aiq.space(pd.Series([1.0, 2, 3], index=[*"ABC"]), PAIRS).value
    given = [FRAME, FRAME.rename_axis("agent"), FRAME.rename_axis("model"), FRAME.rename_axis("agent").reset_index()]
    scored = [{agent: one.value for agent, one in aiq.score(space, table).items()} for table in given]
    assert scored[1:] == scored[:-1]
    of_array = aiq.score(space, X[:, [2, 0, 1]], names=["C", "A", "B"]).value
    assert list(of_array.values()) == list(aiq.score(space, FRAME).value.values())
    assert aiq.read(X, names="ABC").value == {f"agent {i + 1}": pytest.approx(row.mean()) for i, row in enumerate(X)}
    assert aiq.suite(X, names="ABC", halves=2).record.agents[0].agent == "agent 2"


def test_arrays_with_names_give_what_tables_give():
    sizes, reached = [100, 2000, 90000], np.array([[0.5, 0.4], [0.9, 0.5], [0.97, 0.8]])
    rows = [(d, s, v) for j, d in enumerate("AB") for s, v in zip(sizes, reached[:, j], strict=True)]
    table = pd.DataFrame(rows, columns=["domain", "size", "performance"])
    wide = pd.DataFrame(reached, columns=["A", "B"])
    ways = [
        aiq.complexity(table, k=2),
        aiq.complexity(sizes, reached, names="AB", k=2),
        aiq.complexity(sizes, wide, k=2),
    ]
    assert ways[0].value == ways[1].value == ways[2].value
    p, curves = [0, 0.5, 1], np.array([[[0.8, 0.7, 0.9], [0.82, 0.7, 0.91]], [[0.5, 0.5, 0.6], [0.5, 0.52, 0.6]]])
    pairs = [("A", "B"), ("A", "C")]
    long = [(*pair, r, p[i], curves[n, r, i]) for n, pair in enumerate(pairs) for r in range(2) for i in range(3)]
    frame = pd.DataFrame(long, columns=["a", "b", "repetition", "p", "performance"])
    for measure in (aiq.dissimilarity, aiq.similarity):
        assert measure(p, curves, names=pairs).value == measure(frame).value
        assert list(measure(p, curves, names=pairs)) == pairs
    two = aiq.compare(X, names="ABC", agents=("agent 1", "agent 2"))
    assert two.value == aiq.compare(FRAME, agents=("me", "you")).value


def test_tests_of_a_space_are_tests_whatever_their_names_say():
    """A time, an error rate, and what is by chance the mean of both."""
    names, rows = ["error rate", "time", "memory"], [[0.8, 0.5, 0.2], [0.6, 0.4, 0.9], [0.7, 0.45, 0.55]]
    scores = pd.DataFrame({"agent": [*"xyz"], **dict(zip(names, rows, strict=True))})
    plain = pd.DataFrame({"agent": [*"xyz"], **dict(zip("ABC", rows, strict=True))})
    long = scores.melt("agent", var_name="task", value_name="score").rename(columns={"agent": "model"})
    expected = list(aiq.score(aiq.space([1, 2, 3], PAIRS.to_numpy(), names="ABC"), plain).value.values())
    for given in (scores, long):
        found = aiq.score(aiq.space([1, 2, 3], PAIRS.to_numpy(), names=names), given)
        assert list(found.value.values()) == expected


def test_what_is_not_known_is_nan_in_frames():
    space = aiq.space([1, 2, 3], PAIRS.to_numpy(), names="ABC")
    curve = [0, 0.5, 1], [0.8, 0.7, 0.9]
    others = [aiq.complexity([100], [0.5]), aiq.dissimilarity(*curve), aiq.similarity(*curve), aiq.read(FRAME)]
    two = aiq.compare(FRAME, agents=("me", "you"))
    for result in (space, aiq.score(space, FRAME), aiq.suite(FRAME, halves=2), *others, two):
        frame = result.to_frame()
        assert not any(cell is None for cell in frame.to_numpy().ravel())


@pytest.mark.parametrize("name", ["complexity", "dissimilarity", "similarity", "read", "suite", "compare"])
def test_nothing_and_a_bare_list_are_one_sentence(name: str):
    for given in (None, [1, 2]):
        with pytest.raises(InputError) as refused:
            getattr(aiq, name)(given)
        assert "\n" not in str(refused.value)


# ---- one table through every door ----------------------------------------------------------------

NAMES = list("abcd")


def domains(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"domain": NAMES, **columns})


def pairs(**columns: object) -> pd.DataFrame:
    names = [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]]
    return pd.DataFrame({"a": [a for a, _ in names], "b": [b for _, b in names], **columns})


FAR = domains(relative_excess=[0.2, 0.3, 0.5, 0.4], se=0.04)
APART = pairs(dissimilarity=[0.05, 0.06, 0.04, 0.03, 0.05, 0.06], se=0.004)


def performances() -> pd.DataFrame:
    places = [("good", 0.8), ("fair", 0.6), ("poor", 0.4)], NAMES, range(3)
    noise = np.random.default_rng(2).normal(0, 0.02, (3, 4, 3)).ravel()
    rows = [(agent, name, level + e, r) for ((agent, level), name, r), e in zip(product(*places), noise, strict=True)]
    return pd.DataFrame(rows, columns=["agent", "domain", "performance", "repetition"])


@pytest.fixture
def space() -> aiq.api.space.SpaceResult:
    return aiq.space(FAR, APART, seed=3)


def test_a_path_a_frame_and_results_that_were_read_give_the_same_scores(space, tmp_path: Path):
    table = performances()
    table.to_csv(tmp_path / "p.csv", index=False)
    wanted = aiq.score(space, table, seed=3).as_dict()
    read = aiq.read(tmp_path / "p.csv")
    for other in (str(tmp_path / "p.csv"), read, read.to_frame(), read.record):
        assert aiq.score(space, other, seed=3).as_dict()["agents"] == wanted["agents"]


def test_a_test_that_the_space_lacks_is_left_out_and_told(space, tmp_path: Path):
    table = performances()
    more = pd.concat([table, table.assign(domain="chess").drop_duplicates(["agent", "repetition"])])
    more.to_csv(tmp_path / "p.csv", index=False)
    wanted = aiq.score(space, table).value
    for other in (more, tmp_path / "p.csv", aiq.read(tmp_path / "p.csv")):
        found = aiq.score(space, other)
        assert found.value == wanted
        assert "tests that the space does not have were left out: chess" in found.record.warnings
    with pytest.raises(InputError, match="no agent has a performance on the test 'd'"):
        aiq.score(space, table[table["domain"] != "d"])


def test_complexity_as_length_is_told_unless_it_was_asked_for():
    bits = domains(complexity=[5.0, 6.0, 7.0, 8.0])
    assert any("distances from the origin are complexities" in w for w in aiq.space(bits, APART).record.warnings)
    asked = aiq.space(bits, APART, length="complexity").record
    assert not any("distances from the origin are complexities" in w for w in asked.warnings)
    both = aiq.space(bits.assign(relative_excess=[0.1, 0.2, 0.3, 0.4]), APART).record
    assert both.length == "relative_excess"
    with pytest.raises(InputError, match="one column se"):
        aiq.space(bits.assign(relative_excess=0.2, se=0.1), APART)


def test_standard_errors_of_relative_excess_reach_the_scores():
    rng = np.random.default_rng(0)
    size = np.exp2(rng.uniform(4, 11, 96))
    rows = [
        pd.DataFrame({"domain": n, "size": size,
                      "performance": np.clip(1 / (1 + np.exp(m - np.log2(size))) + 0.05 * rng.random(96), 0, 1)})
        for n, m in zip(NAMES, (6, 7, 8, 9), strict=True)
    ]  # fmt: skip
    measured = aiq.complexity(pd.concat(rows))
    for length in (None, "relative_excess"):
        placed = aiq.space(measured, APART, length=length).record
        assert placed.length == "relative_excess"
        assert placed.weights is not None
        assert placed.weights.length_covariance is not None
        error = measured["c"].to_frame()["relative_excess_se"][0]
        assert np.sqrt(placed.weights.length_covariance[2, 2]) == pytest.approx(error)


def test_the_volume_is_listed_where_it_is_asked_for(space):
    found = aiq.score(space, performances(), value="volume")
    assert found.record.headline == "volume"
    first = found.as_dict()["agents"][0]
    assert first["value"] == first["per_dimension"]
    assert first["interval"] == first["per_dimension_interval"]
    with pytest.raises(InputError, match=r"value is .mean.; allowed are skills, volume"):
        aiq.score(space, performances(), value="mean")  # type: ignore[arg-type]


def test_a_suite_without_a_volume_has_its_headline_and_says_why():
    """Six strangers and a test that any network solves, in as many dimensions as there are strangers."""
    names = list("abcdefg")
    far = pd.DataFrame({"domain": names, "relative_excess": [0.4] * 6 + [0.0], "se": [0.05] * 6 + [0.0]})
    table = pd.DataFrame([(a, b, 0.05, 0.002) for i, a in enumerate(names) for b in names[i + 1 :]],
                         columns=["a", "b", "dissimilarity", "se"])  # fmt: skip
    space = aiq.space(far, table, dimensions=7)
    table = pd.DataFrame([(who, n, v) for who, v in (("x", 0.5), ("y", 0.7)) for n in names],
                         columns=["agent", "domain", "performance"])  # fmt: skip
    found = aiq.score(space, table)
    assert found.value == {"y": pytest.approx(0.7), "x": pytest.approx(0.5)}
    assert all(math.isnan(one.record.per_dimension.value) for one in found.values())
    assert found.as_dict()["agents"][0]["per_dimension"] is None
    assert any("no volume can be compared" in sentence for sentence in found.record.warnings)
    assert found.to_frame()["per_dimension"].isna().all()
    assert "mean over skills" in repr(found)
