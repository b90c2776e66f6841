"""CSV tables: what is written comes back; whatever is wrong with one is one sentence."""

import io
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.records.table import Table
from aiq.storage import read_table, render, write_table

COLUMNS = ("agent", "domain", "performance")


def read(path, **how) -> Table:
    return read_table(path, COLUMNS, ("repetition",), ("performance", "repetition"), **how)


def test_a_table_is_read(tmp_path: Path):
    (tmp_path / "t.csv").write_text('performance,agent,domain\n0.5, a ,b\n\n1,c,"d, e"\n')
    table = read(tmp_path / "t.csv")
    assert table.columns == ("performance", "agent", "domain")
    assert table.rows == ((0.5, "a", "b"), (1.0, "c", "d, e"))


@pytest.mark.parametrize("head", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_spreadsheets_write_is_read(tmp_path: Path, head, end):
    (tmp_path / "t.csv").write_bytes(f"{head}agent,domain,performance{end}a,b,1e-3{end}".encode())
    assert read(tmp_path / "t.csv").rows == (("a", "b", 0.001),)


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\ufeffagent,domain,performance\na,b,1\n"))
    assert read("-").rows == (("a", "b", 1.0),)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), encoding="utf-8"))
    with pytest.raises(InputError, match="standard input is not text"):
        read("-")


HEAD = b"agent,domain,performance\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty; its first line must name the columns agent, domain, performance"),
        (b"\n\n", "is empty"),
        (b" , \n", "is empty"),
        (HEAD, "has a header but no rows"),
        (b"agent,domain\na,b\n", "lacks the column 'performance'; it has agent, domain"),
        (b"agent,domain,performence\na,b,1\n", "lacks the column 'performance' (did you mean 'performence'?)"),
        (b"agent,domain,performance,repetiton\na,b,1,1\n", "unknown column 'repetiton' (did you mean 'repetition'?)"),
        (b"agent,domain,performance,agent\na,b,1,c\n", "has the column 'agent' twice"),
        (HEAD + b"a,b\n", "line 2 has 2 cells where the header names 3 columns"),
        (HEAD + b"a,b,1\n\na,b,1,2\n", "line 4 has 4 cells"),
        (HEAD + b"a,b,\n", "line 2: performance is empty"),
        (HEAD + b"a, ,1\n", "line 2: domain is empty"),
        (HEAD + b"\na,b,x\n", "line 3: performance is 'x', it must be a finite number"),
        (HEAD + b"a,b,nan\n", "performance is 'nan', it must be a finite number"),
        (HEAD + b"a,b,inf\n", "performance is 'inf'"),
        (HEAD + b"a,b,1_0\n", "performance is '1_0'"),
        (HEAD + "a,b,١\n".encode(), "performance is '١'"),
        (HEAD + b'a,b,"1,5"\n', "performance is '1,5'"),
        (HEAD + b'a,"b,1\n', "is not a CSV table"),
        (HEAD + b'"a"x,b,1\n', "is not a CSV table"),
        (b"\xff\xfe\x00", "is not text in UTF-8"),
        (HEAD + b"a" * 200_000 + b",b,1\n", "is not a CSV table"),
    ],
)  # fmt: skip
def test_a_bad_table_is_one_sentence(tmp_path: Path, content: bytes, sentence: str):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read(path)
    text = str(error.value)
    assert text.startswith(str(path))
    assert sentence in text
    assert "\n" not in text


def test_a_missing_file_and_a_folder_are_one_sentence(tmp_path: Path):
    with pytest.raises(InputError, match="No such file or directory; give an existing CSV file"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)


def test_numbers_of_numpy_are_written_as_numbers():
    table = Table.of(["a", "b", "c"], [[np.float64(0.1), np.int64(3), None], [np.float32(0.5), True, math.nan]])
    assert render(table) == "a,b,c\n0.1,3,\n0.5,True,nan\n"


words = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=8)
finite = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(words, words, finite), min_size=1, max_size=5))
def test_every_digit_comes_back(tmp_path: Path, rows):
    write_table(tmp_path / "t.csv", Table.of(COLUMNS, rows))
    assert read(tmp_path / "t.csv").rows == tuple(rows)
