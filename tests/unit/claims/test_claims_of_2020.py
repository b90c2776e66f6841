"""The printed numbers of the 2020 paper as groups: one set of claims, from finished runs to what ``aiq claims`` says.

About 5 seconds.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_claims import record
from scipy import stats

from aiq import storage
from aiq.config.load import read
from aiq.measures.similarity import implied
from aiq.plans.run import Run
from aiq.storage.provenance import write_beside
from aiq.wings.similarity2020.records import MergedRuns
from aiq.wings.similarity2020.reduction import reduced
from papers.claims.recorded import CLAIMS, all_of, most_of, widened
from papers.published_claim import PublishedClaim
from papers.runs.report import report
from papers.runs.writing import page
from papers.similarity import verdicts
from papers.similarity.claims import all_claims, claims

CONFIG = Path(__file__).resolve().parents[3] / "config"


def judged_by(verdict: str, paper: float | None = 0.5) -> PublishedClaim:
    return PublishedClaim("n", "s", "p", verdict, 0.5, None, paper, "made", None)  # type: ignore[arg-type]


def made(run: Any, means: Any, spread: float) -> Any:
    """Eight trainings of everything that a run trains, with known means."""
    rng, trainings = np.random.default_rng(4), {}
    for what in (what for job in run.plan.jobs for what, _ in job.parts):
        noise = rng.normal(0, 1, 8)
        values = means(what) + spread * (noise - noise.mean()) / noise.std(ddof=1)
        trainings[what] = MergedRuns(what.kind, what.a, what.b, what.at, what.halvings, 10, values, values, 0.1)
    return reduced(run, trainings)


def as_printed(what: Any) -> float:
    if what.kind == "alone":
        return verdicts.ALONE[what.a]
    one, other = verdicts.ALONE[what.a], verdicts.ALONE[what.b]
    return float(implied(one, other, verdicts.SIMILARITY[what.a, what.b]))


def kept(folder: Path, means: Any, spread: float) -> Path:
    """A results folder of config/similarity-images.yaml as a finished run leaves it."""
    raw = {**read(CONFIG / "similarity-images.yaml"), "results": str(folder)}
    run = Run.of(raw)
    storage.write_result(next(iter(run.plan.results())), "similarity", made(run, means, spread), run.plan.result(), 1)
    beside = folder / "tables" / "provenance" / "similarity.json"
    beside.parent.mkdir(parents=True)
    settings = run.configuration.model_dump(mode="json")
    assert list(settings["domains"]) != sorted(settings["domains"])  # the order of the tests is kept, too
    write_beside(beside, next(iter(run.plan.results())), run.plan.result(), 1, settings=settings)
    return folder


def test_every_printed_number_belongs_to_one_statement_and_one_claim():
    run = Run.of(read(CONFIG / "similarity-images.yaml"))
    ids = {one.id for one in claims(run, made(run, as_printed, 1e-3))}
    ids |= {one.id for one in all_claims([])}
    ids |= {
        f"2020-Figure2-{kind}" for kind in ("sampled-halved0", "stitched-halved1", "control-MNIST-halved0", "S-halved1")
    }
    ids |= {"2020-Figure3-between", "2020-Figure3-end", "2020-Table3-random", "2020-Figure5-learned-A+B"}
    ids |= {f"2020-Figure5-random-{which}" for which in ("mean", "ones", "unusual")}
    for name in ids:
        asked = [
            (claim.id, statement.says) for claim in CLAIMS for statement in claim.statements if _which(statement)(name)
        ]
        assert len(asked) == 1, (name, asked)


def _which(statement: Any) -> Any:
    names = statement.of.__code__.co_freevars
    return statement.of.__closure__[names.index("which")].cell_contents


def test_a_finished_run_answers_the_claims_of_its_tables(tmp_path):
    folder = kept(tmp_path / "good", as_printed, 1e-3)
    found = {one.claim.id: one for one in report([folder]).answers if one.claim.year == 2020}
    assert set(found) == {claim.id for claim in CLAIMS}
    assert {part.verdict for part in found["S20-T2"].parts[:2]} == {"reproduced"}
    assert found["S20-T2"].parts[2].verdict == found["S20-T2"].verdict == "not run here"
    assert "CIFAR100 was not at hand" in found["S20-T2"].why
    assert "of 3: 3 reproduced" in found["S20-T1"].parts[0].why
    assert found["S20-F4"].verdict == "reproduced"
    assert found["S20-F2"].verdict == found["S20-F5"].verdict == "not run here"
    assert found["S20-T1"].scaled == "1,500 pictures a test, filters 8, 16, 32, 15 epochs, 5 trainings"


def test_a_bar_in_a_claim_ends_no_cell_of_the_page():
    rows = [line for line in page(report([])).splitlines() if line.startswith("| S20-")]
    assert any("\\|S\\|" in line for line in rows)
    assert {line.replace("\\|", "").count("|") for line in rows} == {9}


def test_results_of_other_settings_are_not_taken(tmp_path):
    folder = kept(tmp_path / "good", as_printed, 1e-3)
    beside = folder / "tables" / "provenance" / "similarity.json"
    settings = json.loads(beside.read_text(encoding="utf-8"))
    settings["settings"]["repetitions"] = 2 * settings["settings"]["repetitions"]
    beside.write_text(json.dumps(settings), encoding="utf-8")
    assert {one.verdict for one in report([folder]).answers} == {"not run here"}


def test_other_numbers_are_not_reproduced_and_much_noise_leaves_them_undecided(tmp_path):
    def other(what: Any) -> float:
        return 0.5 * as_printed(what) + 0.1 * (what.kind != "alone")

    wrong = {one.claim.id: one for one in report([kept(tmp_path / "wrong", other, 1e-3)]).answers}
    noisy = {one.claim.id: one for one in report([kept(tmp_path / "noisy", as_printed, 0.4)]).answers}
    for name in ("S20-T1", "S20-T2"):
        assert wrong[name].verdict == "not reproduced"
    assert [part.verdict for part in noisy["S20-T2"].parts[:2]] == ["undecided"] * 2


@pytest.mark.parametrize("numbers", [4, 6])
def test_right_numbers_are_called_not_reproduced_in_one_run_of_twenty_at_most(numbers):
    """Means of 8 trainings: 4,000 groups; by the plain intervals it would be 1 - .95 to the power of the numbers."""
    rng = np.random.default_rng(numbers)
    runs, trainings = 4000, 8
    drawn = 0.5 + 0.1 * rng.standard_normal((runs, numbers, trainings))
    half = stats.t.ppf(0.975, trainings - 1) * drawn.std(axis=2, ddof=1) / trainings**0.5
    lost = plain = 0
    for values, wide in zip(drawn.mean(axis=2)[:1000], half, strict=False):
        group = [record("n", 0.5, float(v), float(h)) for v, h in zip(values, wide, strict=True)]
        group = [PublishedClaim(**{**_plain(one), "freedom": trainings - 1.0}) for one in group]
        lost += all_of(group) == "not reproduced"
        plain += any(one.verdict == "not reproduced" for one in group)
    assert lost / 1000 < 0.065
    assert plain / 1000 > 0.12


def _plain(one: PublishedClaim) -> dict[str, Any]:
    return {name: getattr(one, name) for name in PublishedClaim.__dataclass_fields__}


def test_an_interval_is_widened_on_both_sides_by_the_quantiles_of_its_own_law():
    one = PublishedClaim("n", "s", "p", "reproduced", 0.5, (0.4, 0.7), 0.5, "made", None, "", 7.0)
    ratio = stats.t.ppf(1 - 0.025 / 6, 7) / stats.t.ppf(0.975, 7)
    assert widened(one, 6) == pytest.approx((0.5 - 0.1 * ratio, 0.5 + 0.2 * ratio))
    assert widened(one, 1) == pytest.approx((0.4, 0.7))
    assert widened(judged_by("undecided"), 6) is None


def test_a_miss_by_a_hair_among_many_is_undecided_and_a_far_one_is_not():
    right = [record("n", 0.5, 0.5, 0.1) for _ in range(5)]
    assert all_of(right) == "reproduced"
    assert all_of([*right, record("n", 0.5, 0.61, 0.1)]) == "undecided"
    assert all_of([*right, record("n", 0.5, 0.9, 0.1)]) == "not reproduced"
    assert all_of([*right, judged_by("not reproduced", None)]) == "not reproduced"
    assert all_of([*right, judged_by("undecided")]) == "undecided"


def test_of_single_runs_as_many_may_miss_as_luck_allows():
    def cells(missed: int, undecided: int = 0) -> list[PublishedClaim]:
        words = ["not reproduced"] * missed + ["undecided"] * undecided
        return [judged_by(word) for word in words + ["reproduced"] * (45 - len(words))]

    assert most_of(cells(0)) == most_of(cells(4)) == "reproduced"
    assert stats.binom.sf(5, 45, 0.05) < 0.05 < stats.binom.sf(4, 45, 0.05)
    assert most_of(cells(5)) == "reproduced"
    assert most_of(cells(6)) == "not reproduced"
    assert most_of(cells(0, 30)) == "undecided"
