"""From raw scores to performances in [0, 1]: ranges as stated or told from the scores, direction, repetitions."""

from __future__ import annotations

import csv
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from aiq.errors import InputError
from aiq.readers.base import Reading, listed
from aiq.readers.several import equal_agents, order_in_cell, place, resolve
from aiq.records.estimate import Floats
from aiq.records.observations import Observations
from aiq.records.table import counted

ALL = "*"
_PERCENT = 10.0  # a score above it says that a test of a table is in per cent
_MOST = 0.5  # share of the scores that must be above 1 for that


@dataclass(frozen=True, slots=True)
class Scale:
    """What a person says of the tests' scales.

    ``ranges``: domain -> (lowest, highest) possible score; ``*`` stands for every domain that is not named.
    ``lower``, ``higher``: domains on which lower or higher is better (``*``: all), whatever their names say. ``clip``:
    cut scores to their range instead of refusing.
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lower: frozenset[str] = frozenset()
    higher: frozenset[str] = frozenset()
    clip: bool = False

    def __post_init__(self) -> None:
        """Refuse ranges that are none."""
        for name, (low, high) in self.ranges.items():
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise InputError(
                    f"the range of {name} is given as {low:g} to {high:g}; give two numbers, the lower one first"
                )


def read_ranges(path: str | Path) -> Scale:
    """Return what a file ``domain,low,high[,lower_is_better]`` says of the tests' scales."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read as a table of ranges: {error}") from error
    ranges, lower, higher = {}, set(), set()
    for line, row in enumerate(rows, start=2):
        try:
            name = row["domain"].strip()
            ranges[name] = (float(row["low"]), float(row["high"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{path} line {line} is not domain,low,high[,lower_is_better] with numbers") from error
        if (row.get("lower_is_better") or "").strip().lower() in ("1", "true", "yes"):
            lower.add(name)
        if (row.get("lower_is_better") or "").strip().lower() in ("0", "false", "no"):
            higher.add(name)
    return Scale(ranges, frozenset(lower), frozenset(higher))


def to_observations(reading: Reading, scale: Scale, name: str, keep: str | None = None) -> Observations:
    """Return the performances in [0, 1] of raw scores."""
    if not len(reading.rows):
        if reading.damaged:
            raise reading.damaged[0]
        why = f": {reading.skipped[0].name}: {reading.skipped[0].reason}" if reading.skipped else ""
        raise InputError(f"no score was found among the results of format {name}{why}")
    frame = reading.rows.frame()
    _check_names([*frame["domain"].cat.categories], scale)
    _refuse(frame, ~np.isfinite(frame["value"].to_numpy()), "{whose} is {value}, it must be a finite number")
    if "se" in frame.columns:
        se = frame["se"].to_numpy()
        _refuse(frame, (se < 0) | np.isinf(se), "the standard error of {agent} on {domain} is {se:g}")
    if "cluster" in frame.columns and (alone := frame["cluster"].isna()).any() and not alone.all():
        some = listed(list(frame["domain"][alone].unique()))
        reading.decide(f"{int(alone.sum())} of {len(frame)} results name no cluster (on {some}): each item is its own")
    frame, duplicates = resolve(frame, reading, keep)
    frame = _ranged(frame, reading, scale)
    low, width = frame["low"].to_numpy(), (frame["high"] - frame["low"]).to_numpy()
    share = (frame["value"].to_numpy() - low) / width
    lower = frame["domain"].isin(frame["domain"].cat.categories if ALL in scale.lower else scale.lower).to_numpy()
    if "lower" in frame.columns:
        lower = lower | frame["lower"].to_numpy() & ~frame["domain"].isin(scale.higher).to_numpy()
    clipped = int(((share < 0) | (share > 1)).sum())
    if lower.any():
        turned = frame["domain"][lower].cat.remove_unused_categories().cat.categories
        reading.decide(f"lower is better on {listed(list(turned))}: turned, so that 1 is best")
    if clipped:
        reading.decide(f"cut to the range of its test: {counted(clipped, 'score')}")
    columns = {"agent": frame["agent"], "domain": frame["domain"]}
    columns["performance"] = np.clip(np.where(lower, 1 - share, share), 0.0, 1.0)
    if "se" in frame.columns:
        columns["se"] = frame["se"].to_numpy() / width
    columns |= {column: frame[column] for column in ("item", "cluster", "epoch", "weight") if column in frame.columns}
    order = order_in_cell(frame) if "run" in frame.columns else np.ones(1)
    if order.max() > 1:  # runs are numbered by their order
        columns["repetition"] = order.astype(str)
        if not reading.numbered:
            several, cells = int((order == 2).sum()), int((order == 1).sum())
            reading.decide(f"{several} of {cells} cells have more than one run; they count as repetitions")
    del frame
    observations = Observations.of(
        pandas.DataFrame(columns, copy=False), skipped=tuple(reading.skipped), duplicates=tuple(duplicates), format=name
    )
    equal = equal_agents(observations)
    if equal:
        words = "; ".join(
            f"{' = '.join(tie.agents[:4])}{f' = {len(tie.agents) - 4} more' * (len(tie.agents) > 4)} ({tie.reason})"
            for tie in equal[:4]
        )
        more = f"; {counted(len(equal) - 4, 'more group')}" if len(equal) > 4 else ""
        reading.decide(f"agents that are equal in every score may be one under several names: {words}{more}")
    return replace(observations, decisions=tuple(reading.decisions), duplicates=(*duplicates, *equal))


def _ranged(frame: Any, reading: Reading, scale: Scale) -> Any:
    """Return scores with the lowest and highest possible score of each in ``low`` and ``high``.

    The range of a score is what a person states, else what its file states, else [0, 1] where its metric is bounded;
    in a table, where neither states any, it is told from the scores of the test.
    """
    value, names = frame["value"].to_numpy(), [*frame["domain"].cat.categories]
    code = np.asarray(frame["domain"].cat.codes, dtype=np.int64)
    stated = np.array([scale.ranges.get(name, scale.ranges.get(ALL, (np.nan, np.nan))) for name in names])
    low, high = stated[code].T
    for bound, column in ((low, "low"), (high, "high")):
        if column in frame.columns:
            bound[np.isnan(bound)] = frame[column].to_numpy()[np.isnan(bound)]
    unknown = np.isnan(low) | np.isnan(high)
    if "bounded" in frame.columns:
        words = "{whose} is {value:g} by {metric}, which has no range of its own; state it: {range}"
        _refuse(frame, unknown & ~frame["bounded"].to_numpy(), words)
    low[unknown], high[unknown] = 0.0, 1.0
    if reading.guess and unknown.any():
        _guess(np.maximum(value, 0.0) if scale.clip else value, code, unknown, (low, high), names, reading)
    frame["low"], frame["high"] = low, high
    _refuse(frame, ~(low < high), "the range of {domain} is {low:g} to {high:g}; state it: {range}")
    outside = (value < low) | (value > high)
    beyond = outside & ((value > high) | (not scale.clip))
    if beyond.any() and reading.lenient:
        gone = np.isin(code, np.unique(code[beyond]))
        for name, scores in frame[gone].groupby("domain", observed=True)["value"]:
            extent = f"{len(scores)} scores from {scores.min():g} to {scores.max():g}"
            reading.skip(str(name), f"{extent} on no known scale; state it: {_range(name)}")
        lost = list(frame["domain"][gone].drop_duplicates())
        reading.decide(f"tests on no known scale are left out: {listed(lost)}")
        if gone.all():
            raise InputError("no test has a known scale; state ranges: --range NAME LOWEST HIGHEST")
        return frame[~gone].reset_index(drop=True)
    if outside.any() and not scale.clip:
        tests = list(frame["domain"][outside].drop_duplicates())
        also = f"; so have {listed(tests[1:])}" if tests[1:] else ""
        words = "{whose} is {value:g}, outside [{low:g}, {high:g}]; state its range: {range}, leave it out with --drop "
        _refuse(frame, outside, words + "{quoted}, or cut it with --clip{also}", also=also)
    return frame


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
    sure = likely & (most > _PERCENT) & (above > _MOST)
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
                f"cent, say --range {shlex.quote(names[int(np.argmax(shares))])} 0 100"
            )
    _tell_mixed(score, of, percent, names, reading)
    if below.any():
        reading.decide(
            f"scale -1 to 1, told from scores below 0 on {named(below)}: all tests moved to 0 to 1 by (x + 1) / 2, so "
            "that the order of means stays; --clip takes scores below 0 as 0 instead"
        )


def _tell_mixed(score: Floats, of: Any, percent: Any, names: Sequence[str], reading: Reading) -> None:
    """Tell scores that may be shares of 1 in a test in per cent: all others lie far above 1."""
    small = (score > 0) & (score <= 1)
    least = np.full(len(names), np.inf)
    np.minimum.at(least, of[score > 1], score[score > 1])
    mixed = np.flatnonzero(percent & (np.bincount(of, small, len(names)) > 0) & (least > _PERCENT))
    if mixed.size:
        cases = [f"{names[int(at)]} ({score[small & (of == at)][0]:g} beside {least[at]:g} and more)" for at in mixed]
        reading.decide(
            f"scores of 1 or less taken as per cent like the rest of their test: {listed(cases)}; if they are "
            "shares of 1, mend them"
        )


def _refuse(frame: Any, wrong: Any, words: str, **more: str) -> None:
    """Refuse the first wrong score; ``words`` say of its row what is wrong."""
    if wrong.any():
        row = frame.iloc[int(np.argmax(wrong))]
        whose, quoted = "the score of {agent} on {domain}".format(**row), shlex.quote(row["domain"])
        words = words.format(**row, whose=whose, quoted=quoted, range=_range(row["domain"]), **more)
        raise InputError(f"{place(row)}: {words}")


def _range(name: str) -> str:
    return f"--range {shlex.quote(name)} LOWEST HIGHEST"


def _check_names(domains: Sequence[str], scale: Scale) -> None:
    for name in [*scale.ranges, *sorted(scale.lower)]:
        if name not in (*domains, ALL):
            raise InputError(
                f"a range or direction is given for the unknown domain {name!r}; there are "
                f"{listed(sorted(domains), 20)}"
            )
