"""Tables as people have them: read, and every decision stated; or refused in one sentence with file and line."""

import gzip
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas
import pytest
from command_line import Aiq, record, refused

from aiq.cli.main import main
from aiq.errors import InputError
from aiq.readers import read


def table(tmp_path, text, name="t.csv", **how):
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return read(path, **how)


def said(found):
    return " | ".join(found.decisions)


PLAIN = "agent,x,y\na,0.5,0.25\nb,1,\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", PLAIN),
        ("t.csv.gz", PLAIN),
        ("t.tsv", PLAIN.replace(",", "\t")),
        ("t.txt", PLAIN.replace(",", "\t")),
        ("t.csv", PLAIN.replace(",", ";")),
        ("t.csv", PLAIN.replace(",", ";").replace(".", ",")),
        ("t.csv", "sep=;\n" + PLAIN.replace(",", ";")),
        ("t.csv", ",agent,x,y\n0,a,0.5,0.25\n1,b,1,\n"),
        ("t.csv", "x,y,agent\n0.5,0.25,a\n1,,b\n"),
        ("t.csv", "x,who,y\n0.5,a,0.25\n1,b,\n"),
        ("t.csv", ",x,y\na,0.5,0.25\nb,1,\n"),
        ("t.csv", "agent,x,y\na,50%,25 %\nb,100%,\n"),
        ("t.csv", "agent,x,y\na,50,25\nb,100,\n"),
        ("t.csv", "agent,x,y\na,+0.5,.25\nb,1.0,n/a\n"),
        ("t.csv", "agent,x,y,kind\na,0.5,0.25,open\nb,1,,closed\n"),
        ("t.csv", "agent,x,y,Average\na,0.5,0.25,0.375\nb,1,,1\n"),
        ("t.csv", "rank,agent,x,y,avg. score\n1,a,0.5,0.25,0.375\n2,b,1,,1\n"),
        ("t.csv", "agent,x,y,params\na,0.5,0.25,7\nb,1,,70\n"),
        ("t.csv", "agent,x,y,x_err,y_err\na,0.5,0.25,0.5,0.75\nb,1,,0,\n"),
        ("t.csv", "agent,x,y\na,0.5,0.25\nb,1\n"),
        ("t.json", '[{"agent": "a", "x": 0.5, "y": 0.25}, {"agent": "b", "x": 1, "y": null}]'),
        ("t.json", '{"columns": ["agent", "x", "y"], "data": [["a", 0.5, 0.25], ["b", 1, null]]}'),
        ("t.json", '{"model": ["a", "b"], "x": [0.5, 1], "y": [0.25, null]}'),
        ("t.json", '{"a": {"x": 0.5, "y": 0.25}, "b": {"x": 1}}'),
        ("t.json", '[{"agent": "a", "x": 0.5, "y": 0.25}, {"agent": "b", "x": 1, "y": NaN}]'),
        ("t.jsonl", '{"agent": "a", "x": 0.5, "y": 0.25}\n{"agent": "b", "x": 1}\n'),
        ("t.csv", "agent,domain,performance\na,x,0.5\na,y,0.25\nb,x,1\nb,y,\n"),
        ("t.csv", "model,task,score,note\na,x,0.5,u\na,y,0.25,v\nb,x,1,w\n"),
        ("t.csv", "model,task,score\na,x,50%\na,y,25%\nb,x,100%\n"),
        ("t.csv", "benchmark,a,b\nx,0.5,1\ny,0.25,\n"),
        ("t.csv", "agent,x,y,\na,0.5,0.25,\nb,1,,\n"),
        ("t.csv", "agent,x,y\na,0.5,0.25\nb,1,\nAverage,0.75,0.25\n"),
        ("t.md", "| agent | x | y |\n|---|---:|---:|\n| a | 0.5 | 0.25 |\n| b | 1 | |\n"),
        ("board", PLAIN),
        ("t.json", '{"agent": {"0": "a", "1": "b"}, "x": {"0": 0.5, "1": 1}, "y": {"0": 0.25, "1": null}}'),
    ],
)  # fmt: skip
def test_one_table_in_many_forms(tmp_path, name, text):
    found = table(tmp_path, text, name)
    assert (found.agents, found.domains) == (("a", "b"), ("x", "y"))
    np.testing.assert_allclose(found.wide(), [[0.5, 0.25], [1, np.nan]])
    assert found.as_dict()["decisions"] == list(found.decisions)


