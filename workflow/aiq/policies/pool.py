"""Architectures drawn at random, chunks of policies made of them (2.4.3, 3.1.4, 3.1.5), and how large they can be."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from aiq import seeding
from aiq.config.training import Network, Pool
from aiq.records.estimate import Floats
from aiq.records.trial import Architecture, Policy


def sample(pool: Pool, root_seed: int, index: int) -> Architecture:
    """Return member ``index`` of the pool: depth and the width of every layer uniform over the pool's ranges.

    The draw is keyed by the family, the ranges and the index alone, so the first members of a larger pool are the
    members of the smaller one, and nothing depends on how the pool is cut into chunks; the index may lie beyond
    ``pool.size``, which then is a larger pool's member.
    """
    generator = seeding.generator(root_seed, "pool", pool.family, *pool.layers, *pool.width, index)
    depth = int(generator.integers(pool.layers[0], pool.layers[1], endpoint=True))
    widths = generator.integers(pool.width[0], pool.width[1], size=depth, endpoint=True)
    return architecture_of(pool, tuple(int(width) for width in widths))


def architecture_of(kind: Pool | Network, widths: tuple[int, ...]) -> Architecture:
    """Return the network of a family that has these widths; what belongs to convolutions is a default in dense ones."""
    if kind.family == "dense":
        return Architecture("dense", widths)
    return Architecture("convolutional", widths, kind.dense_nodes, kind.reduction)


def chunk(pool: Pool, root_seed: int, domain: str, chunk: int) -> list[Policy]:
    """Return the policies of one chunk on one domain, each with the seed of its initial weights.

    The architectures are the same for every domain (2.4.3 asks for one pool); the initial weights are not: they
    are keyed by ("trial", domain, index).
    """
    first = chunk * pool.policies_per_chunk
    return [
        Policy(sample(pool, root_seed, index), seeding.integer(root_seed, "trial", domain, index))
        for index in range(first, first + pool.policies_per_chunk)
    ]


def from_network(network: Network) -> Architecture:
    """Return the architecture of a network given by depth and width (agents, mixtures)."""
    return architecture_of(network, (network.width,) * network.layers)


# ---- How large the networks of a pool's design can be on a domain --------------------------------


_KERNEL_AREA = 9
_ROUNDING = 1e-6


def largest_parameters(pool: Pool, drawn: Sequence[Architecture], parameters: Sequence[int]) -> int:
    """Return the number of parameters of the largest network of a pool's design on some domain.

    The number of parameters of a network is linear in what the domain gives (inputs, outputs, the areas that
    convolutions leave of its pictures), with coefficients that are products of widths. So the networks of a pool fix
    the size of every other network of its design, without the domain. ``parameters`` are those of the networks
    ``drawn``.

    Returns:
        The largest over all depths at the largest width, of those that the networks drawn determine, and at least
        the largest that was drawn. That one alone where no domain gives the networks drawn their parameters.
    """
    depths = pool.layers[1]
    table = np.array([_terms(architecture, depths)[0] for architecture in drawn])
    rest = np.array(parameters, dtype=np.float64) - [_terms(architecture, depths)[1] for architecture in drawn]
    candidates = [max(parameters)]
    given = np.linalg.lstsq(table, rest, rcond=None)[0]
    if np.abs(table @ given - rest).max() > _ROUNDING * candidates[0] or given[:2].min() < 1 - _ROUNDING:
        return candidates[0]  # every domain has at least one input and one output
    for depth in range(pool.layers[0], depths + 1):
        wanted, constant = _terms(architecture_of(pool, (pool.width[1],) * depth), depths)
        mixture = np.linalg.lstsq(table.T, wanted, rcond=None)[0]
        if np.abs(table.T @ mixture - wanted).max() <= _ROUNDING * np.abs(wanted).max():
            candidates.append(round(float(mixture @ rest) + constant))
    return max(candidates)


def _terms(architecture: Architecture, depths: int) -> tuple[Floats, int]:
    """Return the coefficients of what the domain gives, and the parameters that it has no part in.

    What it gives: inputs (or channels), outputs, and for convolutions the area left by each depth, 1 to ``depths``.
    """
    widths, terms = architecture.widths, np.zeros(2 + depths)
    if architecture.family == "dense":
        terms[:2] = widths[0], widths[-1] + 1
        return terms, widths[0] + sum((before + 1) * after for before, after in itertools.pairwise(widths))
    dense = architecture.dense_nodes
    terms[:2] = _KERNEL_AREA * widths[0], dense + 1
    terms[1 + len(widths)] = widths[-1] * dense
    inner = sum(_KERNEL_AREA * before * after for before, after in itertools.pairwise(widths))
    return terms, inner + sum(widths) + dense
