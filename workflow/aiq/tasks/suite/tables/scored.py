"""The tables of scored agents and of what each test counts, as runs and data frames write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiq.records.estimate import Estimate
from aiq.records.quotient import AgentScore, Scores
from aiq.records.table import Cell, Table
from aiq.tasks.suite.tables.columns import bounds

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
