"""The stitched merge: labels stay with their pictures, halves are paired at random, controls, accuracies."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.wings.similarity2020.merging import stitched
from aiq.wings.similarity2020.network import Learned, accuracy

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


A = pictures("a", 60, 24, (1, 4, 4), 5)
B = pictures("b", 40, 30, (1, 4, 4), 3, first=100)


def test_two_pictures_stand_side_by_side_with_both_labels():
    for lesson, count in zip(stitched(A, B, seed=1), (40, 24), strict=True):
        assert lesson.x.shape == (count, 1, 4, 8)
        assert lesson.outputs == (5, 3)
        assert torch.equal(lesson.x[:, 0, 2, 1].long() - 1, lesson.y[:, 0])
        assert torch.equal(lesson.x[:, 0, 2, 5].long() - 100, lesson.y[:, 1])


def test_every_sample_stands_at_most_once_in_a_half():
    x = stitched(A, B, seed=1)[0].x
    left, right = x[:, 0, 0, 0].tolist(), x[:, 0, 0, 4].tolist()
    assert len(set(left)) == len(set(right)) == 40
    assert set(right) == set(range(40))
    assert max(left) > 40  # those of the larger set are drawn from all of it
    assert left != sorted(left)


def test_a_control_shuffles_both_halves_on_their_own():
    lesson, _ = stitched(A, A, seed=2)
    left, right = lesson.x[:, 0, 0, 0].tolist(), lesson.x[:, 0, 0, 4].tolist()
    assert sorted(left) == sorted(right) == list(range(60))
    assert sum(one == other for one, other in zip(left, right, strict=True)) < 10
    assert lesson.outputs == (5, 5)
    assert not torch.equal(lesson.y[:, 0], lesson.y[:, 1])


def test_the_seed_decides_the_pairing():
    one, same, other = (stitched(A, B, seed=seed) for seed in (3, 3, 4))
    assert torch.equal(one[0].x, same[0].x)
    assert torch.equal(one[1].y, same[1].y)
    assert not torch.equal(one[0].x, other[0].x)


def test_smaller_pictures_are_padded_evenly_with_zeros():
    lesson, _ = stitched(A, pictures("c", 40, 24, (3, 6, 8), 4, first=50), seed=0)
    assert lesson.x.shape[1:] == (3, 6, 16)
    left = lesson.x[:, :, :, :8]
    assert int(left[:, 1:].sum()) == 0  # channels that it does not have
    assert int(left[:, 0, 0].sum() + left[:, 0, 5].sum() + left[:, 0, :, :2].sum() + left[:, 0, :, 6:].sum()) == 0
    assert torch.equal(left[:, 0, 3, 4].long() - 1, lesson.y[:, 0])
    assert torch.equal(lesson.x[:, 2, 5, 15].long() - 50, lesson.y[:, 1])


def test_fewer_samples_on_demand():
    assert len(stitched(A, B, seed=1, samples=7)[0].x) == 7
    for count in (0, 41):
        with pytest.raises(TrainingError, match=f"{count} stitched samples of a and b .* 1 to 40"):
            stitched(A, B, seed=1, samples=count)


def test_vectors_are_refused_and_accuracies_are_those_of_both_halves():
    flat = replace(A, train_x=A.train_x.reshape(60, 16), test_x=A.test_x.reshape(24, 16))
    with pytest.raises(TrainingError, match="pictures are needed"):
        stitched(B, flat, seed=0)
    _, test = stitched(A, B, seed=5)
    logits = torch.zeros(24, 8)
    logits[torch.arange(24), test.y[:, 0]] = 1.0
    logits[torch.arange(24), 5 + test.y[:, 1]] = 1.0
    logits[:6, :5] = -logits[:6, :5]  # the first half is wrong for a quarter
    assert accuracy(Learned(lambda x: logits, 1, False, 0.0), test.x, test.y, test.outputs) == (0.75, 1.0)
