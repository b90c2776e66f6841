"""Entropies against brute force, closed forms and properties."""

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import entropy

pictures = hnp.arrays(
    np.uint8, st.tuples(st.integers(1, 4), st.integers(1, 7), st.integers(1, 7)), elements=st.integers(0, 3)
)


def bits(values):
    counts = Counter(values)
    total = len(values)
    return -sum(c / total * math.log2(c / total) for c in counts.values())


def slow_local(image):
    """Mean over pixels of the entropy in the disk of radius 1, as a rank filter takes it."""
    rows, columns = np.indices(image.shape)
    pixels = np.ndindex(image.shape)
    return np.mean([bits(image[(rows - y) ** 2 + (columns - x) ** 2 <= 1].tolist()) for y, x in pixels])


@given(pictures)
@settings(max_examples=150)
def test_local_entropy_equals_a_loop_over_pixels(images):
    record = entropy.local_image_entropy(images, 1, resamples=0)
    np.testing.assert_allclose(record.parts, [slow_local(image) for image in images], atol=1e-12)


def test_local_entropy_by_hand():
    # Corners see 3 pixels, edges 4, the middle 5; one bright pixel in the middle of a dark 3 x 3 picture.
    image = np.zeros((1, 3, 3), dtype=np.uint8)
    image[0, 1, 1] = 9
    edge = -(0.25 * math.log2(0.25) + 0.75 * math.log2(0.75))
    middle = -(0.2 * math.log2(0.2) + 0.8 * math.log2(0.8))
    record = entropy.local_image_entropy(image, 1, resamples=0)
    assert record.mean.value == pytest.approx((4 * edge + middle) / 9)
    distinct = entropy.local_image_entropy(np.arange(9).reshape(1, 3, 3), 1, resamples=0)
    assert distinct.mean.value == pytest.approx((4 * math.log2(3) + 4 * math.log2(4) + math.log2(5)) / 9)


@given(pictures)
def test_local_entropy_survives_turning_mirroring_and_renaming_levels(images):
    value = entropy.local_image_entropy(images, 1, resamples=0).parts
    for other in (np.rot90(images, axes=(1, 2)), images[:, ::-1], images.transpose(0, 2, 1), 200 - images):
        np.testing.assert_allclose(entropy.local_image_entropy(other, 1, resamples=0).parts, value, atol=1e-12)


def test_labels_add_the_logarithm_of_the_number_of_classes():
    assert entropy.local_image_entropy(np.zeros((1, 2, 2)), 2, resamples=9).total.interval is None
    flat = np.full((7, 4, 4), 3, dtype=np.uint8)
    record = entropy.local_image_entropy(flat, 100, resamples=20)
    assert record.label_bits == record.mean.value == pytest.approx(6.643856, abs=1e-6)
    assert record.total.value == pytest.approx(7 * 6.643856, abs=1e-5)
    assert record.mean.interval == pytest.approx((record.mean.value, record.mean.value))


def test_the_interval_of_the_sum_is_that_of_the_mean_times_the_images():
    record = entropy.local_image_entropy(np.random.default_rng(0).integers(0, 4, (11, 6, 5)), 4, resamples=50)
    low, high = record.mean.interval
    assert low < record.mean.value < high
    assert record.total.interval == pytest.approx((11 * low, 11 * high))


def test_real_numbers_are_rounded_to_the_same_levels():
    levels = np.random.default_rng(0).integers(0, 256, (5, 8, 8), dtype=np.uint8)
    whole = entropy.local_image_entropy(levels, 2, resamples=0).parts
    np.testing.assert_array_equal(entropy.local_image_entropy(levels / np.float32(255), 2, resamples=0).parts, whole)


def test_results_do_not_depend_on_how_pictures_are_cut_into_blocks(monkeypatch):
    images = np.random.default_rng(0).integers(0, 4, (23, 6, 5))
    labels = np.arange(23) % 3
    local, histogram = entropy.local_image_entropy(images, 3), entropy.histogram_entropy(images, labels)
    monkeypatch.setattr("aiq.measures.entropy._PIXELS", 100)
    np.testing.assert_array_equal(entropy.local_image_entropy(images, 3).parts, local.parts)
    np.testing.assert_array_equal(entropy.histogram_entropy(images, labels).parts, histogram.parts)


@given(pictures)
def test_histogram_entropy_equals_a_count(images):
    labels = np.arange(len(images))
    record = entropy.histogram_entropy(images, labels, resamples=0)
    np.testing.assert_allclose(record.parts, [bits(image.ravel().tolist()) for image in images], atol=1e-12)
    assert record.label_bits == pytest.approx(math.log2(len(images)))
    assert record.total.value == pytest.approx(record.parts.sum() + len(images) * record.label_bits)


