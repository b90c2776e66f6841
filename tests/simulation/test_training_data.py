import numpy as np
import pytest
import torch

from aiq.config.training import Convergence
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.errors import TrainingError
from aiq.training import data
from aiq.training.orders import mixture_order, shared_order

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


def test_labels_without_output_are_refused():
    tensors = data.LabelledData.of(domain("a", (3,), [0, 1], dtype=np.float32))
    with pytest.raises(TrainingError, match="outside the 1 outputs"):
        data.LabelledData("a", tensors.train_x, tensors.train_y, tensors.test_x, tensors.test_y, 1, 1.0)


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


def test_label_spaces_that_disagree_are_refused():
    with pytest.raises(TrainingError, match="label spaces of their own"):
        data.mixed(domain("a", (3,), [0, 1], space="s"), domain("bb", (3,), [0, 1], space="s", of=4))


def test_each_epoch_visits_every_sample_once_and_never_a_held_out_one():
    order = shared_order(3, 50, Convergence(validation=0.2))
    assert len(order.held_out) == 10
    epochs = [order.epoch(number) for number in range(3)]
    for epoch in epochs:
        assert sorted(torch.cat([epoch, order.held_out]).tolist()) == list(range(50))
    assert not torch.equal(epochs[0], epochs[1])
    assert torch.equal(epochs[2], shared_order(3, 50, Convergence(validation=0.2)).epoch(2))
    assert not torch.equal(epochs[2], shared_order(4, 50, Convergence(validation=0.2)).epoch(2))


def test_nothing_is_held_out_without_a_rule():
    assert len(shared_order(3, 50, None).held_out) == 0


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
