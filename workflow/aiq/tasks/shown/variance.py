"""Where the uncertainty of the scores comes from, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

from aiq.records.estimate import Estimate
from aiq.records.quotient import THE_HEADLINE
from aiq.records.table import Shown
from aiq.records.variance import ALL, Advice, Variances, mean_half

GONE = (
    "what goes of an interval's squared half-width when that source alone is known exactly; these need not add up "
    "to 1, since sources act together"
)
OF_VOLUME = (
    "; the noise that dimensions are judged by goes too, so that more of them may be kept, which is another estimate; "
    "below 0: intervals are wider once it is held"
)
TOLD = "predicted: doubling halves what a source adds; a rough guess (predicted against seen: docs/runs/sensitivity.md)"


def variance(found: Variances) -> list[Shown]:
    """Return a table of shares by agent, one of each source alone where that is known, and one of what to do next."""
    tables = [_shares(found)]
    if any(one.without for one in found.agents):
        tables.append(_alone(found))
    return [*tables, *advice(found.advice)]


def advice(found: tuple[Advice, ...]) -> list[Shown]:
    """Return a table of what doubling each number would buy; none where nothing can be doubled."""
    rows = tuple(
        (
            f"{one.then - one.now} more of {one.key}" + (f", with {one.also}" if one.also else ""),
            f"{one.now} → {one.then}",
            one.before,
            one.half,
            one.core_hours,
        )
        for one in found
    )
    columns = ("what", "from → to", "mean half-width now", "then (predicted)", "core-hours (model)")
    return [Shown("what to spend next, the best per core-hour first", columns, rows, (TOLD,))] if rows else []


def _shares(found: Variances) -> Shown:
    """Return the shares, which add up to 1."""

    def row(name: str, value: float | None, half: float, shares: Mapping[str, Estimate]) -> tuple[object, ...]:
        return (name, value, half, *(_words(shares.get(source)) for source in found.sources))

    rows = [row(one.agent, None if isnan(one.value) else one.value, one.half, one.shares) for one in found.agents]
    rows.append(row(ALL, None, mean_half(found.agents), found.together))
    return Shown(
        f"{found.run}: where the variance of {THE_HEADLINE[found.value]} comes from",
        ("agent", "value", f"half-width ({found.confidence:.0%})", *found.sources),
        tuple(rows),
        found.sentences,
    )


def _alone(found: Variances) -> Shown:
    """Return what goes when one source alone is known."""
    rows = [(one.agent, *(_percent(one.gone(source)) for source in found.sources)) for one in found.agents]
    rows.append((ALL, *(_percent(found.gone(source)) for source in found.sources)))
    said = GONE + (OF_VOLUME if found.value == "volume" else "")
    return Shown("one source alone known exactly", ("agent", *found.sources), tuple(rows), (said,))


def _percent(share: float) -> str | None:
    """Return a share in percent; None where there is no interval to take a share of."""
    return None if isnan(share) else f"{_rounded(share):.0%}"


def _words(share: Estimate | None) -> str | None:
    """Return a share with half its interval, in percent."""
    if share is None:
        return None
    spread = "" if share.interval is None else f" ± {(share.interval[1] - share.interval[0]) / 2:.0%}"
    return f"{_rounded(share.value):.0%}{spread}"


def _rounded(share: float) -> float:
    """Return a share to whole percents, without a minus at 0."""
    return round(share, 2) + 0.0
