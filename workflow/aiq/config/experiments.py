"""Experiments: one file per figure of the paper, with its settings at a small scale and at the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from aiq.config.load import read
from aiq.errors import ConfigurationError, choice
from aiq.settings import Settings, validate

SCALES = ("small", "paper")
EVERY = "*"
"""Among domains: keys of every domain."""

Makes = Literal["complexity", "entropy", "dissimilarity", "all"]


class Scaled(Settings):
    """What an experiment's settings have at each of the two scales, over those that both share."""

    small: dict[str, Any] = Field(description="minutes on 2 cores")
    paper: dict[str, Any] = Field(description="as published")


class Experiment(Settings):
    """An experiment: a suite of variants that one figure of the paper shows."""

    experiment: str = Field(pattern=r"^f\d\d$", description="its name: the figure")
    title: str = Field(min_length=1, description="what the figure shows")
    source: str = Field(min_length=1, description="section and figure of the paper")
    claims: list[str] = Field(min_length=1, description="claims that its results answer")
    makes: list[Makes] = Field(min_length=1, description="what is asked of the run; all: everything that it can give")
    like: str | None = Field(None, description="another experiment, whose settings and results are also this one's")
    settings: dict[str, Any] = Field(default_factory=dict, description="configuration that both scales share")
    scale: Scaled | None = Field(None, description="what each scale adds or replaces; null takes a key away")


def read_experiment(path: str | Path) -> Experiment:
    """Read the file of an experiment.

    Raises:
        ConfigurationError: the file cannot be read or does not fit.
    """
    found = validate(Experiment, read(path), str(path))
    if (found.like is None) == (found.scale is None):
        raise ConfigurationError(f"{path}: give either scale, with small and paper, or like, another experiment")
    return found


def configuration(found: Experiment, scale: str) -> dict[str, Any]:
    """Return the raw configuration of an experiment with settings of its own at a scale.

    Raises:
        ConfigurationError: there is no such scale.
    """
    if scale not in SCALES:
        raise ConfigurationError(choice("scale", scale, SCALES))
    if found.scale is None:
        raise ValueError(f"{found.experiment} has the settings of {found.like}")
    merged = merge(found.settings, getattr(found.scale, scale))
    if "domains" in merged:
        merged["domains"] = everywhere(merged["domains"])
    return {"name": found.experiment, **merged}


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with others laid over them: mappings key by key, anything else replaced, null taken away."""
    merged = dict(under)
    for key, value in over.items():
        before = merged.get(key)
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            merged[key] = merge(before if isinstance(before, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged


def everywhere(domains: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return domains, each with the keys of ``*`` where it has none of its own."""
    common = domains.get(EVERY, {})
    return {name: {**common, **one} for name, one in domains.items() if name != EVERY}
