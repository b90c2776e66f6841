"""The command line contract: one JSON object or one sentence, never a traceback; every example runs."""

import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest

from aiq.cli.main import cli, main
from aiq.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
TRIALS = "size,performance\n100,0.5\n2000,0.9\n90000,0.97\n"
CURVE = "p,performance\n0,0.8\n0.5,0.7\n1,0.9\n"
C = "domain,complexity\nA,1\nB,2\nC,1.5\n"
D = "a,b,dissimilarity\nA,B,0.02\nC,A,0.3\nB,C,0.1\n"
P = "agent,domain,performance\nme,A,0.9\nme,B,0.4\nme,C,0.7\nyou,A,0.5\nyou,B,0.9\nyou,C,0.8\n"
QUICK = ("--resamples", "50")

Aiq = Callable[..., tuple[int, str, str]]


@pytest.fixture
def aiq(tmp_path: Path, capsys, monkeypatch) -> Aiq:
    """Run the command line in an empty folder; files are given as keywords (``t_csv`` becomes t.csv)."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "", **tables: str) -> tuple[int, str, str]:
        for name, text in tables.items():
            (tmp_path / name.replace("_", ".")).write_text(text, encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        status = main(arguments)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def refused(done: tuple[int, str, str], *words: str) -> None:
    """One line on standard error that holds the words, nothing on standard output, exit status 2."""
    status, out, err = done
    assert (status, out) == (2, "")
    assert err.startswith("aiq: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for word in words:
        assert word in err


def made(done: tuple[int, str, str]) -> dict:
    """The one JSON object on standard output."""
    status, out, err = done
    assert (status, err) == (0, "")
    found = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert isinstance(found, dict)
    return found


def verbs(group: click.Group = cli, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every verb, verbs below verbs included."""
    found: list[tuple[str, ...]] = []
    for name, command in group.commands.items():
        found.append((*path, name))
        if isinstance(command, click.Group):
            found += verbs(command, (*path, name))
    return found


# ---- what the verbs print ------------------------------------------------------------------------


def test_the_verbs_of_the_contract_exist():
    assert {("complexity",), ("dissimilarity",), ("space",), ("score",), ("domains",), ("domains", "show")} <= set(
        verbs()
    )
    assert ("shards",) in verbs()


def test_complexity_of_a_table(aiq: Aiq):
    found = made(aiq("complexity", "t.csv", "--json", *QUICK, t_csv=TRIALS))
    assert {"mccp", "interval", "extrapolated_share", "bins", "n"} <= set(found)
    assert found["n"] == 3
    assert len(found["bins"]) == 30
    assert set(found["bins"][0]) >= {"performance", "size", "observed"}
    low, high = found["interval"]
    assert low <= high


def test_complexity_options_change_the_number_as_they_say(aiq: Aiq):
    def mccp(*options: str) -> float:
        return made(aiq("complexity", "t.csv", "--json", *QUICK, *options, t_csv="size,performance\n8,1\n"))["mccp"]

    assert mccp("--size", "log2") == pytest.approx(3.0)  # every bin is reached by the one policy of log2(8)
    assert mccp("--size", "linear") == pytest.approx(8.0)
    held = made(aiq("complexity", "u.csv", "--json", *QUICK, "--bins", "2", "--extrapolate", "hold",
                    u_csv="size,performance\n4,0.4\n"))  # fmt: skip
    assert held["mccp"] == pytest.approx(2.0)
    assert held["extrapolated_share"] == pytest.approx(0.5)
    assert [b["observed"] for b in held["bins"]] == [True, False]


MANY = "size,performance\n" + "".join(f"{2 ** (4 + i % 7)},{0.2 + 0.01 * i}\n" for i in range(40))


def test_complexity_at_sixteen_policies_with_base_and_excess(aiq: Aiq):
    found = made(aiq("complexity", "t.csv", "--json", t_csv=MANY))
    assert found["k"] == 16
    assert found["mccp_k"] == pytest.approx(found["base"] + found["excess"])
    assert 0 < found["relative_excess"] < 1
    for name in ("interval", "excess_interval", "relative_excess_interval"):
        low, high = found[name]
        assert low < high
    assert found["interval"] == found["mccp_k_interval"]
    assert found["mccp"] < found["mccp_k"]
    linear = made(aiq("complexity", "t.csv", "--json", "--k", "40", "--fill", "linear", t_csv=MANY))
    assert linear["mccp_k"] == pytest.approx(linear["mccp"])
    wide = made(aiq("complexity", "t.csv", "--json", "--largest", "1e6", t_csv=MANY))
    assert wide["mccp_k"] > found["mccp_k"]
    assert wide["largest"] == pytest.approx(math.log2(1e6))
    late = made(aiq("complexity", "t.csv", "--json", "--chance", "0.2", t_csv=MANY))
    assert late["relative_excess"] > found["relative_excess"]


def test_complexity_of_few_trials_says_its_k(aiq: Aiq):
    assert made(aiq("complexity", "t.csv", "--json", t_csv=TRIALS))["k"] == 2
    _, out, _ = aiq("complexity", "t.csv", t_csv=TRIALS)
    assert "k is 2 instead of 16" in out
    _, out, _ = aiq("complexity", "t.csv", t_csv="size,performance\n8,1\n")
    assert "no interval (all in one of the trials)" in out
    _, out, _ = aiq("complexity", "t.csv", t_csv="size,performance\n" + "8,0.1\n" * 20)
    assert "more than half of the complexity is filled with the largest policy" in out
    assert "changes nothing" in out
    _, out, _ = aiq("complexity", "t.csv", "--estimator", "minimum", t_csv=MANY)
    assert "falls as trials are added" in out


def test_the_keys_of_a_complexity_stand_with_null_where_k_policies_cannot_be_had(aiq: Aiq):
    full = made(aiq("complexity", "t.csv", "--json", *QUICK, t_csv=TRIALS))
    few = made(aiq("complexity", "t.csv", "--json", *QUICK, "--estimator", "minimum", "--k", "16"))
    assert list(few) == list(full)
    keys = ("base", "excess", "excess_interval", "relative_excess", "mccp_k", "k", "largest", "n_policies")
    assert [few[key] for key in keys] == [None] * len(keys)
    assert list(few["bins"][0]) == list(full["bins"][0])
    assert few["bins"][0]["missed"] is None
    assert few["mccp"] == full["mccp"]


