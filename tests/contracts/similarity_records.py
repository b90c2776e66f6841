"""Records of merged tests for the contract of figures, in the sizes of its cases."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from aiq.measures import similarity
from aiq.records.estimate import Estimate
from aiq.seeding import generator
from aiq.wings.similarity2020.figures import Embedding, embed
from aiq.wings.similarity2020.reduction import MergedPair, TestPerformance

NAMES = {"typical": 4, "minimal": 2, "single": 2, "large": 10}
SINGLE = {"typical": 60, "minimal": 2, "single": 1, "large": 200}


def _names(case: str) -> tuple[str, ...]:
    words = ("MNIST", "Fashion-MNIST", "CIFAR10", "CartPole-v1", "FrozenLake8x8", "CliffWalking", "Roulette", "NChain")
    return (*words, "Acrobot", "MountainCar")[: NAMES[case]]


def embeddings(case: str) -> dict[str, Embedding]:
    """Maps here and, in all but the smallest case, in print; one pair is unknown in the largest."""
    names, rng = _names(case), generator(13, "maps", case)
    found = {}
    for title in ("here", "in print")[: 1 if case == "single" else 2]:
        asked = rng.uniform(0.1, 1.4, (len(names), len(names)))
        asked = (asked + asked.T) / 2
        if case == "large":
            asked[0, 1] = asked[1, 0] = np.nan
        found[title] = embed(names, asked)
    return found


def _estimate(value: float, case: str, half: float = 0.03) -> Estimate:
    return Estimate(value, None if case == "single" else (value - half, value + half), 3, "made")


def performances(case: str) -> list[TestPerformance]:
    """Two tests alone and sampled at several shares, which both studies can draw."""
    shares = {"typical": 5, "minimal": 1, "single": 1, "large": 11}[case]
    (a, b), rng = _names(case)[:2], generator(14, "performances", case)
    found = [TestPerformance("alone", n, n, 1.0, 0, 9000, _estimate(v, case), 0) for n, v in ((a, 0.95), (b, 0.5))]
    for at in np.linspace(0, 1, shares).tolist() if shares > 1 else [0.5]:
        value = _estimate(0.5 + 0.45 * at - 0.05 * float(rng.random()), case)
        found.append(TestPerformance("sampled", a, b, at, 0, 9500, value, 0))
    return found


def halved(case: str) -> list[TestPerformance]:
    """Both tests, their controls and both merges under several halvings."""
    (a, b), rng, found = _names(case)[:2], generator(15, "halved", case), []
    made = [("alone", a, a), ("alone", b, b), ("stitched", a, a), ("stitched", b, b), ("sampled", a, b)]
    for h in range({"typical": 3, "minimal": 2, "single": 1, "large": 6}[case]):
        for kind, one, other in (*made, ("stitched", a, b)):
            value = _estimate(0.9 - 0.07 * h - 0.3 * float(rng.random()), case)
            at, size = (1.0 if kind == "alone" else 0.5), int(20_000 / 3**h)
            found.append(TestPerformance(kind, one, other, at, h, size, value, 0))  # type: ignore[arg-type]
    return found


def pairs(case: str) -> list[MergedPair]:
    """Pairs with single runs, self-pairs included."""
    rng, found = generator(16, "pairs", case), []
    for a, b in combinations_with_replacement(_names(case), 2):
        one, two, both = (rng.normal(level, 0.05, 4) for level in (0.9, 0.6, 0.7))
        measured = similarity.from_values(one, two, both, self_pair=a == b)
        found.append(MergedPair(a, b, "sampled", 0, measured, rng.uniform(0, 1, SINGLE[case])))
    return found


GIVEN = {
    "Mapping[str, Embedding]": embeddings,
    "Sequence[TestPerformance]": performances,
    "Sequence[MergedPair]": pairs,
}
"""Type that a figure asks for -> what makes one of a case."""
