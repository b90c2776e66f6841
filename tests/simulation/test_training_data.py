import numpy as np
import pytest
import torch

from aiq.config.training import Convergence
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.records.domains import Interface
from aiq.training import data
from aiq.training.feeds import mixture_order, shared_order

SHEET = DataSheet("made up", "test", "none", (0, 1))


def domain(name, shape, labels, *, space=None, of=10, dtype=np.uint8, n=20):
    generator = np.random.default_rng(len(name))
    x = generator.integers(1, 256, size=(n, *shape)).astype(dtype)
    y = np.resize(np.array(labels, dtype=np.int64), n)
    return LabelledDomain(name, x, y, x[:8], y[:8], space or name, of, SHEET)


def test_classes_are_counted_compactly_and_label_spaces_whole():
    source = domain("a", (1, 4, 4), [2, 5, 7])
    compact, whole = (data.LabelledData.of(source, outputs) for outputs in ("classes", "label_space"))
    assert (compact.outputs, whole.outputs) == (3, 10)
    assert compact.train_y[:3].tolist() == [0, 1, 2]
    assert whole.train_y[:3].tolist() == [2, 5, 7]
    assert compact.train_x.dtype == torch.uint8
    assert compact.scale == 1 / 255


def test_one_label_space_is_shared_and_two_are_disjoint():
    low, high = domain("low", (3,), [0, 1], space="s"), domain("high", (3,), [1, 4], space="s")
    shared = data.mixed(low, high)
    assert shared.outputs == 3
    assert shared.first.train_y[:2].tolist() == [0, 1]
    assert shared.second.train_y[:2].tolist() == [1, 2]
    assert data.mixed(low, high, "label_space").outputs == 10
    apart = data.mixed(low, domain("other", (3,), [0, 3]))
    assert apart.outputs == 4
    assert apart.second.train_y[:2].tolist() == [2, 3]
    assert data.mixed(low, domain("other", (3,), [0, 3]), "label_space").outputs == 20


def test_a_domain_with_itself_is_one():
    source = domain("a", (3,), [0, 1])
    pair = data.mixed(source, source)
    assert pair.same
    assert pair.first is pair.second
    assert pair.outputs == 2


def test_pictures_are_padded_centred_and_channels_behind():
    small, large = domain("s", (1, 4, 4), [0, 1]), domain("large", (3, 8, 7), [0, 1])
    pair = data.mixed(small, large)
    assert pair.shape == (3, 8, 7)
    padded = pair.first.train_x.numpy()
    assert np.array_equal(padded[:, :1, 2:6, 1:5], small.train_x)
    assert padded.sum() == small.train_x.sum()
    assert np.array_equal(pair.second.train_x.numpy(), large.train_x)


def test_a_picture_meets_a_vector_flattened():
    picture, vector = domain("p", (1, 4, 4), [0, 1]), domain("vec", (5,), [0, 1], dtype=np.float32)
    pair = data.mixed(picture, vector)
    assert pair.shape == (16,)
    assert np.array_equal(pair.first.train_x.numpy(), picture.train_x.reshape(-1, 16))
    assert np.array_equal(pair.second.train_x.numpy()[:, :5], vector.train_x)
    assert not pair.second.train_x.numpy()[:, 5:].any()


def test_each_epoch_visits_every_sample_once_and_never_a_held_out_one():
    order = shared_order(3, 50, Convergence(validation=0.2))
    assert (len(order.held_out), len(shared_order(3, 50, None).held_out)) == (10, 0)
    epochs = [order.epoch(number) for number in range(3)]
    for epoch in epochs:
        assert sorted(torch.cat([epoch, order.held_out]).tolist()) == list(range(50))
    assert not torch.equal(epochs[0], epochs[1])
    assert torch.equal(epochs[2], shared_order(3, 50, Convergence(validation=0.2)).epoch(2))
    assert not torch.equal(epochs[2], shared_order(4, 50, Convergence(validation=0.2)).epoch(2))


@pytest.mark.parametrize("proportion", [0.0, 0.3, 1.0])
def test_a_mixture_draws_in_proportion_without_replacement(proportion):
    pair = data.mixed(domain("a", (3,), [0, 1], n=2000), domain("bb", (3,), [0, 1], n=1000))
    rows = mixture_order(pair, proportion, 0, 1000, 5, None).fit
    assert len(rows.unique()) == 1000
    assert float((rows < 2000).double().mean()) == pytest.approx(proportion, abs=0.05)


