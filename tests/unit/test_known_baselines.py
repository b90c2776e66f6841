"""Known baselines: complexity measures by hand, distances of data sets against closed forms, probes, subsamples."""

import numpy as np
import pytest

from aiq.config.measures import KnownBaselines
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.known_baselines import (
    MEASURES,
    Probes,
    Sample,
    class_distances,
    complexity_measures,
    lacking,
    subsample,
    transport,
)

pytest.importorskip("problexity")
POINTS, CLASSES = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1])


def test_four_points_of_two_separable_classes_by_hand():
    """Lorena et al. 2019 on 0, 1 | 10, 11."""
    found, reasons = complexity_measures(POINTS, CLASSES, tuple(MEASURES), 1)
    assert reasons == []
    assert found["f1"] == pytest.approx(1 / (1 + 2 * 0.25 * 100 / 0.25))  # sum of p p (m - m)² over mean variance
    assert found["f3"] == found["l2"] == found["n3"] == 0
    assert found["n1"] == pytest.approx(1 / 2 / 4)  # one edge of the tree crosses; the library counts it by half
    assert found["n2"] == pytest.approx((4 / 42) / (1 + 4 / 42))  # 1 to the own class; the library takes the second
    assert found["lsc"] == pytest.approx(1 - 4 * 2 / 16)  # each point has two nearer than the other class
    assert found["c1"] == pytest.approx(0)


def test_noise_in_labels_raises_what_looks_at_classes():
    random = np.random.default_rng(3)
    y = np.arange(120) % 3
    x = random.normal(size=(120, 4)) + 4 * np.eye(3, 4)[y]
    clear, _ = complexity_measures(x, y, tuple(KnownBaselines().measures), 1)
    noisy, _ = complexity_measures(x, random.permutation(y), tuple(KnownBaselines().measures), 1)
    for name in ("f1", "f3", "l2", "n1", "n2", "n3", "lsc"):
        assert 0 <= clear[name] < noisy[name] <= 1


def test_numbers_are_the_same_again_and_the_global_generator_is_left_alone():
    random = np.random.default_rng(4)
    x, y = random.normal(size=(80, 30)), np.arange(80) % 4
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert complexity_measures(x, y, tuple(KnownBaselines().measures), 7) == complexity_measures(
        x, y, tuple(KnownBaselines().measures), 7
    )
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_a_measure_that_is_not_defined_is_named_and_the_others_stay():
    found, reasons = complexity_measures(POINTS[:3], np.array([0, 0, 1]), ("f1", "n2", "c1"), 1)
    assert np.isnan(found["n2"])
    assert reasons == ["n2: not defined for these samples"]
    assert np.isfinite([found["f1"], found["c1"]]).all()


def test_a_missing_library_is_told_with_the_command_that_installs_it(monkeypatch):
    assert lacking("problexity") == ""
    monkeypatch.setattr("aiq.known_baselines.find_spec", lambda name: None)
    assert lacking("ot") == "POT is not installed: pip install 'aiq[baselines]'"


def test_settings_and_library_name_the_same_measures():
    assert tuple(MEASURES) == tuple(KnownBaselines().measures)


# ---- Transport, probes, subsamples --------------------------------------------------------------------


ot = pytest.importorskip("ot")
RANDOM = np.random.default_rng(11)
X, Y = RANDOM.normal(size=(60, 5)), np.arange(60) % 3
SHIFT = np.array([3.0, 0.0, -4.0, 0.0, 0.0])


def test_a_data_set_lies_at_0_from_itself_under_any_names_of_its_classes():
    assert transport(X, Y, X, 7 - Y) == pytest.approx((0, 0), abs=1e-6)


def test_a_translation_costs_its_length_for_inputs_and_once_more_for_classes():
    assert transport(X, Y, X + SHIFT, Y) == pytest.approx((5 * np.sqrt(2), 5))


