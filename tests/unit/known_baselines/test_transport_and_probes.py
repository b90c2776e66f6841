"""Distances of data sets against closed forms; linear probes; subsamples."""

import numpy as np
import pytest

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.known_baselines import Probes, Sample, class_distances, subsample, transport

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
    one, two = RANDOM.normal(size=(2000, 1)), 3 + 2 * RANDOM.normal(size=(2000, 1))
    labels = np.arange(2000) % 2
    assert transport(one, labels, two, labels)[1] == pytest.approx(np.sqrt(10), abs=0.15)


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
