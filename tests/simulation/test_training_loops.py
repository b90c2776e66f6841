"""Compiled loops of trainings: the numbers of torch, exactly or up to the order of sums."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from torch.nn import functional

from aiq.policies import networks
from aiq.records.trial import Architecture
from aiq.training import flat, together
from aiq.training.convolutional import LOOK, channels_last
from aiq.training.data import mixed
from aiq.training.flat import counts, hits, largest
from tests.simulation.test_training_exactness import pictures


@pytest.fixture(autouse=True)
def one_thread():
    """The loops compute for one thread alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.integers(1, 3), st.integers(1, 35), st.integers(2, 9), st.integers(2, 9)),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_pooling_is_torchs_to_the_bit_with_ties_and_nan(shape, seed, odd):
    rng = np.random.default_rng(seed)
    raw = rng.integers(-2, 3, shape).astype(np.float32)  # many ties
    if odd:
        raw[rng.random(shape) < 0.1] = np.nan
        raw[rng.random(shape) < 0.1] = -np.inf
    pictures_ = torch.from_numpy(raw).contiguous(memory_format=torch.channels_last)
    found, places = largest(pictures_)
    known, where = torch.ops.aten.max_pool2d_with_indices(pictures_, (2, 2), (2, 2))
    assert torch.equal(found.nan_to_num(7), known.nan_to_num(7))
    assert torch.equal(found.isnan(), known.isnan())
    assert torch.equal(places, where)


def test_the_loop_of_pooling_is_used_by_one_thread_in_single_precision_alone(monkeypatch):
    called, pool = [], flat.pool
    monkeypatch.setattr(flat, "pool", lambda: called.append(1) or pool())
    raw = torch.randn(4, 6, 8, 8).contiguous(memory_format=torch.channels_last)
    first = largest(raw)[0]
    assert len(called) == 1
    assert torch.equal(largest(raw.double())[0], first.double())
    torch.set_num_threads(2)
    assert torch.equal(largest(raw)[0], first)
    assert len(called) == 1


@pytest.mark.parametrize("channels", [1, 3])
def test_convolutions_of_many_pictures_are_evaluated_in_parts_to_the_bit(channels):
    torch.manual_seed(1)
    x, weight, bias = torch.rand(LOOK + 70, channels, 13, 12), torch.randn(5, channels, 3, 3), torch.randn(5)
    whole = functional.conv2d(channels_last(x), weight, bias, padding=1)
    parts = [functional.conv2d(channels_last(part), weight, bias, padding=1) for part in x.split(LOOK)]
    assert torch.equal(whole, torch.cat(parts))


@settings(max_examples=200, deadline=None)
@given(
    st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 6)).flatmap(
        lambda shape: st.tuples(
            arrays.arrays(np.float32, shape, elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.inf, np.nan])),
            arrays.arrays(np.int64, (1, shape[2]), elements=st.integers(0, shape[1] - 1)),
            st.sets(st.integers(0, shape[1] - 1), min_size=1),
        )
    )
)
def test_hits_are_those_of_argmax(drawn):
    logits, labels, own = torch.from_numpy(drawn[0]), torch.from_numpy(drawn[1]), sorted(drawn[2])
    assert torch.equal(hits(logits, labels), logits.argmax(1) == labels)
    labels = torch.tensor(own)[labels % len(own)]
    among = torch.tensor(own)[logits[:, own].argmax(1)] == labels
    assert torch.equal(hits(logits, labels, own), among)
    assert torch.equal(counts(logits, labels, own), torch.stack([(logits.argmax(1) == labels).sum(1), among.sum(1)]))


@pytest.mark.parametrize("family", ["dense", "convolutional"])
def test_both_accuracies_of_one_evaluation_are_those_of_modules(family):
    pair = mixed(pictures("a", n=300), pictures("b", n=200, seed=1), sharing="apart")
    architecture = Architecture(family, (6,), 5 if family == "convolutional" else 0)
    weights = [networks.initial_weights(architecture, pair.shape, pair.outputs, seed) for seed in range(3)]
    for part in (pair.first, pair.second):
        found = together.evaluate([architecture] * 3, weights, part, tell=True)
        for seed in range(3):
            module = networks.network(architecture, pair.shape, pair.outputs, seed)
            with torch.no_grad():
                logits = module(part.test_x.float() * part.scale)
            own = torch.tensor(part.own)
            told = own[logits[:, own].argmax(1)] == part.test_y
            assert found[0][seed] == (logits.argmax(1) == part.test_y).double().mean()
            assert found[1][seed] == told.double().mean()