@pytest.mark.parametrize("package", ["pyarrow", "openpyxl"])
def test_parquet_and_excel(tmp_path, package):
    pytest.importorskip(package)
    frame = pandas.DataFrame({"agent": ["a", "b"], "x": [0.5, 1], "y": [0.25, np.nan]})
    path = tmp_path / ("t.parquet" if package == "pyarrow" else "t.xlsx")
    frame.to_parquet(path) if package == "pyarrow" else frame.to_excel(path, index=False)
    np.testing.assert_allclose(read(path).wide(), [[0.5, 0.25], [1, np.nan]])
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=f"is no whole {path.suffix[1:]} file"):
        read(path)


@pytest.mark.parametrize(("suffix", "package"), [(".parquet", "pyarrow"), (".xlsx", "openpyxl")])
def test_without_the_package_one_sentence_says_which(tmp_path, monkeypatch, suffix, package):
    def missing(*_, **__):
        raise ImportError(package)

    monkeypatch.setattr(pandas, "read_parquet", missing)
    monkeypatch.setattr(pandas, "ExcelFile", missing)
    (tmp_path / f"t{suffix}").write_bytes(b"x")
    with pytest.raises(InputError, match=rf"needs the package {package}; install it with: pip install {package}"):
        read(tmp_path / f"t{suffix}")


def test_data_frames_and_mappings():
    frame = pandas.DataFrame({"x": [0.5, 1], "y": [0.25, np.nan]}, index=["a", "b"])
    for given in (
        frame,
        frame.rename_axis("agent").reset_index(),
        {"agent": ["a", "b"], "x": [0.5, 1], "y": [0.25, None]},
    ):
        np.testing.assert_allclose(read(given).wide(), [[0.5, 0.25], [1, np.nan]])
    with pytest.raises(InputError, match=r"the data frame row 1 \(counted from 0\).* 1.5, outside"):
        read({"agent": ["a", "b"], "x": [0.5, 1.5]})
    with pytest.raises(InputError, match="results are list"):
        read([[1, 2]])


def test_every_decision_is_a_sentence(tmp_path):
    text = "rank,model,x,y,kind,Average,params\n1,a,50,0.5,open,25,7\n2,b,90,0.25,closed,45,\n"
    words = said(table(tmp_path, text))
    for part in ("rank, Average", "kind", "params", "scale 0 to 100", "x divided by 100", "y taken as shares of 1"):
        assert part in words, part


def test_where_that_is_asked_for_scores_below_0_are_cut_and_per_cent_stays_per_cent(tmp_path):
    found = table(tmp_path, "agent,x\na,88.6\nb,12\n", clip=True)  # no table of ones
    assert found.wide()["x"].tolist() == pytest.approx([0.886, 0.12])
    cut = table(tmp_path, "agent,x,y\na,-0.2,0.9\nb,0.3,0.5\n", clip=True)
    np.testing.assert_allclose(cut.wide(), [[0, 0.9], [0.3, 0.5]])


def test_thousands_and_speeds_are_no_fractions(tmp_path):
    text = 'agent,x,speed\na,0.5,"1,013.01"\nb,0.25,"78,556"\n'
    with pytest.raises(InputError, match=r"line 2: the score of a on speed is 1013.01, .*--drop speed"):
        table(tmp_path, text)
    assert table(tmp_path, text, drop=["speed"]).domains == ("x",)
    assert table(tmp_path, text, columns=["x"]).domains == ("x",)
    found = table(tmp_path, text, ranges={"speed": (0, 100_000)})
    assert found.wide()["speed"].tolist() == pytest.approx([0.0101301, 0.78556])


