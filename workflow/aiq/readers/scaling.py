"""From raw scores to performances in [0, 1]: ranges, direction, repetitions."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading
from aiq.records.results import Result, Results

ALL = "*"


@dataclass(frozen=True, slots=True)
class Scale:
    """What a person says of the tests' scales.

    ``ranges``: domain -> (lowest, highest) possible score; ``*`` stands for every domain that is not named.
    ``lower``: domains on which lower is better (``*``: all). ``clip``: cut scores to their range instead of refusing.
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lower: frozenset[str] = frozenset()
    clip: bool = False

    def __post_init__(self) -> None:
        """Refuse ranges that are none."""
        for name, (low, high) in self.ranges.items():
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise InputError(
                    f"the range of {name} is given as {low:g} to {high:g}; give two numbers, the lower one first"
                )

    def of(self, raw: Raw) -> tuple[float, float] | None:
        """Return the range of a score: what a person states, else what its file states, else [0, 1]; None: unknown."""
        stated = self.ranges.get(raw.domain, self.ranges.get(ALL))
        if stated is not None:
            return stated
        if raw.low is not None and raw.high is not None:
            return raw.low, raw.high
        return (0.0, 1.0) if raw.bounded else None


def read_ranges(path: str | Path) -> Scale:
    """Return what a file ``domain,low,high[,lower_is_better]`` says of the tests' scales.

    Raises:
        InputError: for a file that cannot be used.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read as a table of ranges: {error}") from error
    ranges, lower = {}, set()
    for line, row in enumerate(rows, start=2):
        try:
            name = row["domain"].strip()
            ranges[name] = (float(row["low"]), float(row["high"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{path} line {line} is not domain,low,high[,lower_is_better] with numbers") from error
        if (row.get("lower_is_better") or "").strip().lower() in ("1", "true", "yes"):
            lower.add(name)
    return Scale(ranges, frozenset(lower))


def to_results(reading: Reading, scale: Scale, name: str) -> Results:
    """Return the performances in [0, 1] of raw scores.

    Raises:
        InputError: a score that is no finite number, has no known range or lies outside it, a duplicate, a range for
            an unknown domain, or no score at all.
    """
    raws = reading.raws
    if not raws:
        why = f": {reading.skipped[0].name}: {reading.skipped[0].reason}" if reading.skipped else ""
        raise InputError(f"no score was found among the results of format {name}{why}")
    _check_names(raws, scale)
    _check_duplicates(raws)
    runs = Counter((raw.agent, raw.domain) for raw in raws)
    order: Counter[tuple[str, str]] = Counter()
    cells: list[Result] = []
    clipped, turned = 0, dict[str, None]()
    for raw in raws:
        low, high = _range(raw, scale)
        value = (raw.value - low) / (high - low)
        clipped += not 0 <= value <= 1
        lower = raw.lower or bool({raw.domain, ALL} & scale.lower)
        turned |= {raw.domain: None} if lower else {}
        value = min(max(1 - value if lower else value, 0.0), 1.0)
        key = (raw.agent, raw.domain)
        order[key] += 1
        se = None if raw.se is None else raw.se / (high - low)
        cells.append(Result(*key, value, se, str(order[key]) if runs[key] > 1 else ""))
    notes = [*reading.notes, *_notes(runs, clipped, list(turned))]
    return Results.of(cells, skipped=tuple(reading.skipped), notes=tuple(notes), format=name)


def _range(raw: Raw, scale: Scale) -> tuple[float, float]:
    """Return the range of a score that lies in it."""
    whose = f"the score of {raw.agent} on {raw.domain}"
    if not math.isfinite(raw.value):
        raise InputError(f"{raw.where}: {whose} is {raw.value}, it must be a finite number")
    if raw.se is not None and not (math.isfinite(raw.se) and raw.se >= 0):
        raise InputError(f"{raw.where}: the standard error of {raw.agent} on {raw.domain} is {raw.se}")
    known = scale.of(raw)
    option = f"--range {raw.domain} LOWEST HIGHEST"
    if known is None:
        raise InputError(
            f"{raw.where}: {whose} is {raw.value:g} by {raw.metric}, which has no range of its own; state it: {option}"
        )
    low, high = known
    if not low < high:
        raise InputError(f"{raw.where}: the range of {raw.domain} is {low:g} to {high:g}; state it: {option}")
    if not low <= raw.value <= high and not scale.clip:
        raise InputError(
            f"{raw.where}: {whose} is {raw.value:g}, outside [{low:g}, {high:g}]; state its range: {option}, "
            "or cut it there with --clip"
        )
    return low, high


def _check_names(raws: Sequence[Raw], scale: Scale) -> None:
    """Refuse ranges and directions for domains that are not there."""
    known = {raw.domain for raw in raws} | {ALL}
    for name in [*scale.ranges, *sorted(scale.lower)]:
        if name not in known:
            there = ", ".join(sorted(known - {ALL}))
            raise InputError(f"a range or direction is given for the unknown domain {name!r}; there are {there}")


def _check_duplicates(raws: Sequence[Raw]) -> None:
    """Refuse two scores of one agent, domain and run."""
    seen: dict[tuple[str, str, str], str] = {}
    for raw in raws:
        key = (raw.agent, raw.domain, raw.run)
        if key in seen:
            other = "" if seen[key] == raw.where else f", first in {seen[key]}"
            raise InputError(
                f"{raw.where}: agent {raw.agent} has domain {raw.domain} twice from one run{other}; keep one of them"
            )
        seen[key] = raw.where


def _notes(runs: Mapping[tuple[str, str], int], clipped: int, turned: Sequence[str]) -> list[str]:
    """Return what was done to the numbers, in sentences."""
    notes = []
    repeated = sum(count > 1 for count in runs.values())
    if repeated:
        notes.append(f"{repeated} of {len(runs)} cells have more than one run; they count as repetitions")
    if turned:
        notes.append(f"lower is better on {', '.join(turned)}: turned, so that 1 is best")
    if clipped:
        notes.append(f"{clipped} scores lay outside their range and were cut to it")
    return notes
