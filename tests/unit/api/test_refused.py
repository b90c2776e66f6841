"""What Python's callers give wrongly: one sentence of ``aiq.InputError`` that names the value and what is allowed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import aiq

FRAME = pd.DataFrame([[0.9, 0.4, 0.6], [0.8, 0.5, 0.7], [0.2, 0.1, 0.3]], index=["me", "you", "they"], columns=[*"ABC"])
D = [[0, 0.02, 0.03], [0.02, 0, 0.01], [0.03, 0.01, 0]]
SPACE = aiq.space([1, 2, 3], D, names="ABC")
TRIALS, TWO = ([1, 2], [0.1, 0.2]), ("me", "you")
DOMAINS = {"domain": ["a", None], "size": [1, 2], "performance": [0.1, 0.2]}
CURVES = {"a": [*"xx"], "b": ["y", ""], "p": [0, 1], "performance": [0.1, 0.2]}

CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "an argument that is missing": (lambda: aiq.score(None), "missing a required argument: 'performance'; see help"),
    "an argument that there is not": (lambda: aiq.space([1, 2], D, dimension=2), "unexpected keyword argument"),
    "an option that there is not": (lambda: aiq.suite(FRAME, halfs=2), "did you mean 'halves'"),
    "an option of reading": (lambda: aiq.read(FRAME, renamed={}), "did you mean 'rename'"),
    "a share as a word": (lambda: aiq.score(SPACE, FRAME, confidence="a"), "confidence is 'a'; it must be a number"),
    "a power beyond 1": (lambda: aiq.compare(FRAME, agents=TWO, power=2), "power is 2; it must lie between"),
    "a truth value as a number": (lambda: aiq.complexity(*TRIALS, chance=True), "chance is True; it must be a number"),
    "bins as a word": (lambda: aiq.complexity(*TRIALS, bins="a"), "bins is 'a'; it must be a whole number"),
    "missing cells": (lambda: aiq.score(SPACE, FRAME, missing="x"), "allowed are refuse, agents, zero"),
    "names as a number": (lambda: aiq.score(SPACE, FRAME.to_numpy(), names=3), "names is 3; it must be a list"),
    "pairs as words": (lambda: aiq.dissimilarity([0, 1], np.ones((1, 1, 2)), names=["AB"]), "give a pair"),
    "lengths below 0": (lambda: aiq.space([-1, 2, 3], D, names="ABC"), "-1"),
    "not symmetric": (lambda: aiq.space([1, 2], [[0, 0.1], [0.2, 0]], names="AB"), "give a symmetric matrix"),
    "a name of nothing": (lambda: aiq.space([1, 2], D, names=["A", None]), "2 names .A, None. for 2"),
    "no names": (lambda: aiq.space([1, 2], [[0, 0.1], [0.1, 0]]), "needs the domains: names="),
    "a domain twice": (lambda: aiq.space(pd.Series([1, 2, 3], [*"AAB"]), [[0, 0.1], [0.1, 0]]), "the domain 'A' twice"),
    "dates": (lambda: aiq.complexity(pd.to_datetime(["2020", "2021"]), [0.1, 0.2]), "dates or times"),
    "dates in a frame": (lambda: aiq.read(pd.DataFrame({"agent": ["a"], "x": pd.to_datetime(["2020"])})), "score"),
    "too many bins": (lambda: aiq.complexity(*TRIALS, bins=10**12), "at most 100,000"),
    "a number without end": (lambda: aiq.complexity([10**400, 2], [0.1, 0.2]), "size must be numbers"),
    "a path with a character 0": (lambda: aiq.complexity("a\0b"), "cannot be read"),
    "complex numbers": (lambda: aiq.complexity(np.array([1, 2j]), [0.1, 0.2]), "size holds complex numbers"),
    "one column twice": (lambda: aiq.score(SPACE, FRAME.assign(D=1).rename(columns={"D": "A"})), "column 'A' twice"),
    "agents before their space": (lambda: aiq.score(FRAME, SPACE), "the space is a DataFrame; give what aiq.space"),
    "words in a matrix": (lambda: aiq.read([["a", "b"]]), "must be numbers"),
    "an empty frame": (lambda: aiq.read(pd.DataFrame()), "."),
    "items as a word": (lambda: aiq.read(FRAME, items="x"), "items is 'x'; it must be True or False"),
    "renaming by a word": (lambda: aiq.read(FRAME, rename="x"), "rename is 'x'; it must be"),
    "differences as a number": (lambda: aiq.suite(FRAME, differences=0), "0; it must be a list of numbers"),
    "one agent of two": (lambda: aiq.compare(FRAME, agents=("me",)), r"agents is \('me',\); it must be 2 of them"),
    "a figure of scores": (lambda: aiq.score(SPACE, FRAME).plot("agent"), "did you mean 'agents'"),  # type: ignore
    "a file in no folder": (lambda: SPACE.save("/nonexistent/x.h5"), "there is no folder /nonexistent; make it"),
    "no file at all": (lambda: SPACE.save(None), "not a path"),  # type: ignore
    "a run that is no path": (lambda: aiq.load(FRAME), "not a path; give a file or folder by its name$"),  # type: ignore
    "a folder that is no run": (lambda: aiq.load("."), "holds no results of a suite"),
    "a space of a number": (lambda: aiq.score(3, FRAME), "give what aiq.space returned, or a file, before the agents$"),
    "trials of a number": (lambda: aiq.complexity(3), "trials cannot be read from an int"),
    "columns of two lengths": (lambda: aiq.complexity([1, 2], [0.5]), "differ in length"),
    "sizes of two dimensions": (lambda: aiq.complexity([[1, 2]], [0.5, 1]), "size has shape"),
    "no domain": (lambda: aiq.complexity(DOMAINS), "trials row 1 .*domain is empty"),
    "no chunk": (lambda: aiq.complexity(*TRIALS, chunk=[1.0, np.nan]), "row 1 .*chunk is empty"),
    "no second domain": (lambda: aiq.dissimilarity(CURVES), "curves row 1 .*b is empty"),
    "no agent": (lambda: aiq.suite(pd.DataFrame({"agent": ["x", None], "a": [1, 0]})), "row 1 .*agent is empty"),
    "chunks beside a table": (lambda: aiq.complexity(DOMAINS, chunk=[1]), "in a table they are columns"),
    "a seed": (lambda: aiq.complexity(*TRIALS, seed=-1), "the seed is -1"),
    "no resamples": (lambda: aiq.complexity(*TRIALS, resamples=0), "resamples is 0; .* at least 2"),
    "too many shares": (lambda: aiq.dissimilarity([0, 1], [[0.5, 0.5, 0.5]]), "one performance per share"),
    "too many domains": (lambda: aiq.space({"a": 1.0, "b": 2.0}, np.zeros((3, 3))), "give one row each"),
    "too few names of tests": (lambda: aiq.suite(FRAME.to_numpy(), names=("A", "B")), "2 names for 3 columns"),
    "names of a frame": (lambda: aiq.suite(FRAME, names=("A", "B", "C")), "names are those of the columns of an array"),
    "too many names": (lambda: aiq.space([1, 2], D, names="ABC"), "3 names .* for 2 complexities"),
    "names of a table": (lambda: aiq.complexity(DOMAINS, names="A"), "chunk and names go with"),
    "names of columns": (lambda: aiq.complexity([1, 2, 3], FRAME, names="ABC"), "names are those of the columns"),
    "more names than columns": (lambda: aiq.complexity([1, 2], np.ones((2, 2)), names="ABC"), "2 rows and 3 names"),
    "names beside pairs": (lambda: aiq.dissimilarity(CURVES, names=[("A", "B")]), "names go with shares"),
    "names of runs": (lambda: aiq.compare("no-run", names="AB"), "names"),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_is_one_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    call, words = CALLS[name]
    with pytest.raises(aiq.InputError, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)
    assert not Path("/nonexistent").exists()


def test_what_numpy_and_pandas_give_is_taken():
    found = aiq.complexity(*TRIALS, k=np.int64(2), confidence=np.float64(0.9), resamples=np.int32(20))
    assert found.n == 2
    assert aiq.space(pd.Series([1.0, 2, 3], index=[*"ABC"]), D, share=np.float32(0.9)).n == 3


@pytest.mark.parametrize("missing", ["agents", "zero"])
def test_gaps_of_any_table_are_dealt_with_as_asked(missing):
    gaps = FRAME.mask(FRAME == 0.9)
    direct = aiq.score(SPACE, gaps, missing=missing)
    assert direct.value == aiq.score(SPACE, aiq.read(gaps), missing=missing).value
    assert len(direct.value) == len(FRAME) - (missing == "agents")
