"""The scales of tests: as a person or a file states them, or told from the scores of a table."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.readers.base import Reading
from aiq.readers.documents import HELD
from aiq.readers.sheets import listed
from aiq.records.arrays import Floats

ALL = "*"
_PERCENT = 10.0  # a score above it says that a test of a table is in per cent
_MOST = 0.5  # share of the scores that must be above 1 for that


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


def ranged(frame: Any, reading: Reading, scale: Scale) -> tuple[Any, Floats, Floats]:
    """Return scores with the lowest and highest possible score of each, (n,).

    The range of a score is what a person states, else what its file states, else [0, 1] where its metric is bounded;
    in a table, where neither states any, it is told from the scores of the test.

    Raises:
        InputError: a score that has no known range, or lies outside it.
    """
    names = [*frame["domain"].cat.categories]
    code = np.asarray(frame["domain"].cat.codes, dtype=np.int64)
    stated = np.array([scale.ranges.get(name, scale.ranges.get(ALL, (np.nan, np.nan))) for name in names])
    low, high = stated[code].T
    for bound, column in ((low, "low"), (high, "high")):
        if column in frame.columns:
            bound[np.isnan(bound)] = frame[column].to_numpy()[np.isnan(bound)]
    open_ = np.isnan(low) | np.isnan(high)
    bounded = frame["bounded"].to_numpy() if "bounded" in frame.columns else np.ones(len(frame), dtype=bool)
    _refuse_unbounded(frame, open_ & ~bounded)
    low[open_], high[open_] = 0.0, 1.0
    if reading.guess and open_.any():
        value = frame["value"].to_numpy()
        _guess(np.maximum(value, 0.0) if scale.clip else value, code, open_, (low, high), names, reading)
    _refuse_none(frame, low, high)
    outside = (frame["value"].to_numpy() < low) | (frame["value"].to_numpy() > high)
    beyond = outside & ((frame["value"].to_numpy() > high) | (not scale.clip))
    if beyond.any() and reading.lenient:
        return _without(frame, reading, np.isin(code, np.unique(code[beyond])), low, high)
    if outside.any() and not scale.clip:
        _refuse_outside(frame, outside, low, high)
    return frame, low, high


def _guess(
    value: Floats, code: Any, open_: Any, bounds: tuple[Floats, Floats], names: Sequence[str], reading: Reading
) -> None:
    """Set the range of tests whose scores tell it, per cent or below 0 as well, and state it.

    Where scores lie below 0, all tests of the table have the scale -1 to 1 (or -100 to 100): so the order of agents
    by their means stays as it was.
    """
    count, score, of = len(names), value[open_], code[open_]
    there = np.bincount(of, minlength=count) > 0
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, of, score)
    np.maximum.at(most, of, score)
    above = np.bincount(of, score > 1, count) / np.maximum(np.bincount(of, score != 0, count), 1)
    likely = there & (least >= -100) & (most > 1) & (most <= 100)
    sure = likely & (most > _PERCENT) & (above >= _MOST)
    percent = sure | (likely & (above >= _MOST / 2)) if sure.any() else sure
    shares = there & ~percent & (least >= -1) & (most <= 1)
    below = (percent | shares) & (least < 0)
    for chosen, high in ((percent, 100.0), (shares, 1.0)):
        rows = open_ & chosen[code]
        bounds[0][rows], bounds[1][rows] = -high if below.any() else 0.0, high

    def named(chosen: Any) -> str:
        return listed([names[int(at)] for at in np.flatnonzero(chosen)])

    if percent.any():
        reading.decide(f"scale 0 to 100, told from the scores: {named(percent)} divided by 100")
        if shares.any():
            reading.decide(
                f"no score above 1 beside tests in per cent: {named(shares)} taken as shares of 1; if they are in per "
                f"cent, say --range {names[int(np.argmax(shares))]} 0 100"
            )
    if below.any():
        reading.decide(
            f"scale -1 to 1, told from scores below 0 on {named(below)}: all tests moved to 0 to 1 by (x + 1) / 2, so "
            "that the order of means stays; --clip takes scores below 0 as 0 instead"
        )


def _refuse_unbounded(frame: Any, wrong: Any) -> None:
    """Refuse scores by a metric that has no range of its own."""
    if wrong.any():
        row = frame.iloc[int(np.argmax(wrong))]
        raise InputError(
            f"{place(row)}: {whose(row)} is {row['value']:g} by {row['metric']}, which has no range of its own; state "
            f"it: --range {row['domain']} LOWEST HIGHEST"
        )


def _refuse_none(frame: Any, low: Floats, high: Floats) -> None:
    """Refuse ranges of files that are none."""
    wrong = ~(low < high)
    if wrong.any():
        at = int(np.argmax(wrong))
        row = frame.iloc[at]
        raise InputError(
            f"{place(row)}: the range of {row['domain']} is {low[at]:g} to {high[at]:g}; state it: "
            f"--range {row['domain']} LOWEST HIGHEST"
        )


def _refuse_outside(frame: Any, outside: Any, low: Floats, high: Floats) -> None:
    """Refuse scores outside their range; name the tests that have some."""
    at = int(np.argmax(outside))
    row = frame.iloc[at]
    others = [name for name in frame["domain"][outside].drop_duplicates() if name != row["domain"]]
    also = f"; so have {listed(others)}" if others else ""
    raise InputError(
        f"{place(row)}: {whose(row)} is {row['value']:g}, outside [{low[at]:g}, {high[at]:g}]; state its range: "
        f"--range {row['domain']} LOWEST HIGHEST, leave it out with --drop {row['domain']}, or cut it with --clip{also}"
    )


def _without(frame: Any, reading: Reading, gone: Any, low: Floats, high: Floats) -> tuple[Any, Floats, Floats]:
    """Return scores without those of tests that have no known scale, which are named among the skipped."""
    for name, scores in frame[gone].groupby("domain", observed=True)["value"]:
        reading.skip(
            str(name),
            f"{len(scores)} scores from {scores.min():g} to {scores.max():g} on no known scale; state it: "
            f"--range {name} LOWEST HIGHEST",
        )
    reading.decide(f"tests on no known scale are left out: {listed(list(frame['domain'][gone].drop_duplicates()))}")
    if gone.all():
        raise InputError("no test has a known scale; state ranges: --range NAME LOWEST HIGHEST")
    return frame[~gone].reset_index(drop=True), low[~gone], high[~gone]


def place(row: Any) -> str:
    """Return where a score stands."""
    if row["where"] == HELD:
        return f"{HELD} row {row['line'] - 2} (counted from 0)"
    return f"{row['where']} line {row['line']}" if row.get("line", 0) else str(row["where"])


def whose(row: Any) -> str:
    """Return a score by its agent and test."""
    return f"the score of {row['agent']} on {row['domain']}"
