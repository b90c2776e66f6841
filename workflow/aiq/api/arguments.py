"""Arguments that several functions have in common: the seed and the number of resamples, refused as by the verbs."""

from __future__ import annotations

import operator

from aiq.errors import InputError

LARGEST = 1_000_000


def check_seed(seed: object) -> None:
    """Refuse what is no root of the resampling.

    Raises:
        InputError: it is no whole number of at least 0.
    """
    if not _whole(seed, 0):
        raise InputError(f"the seed is {seed!r}; it must be a whole number of at least 0")


def check_resamples(resamples: object) -> None:
    """Refuse a number of resamples that gives no interval, or that takes for ever.

    Raises:
        InputError: it is no whole number from 2 to a million.
    """
    if not _whole(resamples, 2, LARGEST):
        raise InputError(f"resamples is {resamples!r}; it must be a whole number of at least 2, at most {LARGEST:,}")


def _whole(value: object, least: int, most: float = float("inf")) -> bool:
    """Whether something is a whole number between two others."""
    try:
        return least <= operator.index(value) <= most  # type: ignore[arg-type]
    except TypeError:
        return False
