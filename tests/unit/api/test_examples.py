"""The Python interface as its users meet it: examples in docstrings, frames, arrays, ``dir`` and ``help``."""

import doctest
import inspect
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
