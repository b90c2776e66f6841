"""A run as its results folder holds it, read without the configuration that made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiq import storage
from aiq.errors import InputError, StorageError, redo_command
from aiq.plans.suite_layout import SuiteLayout
from aiq.records.space import Space
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity
from aiq.tasks.suite.reducing.space import AgentScores


@dataclass(frozen=True, eq=False)
class StoredRun:
    """The results of a run of a suite.

    ``name``: what the run is called in comparisons; ``settings``: its configuration, every default written out, empty
    where the folder is of a version that did not keep it; ``scores`` is None where nobody was scored; ``of``: the
    folder, equal for a run and for the same run at a smaller pool.
    """

    name: str
    folder: Path
    settings: Mapping[str, Any]
    complexity: Mapping[str, DomainComplexity]
    dissimilarity: SuiteDissimilarity
    space: Space
    scores: AgentScores | None
    of: str = field(default="")

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the domains."""
        return self.dissimilarity.domains


def read_stored(folder: str | Path) -> StoredRun:
    """Read the results folder of a run of a suite.

    Raises:
        InputError: the folder holds no results of a suite.
        StorageError: a file is missing, damaged, or its domains are not those of the others.
    """
    root = Path(folder)
    layout = SuiteLayout(str(root))
    if not root.is_dir():
        raise InputError(f"{folder} is no folder; give the results folder of a run, such as results/my-suite")
    if not Path(layout.dissimilarity).exists():
        raise InputError(
            f"{folder} holds no results of a suite (there is no {Path(layout.dissimilarity).name} in it); give the "
            "results folder of a finished run of measure aiq"
        )
    suite = storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity)
    found = {
        name: storage.read_result(layout.complexity(name), "complexity", DomainComplexity) for name in suite.domains
    }
    space = storage.read_result(layout.space, "space", Space)
    scores = None
    if Path(layout.scores).exists():
        scores = storage.read_result(layout.scores, "scores", AgentScores)
    for what, domains in (("space", space.domains), ("scores", None if scores is None else scores.scores.domains)):
        if domains is not None and set(domains) != set(suite.domains):
            raise StorageError(
                f"{folder} is a mixture: its {what} has the domains {', '.join(domains)}, its dissimilarities "
                f"{', '.join(suite.domains)}; make it again: {redo_command()}"
            )
    return StoredRun(root.name, root, read_settings(root), found, suite, space, scores, str(root.resolve()))


def read_settings(folder: str | Path) -> Mapping[str, Any]:
    """Return the configuration that made a folder's tables, every default written out; empty where it was not kept.

    Raises:
        StorageError: what is beside a table is no JSON object.
    """
    beside = sorted(Path(folder).glob("tables/provenance/*.json"), key=lambda path: path.stat().st_mtime)
    if not beside:
        return {}
    try:
        record = json.loads(beside[-1].read_text(encoding="utf-8"))
        return dict(record.get("settings", {}))
    except (ValueError, AttributeError, TypeError) as error:
        raise StorageError(f"{beside[-1]} is damaged ({error}); remove it and run the configuration again") from error
