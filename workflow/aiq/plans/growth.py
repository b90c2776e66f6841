"""To which numbers the rounds of ``precision`` have grown a suite: a file beside its results, read by every plan.

A number is the larger one of the configuration and the file, so a suite never shrinks, and whoever plans it, by
``aiq run`` or by Snakemake alone, plans the grown one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiq.config.suite import Configuration
from aiq.errors import ConfigurationError
from aiq.plans.layout import Files
from aiq.records.variance import GROWN, Rounds


def numbers(c: Configuration) -> dict[str, int]:
    """Return the repetitions of every source of uncertainty that can grow, by source.

    The paper's minimum changes with the pool's size, so with it the pool does not grow.
    """
    d = c.dissimilarity
    repetitions = {
        "pool": c.pool.size if c.complexity.estimator == "best_of_k" else 0,
        "ends": d.ends_trained,
        "mixtures": d.repetitions,
        "agents": c.agents.repetitions if c.agents.networks or c.agents.outside else 0,
    }
    return {name: number for name, number in repetitions.items() if number}


def steps(c: Configuration) -> dict[str, int]:
    """Return of what each number is a multiple."""
    together = {"ends": c.dissimilarity.ends_together, "mixtures": c.dissimilarity.repetitions_per_chunk}
    return {"pool": c.pool.policies_per_chunk, **together, "agents": 1}


def in_proportion(c: Configuration, mixtures: int) -> int:
    """Return the repetitions of ends that go with a larger number of mixtures as today's go with today's."""
    d = c.dissimilarity
    return -(-d.ends_trained * mixtures // (d.repetitions * d.ends_together)) * d.ends_together


def read(path: str | Path) -> Rounds | None:
    """Return the rounds that a file tells of, or None where there is no file.

    Raises:
        ConfigurationError: it cannot be read.
    """
    try:
        return Rounds.of(json.loads(Path(path).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigurationError(
            f"the record of rounds {path} cannot be read ({error}); remove it, and rounds begin anew from the "
            "configured numbers"
        ) from error


def grown(raw: Mapping[str, Any], c: Configuration) -> dict[str, Any]:
    """Return a raw configuration with the numbers to which its rounds have grown it; as it is where there were none.

    Raises:
        ConfigurationError: the record of the rounds cannot be read.
    """
    record = read(Files(c.results).precision) if c.precision is not None else None
    if record is None or not record.rounds:
        return dict(raw)
    return applied(raw, c, record.rounds[-1].numbers)


def applied(raw: Mapping[str, Any], c: Configuration, wanted: Mapping[str, int]) -> dict[str, Any]:
    """Return a raw configuration with larger numbers where they are wanted, and all others as they are.

    What is measured stays what it was: ends keep their number where only mixtures grow, and a complexity keeps its k.
    """
    have, step = numbers(c), steps(c)
    whole = {name: -(-wanted[name] // step[name]) * step[name] for name in have if name in wanted}
    more = {name: number for name, number in whole.items() if number > have[name]}
    if "mixtures" in more and "ends" in have:
        more = {"ends": have["ends"], **more}
    made = dict(raw)
    for name, number in more.items():
        section, key = GROWN[name].split(".")
        made[section] = {**made.get(section, {}), key: number}
    if "pool" in more and c.complexity.k is None:
        size = c.model_copy(update={"pool": c.pool.model_copy(update={"size": more["pool"]})})
        if size.best_of != c.best_of:
            made["complexity"] = {**made.get("complexity", {}), "k": c.best_of}
    return made
