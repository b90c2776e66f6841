"""Performances of agents on the tests of a space, from what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError, did_you_mean
from aiq.records.estimate import Floats
from aiq.records.observations import Observations


@dataclass(frozen=True, slots=True, eq=False)
class Performances:
    """What agents reached on the n tests of a space.

    ``samples``: agent -> its repetitions on each test; ``se``: agent -> standard errors (n,) that another program gave
    of results without repetitions, NaN where there is none; ``notes``: what was left out or done, in sentences.
    """

    samples: Mapping[str, Sequence[Floats]]
    se: Mapping[str, Floats]
    notes: tuple[str, ...] = ()

    @property
    def repeated(self) -> bool:
        """Whether anything is known of any agent's own uncertainty."""
        several = any(values.size > 1 for agent in self.samples.values() for values in agent)
        return several or any(np.isfinite(errors).any() for errors in self.se.values())


def performances_from_table(path: str, domains: Sequence[str]) -> Performances:
    """Return the performances in a file.

    Raises:
        InputError: it cannot be read, an agent lacks a test of the space, or a value has no known scale.
    """
    from aiq.readers import read  # brings pandas

    results = read(path, known=domains)
    try:
        return performances_from_results(results, domains)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def performances_from_results(results: Observations, domains: Sequence[str], missing: str = "refuse") -> Performances:
    """Return the performances that a reader found in what another program wrote, on the tests of a space.

    Other tests are left out, and a note says so. ``missing``: the rule for missing cells (``refuse``, ``agents``,
    ``zero``).
    """
    tests = results.domains
    lacking = next((name for name in domains if name not in tests), None)
    if lacking is not None:
        hint = did_you_mean(lacking, [test for test in tests if test not in domains])
        more = f"{', '.join(tests[:8])}{' and more' if len(tests) > 8 else ''}"
        raise InputError(
            f"no agent has a performance on the test {lacking!r}, which the space has{hint}; there are {more}"
        )
    asked = results.tests().only(domains)
    gaps = np.argwhere(asked.counts() == 0) if missing == "refuse" else ()
    if len(gaps):
        agent, domain = asked.agents[gaps[0][0]], asked.domains[gaps[0][1]]
        raise InputError(
            f"agent {agent} has no performance on {domain} ({len(gaps)} of {asked.counts().size} cells are missing); "
            "every agent needs all, or aiq score is told what to do: --missing agents, zero"
        )
    whole = asked.complete(missing)
    errors = whole.errors()
    samples = {agent: [whole.repetitions(agent, domain) for domain in domains] for agent in whole.agents}
    gone = [name for name in results.agents if name not in whole.agents]
    notes = [*left_out(results.domains, domains)]
    notes += [f"agents without all tests were left out: {', '.join(gone)}"] if gone else []
    notes += _without_error(whole, errors)
    return Performances(samples, dict(zip(whole.agents, errors, strict=True)), (*notes, *whole.decisions))


def _without_error(whole: Observations, errors: Floats) -> list[str]:
    """Return what is said of tests whose error is not known while that of others is."""
    counts = whole.counts()
    exact = (counts == 1) & np.isnan(errors)
    partly = exact.any(axis=1) & np.isfinite(errors).any(axis=1) & (counts == 1).all(axis=1)
    if not partly.any():
        return []
    tests = [name for name, gone in zip(whole.domains, exact[partly].any(axis=0), strict=True) if gone]
    return [
        f"no error is known of {', '.join(tests)}: its value counts as exact for {int(partly.sum())} agents, so their "
        "intervals hold the errors of the other tests alone"
    ]


def left_out(tests: Sequence[str], domains: Sequence[str]) -> tuple[str, ...]:
    """Return what is said of tests that the space does not have."""
    extra = [name for name in tests if name not in domains]
    return (f"tests that the space does not have were left out: {', '.join(extra)}",) if extra else ()
