"""Environments of a class of the anytime test, drawn once by their complexity."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

from aiq import seeding
from aiq.errors import InputError
from aiq.wings.anytime.equations.protocol import Environment, EnvironmentClass

E = TypeVar("E", bound=Environment)


@lru_cache(maxsize=32)
def all_of(
    kind: type[EnvironmentClass], one: type[E], root: int, count: int, complexity: tuple[float, float]
) -> tuple[E, ...]:
    """Return what ``drawn`` gives of a class as its own environments, kept for the next who asks.

    Raises:
        InputError: the class has not so many of them.
    """
    return tuple(found for found in drawn(kind(), root, count, complexity) if isinstance(found, one))


def drawn(kind: EnvironmentClass, root: int, count: int, complexity: tuple[float, float]) -> list[Environment]:
    """Return different environments of a class with a complexity in a range.

    Args:
        kind: the class.
        root: root seed; the first environments of a longer list are those of a shorter one.
        count: number of environments.
        complexity: smallest and largest H.

    Raises:
        InputError: the class has not so many of them.
    """
    rng = seeding.generator(root, "environments", kind.name, f"{complexity[0]:g}", f"{complexity[1]:g}")
    found: dict[str, Environment] = {}
    for _ in range(count):
        one = kind.draw(complexity[0], complexity[1], found.keys(), rng)
        if one is None:
            raise InputError(
                f"{len(found)} environments of {kind.name} with a complexity from {complexity[0]:g} to "
                f"{complexity[1]:g} were found, {count} are asked for; ask for fewer or widen complexity"
            )
        found[one.key] = one
    return list(found.values())
