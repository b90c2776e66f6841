"""Configuration, verbs, plan and known pairs: growing adds and never redoes, a cut changes no number."""

import pytest
from command_line import record, refused
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.config import parse
from aiq.errors import AiqError
from aiq.wings.algorithmic import equations
from aiq.wings.algorithmic.equations import Population
from aiq.wings.algorithmic.equations.agents import QLearning
from aiq.wings.algorithmic.equations.machine import sample_programs
from aiq.wings.algorithmic.equations.runs import KnownPairs, Supply, complete, one_part, run_adaptive
from aiq.wings.algorithmic.equations.trials import Episode, Experiment
from aiq.wings.algorithmic.plan import AgentEpisodes, AlgorithmicPlan
from aiq.wings.algorithmic.settings import STRATA
from aiq.wings.algorithmic.shown import _undecided
from tests.alike import described

RAW = {
    "measure": "algorithmic",
    "name": "tiny",
    "seed": 3,
    "results": "r",
    "programs": {"count": 400},
    "runs": 200,
    "agents": [
        {"name": "freq", "agent": "freq", "lengths": [10, 20], "epsilon": 0.1},
        {"name": "q", "agent": "q", "lengths": [20], "rate": 0.5, "epsilon": 0.1, "discount": 0.6, "jobs": 3},
    ],
}


def plan(**changes) -> AlgorithmicPlan:
    """The plan of the configuration with some keys changed."""
    return AlgorithmicPlan(parse(RAW | changes))


def agent(**changes) -> dict:
    """The first agent with some keys changed."""
    return {**RAW["agents"][0], **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"machine": {"observation_cells": 40}}, ["observation_cells can be set no more: it is always 1"]),
        ({"agents": []}, ["agents is empty"]),
        ({"agents": [agent(lengths=[5, 5])]}, ["'freq'", "5 twice"]),
        ({"agents": [agent(), agent(lengths=[20])]}, ["'freq'", "two entries"]),
        ({"agents": [agent(), agent(name="Freq", lengths=[5])]}, ["'Freq'", "case"]),
    ],
)
def test_bad_settings_are_one_sentence(changes, words):
    with pytest.raises(AiqError) as refused:
        parse(RAW | changes)
    sentence = str(refused.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    "changes", [{"seed": 4}, {"machine": {"symbols": 3}}, {"discount": 0.9}, {"agents": [agent(epsilon=0.2)]}]
)
def test_what_determines_numbers_is_in_the_fingerprint(changes):
    assert plan().trials("freq", 10) != plan(**changes).trials("freq", 10)


# ---- known pairs ---------------------------------------------------------------------------------

SAMPLE = sample_programs(5, 0, 6).programs
Q = Experiment(QLearning(0.0, 0.5, 0.5, 0.1, 0.6), Episode(9), 5)
NOTHING = KnownPairs.join([])


@settings(max_examples=8)
@given(st.integers(100, 700), st.integers(1, 5), st.booleans())
def test_shared_out_stages_give_the_run_of_one_process(runs, jobs, stratified):
    population = Population(SAMPLE, stratified)
    known = NOTHING
    rounds = AgentEpisodes("q", 9, runs, jobs, stratified).rounds
    for round_ in range(rounds):
        parts = [one_part(Supply(Q, population, known), runs, round_, k, jobs) for k in range(jobs)]
        known = KnownPairs.join([known, *(KnownPairs.of(part, population) for part in parts)])
    supply = Supply(Q, population, known)
    assert described(complete(supply, runs)) == described(run_adaptive(Q, population, runs))
    if rounds and stratified and len(population.strata) == STRATA:
        assert supply.ran <= 2  # replacements of failed programs


def test_more_runs_and_programs_add_to_what_is_known():
    small, large = Population(SAMPLE[:400]), Population(SAMPLE)
    before = KnownPairs.of(run_adaptive(Q, small, 200), small)
    supply = Supply(Q, large, before)
    found = complete(supply, 600)
    assert described(found) == described(run_adaptive(Q, large, 600))
    assert supply.ran < found.stratum.size


def test_another_sample_is_never_mistaken():
    first, other = Population(SAMPLE), Population(sample_programs(6, 0, 6).programs)
    known = KnownPairs.of(run_adaptive(Q, first, 200), first)
    assert described(complete(Supply(Q, other, known), 200)) == described(run_adaptive(Q, other, 200))


def test_the_page_says_which_differences_are_decided():
    assert "All 1 differences" in _undecided([("a", "b", True)], 5)
    assert "0 of 1 differences between agents at 5 cycles are decided" in _undecided([("a", "b", False)], 5)


ONE = "1 ,.#\n2 ,>.#\n"
PAIRS = "stratum,draw,program,length,plus,minus\n"


def test_from_programs_to_a_quotient(aiq):
    status, text, err = aiq("algorithmic", "sample", "--programs", "200", "--seed", "1")
    assert (status, err, len(equations.parse(text.splitlines()))) == (0, "", 200)
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
        (("run", "random", "no.txt"), "", "cannot be read"),
        (("run", "random", "-", "--symbols", "1"), ONE, "1 symbol"),
        (("run", "freq", "-", "-p", "epsilon"), ONE, "NAME=VALUE"),
        (("run", "no_such_module:me", "-", "--length", "5"), ONE, "cannot be imported"),
        (("run", "random", "-", "--runs", "4"), ONE, "give at least 10"),
        (("run", "random", "-", "--seed", "-1"), ONE, "seed"),
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
