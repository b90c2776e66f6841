"""aiq reads the tables that a run of aiq writes."""

import csv
import json
from pathlib import Path

import pytest

from aiq.cli import main

OWN = Path(__file__).parents[2] / "data" / "readers" / "own"


def space(capsys, tmp_path, *more):
    tables = ("--complexity", OWN / "complexity.csv", "--dissimilarity", OWN / "dissimilarity.csv")
    status = main([str(word) for word in ("space", *tables, "-o", tmp_path / "space.h5", "--json", *more)])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return json.loads(out)


def column(name):
    with (OWN / "complexity.csv").open() as stream:
        return [float(row[name]) for row in csv.DictReader(stream)]


def test_space_and_score_take_a_runs_tables(capsys, tmp_path):
    found = space(capsys, tmp_path, "--length", "complexity")
    largest = max(column("complexity"))
    assert [c * largest / max(found["complexity"]) for c in found["complexity"]] == pytest.approx(column("complexity"))
    assert found["dimension_probabilities"]  # the errors of the signed areas were read
    status = main(["score", str(tmp_path / "space.h5"), str(OWN / "performance.csv"), "--json"])
    assert status == 0
    assert json.loads(capsys.readouterr().out)["agents"]


@pytest.mark.parametrize("words", [("--length", "relative_excess"), ()])
def test_relative_excess_takes_its_own_column_and_is_the_default(capsys, tmp_path, words):
    found = space(capsys, tmp_path, *words)
    assert found["length"] == "relative_excess"
    wanted = column("relative_excess")
    scale = max(wanted) / max(found["complexity"])
    assert [c * scale for c in found["complexity"]] == pytest.approx(wanted)


def test_a_foreign_table_with_an_unknown_column_is_still_refused(capsys, tmp_path):
    (tmp_path / "c.csv").write_text("domain,complexity,colour\nA,1,red\n")
    status = main(["space", "--complexity", str(tmp_path / "c.csv"), "--dissimilarity", str(OWN / "dissimilarity.csv")])
    assert status == 2
    assert "unknown column 'colour'" in capsys.readouterr().err
