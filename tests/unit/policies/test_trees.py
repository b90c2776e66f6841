"""The shipped pool of decision trees: which trees it holds, and how large they are."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from aiq.config import validate
from aiq.config.training import Pool
from aiq.errors import InputError
from aiq.policies import learners, trees

CLASSES, NUMBER = SimpleNamespace(target="classes"), SimpleNamespace(target="number")


def leaves(count, seed=7, **arguments):
    return [one["arguments"]["leaves"] for one in itertools.islice(trees.drawn(seed, **arguments), count)]


def test_the_size_of_a_tree_by_hand():
    x, y = np.arange(4.0).reshape(-1, 1), np.array([0, 1, 1, 0])
    fitted = trees.tree(3, CLASSES, 5).fit(x, y)
    # x <= 0.5 and x <= 2.5: an input and a threshold each, and three answers
    assert trees.numbers(fitted) == 2 * 2 + 3
    assert trees.numbers(trees.tree(2, CLASSES, 5).fit(x, np.zeros(4))) == 1  # nothing to ask: one answer


def test_more_leaves_are_more_numbers():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    for most in (2, 5, 20):
        assert trees.numbers(trees.tree(most, CLASSES, 5).fit(x, y)) == 3 * most - 2


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
