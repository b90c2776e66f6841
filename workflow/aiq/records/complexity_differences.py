"""Records of how far the complexities of two domains are apart."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.estimate import Estimate


@dataclass(frozen=True, slots=True)
class ComplexityDifference:
    """The complexity of ``first`` minus that of ``second``, in units of size times performance.

    ``complexity`` is of the estimator that was asked for; ``excess`` and ``relative_excess`` are of MCCP@k, None where
    one of the two has none. ``shared``: both domains were measured on the same chunks of one pool, so that what the
    draw of the policies does to both drops out; else the errors are those of two pools apart.
    """

    first: str
    second: str
    complexity: Estimate
    excess: Estimate | None
    relative_excess: Estimate | None
    shared: bool

    def told_apart(self) -> bool | None:
        """Return whether the interval of the complexity leaves out 0; None without an interval."""
        around = self.complexity.interval
        return None if around is None else not around[0] <= 0 <= around[1]
