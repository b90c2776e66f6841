import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.config.training import Network, Pool
from aiq.policies import pool
from aiq.policies.networks import parameters
from aiq.policies.pool import largest_parameters
from aiq.records.trial import Architecture


@settings(max_examples=30)
@given(seed=st.integers(0, 2**63), index=st.integers(0, 10_000), family=st.sampled_from(["dense", "convolutional"]))
def test_a_member_lies_in_the_pools_ranges(seed, index, family):
    ranges = Pool(family=family, size=16, layers=(2, 4), width=(3, 9), dense_nodes=7, reduction="stride")
    member = pool.sample(ranges, seed, index)
    assert member.family == family
    assert 2 <= len(member.widths) <= 4
    assert all(3 <= width <= 9 for width in member.widths)
    assert (member.dense_nodes, member.reduction) == ((7, "stride") if family == "convolutional" else (0, "pooling"))


def test_the_first_members_depend_on_the_seed_and_not_on_size_or_chunks():
    assert pool.chunk(Pool(size=16), 5, "digits", 0) != pool.chunk(Pool(size=16), 6, "digits", 0)
    small, large = Pool(size=16), Pool(size=64, policies_per_chunk=32)
    assert [p for c in range(1) for p in pool.chunk(small, 5, "digits", c)] == pool.chunk(large, 5, "digits", 0)[:16]


def test_one_pool_serves_every_domain_with_other_initial_weights():
    first, second = (pool.chunk(Pool(size=16), 5, domain, 0) for domain in ("digits", "wine"))
    assert [p.architecture for p in first] == [p.architecture for p in second]
    assert not {p.seed for p in first} & {p.seed for p in second}


def test_depths_and_widths_are_uniform():
    members = [pool.sample(Pool(size=16), 11, index) for index in range(3000)]
    depths = np.bincount([len(m.widths) for m in members], minlength=4)[1:]
    widths = np.bincount([w for m in members for w in m.widths], minlength=33)[1:]
    for counts in (depths, widths):
        expected = counts.sum() / len(counts)
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert chi_square < (len(counts) - 1) + 4 * np.sqrt(2 * (len(counts) - 1))


def test_a_network_by_depth_and_width():
    assert pool.from_network(Network(layers=2, width=144)) == Architecture("dense", (144, 144))
    assert pool.from_network(Network(layers=0, width=1)) == Architecture("dense", ())
    convolutional = pool.from_network(Network(family="convolutional", layers=1, width=8))
    assert convolutional == Architecture("convolutional", (8,), 100)


# ---- the largest network of a pool's design, told from those that were drawn, against counting it


def counted(ranges, shape, outputs):
    """Count the networks of the largest width at every depth."""
    depths = range(ranges.layers[0], ranges.layers[1] + 1)
    return max(parameters(pool.architecture_of(ranges, (ranges.width[1],) * d), shape, outputs) for d in depths)


@given(st.integers(0, 2**40), st.integers(1, 3000), st.integers(2, 120), st.integers(1, 3), st.integers(2, 64))
@settings(max_examples=40)
def test_the_largest_dense_network(seed, features, outputs, depth, width):
    ranges = Pool(size=16, layers=(1, depth), width=(1, width))
    drawn = [pool.sample(ranges, seed, i) for i in range(16)]
    found = largest_parameters(ranges, drawn, [parameters(a, (features,), outputs) for a in drawn])
    assert found == counted(ranges, (features,), outputs)


@given(st.integers(0, 2**40), st.integers(1, 3), st.integers(2, 20), st.sampled_from(["pooling", "stride"]))
@settings(max_examples=40)
def test_the_largest_convolutional_network(seed, channels, outputs, reduction):
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
