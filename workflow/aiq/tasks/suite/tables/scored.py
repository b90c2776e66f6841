"""The tables of scored agents and of what each test counts, as runs and data frames write them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from aiq import storage
from aiq.errors import InputError
from aiq.measures.quotient import hull_stack
from aiq.measures.quotient.hull_budget import Budget, cost, facet_bound
from aiq.records.estimate import Estimate
from aiq.records.quotient import AgentScore, Scores
from aiq.records.space import Space
from aiq.records.table import Cell, Table
from aiq.storage.hdf5 import holds_one
from aiq.tasks.suite.tables.columns import bounds

# ---- What is said before scores that take long are computed --------------------------------------


REPLICATES = 1000  # of performances, in a space without replicates
FACET = 6e-6  # seconds of a facet, see ``Budget``
SAMPLED = 30.0  # seconds of a hull that is sampled to its target
QUIET = 10.0  # seconds below which nothing is said


def said(space: Space, agents: int, repeated: bool) -> str:
    """Return how many hulls are computed and how long that may take, nothing where it is done at once.

    Args:
        space: the space, with or without replicates.
        agents: how many are scored.
        repeated: whether any has repetitions or standard errors.
    """
    budget, (n, d) = Budget(), space.coordinates.shape
    moved = 0 if space.bootstrap is None else len(space.bootstrap.coordinates)
    hulls, one = agents + 1, cost(n, d, budget)
    used = min(moved or REPLICATES * repeated, budget.total // ((agents + bool(moved)) * one))
    sampled = 1 < d < n and facet_bound(n + 1, d) > budget.facets
    seconds = hulls * (SAMPLED if sampled else one * FACET)
    seconds += 0.0 if hull_stack.fits(n, d) else used * hulls * one * FACET
    if seconds < QUIET:
        return ""
    how = "sampled, as they may have too many facets to list" if sampled else "computed"
    again = f", each again in {used} replicates" if used else ""
    return (
        f"scoring {agents} agent{'s' * (agents > 1)}: {hulls} hulls of {n} domains in {d} dimensions are {how}{again}; "
        f"this may take {_time(seconds)}, with fewer dimensions (aiq space --dimensions) less"
    )


def _time(seconds: float) -> str:
    """Return an upper bound in words."""
    return f"up to {math.ceil(seconds)} s" if seconds < 60 else f"up to {math.ceil(seconds / 60)} min"


# ---- The file of a space that a person names -----------------------------------------------------


def read_space(source: str | Path) -> Space:
    """Read a space from the file that a person gave; no command of the workflow makes one under any name.

    Raises:
        InputError: there is no such file, or it is of another kind.
        StorageError: the file holds no space, or is damaged.
    """
    if not Path(source).is_file():
        raise InputError(f"there is no file {source}; give a space that aiq space -o or a run made (space.h5)")
    if not holds_one(source):
        raise InputError(f"{source} is no space; give one that aiq space -o or a run made (space.h5)")
    found: Space = storage.read_result(source, "space", Space)
    return found


# ---- The tables of scored agents and of what each test counts, as runs and data frames write -----


PROFILE = {1: "arithmetic", -1: "harmonic"}
"""Exponents of the profile beside the headline, and what their columns are called."""

_NUMBERS = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
_ESTIMATES = ("value", *(f"{name}_skill_mean" for name in PROFILE.values()), *_NUMBERS)
_AGENTS = (
    *("rank", "agent", "rank_low", "rank_high", *(column for name in _ESTIMATES for column in bounds(name))),
    *("headline", "dimensions", "relative_fewer", "relative_more", "probability_above_next", "method"),
    *("note", "warnings"),
)


def agents_table(found: Scores, unscored: Mapping[str, str] | None = None, *, only: str | None = None) -> Table:
    """Return one row per agent, best first; agents that could not be scored last, with the reason under ``method``.

    ``value`` is the headline, ``per_dimension`` the volume's. ``relative`` is given the number of dimensions;
    ``relative_fewer`` and ``relative_more``: with one fewer and one more.

    Args:
        found: the scores.
        unscored: agent -> why it has no score.
        only: the one agent that is wanted.
    """
    d, said = found.dimensions, "; ".join(found.warnings)
    rows: list[Sequence[Cell]] = []
    for a in found.agents:
        if only is None or a.agent == only:
            cells = [cell for one in _estimates(a) for cell in ((None,) * 3 if one is None else one.cells())]
            around = (d, a.by_dimensions.get(d - 1), a.by_dimensions.get(d + 1))
            ranks = a.ranks or (a.rank, a.rank)
            rows.append(
                (
                    a.rank_words,
                    a.agent,
                    *ranks,
                    *cells,
                    found.headline,
                    *around,
                    a.order,
                    a.hull.method,
                    found.note,
                    said,
                )
            )
    empty = (None,) * (_AGENTS.index("method") - 2)
    rows += [(None, agent, *empty, f"not scored: {reason}", "", "") for agent, reason in (unscored or {}).items()]
    return Table.of(_AGENTS, rows)


def _estimates(agent: AgentScore) -> list[Estimate | None]:
    """Return the numbers of an agent in the order of their columns."""
    return [
        agent.headline, *(agent.profile.get(q) for q in PROFILE), *(getattr(agent, name) for name in _NUMBERS)
    ]  # fmt: skip


def tests_table(found: Scores) -> Table:
    """Return one row per test: what it counts in the mean over independent skills, and why."""
    columns = ("domain", *(column for name in ("weight", "hardness", "uniqueness") for column in bounds(name)))
    columns = (*columns, "why", "independent", "independent_low", "independent_high")
    if found.skills is None:
        return Table.of(columns, [])
    weights = found.skills.weights
    rows = [
        (
            one.domain, *one.weight.cells(), *one.hardness.cells(), *one.uniqueness.cells(), one.why,
            *weights.independent.cells(),
        )
        for one in weights.tests
    ]  # fmt: skip
    return Table.of(columns, rows)