@pytest.mark.parametrize("estimator", ["best_of_k", "minimum"])
def test_sizes_that_cannot_be_calculated_with_are_refused(aiq: Aiq, estimator: str):
    arguments = ("complexity", "-", "--json", *QUICK, "--estimator", estimator)
    for size in ("1e308", "1e200", "1.1e50"):
        table = TRIALS.replace("2000", size)
        refused(aiq(*arguments, "--size", "linear", stdin=table), "line 3", f"size is {float(size):g}", "1e+50")
        assert made(aiq(*arguments, stdin=table))["n"] == 3
        refused(aiq(*arguments, "--size", "linear", "--largest", size, stdin=TRIALS), size.partition("e")[0], "1e+50")
    assert made(aiq(*arguments, "--size", "linear", "--largest", "1e50", stdin=TRIALS.replace("2000", "1e50")))


def test_complexity_of_several_domains_is_listed_by_domain(aiq: Aiq):
    text = "domain,chunk,size,performance\n" + "".join(
        f"{d},{c},{s},0.9\n" for d in "AB" for c in (0, 1) for s in (4, 8)
    )
    found = made(aiq("complexity", "-", "--json", *QUICK, stdin=text))
    assert set(found["domains"]) == {"A", "B"}
    assert found["domains"]["A"]["mccp"] == found["domains"]["B"]["mccp"] == pytest.approx(2.0)


def test_dissimilarity_of_a_curve(aiq: Aiq):
    found = made(aiq("dissimilarity", "-", "--json", *QUICK, stdin=CURVE))
    assert {"dissimilarity", "interval", "n"} <= set(found)
    assert found["dissimilarity"] == pytest.approx(0.075)  # a triangle of height 0.85 - 0.7 over [0, 1]
    assert found["n"] == 1


def test_dissimilarity_of_pairs_is_a_list_and_repetitions_give_an_interval(aiq: Aiq):
    rows = "".join(f"{a},{b},{p},{r},{v}\n" for a, b in ("AA", "AB") for r in (1, 2, 3)
                   for p, v in ((0, 0.8), (0.5, 0.7 + 0.01 * r), (1, 0.8)))  # fmt: skip
    found = made(aiq("dissimilarity", "c.csv", "--json", *QUICK, c_csv="a,b,p,repetition,performance\n" + rows))
    assert [(pair["a"], pair["b"], pair["n"]) for pair in found["pairs"]] == [("A", "A", 3), ("A", "B", 3)]
    assert {"signed", "se", "interval", "interval_plain", "crosses"} <= set(found["pairs"][0])
    low, high = found["pairs"][0]["interval"]
    assert low < found["pairs"][0]["signed"] < high
    assert found["pairs"][0]["signed"] == found["pairs"][0]["dissimilarity"]
    assert found["noise_floor"]["largest"] == pytest.approx(found["pairs"][0]["dissimilarity"])


PARTED = "a,b,p,repetition,performance,told\n" + "".join(
    f"{a},{b},{p},{r},{v + 0.001 * (r * (7 + i) % 5)},{v + 0.02 + 0.001 * (r * (5 + i) % 7)}\n"
    for i, (a, b) in enumerate((("A", "A"), ("A", "B")))
    for r in (1, 2, 3)
    for p, v in ((0, 0.8), (0.5, 0.7), (1, 0.8))
)
ALONE = "domain,p,performance,repetition\n" + "".join(
    f"{d},{p},{v + 0.002 * r},{r}\n" for d in "AB" for r in (0, 1) for p, v in ((0, 0), (0.5, 0.75), (1, 0.81))
)


def test_controls_and_being_told_split_the_area_into_parts_that_add_up(aiq: Aiq):
    arguments = ("dissimilarity", "c.csv", "--alone", "a.csv")
    found = made(aiq(*arguments, "--json", *QUICK, c_csv=PARTED, a_csv=ALONE))
    for pair in found["pairs"]:
        parts = [pair[name] for name in ("starvation", "confusion", "transfer")]
        assert sum(part["value"] for part in parts) == pytest.approx(pair["signed"])
        assert all(part["interval"][0] < part["value"] < part["interval"][1] for part in parts)
        assert pair["confusion"]["value"] > 0
    status, out, _ = aiq(*arguments, *QUICK, c_csv=PARTED, a_csv=ALONE)
    assert status == 0
    for word in ("starvation", "confusion", "transfer", "signed", "plain", "itself", "where mixtures do worse"):
        assert word in out
    refused(aiq(*arguments, c_csv=PARTED.replace(",told", ",se", 1), a_csv=ALONE), "repetitions and a column se")


def test_what_a_curve_cannot_tell_is_said_beside_it(aiq: Aiq):
    one = aiq("dissimilarity", "-", *QUICK, stdin=CURVE)[1]
    assert "one repetition: no interval" in one
    alike = "a,b,repetition,p,performance\n" + "".join(f"A,B,{r},{p},1\n" for r in (1, 2) for p in (0, 0.5, 1))
    shown = aiq("dissimilarity", "-", *QUICK, stdin=alike)[1]
    assert "repetitions all alike: no interval" in shown
    assert "noise floor is unknown" in shown
    wild = "repetition,p,performance\n" + "".join(
        f"{r},{p},{v}\n" for r in (1, 2) for p, v in ((0, 0.5), (0.25, 0.6 + r / 100), (0.75, 0.42 - r / 50), (1, 0.5))
    )
    shown = aiq("dissimilarity", "-", *QUICK, stdin=wild)[1]
    assert "not told from 0" in shown
    assert "crosses the line" in shown


def test_given_standard_errors_make_the_interval(aiq: Aiq):
    text = "p,performance,se\n0,0.8,0.01\n0.5,0.7,0.02\n1,0.9,0.01\n"
    found = made(aiq("dissimilarity", "-", "--json", *QUICK, stdin=text))
    assert found["se"] == pytest.approx((2 * (0.25 * 0.01) ** 2 + (0.5 * 0.02) ** 2) ** 0.5)
    assert found["interval"][0] < 0.075 < found["interval"][1]


