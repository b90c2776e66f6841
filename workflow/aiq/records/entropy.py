"""Record of the Shannon entropy of a domain."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.arrays import Floats, freeze
from aiq.records.estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class Entropy:
    """Shannon entropy of a domain in bits (Eq. 4 of the 2025 paper), labels included.

    ``mean`` is the entropy of one sample (image, vector, observation); ``total`` is the number that the
    paper plots: summed over the images, and for vectors and observations, where the paper sums over the
    variables only, equal to ``mean``. ``label_bits`` is the part of ``mean`` that the labels contribute.
    ``parts`` holds what was averaged or summed, without labels: the entropy of each image, or of each
    variable. ``replicates`` (resamples,) are the bootstrap values of ``mean``.
    """

    mean: Estimate
    total: Estimate
    label_bits: float
    parts: Floats
    replicates: Floats

    def __post_init__(self) -> None:
        freeze(self)
        if self.label_bits < 0 or self.mean.value < 0 or (self.parts < 0).any():
            raise ValueError("an entropy cannot be negative")

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping, without the parts."""
        return {"mean": self.mean.as_dict(), "total": self.total.as_dict(), "label_bits": self.label_bits}
