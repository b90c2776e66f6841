"""The agents' table, best first, with what holds for it."""

from __future__ import annotations

from aiq.records.quotient import Scores
from aiq.records.shown import Shown, warned

COLUMNS = ("rank", "agent", "AIQ per dimension", "interval", "above next")


def agents(found: Scores) -> Shown:
    """Return one row per agent, the relative AIQ in nearby numbers of dimensions, and the warnings."""
    rows = tuple(
        (
            a.rank,
            a.agent,
            a.per_dimension.value,
            a.per_dimension.interval,
            a.order,
            a.relative.value,
            a.relative.interval,
            None if a.geometric_mean is None else a.geometric_mean.value,
            a.mean.value,
        )
        for a in found.agents
    )
    columns = (*COLUMNS, f"relative, given d = {found.dimensions}", "interval given d", "geometric mean", "mean")
    return Shown("", columns, rows, (*_nearby(found), *filter(None, [found.note]), *warned(found.warnings)))


def _nearby(found: Scores) -> list[str]:
    """Return the relative AIQ of all agents with one dimension fewer and one more, where that was computed."""
    nearby = sorted({k for a in found.agents for k in a.by_dimensions})
    if len(nearby) < 2:
        return []
    told = "; ".join(
        f"{a.agent} {' / '.join(f'{a.by_dimensions[k]:.3g}' for k in nearby if k in a.by_dimensions)}"
        for a in found.agents
    )
    return [f"relative in {' / '.join(map(str, nearby))} dimensions: {told}"]
