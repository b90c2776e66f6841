"""Every claim of the registry on made-up results that should pass, fail and stay undecided; series of variants.

``aiq claims --keep``: lines of an earlier table stay, marked, where the results answer less.
"""

import csv
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_claims import MADE, PICTURES, along, pairs
from scipy import stats

from aiq.cli.main import main
from aiq.errors import InputError
from papers.claims import CLAIMS, Answer
from papers.claims.evidence import Evidence
from papers.claims.numbers import Margin, Measured, bend, power, rise, slope, smallest, verdict
from papers.claims.shapes import departure, difference
from papers.drawing import SERIES
from papers.figures import variants
from papers.report import Report, answer, page, read_answers, with_earlier, write
from studies.linearity import SHAPES, X, tried


def test_every_claim_has_made_up_results_and_every_line_of_the_paper_a_claim():
    assert set(MADE) == set(CLAIMS)
    wanted = {*range(5, 22), *range(23, 30)}
    assert {int(name[1:]) for name in CLAIMS if re.fullmatch(r"F\d+", name)} == wanted


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_reproduced_where_it_is_true_not_where_it_is_false_and_undecided_under_much_noise(name):
    claim = CLAIMS[name]
    true, false, noisy = (MADE[name](good, noise) for good, noise in ((True, 1.0), (False, 1.0), (True, 3000.0)))
    found = claim.answer(true)
    assert [part.verdict for part in found.parts] == ["reproduced"] * len(found.parts), found.as_dict()
    assert found.verdict == "reproduced"
    assert np.isfinite(found.deciding.ours)
    assert claim.answer(false).verdict == "not reproduced"
    poor = claim.answer(noisy)
    assert poor.verdict == "undecided"
    if name in ("F7", "F12", "F13"):
        assert min(part.power for part in found.parts) > 0.9
        assert max(part.power for part in poor.parts) < 0.1
    if name[0] != "F":
        return
    for made, good in ((true, True), (false, False)):  # the paper's reading, without errors
        found = claim.answer(replace(made, by_paper=made))
        assert all(part.paper_holds for part in found.parts) == good
        assert [part.by_paper for part in found.parts] == pytest.approx([part.ours for part in found.parts])


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_says_where_it_stands_and_that_no_run_is_about_it(name):
    claim, found = CLAIMS[name], CLAIMS[name].answer(Evidence("empty"))
    assert (found.verdict, found.as_dict()["ours"]) == ("not run here", None)
    assert found.why
    assert re.search(r"Fig|Table|Section", claim.place)
    assert claim.paper
    assert claim.title
    assert all(s.says and s.assumed for s in claim.statements)


def test_one_statement_that_fails_decides_and_one_that_lacks_its_run_leaves_the_claim_unanswered():
    claim = CLAIMS["F16"]
    good, failing = (claim.answer(MADE["F16"](true, 1.0)).parts for true in (True, False))
    lacking = claim.unanswered("not here").parts
    some = Answer(claim, (*good[:3], lacking[3]))
    assert some.verdict == "not run here"
    assert "3 of 4 statements run" in some.why
    assert Answer(claim, (failing[0], *lacking[1:])).verdict == "not reproduced"


def test_a_run_that_is_not_finished_lacks_what_was_not_measured_yet():
    made = MADE["F16"](True, 1.0)
    some = {name: made.complexity[name] for name in ("mnist", "fashion", "cifar10", "cartpole")}
    base = {name: 0.8 * value for name, value in some.items()}
    half = {"complexity": Measured.independent(some, 0.001, 20), "base": Measured.independent(base, 0.001, 20)}
    found = CLAIMS["F16"].answer(replace(made, **half))
    assert [part.verdict for part in found.parts] == ["reproduced", "not run here", "not run here", "reproduced"]
    assert found.parts[2].why == "cartpole3d was not measured yet"


# ---- margins ------------------------------------------------------------------------------------


def test_a_margin_has_student_s_interval():
    low, high = Margin(1.0, se=0.5, df=7).bounds()
    half = stats.t(7).ppf(0.975) * 0.5
    assert (low, high) == pytest.approx((1 - half, 1 + half))


def test_the_power_of_a_margin_is_the_share_of_simulated_low_ends_above_0():
    rng = np.random.default_rng(3)
    value = 1.2 + 0.5 * rng.standard_normal(40_000)
    se = 0.5 * np.sqrt(rng.chisquare(6, 40_000) / 6)
    seen = np.mean(value - stats.t(6).ppf(0.975) * se > 0)
    assert Margin(0.0, 1.2, se=0.5, df=6).power() == pytest.approx(seen, abs=0.01)


def test_the_smallest_margin_is_covered():
    rng = np.random.default_rng(4)
    truth = np.array([0.5, 0.8, 0.5])
    inside = 0
    for _ in range(1500):
        values = truth + 0.4 * rng.standard_normal(3)
        low, high = smallest([Margin(float(v), se=0.4) for v in values])
        inside += low <= truth.min() <= high
    assert inside / 1500 > 0.945  # cautious: measured .97


def test_a_false_claim_of_several_margins_is_seldom_called_reproduced():
    rng = np.random.default_rng(5)
    called = sum(
        verdict([Margin(float(v), se=1.0) for v in np.array([0.0, 5.0, 5.0]) + rng.standard_normal(3)]) == "reproduced"
        for _ in range(4000)
    )
    assert called / 4000 < 0.035  # one margin at its border: .025


