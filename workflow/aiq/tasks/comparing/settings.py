"""What differs in the settings of runs, and which of their policies are therefore the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiq.tasks.suite.reporting.stored import StoredRun

ASIDE = ("name", "results", "jobs")
"""Settings that determine no number."""


def differing(runs: Sequence[StoredRun]) -> dict[str, tuple[Any, ...]]:
    """Return the settings in which runs differ, by dotted name: one value per run, None where a run has it not."""
    flat = [dict(_flat(run.settings, "")) for run in runs]
    names = dict.fromkeys(name for one in flat for name in one)
    found = {name: tuple(one.get(name) for one in flat) for name in names}
    return {
        name: values
        for name, values in found.items()
        if name.partition(".")[0] not in ASIDE and len({json.dumps(value) for value in values}) > 1
    }


def _flat(settings: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the dotted name and value of each setting; a list of named settings counts by name, any other whole."""
    if isinstance(settings, list) and settings and all(isinstance(one, Mapping) and "name" in one for one in settings):
        settings = {str(one["name"]): {key: v for key, v in one.items() if key != "name"} for one in settings}
    if not isinstance(settings, Mapping):
        yield name, settings
        return
    for key, value in settings.items():
        yield from _flat(value, f"{name}.{key}" if name else str(key))


def same_pool(a: StoredRun, b: StoredRun) -> bool:
    """Whether policies of one number are one policy in both runs: equal seed, and pools of one design."""
    return _alike(a, b, ("seed",)) and _part(a, "pool", without=("size",)) == _part(b, "pool", without=("size",))


def same_mixture_policies(a: StoredRun, b: StoredRun) -> bool:
    """Whether repetition r of a mixture starts from one policy in both runs."""
    kept = ("network", "repetitions", "repetitions_per_chunk", "proportions", "ends")
    return _alike(a, b, ("seed",)) and _part(a, "dissimilarity", kept) == _part(b, "dissimilarity", kept)


def same_agent(a: StoredRun, b: StoredRun, agent: str) -> bool:
    """Whether repetition r of an agent starts from one policy in both runs."""
    found = [_network(run, agent) for run in (a, b)]
    return _alike(a, b, ("seed",)) and found[0] is not None and found[0] == found[1]


def _network(run: StoredRun, agent: str) -> Mapping[str, Any] | None:
    """Return the configured network of an agent, None of one that was not trained in the run."""
    networks = run.settings.get("agents", {}).get("networks", [])
    return next((dict(one) for one in networks if one.get("name") == agent), None)


def _alike(a: StoredRun, b: StoredRun, names: Sequence[str]) -> bool:
    """Whether both runs have settings, and equal ones by some names."""
    return bool(a.settings and b.settings) and all(a.settings.get(n) == b.settings.get(n) for n in names)


def _part(run: StoredRun, name: str, kept: Sequence[str] | None = None, without: Sequence[str] = ()) -> Any:
    """Return a part of the settings, or some of it."""
    part = run.settings.get(name, {})
    return {key: v for key, v in part.items() if key not in without and (kept is None or key in kept)}