def test_histogram_labels_count_by_their_frequency():
    record = entropy.histogram_entropy(np.zeros((4, 2, 2), dtype=int), ["a", "a", "a", "b"], resamples=0)
    assert record.mean.value == pytest.approx(bits("aaab"))


def slow_vector(table, bins):
    total = 0.0
    for column in np.asarray(table, dtype=float).T:
        if np.ptp(column) > 0:
            total += bits(np.repeat(np.arange(bins), np.histogram(column, bins=bins)[0]).tolist())
    return total


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(1, 20), st.integers(1, 4)), elements=st.integers(-9, 9)),
    st.sampled_from([1, 2, 16, 32]),
)
def test_vector_entropy_equals_histograms(table, bins):
    # Fractions of a range cut into a power of two of bins: no rounding decides an edge differently.
    record = entropy.vector_entropy(table * 19.0, 4, bins=bins, resamples=0)
    spans = np.ptp(table, axis=0)
    if np.isin(spans, [0, 1, 2, 4, 8, 16]).all():
        assert record.mean.value == pytest.approx(slow_vector(table, bins) + 2, abs=1e-9)
    assert 2 <= record.mean.value <= 2 + table.shape[1] * math.log2(bins) + 1e-9


def test_vector_entropy_of_random_data_equals_histograms():
    table = np.random.default_rng(1).normal(size=(500, 6))
    record = entropy.vector_entropy(table, 1)
    assert record.mean.value == pytest.approx(slow_vector(table, 30), abs=1e-9)
    assert record.parts.shape == (6,)


def test_evenly_filled_bins_and_a_constant():
    table = np.column_stack([np.arange(60) / 59, np.full(60, 7.0)])
    record = entropy.control_entropy([table[:20], table[20:]], resamples=0)
    np.testing.assert_allclose(record.parts, [math.log2(30), 0])
    assert record.label_bits == 0


def test_control_bootstrap_resamples_whole_episodes():
    rng = np.random.default_rng(2)
    episodes = [rng.normal(k, 1, size=(rng.integers(1, 30), 2)) for k in range(6)]
    record = entropy.control_entropy(episodes, resamples=40, seed=5)
    table = np.concatenate(episodes)
    low, high = table.min(axis=0), table.max(axis=0)
    cells = np.minimum(((table - low) / (high - low) * 30).astype(int), 29)
    unit = np.repeat(np.arange(6), [len(e) for e in episodes])
    rng = seeding.generator(5, "entropy", "bootstrap")
    drawn = [np.concatenate([np.flatnonzero(unit == k) for k in rng.integers(6, size=6)]) for _ in range(40)]
    expected = [sum(bits(column.tolist()) for column in cells[rows].T) for rows in drawn]
    np.testing.assert_allclose(record.replicates, expected, atol=1e-9)
    assert record.mean.n == 6
    assert record.total == record.mean


def test_the_interval_over_images_covers_the_mean_of_the_source():
    # Pictures of two pixels, equal with probability one half: 0 or 1 bit, so the mean of the source is 1/2.
    hits = 0
    for k in range(200):
        images = np.random.default_rng(k).integers(0, 2, (60, 1, 2))
        low, high = entropy.local_image_entropy(images, 1, resamples=300, seed=k).mean.interval
        hits += low <= 0.5 <= high
    assert 0.89 <= hits / 200 <= 0.99


def test_six_thousand_pictures_take_a_second_or_two():
    images = np.random.default_rng(0).integers(0, 16, (6_000, 32, 32), dtype=np.uint8)
    start = time.process_time()
    entropy.local_image_entropy(images, 10, resamples=10)
    assert time.process_time() - start < 3


IMAGES = np.zeros((2, 2, 2), dtype=int)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: entropy.local_image_entropy(np.zeros((2, 3, 4, 4)), 2), r"\(n, height, width\)"),
        (lambda: entropy.local_image_entropy(np.zeros((0, 4, 4)), 2), "not empty"),
        (lambda: entropy.local_image_entropy(IMAGES - 1, 2), "span -1 to -1"),
        (lambda: entropy.local_image_entropy(IMAGES + 70_000, 2), "0 to 65535"),
        (lambda: entropy.local_image_entropy(IMAGES + 1.5, 2), r"in \[0, 1\]"),
        (lambda: entropy.local_image_entropy(IMAGES.astype(str), 2), "whole grey levels or real numbers"),
        (lambda: entropy.vector_entropy(np.zeros(4), 2), r"\(rows, variables\)"),
        (lambda: entropy.vector_entropy([[1, np.inf]], 2), "1 values that are not finite"),
        (lambda: entropy.control_entropy([np.zeros((2, 3)), np.zeros((0, 3))]), "observations of episode 1"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)