ALONES = {
    "a missing domain": (PARTED, ALONE.replace("B,", "C,"), ["lacks the domain 'B'", "c.csv"]),
    "a missing share": (PARTED, ALONE.replace("B,0.5", "B,0.4"), ["share 0.5"]),
    "a share above 1": (PARTED, ALONE.replace("B,1,", "B,2,"), ["above 0, at most at 1"]),
    "a performance above 1": (PARTED, ALONE.replace("0.81", "1.81"), ["a.csv line 4", "1.81"]),
    "no samples at all": (PARTED, ALONE + "D,0,0.5,0\n", ["D", "no samples"]),
    "an unknown column": (PARTED, ALONE.replace("domain", "test", 1), ["lacks the column 'domain'"]),
    "curves without names": (CURVE, ALONE, ["lacks the columns a and b"]),
}


@pytest.mark.parametrize("what", ALONES)
def test_controls_are_refused(aiq: Aiq, what: str):
    curves, alone, words = ALONES[what]
    refused(aiq("dissimilarity", "c.csv", "--alone", "a.csv", c_csv=curves, a_csv=alone), *words)


def test_standard_input_is_read_once_by_curves_and_controls(aiq: Aiq):
    refused(aiq("dissimilarity", "-", "--alone", "-", stdin=PARTED), "once")


SIMILAR = "p,performance\n0,0.8099\n0.5,0.8750\n1,0.9932\n"


def test_similarity_of_a_curve(aiq: Aiq):
    found = made(aiq("similarity", "-", "--json", stdin=SIMILAR))
    keys = {"similarity", "absolute", "interval", "sufficient", "at", "v_a", "v_b", "v_ab"}
    assert keys <= set(found)
    assert found["similarity"] == found["absolute"] == pytest.approx(0.290, abs=5e-4)  # Table 2, MNIST and CIFAR10
    assert (found["interval"], found["sufficient"], found["at"]) == (None, None, 0.5)
    below = made(aiq("similarity", "-", "--json", stdin=SIMILAR.replace("0.8750", "0.96")))
    assert below["similarity"] == -below["absolute"] < 0


def test_similarity_of_pairs_is_a_list_and_the_easier_test_is_a(aiq: Aiq):
    means = {("A", "B"): (0.9, 0.7, 0.5), ("B", "A"): (0.5, 0.7, 0.9), ("A", "A"): (0.9, 0.9, 0.9)}
    rows = "".join(f"{a},{b},{p},{r},{v + 0.01 * k * (r - 2)}\n" for (a, b), values in means.items() for r in (1, 2, 3)
                   for k, (p, v) in enumerate(zip((1, 0.5, 0), values, strict=True)))  # fmt: skip
    text = "a,b,p,repetition,performance\n" + rows
    found = made(aiq("similarity", "c.csv", "--json", c_csv=text))
    one, mirrored, itself = found["pairs"]
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == list(means)
    assert (one["easier"], mirrored["easier"]) == ("first", "second")
    assert one["v_a"] == mirrored["v_a"] == pytest.approx(0.9)
    assert one["similarity"] == pytest.approx(0, abs=1e-9)
    low, high = one["interval"]
    assert low < 0 < high
    assert one["sufficient"] > 0.95
    assert (itself["similarity"], itself["printed"]) == (None, 1.0)
    status, out, _ = aiq("similarity", "c.csv")
    assert status == 0
    assert "undefined (the paper prints 1)" in out
    paired = made(aiq("similarity", "c.csv", "--json", "--paired", c_csv=text))
    assert paired["pairs"][0]["interval"] != one["interval"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (SIMILAR, ("--at", "0.3"), ("the proportion 0.3 is missing", "given are 0, 0.5, 1")),
        (SIMILAR, ("--at", "1"), ("--at", "1")),
        (SIMILAR.replace("0.8750", "1.875"), (), ("line 3: performance is 1.875", "[0, 1]")),
        (SIMILAR.replace("0.8750", "nan"), (), ("performance is 'nan'",)),
        (SIMILAR.replace("1,0.9932\n", ""), (), ("the proportion 1 is missing",)),
        (SIMILAR + "1,0.99\n", (), ("p = 1 is there twice",)),
        ("p,performance,b\n0,1,x\n", (), ("only one of the columns a and b",)),
        ("a,b,p,performance\nx,y,0,0.1\n,y,1,0.2\n", (), ("line 3", "a is empty")),
        ("repetition,p,performance\n1,0,0.1\n,1,0.2\n", (), ("line 3", "repetition is empty")),
        ("a,b,p,performance\nx,y,0,0.1\nx,y,1,0.2\n", (), ("x and y: the proportion 0.5 is missing",)),
    ],
)
def test_similarity_refuses_in_one_sentence(aiq: Aiq, text: str, options: tuple[str, ...], words: tuple[str, ...]):
    refused(aiq("similarity", "-", *options, stdin=text), *words)


def test_a_space_and_the_scores_in_it(aiq: Aiq, tmp_path: Path):
    arguments = ("space", "--complexity", "c.csv", "--dissimilarity", "d.csv")
    found = made(aiq(*arguments, "-o", "s.h5", "--json", c_csv=C, d_csv=D))
    assert {"domains", "coordinates", "dimensions", "spectrum", "stress", "negative_share"} <= set(found)
    assert found["domains"] == ["A", "B", "C"]
    assert (tmp_path / "s.h5").exists()
    scores = made(aiq("score", "s.h5", "-", "--json", stdin=P))
    assert scores["dimensions"] == found["dimensions"]
    keys = {"agent", "volume", "relative", "per_dimension", "mean", "rank", "interval", "vertices"}
    assert all(keys <= set(agent) for agent in scores["agents"])
    ranks = [agent["rank"] for agent in scores["agents"]]
    assert ranks == sorted(ranks)
    perfect = "agent,domain,performance\nall,A,1\nall,B,1\nall,C,1\n"
    (best,) = made(aiq("score", "s.h5", "p.csv", "--json", p_csv=perfect))["agents"]
    assert best["relative"] == pytest.approx(1.0)
    assert best["mean"] == 1.0


def test_pairs_may_come_in_any_order_and_either_direction(aiq: Aiq):
    one = made(aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "--json", c_csv=C, d_csv=D))
    turned = "b,a,dissimilarity\n" + "".join(reversed(D.splitlines(keepends=True)[1:]))
    other = made(aiq("space", "--complexity", "c.csv", "--dissimilarity", "-", "--json", c_csv=C, stdin=turned))
    assert one == other