def test_two_points_each_by_hand():
    """0 and 2 go to 1 and 5: squares 1 and 9; every point is a class of its own, so all counts twice."""
    x, other, y = np.array([[0.0], [2.0]]), np.array([[5.0], [1.0]]), np.array([0, 1])
    assert transport(x, y, other, y) == pytest.approx((np.sqrt(10), np.sqrt(5)))


def test_sizes_may_differ_and_order_does_not_count():
    other, labels = RANDOM.normal(size=(40, 5)) + 1, np.arange(40) % 4
    there, back = transport(X, Y, other, labels), transport(other, labels, X, Y)
    assert there == pytest.approx(back)
    assert there[0] >= there[1] > 0


def test_classes_lie_apart_as_normal_distributions_do():
    """Against the library's own formula with matrices of features by features."""
    other, labels = 2 * RANDOM.normal(size=(50, 5)) + SHIFT, np.arange(50) % 2
    found = class_distances(X, Y, other, labels)
    assert found.shape == (3, 2)
    for i in range(3):
        for j in range(2):
            one, two = X[i == Y], other[labels == j]
            moments = [m for each in (one, two) for m in (each.mean(axis=0), np.cov(each.T, bias=True))]
            expected = ot.gaussian.bures_wasserstein_distance(moments[0], moments[2], moments[1], moments[3]) ** 2
            assert found[i, j] == pytest.approx(float(expected), rel=1e-4)


def test_inputs_of_two_normal_distributions_come_near_the_closed_form():
    """N(0, 1) and N(3, 4) in one dimension: 2-Wasserstein distance sqrt(9 + 1)."""
    one, two = RANDOM.normal(size=(700, 1)), 3 + 2 * RANDOM.normal(size=(700, 1))
    labels = np.arange(700) % 2
    assert transport(one, labels, two, labels)[1] == pytest.approx(np.sqrt(10), abs=0.3)


def sample(name: str, informative: int, random: np.random.Generator) -> Sample:
    """Two classes told apart by one feature of six."""
    parts = []
    for _ in range(2):
        x, y = random.normal(size=(200, 6)), np.arange(200) % 2
        x[:, informative] += 6 * y
        parts += [x, y]
    return Sample(name, parts[0], parts[1], parts[2], parts[3])


def test_probes_lose_nothing_on_themselves_and_much_where_features_tell_nothing():
    random = np.random.default_rng(2)
    one, other = sample("one", 0, random), sample("other", 5, random)
    probes = Probes({"one": one, "copy": Sample("copy", *list(vars(one).values())[1:]), "other": other})
    assert probes.loss("one", "one") == probes.loss("one", "copy") == probes.loss("copy", "one") == 0
    assert probes.error("one") < 0.02
    assert probes.loss("one", "other") > 0.3
    assert probes.accuracy("other", "other") > 0.98
    assert probes.loss("one", "other") == probes.accuracy("other", "other") - probes.accuracy("one", "other")


def domain(samples: int) -> LabelledDomain:
    """A domain with a class of two samples."""
    y = np.arange(samples) % 2
    y[:2] = 2
    x = np.arange(samples, dtype=np.float32)[:, None]
    return LabelledDomain("d", x, y, x, y, "s", 3, DataSheet("", "", "", (0, 1)))


def test_a_subsample_is_seeded_keeps_every_class_and_takes_all_of_few():
    whole = domain(400)
    found, again, other = subsample(whole, 30, 5), subsample(whole, 30, 5), subsample(whole, 30, 6)
    assert len(found.train_x) == len(found.test_x) == 30
    assert found.classes == whole.classes
    assert np.array_equal(found.train_x, again.train_x)
    assert not np.array_equal(found.train_x, other.train_x)
    assert not np.array_equal(found.train_x, found.test_x)
    assert np.array_equal(subsample(domain(25), 30, 5).train_x, domain(25).train_x)
    assert np.array_equal(whole.train_y[found.train_x[:, 0].astype(int)], found.train_y)
