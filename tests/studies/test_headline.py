"""The study that decides the headline: its candidates by closed forms, its truths, and a small part of its table."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aiq.measures import skills, weighing
from studies import headline, headline_coverage, headline_truth
from studies.headline_demands import DEMANDS
from studies.headline_rivals import CHEAP, Given, values
from studies.headline_truth import Cell

ROOT = Path(__file__).resolve().parents[2]


def orthogonal(n):
    return Given(1 - np.eye(n), np.ones(n), {}, {})


def test_orthogonal_tests_have_the_closed_forms_of_all_candidates():
    v = np.array([[0.3, 0.8, 0.6]])
    geometric = float(np.exp(np.log(v).mean()))
    assert values("volume (given)", orthogonal(3), v)[0] == pytest.approx(geometric)
    assert values("A3", orthogonal(3), v)[0] == pytest.approx(geometric)  # breadth = rank: the paper's
    assert values("M0", orthogonal(3), v)[0] == pytest.approx(np.exp(np.log(v + 0.05).mean()) - 0.05)
    assert values("M1", orthogonal(3), v)[0] == pytest.approx(v.mean())


def test_mean_width_of_two_orthogonal_tests_is_its_closed_form():
    a, b = 0.9, 0.2
    expected = (a + b + np.hypot(a, b)) / (2 + np.sqrt(2))
    assert values("A1", orthogonal(2), np.array([[a, b]]))[0] == pytest.approx(expected, abs=0.01)


def test_half_the_surface_is_breadth_one_below_the_rank():
    v = np.array([[0.5, 0.7, 0.9]])
    a, b, c = v[0] ** 2

    def surface(x, y, z):  # three right triangles and the slanted one
        return (np.sqrt(x * y) + np.sqrt(y * z) + np.sqrt(x * z) + np.sqrt(x * y + y * z + x * z)) / 2

    expected = np.sqrt(surface(a, b, c) / surface(1, 1, 1))
    assert values("A2", orthogonal(3), v)[0] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("measure", CHEAP)
def test_v_everywhere_is_v_and_no_performance_harms(measure):
    suite = headline_truth.draw(Cell(5, "sharp", 0), np.random.default_rng(1))
    source = np.random.default_rng(2)
    assert DEMANDS["v everywhere: error"](measure, suite, source) < 1e-6
    assert DEMANDS["falls when a performance rises: share"](measure, suite, source) == 0


def test_copies_move_the_mean_over_skills_hardly_and_plain_means_much():
    suite = headline_truth.draw(Cell(8, "decaying", 0), np.random.default_rng(3))
    change = {m: DEMANDS["10 copies: change"](m, suite, np.random.default_rng(4)) for m in ("M0", "mean")}
    assert change["M0"] < 0.01 < change["mean"]


def test_an_uneven_agent_is_not_above_its_weighted_mean_by_the_headline():
    suite = headline_truth.draw(Cell(8, "decaying", 0), np.random.default_rng(3))
    assert DEMANDS["uneven over even"]("M0", suite, np.random.default_rng(4)) < 0


def test_measured_suites_scatter_about_the_truth_as_their_cell_says():
    cell, rng = Cell(6, "sharp", 8), np.random.default_rng(5)
    suite = headline_truth.draw(cell, rng)
    off = np.triu_indices(6, 1)
    seen = np.array([headline_truth.measure(suite, cell, rng).signed[off] for _ in range(400)])
    error = np.sqrt((suite.dissimilarity[off] ** 2).mean()) / 8
    assert (seen - suite.dissimilarity[off]).std() == pytest.approx(error, rel=0.06)
    assert seen.mean(axis=0) == pytest.approx(suite.dissimilarity[off], abs=5 * error / 20)


def test_the_quickstarts_estimates_are_a_truth_with_a_headline():
    cell = headline.QUICKSTART
    suite = headline_truth.draw(cell, np.random.default_rng(0))
    assert suite.cosines.shape == (6, 6)
    assert (suite.cosines.max(), suite.cosines.min()) == (1, 0)
    true = headline_truth.headline(suite)
    assert true == pytest.approx(skills.mean(suite.performance, suite.length * weighing.uniqueness(suite.cosines)))
    assert np.all((true > 0) & (true < 1))


def test_a_small_part_of_the_table_covers():
    row, *orders = headline_coverage.rows(Cell(8, "decaying", 8), 40)
    assert row["value"] >= 0.88  # 200 agents of 40 suites; .95 nominal
    assert row["difference"] >= 0.88
    assert row["ranks"] >= 0.9
    assert row["middle"] >= 0.9
    assert all(order["right"] > 0.4 for order in orders)


def test_empty_tests_do_not_spoil_the_intervals():
    row = headline_coverage.rows(Cell(8, "decaying", 16, empty=4), 40)[0]
    assert row["value"] >= 0.86


# ---- what is said of coverage beside the committed tables ------------------------------------------


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / "studies" / "results" / f"{name}.csv")


def said(page: str) -> str:
    return " ".join((ROOT / page).read_text("utf-8").split())


def short(number: float, digits: int = 2) -> str:
    return f"{number:.{digits}f}".lstrip("0")


def ranges(label: str, numbers: pd.Series, words: str) -> None:
    """The words hold ``label .LO to .HI``, the rounded extremes of numbers."""
    low, high = map(float, re.search(rf"{label} (\.\d+) to (\.\d+)", words).groups())
    assert abs(low - numbers.min()) < 0.00501, label
    assert abs(high - numbers.max()) < 0.00501, label


READING = "docs/how-to/reading-the-numbers.md"
COVERED = table("headline").query("what == 'coverage' and measure == 'M0'")
ROWS = {
    "10 tests, decaying": "tests == 10 and spectrum == 'decaying' and empty == 0 and agents == 5",
    "10 tests, three equal dimensions": "tests == 10 and spectrum == 'sharp'",
    "4 tests, decaying": "tests == 4 and spectrum == 'decaying'",
    "4 tests, equal": "tests == 4 and spectrum == 'sharp'",
    "20 tests, decaying": "tests == 20 and spectrum == 'decaying'",
    "20 tests, equal": "tests == 20 and spectrum == 'sharp'",
    "10 tests, 4 of them empty": "empty == 4",
    "10 tests, 6 of them empty": "empty == 6",
    "10 tests, 8 agents .0025 apart": "agents == 8 and apart == .0025",
    "the quickstart's own estimates": "spectrum == 'quickstart'",
    "a small control suite's own estimates": "spectrum == 'control'",
}


def outside(number: float) -> bool:
    return not 0.93 <= number <= 0.97


@pytest.mark.parametrize("name", ROWS)
def test_the_page_on_the_headline_repeats_the_studys_coverage(name: str):
    """Digit for digit, bold exactly where the goal of .93 to .97 is missed."""
    (line,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", (ROOT / "docs/methods/headline.md").read_text(), re.M)
    cells = [cell.strip() for cell in line.split("|")]
    rows = COVERED.query(ROWS[name])
    expected = dict.fromkeys((4, 8, 16, 32, 64), "")
    for row in rows.itertuples():
        both = [short(number, 3) for number in (row.value, row.difference)]
        bold = [outside(number) for number in (row.value, row.difference)]
        words = " / ".join(f"**{one}**" if b else one for one, b in zip(both, bold, strict=True))
        expected[row.snr if row.snr in expected else 4] = f"**{' / '.join(both)}**" if all(bold) else words
    assert cells == list(expected.values())


def test_sentences_on_coverage_agree_with_the_tables():
    missed = COVERED[COVERED.value.map(outside) | COVERED.difference.map(outside)]
    assert (len(missed), len(COVERED), set(missed.spectrum)) == (9, 39, {"decaying"})
    page = said("docs/methods/headline.md")
    assert "nine of the study's 39 cells, all with decaying spectra" in page
    assert (
        0.93 < missed[["value", "difference"]].min(axis=None) <= missed[["value", "difference"]].max(axis=None) <= 0.98
    )
    readme = said("README.md")
    quickstart, control = (COVERED.query(f"spectrum == '{name}'").iloc[0] for name in ("quickstart", "control"))
    ranges("differences", pd.concat([COVERED.value, COVERED.difference]), readme)
    assert "above .97 in 9 of 39 cells" in readme
    assert f"({short(quickstart.value)} and {short(quickstart.difference)} with the quickstart's own" in readme
    assert f"{short(control.value)} and {short(control.difference)} with a control suite's" in readme
    complexity = table("complexity").groupby("number")
    ranges("complexity", complexity.get_group("mccp_k").coverage, readme)
    enough = complexity.get_group("relative_excess").query("policies == 128")
    ranges("relative excess", enough.coverage, readme)
    ranges("signed dissimilarity", table("dissimilarity").query("what == 'signed'").value, readme)
    chain, space = table("chain").query("through == 'functions'"), table("space").query("what == 'cell'")
    volumes = pd.concat([chain.per_dimension, chain.per_dimension_by_excess, space.per_dimension])
    ranges("AIQ per dimension", volumes, readme)
    whole = table("paired").query("`errors from` == 'whole'")
    assert set(whole.shared) == {0, 1, 3}
    assert whole.covers.between(0.945, 0.955).all()
    assert "errors come from whole repetitions ([covered](../../studies/results/paired.md) .95)" in said(READING)
