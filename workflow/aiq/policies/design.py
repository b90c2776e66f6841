"""How large the networks of a pool's design can be on a domain, told from those that were drawn.

The number of parameters of a network is linear in what the domain gives (inputs, outputs, the areas that convolutions
leave of its pictures), with coefficients that are products of widths. So the networks of a pool fix the size of every
other network of its design, without the domain.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.config.training import Pool
from aiq.policies.pool import architecture_of
from aiq.records.trial import Architecture

Floats = npt.NDArray[np.float64]

_KERNEL_AREA = 9
_ROUNDING = 1e-6


def largest_parameters(pool: Pool, drawn: Sequence[Architecture], parameters: Sequence[int]) -> int:
    """Return the number of parameters of the largest network of a pool's design on some domain.

    Args:
        pool: family and ranges.
        drawn: networks of the pool, at least one.
        parameters: how many each of them has on the domain.

    Returns:
        The largest over all depths at the largest width, of those that the networks drawn determine, and at least
        the largest that was drawn. That one alone where no domain gives the networks drawn their parameters.
    """
    depths = pool.layers[1]
    table = np.array([_terms(architecture, depths)[0] for architecture in drawn])
    rest = np.array(parameters, dtype=np.float64) - [_terms(architecture, depths)[1] for architecture in drawn]
    found = [max(parameters)]
    given = np.linalg.lstsq(table, rest, rcond=None)[0]
    if np.abs(table @ given - rest).max() > _ROUNDING * found[0] or given[:2].min() < 1 - _ROUNDING:
        return found[0]  # every domain has at least one input and one output
    for depth in range(pool.layers[0], depths + 1):
        wanted, known = _terms(architecture_of(pool, (pool.width[1],) * depth), depths)
        mixture = np.linalg.lstsq(table.T, wanted, rcond=None)[0]
        if np.abs(table.T @ mixture - wanted).max() <= _ROUNDING * np.abs(wanted).max():
            found.append(round(float(mixture @ rest) + known))
    return max(found)


def _terms(architecture: Architecture, depths: int) -> tuple[Floats, int]:
    """Return the coefficients of what the domain gives, and the parameters that it has no part in.

    What it gives: inputs (or channels), outputs, and for convolutions the area left by each depth, 1 to ``depths``.
    """
    widths, terms = architecture.widths, np.zeros(2 + depths)
    if architecture.family == "dense":
        if not widths:
            raise ValueError("a network without hidden layer has no coefficients of its own")
        terms[:2] = widths[0], widths[-1] + 1
        return terms, widths[0] + sum((before + 1) * after for before, after in itertools.pairwise(widths))
    dense = architecture.dense_nodes
    terms[:2] = _KERNEL_AREA * widths[0], dense + 1
    terms[1 + len(widths)] = widths[-1] * dense
    inner = sum(_KERNEL_AREA * before * after for before, after in itertools.pairwise(widths))
    return terms, inner + sum(widths) + dense
