"""The trainings behind a pair, checked: mixtures with and without being told, ends and controls of single domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures.dissimilarity import mixture_curves
from aiq.records.arrays import Floats
from aiq.records.dissimilarity_parts import Alone


@dataclass(frozen=True, eq=False)
class Mixtures:
    """The trainings of a pair on its mixtures: rising p, all ends included; columns ``inside`` are the pair's own."""

    p: Floats
    observed: Floats
    told: Floats | None
    ends: tuple[tuple[Floats, Floats], ...] | None  # (observed, told) of each domain alone, where ends are shared


def checked_mixtures(
    p: Floats,
    performance: npt.ArrayLike,
    told: npt.ArrayLike | None,
    ends: Sequence[npt.ArrayLike] | None,
    told_ends: Sequence[npt.ArrayLike] | None,
) -> Mixtures:
    """Return the checked trainings of a pair, those that failed left out, by rising p."""
    columns = p if ends is None else p[(p > 0) & (p < 1)]
    order = np.argsort(columns)
    observed = mixture_curves.repetitions(performance, columns.size)[:, order]
    known = None if told is None else mixture_curves.repetitions(told, columns.size)[:, order]
    if known is not None and known.shape != observed.shape:
        raise InputError(f"performances have shape {observed.shape}, when told {known.shape}; give the same trainings")
    good = ~np.isnan(observed).any(axis=1)
    if known is not None:
        good &= ~np.isnan(known).any(axis=1)
    if not good.any():
        raise InputError(f"all {good.size} repetitions failed (performance NaN); needed is at least one that did not")
    known = None if known is None else known[good]
    return Mixtures(np.sort(p), observed[good], known, _ends(ends, told_ends))


def _ends(
    ends: Sequence[npt.ArrayLike] | None, told_ends: Sequence[npt.ArrayLike] | None
) -> tuple[tuple[Floats, Floats], ...] | None:
    """Return (observed, told) of each domain alone, in pairs that did not fail."""
    if ends is None:
        if told_ends is not None:
            raise InputError("ends were given when told only; give them without being told as well")
        return None
    if len(ends) not in (1, 2) or (told_ends is not None and len(told_ends) != len(ends)):
        raise InputError("give ends of two domains, or of one for a pair with itself, and as many when told")
    found = []
    for place, end in enumerate(ends):
        one = mixture_curves.performances(np.asarray(end, dtype=np.float64)[:, None], 1)[:, 0]
        other = one if told_ends is None else np.asarray(told_ends[place], dtype=np.float64)
        if other.shape != one.shape:
            raise InputError(f"there are {one.size} trainings of an end, {other.size} when told; give the same ones")
        good = ~np.isnan(one + other)
        if not good.any():
            raise InputError("all trainings of an end failed (performance NaN); needed is at least one that did not")
        found.append((one[good], other[good]))
    return tuple(found)


def checked_alone(one: Alone) -> Alone:
    """Return a control in [0, 1] without the repetitions that failed."""
    values = mixture_curves.repetitions(one.performance, one.shares.size)
    if not ((one.shares > 0) & (one.shares <= 1)).all():
        raise InputError(f"shares of a domain alone are {one.shares.tolist()}; they must lie above 0, at most at 1")
    good = ~np.isnan(values).any(axis=1)
    if not good.any():
        raise InputError("all repetitions of a domain alone failed (performance NaN); needed is at least one")
    return Alone(one.shares, values[good])


def check_domains(alone: Sequence[Alone] | None, mixtures: Mixtures) -> None:
    """Refuse controls of another number of domains than ends."""
    if alone is None:
        return
    if len(alone) not in (1, 2) or (mixtures.ends is not None and len(mixtures.ends) != len(alone)):
        raise InputError("give controls of two domains, or of one for a pair with itself, as many as there are ends")
