import zlib

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.errors import TrainingError
from aiq.policies import networks, size
from aiq.records.trial import Architecture

WIDTHS = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple)


@settings(deadline=None, max_examples=25)
@given(widths=WIDTHS, features=st.integers(1, 40), outputs=st.integers(2, 12), hidden=st.booleans())
def test_dense_size_is_the_modules_count(widths, features, outputs, hidden):
    architecture = Architecture("dense", widths if hidden else ())
    module = networks.network(architecture, (features,), outputs, seed=1)
    assert size.parameters(architecture, (features,), outputs) == sum(p.numel() for p in module.parameters())
    assert module(torch.zeros(3, features)).shape == (3, outputs)


@settings(deadline=None, max_examples=25)
@given(
    widths=WIDTHS,
    channels=st.integers(1, 3),
    height=st.integers(8, 33),
    width=st.integers(8, 33),
    reduction=st.sampled_from(["pooling", "stride"]),
)
def test_convolutional_size_is_the_modules_count(widths, channels, height, width, reduction):
    architecture = Architecture("convolutional", widths, 10, reduction)
    shape = (channels, height, width)
    module = networks.network(architecture, shape, 5, seed=1)
    assert size.parameters(architecture, shape, 5) == sum(p.numel() for p in module.parameters())
    assert module(torch.zeros(2, *shape)).shape == (2, 5)


def test_size_by_hand():
    assert size.parameters(Architecture("dense", (3,)), (4,), 2) == (4 * 3 + 3) + (3 * 2 + 2)
    picture = Architecture("convolutional", (2,), 5)
    assert size.parameters(picture, (1, 8, 8), 3) == (9 * 2 + 2) + (2 * 16 * 5 + 5) + (5 * 3 + 3)


def test_initial_weights_follow_the_rule_of_torch():
    architecture = Architecture("dense", (400,))
    weight, bias, *_ = networks.initial_weights(architecture, (100,), 300, seed=3)
    torch.manual_seed(0)
    torchs = torch.nn.Linear(100, 400).requires_grad_(False)
    for ours, theirs in ((weight, torchs.weight), (bias, torchs.bias)):
        assert ours.abs().max() <= 0.1
        assert ours.std() == pytest.approx(float(theirs.std()), rel=0.1)
        assert abs(float(ours.mean())) < 0.01


def test_initial_weights_are_a_function_of_the_seed():
    architecture = Architecture("dense", (5,))
    one, two, other = (networks.initial_weights(architecture, (4,), 3, seed) for seed in (1, 1, 2))
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_double_precision_starts_from_the_same_numbers():
    architecture = Architecture("convolutional", (5,), 7)
    single = networks.initial_weights(architecture, (1, 8, 8), 3, 1)
    double = networks.initial_weights(architecture, (1, 8, 8), 3, 1, torch.float64)
    assert all(torch.equal(a.double(), b) for a, b in zip(single, double, strict=True))


def test_compressed_size_is_that_of_zlib_over_all_weights():
    weights = networks.initial_weights(Architecture("dense", (5,)), (40,), 3, 1)
    raw = b"".join(w.numpy().astype("<f4").tobytes() for w in weights)
    assert size.compressed(weights) == len(zlib.compress(raw, 9))
    assert (
        size.compressed([torch.zeros(1000)])
        < 50
        < size.compressed([torch.from_numpy(np.random.default_rng(0).random(1000))])
    )


def test_convolutions_of_vectors_are_refused():
    with pytest.raises(TrainingError, match="take the dense family"):
        size.parameters(Architecture("convolutional", (2,), 5), (64,), 3)


def test_pictures_reduced_to_nothing_are_refused():
    with pytest.raises(TrainingError, match="to nothing"):
        size.parameters(Architecture("convolutional", (2, 2, 2, 2), 5), (1, 8, 8), 3)
