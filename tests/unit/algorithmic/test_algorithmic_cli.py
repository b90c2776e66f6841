"""The verbs of the algorithmic quotient: text in and out, JSON, one sentence for what cannot be used."""

from __future__ import annotations

import pytest
from command_line import record, refused

from aiq.wings.algorithmic.equations.programs import parse

ONE = "1 ,.#\n2 ,>.#\n"
PAIRS = "stratum,draw,program,length,plus,minus\n"


def test_from_programs_to_a_quotient(aiq):
    status, text, err = aiq("algorithmic", "sample", "--programs", "200", "--seed", "1")
    assert (status, err, len(parse(text.splitlines()))) == (0, "", 200)
    tables = {}
    for name, parameters in (("freq", ("-p", "epsilon=0.1")), ("random", ())):
        how = ("-", "--length", "40", "--runs", "200", *parameters)
        status, tables[f"{name}_csv"], err = aiq("algorithmic", "run", name, *how, stdin=text)
        assert (status, err) == (0, "")
    found = record(
        aiq("algorithmic", "estimate", "freq.csv", "random.csv", "--programs", "p.txt", "--json", p_txt=text, **tables)
    )
    freq, random = found["agents"]
    assert freq["interval"][0] < freq["quotient"] < freq["interval"][1]
    assert abs(random["quotient"]) < 10 < freq["quotient"]
    assert found["differences"][0]["probability"] > 0.99


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("run", "random", "-"), "", "empty"),
        (("run", "random", "no.txt"), "", "cannot be read"),
        (("run", "random", "-", "--symbols", "1"), ONE, "1 symbol"),
        (("run", "freq", "-", "-p", "epsilon"), ONE, "NAME=VALUE"),
        (("run", "no_such_module:me", "-", "--length", "5"), ONE, "cannot be imported"),
        (("run", "random", "-", "--runs", "4"), ONE, "give at least 10"),
        (("run", "random", "-", "--seed", "-1"), ONE, "seed"),
        (("run", "random", "-", "--length", "5"), "1 ,+[<+]#\n", "zero strata left"),
        (("sample", "--programs", "150"), "", "multiple of 100"),
        (("sample", "--json"), "", "-o FILE"),
        (("estimate", "no.csv", "--programs", "-"), ONE, "cannot be read"),
        (("estimate", "t.csv", "--programs", "p.txt"), PAIRS + "1,0,0,3,200,1\n", "-100 to 100"),
        (("estimate", "t.csv", "--programs", "p.txt"), PAIRS + "1,0,1,4,1,1\n", "other programs"),
        (("estimate", "t.csv", "--programs", "p.txt"), PAIRS + "1,0.5,0,3,1,1\n", "whole numbers"),
    ],
)
def test_bad_input_is_one_sentence(aiq, arguments, stdin, words):
    refused(aiq("algorithmic", *arguments, stdin=stdin, p_txt=ONE, t_csv=stdin), words)
