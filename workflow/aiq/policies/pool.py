"""Architectures drawn at random, and chunks of policies made of them (2.4.3, 3.1.4, 3.1.5)."""

from __future__ import annotations

from aiq import seeding
from aiq.config.training import Network, Pool
from aiq.errors import InputError
from aiq.records.trial import Architecture, Policy


def sample(pool: Pool, root_seed: int, index: int) -> Architecture:
    """Return member ``index`` of the pool: depth and the width of every layer uniform over the pool's ranges.

    The draw is keyed by the family, the ranges and the index alone, so the first members of a larger pool are
    the members of the smaller one, and nothing depends on how the pool is cut into chunks.

    Args:
        pool: family and ranges.
        root_seed: the configuration's root seed, not negative.
        index: position in the pool, from 0; may lie beyond ``pool.size``, which then is a larger pool's member.

    Raises:
        InputError: if the index is negative.
    """
    if index < 0:
        raise InputError(f"member {index} of a pool was asked for, members count from 0")
    generator = seeding.generator(root_seed, "pool", pool.family, *pool.layers, *pool.width, index)
    depth = int(generator.integers(pool.layers[0], pool.layers[1], endpoint=True))
    widths = generator.integers(pool.width[0], pool.width[1], size=depth, endpoint=True)
    return architecture_of(pool, tuple(int(width) for width in widths))


def architecture_of(pool: Pool, widths: tuple[int, ...]) -> Architecture:
    """Return the network of a pool's family that has these widths."""
    return _architecture(pool.family, widths, pool.dense_nodes, pool.reduction)


def chunk(pool: Pool, root_seed: int, domain: str, chunk: int) -> list[Policy]:
    """Return the policies of one chunk on one domain, each with the seed of its initial weights.

    The architectures are the same for every domain (2.4.3 asks for one pool); the initial weights are not: they
    are keyed by ("trial", domain, index).

    Raises:
        InputError: if the pool has no such chunk.
    """
    if not 0 <= chunk < pool.chunks:
        raise InputError(f"chunk {chunk} of the pool was asked for, it has chunks 0 to {pool.chunks - 1}")
    first = chunk * pool.policies_per_chunk
    return [
        Policy(sample(pool, root_seed, index), seeding.integer(root_seed, "trial", domain, index))
        for index in range(first, first + pool.policies_per_chunk)
    ]


def from_network(network: Network) -> Architecture:
    """Return the architecture of a network given by depth and width (agents, mixtures)."""
    return _architecture(network.family, (network.width,) * network.layers, network.dense_nodes, network.reduction)


def _architecture(family: str, widths: tuple[int, ...], dense_nodes: int, reduction: str) -> Architecture:
    """Return an architecture; what belongs to convolutions is left at its default in the dense family."""
    if family == "dense":
        return Architecture("dense", widths)
    return Architecture("convolutional", widths, dense_nodes, "stride" if reduction == "stride" else "pooling")
