"""Context tree weighting beside the sum over all suffix trees, and undo beside never having been there."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.wings.algorithmic.equations import context_tree as ct


def suffix_trees(depth):
    """Yield the leaves of every suffix tree of at most this depth, and its number of nodes above the depth."""
    yield [()], 1 if depth else 0
    if depth:
        for (zeros, a), (ones, b) in itertools.product(list(suffix_trees(depth - 1)), repeat=2):
            yield [(0, *leaf) for leaf in zeros] + [(1, *leaf) for leaf in ones], 1 + a + b


def kt(bits):
    counts, probability = [0, 0], 1.0
    for bit in bits:
        probability *= (counts[bit] + 0.5) / (sum(counts) + 1)
        counts[bit] += 1
    return probability


def brute_force(bits, depth):
    past = [0] * depth + list(bits)
    total, weights = 0.0, 0.0
    for leaves, nodes in suffix_trees(depth):
        seen = {leaf: [] for leaf in leaves}
        for k, bit in enumerate(bits):
            context = tuple(past[depth + k - 1 - level] for level in range(depth))
            seen[next(leaf for leaf in leaves if context[: len(leaf)] == leaf)].append(bit)
        total += 2.0**-nodes * math.prod(kt(part) for part in seen.values())
        weights += 2.0**-nodes
    assert weights == pytest.approx(1)
    return total


def predict(trees):
    """The probability that the next bit is 1."""
    return ct._mixture(trees, trees.depths[0], ct._descend(trees, 0))


def forest(depth, bits=4096, simulated=16):
    return ct.new_forest(np.array([depth]), bits, simulated, 4096)


@given(st.integers(0, 3), st.lists(st.integers(0, 1), min_size=1, max_size=24))
@settings(deadline=None, max_examples=60)
def test_probabilities_equal_the_sum_over_all_suffix_trees(depth, bits):
    trees = forest(depth)
    product = 1.0
    for k, bit in enumerate(bits):
        one = predict(trees)
        assert one == pytest.approx(brute_force([*bits[:k], 1], depth) / brute_force(bits[:k], depth), rel=1e-9)
        given_bit = ct.learn_bit(trees, 0, bit)
        assert given_bit == pytest.approx(one if bit else 1 - one, rel=1e-9)
        product *= given_bit
    assert product == pytest.approx(brute_force(bits, depth), rel=1e-9)


def test_number_of_suffix_trees():
    assert [len(list(suffix_trees(depth))) for depth in range(5)] == [1, 2, 5, 26, 677]


def test_a_periodic_sequence_becomes_certain():
    trees = forest(4)
    for k in range(600):
        probability = ct.learn_bit(trees, 0, int(k % 3 == 0))
    assert probability > 0.99


@given(st.integers(0, 6), st.lists(st.integers(0, 1), max_size=40), st.lists(st.floats(0, 1), min_size=1, max_size=16))
@settings(deadline=None, max_examples=60)
def test_undo_leaves_no_trace_of_what_was_imagined(depth, bits, chances):
    trees = forest(depth)
    for bit in bits:
        ct.learn_bit(trees, 0, bit)
    used = int(trees.registers[0])
    before = [trees.nodes[:used].copy(), trees.odds[:used].copy(), trees.registers.copy()]
    for chance in chances:
        ct.imagine_bit(trees, 0, chance)
    ct.undo_bits(trees, len(chances))
    for saved, now in zip(before, (trees.nodes[:used], trees.odds[:used], trees.registers), strict=True):
        np.testing.assert_array_equal(saved, now)
    never = forest(depth)
    for bit in bits:
        ct.learn_bit(never, 0, bit)
    assert predict(trees) == predict(never)


def test_imagined_bits_follow_the_prediction():
    trees = forest(3)
    for k in range(40):
        ct.learn_bit(trees, 0, int(k % 4 != 0))
    one = predict(trees)
    chances = (np.arange(1000) + 0.5) / 1000
    drawn = []
    for chance in chances:
        drawn.append(ct.imagine_bit(trees, 0, chance))
        ct.undo_bits(trees, 1)
    assert np.mean(drawn) == pytest.approx(one, abs=1e-3)


def test_a_forest_that_grows_predicts_as_one_that_was_large():
    small, large = ct.new_forest(np.array([8]), 400, 1, 16), ct.new_forest(np.array([8]), 400, 1, 8192)
    rng = np.random.default_rng(1)
    for bit in rng.integers(2, size=300):
        small = ct.grown(small, 9)
        assert ct.learn_bit(small, 0, int(bit)) == ct.learn_bit(large, 0, int(bit))
    assert small.odds.size > 16
