"""The verbs of the algorithmic quotient: text in and out, JSON, one sentence for what cannot be used."""

from __future__ import annotations

import io
import json
import sys

import pytest

from aiq.cli.main import main
from aiq.wings.algorithmic.equations.programs import parse

ONE = "1 ,.#\n2 ,>.#\n"


@pytest.fixture
def aiq(tmp_path, capsys, monkeypatch):
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        status = main(("algorithmic", *arguments))
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_from_programs_to_a_quotient(aiq, tmp_path):
    status, text, err = aiq("sample", "--programs", "200", "--seed", "1")
    assert (status, err) == (0, "")
    assert len(parse(text.splitlines())) == 200
    (tmp_path / "p.txt").write_text(text)
    for name, parameters in (("freq", ("-p", "epsilon=0.1")), ("random", ())):
        status, out, err = aiq("run", name, "-", "--length", "40", "--runs", "200", *parameters, stdin=text)
        assert (status, err) == (0, "")
        (tmp_path / f"{name}.csv").write_text(out)
    status, out, err = aiq("estimate", "freq.csv", "random.csv", "--programs", "p.txt", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    freq, random = found["agents"]
    assert freq["interval"][0] < freq["quotient"] < freq["interval"][1]
    assert abs(random["quotient"]) < 10 < freq["quotient"]
    assert found["differences"][0]["probability"] > 0.99
    assert aiq("estimate", "freq.csv", "--programs", "p.txt", "--json") != (0, out, "")


PAIRS = "stratum,draw,program,length,plus,minus\n"


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("run", "random", "-"), "", "empty"),
        (("run", "random", "-"), "1 ,.x#\n", "not BF"),
        (("run", "random", "no.txt"), "", "cannot be read"),
        (("run", "random", "-", "--symbols", "1"), ONE, "1 symbol"),
        (("run", "freq", "-", "-p", "epsilon"), ONE, "NAME=VALUE"),
        (("run", "freq", "-", "-p", "epsilon=2"), ONE, "epsilon of agent freq is 2"),
        (("run", "no_such_module:me", "-", "--length", "5"), ONE, "cannot be imported"),
        (("run", "random", "-", "--runs", "4"), ONE, "give at least 10"),
        (("run", "random", "-", "--length", "0"), ONE, "episode length"),
        (("run", "random", "-", "--seed", "-1"), ONE, "seed"),
        (("run", "random", "-", "--length", "5"), "1 ,+[<+]#\n", "zero strata left"),
        (("sample", "--programs", "150"), "", "multiple of 100"),
        (("sample", "--simplification", "twice"), "", "fixed-point"),
        (("sample", "--json"), "", "-o FILE"),
        (("estimate", "no.csv", "--programs", "-"), ONE, "cannot be read"),
        (("estimate", "pairs.csv", "--programs", "p.txt"), PAIRS + "1,0,0,3,200,1\n", "-100 to 100"),
        (("estimate", "pairs.csv", "--programs", "p.txt"), PAIRS + "1,0,1,4,1,1\n", "other programs"),
        (("estimate", "pairs.csv", "--programs", "p.txt"), PAIRS + "1,0.5,0,3,1,1\n", "whole numbers"),
    ],
)
def test_bad_input_is_one_sentence(aiq, tmp_path, arguments, stdin, words):
    (tmp_path / "p.txt").write_text(ONE)
    (tmp_path / "pairs.csv").write_text(stdin)
    status, out, err = aiq(*arguments, stdin=stdin)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
