"""The suite of the sanity study: which domains are alike, related and unrelated, and all trainings on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from studies import sanity_domains as make
from studies import sanity_trainings as train
from studies.sanity_domains import Domain, Interface
from studies.sanity_trainings import Mixing, Trials

Floats = npt.NDArray[np.float64]

SUITE = (
    "digits-a",
    "digits-b",
    "digits-noisy",
    "digits-rotated",
    "digits-permuted",
    "breast-cancer",
    "wine",
)
COPY = "digits-a-copy"
"""The same samples as ``digits-a`` under another name, with the same labels."""
APART = ("digits-a-copy-apart", "digits-rotated-apart", "digits-permuted-shared", "digits-a-twice")
"""Measured against some domains only: other choices of labels, and every sample twice."""

ALIKE = ("digits-b", COPY)
RELATED = ("digits-noisy", "digits-rotated", "digits-permuted")
UNRELATED = ("breast-cancer", "wine")

BASE = Mixing()
FEWER = Mixing(samples=BASE.samples // 2, repetitions=5)
WIDER = Mixing(repetitions=5, width=64)
QUICK = Mixing(samples=150, repetitions=3, epochs=10)
ENDS = 3
"""An end is trained so many times as often as a point between."""

POOLS = (64, 128, 256, 512)


@cache
def domains() -> dict[str, Domain]:
    """Return all domains that enter mixtures."""
    digits = make.plain("digits")
    a, b = make.half(digits, 0), make.half(digits, 1)
    found = [
        a,
        b,
        make.renamed(make.noisy(b, 0.25), "digits-noisy"),
        make.rotated(b, "digits-rotated", own_labels=False),
        make.permuted(b, "digits-permuted", own_labels=True),
        make.plain("breast_cancer"),
        make.plain("wine"),
        make.renamed(a, COPY),
        make.renamed(a, "digits-a-copy-apart", own_labels=True),
        make.rotated(b, "digits-rotated-apart", own_labels=True),
        make.permuted(b, "digits-permuted-shared", own_labels=False),
        make.renamed(make.duplicated(a), "digits-a-twice"),
    ]
    return {domain.name: domain for domain in found}


@cache
def interface() -> Interface:
    """Return the one interface of all mixtures."""
    return Interface.of(list(domains().values()))


@cache
def pool_domains() -> dict[str, Domain]:
    """Return the domains of which complexity alone is asked, by a short name."""
    digits, cancer = make.plain("digits"), make.plain("breast_cancer")
    return {
        "digits": digits,
        "digits at 12x12": make.upscaled(digits, 12),
        "digits at 16x16": make.upscaled(digits, 16),
        "digits padded to 256": make.padded(digits, 256),
        "four classes": make.first_classes(digits, 4),
        "one label": make.constant(digits),
        "30 % labels random": make.wrong_labels(digits, 0.3),
        "25 % pixels random": make.noisy(digits, 0.25),
        "samples twice": make.duplicated(digits),
        "breast-cancer": cancer,
        "breast-cancer padded to 256": make.padded(cancer, 256),
        "wine": make.plain("wine"),
    }


@cache
def trials(name: str) -> Trials:
    """Return the pool of 64 on a domain of either list; ``..., half the epochs`` trains for half as long."""
    wanted, _, how = name.partition(", ")
    domain = {**domains(), **pool_domains()}[wanted]
    epochs = {"": 1.0, "half the epochs": 0.5, "twice the epochs": 2.0}[how]
    return train.pool(domain, epochs=round(train.TRAINING.epochs * epochs))


@cache
def quick_trials(name: str) -> Trials:
    """Return a pool of 32 trained for two epochs: what the quick study looks at."""
    return train.pool({**domains(), **pool_domains()}[name], size=32, epochs=2)


@cache
def of_size(name: str, size: int) -> Trials:
    """Return a pool of a size; the pools of different sizes share no policy."""
    first = sum(other for other in POOLS if other < size)
    return train.pool(pool_domains()[name], first=first, size=size)


@cache
def mixtures(a: str, b: str, how: Mixing = BASE) -> Floats:
    """Return accuracies (repetition, proportion of a, domain, told) of a pair."""
    return train.mixtures(interface(), domains()[a], domains()[b], how)


@cache
def alone(name: str, how: Mixing = BASE, same_steps: bool = True) -> tuple[Floats, Floats]:
    """Return a domain's accuracies alone, (repetition, 9 shares, told) and (ends, told)."""
    return train.alone(interface(), domains()[name], how, ENDS * how.repetitions, same_steps)


@cache
def agents(name: str, repetitions: int = 3) -> Floats:
    """Return the agents' performances on a domain, (agent, repetition)."""
    return train.agents(domains()[name], repetitions)


def pairs(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return all pairs of domains, each with itself too."""
    return [(a, b) for i, a in enumerate(names) for b in names[i:]]


def everything() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield every training of the full study with its name."""
    for name in (*pool_domains(), *SUITE, COPY):
        yield f"pool on {name}", lambda name=name: trials(name)  # type: ignore[misc]
    for name in ("samples twice, half the epochs", "digits, half the epochs", "digits, twice the epochs"):
        yield f"pool on {name}", lambda name=name: trials(name)  # type: ignore[misc]
    for name in ("digits", "breast-cancer", "25 % pixels random"):
        for size in POOLS:
            yield f"pool of {size} on {name}", lambda name=name, size=size: of_size(name, size)  # type: ignore[misc]
    for how in (BASE, FEWER, WIDER):
        more = (COPY, *APART) if how == BASE else ()
        for name in (*SUITE, *more):
            yield f"{name} alone, {how}", lambda name=name, how=how: alone(name, how)  # type: ignore[misc]
            if how == BASE:
                yield f"{name} alone, fewer steps", lambda name=name: alone(name, BASE, False)  # type: ignore[misc]
        asked = pairs((*SUITE, COPY)) if how == BASE else pairs(SUITE)
        if how == BASE:
            asked += [("digits-a", name) for name in APART] + [("digits-b", "digits-a-twice")]
            asked += [("wine", "digits-a-twice"), ("digits-a-twice", "digits-a-twice")]
            asked += [(name, name) for name in APART[:3]]
        for a, b in asked:
            yield f"{a} with {b}, {how}", lambda a=a, b=b, how=how: mixtures(a, b, how)  # type: ignore[misc]
    for name in (*SUITE, COPY):
        yield f"agents on {name}", lambda name=name: agents(name, 6)  # type: ignore[misc]
