"""Variants of a data set against counts by hand, references and Pillow; what a labelled domain refuses to be."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from aiq import seeding
from aiq.domains.base import DataSheet, LabelledDomain, checksum
from aiq.domains.labelled.image_folder import fit, to_grey
from aiq.domains.labelled.settings import Labelled
from aiq.domains.labelled.splits import allocate, split, standardise, subset
from aiq.domains.labelled.variants import add_gaussian, apply
from aiq.errors import DomainError

KEY = ("domain", "test")


def images(n=200, classes=5, channels=3, side=6, seed=1):
    random = seeding.generator(seed, "pictures")
    y = np.arange(n) % classes
    x = random.integers(0, 256, (n, channels, side, side), np.uint8)
    m = n // 2
    return LabelledDomain("pictures", x, y, x[:m] // 2, y[:m], "test:space", classes, DataSheet("", "", "", (0, 255)))


def vectors(n=120, classes=3, features=4):
    x = seeding.generator(1, "vectors").standard_normal((n, features)).astype(np.float32)
    y = np.arange(n) % classes
    return LabelledDomain("vectors", x, y, x[:60], y[:60], "test:space", classes, DataSheet("", "", "", (-4, 4)))


def make(domain, root=3, **parameters):
    return apply(domain, Labelled(**parameters), root, KEY)


# ---- drawing samples


def test_allocation_by_hand():
    counts = np.array([50, 30, 20])
    assert allocate(counts, 10, counts).tolist() == [5, 3, 2]
    assert allocate(np.array([97, 2, 1]), 10, np.array([97, 2, 1])).tolist() == [8, 1, 1]
    assert allocate(np.array([3, 3]), 3, np.array([3, 3])).sum() == 3


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.data())
def test_allocation_sums_and_stays_within_what_there_is(counts, data):
    counts = np.array(counts)
    n = data.draw(st.integers(len(counts), int(counts.sum())))
    share = allocate(counts, n, counts)
    assert share.sum() == n
    assert (share >= 1).all()
    assert (share <= counts).all()


@given(st.integers(2, 60), st.integers(2, 5), st.floats(0.05, 0.95))
@settings(max_examples=50)
def test_split_is_a_partition_with_every_class_in_both(per_class, classes, fraction):
    y = np.repeat(np.arange(classes), per_class)
    train, test = split(y, fraction, 1, "split")
    assert sorted([*train, *test]) == list(range(len(y)))
    assert set(y[train]) == set(y[test]) == set(range(classes))


def test_split_depends_on_seed_and_key_alone():
    y = np.repeat(np.arange(3), 40)
    first = split(y, 0.25, 1, "split")[1]
    assert not np.array_equal(first, split(y, 0.25, 2, "split")[1])
    assert np.bincount(y[first]).tolist() == [10, 10, 10]


def test_larger_subsets_contain_smaller_ones():
    y = np.repeat(np.arange(4), 25)
    small, large = (set(subset(y, n, "limit", 1, "limit")) for n in (20, 60))
    assert small < large


# ---- classes


@pytest.mark.parametrize(("asked", "kept"), [(2, (0, 1)), ([4, 1], (1, 4))])
def test_classes_keep_their_labels_and_space(asked, kept):
    domain = images()
    variant = make(domain, classes=asked)
    assert variant.classes == kept
    assert set(variant.test_y.tolist()) == set(kept)
    assert (variant.labels, variant.label_space) == (domain.labels, domain.label_space)
    assert np.array_equal(variant.train_x, domain.train_x[np.isin(domain.train_y, kept)])


def test_random_classes_are_seeded_and_nested():
    domain = images(classes=20)
    few, more = (set(make(domain, classes={"random": n}).classes) for n in (5, 12))
    assert (len(few), len(more)) == (5, 12)
    assert few < more
    roots = {make(domain, root=root, classes={"random": 5}).classes for root in range(8)}
    assert len(roots) > 4


@pytest.mark.parametrize("asked", [6, [0, 7], {"random": 9}])
def test_classes_that_do_not_exist_are_refused(asked):
    with pytest.raises(DomainError, match=r"^domain pictures: classes .* 5 classes"):
        make(images(), classes=asked)


# ---- limits


@pytest.mark.parametrize(
    ("parameters", "train", "test"),
    [
        ({"limit": 50}, [10] * 5, [20] * 5),
        ({"limit_test": 10}, [40] * 5, [2] * 5),
        ({"classes": 2, "limit": 30, "limit_test": 10}, [15, 15], [5, 5]),
    ],
)
def test_limits_are_stratified_over_the_kept_classes_and_apply_to_one_split_each(parameters, train, test):
    variant = make(images(), **parameters)
    assert (np.bincount(variant.train_y).tolist(), np.bincount(variant.test_y).tolist()) == (train, test)


@pytest.mark.parametrize(
    ("what", "n", "words"), [("limit", 201, "there are 200 samples"), ("limit_test", 3, "fewer than the 5 classes")]
)
def test_limits_that_cannot_be_met_are_refused(what, n, words):
    with pytest.raises(DomainError, match=f"domain pictures: {what} is {n}, .*{words}"):
        make(images(), **{what: n})


# ---- colour and size


def test_grey_equals_pillow():
    x = images(n=2100).train_x
    expected = [np.asarray(Image.fromarray(p.transpose(1, 2, 0)).convert("L")) for p in x]
    assert np.array_equal(to_grey(x)[:, 0], expected)


def test_grey_of_other_channels_is_refused():
    with pytest.raises(DomainError, match="1 or 3 channels, these have 2"):
        make(images(channels=2), grey=True)


def test_padding_by_hand():
    x = np.full((1, 1, 3, 2), 9, np.uint8)
    padded = fit(x, 6)
    assert padded.shape == (1, 1, 6, 6)
    assert padded.sum() == x.sum()
    assert (padded[0, 0, 1:4, 2:4] == 9).all()
    assert (fit(x, 7)[0, 0, 2:5, 2:4] == 9).all()


@given(st.integers(2, 12), st.integers(2, 30))
@settings(max_examples=60)
def test_averaging_equals_the_mean_of_repeated_pixels(new, old):
    if old <= new:
        return
    x = seeding.generator(1, "a").integers(0, 256, (3, 1, old, old), np.uint8)
    fine = np.kron(x, np.ones((new, new)))
    expected = fine.reshape(3, 1, new, old, new, old).mean(axis=(3, 5))
    assert np.abs(fit(x, new) - expected).max() <= 0.5 + 1e-3


def test_longer_side_decides_and_the_rest_is_padded():
    x = np.full((2, 3, 10, 20), 100, np.uint8)
    small = fit(x, 8)
    assert small.shape == (2, 3, 8, 8)
    assert (small[0, 0, :, 0]).tolist() == [0, 0, 100, 100, 100, 100, 0, 0]


# ---- noise


def test_noise_replaces_the_asked_fraction_in_all_channels():
    domain = images(n=400, side=16)
    variant = make(domain, noise=0.3)
    changed = (variant.train_x != domain.train_x).any(axis=1)
    expected = 0.3 * (1 - 256.0**-3)
    assert changed.mean() == pytest.approx(expected, abs=5 * np.sqrt(0.21 / changed.size))


def test_full_noise_is_uniform_and_independent_of_the_picture():
    noisy = make(images(n=400, side=16), noise=1.0).train_x.astype(float)
    assert noisy.mean() == pytest.approx(127.5, abs=5 * 73.9 / np.sqrt(noisy.size))
    assert noisy.var() == pytest.approx((256**2 - 1) / 12, rel=0.02)
    assert (noisy.min(), noisy.max()) == (0, 255)


def test_stronger_noise_replaces_what_weaker_noise_replaces():
    domain = images()
    weak, strong = (make(domain, noise=fraction).train_x for fraction in (0.2, 0.6))
    replaced = weak != domain.train_x
    assert np.array_equal(strong[replaced], weak[replaced])


def test_noise_of_a_sample_does_not_depend_on_which_others_are_kept():
    domain = images(n=1000)
    whole, limited = make(domain, noise=0.5, gaussian=0.1), make(domain, noise=0.5, gaussian=0.1, limit=40)
    rows = {row.tobytes() for row in whole.train_x}
    assert all(row.tobytes() in rows for row in limited.train_x)


def test_splits_get_different_noise_and_seeds_matter():
    domain = images(n=200)
    noisy = make(domain, noise=1.0)
    assert not np.array_equal(noisy.train_x[:100], noisy.test_x)
    assert not np.array_equal(noisy.train_x, make(domain, root=4, noise=1.0).train_x)


def test_noise_on_vectors_stays_within_each_feature_range():
    domain = vectors()
    noisy = make(domain, noise=1.0).train_x
    assert noisy.dtype == np.float32
    assert (noisy >= domain.train_x.min(axis=0) - 1e-6).all()
    assert (noisy <= domain.train_x.max(axis=0) + 1e-6).all()
    assert (noisy != domain.train_x).all()


def test_gaussian_noise_has_the_asked_deviation():
    x = np.full((300, 1, 16, 16), 128, np.uint8)
    noisy = add_gaussian(x, np.arange(300), 0.05, np.array([255.0]), 1, "g").astype(float) - 128
    expected = np.sqrt((0.05 * 255) ** 2 + 1 / 12)
    assert noisy.std() == pytest.approx(expected, rel=0.01)
    assert noisy.mean() == pytest.approx(0, abs=5 * expected / np.sqrt(noisy.size))


def test_gaussian_noise_on_pictures_is_clipped_not_wrapped():
    x = np.repeat(np.array([0, 255], np.uint8), 500).reshape(1000, 1, 1, 1)
    noisy = add_gaussian(x, np.arange(1000), 0.05, np.array([255.0]), 1, "g")
    assert noisy[:500].max() < 100
    assert noisy[500:].min() > 155


def test_gaussian_noise_on_vectors_is_in_units_of_the_feature_range():
    domain = vectors(n=1200)
    difference = make(domain, gaussian=0.1).train_x - domain.train_x
    span = np.ptp(domain.train_x, axis=0)
    assert difference.std(axis=0) == pytest.approx(0.1 * span, rel=0.1)


# ---- repetition, order, sheet


def test_a_variant_never_changes_the_arrays_it_is_made_from_and_no_parameters_change_nothing():
    domain = images()
    before = domain.train_x.copy(), domain.test_x.copy()
    make(domain, noise=0.5, gaussian=0.1, duplicate=2, grey=True, size=8)
    same = make(domain)
    assert same.sheet == domain.sheet
    for kept, own, array in zip(before, (domain.train_x, domain.test_x), (same.train_x, same.test_x), strict=True):
        assert np.array_equal(kept, own)
        assert np.array_equal(kept, array)


def test_every_applied_parameter_is_noted():
    asked = {"classes": 3, "grey": True, "size": 8, "limit": 30, "limit_test": 30}
    asked |= {"noise": 0.1, "gaussian": 0.1, "duplicate": 2, "twin": 1}
    assert {*asked, "twin_moves"} == set(Labelled.model_fields)  # how a twin is made, which its own note says
    assert len(make(images(), **asked).sheet.notes) == len(asked)
    for what, value in asked.items():
        assert len(make(images(), **{what: value}).sheet.notes) == 1


# ---- what a domain refuses to be, standardised vectors, checksums


Y = np.array([0, 1, 0, 1])
GOOD = LabelledDomain(
    "d", np.zeros((4, 2), np.float32), Y, np.zeros((4, 2), np.float32), Y, "s", 2, DataSheet("", "", "", (0, 1))
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"train_y": Y[:3]}, "4 samples and 3 labels"),
        ({"train_x": GOOD.train_x[:0], "train_y": Y[:0]}, "training split is empty"),
        ({"train_x": np.zeros((4, 2))}, "not images or vectors"),
        ({"train_x": np.full((4, 2), np.nan, np.float32)}, "not finite"),
        ({"labels": 1}, r"outside 0 \.\.\. 0"),
        ({"test_x": np.zeros((4, 3), np.float32)}, "differ in shape"),
        ({"train_y": Y * 0, "test_y": Y * 0}, "one class only"),
        ({"train_y": Y * 0}, "test split has class 1, which no training sample has"),
    ],
)
def test_unfit_domains_are_refused_by_name(change, words):
    with pytest.raises(DomainError, match=rf"domain d.*{words}"):
        replace(GOOD, **change)


def test_standardised_by_the_training_split():
    train = np.array([[1.0, 5.0], [3.0, 5.0]])
    test = np.array([[2.0, 6.0], [5.0, 5.0]])
    a, b = standardise(train, test)
    assert a.tolist() == [[-1, 0], [1, 0]]
    assert b.tolist() == [[0, 1], [3, 0]]
    assert a.dtype == b.dtype == np.float32


def test_checksum_is_of_the_numbers_in_little_endian_order():
    y = np.array([1, 2], np.int64)
    expected = hashlib.sha256(bytes([1] + [0] * 7 + [2] + [0] * 7)).hexdigest()
    assert checksum(y) == checksum(y.astype(">i8")) == expected
    x = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert checksum(x.T) == checksum(x.T.copy()) != checksum(x)
