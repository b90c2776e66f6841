"""Claims of the 2020 paper on made-up results that should pass, fail, or stay undecided."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aiq.config.load import read
from aiq.measures import similarity
from aiq.measures.similarity import implied
from aiq.plans.run import Run
from aiq.wings.similarity2020.records import MergedRuns
from aiq.wings.similarity2020.reduction import reduced
from papers.published_claim import PublishedClaim
from papers.similarity import verdicts
from papers.similarity.claims import all_claims, claims
from papers.similarity.verdicts import judged, overlap, signed, similarity_difference

FIELDS = {"id", "statement", "source", "verdict", "ours", "interval", "paper", "scale", "power"}


def shipped(name: str, **changes: Any) -> Run:
    raw = read(Path(__file__).resolve().parents[2] / "config" / f"{name}.yaml")
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
    pair = (what.a, what.b)
    return float(implied(verdicts.ALONE[what.a], verdicts.ALONE[what.b], verdicts.SIMILARITY[pair]))


def by_id(found: list[PublishedClaim]) -> dict[str, PublishedClaim]:
    names = [claim.id for claim in found]
    assert len(set(names)) == len(names)
    assert {field.name for field in fields(PublishedClaim)} >= FIELDS
    return {claim.id: claim for claim in found}


def test_the_printed_numbers_with_little_noise_are_reproduced():
    run = shipped("similarity-images")
    found = by_id(claims(run, made(run, as_printed, 1e-3)))
    tables = [claim for key, claim in found.items() if key.startswith("2020-Table")]
    assert len(tables) == 4 + 2 * 6
    assert {claim.verdict for key, claim in found.items() if not key.endswith("Table3-CP")} == {"reproduced"}
    assert all(claim.power > 0.99 for key, claim in found.items() if not key.endswith("Table3-CP"))
    assert found["2020-Table2-MNIST+CIFAR10"].ours == pytest.approx(0.290)
    assert found["2020-Table2-MNIST+CIFAR10-VAB"].paper == pytest.approx(0.8750, abs=1e-4)


def test_other_numbers_are_not_reproduced_and_much_noise_leaves_it_undecided():
    run = shipped("similarity-images")
    other = by_id(claims(run, made(run, lambda what: 0.5 * as_printed(what) + 0.1 * (what.kind != "alone"), 1e-3)))
    assert {claim.verdict for key, claim in other.items() if key.startswith("2020-Table")} == {"not reproduced"}
    noisy = by_id(claims(run, made(run, as_printed, 0.4)))
    pair = noisy["2020-Table2-MNIST+CIFAR10"]
    assert (pair.verdict, pair.power < 0.2) == ("undecided", True)


def test_what_no_run_speaks_of_is_told():
    run = shipped("similarity-images")
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
        assert found[f"2020-Figure2-sampled-halved{halvings}"].verdict == "reproduced"
        assert found[f"2020-Figure2-stitched-halved{halvings}"].verdict == verdict
        assert found[f"2020-Figure2-stitched-halved{halvings}"].power > 0.95
        assert found[f"2020-Figure2-control-MNIST-halved{halvings}"].verdict == "reproduced"
    assert found["2020-Figure2-S-halved1"].verdict == "reproduced"
    assert not [key for key in found if "Table" in key]


@pytest.mark.parametrize(
    ("sink", "end", "verdicts"),
    [
        (0.05, -0.03, ("reproduced", "reproduced")),
        (0.3, 0.03, ("not reproduced", "not reproduced")),
        (0.05, 0.0, ("reproduced", "undecided")),
    ],
)
def test_the_shares_of_figure_3(sink: float, end: float, verdicts: tuple[str, str]):
    run = shipped("similarity-proportion")

    def mean(what: Any) -> float:
        if what.kind == "alone":
            return 0.95 if what.a == "MNIST" else 0.7
        if what.at == 0:
            return 0.7 + end
        return 0.7 + 0.25 * what.at - sink * (0 < what.at < 1) * (0.1 if sink < 0.1 else 1)

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

    same = near(0.0)
    assert same["2020-Figure5-random-CartPole-v0+Acrobot"].verdict == "reproduced"
    assert same["2020-Figure5-random-mean"].verdict == "reproduced"
    assert same["2020-Table3-random"].verdict == "not reproduced"  # .113, not .063
    assert same["2020-Table3-random"].ours == pytest.approx(0.113, abs=0.005)
    assert same["2020-Figure5-random-unusual"].verdict == "reproduced"
    assert len(same) == 55 + 4
    other = near(0.3)
    assert other["2020-Figure5-random-CartPole-v0+Acrobot"].verdict == "not reproduced"
    assert other["2020-Figure5-random-mean"].verdict == "not reproduced"


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
    with pytest.raises(ValueError, match="there is no number of ours"):
        PublishedClaim("x", "y", "z", "reproduced", None, None, 1.0, "s", None)


def test_the_interval_of_a_difference_of_similarities_holds_it():
    rng, hits, tries = np.random.default_rng(7), 0, 600
    for _ in range(tries):
        one = similarity.from_values(*(rng.normal(m, 0.01, 5) for m in (0.9, 0.6, 0.7)))
        other = similarity.from_values(*(rng.normal(m, 0.01, 5) for m in (0.9, 0.7, 0.82)))
        _, (low, high), _, _ = similarity_difference(one, other)
        hits += low <= 1 / 3 - (-0.2) <= high
    assert hits / tries == pytest.approx(0.95, abs=0.03)
