"""A pool of decision trees, for ``pool.learners: {generator: aiq.policies.trees:drawn}``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from aiq import seeding
from aiq.errors import InputError


def drawn(seed: int, least: int = 2, most: int = 256) -> Iterator[dict[str, Any]]:
    """Yield trees without end, each with a largest number of leaves drawn anew; every doubling is as likely.

    Tree k hangs on the seed and k alone, so a larger pool begins with the smaller one, and all chunks of a pool are
    alike but for chance.

    Args:
        seed: root of the draws.
        least: smallest of these numbers of leaves, at least 2.
        most: largest of them.

    Raises:
        InputError: no such range of leaves.
    """
    if not 2 <= least <= most:
        raise InputError(f"least {least} and most {most} are no range of leaves; needed is 2 <= least <= most")
    for index in itertools.count():
        at = seeding.generator(seed, "trees", index).uniform(math.log(least), math.log(most + 1))
        leaves = min(int(math.exp(at)), most)  # rounding must not give one more
        yield {"factory": tree, "arguments": {"leaves": max(leaves, least)}, "size": numbers}


def tree(leaves: int, domain: Any, seed: int) -> Any:
    """Return scikit-learn's decision tree, not yet fitted.

    Args:
        leaves: at most so many, at least 2.
        domain: what it is to learn, whose ``target`` is ``classes`` or ``number``.
        seed: of its choice among splits that are equally good, below 2**32.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if domain.target == "number" else DecisionTreeClassifier
    return kind(max_leaf_nodes=leaves, random_state=seed)


def numbers(fitted: Any) -> int:
    """Return the size of a fitted tree: two numbers for every branch (an input, a threshold), one for every leaf.

    Args:
        fitted: a tree of scikit-learn.
    """
    answers = int(fitted.get_n_leaves())
    return 2 * (int(fitted.tree_.node_count) - answers) + answers
