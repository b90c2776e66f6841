"""Context tree weighting of binary sequences, compiled, with exact undo.

Willems, Shtarkov and Tjalkens (1995), with the KT estimator P(b) = (n_b + 1/2) / (n_0 + n_1 + 1): the mixture over
all suffix trees of depth at most D, tree by tree with weight 2 ** -(number of its nodes, leaves at depth D
free). A node's weighted probability is half its KT probability plus half the product of its
children's. Instead of these probabilities, which underflow, a node keeps their ratio (the posterior odds
that the suffix tree ends at this node), so that each conditional probability is a mixture of numbers in (0, 1)
and no logarithm is needed. Odds are held within 1e-300 and 1e300.

A forest is one tree for every bit of a percept (factored, Veness et al. 2011, section 5), or one tree for all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aiq.wings.algorithmic.equations import Array, compiled, compiled_leaf

_USED, _LOGGED, _BITS, _LENGTH = 0, 1, 2, 3
_MOST, _LEAST = 1e300, 1e-300


class Forest(NamedTuple):
    """Context trees over one history of bits; roots are nodes 0 to trees - 1."""

    nodes: Array  # int32, (capacity, 4): child for context bit 0 and 1 (0: none), number of zeros and ones
    odds: Array  # float64, (capacity,)
    depths: Array  # int64, (trees,)
    history: Array  # int8, bits so far, behind as many zeros as the deepest tree is deep
    registers: Array  # int64: nodes used, log entries, logged bits, length of the history
    path: Array  # int64, (deepest + 1,): nodes of the present context, root first
    shares: Array  # float64, (deepest + 1, 2): 1 / (n_0 + n_1 + 1) and 1 / (1 + odds) along the path
    log_node: Array  # int32, nodes in the order in which simulation changed them
    log_odds: Array  # float64, their odds before
    log_bits: Array  # int64, (bits, 3): nodes used before, log entries, bit


@compiled
def new_forest(depths: Array, bits: int, simulated: int, capacity: int) -> Forest:
    """Return a forest for a history of at most ``bits`` bits, of which ``simulated`` can be undone."""
    deepest = depths.max()
    registers = np.zeros(4, np.int64)
    registers[_USED], registers[_LENGTH] = depths.shape[0], deepest
    return Forest(
        np.zeros((capacity, 4), np.int32), np.ones(capacity), depths, np.zeros(deepest + bits, np.int8), registers,
        np.zeros(deepest + 1, np.int64), np.zeros((deepest + 1, 2)), np.zeros(simulated * (deepest + 1), np.int32),
        np.zeros(simulated * (deepest + 1)), np.zeros((simulated, 3), np.int64),
    )  # fmt: skip


@compiled
def grown(forest: Forest, spare: int) -> Forest:
    """Return the forest with room for at least ``spare`` more nodes (the same one where it has it)."""
    capacity = forest.odds.shape[0]
    if forest.registers[_USED] + spare <= capacity:
        return forest
    larger = capacity + max(capacity, spare)
    nodes, odds = np.empty((larger, 4), np.int32), np.empty(larger)
    for node in range(forest.registers[_USED]):
        odds[node] = forest.odds[node]
        for k in range(4):
            nodes[node, k] = forest.nodes[node, k]
    return Forest(
        nodes, odds, forest.depths, forest.history, forest.registers, forest.path, forest.shares, forest.log_node,
        forest.log_odds, forest.log_bits,
    )  # fmt: skip


@compiled_leaf
def append(forest: Forest, bit: int) -> None:
    """Add a bit to the history without learning it (actions)."""
    forest.history[forest.registers[_LENGTH]] = bit
    forest.registers[_LENGTH] += 1


@compiled_leaf
def forget_bits(forest: Forest, count: int) -> None:
    """Take the last ``count`` bits, appended without learning, off the history."""
    forest.registers[_LENGTH] -= count


@compiled_leaf
def _descend(forest: Forest, tree: int) -> int:
    """Fill ``path`` with the nodes of the context, made in a chain where they lack; return how many there were."""
    nodes, history, path = forest.nodes, forest.history, forest.path
    depth, last = forest.depths[tree], forest.registers[_LENGTH] - 1
    node = np.int64(tree)
    existing = 1
    path[0] = node
    while existing <= depth:
        child = np.int64(nodes[node, history[last - existing + 1]])
        if child == 0:
            break
        node = child
        path[existing] = node
        existing += 1
    used = forest.registers[_USED]
    for level in range(existing, depth + 1):
        nodes[node, history[last - level + 1]] = used
        node = used
        used += 1
        nodes[node, :] = 0
        forest.odds[node] = 1.0
        path[level] = node
    forest.registers[_USED] = used
    return existing


@compiled_leaf
def _mixture(forest: Forest, depth: int, existing: int) -> float:
    """Return P(next bit is 1) given the context in ``path``; new nodes say one half. Keeps divisions for `_learn`."""
    nodes, odds, path, shares = forest.nodes, forest.odds, forest.path, forest.shares
    probability = 0.5
    for level in range(existing - 1, -1, -1):
        node = path[level]
        share = 1.0 / (nodes[node, 2] + nodes[node, 3] + 1.0)
        shares[level, 0] = share
        own = (nodes[node, 3] + 0.5) * share
        if level == depth:
            probability = own
        else:
            shares[level, 1] = 1.0 / (1.0 + odds[node])
            probability = (odds[node] * own + probability) * shares[level, 1]
    return probability


@compiled_leaf
def _learn(forest: Forest, depth: int, existing: int, bit: int) -> float:
    """Update the nodes in ``path`` with ``bit`` after `_mixture`, append it, and return its probability before."""
    nodes, odds, path, shares = forest.nodes, forest.odds, forest.path, forest.shares
    for level in range(existing, depth + 1):
        nodes[path[level], 2 + bit] = 1
    probability = 0.5
    for level in range(existing - 1, -1, -1):
        node = path[level]
        own = (nodes[node, 2 + bit] + 0.5) * shares[level, 0]
        nodes[node, 2 + bit] += 1
        if level == depth:
            probability = own
        else:
            before = odds[node]
            odds[node] = min(max(before * own / probability, _LEAST), _MOST)
            probability = (before * own + probability) * shares[level, 1]
    forest.history[forest.registers[_LENGTH]] = bit
    forest.registers[_LENGTH] += 1
    return probability


@compiled_leaf
def learn_bit(forest: Forest, tree: int, bit: int) -> float:
    """Learn the next bit with a tree, for good; return the probability that the tree gave it."""
    existing, depth = _descend(forest, tree), forest.depths[tree]
    _mixture(forest, depth, existing)
    return _learn(forest, depth, existing, bit)


@compiled_leaf
def imagine_bit(forest: Forest, tree: int, chance: float) -> int:
    """Draw the next bit from a tree with the uniform number ``chance``; `undo_bits` can take it back."""
    registers = forest.registers
    entry, logged, depth = registers[_BITS], registers[_LOGGED], forest.depths[tree]
    forest.log_bits[entry, 0] = registers[_USED]
    existing = _descend(forest, tree)
    bit = 1 if chance < _mixture(forest, depth, existing) else 0
    for level in range(existing):
        forest.log_node[logged + level] = forest.path[level]
        forest.log_odds[logged + level] = forest.odds[forest.path[level]]
    forest.log_bits[entry, 1], forest.log_bits[entry, 2] = existing, bit
    registers[_LOGGED], registers[_BITS] = logged + existing, entry + 1
    _learn(forest, depth, existing, bit)
    return bit


@compiled_leaf
def undo_bits(forest: Forest, count: int) -> None:
    """Take back the last ``count`` imagined bits: counts, odds, nodes and history are as before."""
    nodes, registers = forest.nodes, forest.registers
    for _ in range(count):
        registers[_BITS] -= 1
        entry = registers[_BITS]
        used, existing, bit = forest.log_bits[entry, 0], forest.log_bits[entry, 1], forest.log_bits[entry, 2]
        begin = registers[_LOGGED] - existing
        registers[_LENGTH] -= 1
        for level in range(existing):
            node = forest.log_node[begin + level]
            nodes[node, 2 + bit] -= 1
            forest.odds[node] = forest.log_odds[begin + level]
        if registers[_USED] > used:
            nodes[forest.log_node[begin + existing - 1], forest.history[registers[_LENGTH] - existing]] = 0
        registers[_LOGGED], registers[_USED] = begin, used
