"""Series of variants, for the contract of all figures."""

from __future__ import annotations

from aiq.records.estimate import Estimate
from aiq.records.variants import Variants
from aiq.seeding import generator

COUNT = {"typical": 6, "minimal": 2, "single": 3, "large": 21}


def variants(case: str) -> Variants:
    """Numbers that rise with a setting; without intervals and entropy in the smallest case."""
    rng, count = generator(5, "variants", case), COUNT[case]

    def estimate(value: float) -> Estimate:
        return Estimate(value, None if case == "minimal" else (value - 0.4, value + 0.5), 8, "made")

    points = tuple((float(k), estimate(10 + 0.2 * k + float(rng.normal(0, 0.2)))) for k in range(count))
    entropy = () if case == "minimal" else tuple((x, estimate(3 + x**0.5)) for x, _ in points)
    return Variants(
        "share of pixels replaced by noise", "complexity (bits)", points, 2, entropy, "entropy (bits per picture)",
        "rises slowly at first", () if case == "minimal" else (None, *[(0.1, 0.2 * k) for k in range(1, count)]),
    )  # fmt: skip


GIVEN = {"Variants": variants}