def test_repetitions_of_an_agent_give_an_interval(aiq: Aiq):
    aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", c_csv=C, d_csv=D)
    rows = "".join(f"me,{d},{r},{0.5 + 0.1 * r}\n" for d in "ABC" for r in range(3))
    (agent,) = made(aiq("score", "s.h5", "-", "--json", stdin="agent,domain,repetition,performance\n" + rows))["agents"]
    low, high = agent["interval"]
    assert low < high
    assert agent["mean"] == pytest.approx(0.6)


def test_a_missing_pair_is_completed_from_landmarks(aiq: Aiq):
    d = "a,b,dissimilarity\nA,B,0.02\nA,C,0.3\n"
    arguments = ("space", "--complexity", "c.csv", "--dissimilarity", "d.csv")
    refused(aiq(*arguments, c_csv=C, d_csv=d), "d.csv lacks the pair B, C", "--landmarks")
    assert made(aiq(*arguments, "--landmarks", "--json"))["domains"] == ["A", "B", "C"]


def test_domains_are_listed_and_shown(aiq: Aiq):
    listed = made(aiq("domains", "--json"))["domains"]
    assert {"sklearn", "torchvision", "npz", "image_folder", "recorded"} <= {d["source"] for d in listed}
    for domain in listed:
        shown = made(aiq("domains", "show", domain["source"], "--json"))
        assert {"source", "parameters", "kind", "bounds", "description", "samples"} <= set(shown)


def test_the_shapes_of_domains_are_told_wherever_json_is_asked_for(aiq: Aiq):
    shown = made(aiq("domains", "show", "sklearn", "--json"))
    assert shown["shapes"] == shown["samples"] != ""
    assert made(aiq("domains", "--json", "show", "sklearn")) == shown
    assert shown in made(aiq("domains", "--json"))["domains"]


def test_without_json_a_person_reads_a_table(aiq: Aiq):
    status, out, err = aiq("complexity", "t.csv", *QUICK, t_csv=TRIALS)
    assert (status, err) == (0, "")
    assert "complexity" in out
    assert "95%" in out


def test_the_same_seed_gives_the_same_interval_and_another_does_not(aiq: Aiq):
    rows = "".join(f"{2 ** (4 + i % 7)},{0.3 + 0.01 * i}\n" for i in range(40))
    intervals = [
        made(
            aiq(
                "complexity",
                "t.csv",
                "--json",
                *QUICK,
                "--estimator",
                "minimum",
                "--seed",
                s,
                t_csv="size,performance\n" + rows,
            )
        )["interval"]
        for s in ("1", "1", "2")
    ]
    assert intervals[0] == intervals[1] != intervals[2]


# ---- refusals ------------------------------------------------------------------------------------

LINES = {
    "NaN": ("size,performance\n10,nan\n", ["line 2", "performance", "nan"]),
    "infinity": ("size,performance\ninf,0.5\n", ["line 2", "size", "inf"]),
    "a word": ("size,performance\n10,high\n", ["line 2", "performance", "high"]),
    "above 1": ("size,performance\n10,0.5\n10,1.2\n", ["line 3", "1.2", "[0, 1]"]),
    "above 1 after a blank line": ("size,performance\n10,0.5\n\n10,1.2\n", ["line 4", "1.2", "[0, 1]"]),
    "below 0": ("size,performance\n10,-0.1\n", ["line 2", "-0.1", "[0, 1]"]),
    "an empty cell": ("size,performance\n10,\n", ["line 2", "performance", "empty"]),
    "an empty domain": ("domain,size,performance\nA,10,.5\nA,20,.6\n,30,.7\n", ["line 4", "domain is empty"]),
    "a blank chunk": ('chunk,size,performance\nA,10,.5\n" ",20,.6\n', ["line 3", "chunk is empty", "leave the"]),
    "no size": ("size,performance\n0,0.5\n", ["line 2", "size is 0", "at least 1"]),
    "an unknown column": ("size,performance,chunks\n10,0.5,1\n", ["unknown column 'chunks'", "did you mean 'chunk'"]),
    "a missing column": ("size,perfomance\n10,0.5\n", ["lacks the column 'performance'", "did you mean 'perfomance'"]),
    "a repeated column": ("size,size,performance\n1,1,1\n", ["'size' twice"]),
    "no rows": ("size,performance\n", ["no rows"]),
    "nothing": ("", ["is empty", "size, performance"]),
    "a ragged row": ("size,performance\n10,0.5,3\n", ["line 2", "3 cells"]),
    "no table": ("\0\0", []),
}


@pytest.mark.parametrize("what", LINES)
@pytest.mark.parametrize("source", ["t.csv", "-"])
@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_complexity_refuses(aiq: Aiq, what: str, source: str, json_: tuple[str, ...]):
    text, words = LINES[what]
    given = {"stdin": text} if source == "-" else {"t_csv": text}
    called = "standard input" if source == "-" else "t.csv"
    refused(aiq("complexity", source, *json_, **given), called, *words)


CURVES = {
    "above 1": ("p,performance\n0,1.5\n1,1\n", ["line 2", "1.5"]),
    "p outside": ("p,performance\n0,0.5\n2,0.5\n", ["2", "[0, 1]"]),
    "no p = 1": ("p,performance\n0,0.5\n0.5,0.5\n", ["1"]),
    "only two": ("p,performance\n0,0.5\n1,0.5\n", []),
    "a duplicate": ("p,performance\n0,0.5\n0.5,0.5\n0.5,0.6\n1,0.5\n", ["p = 0.5", "twice", "repetition"]),
    "a hole": ("p,performance,repetition\n0,1,a\n0.5,1,a\n1,1,a\n0,1,b\n1,1,b\n", ["p = 0.5", "repetition b"]),
    "an empty name": ("p,performance,a,b\n0,1,x,y\n1,1,x,\n", ["line 3", "b is empty"]),
    "an empty repetition": ("p,performance,repetition\n0,1,\n1,1,2\n", ["line 2", "repetition is empty", "leave the"]),
    "half a pair": ("p,performance,a\n0,1,x\n", ["a and b"]),
    "NaN": ("p,performance\n0,NaN\n", ["line 2", "NaN"]),
    "an error of 0": ("p,performance,se\n0,0.5,0\n1,0.5,0.1\n", ["line 2", "se is 0", "above 0"]),
    "a negative error": ("p,performance,se\n0,0.5,0.1\n1,0.5,-0.1\n", ["line 3", "se is -0.1"]),
    "an error that is NaN": ("p,performance,se\n0,0.5,nan\n", ["line 2", "nan"]),
    "told above 1": ("p,performance,told\n0,0.5,1.1\n", ["line 2", "told is 1.1"]),
    "an unknown column": ("p,performance,rep\n0,1,1\n", ["'rep'"]),
    "a missing column": ("p\n0\n", ["lacks the column 'performance'"]),
}


