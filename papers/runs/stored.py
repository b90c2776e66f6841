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
from aiq.run.reducing.comparison import AptiScores
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores

# ---- How large a run was, in words ---------------------------------------------------------------


def described(settings: Mapping[str, Any], mixed: bool = True) -> str:
    """Return what of a configuration decides how much its numbers can tell.

    Args:
        settings: the configuration.
        mixed: of a suite, whether its mixtures were trained.
    """
    measure = settings.get("measure", "aiq")
    if measure == "aiq":
        return _suite(settings, mixed)
    of = {"algorithmic": _algorithmic, "anytime": _anytime, "collectives": _collectives}
    return of[str(measure)](settings) if str(measure) in of else f"measure {measure}"


def _suite(settings: Mapping[str, Any], mixed: bool) -> str:
    """Return the size of a suite."""
    domains, pool = settings["domains"], settings["pool"]
    training, mixtures = settings["training"], settings["dissimilarity"]
    samples = sorted({int(n) for one in domains.values() if (n := one.get("limit") or one.get("train_samples"))})
    words = [f"{len(domains)} domains", f"{pool['size']} policies", _length(training)]
    if samples:
        words.insert(1, f"{samples[0]:,}{f' to {samples[-1]:,}' if len(samples) > 1 else ''} samples")
    views = sorted({str(one.get("view", "full")) for one in domains.values() if one.get("source") == "cartpole3d"})
    if views:
        words.append(f"view {' and '.join(views)}")
    if mixed:
        words.append(f"mixtures: {mixtures.get('repetitions', 3)} times {_length(mixtures['training'])}")
    return ", ".join(words)


def _length(training: Mapping[str, Any]) -> str:
    """Return how long a training lasts."""
    most = "at most " if training.get("convergence") else ""
    return f"{most}{training['epochs']} epochs" if "epochs" in training else f"{most}{training['steps']:,} steps"


def _algorithmic(settings: Mapping[str, Any]) -> str:
    """Return the size of a run of the algorithmic quotient."""
    lengths = sorted({int(n) for agent in settings.get("agents", ()) for n in agent.get("lengths", ())})
    programs = settings.get("programs", {}).get("count", "?")
    return f"{programs} programs, {settings.get('runs', 10_000)} runs, lengths {', '.join(f'{n:,}' for n in lengths)}"


def _anytime(settings: Mapping[str, Any]) -> str:
    """Return the size of an anytime test."""
    budget = settings.get("test", {})
    return (
        f"{settings.get('repetitions', '?')} tests of budget {budget.get('budget', '?')} {budget.get('by', '')}".strip()
    )


def _collectives(settings: Mapping[str, Any]) -> str:
    """Return the size of a run of collectives."""
    part = settings.get("by_side", {})
    return f"sides {', '.join(map(str, part.get('sides', ())))}, {part.get('episodes', '?')} episodes"


# ---- Results of a suite as they lie in its folder, finished or not; those of other settings ------


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