def test_columns_drop_and_rename(tmp_path):
    text = "Model name,x,Average,z\na,0.5,0.6,0.7\nb,0.1,0.2,0.3\n"
    found = table(tmp_path, text, rename={"Model name": "agent", "z": "Z"}, drop=["x"])
    assert found.domains == ("Z",)
    assert table(tmp_path, text, columns=["Average"]).domains == ("Average",)
    with pytest.raises(InputError, match="the column or test of --drop is 'q'"):
        table(tmp_path, text, drop=["q"])
    long = "agent,domain,performance\na,x,0.5\na,y,0.1\n"
    assert table(tmp_path, long, drop=["y"], rename={"a": "A"}).agents == ("A",)
    for column in long.partition("\n")[0].split(",")[:3]:
        with pytest.raises(InputError, match=rf"'{column}' holds the \w+ of every row, so it cannot be dropped"):
            table(tmp_path, long, drop=[column])
    assert table(tmp_path, long, columns=["y"]).domains == ("y",)
    with pytest.raises(InputError, match="--columns is 'z'; allowed are x, y"):
        table(tmp_path, long, columns=["z"])


def test_agents_of_one_name_are_told_apart_or_refused_by_name(tmp_path):
    found = table(tmp_path, "model,img_size,x\nr,224,0.5\nr,288,0.6\ns,224,0.7\n")
    assert found.agents == ("r (224)", "r (288)", "s")
    assert "told apart" in said(found)
    assert found.duplicates[0].agents == ("r (224)", "r (288)")
    with pytest.raises(InputError, match=r"line 3: agent r has domain x twice .*line 2.*--keep all"):
        table(tmp_path, "model,x\nr,0.5\nr,0.6\n")
    found = table(tmp_path, "model,x\nr,0.5\nr,0.6\n", keep="all")
    assert found.repetitions("r", "x").tolist() == [0.5, 0.6]
    with pytest.raises(InputError, match="bear no date"):
        table(tmp_path, "model,img_size,x\nr,224,0.5\nr,288,0.6\n", latest=True)
    rows = "m1,A,0.5,2024-01-01\nm1,A,0.7,2024-03-01\nm2,A,0.4,2024-01-01\n"
    found = table(tmp_path, f"agent,task,score,date\n{rows}", latest=True)
    assert found.wide()["A"].to_dict() == {"m1": 0.7, "m2": 0.4}


def test_columns_that_are_renamed_have_their_new_meaning(tmp_path):
    assert table(tmp_path, "id,x\n1,0.5\n2,1\n", rename={"id": "agent"}).agents == ("1", "2")
    found = table(tmp_path, "a,x,perplexity\nm,0.5,3\nk,1,2\n", ranges={"perplexity": (1, 5)})
    assert found.wide()["perplexity"].tolist() == [0.5, 0.75]
    frame = pandas.DataFrame([[0.1, 0.2]], columns=pandas.MultiIndex.from_tuples([("x", "1"), ("x", "2")]), index=["a"])
    assert read(frame).domains == ("x 1", "x 2")


