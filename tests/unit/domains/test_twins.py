"""Twins: the same samples under other names of places and classes, and nothing else."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from aiq import domains
from aiq.config import validate
from aiq.config.base import fingerprint
from aiq.domains.labelled.variants import deranged_labels, permuted_places, places_that_vary, turned
from aiq.errors import DomainError

DIGITS = {"source": "sklearn", "name": "digits", "classes": 5, "limit": 100, "limit_test": 50}


def load(**variant):
    raw = {"source": "sklearn", **(variant if "name" in variant else DIGITS | variant)}
    return domains.load("d", validate(domains.FAMILIES["sklearn"].settings, raw), root_seed=3)


@given(st.integers(2, 12), st.integers(0, 50))
def test_no_class_keeps_its_name(classes, number):
    names = tuple(range(3, 3 + classes))
    y = np.repeat(np.array(names), 3)
    renamed = deranged_labels(y, names, 1, "twin", number)
    assert not (renamed == y).any()
    assert sorted(renamed) == sorted(y)
    assert all(len(set(renamed[y == name])) == 1 for name in names)


def test_all_derangements_are_equally_likely():
    drawn = [tuple(deranged_labels(np.arange(4), (0, 1, 2, 3), 1, "twin", k)) for k in range(1800)]
    counts = np.array([drawn.count(one) for one in set(drawn)])
    assert counts.size == 9  # of 24 permutations of 4, 9 leave nothing in its place
    assert ((counts - 200) ** 2 / 200).sum() < 26.1  # chi-square, 8 degrees of freedom, .001
    with pytest.raises(DomainError, match="at least 2 classes"):
        deranged_labels(np.zeros(3, np.int64), (0,), 1, "twin")


def test_only_places_that_vary_move_and_pixels_keep_their_channels():
    x = np.zeros((4, 3, 2, 3), np.uint8)
    x[:, :, 0, :] = np.arange(36).reshape(4, 3, 3)
    places = places_that_vary(x)
    assert list(places) == [0, 1, 2]
    moved = permuted_places(x, places, 1, "twin", 4)
    assert (moved[:, :, 1] == 0).all()
    columns = {tuple(x[:, :, 0, i].ravel()) for i in range(3)}
    assert {tuple(moved[:, :, 0, i].ravel()) for i in range(3)} == columns
    assert not np.array_equal(moved, permuted_places(x, places, 1, "twin", 5)) or len(places) < 3


def test_a_twin_is_its_test_under_other_names():
    test, twin, other = load(), load(twin=1), load(twin=2)
    for x, y, twin_x, twin_y in (
        (test.train_x, test.train_y, twin.train_x, twin.train_y),
        (test.test_x, test.test_y, twin.test_x, twin.test_y),
    ):
        columns = [[tuple(column) for column in a.reshape(len(a), -1).T] for a in (x, twin_x)]
        assert sorted(columns[0]) == sorted(columns[1])
        assert columns[0] != columns[1]
        assert len(set(zip(y, twin_y, strict=True))) == 5
        assert not (y == twin_y).any()
    assert not np.array_equal(twin.train_x, other.train_x)
    assert test.label_space == twin.label_space


def learned(test, first, second):
    """Accuracy of a network of two layers, after 150 steps on the whole training split."""
    first, second = first.clone().requires_grad_(), second.clone().requires_grad_()
    x, held = (torch.tensor(part.reshape(len(part), -1) / 255.0) for part in (test.train_x, test.test_x))
    steps = torch.optim.SGD([first, second], lr=0.5)
    for _ in range(150):
        steps.zero_grad()
        torch.nn.functional.cross_entropy((x @ first.T).relu() @ second.T, torch.tensor(test.train_y)).backward()
        steps.step()
    said = ((held @ first.T).relu() @ second.T).argmax(dim=1)
    return float((said == torch.tensor(test.test_y)).double().mean())


def test_a_network_with_its_weights_permuted_alike_learns_a_twin_as_well_as_the_test():
    test, twin = load(), load(twin=1)
    columns, others = (np.concatenate([one.train_x, one.test_x]).reshape(-1, 64).T.tolist() for one in (test, twin))
    places = []
    for column in others:
        places.append(next(k for k, one in enumerate(columns) if one == column and k not in places))
    names = [int(twin.train_y[test.train_y == label][0]) for label in range(5)]
    random = torch.Generator().manual_seed(1)
    first, second = (torch.randn(*shape, generator=random).double() / 8 for shape in ((16, 64), (5, 16)))
    one = learned(test, first, second)
    assert one > 0.8
    assert abs(one - learned(twin, first[:, places], second[np.argsort(names)])) < 0.02


def test_a_test_without_a_twin_keeps_its_fingerprint():
    settings = domains.FAMILIES["sklearn"].settings
    assert "twin" not in validate(settings, DIGITS).model_dump(mode="json")
    assert fingerprint(validate(settings, DIGITS)) == fingerprint(validate(settings, {**DIGITS, "twin": 0}))
    assert fingerprint(validate(settings, DIGITS)) != fingerprint(validate(settings, {**DIGITS, "twin": 1}))


def test_a_number_is_negated_in_every_other_twin():
    test, one, two = (load(name="diabetes", limit=60, limit_test=30, twin=k) for k in (0, 1, 2))
    assert (one.train_y == -test.train_y).all()
    assert (two.test_y == test.test_y).all()
    for twin in (one, two):
        assert not np.array_equal(twin.train_x, test.train_x)
        assert np.array_equal(np.sort(twin.train_x, axis=1), np.sort(test.train_x, axis=1))


# ---- pictures as a whole ------------------------------------------------------------------------


def symmetries(x):
    """All eight ways to turn and mirror square pictures, the way they are first."""
    turns = [np.rot90(x, k, axes=(2, 3)) for k in range(4)]
    return [*turns, *(one[..., ::-1] for one in turns)]


def test_pictures_are_turned_and_mirrored_in_all_seven_ways_before_one_comes_again():
    x = np.random.default_rng(1).integers(0, 255, (3, 1, 5, 5)).astype(np.uint8)
    ways = [
        next(i for i, one in enumerate(symmetries(x)) if np.array_equal(one, turned(x, k, 1, "d"))) for k in range(1, 9)
    ]
    assert sorted(ways[:7]) == list(range(1, 8))
    assert ways[7] == ways[0]


def test_a_picture_that_is_no_square_keeps_its_shape():
    x = np.random.default_rng(1).integers(0, 255, (3, 1, 2, 5)).astype(np.uint8)
    found = [turned(x, k, 1, "d") for k in (1, 2, 3)]
    assert {one.shape for one in found} == {x.shape}
    assert len({one.tobytes() for one in (x, *found)}) == 4


def test_channels_are_exchanged_as_a_whole():
    x = np.random.default_rng(1).integers(0, 255, (2, 3, 4, 4)).astype(np.uint8)
    sums = {tuple(turned(x, k, 1, "d").sum(axis=(2, 3))[0]) for k in range(1, 30)}
    assert len(sums) == 6
    assert {tuple(sorted(one)) for one in sums} == {tuple(sorted(x.sum(axis=(2, 3))[0]))}


def test_a_twin_that_moves_the_picture_keeps_neighbours():
    test, twin = load(), load(twin=1, twin_moves="picture")
    assert any(np.array_equal(one, twin.train_x) for one in symmetries(test.train_x)[1:])
    assert not (test.train_y == twin.train_y).any()
    assert any("turned or mirrored" in note for note in twin.sheet.notes)
    assert not np.array_equal(load(twin=1).train_x, twin.train_x)
