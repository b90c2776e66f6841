"""From raw scores to performances in [0, 1]: ranges, direction, repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas

from aiq.errors import InputError
from aiq.readers.base import Reading
from aiq.readers.ranges import ALL, Scale, place, ranged, whose
from aiq.readers.several import equal_agents, resolve
from aiq.readers.sheets import listed
from aiq.records.observations import Observations


def to_observations(reading: Reading, scale: Scale, name: str, keep: str | None = None) -> Observations:
    """Return the performances in [0, 1] of raw scores.

    Raises:
        InputError: a score that is no finite number, has no known range or lies outside it, scores that cannot be told
            apart, a range for an unknown domain, or no score at all.
    """
    if not len(reading.rows):
        if reading.damaged:
            raise reading.damaged[0]
        why = f": {reading.skipped[0].name}: {reading.skipped[0].reason}" if reading.skipped else ""
        raise InputError(f"no score was found among the results of format {name}{why}")
    frame = reading.rows.frame()
    _check_names([*frame["domain"].cat.categories], scale)
    _check_finite(frame)
    frame, duplicates = resolve(frame, reading, keep)
    frame, low, high = ranged(frame, reading, scale)
    width = high - low
    share = (frame["value"].to_numpy() - low) / width
    lower = _lower(frame, scale)
    clipped = int(((share < 0) | (share > 1)).sum())
    if lower.any():
        turned = frame["domain"][lower].cat.remove_unused_categories().cat.categories
        reading.decide(f"lower is better on {listed(list(turned))}: turned, so that 1 is best")
    if clipped:
        reading.decide(f"{clipped} scores lay outside their range and were cut to it")
    columns = {"agent": frame["agent"], "domain": frame["domain"]}
    columns["performance"] = np.clip(np.where(lower, 1 - share, share), 0.0, 1.0)
    if "se" in frame.columns:
        columns["se"] = frame["se"].to_numpy() / width
    columns |= {column: frame[column] for column in ("item", "cluster", "epoch", "weight") if column in frame.columns}
    runs = _runs(frame, reading)
    columns |= {} if runs is None else {"repetition": runs}
    del frame
    found = Observations.of(
        pandas.DataFrame(columns, copy=False), skipped=tuple(reading.skipped), duplicates=tuple(duplicates), format=name
    )
    equal = equal_agents(found)
    if equal:
        words = "; ".join(f"{' = '.join(one.agents[:4])} ({one.reason})" for one in equal[:4])
        more = f"; {len(equal) - 4} more groups" if len(equal) > 4 else ""
        reading.decide(f"agents that are equal in every score may be one under several names: {words}{more}")
    return replace(found, decisions=tuple(reading.decisions), duplicates=(*duplicates, *equal))


def _lower(frame: Any, scale: Scale) -> npt.NDArray[np.bool_]:
    """Return where less is better."""
    stated = np.array([name in scale.lower or ALL in scale.lower for name in frame["domain"].cat.categories])
    lower = stated[np.asarray(frame["domain"].cat.codes)]
    return np.asarray(lower | frame["lower"].to_numpy() if "lower" in frame.columns else lower)


def _runs(frame: Any, reading: Reading) -> Any:
    """Return the repetition of each score, None where no cell has more than one; runs are numbered by their order."""
    if "run" not in frame.columns:
        return None
    names = [name for name in ("agent", "domain", "item", "epoch") if name in frame.columns]
    key = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        key = key * (len(frame[name].cat.categories) + 1) + np.asarray(frame[name].cat.codes, dtype=np.int64) + 1
    cell = pandas.Series(pandas.factorize(key)[0])
    order = cell.groupby(cell).cumcount().to_numpy() + 1
    counts = np.bincount(cell)
    if counts.max() == 1:
        return None
    reading.decide(
        f"{int((counts > 1).sum())} of {counts.size} cells have more than one run; they count as repetitions"
    )
    return order.astype(str)


def _check_finite(frame: Any) -> None:
    """Refuse numbers that are none."""
    value = frame["value"].to_numpy()
    wrong = ~np.isfinite(value)
    if wrong.any():
        row = frame.iloc[int(np.argmax(wrong))]
        raise InputError(f"{place(row)}: {whose(row)} is {row['value']}, it must be a finite number")
    if "se" in frame.columns:
        se = frame["se"].to_numpy()
        wrong = (se < 0) | np.isinf(se)
        if wrong.any():
            row = frame.iloc[int(np.argmax(wrong))]
            raise InputError(f"{place(row)}: the standard error of {row['agent']} on {row['domain']} is {row['se']:g}")


def _check_names(domains: Sequence[str], scale: Scale) -> None:
    """Refuse ranges and directions for domains that are not there."""
    for name in [*scale.ranges, *sorted(scale.lower)]:
        if name not in (*domains, ALL):
            raise InputError(
                f"a range or direction is given for the unknown domain {name!r}; there are "
                f"{listed(sorted(domains), 20)}"
            )
