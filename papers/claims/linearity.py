"""Is one score more nearly linear in the number of nodes than another? A statistic, without its bias, and its interval.

The departure from a line is the share of a score's spread over the numbers of nodes that its least-squares line
leaves, 1 − R², so that scores of different units compare. It is taken of each depth by itself and averaged; the
difference of two scores' departures is what the question asks for. Noise lifts a departure, and lifts it more in a
score whose differences are small against its noise. That bias is estimated by the
draws about the measured scores, which hold the noise once more, and taken off; the interval is the draws' reflected at
the measured difference (the basic bootstrap, Davison and Hinkley 1997, 5.2). How often it misses, and finds what is
there, is measured by ``studies/linearity.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.records.arrays import Floats

Group = tuple[Sequence[float], Sequence[int]]
"""Numbers of nodes, and the places of the agents that have them."""


def departure(x: Sequence[float], values: Floats) -> Floats:
    """Return the share of the spread of scores that a straight line leaves, 1 − R².

    Args:
        x: (k,) numbers of nodes, at least three different ones.
        values: (B, k) scores.

    Returns:
        (B,), in [0, 1]; NaN where scores do not differ, or one is not finite.
    """
    at = np.asarray(x, dtype=np.float64)
    if np.unique(at).size < 3:
        raise ValueError("a departure from a line needs three numbers of nodes")
    basis = np.vander(at - at.mean(), 2)
    centred = values - values.mean(axis=1, keepdims=True)
    left = centred - centred @ np.linalg.pinv(basis).T @ basis.T
    spread = (centred**2).sum(axis=1)
    return np.asarray(np.divide((left**2).sum(axis=1), spread, out=np.full(len(values), np.nan), where=spread > 0))


def difference(
    groups: Sequence[Group], first: Floats, second: Floats, first_draws: Floats, second_draws: Floats
) -> tuple[float, Floats]:
    """Return by how much the first score departs more from a line than the second, and draws of that.

    Args:
        groups: one a depth, each with three different numbers of nodes or more.
        first: (A,) scores of all agents.
        second: the same.
        first_draws: (B, A).
        second_draws: (B, A), drawn together with the first.

    Returns:
        The difference without its bias, positive where the second is more nearly linear, and its draws (B,), reflected.
    """
    found = _plain(groups, first[None], second[None])[0]
    drawn = _plain(groups, first_draws, second_draws)
    reflected = 2 * found - drawn[np.isfinite(drawn)]
    return float(reflected.mean()) if reflected.size else float(found), reflected


def _plain(groups: Sequence[Group], first: Floats, second: Floats) -> Floats:
    """Return the mean over the depths of the first's departures less the second's, (B,)."""
    apart = [departure(x, first[:, list(at)]) - departure(x, second[:, list(at)]) for x, at in groups]
    return np.asarray(np.mean(apart, axis=0))