def test_a_split_that_is_exhausted_is_drawn_anew():
    pair = data.mixed(domain("a", (3,), [0, 1]), domain("bb", (3,), [0, 1]))
    rows = mixture_order(pair, 1.0, 0, 50, 5, None).fit
    counts = torch.bincount(rows)
    assert len(counts) == 20
    assert set(counts.tolist()) == {2, 3}


def test_a_domain_with_itself_is_drawn_from_one_permutation():
    source = domain("a", (3,), [0, 1])
    for proportion in (0.0, 0.5, 1.0):
        rows = mixture_order(data.mixed(source, source), proportion, 0, 20, 5, None).fit
        assert sorted(rows.tolist()) == list(range(20))


def test_every_mixture_has_its_own_stream():
    pair = data.mixed(domain("a", (3,), [0, 1]), domain("bb", (3,), [0, 1]))
    base = mixture_order(pair, 0.5, 0, 20, 5, None)
    others = [
        mixture_order(pair, 0.6, 0, 20, 5, None),
        mixture_order(pair, 0.5, 1, 20, 5, None),
        mixture_order(pair, 0.5, 0, 20, 6, None),
    ]
    assert not any(torch.equal(base.epoch(0), other.epoch(0)) for other in others)


# ---- the interface of a suite -------------------------------------------------------------------


def test_the_interface_of_a_suite_by_hand():
    suite = [
        domain("s", (1, 4, 4), [0, 1], n=30), domain("large", (3, 8, 7), [0, 3]),
        domain("vec", (5,), [2, 9], dtype="f4"),
        domain("low", (2,), [0, 1], space="both", dtype="f4"), domain("high", (2,), [1, 4], space="both", dtype="f4"),
    ]  # fmt: skip
    found = data.suite_interface(suite)
    assert found == Interface((168,), (3, 8, 7), 3 + 2, 20)
    assert found == data.suite_interface(reversed(suite))
    assert data.suite_interface(suite, "label_space", samples=7) == Interface((168,), (3, 8, 7), 20, 7)
    assert data.suite_interface(suite, sharing="shared").outputs == 3
    assert data.suite_interface(suite[:2]) == Interface((3, 8, 7), None, 4, 20)
    assert data.suite_interface([domain("long", (200,), [0, 1], dtype="f4"), *suite]).shape == (200,)
    with pytest.raises(TrainingError, match="label spaces of their own"):
        data.suite_interface([*suite, domain("more", (2,), [0, 1], space="both", of=11)])


def test_pictures_are_centred_before_they_are_flattened_among_vectors():
    small, vector = domain("s", (1, 2, 2), [0, 1]), domain("vec", (40,), [0, 1], dtype=np.float32)
    common = data.suite_interface([small, vector, domain("wide", (1, 6, 4), [0, 1])])
    ours = data.mixed_on(common, small, vector).first.train_x.numpy()
    assert ours.shape == (20, 40)
    assert np.array_equal(ours[:, :24].reshape(-1, 1, 6, 4)[:, :, 2:4, 1:3], small.train_x)
    assert ours.sum() == small.train_x.sum()


def test_under_an_interface_the_first_domain_has_the_first_outputs():
    low, high = domain("low", (3,), [1, 4], space="s"), domain("high", (3,), [1, 2], space="s")
    other = domain("other", (3,), [0, 7])
    common = data.suite_interface([low, high, other])
    assert common.outputs == 5
    pair = data.mixed_on(common, low, high)
    assert (pair.first.own, pair.second.own, pair.outputs) == ((0, 1), (0, 2), 5)
    assert pair.second.train_y[:2].tolist() == [0, 2]
    assert data.mixed_on(common, low, other).second.own == (2, 3)
    assert data.mixed_on(common, low, other, sharing="shared").second.own == (0, 1)
    for pair in (data.mixed_on(common, high, low), data.mixed_on(common, high, other)):
        assert torch.equal(pair.first.train_y, data.alone(high, "classes", common).train_y)
    assert data.mixed_on(common, low, low).same
    whole = data.suite_interface([low, high, other], "label_space")
    assert data.mixed_on(whole, low, other, "label_space").second.own == (10, 17)


def test_shared_outputs_begin_alike_and_own_outputs_are_those_of_the_classes_that_occur():
    pair = data.mixed(domain("a", (3,), [1, 2, 5]), domain("bb", (3,), [0, 3]), sharing="shared")
    assert (pair.outputs, pair.first.own, pair.second.own) == (3, (0, 1, 2), (0, 1))
    low, high = domain("low", (3,), [0, 1], space="s"), domain("high", (3,), [1, 4], space="s")
    pair = data.mixed(low, high)
    assert (pair.first.own, pair.second.own) == ((0, 1), (1, 2))
    assert data.mixed(low, high, "label_space").second.own == (1, 4)