@pytest.mark.parametrize("what", [w for w in CURVES if w != "only two"])
def test_dissimilarity_refuses(aiq: Aiq, what: str):
    text, words = CURVES[what]
    refused(aiq("dissimilarity", "-", "--json", stdin=text), *words)


SPACES = {
    "a duplicate domain": (C + "A,1\n", D, ["'A' twice"]),
    "a missing pair": (C, "a,b,dissimilarity\nA,B,0.02\nC,A,0.3\n", ["lacks the pair B, C"]),
    "several missing pairs": (C, "a,b,dissimilarity\nA,A,0\n", ["lacks the pair A, B", "2 more"]),
    "a duplicate pair": (C, D + "B,A,0.02\n", ["pair B, A twice", "either order"]),
    "an unknown domain": (C, D + "A,Bb,0.02\n", ["'Bb'", "did you mean 'B'"]),
    "a negative dissimilarity": (C, D.replace("0.3", "-0.3"), ["C and A", "-0.3", "0 or more"]),
    "a dissimilarity above 1": (C, D.replace("0.3", "30"), ["d.csv", "C and A is 30", "[-1, 1]", "100"]),
    "a signed area below -1": (C, "a,b,dissimilarity,se\nA,B,-1.2,1\nC,A,0.3,1\nB,C,0.1,1\n", ["A and B is -1.2"]),
    "a negative complexity": (C.replace("1.5", "-1.5"), D, ["-1.5"]),
    "NaN complexity": (C.replace("1.5", "nan"), D, ["line 4", "nan"]),
    "NaN dissimilarity": (C, D.replace("0.3", "nan"), ["line 3", "nan"]),
    "a missing column": ("domain,mccp\nA,1\n", D, ["lacks the column 'complexity'"]),
    "an unknown column": (C, "a,b,dissimilarity,n\nA,B,1,1\n", ["unknown column 'n'"]),
}


@pytest.mark.parametrize("what", SPACES)
def test_space_refuses_and_writes_nothing(aiq: Aiq, tmp_path: Path, what: str):
    c, d, words = SPACES[what]
    (tmp_path / "s.h5").write_bytes(b"old")
    done = aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", "--json", c_csv=c, d_csv=d)
    refused(done, *words)
    assert (tmp_path / "s.h5").read_bytes() == b"old"


def test_space_refuses_two_tables_on_standard_input(aiq: Aiq):
    refused(aiq("space", "--complexity", "-", "--dissimilarity", "-", stdin=C), "once")


SCORES = {
    "a misspelt test": (P.replace(",C,", ",Cc,"), ["the test 'C'", "did you mean 'Cc'"]),
    "a missing domain": (P.replace("you,C,0.8\n", ""), ["you", "no performance on domain C"]),
    "a duplicate": (P + "me,A,0.5\n", ["me", "domain A twice", "repetition"]),
    "NaN": (P.replace("0.7", "nan"), ["line 4", "nan"]),
    "above 1": (P.replace("0.7", "70"), ["line 4", "70", "[0, 1]"]),
    "an empty agent": (P.replace("you,A", ",A"), ["line 5", "agent is empty"]),
    "an empty domain": (P.replace("you,A", "you,"), ["line 5", "domain is empty"]),
    "an empty repetition": ("agent,domain,performance,repetition\nme,A,1,\n", ["line 2", "repetition is empty"]),
    "an empty repetition of a wide table": ("agent,A,B,C,repetition\nme,1,1,1,\n", ["line 2", "repetition is empty"]),
    "a missing column": ("agent,performance\nme,1\n", ["lacks the column 'domain'"]),
    "a header that is longer than its rows": (
        P.replace("agent,", "name,agent,", 1),
        ["line 2", "3 cells", "4 columns"],
    ),
    "an unknown column": (
        P.replace("\n", ",1\n").replace("performance,1", "performance,repetitoin", 1),
        ["'repetitoin'", "did you mean 'repetition'", "--drop repetitoin"],
    ),
}


@pytest.mark.parametrize("what", SCORES)
def test_score_refuses(aiq: Aiq, what: str):
    aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", c_csv=C, d_csv=D)
    text, words = SCORES[what]
    refused(aiq("score", "s.h5", "p.csv", "--json", p_csv=text), *words)


def test_score_refuses_what_is_no_space(aiq: Aiq, tmp_path: Path):
    for verb in (("score",), ("score", "--missing", "zero")):
        done = aiq(*verb, "nowhere.h5", "p.csv", p_csv=P)
        refused(done, "there is no file nowhere.h5; give a space that aiq space -o or a run made")
        assert "snakemake" not in done[2]
    refused(aiq("score", "p.csv", "p.csv"), "p.csv is no space; give one that aiq space -o or a run made")
    aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", c_csv=C, d_csv=D)
    whole = (tmp_path / "s.h5").read_bytes()
    (tmp_path / "s.h5").write_bytes(whole[:-9])
    refused(aiq("score", "s.h5", "p.csv"), "s.h5 is incomplete")
    (tmp_path / "s.h5").write_bytes(whole[:3000] + bytes([whole[3000] ^ 1]) + whole[3001:])
    refused(aiq("score", "s.h5", "p.csv"), "s.h5 is corrupt")


