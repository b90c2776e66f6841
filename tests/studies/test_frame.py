"""The frame of the studies: discovery, resumption by cell, tables, Monte Carlo errors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from studies import frame, tables
from studies.cells import Cells


def test_every_study_is_found_by_name():
    assert {"coverage_chain", "sanity", "sanity_choices"} <= set(frame.names())
    assert not {"frame", "cells", "tables", "chain_truth", "sanity_lines"} & set(frame.names())


def test_a_cell_that_is_done_is_not_redone(tmp_path: Path):
    path, calls = tmp_path / "one.jsonl", []

    def work() -> list[dict]:
        calls.append(1)
        return [{"value": 1.5}]

    for _ in range(2):
        assert Cells(path, "v1", lambda line: None).of({"n": 3}, work) == [{"value": 1.5}]
    assert len(calls) == 1
    Cells(path, "v1", lambda line: None).of({"n": 4}, work)
    Cells(path, "v2", lambda line: None).of({"n": 3}, work)
    assert len(calls) == 3
    assert len(path.read_text().splitlines()) == 3


def test_a_line_cut_short_by_a_kill_is_passed_over(tmp_path: Path):
    path = tmp_path / "one.jsonl"
    Cells(path, "v", lambda line: None).of({"n": 1}, lambda: [{"a": 1}])
    path.write_text(path.read_text() + '{"key": "{\\"n\\": 2}", "vers')
    again = Cells(path, "v", lambda line: None)
    assert again.of({"n": 1}, lambda: pytest.fail("redone")) == [{"a": 1}]
    assert again.of({"n": 2}, lambda: [{"a": 2}]) == [{"a": 2}]
    assert Cells(path, "v", lambda line: None).of({"n": 2}, lambda: pytest.fail("redone")) == [{"a": 2}]
    assert [json.loads(line)["rows"] for line in path.read_text().splitlines()[2:]] == [[{"a": 2}]]


def test_the_version_depends_on_everything_that_a_study_imports():
    import studies.coverage_chain

    names = {path.stem for path in frame.sources(studies.coverage_chain)}
    assert {"coverage_chain", "chain_estimates", "chain_truth", "chain_tables"} <= names
    assert "sanity" not in names


def test_tables_show_errors_beside_values_and_keep_both_in_csv(tmp_path: Path):
    rows = [{"what": "a|b", "share": 0.95, "share_error": 0.0125}, {"what": "none", "share": math.nan, "more": 3}]
    tables.write(tmp_path, "one", rows, f"# Title\n\n{tables.markdown(rows)}\n")
    text = (tmp_path / "one.md").read_text()
    assert "| a/b | 0.950 ± 0.013 | – |" in text
    assert "| none | – | 3 |" in text
    assert text.startswith("# Title")
    assert (tmp_path / "one.csv").read_text() == "what,share,share_error,more\na|b,0.95,0.0125,\nnone,,,3\n"


@pytest.mark.parametrize("own", [True, False])
def test_a_study_is_conducted_from_rows_to_page(own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from studies import sanity_choices as module

    monkeypatch.setattr(module, "run", lambda quick, cells: cells.of({"n": 1}, lambda: [{"share": 0.5}]))
    monkeypatch.setattr(module, "NOTES", lambda rows: f"{len(rows)} row", raising=False)
    if own:
        monkeypatch.setattr(module, "markdown", lambda rows, seconds: f"# Own\n\n{rows[0]['share']}", raising=False)
    said: list[str] = []
    frame.conduct("sanity_choices", quick=False, kept=tmp_path, out=tmp_path, say=said.append)
    page = (tmp_path / "sanity_choices.md").read_text()
    assert page.startswith("# Own\n\n0.5\n" if own else "# What the choice of length")
    assert ("1 row" in page) != own
    assert "cores (one used)" in page
    assert said[0] == "sanity_choices"
    frame.conduct("sanity_choices", quick=False, kept=tmp_path, out=None, say=said.append)
    assert said[-1] == "  n 1: done before"


def test_a_share_of_none_or_all_is_not_exact_and_one_of_nothing_is_no_number():
    for right in (0, 10, 20):
        value, error = tables.share(right, 20)
        assert value == right / 20
        assert error > 0.02
    assert all(math.isnan(number) for number in tables.share(0, 0))
