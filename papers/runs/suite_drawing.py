"""The figures of experiments that show a suite, from whatever of its results is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from aiq.errors import InputError
from aiq.plans.run import SuiteRun
from aiq.records.estimate import Estimate
from aiq.records.space import Space
from aiq.run.reducing.dissimilarity import SuiteDissimilarity, without_controls
from aiq.run.reducing.space import AgentScores
from papers.claims.evidence import Evidence
from papers.runs.stored import Stored

if TYPE_CHECKING:
    from aiq.figures import Drawing

Found = TypeVar("Found")
SuiteFigure = Callable[[SuiteRun, Evidence, Stored], "Drawing"]
CONVERGED = 14
"""Nodes up to which Figure 21 is drawn."""


def _normalised(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    complexity = {name: one.complexity.estimate for name, one in kept.complexity.items()}
    entropy: dict[str, Estimate] = {name: one.mean for name, one in kept.entropy.items()}
    return figures.normalised(complexity, entropy)


def _values(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    found = {name: one.complexity for name, one in kept.complexity.items()}
    return figures.complexity_values(found, unit=run.configuration.complexity.size)


def _apart(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    found = {name: one.complexity for name, one in kept.complexity.items()}
    return figures.complexity_apart(found, unit=run.configuration.complexity.size)


def _curve(a: str, b: str) -> SuiteFigure:
    """Return what draws the mixtures of two kinds of domains."""

    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        from aiq import figures

        suite = _suite(kept)
        own = suite.pair(e.need(a), e.need(b))
        pair = figures.MixturePair.of(own.a, own.b, own.measured, own.curves)
        return figures.mixture_curve(pair, note=without_controls(run.configuration))

    return drawn


def _matrix(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    suite = _suite(kept)
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    note = without_controls(run.configuration)
    return figures.dissimilarity_matrix(
        records, domains=suite.domains, floor=suite.floor, completion=suite.completion, note=note
    )


def _contributions(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    return figures.contributions(_space(kept))


def _solid(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    space = _space(kept)
    return figures.space_solid(space) if space.dimensions > 2 else figures.space_plane(space)


def _hulls(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    space, found = _space(kept), _scores(kept)
    best = found.scores.agents[0].agent
    inside = {best: [float(found.repetitions(best, name).mean()) for name in space.domains]}
    if space.dimensions > 2:
        return figures.space_solid(space, agents=inside)
    return figures.space_plane(space, agents={name: np.array(row) for name, row in inside.items()})


def _handicap(most: int | None) -> SuiteFigure:
    """Return what draws networks of known size, up to a number of nodes per layer."""

    def drawn(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
        from aiq import figures

        networks = run.configuration.agents.networks
        sizes = {one.name: (one.layers, one.width) for one in networks if most is None or one.width <= most}
        return figures.handicap(_scores(kept).scores, sizes, even=True)

    return drawn


def _apti(run: SuiteRun, e: Evidence, kept: Stored) -> Drawing:
    from aiq import figures

    return figures.agent_scores(_there(kept.apti, "no agent was compared with a baseline").scores, scaled_by="APTI")


def _there(found: Found | None, lacking: str) -> Found:
    """Return a result that is there.

    Raises:
        InputError: it is not.
    """
    if found is None:
        raise InputError(f"{lacking}; finish the experiment first")
    return found


def _suite(kept: Stored) -> SuiteDissimilarity:
    """Return the dissimilarities."""
    return _there(kept.suite, "no dissimilarity was measured")


def _space(kept: Stored) -> Space:
    """Return the space."""
    return _there(kept.space, "the domains were not placed in a space")


def _scores(kept: Stored) -> AgentScores:
    """Return the scored agents."""
    return _there(kept.scores, "no agent was scored")


SUITES: Mapping[str, SuiteFigure] = {
    "f05": _normalised,
    "f11": _curve("mnist", "mnist"),
    "f12": _curve("mnist", "cifar10"),
    "f14": _matrix,
    "f16": _values,
    "f17": _matrix,
    "f17-classes": _matrix,
    "f18": _apart,
    "f19": _contributions,
    "f20": _handicap(None),
    "f21": _handicap(CONVERGED),
    "f23": _values,
    "f23-view": _values,
    "f23-balls": _values,
    "f24": _matrix,
    "f25": _contributions,
    "f26": _solid,
    "f27": _hulls,
    "f28": _handicap(None),
    "f29": _apti,
}
"""Experiment -> what draws its figure."""
