"""The complexity curve: bins of performance, the smallest policy of each, and how the other bins are filled.

Source: 2025 paper, Eq. 5, Fig. 2 and section 2.4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError, choice
from aiq.records.complexity import FILLINGS
from aiq.records.estimate import Floats

Integers = npt.NDArray[np.int64]

ENVELOPES = ("at_least", "within")
EXTRAPOLATIONS = ("linear", "hold", "none")

_OBSERVED, _INTERPOLATED, _HELD, _EXTRAPOLATED, _OMITTED = range(len(FILLINGS))


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """Rule that turns trials into a complexity curve.

    ``edges`` (B + 1,): performance edges of the bins. ``envelope``: which trials count for a bin,
    ``at_least`` those that reach it or more (the definition of the minimal policy: one that reaches .9
    reaches .5), ``within`` only those that fall in it. ``extrapolate``: what happens above the highest
    observed bin, ``linear`` a least-squares line through the observed bins, never below the largest
    observed size, ``hold`` the size of the highest observed bin, ``none`` nothing: these bins are
    left out and the integral stops there.
    """

    edges: Floats
    envelope: str = "at_least"
    extrapolate: str = "linear"

    def __post_init__(self) -> None:
        """Refuse unknown words."""
        if self.envelope not in ENVELOPES:
            raise InputError(choice("the envelope of the complexity curve", self.envelope, ENVELOPES))
        if self.extrapolate not in EXTRAPOLATIONS:
            raise InputError(choice("the extrapolation of the complexity curve", self.extrapolate, EXTRAPOLATIONS))

    def bin_of(self, performance: Floats) -> Integers:
        """Return the bin of each performance; a bin holds its lower edge, the last one its upper edge too."""
        index = np.searchsorted(self.edges, performance, side="right") - 1
        return np.clip(index, 0, self.edges.size - 2).astype(np.int64)

    def curve(self, smallest: Floats) -> tuple[Floats, Integers]:
        """Fill a curve from the smallest size that fell in each bin.

        Args:
            smallest: shape (B,), infinite where no trial fell in the bin; at least one is finite.

        Returns:
            Sizes (B,), NaN where omitted, and how each came about (B,), an index into ``FILLINGS``.
        """
        sizes = np.array(smallest, dtype=np.float64)
        occupied = np.flatnonzero(np.isfinite(sizes))
        bottom, top = int(occupied[0]), int(occupied[-1])
        filling = np.full(sizes.size, _OBSERVED, dtype=np.int64)
        if self.envelope == "at_least":
            sizes[: top + 1] = np.minimum.accumulate(sizes[top::-1])[::-1]
        else:
            bins = np.arange(sizes.size)
            empty = np.flatnonzero(~np.isfinite(sizes[: top + 1]))
            # Bins are equally wide, so one missing bin becomes the mean of its neighbours and a run a straight line.
            sizes[empty] = np.interp(empty, bins[occupied], sizes[occupied])
            filling[empty] = np.where(empty < bottom, _HELD, _INTERPOLATED)
        self._fill_above(sizes, filling, top)
        return sizes, filling

    def _fill_above(self, sizes: Floats, filling: Integers, top: int) -> None:
        """Fill, in place, the bins above the highest observed one by the declared extrapolation."""
        above = np.arange(top + 1, sizes.size)
        if above.size == 0:
            return
        if self.extrapolate == "none":
            sizes[above], filling[above] = np.nan, _OMITTED
            return
        filling[above] = _EXTRAPOLATED
        sizes[above] = sizes[top]
        if self.extrapolate == "linear":
            seen = np.flatnonzero(filling == _OBSERVED)
            offset = seen - seen.mean()
            spread = float(offset @ offset)
            slope = float(offset @ sizes[seen]) / spread if spread > 0 else 0.0
            line = sizes[seen].mean() + slope * (above - seen.mean())
            sizes[above] = np.maximum(line, sizes[seen].max())

    def area(self, sizes: Floats) -> float:
        """Return the integral of a curve: sum of its sizes times bin width, omitted bins left out."""
        return float(np.nansum(sizes * np.diff(self.edges)))

    def extrapolated_share(self, sizes: Floats, filling: Integers) -> float:
        """Return the fraction of the area that lies outside the observed bins, in [0, 1].

        Counts bins held below the lowest and extrapolated above the highest observed bin; of an area of 0
        (all sizes 0) the fraction of the performance range is taken instead.
        """
        outside = (filling == _HELD) | (filling == _EXTRAPOLATED)
        kept = filling != _OMITTED
        width = np.diff(self.edges)
        total = self.area(sizes)
        weight = sizes * width if total > 0 else width
        return float(np.clip(weight[outside].sum() / weight[kept].sum(), 0, 1))
