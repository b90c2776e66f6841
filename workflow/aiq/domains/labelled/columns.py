"""Tables of text: CSV files with a header, read as words; and what families that read them have in common."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from aiq.domains.base import DataSheet, LabelledDomain, Request, Target, locate
from aiq.domains.labelled.settings import Labelled, TestShare
from aiq.domains.labelled.splits import Learned, number, numbered, plain_split, split, standardised
from aiq.domains.sizes import Sizes
from aiq.errors import DomainError, did_you_mean

ASSUMED = 10_000  # samples that a table is taken to hold until it is read


class Tabled(Labelled):
    """Parameters of families that read tables: where samples and what is learned stand."""

    path: str = Field(min_length=1, description="CSV file with a header (.tsv: tabs); here or below data_root")
    test_path: str | None = Field(None, description="file of the test split; null holds out a part of the first")
    test_fraction: TestShare = Field(0.25, description="share of samples held out as test split, stratified by class")
    learn: str = Field(min_length=1, description="column that is learned")
    target: Target = Field("classes", description="what that column holds: classes, or a number (regression)")
    licence: str = Field("not stated", description="licence, copied to the data sheet")

    @model_validator(mode="after")
    def _check_target(self) -> Tabled:
        if self.target == "number" and self.classes is not None:
            raise ValueError("classes is set, but a number is learned, which has no classes: leave classes out")
        return self

    @property
    def numeric(self) -> bool:
        """As the target says."""
        return self.target == "number"

    @property
    def label_space(self) -> str:
        """One space for each learned column of a file."""
        return f"{getattr(self, 'source', '')}:{self.path}:{self.learn}"

    @property
    def files(self) -> tuple[str, ...]:
        """The file, or both."""
        return (self.path,) if self.test_path is None else (self.path, self.test_path)

    def assumed(self, inputs: int) -> Sizes:
        """Return sizes that are assumed until the file is read."""
        test = round(ASSUMED * self.test_fraction)
        return Sizes(ASSUMED - test, test, 1 if self.numeric else 10, (inputs,), certain=False)


Columns = dict[str, list[str]]
"""Words by column, one for each sample."""


@dataclass(frozen=True, eq=False)
class Splits:
    """The words of both splits by column, and what is learned of them."""

    train: Columns
    test: Columns
    learned: Learned


def read_columns(path: Path, needed: Iterable[str]) -> Columns:
    """Read a table with a header."""
    with _rows(path) as lines:
        rows = list(lines)
    if len(rows) < 2:
        raise DomainError(f"the table {path} holds no samples: needed are a header and at least one row")
    header = check_header(path, rows[0], needed)
    for place, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise DomainError(f"the table {path} has {len(row)} entries in line {place}, the header has {len(header)}")
    return {name: [row[k].strip() for row in rows[1:]] for k, name in enumerate(header)}


def check_header(path: Path, header: Sequence[str], needed: Iterable[str]) -> list[str]:
    """Return the names of the columns, or refuse a table that lacks one or has one twice."""
    names = [name.strip() for name in header]
    for name in names:
        if names.count(name) > 1:
            raise DomainError(f"the table {path} has the column {name!r} twice: give every column a name of its own")
    for name in needed:
        if name not in names:
            raise DomainError(
                f"the table {path} has no column {name!r}{did_you_mean(name, names)}; it has {', '.join(names)}"
            )
    return names


def read_header(path: Path, needed: Iterable[str]) -> None:
    """Look at the first line of a table alone.

    Raises:
        DomainError: it cannot be read, or lacks a column.
    """
    with _rows(path) as rows:
        header = next(rows, [])
    check_header(path, header, needed)


@contextmanager
def _rows(path: Path) -> Iterator[Iterator[list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DomainError(f"the table {path} cannot be read ({error}): give a CSV file in UTF-8") from error


def read_splits(settings: Tabled, request: Request, needed: Sequence[str]) -> Splits:
    """Read both splits, or one table of which a part is held out."""
    wanted = [*needed, settings.learn]
    train = read_columns(locate(settings.path, request, "table"), wanted)
    goal = _goal(train, settings)
    learn = standardised if settings.numeric else numbered
    if settings.test_path is not None:
        test = read_columns(locate(settings.test_path, request, "table"), wanted)
        return Splits(train, test, learn(goal, _goal(test, settings)))
    share, root, key = settings.test_fraction, request.root_seed, (*request.key, "split")
    if settings.numeric:
        train_rows, test_rows = plain_split(len(goal), share, root, *key)
    else:
        labels = np.unique(goal.astype(str), return_inverse=True)[1].astype(np.int64)
        train_rows, test_rows = split(labels, share, root, *key)
    parts = [{name: [words[k] for k in rows] for name, words in train.items()} for rows in (train_rows, test_rows)]
    return Splits(parts[0], parts[1], learn(goal[train_rows], goal[test_rows]))


def _goal(columns: Columns, settings: Tabled) -> npt.NDArray[Any]:
    words = columns[settings.learn]
    gaps = {"", *getattr(settings, "missing", ())}
    for place, word in enumerate(words, start=1):
        if word in gaps:
            raise DomainError(f"column {settings.learn!r} has no entry in row {place}: remove samples without a label")
    if not settings.numeric:
        return np.array(words, dtype=object)
    numbers = [number(word) for word in words]
    for place, (value, word) in enumerate(zip(numbers, words, strict=True), start=1):
        if value is None:
            raise DomainError(f"column {settings.learn!r} has {word!r} in row {place}, no number; take target: classes")
    return np.array(numbers, np.float64)


def as_float32(table: Any) -> npt.NDArray[np.float32]:
    """Return a table of scikit-learn, sparse or dense, as contiguous float32."""
    dense = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    return np.ascontiguousarray(dense, np.float32)


def described(
    settings: Tabled,
    request: Request,
    splits: Splits,
    samples: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
    description: str,
    notes: tuple[str, ...],
) -> LabelledDomain:
    """Return the domain of a table, given the samples of both splits, and what its data sheet says of them."""
    y = splits.learned
    sheet = DataSheet(description, settings.path, settings.licence, class_names=y.names, notes=(*notes, *y.notes))
    (train_x, test_x), space = samples, settings.label_space
    return LabelledDomain(request.name, train_x, y.train, test_x, y.test, space, y.labels, sheet, y.target)
