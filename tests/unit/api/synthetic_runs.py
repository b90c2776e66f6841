"""Results folders of runs that never ran: records of simulated trials and mixtures, written as a run writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from aiq import storage
from aiq.config.measures import Space as SpaceSettings
from aiq.measures import complexity, dissimilarity
from aiq.records.table import Table
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import MeasuredPair, SuiteDissimilarity, _matrices
from aiq.run.reducing.space import AgentScores, placed
from aiq.seeding import generator
from aiq.tables.scores import score

DOMAINS = ("digits", "faces", "wine")
P = np.linspace(0, 1, 11)


def settings(**changes: Any) -> dict[str, Any]:
    """The settings of a run; a dotted name is written with two underscores."""
    found: dict[str, Any] = {
        "name": "made",
        "seed": 7,
        "pool": {"family": "dense", "size": 64},
        "training": {"epochs": 12},
        "dissimilarity": {"network": {"width": 8}, "repetitions": 5, "repetitions_per_chunk": 5, "proportions": 11},
        "space": {},
        "quotient": {},
        "agents": {"repetitions": 3, "networks": [{"name": "small", "width": 2}, {"name": "large", "width": 64}]},
    }
    for name, value in changes.items():
        part, _, key = name.rpartition("__")
        (found[part] if part else found)[key or name] = value
    return found


def write_run(folder: Path, how: dict[str, Any] | None, *, shift: float = 0.0, noise: str = "a") -> Path:
    """Write a run; ``shift`` makes every domain harder, ``noise`` names what is drawn apart from other runs."""
    rng, shared = generator(1, "run", noise), generator(1, "run", "architectures")
    size = shared.uniform(4, 12, 64)
    chunk = np.arange(64) // 8
    records = {}
    for k, name in enumerate(DOMAINS):
        top = 1 / (1 + np.exp(-(size - 6 - k - shift))) + rng.normal(0, 0.05, 64)
        reached = np.clip(top, 0, 1)
        measured = complexity.measure(reached, size, chunk=chunk, largest=12.0, resamples=200, seed=7)
        records[name] = DomainComplexity(name, "log2", measured, None, size, reached, chunk, 1.0)
        storage.write_result(folder / "complexity" / f"{name}.h5", "complexity", records[name], "f" * 16, 7)
    pairs = []
    for i, a in enumerate(DOMAINS):
        for b in DOMAINS[i:]:
            sag = 0.0 if a == b else 0.05 + 0.02 * i
            curves = np.clip(0.9 - sag * 4 * P * (1 - P) + rng.normal(0, 0.004, (5, 11)), 0, 1)
            record = dissimilarity.measure(P, curves, resamples=200, seed=i)
            pairs.append(MeasuredPair(a, b, curves, record))
    matrix, replicates = _matrices(DOMAINS, pairs)
    floor = dissimilarity.noise_floor([pair.measured for pair in pairs if pair.a == pair.b], seed=7)
    report = dissimilarity.matrix_report(matrix, floor, None)
    suite = SuiteDissimilarity(DOMAINS, tuple(pairs), matrix, replicates, floor, report, None, (), 1, 0, 1.0)
    storage.write_result(folder / "dissimilarity.h5", "dissimilarity", suite, "f" * 16, 7)
    space = placed(SpaceSettings(), 7, DOMAINS, [records[name].complexity for name in DOMAINS], suite)
    storage.write_result(folder / "space.h5", "space", space, "f" * 16, 7)
    means = {"small": [0.5, 0.4, 0.6], "large": [0.9, 0.85, 0.95]}
    reps = {who: [np.clip(mean + rng.normal(0, 0.02, 3), 0, 1) for mean in row] for who, row in means.items()}
    rows = [(who, d, r, float(v)) for who, row in reps.items() for d, vs in zip(DOMAINS, row, strict=True)
            for r, v in enumerate(vs)]  # fmt: skip
    agent, domain, repetition, performance = zip(*rows, strict=True)
    scores = AgentScores(score(space, reps, seed=7), agent, domain, np.array(repetition), np.array(performance), 0, 1.0)
    storage.write_result(folder / "scores.h5", "scores", scores, "f" * 16, 7)
    storage.write_table(folder / "tables" / "agents.csv", Table.of(("agent", "per_dimension"), [("large", 0.9)]))
    beside = folder / "tables" / "provenance" / "agents.json"
    beside.parent.mkdir(exist_ok=True)
    beside.write_text(json.dumps({"file": "agents.csv"} | ({} if how is None else {"settings": how})))
    return folder