WRONG = {
    "complexty t.csv": "no verb 'complexty' (did you mean 'complexity'",
    "complexity": "TRIALS.csv",
    "complexity missing.csv": "missing.csv cannot be read",
    "complexity t.csv --envelope above": "'above' is not one of 'at_least', 'within'",
    "complexity t.csv --bins 0": "'--bins': 0 is not in the range",
    "complexity t.csv --k 4": "k is 4, but there are only 3 policies",
    "complexity t.csv --k 0": "'--k': 0 is not in the range",
    "complexity t.csv --k x": "'x' is not a valid integer",
    "complexity t.csv --fill all": "'all' is not one of 'largest'",
    "complexity t.csv --size log3": "'log3' is not one of 'log2', 'linear'",
    "complexity t.csv --largest 3": "given as 3, but the table has one of 90000; give a finite size at least as large",
    "complexity t.csv --largest nan": "given as nan",
    "complexity t.csv --chance 1": "starts at performance 1",
    "complexity t.csv --binns 3": "no such option '--binns'",
    "complexity t.csv --resamples 1000000000": "'--resamples': 1000000000 is not in the range",
    "complexity t.csv --confidence 1": "'--confidence': 1.0 is not in the range",
    "complexity t.csv --seed -1": "'--seed': -1 is not in the range",
    "complexity t.csv --seed 1.5": "'1.5' is not a valid integer",
    "dissimilarity t.csv": "lacks the column 'p'; it has size, performance",
    "dissimilarity curve.csv --paired maybe": "'maybe' is not one of 'auto', 'yes', 'no'",
    "dissimilarity curve.csv --alone missing.csv": "so it does not name the domains of --alone",
    "dissimilarity curve.csv --twin t.csv": "lacks the column 'repetition'",
    "similarity curve.csv --at 0": "'--at': 0.0 is not in the range",
    "similarity curve.csv --at .3": "0.3",
    "space --complexity t.csv": "missing option '--dissimilarity'",
    "space --complexity c.csv --dissimilarity d.csv --dimensions 0": "'0' is neither 'share', 'noise', 'all' nor",
    "space --complexity c.csv --dissimilarity d.csv --anchor sky": "'sky' is not one of 'unit'",
    "space --complexity c.csv --dissimilarity d.csv --share 2": "'--share': 2.0 is not in the range",
    "space --complexity c.csv --dissimilarity d.csv --length relative_excess": "relative excess is 2",
    "space --complexity c.csv --dissimilarity c.csv": "lacks the column 'a'",
    "space --complexity no.csv --dissimilarity no.csv -o ''": "'' cannot be written",
    "score missing.h5 w.csv": "there is no file missing.h5; give a space that aiq space -o or a run made",
    "score missing.h5 w.csv --value skill": "'skill' is not one of 'skills', 'volume'",
    "score missing.h5 w.csv --range A 1": "'--range' requires 3 arguments",
    "read missing": "there is no file or folder missing",
    "read w.csv --rename A": "--rename is 'A'; give OLD=NEW",
    "read w.csv --drop Q": "'Q'",
    "read w.csv --range A 0 1 --ranges r.csv": "give one of the two",
    "read w.csv --keep some": "'some' is not one of 'apart', 'all', 'latest'",
    "read w.csv --format xyz": "'xyz'; allowed are",
    "read w.csv -o w.csv": "would overwrite what is read",
    "read no.csv -o ''": "'' cannot be written: it names no file",
    "read no.csv -o .": "'.' cannot be written: it names no file",
    "read no.csv -o t.csv/a.csv": "t.csv/a.csv cannot be written",
    "suite one.csv": "the results have 1 agent and 3 tests; at least 3 agents and 2 tests are needed",
    "suite w.csv --cluster Q": "cluster is 'Q', but what was read has no such column or field",
    "suite w.csv --at 2": "at is 2; it must lie between 0 and 1",
    "suite w.csv --difference 0": "a difference is 0; it must lie between 0 and 1",
    "suite w.csv --halves 1": "'--halves': 1 is not in the range",
    "suite no.csv --figure x": "the format of a figure is ''; allowed are png, svg, pdf",
    "suite w.csv --page x.txt": "the ending of a page is '.txt'; allowed are html, htm",
    "compare": "missing argument 'RUN...'",
    "compare missing": "missing is no folder; give the results folder of a run",
    "compare w.csv": "1 table given; give two with one agent each",
    "compare w.csv --agents me me": "both agents are 'me'; name two",
    "compare w.csv --agents me nobody": "the agent is 'nobody'; allowed are me, you, they",
    "compare w.csv --agents me you --power 3": "power is 3; it must lie between 0 and 1",
    "compare w.csv --agents me you -o x.png": "one difference has no figure",
    "compare no -o ''": "'' cannot be written",
    "compare no -o x.foo": "the format of a figure is '.foo'; allowed are png, svg, pdf",
    "domains show recorder": "'recorder' (did you mean 'recorded'",
    "domains list": "there is no verb 'list'; allowed are show; see aiq domains --help",
    "store shw": "there is no verb 'shw' (did you mean 'show'?); allowed are add, audit, clear, show; see aiq store",
    "store show": "no store is named: give --store FOLDER",
    "init a/b": "name is 'a/b'; take letters, digits",
    "init x --data missing.npz": "--data is 'missing.npz', which does not exist",
    "init x --kind labelled --data t.csv": "--kind is labelled; leave one of them out",
    "shards missing.yaml": "there is no configuration missing.yaml; aiq init",
    "shards missing.yaml --older-than 5": "give --sweep too",
    "summary missing.yaml": "there is no configuration missing.yaml; aiq init",
    "estimate t.csv --sizes t.csv --measure": "--sizes is for the model",
    "estimate t.csv --save missing/x": "missing/x cannot be written: there is no folder",
    "sensitivity no.yaml --csv ''": "'' cannot be written",
    "sensitivity no.yaml --train pool.size -o x.foo": "allowed are png, svg, pdf",
    "verify missing": "missing is no folder; give the results folder of a finished run",
    "verify missing --cores x": "--cores is 'x'; allowed are whole numbers from 1, and all",
    "agents random --tests 0": "'--tests': 0 is not in the range",
    "claims no -o x.foo": "the ending of the file is '.foo'; allowed are .md, .csv, .json",
    "algorithmic sample --programs 7 -o t.csv/a": "t.csv/a cannot be written: Not a directory",
    "instrument": "the verb 'instrument' is gone; call aiq score",
}
"""Wrong calls, by shell words, and what the one sentence about each says."""


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_is_one_sentence(aiq: Aiq, call: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("AIQ_STORE", raising=False)
    wide = "agent,A,B,C\nme,.9,.4,.6\nyou,.8,.5,.7\nthey,.2,.1,.3\n"
    tables = {"t_csv": TRIALS, "c_csv": C, "d_csv": D, "curve_csv": CURVE, "w_csv": wide, "one_csv": wide[:23]}
    refused(aiq(*shlex.split(call), **tables), WRONG[call])


def test_a_folder_that_cannot_be_written_is_one_sentence(aiq: Aiq):
    (Path.cwd() / "file").write_text("", encoding="utf-8")
    done = aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "file/s.h5", c_csv=C, d_csv=D)
    refused(done, "s.h5 cannot be written")


