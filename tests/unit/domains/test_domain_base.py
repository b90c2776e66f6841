"""What a labelled domain refuses to be, and standardised vectors."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from aiq.domains.base import DataSheet, LabelledDomain, checksum
from aiq.domains.labelled.splits import standardise
from aiq.errors import DomainError

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
