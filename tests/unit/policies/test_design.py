"""The largest network of a pool's design, told from those that were drawn, against counting it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.config.training import Pool
from aiq.policies import pool
from aiq.policies.design import largest_parameters
from aiq.policies.size import parameters


def counted(ranges, shape, outputs):
    """Count the networks of the largest width at every depth."""
    depths = range(ranges.layers[0], ranges.layers[1] + 1)
    return max(parameters(pool.architecture_of(ranges, (ranges.width[1],) * d), shape, outputs) for d in depths)


@given(st.integers(0, 2**40), st.integers(1, 3000), st.integers(2, 120), st.integers(1, 3), st.integers(2, 64))
@settings(deadline=None, max_examples=40)
def test_dense_networks(seed, features, outputs, depth, width):
    ranges = Pool(size=16, layers=(1, depth), width=(1, width))
    drawn = [pool.sample(ranges, seed, i) for i in range(16)]
    found = largest_parameters(ranges, drawn, [parameters(a, (features,), outputs) for a in drawn])
    assert found == counted(ranges, (features,), outputs)


@given(st.integers(0, 2**40), st.integers(1, 3), st.integers(2, 20), st.sampled_from(["pooling", "stride"]))
@settings(deadline=None, max_examples=40)
def test_convolutional_networks(seed, channels, outputs, reduction):
    ranges = Pool(family="convolutional", size=32, layers=(1, 2), width=(1, 32), reduction=reduction)
    drawn = [pool.sample(ranges, seed, i) for i in range(32)]
    shape = (channels, 32, 28)
    found = largest_parameters(ranges, drawn, [parameters(a, shape, outputs) for a in drawn])
    assert found == counted(ranges, shape, outputs)


def test_numbers_that_no_domain_gives_are_not_extended():
    ranges = Pool(size=16)
    drawn = [pool.sample(ranges, 1, i) for i in range(16)]
    assert largest_parameters(ranges, drawn, [10 * sum(a.widths) ** 2 for a in drawn]) == max(
        10 * sum(a.widths) ** 2 for a in drawn
    )


def test_what_the_networks_drawn_do_not_tell_is_not_guessed():
    ranges = Pool(size=16)
    one = pool.architecture_of(ranges, (3,))
    assert largest_parameters(ranges, [one], [parameters(one, (64,), 10)]) == parameters(one, (64,), 10)
    with pytest.raises(ValueError, match="without hidden layer"):
        largest_parameters(ranges, [pool.architecture_of(ranges, ())], [650])