# ---- help and its examples -----------------------------------------------------------------------


def example(help_text: str) -> list[str]:
    """Commands of the worked example of a help text."""
    lines = help_text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith("Example"))
    commands = []
    for line in lines[start + 1 :]:
        if not line.strip():
            break
        commands.append(line.strip())
    return commands


@pytest.mark.parametrize("verb", [(), *verbs()], ids=" ".join)
def test_every_help_shows_a_worked_example_of_the_verb(aiq: Aiq, verb: tuple[str, ...]):
    status, out, err = aiq(*verb, "--help")
    assert (status, err) == (0, "")
    assert any(re.search(rf"\baiq {' '.join(verb)}", line) for line in example(out))


NEED_A_RUN = (
    *("shards", "summary", "estimate", "landmarks", "page", "compare", "doctor", "run"),
    *("sensitivity", "claims", "experiment", "precision", "baselines", "verify"),
    *("store", "store show", "store audit", "store add", "store clear"),
)


def test_the_examples_run(tmp_path: Path, capsys):
    """All of them in one folder, in the order of the verbs (score reads what space wrote), by bash."""
    script = ["set -euo pipefail", f'aiq() {{ "{sys.executable}" -m aiq.cli "$@"; }}']
    for verb in [(), *verbs()]:
        if " ".join(verb) in NEED_A_RUN:
            continue  # these take a configuration or read the results of a run: tests/workflow
        assert main([*verb, "--help"]) == 0
        script += [f"echo '== {' '.join(verb)}'", *example(capsys.readouterr().out)]
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=tmp_path, text=True, capture_output=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    parts = done.stdout.split("== ")[1:]
    assert len(parts) >= 6
    assert all(len(part.splitlines()) > 2 for part in parts)


def test_a_reader_that_closes_early_gets_no_traceback(tmp_path: Path):
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m aiq.cli domains --json | true'],
        cwd=tmp_path, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "words", ["complexity t.csv --json", "complexity t.csv", "domains", "--help", "domains --help"]
)
def test_a_full_standard_output_is_one_sentence(tmp_path: Path, words: str):
    (tmp_path / "t.csv").write_text(TRIALS, encoding="utf-8")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "aiq.cli", *words.split()],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == (
        "aiq: standard output cannot be written: No space left on device; free space, or send it elsewhere\n"
    )


