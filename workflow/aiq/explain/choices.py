"""The choices of a suite that its numbers may depend on, and the other values that are tried."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from aiq.config.suite import Configuration
from aiq.config.training import OF_NETWORKS, Reinforcement
from aiq.records.explain import LEARNERS

TREES = "aiq.policies.trees:drawn"
"""The shipped pool of learners that are no networks."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A key of the configuration and the values that it is set to, one at a time.

    ``also`` are further keys that go with a value, and ``without`` keys that are left out with it: what would refuse
    it otherwise. ``kept`` are keys that would move with the choice by their defaults, at what they are.
    """

    place: str
    values: Callable[[Configuration, int], Sequence[Any]]
    also: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    kept: Callable[[Configuration], Mapping[str, Any]] = lambda c: {}


def _fixed(place: str, *values: Any, **also: Any) -> Choice:
    return Choice(place, lambda *_: values, {key.replace("__", "."): value for key, value in also.items()})


def _ks(c: Configuration, dimensions: int) -> list[int]:
    """Return halves and doubles of k that the pool can serve."""
    return [k for k in (c.best_of // 4, c.best_of // 2, c.best_of * 2) if 1 <= k <= c.pool.size // 2]


def _smaller(c: Configuration, dimensions: int) -> list[int]:
    """Return half of the pool in whole chunks, where it still serves k."""
    half = c.pool.chunks // 2 * c.pool.policies_per_chunk
    return [half] if half >= 2 * c.best_of else []


REDUCED: tuple[Choice, ...] = (
    _fixed("complexity.size", "log2", "parameters", "bytes", "compressed"),
    _fixed("complexity.estimator", "best_of_k", "minimum"),
    Choice("complexity.k", _ks),
    _fixed("complexity.fill", "largest", "linear"),
    _fixed("complexity.start", "zero", "chance"),
    _fixed("complexity.bins", 10, 30, 100),
    _fixed("complexity.value_range", [0.0, 1.0], "observed"),
    _fixed("complexity.envelope", "at_least", "within", complexity__estimator="minimum"),
    _fixed("complexity.extrapolate", "linear", "hold", "none", complexity__estimator="minimum"),
    _fixed("dissimilarity.value", "unbiased", "plain", "corrected", "signed"),
    _fixed("dissimilarity.estimator", "average_first", "per_repetition"),
    _fixed("dissimilarity.labels", "apart", "told"),
    _fixed("space.length", "complexity", "relative_excess"),
    _fixed("space.distance", "departure", "transfer"),
    _fixed("space.anchor", "unit", "complexity"),
    Choice("space.dimensions", lambda c, d: [k for k in (d - 1, d + 1) if 1 <= k < len(c.domains)] + ["all"]),
    _fixed("space.null", "propagated", "identical"),
    _fixed("space.merge", False, True),
    _fixed("space.refine", False, True),
    Choice("pool.size", _smaller),
)
"""Choices whose other values need no training."""


def _scaled(place: str, *factors: float, **more: Any) -> Choice:

    def values(c: Configuration, _: int) -> list[int]:
        own = _value(c, _written(place, c))
        return [max(1, round(own * factor)) for factor in factors]

    return Choice(place, values, **more)


def _of_networks(c: Configuration, *values: Any) -> list[Any]:
    """Return values of a pool of networks; none where the pool's learners are made elsewhere."""
    return list(values) if c.pool.learners is None else []


def _alone(c: Configuration) -> dict[str, Any]:
    """Return how often domains are trained alone, which by default follows from the repetitions of mixtures."""
    ends = {"end_repetitions": c.dissimilarity.ends_trained} if c.dissimilarity.ends == "domain" else {}
    controls = {"control_repetitions": c.control_repetitions} if c.controls else {}
    return {f"dissimilarity.{key}": number for key, number in {**ends, **controls}.items()}


TRAINED: tuple[Choice, ...] = (
    _scaled("pool.size", 2),
    Choice(
        LEARNERS,
        lambda c, _: [] if c.control else [{"generator": TREES}, None],  # null: networks
        without=tuple(f"pool.{key}" for key in OF_NETWORKS),
    ),
    Choice("pool.width", lambda c, _: _of_networks(c, [c.pool.width[0], 2 * c.pool.width[1]])),
    Choice("pool.layers", lambda c, _: _of_networks(c, [c.pool.layers[0], c.pool.layers[1] + 1])),
    _scaled("training.length", 0.5, 2),
    _scaled("dissimilarity.network.width", 0.5, 2),
    Choice("dissimilarity.network.layers", lambda c, _: [max(1, c.dissimilarity.network.layers) + 1]),
    _scaled("dissimilarity.training.length", 0.5, 2),
    _scaled("dissimilarity.repetitions", 2, kept=_alone),
    Choice("dissimilarity.end_repetitions", lambda c, _: [2 * c.dissimilarity.ends_trained]),
    _scaled("agents.repetitions", 2),
    Choice("dissimilarity.proportions", lambda c, _: [2 * len(c.dissimilarity.points) - 1]),
    _fixed("dissimilarity.ends", "domain", "pair"),
    Choice("pool.interface", lambda c, _: _of_networks(c, "domain", "suite")),
    _fixed("preset", "paper"),
)
"""Choices whose other values need trainings of their own."""


def changed(raw: Mapping[str, Any], c: Configuration, choice: Choice, value: Any) -> dict[str, Any]:
    """Return a raw configuration with one choice at another value."""
    configuration = copy.deepcopy(dict(raw))
    for place in choice.without:
        section, key = place.split(".")
        configuration.get(section, {}).pop(key, None)
    for place, chosen in {**choice.kept(c), **choice.also, choice.place: value}.items():
        *path, last = _written(place, c).split(".")
        into = configuration
        for key in path:
            into = into.setdefault(key, {})
        into[last] = chosen
    return configuration


def _written(place: str, c: Configuration) -> str:
    if not place.endswith(".length") or place.startswith("space"):
        return place
    settings = c.training if place == "training.length" else c.dissimilarity.training
    return place.removesuffix("length") + ("steps" if isinstance(settings, Reinforcement) else "epochs")


def usual(c: Configuration, choice: Choice) -> Any:
    """Return what a choice is in a configuration, settings as they were given."""
    setting = _value(c, _written(choice.place, c))
    return [_given(entry) for entry in setting] if isinstance(setting, list) else _given(setting)


def _value(c: Configuration, place: str) -> Any:
    for key in place.split("."):
        c = getattr(c, key)
    return c


def _given(setting: Any) -> Any:
    """Return settings as a mapping of the keys that were given; anything else as it is."""
    if not isinstance(setting, BaseModel):
        return setting
    return setting.model_dump(mode="json", exclude_unset=True, exclude_computed_fields=True)


def others(c: Configuration, dimensions: int, among: Sequence[Choice]) -> Iterator[tuple[Choice, Any]]:
    """Yield each choice with each value that is not the run's own."""
    for choice in among:
        own = usual(c, choice)
        for value in choice.values(c, dimensions):
            if _same(own, value) or (own is None and choice.place == "complexity.k" and value == c.best_of):
                continue
            yield choice, value


def _same(own: Any, value: Any) -> bool:
    """Whether two values are one, lists and tuples alike; truth values are no numbers."""
    if isinstance(own, tuple | list) and isinstance(value, tuple | list):
        return list(own) == list(value)
    return type(own) is type(value) and bool(own == value)
