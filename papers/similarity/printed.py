"""What the 2020 paper prints of pictures: Tables 1 to 3, and what a network that knows nothing scores."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Pair = tuple[str, str]

ALONE: Mapping[str, float] = MappingProxyType(
    {"MNIST": 0.9932, "FMNIST": 0.9251, "CIFAR10": 0.8099, "CIFAR100": 0.4892, "CP": 0.10}
)
"""Table 1; CP is the balance time over 200 steps in the text of Table 3."""

CHANCE: Mapping[str, float] = MappingProxyType(
    {"MNIST": 0.1, "FMNIST": 0.1, "CIFAR10": 0.1, "CIFAR100": 0.01, "CP": 0.113}
)
"""Accuracy of a guess among classes; of CP the balance time of uniformly random actions, 22.6 of 200 steps."""

SIMILARITY: Mapping[Pair, float] = MappingProxyType(
    {
        ("MNIST", "FMNIST"): 0.216,
        ("MNIST", "CIFAR10"): 0.290,
        ("MNIST", "CIFAR100"): 0.171,
        ("FMNIST", "CIFAR10"): 0.557,
        ("FMNIST", "CIFAR100"): 0.221,
        ("CIFAR10", "CIFAR100"): 0.651,
        ("MNIST", "CP"): 0.083,
        ("FMNIST", "CP"): 0.080,
        ("CIFAR10", "CP"): 0.079,
        ("CIFAR100", "CP"): 0.652,
    }
)
"""Tables 2 and 3: S, taken for the signed one."""

RANDOM_BALANCE = 0.063
"""What a random agent is said to balance, in the text of Table 3."""


def table_of(*names: str) -> str:
    """Return the table in which a number on some tests stands."""
    if "CP" in names:
        return "Table 3"
    return "Table 1" if len(names) == 1 else "Table 2"