@pytest.mark.parametrize("words", ["complexity -", "read -", "algorithmic run freq - -p epsilon=0.07", "anytime play"])
def test_a_closed_standard_input_is_one_sentence(tmp_path: Path, words: str):
    command = ["sh", "-c", f"{sys.executable} -m aiq.cli {words} <&-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    refused((done.returncode, done.stdout, done.stderr), "standard input is closed")


INTERRUPTED = """
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == "aiq.cli.measures":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from aiq.cli import main
sys.exit(main(["--help"]))
"""


def test_an_interruption_while_modules_load_is_one_line(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.lstrip()) == (130, "", "aiq: interrupted\n")


def test_no_verb_at_all_shows_the_verbs(aiq: Aiq):
    status, out, err = aiq()
    assert (status, out) == (2, "")
    assert "complexity" in err


# ---- standard errors, wide tables, warnings ------------------------------------------------------

CSE = "domain,complexity,se\nA,8,0.1\nB,7,0.1\nC,6,0.1\nD,7.5,0.1\n"
DSE = (
    "a,b,dissimilarity,se\nA,A,0.001,0.001\nA,B,0.02,0.001\nA,C,0.018,0.001\nA,D,0.012,0.001\n"
    "B,C,0.014,0.001\nB,D,0.011,0.001\nC,D,0.016,0.001\n"
)
WIDE = "agent,A,B,C,D,repetition\nx,.9,.8,.7,.9,0\nx,.92,.78,.7,.9,1\ny,.7,.9,.6,.7,0\ny,.74,.88,.63,.71,1\n"


def built_with_errors(aiq: Aiq, *more: str, c: str = CSE, d: str = DSE):
    return aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", *more, c_csv=c, d_csv=d)


def test_space_takes_standard_errors_and_says_how_probable_its_dimensions_are(aiq: Aiq):
    found = json.loads(built_with_errors(aiq, "--length", "complexity", "--json")[1])
    assert sum(found["dimension_probabilities"].values()) == pytest.approx(1)
    assert found["dimensions"] == 3
    assert found["vanished"] == []
    assert found["warnings"] == []
    assert "probability" in built_with_errors(aiq)[1]
    exact = built_with_errors(aiq, c="\n".join(line.rsplit(",", 1)[0] for line in CSE.splitlines()))
    assert "warning: without standard errors of the complexities" in exact[1]


def test_a_signed_area_below_zero_needs_its_error(aiq: Aiq):
    below = DSE.replace("A,D,0.012", "A,D,-0.0002")
    assert built_with_errors(aiq, d=below)[0] == 0
    plain = "\n".join(line.rsplit(",", 1)[0] for line in below.splitlines())
    refused(built_with_errors(aiq, d=plain), "A and D", "-0.0002", "se")
    refused(built_with_errors(aiq, d=DSE.replace("0.012,0.001", "0.012,-1")), "line 5", "se is -1")


def test_a_wide_table_scores_as_the_long_one(aiq: Aiq):
    built_with_errors(aiq)
    header, *rows = WIDE.splitlines()
    domains = header.split(",")[1:5]
    long = "agent,domain,performance,repetition\n" + "".join(
        f"{cells[0]},{domain},{value},{cells[5]}\n"
        for cells in (row.split(",") for row in rows)
        for domain, value in zip(domains, cells[1:5], strict=True)
    )
    wide = json.loads(aiq("score", "s.h5", "w.csv", "--json", w_csv=WIDE)[1])
    assert wide == json.loads(aiq("score", "s.h5", "l.csv", "--json", l_csv=long)[1])
    first, last = wide["agents"]
    assert first["interval"][0] < first["value"] < first["interval"][1]
    assert first["per_dimension_interval"][0] <= first["per_dimension"] <= first["per_dimension_interval"][1]
    assert first["relative"] == pytest.approx(first["per_dimension"] ** 3)
    assert first["by_dimensions"]["3"] == pytest.approx(first["relative"])
    assert 0.5 < first["order"] <= 1
    assert last["order"] is None
    assert first["geometric_mean"] < first["mean"]
    assert wide["simplex"] is False
    assert isinstance(wide["warnings"], list)


def test_a_wide_table_is_refused_like_a_long_one(aiq: Aiq):
    built_with_errors(aiq)
    refused(aiq("score", "s.h5", "-", stdin="agent,A,B,C\nx,1,1,1\n"), "performance on the test 'D'")
    refused(aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,1,1,1,2\n"), "line 2", "2")
    refused(aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,1,1,1,1\nx,1,1,1,1\n"), "twice")
    more = json.loads(aiq("score", "s.h5", "-", "--json", stdin="agent,A,B,C,D,E\nx,1,1,1,1,1\n")[1])
    assert "tests that the space does not have were left out: E" in more["warnings"]


def test_the_screen_says_what_the_numbers_do_not_show(aiq: Aiq):
    built_with_errors(aiq)
    shown = aiq("score", "s.h5", "-", stdin="agent,A,B,C,D\nx,.9,.8,.7,.9\ny,1,1,1,1\n")[1]
    assert "AIQ per dimension" in shown
    assert "given d = 3" in shown
    assert "geometric mean" in shown
    assert "warning: no agent has more than one repetition" in shown
    assert "is a point" in shown


def test_a_simplex_is_said_in_plain_words(aiq: Aiq):
    apart = "a,b,dissimilarity\nA,B,0.1\nC,A,0.1\nB,C,0.1\n"
    aiq("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "-o", "s.h5", c_csv=C, d_csv=apart)
    given = "agent,A,B,C\nx,.9,.8,.7\n"
    found = json.loads(aiq("score", "s.h5", "-", "--json", stdin=given)[1])
    assert found["simplex"]
    assert found["agents"][0]["per_dimension"] == pytest.approx(found["agents"][0]["geometric_mean"])
    words = "here AIQ per dimension is the geometric mean of the performances"
    assert words in " ".join(aiq("score", "s.h5", "-", stdin=given)[1].split())


def test_relative_excess_may_be_zero_under_either_name(aiq: Aiq):
    zero = "domain,complexity,se\nA,0.8,0.1\nB,0.7,0.1\nC,0,0.01\nD,0.75,0.1\n"
    refused(built_with_errors(aiq, c=zero), "'C' is 0.0", "above 0")
    for text in (zero, zero.replace("complexity", "relative_excess")):
        found = json.loads(built_with_errors(aiq, "--json", "--length", "relative_excess", c=text)[1])
        assert found["length"] == "relative_excess"
        assert any("C: length 0" in sentence for sentence in found["warnings"])


@pytest.mark.parametrize("name", ["complexity", "relative_excess"])
@pytest.mark.parametrize("value", ["1.01", "-0.1"])
def test_a_relative_excess_lies_from_0_to_1(aiq: Aiq, name: str, value: str):
    text = f"domain,{name}\nA,0.5\nB,1\nC,{value}\nD,0\n"
    done = built_with_errors(aiq, "--length", "relative_excess", c=text)
    refused(done, "c.csv line 4", f"relative excess is {value}", "[0, 1]")
    assert built_with_errors(aiq, "--length", "relative_excess", c=text.replace(value, "0.2"))[0] == 0


def test_the_null_is_an_option(aiq: Aiq):
    for null in ("propagated", "identical"):
        assert built_with_errors(aiq, "--null", null)[0] == 0
    refused(built_with_errors(aiq, "--null", "none"), "none", "propagated")


# ---- scores that take long -----------------------------------------------------------------------


def many(count: int) -> dict[str, str]:
    """Tables of so many domains in general position, of two agents, and of two with repetitions or standard errors."""
    rng = np.random.default_rng(0)
    points = np.abs(rng.normal(size=(count, 12)))
    points /= np.linalg.norm(points, axis=1)[:, None]
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) / 2
    pairs = [f"D{i},D{j},{apart[i, j]}\n" for i in range(count) for j in range(i + 1, count)]
    rows = [f"{agent},D{i},{rng.uniform(0.5, 1)}" for agent in "xy" for i in range(count)]
    return {
        "c_csv": "domain,complexity\n" + "".join(f"D{i},{rng.uniform(5, 10)}\n" for i in range(count)),
        "d_csv": "a,b,dissimilarity\n" + "".join(pairs),
        "p_csv": "agent,domain,performance\n" + "".join(f"{row}\n" for row in rows),
        "r_csv": "agent,domain,performance,repetition\n" + "".join(f"{row},{k}\n" for row in rows for k in (1, 2)),
        "e_csv": "agent,domain,performance,se\n" + "".join(f"{row},0.01\n" for row in rows),
    }


@pytest.mark.parametrize(
    ("table", "words"),
    [("p.csv", "facets to list; this may"), ("r.csv", "in 168 replicates; this"), ("e.csv", "in 168 replicates; this")],
)
def test_scores_that_take_long_say_so_before_they_are_computed(aiq: Aiq, monkeypatch, table: str, words: str):
    from aiq.measures import quotient

    space = ("space", "--complexity", "c.csv", "--dissimilarity", "d.csv", "--dimensions", "12", "-o", "s.h5")
    assert aiq(*space, **many(60))[0] == 0

    def score(*_: object, **__: object) -> None:
        raise InputError("enough")

    monkeypatch.setattr(quotient, "score", score)
    status, out, err = aiq("score", "s.h5", table, "--json")
    assert (status, out) == (2, "")
    told, refusal = err.splitlines()
    assert refusal == "aiq: enough"
    assert told.startswith("scoring 2 agents: 3 hulls of 60 domains in 12 dimensions are sampled")
    assert words in told
    assert " min" in told


@pytest.mark.parametrize("repeated", [False, True])
def test_scores_that_are_computed_at_once_say_nothing(aiq: Aiq, repeated: bool):
    from aiq.records.space import Space
    from aiq.storage import read_result
    from aiq.tables import scores as scored

    built_with_errors(aiq)
    assert aiq("score", "s.h5", "w.csv", "--json", w_csv=WIDE)[2] == ""
    assert scored.said(read_result("s.h5", "space", Space), 50, repeated) == ""
