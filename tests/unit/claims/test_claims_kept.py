"""``aiq claims --keep``: lines of an earlier table stay, marked, where the results answer less."""

import csv
import json
from dataclasses import replace

import pytest
from made_claims import MADE

from aiq.claims.registry import CLAIMS
from aiq.cli.main import main
from aiq.errors import InputError
from aiq.tasks.claims.kept import fuller, read_answers
from aiq.tasks.claims.report import Report
from aiq.tasks.claims.writing import page, write


def made(name: str, good: bool = True, noise: float = 1.0, **more):
    return CLAIMS[name].answer(replace(MADE[name](good, noise), scale="small", described="made up", **more))


@pytest.fixture
def table(tmp_path):
    """Two claims that were run on a day, and one that was not."""
    answers = (made("F9", date="2026-11-20"), made("F10", False, date="2026-11-20"), CLAIMS["F11"].unanswered("no run"))
    write(Report(answers), tmp_path / "earlier.csv")
    return tmp_path / "earlier.csv", answers


def test_answers_come_back_from_the_table_as_they_were_written(table):
    path, answers = table
    found = read_answers(path)
    assert {name: one.verdict for name, one in found.items()} == {a.claim.id: a.verdict for a in answers}
    for before in answers:
        after = found[before.claim.id]
        assert (after.run, after.scale, after.scaled, after.date) == (
            before.run,
            before.scale,
            before.scaled,
            before.date,
        )
        for old, new in zip(before.parts, after.parts, strict=True):
            assert (new.says, new.verdict, new.why, new.assumed) == (old.says, old.verdict, old.why, old.assumed)
            assert new.ours == pytest.approx(old.ours)
            assert new.interval == pytest.approx(old.interval)
            assert new.power == pytest.approx(old.power)


def test_an_earlier_answer_stands_only_where_it_answers_more_statements():
    full, none = made("F9"), CLAIMS["F9"].unanswered("no results")
    other = made("F9", False)
    assert fuller(none, full).kept
    assert fuller(none, full).verdict == full.verdict
    assert fuller(other, full) is other  # as many: the fresh one, whatever it says
    assert fuller(full, none) is full
    assert fuller(none, none) is none
    assert fuller(full, None) is full


def test_the_verb_keeps_lines_and_says_so_on_screen_page_and_table(table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("page.md", "again.csv"):
        assert main(["claims", "--keep", str(table[0]), "-o", name]) == 0
    told = capsys.readouterr().out
    assert "1 reproduced, 1 not reproduced" in told
    assert "was read again" not in told
    assert "its results were not read again" in told
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| reproduced | made (small, kept, 2026-11-20) |" in text
    assert "Of 2026-11-20; kept from an earlier table, its results were not read again." in text
    rows = {row["id"]: row for row in csv.DictReader((tmp_path / "again.csv").open(encoding="utf-8"))}
    assert (rows["F9"]["date"], rows["F9"]["kept"], rows["F9"]["scale"]) == ("2026-11-20", "True", "small")
    assert (rows["F11"]["date"], rows["F11"]["kept"], rows["F11"]["run"]) == ("", "False", "")
    assert main(["claims", "--keep", "again.csv", "--only", "F9", "--json"]) == 0  # a kept line can be kept again
    one = json.loads(capsys.readouterr().out)["claims"][0]
    assert (one["verdict"], one["kept"], one["date"]) == ("reproduced", True, "2026-11-20")


def test_an_answer_to_another_question_is_not_kept(table):
    path, _ = table
    path.write_text(path.read_text(encoding="utf-8").replace("complexity rises", "complexity soars"), encoding="utf-8")
    assert set(read_answers(path)) == {"F10", "F11"}


def test_a_page_without_kept_lines_has_no_word_about_them():
    text = page(Report((made("F9", date="2026-11-20"),)))
    assert "kept" not in text.lower()
    assert " Of 2026-11-20." in text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("F9,", "F99,", "'F99'"),
        (",reproduced,", ",perhaps,", "'perhaps'"),
        ("id,", "name,", "has no column id"),
        (",bits,1.0,", ",bits,sure,", "power of F9 is 'sure'"),
    ],
)
def test_a_table_that_is_none_of_claims_is_refused(table, old, new, says):
    path, _ = table
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_answers(path)


def test_a_missing_table_is_refused_in_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["claims", "--keep", "nowhere.csv"]) == 2
    assert "nowhere.csv cannot be read" in capsys.readouterr().err
