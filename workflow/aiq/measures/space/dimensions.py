"""How many dimensions of the intelligence space are kept: those that hold a share of it, or stand above the noise.

``share``: the fewest dimensions that hold a stated share of the positive spectrum, a property of the suite: better
data make its estimate surer, not larger. The spectrum is that of unbiased squares (see ``draws.debiased``), so that
noise adds nothing to it on average. ``noise`` (section 6, item 3): those above the noise of the dissimilarities, a
property of the measurement: better data keep more. Two nulls are offered for it, and both counts are reported:

``propagated`` (default): the uncertainty of every dissimilarity is carried into the Gram matrix, and rank k is tested
against the noise inside the last n - k eigenvectors (to first order in the noise, the eigenvalues of a rank-k matrix
beyond k are those of the noise there). Of the noise of a square d^2 the part 2 d s dominates, which does not fall with
the floor: that is why better data do not make this test worse. Measured in ``studies/coverage_space.py``.

``identical``: the spectrum of as many *identical* tests as there are domains, whose pairs differ by the noise
floor alone (draws from the measured self-dissimilarities). All such tests share one direction; the largest
eigenvalue across it is what noise alone opens between tests that are the same. Its threshold is of the order of the
squared floor, while the noise between tests that differ is of the order of the floor: it keeps too many dimensions,
and the more the better the data are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.measures import ZERO
from aiq.measures.space.embedding import Spectrum
from aiq.measures.space.suite import DRAWS, QUANTILE, Suite, floor_draws, symmetric
from aiq.records.estimate import Floats
from aiq.seeding import generator

RULES = ("auto", "noise", "share", "all")
"""How the number is found; ``auto`` is an older word for ``noise``."""
SHARE = 0.9
NULLS = ("propagated", "identical")
FEWEST_DRAWS, EFFORT = 200, 20_000  # draws times domains in one step of the sequential test
SPREAD_PER_FLOOR = 0.77  # standard error of a dissimilarity over the floor, for independent errors at 11 points


def thresholds(
    suite: Suite, spectrum: Spectrum, fluctuation: Floats | None, null: str, seed: int
) -> tuple[Floats, Floats | None, str, float | None]:
    """Return what eigenvalues must exceed, (n,); the same by propagation; where they come from; the typical floor.

    ``fluctuation`` (B, n, n): replicates of the Gram matrix minus the estimate, or None. What is not known is None, or
    rounding. Where the squares of the dissimilarities are unbiased the floor adds nothing to them.
    """
    values, n, words = spectrum.values, spectrum.values.size, []
    rng = generator(seed, "space", "noise floor")
    floor = spread = level = propagated = None
    if suite.floors.size:
        level = float(np.exp(np.log(suite.floors).mean()))
        floor = -spectrum.square * floor_draws(suite.floors, suite.floor_replicates, n, rng) ** 2 / 2
        suffix = " with replicates" if suite.floor_replicates is not None else ""
        words.append(f"{suite.floors.size} self-dissimilarities{suffix}")
    if fluctuation is not None and fluctuation.shape[0] > 1:
        spread = fluctuation[:DRAWS]
        words.append(f"{fluctuation.shape[0]} replicates of the matrix")
    elif level is not None:
        normal = symmetric(rng.standard_normal((DRAWS, n, n)))
        spread = spectrum.square * suite.dissimilarity * SPREAD_PER_FLOOR * level * normal
    limits = np.concatenate([[np.nan], np.full(n - 1, ZERO * float(values[0]))])
    if spread is not None:
        parts = [spread] if floor is None or suite.errors is not None else [floor, spread]
        propagated = np.maximum(_propagated(values, spectrum.vectors, parts), limits)
    if floor is not None and null == "identical":
        limits = np.maximum(limits, np.concatenate([[np.nan], np.full(n - 1, identical_threshold(floor))]))
        return limits, propagated, f"identical tests that differ by the noise floor ({' and '.join(words)})", level
    if propagated is not None:
        return propagated, propagated, f"uncertainty of all dissimilarities ({' and '.join(words)})", level
    source = "numerical tolerance: neither self-dissimilarities nor replicates of the matrix are known"
    return limits, None, source, level


def identical_threshold(floor: Floats) -> float:
    """Return the 95 % quantile of the largest eigenvalue that the floor opens across the tests' common direction.

    Identical tests have the Gram matrix 1 1' + floor; what lies orthogonal to the vector of ones is noise.
    (Not simply its second eigenvalue: where the floor is as large as every dissimilarity, noise comes first.)
    """
    n = floor.shape[-1]
    if n < 2:
        return 0.0
    across = np.linalg.qr(np.eye(n) - 1 / n)[0][:, : n - 1]
    return float(np.quantile(np.linalg.eigvalsh(across.T @ floor @ across)[:, -1], QUANTILE))


def _propagated(spectrum: Floats, vectors: Floats, parts: list[Floats]) -> Floats:
    """Return the sequential thresholds (n,): NaN for the first eigenvalue and beyond the first that fails."""
    draws = min([part.shape[0] for part in parts] + [max(FEWEST_DRAWS, EFFORT // spectrum.size)])
    null = np.sum([part[:draws] for part in parts], axis=0)
    limits = np.full(spectrum.size, np.nan)
    for k in range(1, spectrum.size):
        tail = vectors[:, k:]
        limits[k] = np.quantile(np.linalg.eigvalsh(tail.T @ null @ tail)[:, -1], QUANTILE)
        if spectrum[k] <= limits[k]:
            break
    return limits


def by_share(spectrum: Floats, share: float) -> npt.NDArray[np.int64]:
    """Return the fewest leading dimensions that hold a share of the positive spectrum (..., n), (...), at least 1."""
    held = np.cumsum(np.maximum(spectrum, 0.0), axis=-1)
    asked = share * (1 - ZERO) * held[..., -1:]
    return np.asarray(np.minimum((held < asked).sum(axis=-1) + 1, spectrum.shape[-1]), dtype=np.int64)


def count_above(spectrum: Floats, thresholds: Floats) -> int:
    """Return how many leading eigenvalues exceed their thresholds one after the other; the first always counts."""
    below = np.flatnonzero(~(spectrum[1:] > thresholds[1:]))
    return int(below[0]) + 1 if below.size else int(spectrum.size)
