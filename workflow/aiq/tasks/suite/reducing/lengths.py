"""How far from the origin the tests of a suite lie: what the length is made of, and its errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import complexity
from aiq.records.complexity import Complexity
from aiq.stats import jackknife

Floats = npt.NDArray[np.float64]


def chosen(records: Sequence[Complexity], asked: str | None) -> tuple[str, tuple[str, ...]]:
    """Return what the distances from the origin are, and why not the relative excess where nothing was asked.

    Raises:
        InputError: relative excesses are asked for, but a pool has fewer than k policies.
    """
    if asked == "complexity":
        return asked, ()
    found = [record.best_of_k for record in records if record.best_of_k is not None]
    if asked is not None:
        if len(found) < len(records):
            raise InputError(
                "space.length is relative_excess, but a pool has fewer than complexity.k policies; train more, lower "
                "k, or set space.length to complexity"
            )
        return asked, ()
    why = ""
    if any(record.estimator == "minimum" for record in records):
        why = "they were estimated by the minimum"
    elif not all(np.isfinite(one.relative_excess.value) for one in found):
        why = "the policies of this pool are too much alike for a relative excess"
    elif not any(one.relative_excess.value > 0 for one in found):
        why = "any policy of this pool solves every domain, so every relative excess is 0"
    if why:
        return "complexity", (f"the distances from the origin are complexities: {why}",)
    return "relative_excess", ()


def known(
    records: Sequence[Complexity],
    length: str,
    count: int = 1000,
    seed: int = 0,
    among: npt.NDArray[np.bool_] | None = None,
) -> tuple[Floats, dict[str, Floats]]:
    """Return the tests' distances from the origin (n,), and what is known of their errors, as options of ``build``.

    Errors are those that domains of one pool share. Relative excesses are drawn on the scale of their intervals, so
    that none leaves [0, 1]. Where a domain's error is not known (chunks that do not match, or policies all of one size
    once a chunk is left out), none is given.

    Args:
        records: complexity of every domain.
        length: ``complexity`` or ``relative_excess``.
        count: draws of relative excesses.
        seed: root seed of these draws.
        among: which chunks of a larger pool these are, so that draws of both belong together; None: all.
    """
    if length == "complexity":
        replicates = [record.replicates for record in records]
        fewest = min(one.size for one in replicates)
        return np.array([record.value for record in records]), {
            "complexity_replicates": np.column_stack([one[:fewest] for one in replicates])
        }
    found = [record.best_of_k for record in records if record.best_of_k is not None]
    values = np.array([one.relative_excess.value for one in found])
    chunks = [one.members for one in found]
    if min(len(one.deleted) for one in found) < 2 or not all(np.array_equal(one, chunks[0]) for one in chunks):
        return values, {}
    named = {str(i): record for i, record in enumerate(records)}
    rng = seeding.generator(seed, "space", "relative excess draws")
    drawn = jackknife.replicates(*complexity.shared(named, "relative_excess"), max(count, 2), rng, "logit", among)
    if not np.isfinite(drawn).all(axis=1).any():
        return values, {}
    return values, {"complexity_replicates": np.clip(drawn, 0.0, 1.0)}
