"""Relative dissimilarities of a suite: twins as trainings like any other, and places of declared spaces."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import aiq
from aiq import domains
from aiq.cli.main import cli
from aiq.config import validate
from aiq.errors import InputError, TrainingError
from aiq.measures.dissimilarity.mixture_curves import area_weights
from aiq.measures.dissimilarity.relative import kin
from aiq.plans.run import SuiteRun
from aiq.records.domains import Interface
from aiq.records.estimate import Estimate, StandardError
from aiq.records.matrix import Relative, RelativePair, relative_sentence, relative_table
from aiq.run.reducing.measuring import relatives
from aiq.run.training.domains import prepare_domain
from aiq.run.training.trainers import on_pairs
from aiq.storage.tables import write_table
from aiq.tables.locating import Lengths, by_relative, located
from aiq.tables.spaces import space_from_tables
from aiq.training.data import alone, mixed_on

POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Measuring:
    """Curves whose area below the line is told, ends that shift from repetition to repetition."""

    def __init__(self, departures: dict[tuple[str, str], float], noise: float = 0.0, repetitions: int = 4) -> None:
        self.random, self.noise, self.departures = np.random.default_rng(0), noise, departures
        self.ends = {name: 0.8 + 0.02 * np.repeat(np.arange(repetitions), 3) for name in "ab"}

    def ends_of(self, name):
        return self.ends[name]

    def scored(self, pair):
        inner = -area_weights(np.array(POINTS))[1:-1]
        shift = self.ends[pair[0][0]].reshape(-1, 3).mean(axis=1)
        away = self.departures.get(pair, 0.04) / inner.sum()
        return shift[:, None] - away + self.noise * self.random.normal(size=(shift.size, inner.size))


def run_of(twins=2, repetitions=4, control=False, twins_of="pairs"):
    told = {"twins": twins, "twins_of": twins_of, "network": SimpleNamespace(family="dense")}
    settings = SimpleNamespace(**told, repetitions=repetitions, points=POINTS, confidence=0.95)
    configuration = SimpleNamespace(dissimilarity=settings, domains={"a": None, "b": None}, control=control)
    pairs = (("a", "a"), ("b", "b"), ("a", "b"))
    return SimpleNamespace(configuration=configuration, plan=SimpleNamespace(pairs=pairs))


def test_it_is_the_departure_over_that_from_twins():
    (pair,) = relatives(run_of(), Measuring({("a", "b"): 0.01}))
    assert (pair.a, pair.b) == ("a", "b")
    assert pair.relative.estimate.value == pytest.approx(0.25)  # what ends share goes out
    assert pair.relative.twins == 4


def test_own_twins_alone_stand_for_those_of_the_pair():
    own = {("a", f"a~{k}"): 0.03 for k in (1, 2)} | {("b", f"b~{k}"): 0.05 for k in (1, 2)}
    (pair,) = relatives(run_of(twins_of="tests"), Measuring({("a", "b"): 0.01, **own}))
    assert pair.relative.estimate.value == pytest.approx(0.25)
    assert pair.relative.against_twins == pytest.approx(0.04)
    (met,) = relatives(run_of(), Measuring({("a", "b"): 0.04}, noise=0.004))
    (own,) = relatives(run_of(twins_of="tests"), Measuring({("a", "b"): 0.04}, noise=0.004))
    widths = [np.ptp(one.relative.estimate.interval) for one in (met, own)]
    assert widths[1] > widths[0]  # what the mean of own twins may be wrong by


def test_a_test_whose_own_twins_are_no_strangers_has_no_number():
    own = {("a", "a~1"): 0.0, ("a", "a~2"): 0.001}
    (pair,) = relatives(run_of(), Measuring({("a", "b"): 0.01, **own}, noise=0.002))
    assert np.isnan(pair.relative.estimate.value)
    assert pair.relative.undefined.startswith("a: its own twins depart")
    assert "1 of 1 pairs have none" in relative_sentence(relative_table([pair]))


def test_a_test_that_its_own_twins_contradict_has_no_number():
    own = {("a", "a~1"): 0.22, ("a", "a~2"): 0.24}  # ends of .83: a quarter is .21
    (pair,) = relatives(run_of(), Measuring({("a", "b"): 0.01, **own}, noise=0.002))
    assert np.isnan(pair.relative.estimate.value)
    assert pair.relative.undefined.startswith("a: its own twins depart from it by 0.23, 0.28 of its performance")
    (pair,) = relatives(run_of(control=True), Measuring({("a", "b"): 0.01, **own}, noise=0.002))
    assert not pair.relative.undefined  # an episode that goes wrong is no answer that contradicts


def test_without_twins_there_is_none():
    assert relatives(run_of(twins=0), Measuring({})) == ()


def test_twins_are_strangers_where_they_depart_clearly():
    assert kin([[0.04, 0.041, 0.039], [0.05, 0.049, 0.051]]) == ""
    assert "no strangers" in kin([[0.001, -0.001, 0.0], [0.002, -0.002, 0.001]])
    assert "fewer than two" in kin([[np.nan, 0.01]])


# ---- places -------------------------------------------------------------------------------------


def load(source, **more):
    return domains.load(
        source,
        validate(domains.FAMILIES["sklearn"].settings, {"source": "sklearn", "name": source, **more}),
        root_seed=3,
    )


def test_spaces_lie_in_places_of_their_own_and_tests_of_one_space_share_them():
    digits, noisy, wine = load("digits", limit=60), load("digits", limit=60, noise=0.2), load("wine")
    ground = Interface((64,), (1, 8, 8), 10, 50, places=7)
    one, other = mixed_on(ground, digits, noisy, sharing="shared").first, alone(digits, ground)
    assert (one.train_x == other.train_x).all()
    places = [np.flatnonzero(alone(d, ground).train_x.numpy().any(axis=0)) for d in (wine, digits)]
    assert len(places[0]) == 13
    assert list(places[0]) != list(range(13))
    plain = alone(digits, Interface((64,), (1, 8, 8), 10, 50))
    assert np.array_equal(np.sort(plain.train_x.numpy(), axis=1), np.sort(other.train_x.numpy(), axis=1))
    assert not np.array_equal(plain.train_x.numpy(), other.train_x.numpy())


def test_own_twins_are_refused_where_tests_lie_in_different_places(tmp_path):
    sources = {"digits": {"limit": 60, "limit_test": 30}, "wine": {}}
    training = {"epochs": 1, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.01}}
    settings = {
        "labels": "shared", "twins": 1, "twins_of": "tests", "controls": False, "proportions": 3, "repetitions": 2,
        "network": {"layers": 1, "width": 4}, "training": training,
    }  # fmt: skip
    run = SuiteRun.of({
        "name": "apart", "seed": 1, "results": str(tmp_path), "training": training, "dissimilarity": settings,
        "pool": {"size": 4, "policies_per_chunk": 4},
        "domains": {name: {"source": "sklearn", "name": name, **more} for name, more in sources.items()},
    })  # fmt: skip
    paths = {name: run.layout.domain(name) for name in sources}
    for name, path in paths.items():
        prepare_domain(run, name, path)
    learn = on_pairs(run, paths, Interface((64,), (1, 8, 8), 10, 50, places=1))
    with pytest.raises(TrainingError, match=r"for inputs of one space, but digits has picture 1 8 8 and wine vector"):
        learn("digits", "wine", [0, 1])


def test_places_are_part_of_the_interface_and_of_no_other():
    assert Interface((64,), None, 10, 50).words == [[64], None, 10, 50]
    assert Interface((64,), None, 10, 50, places=7).words == [[64], None, 10, ["places", 7], 50]


# ---- the space ----------------------------------------------------------------------------------


def pairs_of(values):
    """Relative dissimilarities that are known with an error of .1; None: undefined."""
    found = []
    for (a, b), value in values.items():
        estimate = Estimate(np.nan if value is None else value, None, 5, "made")
        error = None if value is None else StandardError(0.1, 12.0)
        found.append(RelativePair(a, b, Relative(estimate, 0.05, 0.1, 6, "" if error else "no stranger", error)))
    return found


THREE = {("a", "b"): 0.2, ("a", "c"): 1.1, ("b", "c"): 0.9}
LENGTHS = {"a": 0.3, "b": 0.4, "c": 0.2, "d": 0.9}


def space_of(values):
    names = sorted({name for pair in values for name in pair})
    far = Lengths("relative_excess", np.array([LENGTHS[name] for name in names]), se=np.full(len(names), 0.02))
    matrix, known = by_relative(names, pairs_of(values), 200, 1)
    return located(names, far, matrix, known, draws=200, dimensions="all", distance="relative"), known


def test_adding_a_test_leaves_every_other_angle_and_length_alone():
    three, known = space_of(THREE)
    four, more = space_of(THREE | {("a", "d"): 2.4, ("b", "d"): 0.1, ("c", "d"): 1.0})
    assert (known["cosines"] == more["cosines"][:3, :3]).all()
    assert (three.dissimilarity == four.dissimilarity[:3, :3]).all()  # also of what the picture is made of
    assert (three.complexity == four.complexity[:3]).all()
    assert list(three.complexity) == [0.3, 0.4, 0.2]
    assert (three.largest_complexity, four.largest_dissimilarity) == (1.0, 1.0)
    moved = np.abs(known["cosine_replicates"].std(axis=0) - more["cosine_replicates"].std(axis=0)[:3, :3])
    assert moved.max() < 0.03


def test_unrelated_tests_are_orthogonal_and_a_kin_counts_once():
    apart, _ = space_of(dict.fromkeys(THREE, 1.0))
    gram = apart.directions @ apart.directions.T
    assert np.abs(gram - np.eye(3)).max() < 1e-9
    assert apart.weights.independent.value == pytest.approx(sum([0.3, 0.4, 0.2]) ** 2 / 0.29, rel=0.15)
    same, _ = space_of({("a", "b"): 0.0, ("a", "c"): 1.0, ("b", "c"): 1.0})
    counted = {test.domain: test.weight.value for test in same.weights.tests}
    assert counted["a"] + counted["b"] < 0.75
    assert any("cos = 1" in words for words in same.warnings)


def test_draws_of_cosines_hold_the_errors_with_what_ends_share():
    pairs = pairs_of(THREE)
    shared = [replace(pair, end_a=0.08, end_b=0.05) for pair in pairs]
    _, known = by_relative(["a", "b", "c"], shared, 20_000, 1)
    drawn = known["cosine_replicates"]
    assert drawn[:, 0, 1].std() == pytest.approx(0.1 * np.sqrt(12 / 10), rel=0.05)
    assert np.corrcoef(drawn[:, 0, 1], drawn[:, 0, 2])[0, 1] == pytest.approx(0.08**2 / 0.1**2, abs=0.08)
    assert abs(by_relative(["a", "b", "c"], pairs, 20_000, 1)[1]["cosine_replicates"].mean(axis=0)[0, 1] - 0.8) < 0.01


def test_a_pair_without_number_counts_as_unrelated_and_may_be_anything_up_to_the_same():
    _, known = by_relative(["a", "b", "c"], pairs_of(THREE | {("a", "c"): None}), 4000, 1)
    assert known["cosines"][0, 2] == 0
    drawn = known["cosine_replicates"][:, 0, 2]
    assert 0 <= drawn.min() < drawn.max() < 1
    assert (drawn.mean(), drawn.var()) == (pytest.approx(1 / 2, abs=0.02), pytest.approx(1 / 12, abs=0.005))


def test_a_table_of_a_run_gives_the_same_space(tmp_path):
    (tmp_path / "c.csv").write_text("domain,relative_excess,relative_excess_se\na,.3,.02\nb,.4,.02\nc,.2,.02\n")
    write_table(tmp_path / "d.csv", relative_table(pairs_of(THREE | {("b", "c"): None})))
    found = space_from_tables(str(tmp_path / "c.csv"), str(tmp_path / "d.csv"), distance="relative")
    assert found.dissimilarity[0, 1] ** 2 == pytest.approx(0.2)
    assert found.dissimilarity[1, 2] == 1.0
    (tmp_path / "d.csv").write_text("a,b,relative\na,b,.2\na,c,1\n")
    with pytest.raises(InputError, match="lacks the pair b, c"):
        space_from_tables(str(tmp_path / "c.csv"), str(tmp_path / "d.csv"), distance="relative")


# ---- tables -------------------------------------------------------------------------------------


def curve_rows(departure, *names, shift=0.0):
    """Three repetitions at three shares; the area below the line is half of the dip in the middle."""
    return [
        (*names, r, p, 0.8 + 0.01 * r - (2 * departure + shift * (r - 1)) * (p == 0.5))
        for r in range(3)
        for p in (0, 0.5, 1)
    ]


def frames(columns):
    named = ["a", "b"] if columns else []
    curves = pd.DataFrame(curve_rows(0.01, *(("x", "y") if columns else ())), columns=[*named, *REST])
    of = [("x", "y", "k1"), ("x", "y", "k2"), ("y", "x", "k1"), ("y", "x", "k2")] if columns else [("k1",), ("k2",)]
    rows = [row for k, names in enumerate(of) for row in curve_rows(0.04, *names, shift=0.001 * (k + 1))]
    return curves, pd.DataFrame(rows, columns=[*named, "twin", *REST])


REST = ["repetition", "p", "performance"]


@pytest.mark.parametrize("columns", [True, False])
def test_tables_alone_give_the_ratio(columns, tmp_path):
    curves, twins = frames(columns)
    found = aiq.dissimilarity(curves, twin=twins)
    one = found["x", "y"] if columns else found
    assert one.relative.estimate.value == pytest.approx(0.25)
    assert "0.25" in str(one.display())
    for name, frame in (("c.csv", curves), ("t.csv", twins)):
        frame.to_csv(tmp_path / name, index=False)
    call = ["dissimilarity", str(tmp_path / "c.csv"), "--twin", str(tmp_path / "t.csv"), "--json"]
    record = json.loads(CliRunner().invoke(cli, call).output)
    assert (record["pairs"][0] if columns else record)["relative"]["value"] == pytest.approx(0.25)


def test_why_a_ratio_has_no_interval_is_said_and_none_is_praised():
    curves, twins = frames(True)
    sentences = aiq.dissimilarity(curves, twin=twins[twins["twin"] == "k1"]).display().sentences
    assert any(one.startswith("x – y: relative has no interval (one twin of a test") for one in sentences)
    assert not any("held the truth" in one for one in sentences)
    assert any("held the truth" in one for one in aiq.dissimilarity(curves, twin=twins).display().sentences)


def test_a_pair_without_twins_is_refused_in_one_sentence():
    curves, twins = frames(True)
    with pytest.raises(InputError, match="no mixtures with twins of x and y"):
        aiq.dissimilarity(curves, twin=twins.replace({"x": "z"}))
