"""The small whole runs whose numbers are kept, and how every number of one is made in this process."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tiny
import tiny_algorithmic
import tiny_anytime
import tiny_collectives
import tiny_control
import tiny_similarity

from aiq.plans.base import Fingerprint, behind
from aiq.plans.run import Run
from aiq.run.products import makers
from aiq.storage import hdf5
from tests.golden.texts import Leaves, flat, table_leaves, with_numbers_of

TRAINED = frozenset({"trials", "mixtures", "alone", "agents", "baseline", "learners", "test", "merged"})
"""Stages whose numbers come from trainings of networks: what follows them starts from the numbers that are kept."""

_DIABETES = {"source": "sklearn", "name": "diabetes", "limit": 150, "limit_test": 80}
_TREE = "sklearn.tree:DecisionTreeRegressor"
LEARNERS = tiny.tiny(
    domains={"diabetes": _DIABETES, "noisy": {**_DIABETES, "gaussian": 1.0}},
    pool={
        "size": 8,
        "policies_per_chunk": 4,
        "learners": [{"factory": _TREE, "arguments": {"max_leaf_nodes": n}, "size": n} for n in (2, 6)],
    },
    complexity={"resamples": 40, "start": "chance"},
    agents={"repetitions": 2, "outside": [{"name": "ridge", "factory": "sklearn.linear_model:Ridge"}]},
)
"""Numbers that are learned, by learners made elsewhere."""

_SIX = {"source": "sklearn", "name": "digits", "classes": 6, "limit": 200, "limit_test": 120}
TWINS = tiny.tiny(
    domains={"digits": _SIX, "noisy": {**_SIX, "noise": 0.3}},
    dissimilarity__labels="shared",
    dissimilarity__controls=False,
    dissimilarity__twins=2,
    dissimilarity__network={"layers": 1, "width": 24},
    dissimilarity__training__epochs=12,
    space__distance="relative",
)
"""Tests that meet their twins, and the space of their relative dissimilarities."""


@dataclass(frozen=True)
class Small:
    """A small configuration and what has to lie beside it."""

    raw: Mapping[str, Any]
    prepare: Callable[[Path], object] = lambda folder: None


SMALL: Mapping[str, Small] = {
    "suite": Small(tiny.TINY),
    "control": Small(tiny_control.CONTROL, tiny_control.write_balancers),
    "learners": Small(LEARNERS),
    "twins": Small(TWINS),
    "algorithmic": Small(tiny_algorithmic.TINY),
    "anytime": Small(tiny_anytime.TINY),
    "collectives": Small(tiny_collectives.TINY),
    "similarity": Small(tiny_similarity.TINY),
    "similarity-played": Small(tiny_similarity.PLAYED),
}


@dataclass
class Made:
    """What one stage of a run made.

    Attributes:
        name: of the stage.
        versions: of the stage and of all stages behind it.
        leaves: place -> numbers; a place is a file and the names down to the numbers.
        processor: what decides the last digits of trainings; empty for other stages.
    """

    name: str
    versions: dict[str, int]
    leaves: Leaves = field(default_factory=dict)
    processor: dict[str, str] = field(default_factory=dict)


def make(name: str, kept: Mapping[str, Made]) -> list[Made]:
    """Make a whole run and return the numbers of its stages, in the order in which they work.

    Args:
        name: of the run.
        kept: stage -> what is kept of it. Stages that follow trainings of the kept versions start from the kept
            numbers: so a reduction has the same input on every processor.
    """
    small = SMALL[name]
    run = Run.of(small.raw)
    stages: dict[str, Made] = {}
    with tempfile.TemporaryDirectory() as place, tiny.inside(Path(place)):
        small.prepare(Path())
        files = {**run.plan.shards(), **run.plan.results()}
        done: set[str] = set()
        for work in tiny.jobs(run).values():
            work()
            for path in [path for path in files if path not in done and Path(path).exists()]:
                done.add(path)
                _look(run, path, *files[path], stages, kept)
        missing = set(files) - done
        assert not missing, f"the small run {name} does not make {sorted(missing)}"
        for path, fingerprints, leaves in _tables(run):
            made = _stage(run, fingerprints, stages)
            made.leaves |= {f"{path}/{column}": values for column, values in leaves.items()}
    order = [stage.name for stage in run.plan.stages]
    return sorted(stages.values(), key=lambda made: order.index(made.name))


def _look(
    run: Any, path: str, kind: str, fingerprint: Fingerprint, stages: dict[str, Made], kept: Mapping[str, Made]
) -> None:
    """Note the numbers of a file, and put the kept ones in their place where they are trained."""
    header, tree = hdf5.read(path, kind, fingerprint)
    made = _stage(run, fingerprint, stages)
    inside = f"{Path(path).relative_to(run.layout.root)}/"
    made.leaves |= {inside + name: value for name, value in flat(tree).items()}
    old = kept.get(made.name)
    if made.name in TRAINED and old is not None and old.versions == made.versions:
        own = {name[len(inside) :]: value for name, value in old.leaves.items() if name.startswith(inside)}
        hdf5.write(path, hdf5.Header(kind, fingerprint, header.seed), with_numbers_of(tree, own))


def _stage(run: Any, fingerprints: Any, stages: dict[str, Made]) -> Made:
    """Return what the last stage behind some fingerprints made until now."""
    versions = behind([fingerprints])
    name = [stage.name for stage in run.plan.stages if stage.name in versions][-1]
    return stages.setdefault(name, Made(name, versions, processor=processor() if name in TRAINED else {}))


def _tables(run: Any) -> Iterator[tuple[str, Any, Leaves]]:
    """Yield every table of a run: its place, the fingerprints that it follows, its columns."""
    for job in run.plan.products():
        made = makers(run, job)
        for name in job.table_names(run.plan):
            yield f"tables/{name}.csv", job.follows(run.plan), table_leaves(made.tables[name]())


# ---- processors ------------------------------------------------------------------------------------


def processor() -> dict[str, str]:
    """Return what decides the last digits of a training: the kind of processor and the libraries of linear algebra."""
    import torch

    return {
        "machine": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "maker": _maker(),
        "torch": torch.__version__.partition("+")[0],
        "numpy": np.__version__,
    }


def _maker() -> str:
    """Return who made the processor: libraries choose their loops by it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id")), "")
