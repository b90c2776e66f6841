"""Compare runs of suites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from aiq.errors import InputError
from aiq.records.comparison import Comparison, Dimensions
from aiq.tasks.comparing import agents as of_agents
from aiq.tasks.comparing import numbers
from aiq.tasks.comparing.pools import at_pool
from aiq.tasks.comparing.settings import differing
from aiq.tasks.suite.reporting.stored import StoredRun


def compare_runs(runs: Sequence[StoredRun], *, pools: Sequence[int] = (), confidence: float = 0.95) -> Comparison:
    """Return runs side by side, with how far each is from the first.

    Args:
        runs: at least two; or one, with pool sizes.
        pools: numbers of policies; of each run, one column for each.
        confidence: of the intervals of differences.

    Raises:
        InputError: there is nothing to compare, or a run has no such pool.
    """
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")
    asked = [at_pool(run, size) for run in runs for size in pools] if pools else list(runs)
    if len(asked) < 2:
        raise InputError("there is one run only; give a second results folder, or two pool sizes (--pool 32 --pool 64)")
    named = _named(asked)
    return Comparison(
        runs=tuple(run.name for run in named),
        settings=differing(named),
        complexity=numbers.complexities(named, confidence),
        dissimilarity=numbers.dissimilarities(named, confidence),
        agents=of_agents.agents(named, confidence),
        dimensions=tuple(
            Dimensions(run.space.dimensions, dict(run.space.dimensionality.probabilities)) for run in named
        ),
        confidence=confidence,
        warnings=tuple(_warnings(named)),
    )


def _named(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Return the runs with names of their own: the folder where two have one name, a number where that is one too."""
    counts = Counter(run.name for run in runs)
    named = [run if counts[run.name] == 1 else replace(run, name=str(run.folder)) for run in runs]
    counts = Counter(run.name for run in named)
    return [
        run if counts[run.name] == 1 else replace(run, name=f"{run.name} ({place})")
        for place, run in enumerate(named, start=1)
    ]


def _warnings(runs: Sequence[StoredRun]) -> list[str]:
    """Return what the differences cannot tell."""
    found = []
    silent = [run.name for run in runs if not run.settings]
    if silent:
        found.append(
            f"{', '.join(silent)} does not hold its settings (an earlier version made it): what differs in them is not "
            "shown, and every difference counts as independent"
        )
    first = set(runs[0].domains)
    if any(set(run.domains) != first for run in runs):
        found.append(
            "the suites have different domains: AIQ is relative to its own suite, so agents' differences mix both"
        )
    ks = {one.complexity.best_of_k.k for run in runs for one in run.complexity.values() if one.complexity.best_of_k}
    if len(ks) > 1:
        found.append(
            f"complexities are at different k ({', '.join(map(str, sorted(ks)))}): smaller k gives larger values"
        )
    estimators = {one.complexity.estimator for run in runs for one in run.complexity.values()}
    if "minimum" in estimators:
        found.append("the paper's minimum falls as a pool grows, whatever the domain; its differences have no interval")
    if len({run.space.dimensions for run in runs}) > 1:
        found.append("the spaces have different numbers of dimensions; AIQ per dimension is the number to compare")
    return found
