"""The command line refuses in one sentence, without a traceback and with exit status 2; files are written as asked."""

import shlex
from pathlib import Path

import click
import pytest
from command_line import ALONE, CURVE, PARTED, SPACE, TRIALS, Aiq, C, D, P, refused, verbs

from aiq.cli.verbs import FILE, FOLDER, Written
from aiq.cli.verbs import SPACE as WRITTEN_SPACE

ALONES = {
    "lacks the domain 'B'": (PARTED, ALONE.replace("B,", "C,")),
    "share 0.5": (PARTED, ALONE.replace("B,0.5", "B,0.4")),
    "above 0, at most at 1": (PARTED, ALONE.replace("B,1,", "B,2,")),
    "a.csv line 4": (PARTED, ALONE.replace("0.81", "1.81")),
    "no samples": (PARTED, ALONE + "D,0,0.5,0\n"),
    "lacks the column 'domain'": (PARTED, ALONE.replace("domain", "test", 1)),
    "lacks the columns a and b": (CURVE, ALONE),
}


@pytest.mark.parametrize("words", ALONES)
def test_controls_are_refused(aiq: Aiq, words: str):
    curves, alone = ALONES[words]
    refused(aiq("dissimilarity", "c.csv", "--alone", "a.csv", c_csv=curves, a_csv=alone), words)


def test_standard_input_is_read_once(aiq: Aiq):
    refused(aiq("dissimilarity", "-", "--alone", "-", stdin=PARTED), "once")
    refused(aiq("space", "--complexity", "-", "--dissimilarity", "-", stdin=C), "once")


LINES = {
    "above 1 after a blank line": ("size,performance\n10,0.5\n\n10,1.2\n", ["line 4", "1.2", "[0, 1]"]),
    "below 0": ("size,performance\n10,-0.1\n", ["line 2", "-0.1", "[0, 1]"]),
    "a blank chunk": ('chunk,size,performance\nA,10,.5\n" ",20,.6\n', ["line 3", "chunk is empty", "leave the"]),
    "no size": ("size,performance\n0,0.5\n", ["line 2", "size is 0", "at least 1"]),
}


@pytest.mark.parametrize("what", LINES)
def test_complexity_refuses(aiq: Aiq, what: str):
    text, words = LINES[what]
    refused(aiq("complexity", "t.csv", t_csv=text), "t.csv", *words)
    refused(aiq("complexity", "-", "--json", stdin=text), "standard input", *words)


CURVES = {
    "above 1": ("p,performance\n0,1.5\n1,1\n", ["line 2", "1.5"]),
    "p outside": ("p,performance\n0,0.5\n2,0.5\n", ["2", "[0, 1]"]),
    "no p = 1": ("p,performance\n0,0.5\n0.5,0.5\n", ["1"]),
    "a duplicate": ("p,performance\n0,0.5\n0.5,0.5\n0.5,0.6\n1,0.5\n", ["p = 0.5", "twice", "repetition"]),
    "a hole": ("p,performance,repetition\n0,1,a\n0.5,1,a\n1,1,a\n0,1,b\n1,1,b\n", ["p = 0.5", "repetition b"]),
    "half a pair": ("p,performance,a\n0,1,x\n", ["a and b"]),
    "an error of 0": ("p,performance,se\n0,0.5,0\n1,0.5,0.1\n", ["line 2", "se is 0", "above 0"]),
    "told above 1": ("p,performance,told\n0,0.5,1.1\n", ["line 2", "told is 1.1"]),
}


@pytest.mark.parametrize("what", CURVES)
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
}


@pytest.mark.parametrize("what", SPACES)
def test_space_refuses_and_writes_nothing(aiq: Aiq, tmp_path: Path, what: str):
    c, d, words = SPACES[what]
    (tmp_path / "s.h5").write_bytes(b"old")
    done = aiq(*SPACE, "-o", "s.h5", "--json", c_csv=c, d_csv=d)
    refused(done, *words)
    assert (tmp_path / "s.h5").read_bytes() == b"old"


SCORES = {
    "a misspelt test": (P.replace(",C,", ",Cc,"), ["the test 'C'", "did you mean 'Cc'"]),
    "a missing domain": (P.replace("you,C,0.8\n", ""), ["agent you has no performance on C (1 of 6", "--missing"]),
    "an unknown column": (
        P.replace("\n", ",1\n").replace("performance,1", "performance,repetitoin", 1),
        ["'repetitoin'", "did you mean 'repetition'", "--drop repetitoin"],
    ),
}


@pytest.mark.parametrize("what", SCORES)
def test_score_refuses(aiq: Aiq, what: str):
    aiq(*SPACE, "-o", "s.h5", c_csv=C, d_csv=D)
    text, words = SCORES[what]
    refused(aiq("score", "s.h5", "p.csv", "--json", p_csv=text), *words)


