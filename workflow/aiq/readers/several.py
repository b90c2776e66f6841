"""Several scores of one agent on one test: told apart, kept as repetitions, or the latest of them taken."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas

from aiq.errors import InputError, choice
from aiq.readers.base import Reading, listed
from aiq.readers.columns import PARTS, VARIANTS
from aiq.readers.documents import HELD
from aiq.records.observations import Duplicate, Observations
from aiq.records.table import counted

KEEP = ("apart", "all", "latest")  # what may be done with several scores of one agent on one test

_LABEL = "label "
CELL = ("agent", "domain", "item", "epoch")
_LEAST = 2  # results from which agents that are equal in all of them are named


def resolve(frame: Any, reading: Reading, keep: str | None) -> tuple[Any, list[Duplicate]]:
    """Return scores of which no two are of one agent, test, item, try and run, and the agents that were told apart.

    ``frame`` has columns as in ``Raw``, and ``label …`` columns of tables; ``keep`` is one of ``KEEP``. By default
    agents of several variants are told apart where two have a score on one test, and scores of several runs are
    repetitions.

    Raises:
        InputError: an unknown rule, scores that cannot be told apart, or no dates to tell the latest by.
    """
    if keep is not None and keep not in KEEP:
        raise InputError(choice("keep", keep, KEEP))
    labels = [name for name in frame.columns if name == "variant" or name.startswith(_LABEL)]
    apart: list[Duplicate] = []
    if keep == "latest":
        frame = _latest(frame, reading)
    if reading.apart and keep is None and "variant" in frame:
        counts = frame[["agent", "variant"]].drop_duplicates()["agent"].value_counts()
        several = frame["agent"].isin(counts.index[counts > 1]).to_numpy()
        frame = _told_apart(frame, reading, ["variant"], several, "agent", apart)
    again = _again(frame, "run")
    if again.any() and keep == "all":
        frame = frame.assign(run=pandas.Categorical(order_in_cell(frame).astype(str)))
        reading.decide(f"{int(again.sum())} scores stand beside others of their agent and test: repetitions")
    elif again.any():
        by = _telling(frame, labels)
        parts = [name for name in by if name.removeprefix(_LABEL).lower() in PARTS]
        variants = [name for name in by if name not in parts]
        for names, column in ((parts, "domain"), (variants, "agent")):
            if names:
                codes = _codes(frame, column)
                rows = np.isin(codes, np.unique(codes[again]))
                frame = _told_apart(frame, reading, names, rows, column, apart if column == "agent" else [])
    return frame.drop(columns=labels), apart


def equal_agents(observations: Observations) -> list[Duplicate]:
    """Return groups of agents with the same tests, items and scores, at least ``_LEAST`` of them."""
    frame = observations.frame
    agent = observations.codes("agent")
    cell = key_of(frame, ("domain", "item", "repetition", "epoch")).astype(np.uint64)
    values = np.asarray(frame["performance"]) + 0.0  # -0 is 0
    marks = pandas.util.hash_array(cell) * np.uint64(0x9E3779B97F4A7C15) ^ pandas.util.hash_array(values)
    marks = pandas.util.hash_array(marks)
    total = np.zeros(len(observations.agents), dtype=np.uint64)
    np.add.at(total, agent, marks)
    counts = np.bincount(agent)
    groups: dict[tuple[int, int], list[str]] = {}
    for name, mark, count in zip(observations.agents, total, counts, strict=True):
        groups.setdefault((int(mark), int(count)), []).append(name)
    return [
        Duplicate(tuple(names), f"equal in every score ({count})")
        for (_, count), names in groups.items()
        if len(names) > 1 and count >= _LEAST
    ]


def _codes(frame: Any, column: str) -> Any:
    return np.asarray(frame[column].cat.codes, dtype=np.int64)


def key_of(frame: Any, columns: Sequence[str]) -> Any:
    """Return one number a row for its names in some columns."""
    key = np.zeros(len(frame), dtype=np.int64)
    for name in (name for name in columns if name in frame.columns):
        key = key * (len(frame[name].cat.categories) + 1) + _codes(frame, name) + 1
    return key


def order_in_cell(frame: Any) -> Any:
    """Return which score of its agent, test, item and try each one is, from 1 on; (n,)."""
    cell = pandas.Series(key_of(frame, CELL))
    return cell.groupby(cell).cumcount().to_numpy() + 1


def _again(frame: Any, *more: str) -> Any:
    """Return which scores are of one agent, test, item, try, and more, with another."""
    return pandas.Series(key_of(frame, (*CELL, *more))).duplicated(keep=False).to_numpy()


def _telling(frame: Any, labels: Sequence[str]) -> list[str]:
    """Return the fewest labels that tell all scores apart, the likeliest first; refused where none do."""
    positions = {name: at for at, name in enumerate((*PARTS, *VARIANTS))}
    order = sorted(labels, key=lambda name: positions.get(name.removeprefix(_LABEL).lower(), len(positions)))
    for count in (1, 2, 3):
        for some in combinations(order, count):
            if not _again(frame, "run", *some).any():
                return list(some)
    key = pandas.Series(key_of(frame, (*CELL, "run")))
    second = int(key.duplicated().argmax())
    row, first = frame.iloc[second], place(frame.iloc[int((key == key[second]).argmax())])
    what = f"item {row['item']} of {row['domain']}" if "item" in frame.columns else f"domain {row['domain']}"
    other = "" if place(row) == first else f", first in {first}"
    raise InputError(
        f"{place(row)}: agent {row['agent']} has {what} twice from one run{other}; keep one of them, or take all as "
        "repetitions: --keep all"
    )


def _told_apart(frame: Any, reading: Reading, by: Sequence[str], rows: Any, column: str, apart: list[Duplicate]) -> Any:
    """Return scores in which the agents, or the tests, of some rows bear their variants in their names."""
    if not rows.any():
        return frame
    some = frame.loc[rows, [column, *by]]
    codes, pairs = pandas.factorize(pandas.MultiIndex.from_frame(some.astype(object).fillna("none")))
    new = [f"{name} ({', '.join(rest)})" for name, *rest in pairs]
    names = pandas.Series(frame[column].astype(object))
    names.loc[rows] = np.array(new, dtype=object)[codes]
    what = " and ".join(reading.variant if name == "variant" else name.removeprefix(_LABEL) for name in by)
    groups: dict[str, list[str]] = {}
    for (old, *_), name in zip(pairs, new, strict=True):
        groups.setdefault(str(old), []).append(name)
    of = "agents" if column == "agent" else "tests"
    reading.decide(
        f"{of} under several values of {what} are told apart by it: {counted(len(groups), 'name')}, as in "
        f"{listed(new, 2)}; --keep all takes them as repetitions"
    )
    apart += [Duplicate(tuple(names), f"{name} by {what}") for name, names in groups.items()]
    return frame.assign(**{column: pandas.Categorical(names, categories=list(dict.fromkeys(names)))})


def _latest(frame: Any, reading: Reading) -> Any:
    """Return the scores of the latest date of every agent on every test."""
    cell = key_of(frame, ("agent", "domain"))
    again = np.isin(cell, cell[_again(frame)])
    if not again.any():
        return frame
    dates = frame["date"].to_numpy() if "date" in frame.columns else np.full(len(frame), np.nan)
    if np.isnan(dates[again]).any():
        row = frame.iloc[int(np.argmax(again & np.isnan(dates)))]
        raise InputError(
            f"{row['where']}: the scores of {row['agent']} on {row['domain']} bear no date, so none is the latest; "
            "leave --latest out, or keep all as repetitions: --keep all"
        )
    newest = pandas.Series(dates).groupby(cell).transform("max").to_numpy()
    kept = ~again | (dates == newest)
    reading.decide(f"{int((~kept).sum())} older scores are left out: the latest of each agent and test counts")
    return frame[kept].reset_index(drop=True)


def place(row: Any) -> str:
    """Return where a score stands."""
    if row["where"] == HELD:
        return f"{HELD} row {row['line'] - 2} (counted from 0)"
    return f"{row['where']} line {row['line']}" if row.get("line", 0) else str(row["where"])
