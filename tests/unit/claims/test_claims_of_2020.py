"""The printed numbers of the 2020 paper: each judged on made-up trainings, and as groups of one set of claims.

About 8 seconds.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_claims import record
from scipy import stats

from aiq import storage
from aiq.config.load import read
from aiq.errors import InputError
from aiq.measures import similarity
from aiq.measures.similarity import implied
from aiq.plans.run import Run
from aiq.records.estimate import Estimate
from aiq.storage.files import write_beside
from aiq.wings.similarity2020.reduction import MergedRuns, reduced
from papers.claims import CLAIMS
from papers.claims import published as verdicts
from papers.claims.older import all_of, most_of, widened
from papers.claims.published import Level, PublishedClaim, judged, overlap, signed, similarity_difference
from papers.claims.similarity import all_claims, claims
from papers.report import page, report

CONFIG = Path(__file__).resolve().parents[3] / "config"
OF_2020 = {name: claim for name, claim in CLAIMS.items() if claim.year == 2020}


def shipped(name: str, **changes: Any) -> Run:
    raw = read(CONFIG / f"{name}.yaml")
    return Run.of({**raw, **changes})


def made(run: Run, means: Any, spread: float, repetitions: int = 8) -> Any:
    """Reduce trainings with known means: ``means`` takes what is trained and gives the mean performance."""
    rng = np.random.default_rng(4)
    trainings = {}
    for job in run.plan.jobs:
        for what, _ in job.parts:
            noise = rng.normal(0, 1, repetitions)
            values = means(what) + spread * (noise - noise.mean()) / noise.std(ddof=1)
            trainings[what] = MergedRuns(what.kind, what.a, what.b, what.at, what.halvings, 10, values, values, 0.1)
    return reduced(run, trainings)


def as_printed(what: Any) -> float:
    """Return what the paper prints, or what S implies."""
    if what.kind == "alone":
        return verdicts.ALONE[what.a]
    one, other = verdicts.ALONE[what.a], verdicts.ALONE[what.b]
    return float(implied(one, other, verdicts.SIMILARITY[what.a, what.b]))


def by_id(found: list[PublishedClaim]) -> dict[str, PublishedClaim]:
    named = {claim.id: claim for claim in found}
    assert len(named) == len(found)
    return named


def test_the_printed_numbers_with_little_noise_are_reproduced_and_what_no_run_speaks_of_is_told():
    run = shipped("similarity-images")
    found = by_id(claims(run, made(run, as_printed, 1e-3)))
    assert sum(key.startswith("2020-Table") for key in found) == 4 + 2 * 6
    others = [claim for key, claim in found.items() if not key.endswith("Table3-CP")]
    assert all(claim.verdict == "reproduced" and claim.power > 0.99 for claim in others)
    assert found["2020-Table2-MNIST+CIFAR10"].ours == pytest.approx(0.290)
    assert found["2020-Table2-MNIST+CIFAR10-VAB"].paper == pytest.approx(0.8750, abs=1e-4)

    found = by_id(all_claims([(run, made(run, as_printed, 1e-3))]))
    never = {key for key, claim in found.items() if claim.verdict == "not run here"}
    assert never == {key for key in found if "CIFAR100" in key}
    assert all("CIFAR100 was not at hand" in found[key].note for key in never)
    assert len([key for key in found if "Table" in key]) == 5 + 2 * 10


def fig2(stitched: float) -> Any:
    """Return means of Fig. 2 with the stitched mixture at a place in the gap: 0 is the harder test, 1 the easier."""

    def mean(what: Any) -> float:
        easy, hard = 0.95 - 0.02 * what.halvings, 0.8 - 0.02 * what.halvings
        if what.kind == "alone" or what.a == what.b:
            return (easy if what.a == "MNIST" else hard) - 0.05 * (what.kind == "stitched")
        return hard + (0.355 if what.kind == "sampled" else stitched) * (easy - hard)

    return mean


@pytest.mark.parametrize(("place", "verdict"), [(-0.4, "reproduced"), (0.5, "not reproduced"), (0.0, "undecided")])
def test_the_stitched_merge_of_figure_2(place: float, verdict: str):
    run = shipped("similarity-width")
    found = by_id(claims(run, made(run, fig2(place), 0.01)))
    for halvings in (0, 1, 2):
        sampled, stitched, control = (
            found[f"2020-Figure2-{which}-halved{halvings}"] for which in ("sampled", "stitched", "control-MNIST")
        )
        assert (sampled.verdict, stitched.verdict, control.verdict) == ("reproduced", verdict, "reproduced")
        assert stitched.power > 0.95
    assert found["2020-Figure2-S-halved1"].verdict == "reproduced"
    assert not [key for key in found if "Table" in key]


@pytest.mark.parametrize(
    ("sink", "end", "verdicts"),
    [
        (0.005, -0.03, ("reproduced",) * 2),
        (0.3, 0.03, ("not reproduced",) * 2),
        (0.005, 0, ("reproduced", "undecided")),
    ],
)
def test_the_shares_of_figure_3(sink: float, end: float, verdicts: tuple[str, str]):
    run = shipped("similarity-proportion")

    def mean(what: Any) -> float:
        if what.kind == "alone":
            return 0.95 if what.a == "MNIST" else 0.7
        return 0.7 + (end if what.at == 0 else 0.25 * what.at - sink * (what.at < 1))

    found = by_id(claims(run, made(run, mean, 0.005)))
    assert (found["2020-Figure3-between"].verdict, found["2020-Figure3-end"].verdict) == verdicts


def test_the_cells_of_figure_5():
    run = shipped("similarity-gym-published")
    rng = np.random.default_rng(1)
    table = {tuple(key.split("+")): value for key, value in run.configuration.published.similarity.items()}

    def near(shift: float) -> Any:
        result = made(run, lambda what: 0.0, 1.0, 50)
        pairs = tuple(
            replace(p, single=np.clip(table[p.a, p.b] + shift + rng.normal(0, 0.02, 50), 0, 1)) for p in result.pairs
        )
        return by_id(claims(run, replace(result, pairs=pairs)))

    same, other = near(0.0), near(0.3)
    for key in ("CartPole-v0+Acrobot", "mean", "unusual"):
        assert same[f"2020-Figure5-random-{key}"].verdict == "reproduced"
        assert other[f"2020-Figure5-random-{key}"].verdict == "not reproduced"
    assert same["2020-Table3-random"].verdict == "not reproduced"  # .113, not .063
    assert same["2020-Table3-random"].ours == pytest.approx(0.113, abs=0.005)
    assert len(same) == 55 + 4


def test_verdicts():
    assert judged(0.5, 0.0, [(0.4, 0.6)]) == "reproduced"
    assert judged(0.5, 0.0, [(-0.1, 0.6)]) == "undecided"
    assert judged(0.5, 0.0, [(-0.1, 0.1), (0.4, 0.6)]) == "undecided"
    assert judged(0.5, 0.0, [(0.6, 0.7)]) == "not reproduced"
    assert judged(0.5, 0.0, []) == "undecided"
    assert [signed((0.1, 0.2), sign) for sign in (1, 0, -1)] == ["reproduced", "reproduced", "not reproduced"]
    assert [signed((-0.2, -0.1), sign) for sign in (1, 0, -1)] == ["not reproduced", "reproduced", "reproduced"]
    assert signed((-0.1, 0.1), 1) == "undecided"
    assert overlap([(0.1, 0.3)], [(-1, -0.5), (0.3, 1)])
    assert not overlap([(0.1, 0.2)], [(-1, 0.0), (0.3, 1)])


def test_the_interval_of_a_difference_of_similarities_holds_it():
    rng, hits, tries = np.random.default_rng(7), 0, 600
    for _ in range(tries):
        one = similarity.from_values(*(rng.normal(m, 0.01, 5) for m in (0.9, 0.6, 0.7)))
        other = similarity.from_values(*(rng.normal(m, 0.01, 5) for m in (0.9, 0.7, 0.82)))
        low, high = similarity_difference(one, other).interval
        hits += low <= 1 / 3 - (-0.2) <= high
    assert hits / tries == pytest.approx(0.95, abs=0.03)


# ---- groups --------------------------------------------------------------------------------------


def judged_by(verdict: str, paper: float | None = 0.5) -> PublishedClaim:
    return PublishedClaim("n", "s", "p", verdict, 0.5, None, paper, "made", None)  # type: ignore[arg-type]


def kept(folder: Path, means: Any, spread: float) -> Path:
    """A results folder of config/similarity-images.yaml as a finished run leaves it."""
    run = shipped("similarity-images", results=str(folder))
    storage.write_result(next(iter(run.plan.results())), "similarity", made(run, means, spread), run.plan.result(), 1)
    beside = folder / "tables" / "provenance" / "similarity.json"
    beside.parent.mkdir(parents=True)
    settings = run.configuration.model_dump(mode="json")
    assert list(settings["domains"]) != sorted(settings["domains"])  # the order of the tests is kept, too
    write_beside(beside, next(iter(run.plan.results())), run.plan.result(), 1, settings=settings)
    return folder


def test_every_printed_number_belongs_to_one_statement_and_one_claim():
    run = shipped("similarity-images")
    ids = {one.id for one in claims(run, made(run, as_printed, 1e-3))}
    ids |= {one.id for one in all_claims([])}
    of_figure_2 = ("Figure2-sampled-halved0", "Figure2-stitched-halved1", "Figure2-control-MNIST-halved0",
                   "Figure2-S-halved1")  # fmt: skip
    of_figure_5 = ("Figure5-learned-A+B", "Figure5-random-mean", "Figure5-random-ones", "Figure5-random-unusual")
    others = (*of_figure_2, "Figure3-between", "Figure3-end", "Table3-random", *of_figure_5)
    ids |= {f"2020-{one}" for one in others}
    asked = [statement.check.keywords["ids"] for claim in OF_2020.values() for statement in claim.statements]
    for name in ids:
        assert sum(re.fullmatch(f"2020-(?:{one})", name) is not None for one in asked) == 1, name


def test_a_finished_run_answers_the_claims_of_its_tables(tmp_path):
    folder = kept(tmp_path / "good", as_printed, 1e-3)
    found = {one.claim.id: one for one in report([folder]).answers if one.claim.year == 2020}
    assert set(found) == set(OF_2020)
    assert {part.verdict for part in found["S20-T2"].parts[:2]} == {"reproduced"}
    assert found["S20-T2"].parts[2].verdict == found["S20-T2"].verdict == "not run here"
    assert "CIFAR100 was not at hand" in found["S20-T2"].why
    assert "of 3: 3 reproduced" in found["S20-T1"].parts[0].why
    assert found["S20-F4"].verdict == "reproduced"
    assert found["S20-F2"].verdict == found["S20-F5"].verdict == "not run here"
    assert found["S20-T1"].scaled == "1,500 pictures a test, filters 8, 16, 32, 15 epochs, 5 trainings"

    beside = folder / "tables" / "provenance" / "similarity.json"  # results of other settings are not taken
    settings = json.loads(beside.read_text(encoding="utf-8"))
    settings["settings"]["repetitions"] *= 2
    beside.write_text(json.dumps(settings), encoding="utf-8")
    assert {one.verdict for one in report([folder]).answers} == {"not run here"}


def test_a_bar_in_a_claim_ends_no_cell_of_the_page():
    rows = [line for line in page(report([])).splitlines() if line.startswith("| S20-")]
    assert any("\\|S\\|" in line for line in rows)
    assert {line.replace("\\|", "").count("|") for line in rows} == {9}


def test_other_numbers_are_not_reproduced_and_much_noise_leaves_them_undecided(tmp_path):
    def other(what: Any) -> float:
        return 0.5 * as_printed(what) + 0.1 * (what.kind != "alone")

    wrong = report([kept(tmp_path / "wrong", other, 1e-3)], ("S20-T1", "S20-T2")).answers
    (noisy,) = report([kept(tmp_path / "noisy", as_printed, 0.4)], ("S20-T2",)).answers
    assert [one.verdict for one in wrong] == ["not reproduced"] * 2
    assert [part.verdict for part in noisy.parts[:2]] == ["undecided"] * 2


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
        group = [replace(one, freedom=trainings - 1.0) for one in group]
        lost += all_of(group) == "not reproduced"
        plain += any(one.verdict == "not reproduced" for one in group)
    assert lost / 1000 < 0.065
    assert plain / 1000 > 0.12


def test_an_interval_is_widened_on_both_sides_by_the_quantiles_of_its_own_law():
    one = PublishedClaim("n", "s", "p", "reproduced", 0.5, (0.4, 0.7), 0.5, "made", None, "", 7.0)
    ratio = stats.t.ppf(1 - 0.025 / 6, 7) / stats.t.ppf(0.975, 7)
    assert widened(one, 6) == pytest.approx((0.5 - 0.1 * ratio, 0.5 + 0.2 * ratio))
    assert widened(one, 1) == pytest.approx((0.4, 0.7))
    assert widened(judged_by("undecided"), 6) is None


def test_a_miss_by_a_hair_among_many_is_undecided_and_a_far_one_is_not():
    right = [record("n", 0.5, 0.5, 0.1) for _ in range(5)]
    near, far = record("n", 0.5, 0.61, 0.1), record("n", 0.5, 0.9, 0.1)
    others = ([], [near], [far], [judged_by("not reproduced", None)], [judged_by("undecided")])
    found = [all_of([*right, *other]) for other in others]
    assert found == ["reproduced", "undecided", "not reproduced", "not reproduced", "undecided"]


def test_of_single_runs_as_many_may_miss_as_luck_allows():
    def cells(missed: int, undecided: int = 0) -> list[PublishedClaim]:
        words = ["not reproduced"] * missed + ["undecided"] * undecided
        return [judged_by(word) for word in words + ["reproduced"] * (45 - len(words))]

    assert most_of(cells(0)) == most_of(cells(4)) == "reproduced"
    assert stats.binom.sf(5, 45, 0.05) < 0.05 < stats.binom.sf(4, 45, 0.05)
    assert most_of(cells(5)) == "reproduced"
    assert most_of(cells(6)) == "not reproduced"
    assert most_of(cells(0, 30)) == "undecided"


# ---- power ---------------------------------------------------------------------------------------


def test_the_power_of_a_difference_is_that_of_a_t_test():
    assert verdicts.of_difference(0.0, 1.0, 4) == pytest.approx(0.05, abs=1e-6)
    assert verdicts.of_difference(2.0, 1.0, 1e6) == pytest.approx(
        stats.norm.sf(1.96 - 2) + stats.norm.cdf(-1.96 - 2), abs=1e-3
    )
    assert verdicts.of_difference(-2.0, 1.0, 5) == pytest.approx(verdicts.of_difference(2.0, 1.0, 5))
    assert verdicts.of_difference(2.0, 1.0, 5) < verdicts.of_difference(3.0, 1.0, 5)
    assert verdicts.of_difference(1e9, 1.0, 5) == pytest.approx(1.0)
    assert verdicts.of_difference(0.1, 0.0, 5) == 1.0
    assert verdicts.of_difference(0.0, 0.0, 5) == 0.0


def test_the_power_of_a_similarity_is_the_share_of_runs_that_see_it():
    levels = (Level(0.9, 0.01, 5), Level(0.5, 0.05, 5), Level(0.63, 0.03, 5))
    true, rng, seen = 0.25, np.random.default_rng(3), 0
    for _ in range(1000):
        drawn = [rng.normal(m, level.spread, 5) for m, level in zip((0.9, 0.5, 0.7 - true * 0.2), levels, strict=True)]
        segments = similarity.from_values(*drawn).segments
        seen += not any(low <= 0 <= high for low, high in segments)
    assert verdicts.of_similarity(levels, true) == pytest.approx(seen / 1000, abs=0.045)
    assert verdicts.of_similarity(levels, 0.0) == pytest.approx(0.05, abs=1e-6)


def test_the_power_of_sufficiency_by_where_the_mixture_lies():
    levels = (Level(0.9, 0.01, 6), Level(0.5, 0.01, 6), Level(0.7, 0.01, 6))
    assert verdicts.of_sufficiency(levels, 0.7) == (1.0, 0.0)
    assert verdicts.of_sufficiency(levels, 0.4) == (0.0, 1.0)
    claimed, denied = verdicts.of_sufficiency(levels, 0.5, tries=1000)  # at V_B: either in about 5 %
    assert claimed == pytest.approx(0.05, abs=0.025)
    assert denied == pytest.approx(0.05, abs=0.025)


def test_an_estimate_gives_back_the_values_behind_it_and_needs_noise():
    values = np.array([0.2, 0.5, 0.4, 0.45])
    half = float(stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2)
    found = Level.from_estimate(Estimate(values.mean(), (values.mean() - half, values.mean() + half), 4, "made"))
    assert (found.mean, found.spread, found.count) == pytest.approx((values.mean(), values.std(ddof=1), 4))
    assert found.error == pytest.approx(stats.sem(values))
    with pytest.raises(InputError, match="2 or more trainings"):
        Level.from_estimate(Estimate(0.5, None, 1, "made"))
