"""Merged tests of pictures: what is drawn, how labels and pictures meet, the network of 2020, how it is scored."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aiq.domains import control_domain
from aiq.domains.base import DataSheet, LabelledDomain, Request
from aiq.domains.cartpole import draw
from aiq.domains.control.settings import CartPole
from aiq.domains.labelled.recorded import load_recorded
from aiq.domains.labelled.settings import Recorded
from aiq.errors import TrainingError
from aiq.training.data import LabelledData, mixed
from aiq.wings.similarity2020 import merging
from aiq.wings.similarity2020.merging import Learned, Lesson, accuracy, build, learn
from aiq.wings.similarity2020.settings import BlockNetwork

ADAM = {"name": "adam", "learning_rate": 0.005}


def network(**changes):
    return BlockNetwork(
        **{"kind": "blocks", "filters": [4, 8], "dense_nodes": 16, "epochs": 6, "batch_size": 16, "optimizer": ADAM,
           **changes}
    )  # fmt: skip


def pictures(name, train=120, test=200, side=8, classes=3, floats=False, space=None):
    """Pictures whose brightest (of the second test: darkest) quarter tells the class: easy to learn."""
    rng = np.random.default_rng(len(name))

    def split(count):
        y = rng.integers(0, classes, count)
        x = rng.integers(0, 60, (count, 1, side, side))
        for k, label in enumerate(y):
            x[k, 0, side // 2 * (label // 2) :, side // 2 * (label % 2) :][: side // 2, : side // 2] += 150
        x = 255 - x if name == "second" else x
        return (x.astype(np.float32) / 255 if floats else x.astype(np.uint8)), y.astype(np.int64)

    sheet = DataSheet("made", "made", "none", (0.0, 255.0), tuple("abcdef"[:classes]))
    return LabelledDomain(name, *split(train), *split(test), space or name, classes, sheet)


ONE, SECOND = pictures("one"), pictures("second")


# ---- the network


def test_the_network_is_three_double_blocks_and_a_dense_layer():
    model = build(network(filters=[32, 64, 128], dense_nodes=128), 0, (1, 32, 32), 10)
    kinds = [type(layer).__name__ for layer in model]
    block = ["Conv2d", "ReLU", "Conv2d", "ReLU", "MaxPool2d"]
    assert kinds == [*block * 3, "Flatten", "Linear", "ReLU", "Linear"]
    counted = sum(p.numel() for p in model.parameters())
    expected = sum(9 * c * f + f + 9 * f * f + f for c, f in ((1, 32), (32, 64), (64, 128)))
    assert counted == expected + (128 * 4 * 4 * 128 + 128) + (128 * 10 + 10)

    found = [network(filters=[8, 16, 32]).halved(h) for h in (0, 1, 3, 5)]
    assert found == [(8, 16, 32), (4, 8, 16), (1, 2, 4), (1, 1, 1)], "at least one is left"
    with pytest.raises(TrainingError, match="leave nothing of pictures of 4x4"):
        build(network(filters=[2, 2, 2]), 0, (1, 4, 4), 2)


def test_a_training_hangs_on_its_key_alone():
    data = LabelledData.of(pictures("easy"))
    lesson = Lesson("easy", data.train_x, data.train_y[:, None], (3,))
    torch.manual_seed(1)
    one = learn(lesson, network(epochs=1), repetition=4, seed=7).logits(data.test_x)
    torch.manual_seed(2)
    again = learn(lesson, network(epochs=1), repetition=4, seed=7).logits(data.test_x)
    other = learn(lesson, network(epochs=1), repetition=5, seed=7).logits(data.test_x)
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


# ---- sampled


@pytest.mark.parametrize("at", [0.0, 0.25, 0.5, 1.0])
def test_the_share_is_drawn_from_the_first_and_the_size_is_constant(at):
    data = mixed(pictures("one", train=120), pictures("second", train=90))
    lesson = merging._sampled(data, at, 90, 0, 0)
    assert len(lesson.x) == 90
    assert int((lesson.y < 3).sum()) == round(at * 90)
    assert lesson.outputs == (6,)
    assert len({x.numpy().tobytes() for x in lesson.x}) == 90, "nothing is drawn twice"


def test_the_larger_set_is_cut_to_the_smaller():
    both = pictures("one", train=120), pictures("second", train=70)
    whole, cut = (merging.Training(network(epochs=1), samples=samples) for samples in (None, 70))
    one, other = (merging.train_sampled(*both, how, at=0.5, repetitions=[0]) for how in (whole, cut))
    assert one.performance == other.performance
    with pytest.raises(TrainingError, match="there can be 2 to 70"):
        merging.train_sampled(*both, merging.Training(network(epochs=1), samples=71), at=0.5, repetitions=[0])


def test_bytes_and_numbers_meet_as_numbers():
    lesson = merging._sampled(mixed(pictures("one"), pictures("other", floats=True)), 0.5, 80, 0, 0)
    assert lesson.x.dtype == torch.float32
    assert 0.5 < float(lesson.x.max()) <= 1


def test_an_easy_pair_is_learned_and_the_performance_is_weighted():
    how = merging.Training(network(epochs=25))
    found = merging.train_sampled(ONE, SECOND, how, at=0.25, repetitions=[0, 1])
    assert found.first.min() > 0.8
    assert found.performance == pytest.approx(0.25 * found.first + 0.75 * found.second)
    last = merging.train_sampled(ONE, SECOND, how, at=0.25, repetitions=[1])
    assert found.first[1] == last.first[0], "whichever are trained together"
    alone = merging.train_alone(ONE, how, repetitions=[0])
    assert alone.sound.min() > 0.9
    assert alone.performance == pytest.approx(alone.first)


# ---- stitched


def test_a_stitched_pair_answers_both_and_a_control_is_there():
    how = merging.Training(network(epochs=25))
    pair = merging.train_stitched(ONE, SECOND, how, repetitions=[0])
    control = merging.train_stitched(ONE, ONE, how, repetitions=[0])
    for found in (pair, control):
        assert min(found.first[0], found.second[0]) > 0.8
        assert found.performance[0] == pytest.approx((found.first[0] + found.second[0]) / 2)
    assert (control.a, control.b) == ("one", "one")


def numbered(name, train, test, shape, classes, first=1):
    """Every pixel of a picture is its label plus ``first``, but one corner, which numbers the pictures."""
    parts = []
    for count in (train, test):
        y = np.arange(count) % classes
        x = np.broadcast_to((y + first)[:, None, None, None], (count, *shape)).astype(np.uint8).copy()
        x[:, 0, 0, 0] = np.arange(count)
        parts += [x, y.astype(np.int64)]
    return LabelledDomain(name, *parts, label_space=name, labels=classes, sheet=ONE.sheet)


A = numbered("a", 60, 24, (1, 4, 4), 5)
B = numbered("b", 40, 30, (1, 4, 4), 3, first=100)


def test_two_pictures_stand_side_by_side_with_both_labels():
    for lesson, count in zip(merging.stitched(A, B, seed=1), (40, 24), strict=True):
        assert lesson.x.shape == (count, 1, 4, 8)
        assert lesson.outputs == (5, 3)
        assert torch.equal(lesson.x[:, 0, 2, 1].long() - 1, lesson.y[:, 0])
        assert torch.equal(lesson.x[:, 0, 2, 5].long() - 100, lesson.y[:, 1])


def test_every_sample_stands_at_most_once_in_a_half():
    x = merging.stitched(A, B, seed=1)[0].x
    left, right = x[:, 0, 0, 0].tolist(), x[:, 0, 0, 4].tolist()
    assert len(set(left)) == len(set(right)) == 40
    assert set(right) == set(range(40))
    assert max(left) > 40  # those of the larger set are drawn from all of it
    assert left != sorted(left)


def test_a_control_shuffles_both_halves_on_their_own():
    lesson, _ = merging.stitched(A, A, seed=2)
    left, right = lesson.x[:, 0, 0, 0].tolist(), lesson.x[:, 0, 0, 4].tolist()
    assert sorted(left) == sorted(right) == list(range(60))
    assert sum(one == other for one, other in zip(left, right, strict=True)) < 10
    assert lesson.outputs == (5, 5)
    assert not torch.equal(lesson.y[:, 0], lesson.y[:, 1])


def test_the_seed_decides_the_pairing():
    one, same, other = (merging.stitched(A, B, seed=seed) for seed in (3, 3, 4))
    assert torch.equal(one[0].x, same[0].x)
    assert torch.equal(one[1].y, same[1].y)
    assert not torch.equal(one[0].x, other[0].x)


def test_smaller_pictures_are_padded_evenly_with_zeros():
    lesson, _ = merging.stitched(A, numbered("c", 40, 24, (3, 6, 8), 4, first=50), seed=0)
    assert lesson.x.shape[1:] == (3, 6, 16)
    left = lesson.x[:, :, :, :8]
    assert int(left[:, 1:].sum()) == 0  # channels that it does not have
    assert int(left[:, 0, 0].sum() + left[:, 0, 5].sum() + left[:, 0, :, :2].sum() + left[:, 0, :, 6:].sum()) == 0
    assert torch.equal(left[:, 0, 3, 4].long() - 1, lesson.y[:, 0])
    assert torch.equal(lesson.x[:, 2, 5, 15].long() - 50, lesson.y[:, 1])


def test_fewer_samples_on_demand():
    assert len(merging.stitched(A, B, seed=1, samples=7)[0].x) == 7
    for count in (0, 41):
        with pytest.raises(TrainingError, match=f"{count} stitched samples of a and b .* 1 to 40"):
            merging.stitched(A, B, seed=1, samples=count)


def test_vectors_are_refused_and_accuracies_are_those_of_both_halves():
    flat = replace(A, train_x=A.train_x.reshape(60, 16), test_x=A.test_x.reshape(24, 16))
    with pytest.raises(TrainingError, match="pictures are needed"):
        merging.stitched(B, flat, seed=0)
    _, test = merging.stitched(A, B, seed=5)
    logits = torch.zeros(24, 8)
    logits[torch.arange(24), test.y[:, 0]] = 1.0
    logits[torch.arange(24), 5 + test.y[:, 1]] = 1.0
    logits[:6, :5] = -logits[:6, :5]  # the first half is wrong for a quarter
    assert accuracy(Learned(lambda x: logits, 1, False, 0.0), test.x, test.y, test.outputs) == (0.75, 1.0)


# ---- played


@pytest.fixture(scope="module")
def pole():
    settings = Recorded(source="recorded", view="image", train_samples=1500, test_samples=300)
    return load_recorded(settings, Request("CP", 1, ("CP",), None, False))


GAME = merging.Played(control_domain("CP", CartPole(source="cartpole", steps=200)), 5)


def fixed(answer):
    """A network whose logits are a function of the pictures."""
    return Learned(answer, 1, False, 0.0)


def test_the_balance_time_of_constant_and_of_random_pushes(pole):
    """A constant push topples the pole after 8 to 10 steps, a random one after about 22 (of 200: .11)."""
    data = LabelledData.of(pole)
    left = fixed(lambda x: torch.tensor([[1.0, 0.0]]).expand(len(x), 2))
    assert 8 / 200 <= merging.balance(left, data, GAME, range(20)) <= 10.5 / 200
    drawn = torch.Generator().manual_seed(3)
    chance = fixed(lambda x: torch.rand((len(x), 2), generator=drawn))
    assert merging.balance(chance, data, GAME, range(300)) == pytest.approx(22.3 / 200, abs=0.011)


def test_the_action_is_the_largest_of_the_test_s_own_outputs(pole):
    data = mixed(pictures("one", side=32), pole)
    other = fixed(lambda x: torch.tensor([[9.0, 9.0, 9.0, 0.0, 1.0]]).expand(len(x), 5))
    plain = fixed(lambda x: torch.tensor([[0.0, 1.0]]).expand(len(x), 2))
    seeds = range(10)
    merged = merging.balance(other, data.second, GAME, seeds)
    assert merged == merging.balance(plain, LabelledData.of(pole), GAME, seeds)
    with pytest.raises(TrainingError, match="has 3 classes, the game that is played 2 actions"):
        merging.balance(other, data.first, GAME, seeds)


def test_the_network_sees_the_pictures_that_it_learned(pole):
    """The pictures of the first observations, with the world's own drawing, at the place of the padding."""
    seen = []
    spy = fixed(lambda x: seen.append(x) or torch.zeros(len(x), 2))
    data = LabelledData.of(pole)
    merging.balance(spy, data, GAME, [5, 6])
    worlds = GAME.domain.worlds([5, 6])
    first = worlds.reset(torch.ones(2, dtype=torch.bool)).numpy()
    assert np.array_equal(seen[0].numpy(), draw(first))


def test_a_merged_score_is_accuracy_and_balance_over_two(pole):
    how = merging.Training(network(filters=[4, 8, 8], epochs=3))
    easy = pictures("one", train=300, side=32)
    found = merging.train_sampled(easy, pole, how, at=0.5, repetitions=[0], played={"CP": GAME})
    assert found.performance[0] == pytest.approx((found.first[0] + found.second[0]) / 2)
    assert found.second[0] * 200 * 5 == pytest.approx(round(found.second[0] * 1000)), "whole steps of five episodes"


def test_a_network_that_diverged_is_lost():
    hot = network(epochs=3, optimizer={"name": "sgd", "learning_rate": 1e30})
    found = merging.train_alone(ONE, merging.Training(hot), repetitions=[0])
    assert (found.lost, len(found.sound)) == (1, 0)
