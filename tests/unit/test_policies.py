"""Networks: pools of them, their sizes, their initial weights; the shipped pool of trees."""

import itertools
import math
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from aiq.config import validate
from aiq.config.training import Network, Pool
from aiq.errors import InputError, TrainingError
from aiq.policies import learners, networks, trees
from aiq.records.trial import Architecture
from aiq.run.reducing.complexity import _largest_parameters

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


# ---- Pools ---------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(seed=st.integers(0, 2**63), index=st.integers(0, 10_000), family=st.sampled_from(["dense", "convolutional"]))
def test_a_member_lies_in_the_pools_ranges(seed, index, family):
    ranges = Pool(family=family, size=16, layers=(2, 4), width=(3, 9), dense_nodes=7, reduction="stride")
    member = networks.sample(ranges, seed, index)
    assert member.family == family
    assert 2 <= len(member.widths) <= 4
    assert all(3 <= width <= 9 for width in member.widths)
    assert (member.dense_nodes, member.reduction) == ((7, "stride") if family == "convolutional" else (0, "pooling"))


def test_the_first_members_depend_on_the_seed_and_not_on_size_or_chunks():
    assert networks.chunk(Pool(size=16), 5, "digits", 0) != networks.chunk(Pool(size=16), 6, "digits", 0)
    small, large = Pool(size=16), Pool(size=64, policies_per_chunk=32)
    assert networks.chunk(small, 5, "digits", 0) == networks.chunk(large, 5, "digits", 0)[:16]


def test_one_pool_serves_every_domain_with_other_initial_weights():
    first, second = (networks.chunk(Pool(size=16), 5, domain, 0) for domain in ("digits", "wine"))
    assert [p.architecture for p in first] == [p.architecture for p in second]
    assert not {p.seed for p in first} & {p.seed for p in second}


def test_depths_and_widths_are_uniform():
    members = [networks.sample(Pool(size=16), 11, index) for index in range(3000)]
    depths = np.bincount([len(m.widths) for m in members], minlength=4)[1:]
    widths = np.bincount([w for m in members for w in m.widths], minlength=33)[1:]
    for counts in (depths, widths):
        expected = counts.sum() / len(counts)
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert chi_square < (len(counts) - 1) + 4 * np.sqrt(2 * (len(counts) - 1))


def test_a_network_by_depth_and_width():
    assert networks.from_network(Network(layers=2, width=144)) == Architecture("dense", (144, 144))
    assert networks.from_network(Network(layers=0, width=1)) == Architecture("dense", ())
    convolutional = networks.from_network(Network(family="convolutional", layers=1, width=8))
    assert convolutional == Architecture("convolutional", (8,), 100)


# ---- the largest network of a pool's design, told from those that were drawn, against counting it


def counted(ranges, shape, outputs):
    """Count the networks of the largest width at every depth."""
    depths = range(ranges.layers[0], ranges.layers[1] + 1)
    return max(
        networks.parameters(networks.architecture_of(ranges, (ranges.width[1],) * d), shape, outputs) for d in depths
    )


@given(st.integers(0, 2**40), st.integers(1, 3000), st.integers(2, 120), st.integers(1, 3), st.integers(2, 64))
@settings(max_examples=40)
def test_the_largest_dense_network(seed, features, outputs, depth, width):
    ranges = Pool(size=16, layers=(1, depth), width=(1, width))
    drawn = [networks.sample(ranges, seed, i) for i in range(16)]
    found = _largest_parameters(ranges, drawn, [networks.parameters(a, (features,), outputs) for a in drawn])
    assert found == counted(ranges, (features,), outputs)


@given(st.integers(0, 2**40), st.integers(1, 3), st.integers(2, 20), st.sampled_from(["pooling", "stride"]))
@settings(max_examples=40)
def test_the_largest_convolutional_network(seed, channels, outputs, reduction):
    ranges = Pool(family="convolutional", size=32, layers=(1, 2), width=(1, 32), reduction=reduction)
    drawn = [networks.sample(ranges, seed, i) for i in range(32)]
    shape = (channels, 32, 28)
    found = _largest_parameters(ranges, drawn, [networks.parameters(a, shape, outputs) for a in drawn])
    assert found == counted(ranges, shape, outputs)


def test_numbers_that_no_domain_gives_are_not_extended():
    ranges = Pool(size=16)
    drawn = [networks.sample(ranges, 1, i) for i in range(16)]
    assert _largest_parameters(ranges, drawn, [10 * sum(a.widths) ** 2 for a in drawn]) == max(
        10 * sum(a.widths) ** 2 for a in drawn
    )


def test_what_the_networks_drawn_do_not_tell_is_not_guessed():
    ranges = Pool(size=16)
    one = networks.architecture_of(ranges, (3,))
    assert _largest_parameters(ranges, [one], [networks.parameters(one, (64,), 10)]) == networks.parameters(
        one, (64,), 10
    )


# ---- The shipped pool of decision trees ------------------------------------------------------------

CLASSES, NUMBER = SimpleNamespace(target="classes"), SimpleNamespace(target="number")


def leaves(count, seed=7, **arguments):
    return [one["arguments"]["leaves"] for one in itertools.islice(trees.drawn(seed, **arguments), count)]


def test_the_size_of_a_tree_by_hand():
    x, y = np.arange(4.0).reshape(-1, 1), np.array([0, 1, 1, 0])
    fitted = trees.tree(3, CLASSES, 5).fit(x, y)
    # x <= 0.5 and x <= 2.5: an input and a threshold each, and three answers
    assert trees.numbers(fitted) == 2 * 2 + 3
    assert trees.numbers(trees.tree(2, CLASSES, 5).fit(x, np.zeros(4))) == 1  # nothing to ask: one answer


def test_classes_and_numbers_are_learned():
    assert isinstance(trees.tree(4, CLASSES, 5), DecisionTreeClassifier)
    number = trees.tree(4, NUMBER, 5)
    assert isinstance(number, DecisionTreeRegressor)
    assert (number.max_leaf_nodes, number.random_state) == (4, 5)


def test_every_doubling_of_the_leaves_is_as_likely():
    found = np.array(leaves(6000, least=2, most=63))
    assert (found.min(), found.max()) == (2, 63)
    for low in (2, 4, 8, 16, 32):  # five doublings of 2 to 63
        share = np.mean((found >= low) & (found < 2 * low))
        assert share == pytest.approx(1 / 5, abs=4 * math.sqrt(0.16 / 6000))


def test_a_larger_pool_begins_with_the_smaller_one_and_seeds_differ():
    assert leaves(20)[:8] == leaves(8)
    assert leaves(20, seed=8) != leaves(20)
    assert set(leaves(5, least=3, most=3)) == {3}


@pytest.mark.parametrize("arguments", [{"least": 1}, {"least": 9, "most": 8}])
def test_a_range_that_is_none_is_refused(arguments):
    with pytest.raises(InputError, match="2 <= least <= most"):
        leaves(1, **arguments)


def test_a_pool_of_them_is_made_by_name():
    pool = validate(Pool, {"size": 4, "policies_per_chunk": 2, "learners": {"generator": "aiq.policies.trees:drawn"}})
    found = learners.members(pool, 7)
    assert [one.factory for one in found] == [trees.tree] * 4
    assert [one.size for one in found] == [trees.numbers] * 4
    assert found[0].name.startswith("aiq.policies.trees:tree ")
