"""The stitched merge: labels stay with their pictures, halves are paired at random, controls, accuracies."""

import numpy as np
import pytest
import torch

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.wings.similarity2020.stitched import accuracy, stitched

SHEET = DataSheet("made up", "here", "none", (0, 255))


def pictures(name, train, test, shape, classes, first=1):
    """Every pixel of a picture is its label plus ``first``, but one corner, which numbers the pictures."""
    parts = []
    for count in (train, test):
        y = np.arange(count) % classes
        x = np.broadcast_to((y + first)[:, None, None, None], (count, *shape)).astype(np.uint8).copy()
        x[:, 0, 0, 0] = np.arange(count)
        parts += [x, y.astype(np.int64)]
    return LabelledDomain(name, *parts, label_space=name, labels=classes, sheet=SHEET)


def vectors(name, train, test, features, classes=3):
    parts = []
    for count in (train, test):
        y = (np.arange(count) % classes).astype(np.int64)
        parts += [np.repeat(y[:, None], features, axis=1).astype(np.float32), y]
    return LabelledDomain(name, *parts, label_space=name, labels=classes, sheet=SHEET)


A = pictures("a", 60, 24, (1, 4, 4), 5)
B = pictures("b", 40, 30, (1, 4, 4), 3, first=100)


def test_two_pictures_stand_side_by_side_with_both_labels():
    data = stitched(A, B, seed=1)
    assert data.shape == (1, 4, 8)
    assert data.outputs == (5, 3)
    assert (len(data.train_x), len(data.test_x)) == (40, 24)
    for x, y in ((data.train_x, data.train_y), (data.test_x, data.test_y)):
        assert torch.equal(x[:, 0, 2, 1].long() - 1, y[:, 0])
        assert torch.equal(x[:, 0, 2, 5].long() - 100, y[:, 1])
    assert data.scale == 1 / 255


def test_every_sample_stands_at_most_once_in_a_half():
    data = stitched(A, B, seed=1)
    left, right = data.train_x[:, 0, 0, 0].tolist(), data.train_x[:, 0, 0, 4].tolist()
    assert len(set(left)) == len(set(right)) == 40
    assert set(right) == set(range(40))
    assert max(left) > 40  # those of the larger set are drawn from all of it
    assert left != sorted(left)


def test_a_control_shuffles_both_halves_on_their_own():
    data = stitched(A, A, seed=2)
    left, right = data.train_x[:, 0, 0, 0].tolist(), data.train_x[:, 0, 0, 4].tolist()
    assert sorted(left) == sorted(right) == list(range(60))
    assert sum(one == other for one, other in zip(left, right, strict=True)) < 10
    assert data.outputs == (5, 5)
    assert not torch.equal(data.train_y[:, 0], data.train_y[:, 1])


def test_the_seed_decides_the_pairing():
    one, same, other = (stitched(A, B, seed=seed) for seed in (3, 3, 4))
    assert torch.equal(one.train_x, same.train_x)
    assert torch.equal(one.test_y, same.test_y)
    assert not torch.equal(one.train_x, other.train_x)


def test_smaller_pictures_are_padded_evenly_with_zeros():
    colour = pictures("c", 40, 24, (3, 6, 8), 4, first=50)
    data = stitched(A, colour, seed=0)
    assert data.shape == (3, 6, 16)
    left = data.train_x[:, :, :, :8]
    assert int(left[:, 1:].sum()) == 0  # channels that it does not have
    assert int(left[:, 0, 0].sum() + left[:, 0, 5].sum() + left[:, 0, :, :2].sum() + left[:, 0, :, 6:].sum()) == 0
    assert torch.equal(left[:, 0, 3, 4].long() - 1, data.train_y[:, 0])
    assert torch.equal(data.train_x[:, 2, 5, 15].long() - 50, data.train_y[:, 1])


def test_vectors_are_joined_end_to_end_and_pictures_flattened_beside_them():
    data = stitched(vectors("v", 30, 12, 2), vectors("w", 50, 12, 3), seed=0)
    assert data.shape == (5,)
    assert torch.equal(data.train_x[:, 0].long(), data.train_y[:, 0])
    assert torch.equal(data.train_x[:, 4].long(), data.train_y[:, 1])
    both = stitched(A, vectors("v", 30, 12, 2), seed=0)
    assert (both.shape, both.train_x.dtype, both.scale) == ((18,), torch.float32, 1.0)
    assert torch.allclose(both.train_x[:, 5], (both.train_y[:, 0] + 1) / 255)
    assert torch.equal(both.train_x[:, 17].long(), both.train_y[:, 1])


def test_fewer_samples_on_demand():
    assert len(stitched(A, B, seed=1, samples=7).train_x) == 7
    for count in (0, 41):
        with pytest.raises(TrainingError, match=f"{count} stitched samples of a and b .* 1 to 40"):
            stitched(A, B, seed=1, samples=count)


def test_accuracies_of_both_halves():
    data = stitched(A, B, seed=5)
    logits = torch.zeros(24, 8)
    logits[torch.arange(24), data.test_y[:, 0]] = 1.0
    logits[torch.arange(24), 5 + data.test_y[:, 1]] = 1.0
    logits[:6, :5] = -logits[:6, :5]  # the first half is wrong for a quarter
    found = accuracy(data, logits)
    assert (found.first, found.second, found.both, found.performance) == (0.75, 1.0, 0.75, 0.875)
    with pytest.raises(TrainingError, match="need \\(24, 8\\)"):
        accuracy(data, logits[:, :7])