def test_score_refuses_what_is_no_space(aiq: Aiq, tmp_path: Path):
    refused(aiq("score", "nowhere.h5", "p.csv", p_csv=P), "no file nowhere.h5; give a space that aiq space -o or a run")
    refused(aiq("score", "p.csv", "p.csv"), "p.csv is no space; give one that aiq space -o or a run made")
    aiq(*SPACE, "-o", "s.h5", c_csv=C, d_csv=D)
    whole = (tmp_path / "s.h5").read_bytes()
    (tmp_path / "s.h5").write_bytes(whole[:-9])
    refused(aiq("score", "s.h5", "p.csv"), "s.h5 is incomplete")
    (tmp_path / "s.h5").write_bytes(whole[:3000] + bytes([whole[3000] ^ 1]) + whole[3001:])
    refused(aiq("score", "s.h5", "p.csv"), "s.h5 is corrupt")


WRONG = {
    "complexty t.csv": "no verb 'complexty' (did you mean 'complexity'",
    "complexity t.csv --bins 0": "'--bins': 0 is not in the range",
    "complexity t.csv --k 4": "k is 4, but there are only 3 policies",
    "complexity t.csv --largest 3": "given as 3, but the table has one of 90000; give a finite size at least as large",
    "complexity t.csv --largest nan": "nan must be a number",
    "complexity t.csv --chance 1": "starts at performance 1",
    "complexity t.csv --binns 3": "no such option '--binns'",
    "dissimilarity t.csv": "lacks the column 'p'; it has size, performance",
    "dissimilarity curve.csv --alone missing.csv": "so it does not name the domains of --alone",
    "dissimilarity curve.csv --twin t.csv": "lacks the column 'repetition'",
    "space --complexity c.csv --dissimilarity d.csv --dimensions 0": "'0' is neither 'share', 'noise', 'all' nor",
    "score missing.h5 w.csv --value skill": "'skill' is not one of 'skills', 'volume'",
    "read w.csv --rename A": "--rename is 'A'; give OLD=NEW",
    "read w.csv --range A 0 1 --ranges r.csv": "give one of the two",
    "read no.csv -o ''": "the word after aiq read no.csv -o is empty; give a name or a file there",
    "space --complexity c.csv --dissimilarity d.csv --confidence high": "'high' must be a number; see",
    "run suite.yaml -n": "options of Snakemake follow --: aiq run CONFIG -- -n",
    "suite w.csv --rename Nope=No": "the column, test or agent of --rename is 'Nope'; allowed are",
    "suite one.csv": "the results have 1 agent and 3 tests; at least 3 agents and 2 tests are needed",
    "suite w.csv --cluster Q": "cluster is 'Q', but what was read has no such column or field",
    "suite w.csv --at 2": "'--at': 2.0 is not in the range 0<x<1",
    "compare": "missing argument 'RUN...'",
    "compare missing": "missing is no folder; give the results folder of a run",
    "compare w.csv": "1 table given; give two with one agent each",
    "compare w.csv --agents me me": "both agents are 'me'; name two",
    "compare w.csv --agents me nobody": "the agent is 'nobody'; allowed are me, you, they",
    "compare w.csv --agents me you -o x.png": "one difference has no figure",
    "domains show recorder": "'recorder' (did you mean 'recorded'",
    "store shw": "there is no verb 'shw' (did you mean 'show'?); allowed are add, audit, clear, show; see aiq store",
    "store show": "no store is named: give --store FOLDER",
    "shards missing.yaml": "there is no configuration missing.yaml; aiq init",
    "estimate t.csv --save missing/x": "missing/x cannot be written: there is no folder",
    "verify missing": "missing is no folder; give the results folder of a finished run",
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


# ---- options that name a file to write: written where it is asked for, in that format, or refused at once

WRITING = ("-o", "--output", "--csv", "--figure", "--save", "--performances")
"""Words of options that write; none of them may take any name."""


OPTIONS = [
    pytest.param(words, option, id=" ".join((*words, option.opts[0])))
    for words, command in verbs().items()
    if not isinstance(command, click.Group)
    for option in command.params
    if isinstance(option, click.Option) and (isinstance(option.type, Written) or set(option.opts) & set(WRITING))
]


def test_verbs_with_such_options_are_found():
    names = {param.id for param in OPTIONS}
    verbs_ = ("space", "read", "suite", "compare", "algorithmic run", "claims", "experiment")
    assert {f"{verb} -o" for verb in verbs_} <= names
    assert len(names) >= 18


@pytest.mark.parametrize(("words", "option"), OPTIONS)
def test_a_folder_that_is_not_there_is_named_and_not_made(words, option, aiq: Aiq, tmp_path: Path):
    assert isinstance(option.type, Written)
    ending = next(iter(option.type.endings), "x").removeprefix(".")
    sentence = f"there is no folder {tmp_path / 'nowhere/deep'}; make it, or choose another"
    refused(aiq(*words, option.opts[0], f"nowhere/deep/x.{ending}"), sentence)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("words", "option"), [p for p in OPTIONS if p.values[1].type not in (FILE, FOLDER)])
def test_an_ending_of_another_format_is_refused(words, option, aiq: Aiq, tmp_path: Path):
    refused(aiq(*words, option.opts[0], "x.foo"), "is '.foo'; allowed are")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "x.h5", "link.h5", "/dev/null"])
def test_what_can_be_written_is_taken(name: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("link.h5").symlink_to(tmp_path / "other.h5")
    assert WRITTEN_SPACE.convert(name, None, None) == name
