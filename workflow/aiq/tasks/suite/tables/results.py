"""Score results that a reader found in an intelligence space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import quotient
from aiq.measures.quotient import agent_draws
from aiq.records.quotient import Scores
from aiq.records.results import Results
from aiq.records.space import Space
from aiq.tasks.suite.tables import long_scores
from aiq.tasks.suite.tables.given import read_space

Floats = npt.NDArray[np.float64]


def score_results(
    space: str | Path | Space,
    results: Results,
    *,
    missing: str = "refuse",
    seed: int = 0,
    confidence: float = 0.95,
    say: Callable[[str], None] | None = None,
) -> Scores:
    """Score agents by results of another program, with their standard errors as the uncertainty of repetitions.

    Tests that the space does not have are left out and named among the warnings. A test with several runs has its
    uncertainty from these; one with a single run has the standard error that the program gave.

    Args:
        space: a space, or its file.
        results: what was read.
        missing: the rule for missing cells (``refuse``, ``agents``, ``zero``); domains are those of the space.
        seed: root of the resampling.
        confidence: of the intervals.
        say: takes a sentence before work that may take long.

    Raises:
        InputError, StorageError: for results or a file that cannot be used.
    """
    known = space if isinstance(space, Space) else read_space(space)
    found = _on(known.domains, results, missing)
    count = long_scores.REPLICATES if known.bootstrap is None else len(known.bootstrap.coordinates)
    means, errors = found.matrix(), found.errors()
    replicates = np.tile(means, (count, 1, 1))
    single = []
    for i, agent in enumerate(found.agents):
        samples = [found.repetitions(agent, domain) for domain in known.domains]
        drawn = agent_draws.draws_known(samples, errors[i], count, seeding.generator(seed, "score", agent))
        if drawn is None:
            single.append(agent)
        else:
            replicates[:, i] = drawn
    repeated = len(single) < len(found.agents)
    if say is not None and (words := long_scores.said(known, len(found.agents), repeated)):
        say(words)
    scores = quotient.score(
        known,
        found.agents,
        means,
        performance_replicates=replicates if repeated else None,
        single=single,
        seed=seed,
        confidence=confidence,
    )
    return replace(scores, warnings=(*scores.warnings, *_said(known, results, found)))


def _on(domains: Sequence[str], results: Results, missing: str) -> Results:
    """Return complete results on the domains of a space.

    Raises:
        InputError: a domain of the space has no result, or cells are missing and the rule refuses.
    """
    lacking = [name for name in domains if name not in results.domains]
    if lacking:
        raise InputError(
            f"the results have no test {lacking[0]!r}, which the space has; they have "
            f"{', '.join(results.domains[:8])}{' and more' if len(results.domains) > 8 else ''}"
        )
    return results.only(domains).complete(missing)


def _said(space: Space, results: Results, found: Results) -> list[str]:
    """Return what was left out and done, in sentences."""
    extra = [name for name in results.domains if name not in space.domains]
    said = [f"tests that the space does not have were left out: {', '.join(extra)}"] if extra else []
    gone = [name for name in results.agents if name not in found.agents]
    said += [f"agents without all tests were left out: {', '.join(gone)}"] if gone else []
    return [*said, *found.notes]
