"""Where the uncertainty of the scores comes from, as tables."""

from __future__ import annotations

from aiq.records.shown import Shown
from aiq.records.variance import Variances

MEANING = (
    "a share is what goes of an interval's squared half-width when that source is known exactly; shares need not add "
    "up to 1, since sources act together; one below 0 says that intervals are wider once it is held"
)


def variance(found: Variances) -> list[Shown]:
    """Return a table of shares by agent, and one of what doubling each number would buy."""
    rows: list[tuple[object, ...]] = [
        (one.agent, one.value, one.half, *(f"{one.share(source):.0%}" for source in found.sources))
        for one in found.agents
    ]
    rows.append(("all agents", None, None, *(f"{found.mean(source):.0%}" for source in found.sources)))
    title = f"{found.run}: where the {found.confidence:.0%} intervals of AIQ per dimension come from"
    tables = [Shown(title, ("agent", "value", "half-width", *found.sources), tuple(rows), (MEANING,))]
    advice: tuple[tuple[object, ...], ...] = tuple(
        (f"{one.key}: {one.now} → {one.then}", one.before, one.half, one.core_hours) for one in found.advice
    )
    if advice:
        columns = ("doubling", "mean half-width now", "then (predicted)", "core-hours (model)")
        told = (
            "predicted from this run's own replicates, the best per core-hour first; a best case: on the quickstart "
            "half of the predicted gain was seen"
        )
        tables.append(Shown("what to spend next", columns, advice, (told,)))
    return tables