def test_power_of_several_margins_is_at_least_what_bonferroni_says():
    margins = [Margin(0.0, 3.0, se=1.0), Margin(0.0, 3.0, se=1.0)]
    one = margins[0].power()
    assert power(margins) == pytest.approx(2 * one - 1)
    assert power([Margin(0.0, None, se=1.0)]) is None
    assert verdict([Margin(5.0)]) == "undecided", "without an error"


# ---- numbers ------------------------------------------------------------------------------------


def test_contrasts_are_exact_on_parabolas():
    x = np.array([0.0, 1.0, 3.0, 4.0])
    assert slope(x) @ (2 * x + 5) == pytest.approx(2)
    assert rise(x) @ (2 * x + 5) == pytest.approx(8)
    assert bend(x) @ (2 * x + 5) == pytest.approx(0, abs=1e-12)
    assert bend(x) @ (-((x - 2) ** 2)) == pytest.approx(4)  # 0 in the middle, -4 at both ends: 4 above the chord


def test_common_errors_cancel_in_differences_and_draws_have_the_covariance():
    found = Measured(("a", "b"), np.array([1.0, 2.0]), np.array([[1.0, 1.0], [0.0, 0.1]]), np.array([np.inf, np.inf]))
    assert found.margin({"a": -1.0, "b": 1.0}).se == pytest.approx(0.1)
    drawn = found.draws("test", count=20_000)
    assert np.cov(drawn.T) == pytest.approx(found.parts.T @ found.parts, abs=0.05)
    assert found.draws("test", count=5) == pytest.approx(found.draws("test", count=5))


def test_degrees_of_freedom_are_satterthwaite_s():
    found = Measured(("a", "b"), np.zeros(2), np.diag([1.0, 2.0]), np.array([4.0, 9.0]))
    assert found.margin({"a": 1.0, "b": 1.0}).df == pytest.approx(25 / (1 / 4 + 16 / 9))


def test_the_page_of_the_last_run_has_every_claim_as_it_is_now():
    runs = Path(__file__).parents[3] / "docs" / "runs"
    text = (runs / "claims.md").read_text(encoding="utf-8").replace("\\|", "|")
    with (runs / "claims.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["id"], row["statement"]) for row in csv.DictReader(file)}
    for name, claim in CLAIMS.items():
        assert f"| {name} | {claim.paper} | " in text
        assert all((name, statement.says) in rows for statement in claim.statements), name


# ---- linearity ---------------------------------------------------------------------------------


def test_the_departure_is_one_less_the_squared_correlation_and_knows_no_units():
    x = [1.0, 2.0, 3.0]
    values = np.array([[2.0, 4.0, 6.0], [1.0, 3.0, 1.0], [5.0, 5.0, 5.0]])
    assert departure(x, values)[:2] == pytest.approx([0, 1], abs=1e-12)
    assert np.isnan(departure(x, values)[2])

    y = np.random.default_rng(0).normal(size=7)
    found = departure(X, np.array([y, 5 * y - 3]))
    assert found == pytest.approx([1 - np.corrcoef(X, y)[0, 1] ** 2] * 2)


def test_without_noise_the_difference_is_that_of_the_departures():
    mean, aiq = SHAPES["AIQ linear, mean saturates"]
    value, draws = difference([(X, range(7))], mean, aiq, mean[None], aiq[None])
    assert value == pytest.approx(departure(X, mean[None])[0])
    assert draws == pytest.approx([value])


def test_level_and_power_are_those_of_the_study():
    alike = tried(*SHAPES["both saturate alike"], 0.1, 150)
    linear = tried(*SHAPES["AIQ linear, mean saturates"], 0.1, 150)
    assert alike["held"] > 0.9  # studies/results/linearity.md: .95
    assert alike["says AIQ"] + alike["says the mean"] < 0.11  # .05
    assert linear["says AIQ"] > 0.8  # .92


# ---- Figures of variants ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "setting"), [("f06", "classes"), ("f10", "copies"), ("f13", "classes")])
def test_figures_of_variants_show_what_was_measured(name, setting):
    evidence = MADE[f"F{int(name[1:])}"](True, 1.0)
    found = SERIES[name](evidence)
    assert setting in found.setting
    assert len(found.points) == len(found.apart) == len(evidence.domains)
    assert found.apart[0] is None


def test_the_drawing_has_the_numbers_and_what_the_paper_reports():
    drawn = variants(SERIES["f10"](MADE["F10"](True, 1.0)))
    assert drawn.table.column("setting") == [1.0, 2.0, 4.0]
    assert "complexity constant" in drawn.caption
    assert "same policies" in drawn.caption


def test_complexities_are_drawn_against_the_areas_walked_to_them():
    evidence = MADE["F15"](True, 1.0)
    found = SERIES["f15"](evidence)
    names = [name for _, name in evidence.classes("cifar10", 10)]
    areas = [evidence.dissimilarity["+".join(sorted(pair))] for pair in pairwise(names)]
    assert [x for x, _ in found.points] == pytest.approx([0, *(sum(areas[: i + 1]) for i in range(len(areas)))])
    assert [y.value for _, y in found.points] == [evidence.complexity[name] for name in names]
    with pytest.raises(InputError, match="not in the run"):
        SERIES["f15"](replace(evidence, complexity=MADE["F10"](True, 1.0).complexity))


# ---- lines of an earlier table ------------------------------------------------------------------


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
