"""Records of complexity at a fixed number of policies: value, base, excess, relative excess, growth with k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aiq.records.arrays import Floats, json_number, read_only
from aiq.records.estimate import Estimate

QUANTITIES = ("mccp_k", "base", "excess", "relative_excess")
"""The columns of ``BestOfK.deleted``."""
ENOUGH = 128
"""Policies below which intervals of excesses are called too narrow (studies/results/complexity.md)."""

USUAL_K = 16

KEYS = (
    *("mccp_k", "mccp_k_interval", "k", "excess", "excess_interval", "relative_excess", "relative_excess_interval"),
    *("base", "base_interval", "fill", "largest", "start", "filled_share", "n_policies"),
)
"""The keys of ``BestOfK.as_dict``, which stand with null where it was not measured."""


def affordable_k(policies: int, largest_chunk: int) -> int:
    """Return the usual k, or as many policies as a small pool has without its largest chunk, so that it has intervals.

    A pool that is one chunk has none anyway: then k is at most the whole pool.
    """
    rest = policies - largest_chunk
    return min(USUAL_K, rest if rest >= 1 else policies)


@dataclass(frozen=True, slots=True, eq=False)
class BestOfK:
    """Complexity of a domain as the expected smallest of ``k`` policies of its pool (MCCP@k).

    ``estimate`` is MCCP@k, ``base`` what it would be if every policy reached every performance, ``excess`` the
    difference, all in units of size times performance; ``relative_excess`` = excess / (c − base) with c =
    ``largest``, integrated over performances from ``start`` on, lies in [0, 1]: 0 where any policy does, 1 where
    none does. Its value is NaN where the pool has policies of one size alone, ``largest``.

    ``size`` (B,) is the expected smallest size of each bin, ``missed`` (B,) the probability that none of k policies
    reaches it; there ``fill`` stands in: ``largest``, the largest network of the pool's design, or ``linear``, a
    straight line. ``filled`` (B,) is what that adds to each size, ``filled_share`` the fraction of the value that is
    filled.

    ``deleted`` (G, 4) holds the four numbers without each chunk of the pool, ``members`` (G,) how many policies each
    chunk has; ``deleted`` is (0, 4) where that cannot be had. ``n_policies`` counts the failed ones too: they are
    policies that reach nothing.
    """

    k: int
    fill: str
    largest: float
    start: float
    estimate: Estimate
    base: Estimate
    excess: Estimate
    relative_excess: Estimate
    size: Floats
    missed: Floats
    filled: Floats
    filled_share: float
    deleted: Floats
    members: Floats
    n_policies: int

    def __post_init__(self) -> None:
        """Refuse parts that do not fit one another."""
        for name in ("size", "missed", "filled", "deleted", "members"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        if not 1 <= self.k <= self.n_policies:
            raise ValueError(f"the best of {self.k} policies cannot be had from {self.n_policies}")
        if not self.size.shape == self.missed.shape == self.filled.shape:
            raise ValueError("every bin needs an expected size and a probability that nobody reaches it")
        if self.deleted.shape not in ((0, len(QUANTITIES)), (self.members.size, len(QUANTITIES))):
            raise ValueError(f"values without each chunk have shape {self.deleted.shape}")
        if not 0 <= self.filled_share <= 1:
            raise ValueError(f"filled share {self.filled_share} is outside [0, 1]")

    @property
    def values(self) -> Floats:
        """The four numbers, in the order of ``QUANTITIES``, shape (4,)."""
        return np.array([e.value for e in (self.estimate, self.base, self.excess, self.relative_excess)])

    @property
    def caution(self) -> str:
        """What to say where the pool is too small for intervals of excesses that can be trusted; else nothing."""
        if self.n_policies >= ENOUGH:
            return ""
        return (
            f"with fewer than {ENOUGH} policies 95 % intervals of excess and relative excess covered in .86 to .96 of "
            "simulated pools, most misses being too low"
        )

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; every number with its interval, or null."""
        named = {"excess": self.excess, "relative_excess": self.relative_excess, "base": self.base}
        numbers: dict[str, object] = {}
        for name, estimate in named.items():
            numbers[name] = json_number(estimate.value)
            numbers[f"{name}_interval"] = None if estimate.interval is None else list(estimate.interval)
        interval = self.estimate.interval
        return {
            "mccp_k": self.estimate.value,
            "mccp_k_interval": None if interval is None else list(interval),
            "k": self.k,
            **numbers,
            "fill": self.fill,
            "largest": self.largest,
            "start": self.start,
            "filled_share": self.filled_share,
            "n_policies": self.n_policies,
        }


@dataclass(frozen=True, slots=True, eq=False)
class KCurve:
    """Complexity of one pool against the number of policies k of which the smallest counts.

    ``ks`` rise; ``estimates`` are MCCP@k with their intervals (none where leaving out a chunk leaves fewer than k
    policies), ``base`` (K,) what it would be if every policy reached everything, ``filled_share`` (K,) the share
    that is filled; ``chosen`` is the k of the complexity, or None where the paper's minimum was asked for.
    """

    ks: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    base: Floats
    filled_share: Floats
    chosen: int | None

    def __post_init__(self) -> None:
        """Refuse parts of different lengths and numbers that do not rise."""
        object.__setattr__(self, "base", read_only(self.base))
        object.__setattr__(self, "filled_share", read_only(self.filled_share))
        if not len(self.ks) == len(self.estimates) == self.base.size == self.filled_share.size:
            raise ValueError("every number of policies needs one estimate, one base and one filled share")
        if any(low >= high for low, high in zip(self.ks, self.ks[1:], strict=False)):
            raise ValueError(f"numbers of policies {self.ks} do not rise")

    def as_list(self) -> list[Mapping[str, object]]:
        """Return one JSON-ready mapping a number of policies, smallest first."""
        rows = zip(self.ks, self.base, self.filled_share, self.estimates, strict=True)
        return [
            {"k": k, "base": float(base), "filled_share": float(share), **estimate.as_dict()}
            for k, base, share, estimate in rows
        ]
