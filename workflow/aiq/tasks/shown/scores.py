"""The agents' table, best first, with what holds for it."""

from __future__ import annotations

import math

from aiq.records.estimate import Estimate
from aiq.records.quotient import HEADLINES, Scores
from aiq.records.table import Shown, warned


def agents(found: Scores) -> Shown:
    """Return one row per agent by the headline, the relative AIQ in nearby numbers of dimensions, and the warnings."""
    beside = found.headline != "volume"
    rows = tuple(
        (
            a.rank_words,
            a.agent,
            _number(a.headline),
            a.headline.interval,
            a.order,
            *((_number(a.per_dimension), a.per_dimension.interval) if beside else ()),
            _number(a.relative),
            a.relative.interval,
            None if a.geometric_mean is None else a.geometric_mean.value,
            a.mean.value,
        )
        for a in found.agents
    )
    volume = ("AIQ per dimension", "interval") if beside else ()
    columns = ("rank", "agent", HEADLINES[found.headline], "interval", "above next", *volume)
    columns = (*columns, f"relative, given d = {found.dimensions}", "interval given d", "geometric mean", "mean")
    notes = (*_nearby(found), *filter(None, [_counts(found), found.note]))
    return Shown("", columns, rows, (*notes, *warned(found.warnings)))


def _number(estimate: Estimate) -> float | None:
    """Return a number; nothing where there is none."""
    return estimate.value if math.isfinite(estimate.value) else None


def _counts(found: Scores) -> str:
    """Return what the tests count, the weightiest first, and how many independent ones they are."""
    if found.skills is None:
        return ""
    weights = found.skills.weights
    tests = sorted(weights.tests, key=lambda test: -test.weight.value)
    told = ", ".join(f"{test.domain} {test.weight.value:.2f}" for test in tests)
    number = weights.independent
    interval = "" if number.interval is None else f" [{number.interval[0]:.1f}, {number.interval[1]:.1f}]"
    if len(tests) == 1:
        return "one test, which has all the weight"
    return f"the {len(tests)} tests count as {number.value:.1f}{interval} independent ones, with weights {told}"


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
