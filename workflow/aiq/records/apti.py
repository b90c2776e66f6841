"""Record of an agent's performance relative to a baseline's."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.arrays import Floats, read_only
from aiq.records.estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class Apti:
    """APTI of one agent (3.4.2): P / (P + P_baseline) on each domain, and its mean over the domains.

    ``replicates`` (resamples, domains) are the bootstrap values over repetitions.
    """

    domains: tuple[Estimate, ...]
    mean: Estimate
    replicates: Floats

    def __post_init__(self) -> None:
        """Refuse values outside [0, 1]."""
        object.__setattr__(self, "replicates", read_only(self.replicates))
        for estimate in (*self.domains, self.mean):
            if not 0 <= estimate.value <= 1:
                raise ValueError(f"APTI {estimate.value} is outside [0, 1]")

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping, without the replicates."""
        return {"mean": self.mean.as_dict(), "domains": [estimate.as_dict() for estimate in self.domains]}