BAD = [
    (b"agent,domain,performance\na,x,nan\n", "finite"),
    (b"agent,domain,performance\na,x,1.5\n", r"outside \[0, 1\].*--range x"),
    (b"agent,domain,performance\na,x,0.5\na,x,0.5\n", "twice"),
    (b"agent,domain,performance\na,x\n", "2 cells"),
    (b"agent,domain,performance\n", "no rows"),
    ("agent,domain,performance,sé\na,x,1,1\n".encode(), "unknown"),
    (b"agent,performance\na,1\n", "lacks the column 'domain'"),
    (b"agent,domain,performance,se\na,x,1,-1\n", "standard error"),
    (b"agent,domain,performance,repetition\na,x,1,1\na,x,1,\n", "line 3: repetition is empty"),
    (b"agent,repetition,x\na,,1\n", "line 2: repetition is empty"),
    (b"agent,x,x\na,1,1\n", "twice"),
    (b"agent,x\na,\n", "no score"),
    (b"colour,shape\nred,round\n", "without a column of agents and one of scores"),
    (b"", "is empty"),
    (b"agent,x,y\na,0.5,0.2\nb,0.4", r"t.csv breaks off in line 3, which has 2 cells"),
    (b"agent,x\na,0.5,0.2\n", "line 2 has 3 cells where the header names 2"),
    (b"agent,x\na,0.5\n\xff\xfe,1\n", r"t.csv line \d is not text in UTF-8"),
    (b'agent,x\n"a,0.5\n', "is not a CSV table"),
    (b"agent,x\na,0.5\nb,0.5o\nc,0.1\n", "line 3: x is '0.5o', it must be a number"),
    (b"agent,x\na,inf\nb,1\n", "line 2: x is 'inf', it must be a finite number"),
    (b"agent,x\n,0.5\nb,1\n", "line 2: agent is empty"),
    (b"agent,x\na,0.5\n\0\0,1\n", "line 3 holds bytes of 0"),
    (b"PK\3\4\0\0\0\xff\0\n", "t.csv is a zip archive; unpack it"),
    (b"My board,,\nagent,x,y\na,0.5,1\n", "no name for column 2 in its first row"),
    (b"id,x\n1,0.5\n2,1\n", r"without a column of agents .*id, x; .*--rename COLUMN=agent"),
    (b"agent,Average\na,0.5\nb,1\n", "Average is a mean over tests or a rank; take it with --columns Average"),
    (b"agent,perplexity\na,12.3\nb,22\n", r"perplexity, which has no range .*--range perplexity"),
    (b"agent,x\na,0.5\nb,1.5\n", r"outside \[0, 1\]; state its range"),
    (b"agent,x\na,0.5\nb,50\nc,0.2\nd,0.1\n", r"outside \[0, 1\]; state its range"),
    (b"agent,a b\na,3\nb,4.5\n", r"--range 'a b' LOWEST HIGHEST, .*--drop 'a b'"),
    (b"agent,x\na,50%\nb,0.5\n", "line 3: x has no per cent sign"),
    (b"a,.8,.7\nb,.6,.5\n", "has no header: its first row holds the number"),
    (b"a,X,.8\na,Y,.7\nb,X,.5\n", "has no header: its first row holds the number"),
    (b"gpt,81,70\na,60,50\nb,40,30\n", "has no header: its first row holds the number 81"),
    (b"model,task,metric,score\na,X,mse,.2\nb,X,mse,.3\n", "by mse, which has no range of its own"),
    (b"model,task,lower_is_better,score\na,X,true,.2\nb,X,false,.3\n", "other rows of X say otherwise"),
    (b"model,task,lower_is_better,score\na,X,maybe,.2\n", "it must be true or false"),
]
BAD_FILES = [
    ("t.csv.gz", gzip.compress(os.urandom(2000).hex().encode())[:500], "breaks off after line"),
    ("t.csv.gz", b"agent,x\na,.5\n", "is not compressed, though its name ends in"),
    ("t.jsonl", b'{"agent": "a", "x": 0.5}\n5\n', "line 2 is no object of cells"),
    ("r.json", b'{"results": ', "not JSON"),
    ("r.json", b'{"a": 1, "b": "c"}', "no known format"),
    ("r.json", b"\xff\xfe\x00", "not text"),
    ("r.yaml", b"- [", "not YAML"),
    ("r.npz", b"PK\x03\x04 damaged", "no plain arrays"),
    ("r.json", b'{"a": [[0.1], [0.2, 0.3]]}', "rows of equal length"),
    ("r.json", b'{"a": [[NaN]]}', "finite"),
]


@pytest.mark.parametrize(("name", "content", "match"), [*(("t.csv", *one) for one in BAD), *BAD_FILES])
def test_bad_input_is_one_sentence_with_file_and_line(tmp_path, name, content, match):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=match) as refusal:
        read(tmp_path / name)
    assert "\n" not in str(refusal.value)


