"""How large a run was, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
