"""Presets: keys that are set together unless they are given, each with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PresetKey:
    """One key of a preset: its place by dots, its value, and the paper's place that says so."""

    place: str
    value: Any
    source: str


PAPER = (
    PresetKey("pool.interface", "domain", "2.4.3: a domain is measured by itself, not in a suite"),
    PresetKey("complexity.estimator", "minimum", "2.4.3: the smallest policy of a bin is selected"),
    PresetKey("complexity.envelope", "at_least", "Fig. 2: the minimal policy size required to reach each performance"),
    PresetKey("complexity.bins", 30, "2.4.3: thirty bins"),
    PresetKey("complexity.value_range", [0.0, 1.0], "2.4.3: the performance range, generally [0, 1]"),
    PresetKey("complexity.extrapolate", "linear", "2.4.3: linear extrapolation where several bins are missing"),
    PresetKey("complexity.fill", "linear", "2.4.3: the same straight line for MCCP@k, which stands beside"),
    PresetKey("dissimilarity.ends", "pair", "2.5.3: every proportion, from zero to one, is of that pair"),
    PresetKey("dissimilarity.labels", "apart", "2.5.3: both domains are merged as they are"),
    PresetKey("dissimilarity.estimator", "average_first", "Eq. 9: the area between two performance curves"),
    PresetKey("dissimilarity.value", "plain", "Eq. 9: the area of the absolute difference"),
    PresetKey("space.length", "complexity", "Eq. 10: the unit vector times the complexity"),
    PresetKey("space.distance", "departure", "2.6.2: distances between tests are their dissimilarities"),
    PresetKey("space.dimensions", "all", "3.3.5: unnecessary dimensions of intelligence are not removed"),
    PresetKey("space.null", "identical", "3.2.1: what is noise is seen on a domain and itself"),
    PresetKey("space.merge", False, "3.3.5: every test has a location of its own"),
    PresetKey("space.refine", False, "3.3.5: multilateration, and nothing after it"),
    PresetKey("value", "volume", "Eq. 14: AIQ is the volume of the hull"),
)
"""What the paper of 2025 does, as far as it says."""

PRESETS: Mapping[str, tuple[PresetKey, ...]] = {"paper": PAPER}


def applied(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a raw configuration with the keys of its preset where they are not given; without one as it is."""
    made = dict(raw)
    name = raw.get("preset")
    for key in PRESETS.get(name, ()) if isinstance(name, str) else ():
        section, _, last = key.place.rpartition(".")
        given = made.get(section, {})
        if not section:
            made.setdefault(last, key.value)
        elif isinstance(given, Mapping):  # anything else is refused in its own place
            made[section] = {last: key.value, **given}
    return made