def test_the_source_is_never_overwritten(aiq: Aiq):
    path = Path("tables/agents.csv")
    path.parent.mkdir()
    path.write_text("model,A,B\nm1,.5,.4\nm2,.2,.1\nm3,.3,.1\n")
    before = path.read_text()
    for words in (("read", str(path), "-o", str(path)), ("suite", str(path), "-o", ".")):
        refused(aiq(*words), "would overwrite")
    assert path.read_text() == before


def test_the_verbs_options_and_json(aiq: Aiq):
    words = ("read", "t.csv", "--rename", "Name of model=agent", "--drop", "y", "-o", "o.csv", "--json")
    found = record(aiq(*words, t_csv="Name of model,x,y,Average\na,50,20,35\nb,90,80,85\n"))
    assert {"decisions", "duplicates", "skipped", "missing", "cells"} <= set(found)
    assert Path("o.csv").read_text() == "agent,domain,performance\na,x,0.5\nb,x,0.9\n"


def test_what_has_no_score_is_named(tmp_path):
    found = table(tmp_path, "model,A,B\nnone,,\nm1,.5,.4\nm2,.2,.1\n")
    assert found.agents == ("m1", "m2")
    assert [(one.name.split(" of ")[0], one.reason) for one in found.skipped] == [("1 row", "no score of none")]
    found = table(tmp_path, "agent,domain,performance\na,x,.5\na,y,\nb,x,.4\nb,y,\nc,x,\n")
    assert (found.agents, found.domains) == (("a", "b"), ("x",))
    names = {"agents in rows": "no score of c", "tests in rows": "no score of y"}
    assert {one.name: one.reason for one in found.skipped} == names
    items = "agent,item,score\na,q,1\na,r,\nb,q,0\nb,r,1\n"
    assert "empty scores on items, which are missing: 1" in table(tmp_path, items).decisions
    assert not any("empty scores" in said for said in table(tmp_path, items.replace("item", "test")).decisions)


def test_the_page_on_reading_does_what_it_says(tmp_path, monkeypatch):
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "read-results.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"```(bash|python)\n(.*?)```", page, flags=re.DOTALL))
    monkeypatch.chdir(tmp_path)
    make, command = blocks["bash"].strip().splitlines()
    subprocess.run(make, shell=True, check=True)
    assert main(command.split()[1:]) == 0
    held: dict[str, object] = {}
    exec(blocks["python"], held)  # the page's own code
    found = held["found"].record
    assert found.wide().to_numpy() == pytest.approx(np.array([[0.815, 0.702], [0.601, np.nan]]), nan_ok=True)
    words = " ".join(found.decisions)
    assert "Rank" in words
    assert "Average" in words
    assert "divided by 100" in words


# ---- tables that a run of aiq writes

OWN = Path(__file__).parents[2] / "data" / "readers" / "own"


@pytest.mark.parametrize("length", ["complexity", "relative_excess", None])
def test_space_and_score_take_a_runs_tables_and_relative_excess_is_the_default(aiq: Aiq, length):
    word, asked = length or "relative_excess", ("--length", length) if length else ()
    tables = ("--complexity", str(OWN / "complexity.csv"), "--dissimilarity", str(OWN / "dissimilarity.csv"))
    found = record(aiq("space", *tables, "-o", "space.h5", "--json", *asked))
    assert found["length"] == word
    wanted = pandas.read_csv(OWN / "complexity.csv")[word]
    lengths = np.array(found["complexity"])
    assert lengths / lengths.max() == pytest.approx(wanted / wanted.max())
    assert found["dimension_probabilities"]  # the errors of the signed areas were read
    assert record(aiq("score", "space.h5", str(OWN / "performance.csv"), "--json"))["agents"]


