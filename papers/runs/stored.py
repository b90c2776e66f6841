"""Results of a suite as they lie in its folder, finished or not; those of other settings are passed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiq import storage
from aiq.errors import StorageError
from aiq.plans.run import SuiteRun
from aiq.records.entropy import Entropy
from aiq.records.space import Space
from aiq.tasks.suite.reducing.comparison import AptiScores
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity
from aiq.tasks.suite.reducing.space import AgentScores


@dataclass(frozen=True, eq=False)
class Stored:
    """What is there of a suite: complexities and entropies by domain, and what else was measured (None: not)."""

    complexity: Mapping[str, DomainComplexity]
    entropy: Mapping[str, Entropy]
    suite: SuiteDissimilarity | None
    space: Space | None
    scores: AgentScores | None
    apti: AptiScores | None


def stored_of(run: SuiteRun, exact: bool) -> Stored:
    """Return what is there of a suite.

    Args:
        run: the run.
        exact: take results of these settings alone, as a folder of experiments holds several; else whatever is there.
    """
    layout, plan, domains = run.layout, run.plan, run.configuration.domains
    scored = plan.scores() if exact and plan.scored else None
    return Stored(
        each_of(domains, layout.complexity, "complexity", DomainComplexity, plan.complexity if exact else None),
        each_of(domains, layout.entropy, "entropy", Entropy, plan.entropy if exact else None),
        one_of(layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity() if exact else None),
        one_of(layout.space, "space", Space, plan.space() if exact else None),
        one_of(layout.scores, "scores", AgentScores, scored),
        one_of(layout.apti, "apti", AptiScores, None),
    )


def each_of(names: Mapping[str, Any], path: Any, kind: str, record: Any, fingerprint: Any) -> dict[str, Any]:
    """Return the results of the domains that have one of these settings."""
    found = {}
    for name in names:
        one = one_of(path(name), kind, record, None if fingerprint is None else fingerprint(name))
        if one is not None:
            found[name] = one
    return found


def one_of(path: str, kind: str, record: Any, fingerprint: Any) -> Any:
    """Return a result; None where it is not there, or is of other settings."""
    if not Path(path).exists():
        return None
    if fingerprint is not None:
        try:
            if storage.glance.glance(path, kind) != fingerprint:
                return None
        except StorageError:
            return None
    return storage.read_result(path, kind, record)
