"""``aiq claims --keep``: lines of an earlier table stay, marked, where the results answer less."""

import csv
import json
from dataclasses import replace

import pytest
from made_claims import MADE, PICTURES, along, pairs

from aiq.cli.main import main
from aiq.errors import InputError
from papers.claims import CLAIMS
from papers.claims.evidence import Evidence
from papers.report import Report, answer, page, read_answers, with_earlier, write


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
    assert read_answers(path) == {answer.claim.id: answer for answer in answers}


def test_an_earlier_answer_stands_only_where_it_answers_more_statements():
    full, none = made("F9"), CLAIMS["F9"].unanswered("no results")
    other = made("F9", False)
    assert with_earlier(none, full).kept
    assert with_earlier(none, full).parts == full.parts
    assert with_earlier(other, full) == other  # as many: the fresh one, whatever it says
    assert with_earlier(other, replace(full, scale="paper")).kept  # as many, at the paper's scale
    assert not with_earlier(replace(other, scale="paper"), full).kept
    assert with_earlier(full, none) == full
    assert with_earlier(full, None) is full


def test_statements_that_a_run_cannot_answer_come_from_another_run_and_say_so():
    whole = made("F16", date="2026-11-20")
    less = CLAIMS["F16"].answer(replace(MADE["F16"](True, 1.0), name="less", scale="small", base=None))
    assert less.verdict == "not run here"
    both = with_earlier(less, replace(whole, run="old"))
    assert both.kept  # four statements of the old run stand against three of the new
    assert both.parts == whole.parts
    lacking = tuple(replace(part, verdict="not run here") for part in whole.parts[:3])
    both = with_earlier(less, replace(whole, run="old", parts=(*lacking, whole.parts[3])))
    assert (both.run, both.kept, both.verdict) == ("less", False, "reproduced")
    assert both.parts[:3] == less.parts[:3]
    assert both.parts[3].why.startswith("from the run old (small, kept, 2026-11-20)")
    assert both.parts[3].ours == whole.parts[3].ours


def without_100(name: str):
    """Made-up results without CIFAR100."""
    e = MADE[name](True, 1.0)
    return replace(e, domains={key: one for key, one in e.domains.items() if "100" not in key})


def test_where_there_is_no_cifar100_a_stand_in_is_named():
    found = CLAIMS["F5"].answer(without_100("F5"))
    assert found.parts[1].verdict == "reproduced"
    assert found.parts[1].why == "CIFAR100 is not in the run; in its place CIFAR10, above the others"
    subsets = along("classes", PICTURES["cifar10"], [2, 4, 6, 8], 1.0, complexity=[10, 11, 11.6, 12])
    for part in CLAIMS["F6"].answer(subsets).parts:
        assert part.why == "subsets of CIFAR10, in the place of CIFAR100, which is not in the run"
    assert CLAIMS["F6"].answer(MADE["F6"](True, 1.0)).parts[0].why == ""
    few = along("classes", PICTURES["cifar10"], [2, 10], 1.0, complexity=[10, 12])
    part = CLAIMS["F16"].answer(few).parts[1]
    assert (part.verdict, part.ours) == ("reproduced", pytest.approx(2))
    assert part.why == "CIFAR100 is not in the run; in its place CIFAR10, above 2 of its classes"
    wrong = along("classes", PICTURES["cifar10"], [2, 10], 1.0, complexity=[12, 10])
    assert CLAIMS["F16"].answer(wrong).parts[1].verdict == "not reproduced"
    assert "nor are" in CLAIMS["F16"].answer(without_100("F16")).parts[1].why
    assert "nor are two sets of" in CLAIMS["F17"].answer(without_100("F17")).parts[3].why


@pytest.mark.parametrize(("area", "verdict"), [(0.03, "reproduced"), (0.001, "not reproduced")])
def test_two_sets_of_classes_stand_in_the_place_of_cifar10_and_cifar100(area: float, verdict: str):
    def split(*classes: int) -> dict[str, object]:
        return {**PICTURES["cifar10"], "classes": list(classes)}

    domains = {"mnist": PICTURES["mnist"], "fashion": PICTURES["fashion"], "low": split(0, 1), "high": split(2, 3)}
    measured = pairs(domains, lambda a, b: area if {a, b} == {"low", "high"} else 0.01, 10)
    part = CLAIMS["F17"].answer(Evidence("made", domains=domains, dissimilarity=measured)).parts[3]
    assert (part.verdict, part.ours) == (verdict, pytest.approx(area - 0.01))
    assert part.why == "CIFAR100 is not in the run; in the place of the two, low and high, classes of CIFAR10"
    overlap = {**domains, "high": split(1, 2)}
    lacking = CLAIMS["F17"].answer(Evidence("made", domains=overlap, dissimilarity=measured)).parts[3]
    assert lacking.verdict == "not run here"


def test_runs_that_are_given_together_fill_one_another_s_gaps():
    few = along("classes", PICTURES["cifar10"], [2, 10], 1.0, complexity=[10, 12])
    benchmark = replace(without_100("F16"), name="benchmark")
    found = answer(CLAIMS["F16"], [replace(few, name="few"), benchmark])
    assert (found.run, found.verdict) == ("benchmark", "reproduced")
    assert found.parts[1].why.startswith("from the run few (other); CIFAR100 is not in the run; in its place CIFAR10")
    assert [part.why.startswith("from") for part in found.parts] == [False, True, False, False]
    assert answer(CLAIMS["F16"], [benchmark]).verdict == "not run here"


def test_the_verb_keeps_lines_and_says_so_on_screen_page_and_table(table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("page.md", "again.csv"):
        assert main(["claims", "--keep", str(table[0]), "-o", name]) == 0
    told, text = capsys.readouterr().out, (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "1 reproduced, 1 not reproduced" in told
    assert "its results were not read again" in told
    assert "its results were not read again" in text
    assert "| made (small, kept, 2026-11-20) |" in text
    again = (tmp_path / "again.csv").read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row for row in csv.DictReader(again)}
    assert (rows["F9"]["date"], rows["F9"]["kept"], rows["F9"]["scale"]) == ("2026-11-20", "True", "small")
    assert (rows["F11"]["date"], rows["F11"]["kept"], rows["F11"]["run"]) == ("", "False", "")
    assert main(["claims", "--keep", "again.csv", "--only", "F9", "--json"]) == 0  # a kept line can be kept again
    one = json.loads(capsys.readouterr().out)["claims"][0]
    assert (one["verdict"], one["kept"], one["date"]) == ("reproduced", True, "2026-11-20")


def test_an_answer_to_another_question_is_not_kept_and_a_page_without_kept_ones_has_no_word_about_them(table):
    path, answers = table
    path.write_text(path.read_text(encoding="utf-8").replace("complexity rises", "complexity soars"), encoding="utf-8")
    assert set(read_answers(path)) == {"F10", "F11"}
    assert "kept" not in page(Report(answers)).lower()


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
