import zlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.errors import TrainingError
from aiq.policies import networks
from aiq.records.trial import Architecture

WIDTHS = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple)


@settings(max_examples=25)
@given(widths=WIDTHS, features=st.integers(1, 40), outputs=st.integers(2, 12), hidden=st.booleans())
def test_dense_size_is_the_modules_count(widths, features, outputs, hidden):
    architecture = Architecture("dense", widths if hidden else ())
    module = networks.network(architecture, (features,), outputs, seed=1)
    assert networks.parameters(architecture, (features,), outputs) == sum(p.numel() for p in module.parameters())
    assert module(torch.zeros(3, features)).shape == (3, outputs)


@settings(max_examples=25)
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
    assert networks.parameters(architecture, shape, 5) == sum(p.numel() for p in module.parameters())
    assert module(torch.zeros(2, *shape)).shape == (2, 5)


def test_size_by_hand():
    assert networks.parameters(Architecture("dense", (3,)), (4,), 2) == (4 * 3 + 3) + (3 * 2 + 2)
    picture = Architecture("convolutional", (2,), 5)
    assert networks.parameters(picture, (1, 8, 8), 3) == (9 * 2 + 2) + (2 * 16 * 5 + 5) + (5 * 3 + 3)


def test_initial_weights_follow_the_rule_of_torch():
    architecture = Architecture("dense", (400,))
    weight, bias, *_ = networks.initial_weights(architecture, (100,), 300, seed=3)
    torch.manual_seed(0)
    torchs = torch.nn.Linear(100, 400).requires_grad_(False)
    for ours, theirs in ((weight, torchs.weight), (bias, torchs.bias)):
        assert ours.abs().max() <= 0.1
        assert ours.std() == pytest.approx(float(theirs.std()), rel=0.1)
        assert abs(float(ours.mean())) < 0.01


def test_initial_weights_are_a_function_of_the_seed_whatever_the_precision():
    architecture = Architecture("convolutional", (5,), 7)
    one, two, other, double = (
        networks.initial_weights(architecture, (1, 8, 8), 3, seed, kind)
        for seed, kind in ((1, torch.float32), (1, torch.float32), (2, torch.float32), (1, torch.float64))
    )
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert all(torch.equal(a.double(), b) for a, b in zip(one, double, strict=True))


def test_compressed_size_is_that_of_zlib_over_all_weights():
    weights = networks.initial_weights(Architecture("dense", (5,)), (40,), 3, 1)
    raw = b"".join(w.numpy().astype("<f4").tobytes() for w in weights)
    assert networks.compressed(weights) == len(zlib.compress(raw, 9))
    assert networks.compressed([torch.zeros(1000)]) < 50


@pytest.mark.parametrize(
    ("widths", "shape", "words"), [((2,), (64,), "take the dense family"), ((2, 2, 2, 2), (1, 8, 8), "to nothing")]
)
def test_convolutions_of_vectors_and_pictures_reduced_to_nothing_are_refused(widths, shape, words):
    with pytest.raises(TrainingError, match=words):
        networks.parameters(Architecture("convolutional", widths, 5), shape, 3)