HEAD = "| Model | x | y |\n|:--|--:|--:|\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"# Board\n\n{HEAD}| **[a](https://a.b)** | **.5** | `.25` |\n| b | 1 | |\n\nNotes.\n", "# Board"),
        (f"{HEAD}| a | _.5_ | .25 |\n| b | <b>1</b> | |\n\n{HEAD}| c | 1 | 1 |\n", "not those below"),
        ("Board of 2026\n\nModel,x,y\na,.5,.25\nb,1,\n", "Board of 2026"),
    ],
)  # fmt: skip
def test_a_table_in_a_text_is_found_and_what_is_left_out_is_told(text: str, said: str, tmp_path: Path):
    (tmp_path / "t.md").write_text(text, encoding="utf-8")
    found = read(tmp_path / "t.md")
    assert found.agents == ("a", "b")
    np.testing.assert_allclose(found.wide(), [[0.5, 0.25], [1, np.nan]])
    assert any(said in one for one in found.decisions)


def test_rows_above_a_spreadsheet_are_left_out_and_lines_stay(tmp_path: Path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["Board of 2026"], [], ["Model", "x", "y"], ["a", 0.5, 0.25], ["b", 1, "high"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(InputError, match="line 5: y is 'high'"):
        read(tmp_path / "t.xlsx")
    book.active["C5"] = 0.75
    book.create_sheet("old")
    book.save(tmp_path / "t.xlsx")
    found = read(tmp_path / "t.xlsx")
    np.testing.assert_allclose(found.wide(), [[0.5, 0.25], [1, 0.75]])
    above = "what stands in the first 2 rows above the table is left out"
    assert found.decisions == (f"{tmp_path}/t.xlsx: {above}; the first sheet is read, not old",)


TOLD = {
    "a metric of a long table": ("model,task,metric,value\na,X,WER,.1\nb,X,WER,.5\n", [[0.9], [0.5]], "lower is"),
    "lower_is_better": ("model,task,lower_is_better,score\na,X,True,.1\nb,X,True,.5\n", [[0.9], [0.5]], "turned"),
    "higher_is_better": ("model,task,higher_is_better,score\na,X,no,.1\nb,X,,.4\n", [[0.9], [0.6]], "turned"),
    "out of a total": ("model,task,correct,total\na,X,8,10\nb,X,40,50\n", [[0.8], [0.8]], "scores are out of total"),
    "out of a maximum": ("model,task,score,max_score\na,X,8,10\nb,X,4,5\n", [[0.8], [0.8]], "are out of max_score"),
    "a doubtful direction": ("model,toxicity,A\na,.1,.8\nb,.5,.6\n", [[0.1, 0.8], [0.5, 0.6]], "--lower toxicity"),
    "a rate of errors by another name": ("model,Refusal rate,A\na,10,90\nb,30,70\n", [[0.9], [0.7]], "is 100 - A"),
    "per cent by name": ("model,HLE (%)\na,.9\nb,.5\n", [[0.009], [0.005]], "in per cent by their names: HLE (%)"),
    "commas that mark decimals": ("model\tA\tB\na\t0,050\t81,5\nb\t0,03\t50\n", [[0.05, 0.815], [0.03, 0.5]], "B"),
    "a spread beside a number": ("model,A\na,.8 ± .1\nb,.5 (.2)\n", [[0.8], [0.5]], "such as '.8 ± .1'"),
    "a footnote": ("model,A\na,.8*\nb,.5†\n", [[0.8], [0.5]], "behind the number is left out (2"),
    "an exact mean": ("model,S,A,B\na,.75,.8,.7\nb,.5,.6,.4\nc,.25,.2,.3\n", [[0.8, 0.7], [0.6, 0.4], [0.2, 0.3]], "S"),
    "true and false": ("model,open,A\na,True,.8\nb,False,.6\n", [[0.8], [0.6]], "labels, no tests: open"),
    "a time": ("model,time,Latency (s),A\na,5,.1,.8\nb,7,.2,.6\n", [[0.8], [0.6]], "no tests: time, Latency (s)"),
    "a difference": ("model,A,ΔA,A_diff\na,.8,.1,.1\nb,.6,.2,.2\n", [[0.8], [0.6]], "no tests: ΔA, A_diff"),
    "raw scores": ("model,A,A Raw\na,.8,.7\nb,.6,.5\n", [[0.8], [0.6]], "raw scores beside their own column"),
    "means of groups": ("model,Lang avg,A,B\na,.8,.9,.5\nb,.6,.8,.2\n", [[0.9, 0.5], [0.8, 0.2]], "Lang avg"),
    "a row of numbers about rows": ("model,A\na,.8\nb,.6\nBest,.8\nStd. dev.,.1\n", [[0.8], [0.6]], "Best, Std. dev."),
    "tests by metric": ("model,task,metric,score\na,x,acc,.5\na,x,f1,.6\nb,x,acc,.4\nb,x,f1,.3\n",
                        [[0.5, 0.6], [0.4, 0.3]], "tests under several values of metric are told apart by it"),
    "equal agents": ("agent,x,y\na,.5,.1\nb,.5,.1\n\"c, d\",.5,.1\n", [[0.5, 0.1]] * 3, "a = b = c, d (equal"),
    "errors": ("agent,wer\na,0.1\nb,0.3\n", [[0.9], [0.7]], "lower is better on wer"),
    "errors that repeat": ("agent,top1,top1_err\na,80.5,19.5\nb,60,40\n", [[0.805], [0.6]], "top1_err is 100 - top1"),
    "seeds and deviations": ("model,seed,A,A_std\na,1,.1,.02\na,2,.2,.01\nb,1,.3,.02\n", [[0.15], [0.3]], "A_std"),
    "counts": ("model,A,samples\na,.1,100\nb,.3,200\n", [[0.1], [0.3]], "no tests: samples"),
    "errors of a spreadsheet": ("model,A,B\na,.4,.3\nb,#REF!,.2", [[0.4, 0.3], [np.nan, 0.2]], "cells say #REF! (1)"),
    "errors by marks": ("model,Error↓,Error↑,Brier score,ECE\na,.1,.1,.2,.1\nb,.2,.2,.3,.2\n",
                        [[0.9, 0.1, 0.8, 0.9], [0.8, 0.2, 0.7, 0.8]], "lower is better on Error↓, Brier score, ECE"),
    "JSON by agent": ('{"a": {"A": 0.5, "B": 0.1}, "b": {"A": 0.4}}', [[0.5, 0.1], [0.4, np.nan]],
                      "the outer names are taken for agents (a, b), those inside for tests"),
    "scores below 0": ("agent,x,y\na,-0.2,0.9\nb,0.3,0.5\n", [[0.4, 0.95], [0.65, 0.75]], "below 0 on x"),
    "ends of intervals": (",win,standard_error,n_wins,mode,avg_length,win_lc,lc_standard_error,acc,acc_low\n"
                          "a,50.0,0.5,400,seen,2049,50.1,0.4,.8,.7\nb,10.1,1.0,80,new,1400,14.3,0.5,.4,.3\n",
                          [[0.5, 0.501, 0.8], [0.101, 0.143, 0.4]], "standard_error, lc_standard_error, acc_low"),
    "a share among per cents": ("model,x,y\na,81.5,10\nb,0.6,5\nc,50,0.5\n",  # 5 beside .5 is no gap
                                [[0.815, 0.1], [0.006, 0.05], [0.5, 0.005]], "test: x (0.6 beside 50 and more); if"),
    "a row of means among items": ("item,a,b\n1,1,0\n2,1,1\n3,0,0\naccuracy,.6667,.3333\n", [[2 / 3], [1 / 3]],
                                   "rows of means are left out: accuracy"),
    "a metric outranks the name of a test": ("model,task,metric,score\na,Error,accuracy,.9\nb,Error,accuracy,.2\n",
                                             [[0.9], [0.2]], ""),
    "Markdown without a frame": ("Model | A\n---|---\na | .8\nb | .6\n", [[0.8], [0.6]], ""),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_what_columns_say_is_done_and_told(name: str, tmp_path: Path):
    text, values, told = TOLD[name]
    found = table(tmp_path, text, "t.json" if text[0] == "{" else "t.tsv" if "\t" in text else "t.csv")
    assert found.agents[:2] == ("a", "b")
    np.testing.assert_allclose(found.wide(), values, atol=1e-12)
    assert told in " ".join(found.decisions)


KEPT = {
    "agents in columns with endings": ("benchmark,g,g-high,g-low\nM,.8,.85,.7\nA,.6,.66,.55\n", 3, 2),
    "agents in columns by odd names": ("benchmark,delta,size,id\nM,.8,.85,.7\nA,.6,.66,.55\nB,.1,.3,.2\n", 3, 3),
    "levels that are no ends": ("model,MATH,MATH-high,MATH-low\na,.5,.3,.7\nb,.4,.2,.8\n", 2, 3),
    "an agent called Best": ("agent,A,B\nBest,.5,.9\nx,.7,.2\ny,.6,.3\n", 3, 2),
    "tests called Sum and Count": ("task,x,y\nSum,.8,.7\nSort,.6,.5\nCount,.5,.4\n", 2, 3),
    "accuracies at errors": ("model,Error detection,WER accuracy,Weight Loss QA\na,.9,.8,.7\nb,.1,.2,.3\n", 2, 3),
    "columns that agree by chance": ("model,A,B,C\na,80,80,80\nb,60,60,61\nc,40,40,40\n", 3, 3),
    "thresholds": ("model,0.1,0.5,1.0\na,.9,.8,.7\nb,.1,.2,.3\n", 2, 3),
    "years": ("model,2024,2023\na,.9,.8\nb,.1,.2\n", 2, 2),
    "pipes in Markdown": ("| model | a\\|b | `c|d` |\n|--|--|--|\n| x | .5 | .4 |\n| y | .1 | .3 |\n", 2, 2),
    "scores by another name": ("model,task,accuracy (%)\na,X,90\nb,X,80\na,Y,50\nb,Y,60\n", 2, 2),
    "shares beside a number of items": ("model,task,correct,total,accuracy\na,X,45,50,.9\nb,X,40,50,.8\n", 2, 1),
    "an own table is not turned again": ("agent,domain,performance\na,WER,.1\nb,WER,.5\n", 2, 1),
    "decimal commas with spreads": ("model;A;B\na;81,5 ± 1,2;30,1*\nb;71,5 ± 1,2;20,1\n", 2, 2),
}


@pytest.mark.parametrize("name", KEPT)
def test_honest_agents_and_tests_stay(name: str, tmp_path: Path):
    text, agents, tests = KEPT[name]
    found = table(tmp_path, text)
    assert found.wide().shape == (agents, tests)
    assert not found.wide().isna().any().any()
    assert not any("turned" in one for one in found.decisions)


def test_names_that_are_numbers_are_names_in_frames_and_where_they_are_dropped(tmp_path: Path):
    frame = pandas.DataFrame({"agent": ["a", "b"], 0: [0.5, 0.25]})
    np.testing.assert_allclose(read(frame).wide(), [[0.5], [0.25]])
    (tmp_path / "t.csv").write_text("agent,7,x\na,.5,.1\nb,.25,.2\n", encoding="utf-8")
    np.testing.assert_allclose(read(tmp_path / "t.csv", drop=("7",)).wide(), [[0.1], [0.2]])


def test_a_folder_of_numbered_and_other_repetitions_tells_of_both(tmp_path: Path):
    (tmp_path / "a.csv").write_text("agent,x,repetition\na,.5,1\na,.6,2\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("agent,y\na,.5\na,.6\n", encoding="utf-8")
    assert any("more than one run" in one for one in read(tmp_path, keep="all").decisions)


def test_ranges_outrank_the_name_of_a_test(tmp_path: Path):
    (tmp_path / "ranges.csv").write_text("domain,low,high,lower_is_better\nword error,0,1,false\n", encoding="utf-8")
    (tmp_path / "wide.csv").write_text("model,word error\na,.9\nb,.2\n", encoding="utf-8")
    np.testing.assert_allclose(read(tmp_path / "wide.csv").wide(), [[0.1], [0.8]], atol=1e-12)
    np.testing.assert_allclose(read(tmp_path / "wide.csv", ranges=tmp_path / "ranges.csv").wide(), [[0.9], [0.2]])
