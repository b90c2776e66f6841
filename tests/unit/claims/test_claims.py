"""Every claim of the registry on made-up results that should pass, fail and stay undecided; series of variants."""

import csv
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_claims import MADE
from scipy import stats

from aiq.errors import InputError
from papers.claims import CLAIMS, Answer
from papers.claims.evidence import Evidence
from papers.claims.numbers import Margin, Measured, bend, power, rise, slope, smallest, verdict
from papers.claims.shapes import departure, difference
from papers.drawing import SERIES
from papers.figures import variants
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
