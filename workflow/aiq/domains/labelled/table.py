"""Tables with numbers, words and gaps, and texts in a column, encoded by scikit-learn on the training split only."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from aiq.domains.base import DataSheet, LabelledDomain, Request, Target, locate
from aiq.domains.family import Family, Sizes
from aiq.domains.labelled.settings import OwnFiles, TestShare
from aiq.domains.labelled.splits import Learned, number, numbered, plain_split, split, standardise, standardised
from aiq.errors import DomainError, did_you_mean
from aiq.settings import fixed

ASSUMED = 10_000  # samples that a table is taken to hold until it is read


class Tabled(OwnFiles):
    """Parameters of families that read a CSV file with a header (.tsv: tabs): what stands where."""

    test_path: str | None = Field(None, description="file of the test split; null holds out a part of the first")
    test_fraction: TestShare = Field(0.25, description="share of samples held out as test split, stratified by class")
    learn: str = Field("label", min_length=1, description="column that is learned")
    target: Target = Field("classes", description="what that column holds: classes, or a number (regression)")

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
    """Look at the first line of a table alone."""
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


Floats = npt.NDArray[np.float32]


class Table(Tabled):
    """A table of numbers and words, with gaps."""

    source: Literal["table"] = Field(description="the source: table")
    columns: list[str] | None = Field(None, description="columns that are samples; null: all but the learned one")
    words: list[str] = Field(default_factory=list, description="columns of numbers that are names of categories")
    missing: list[str] = Field(
        default=["", "NA", "N/A", "NaN", "nan", "null", "None", "?"], description="entries that stand for a gap"
    )
    categories: ClassVar = fixed(50)  # kept of a column of words; the rarest beyond them become one

    @property
    def holds(self) -> Sizes:
        """Known when it is read."""
        return self.assumed(100)


def load_table(settings: Table, request: Request) -> LabelledDomain:
    """Load a table: numbers are standardised, words become indicators, gaps are filled and told.

    A column is one of numbers where every entry of the training split is a number or a gap. A gap in it becomes the
    median, and an indicator says where gaps are (``SimpleImputer``). A column of words gives one indicator for each
    category, a gap being one too (``OneHotEncoder``); a category that only the test split has gives none. All is
    fitted on the training split.
    """
    splits = read_splits(settings, request, [*(settings.columns or ()), *settings.words])
    names = settings.columns or [name for name in splits.train if name != settings.learn]
    if settings.learn in names:
        raise DomainError(f"columns names {settings.learn!r}, which is learned: a sample may not hold it")
    if not names:
        raise DomainError(f"the table {settings.path} has no column but {settings.learn!r}, which is learned")
    lacking = [name for name in names if name not in splits.test]
    if lacking:
        raise DomainError(f"the table {settings.test_path} lacks the column {lacking[0]!r} of the training split")
    gaps = frozenset(settings.missing)
    numbers = [n for n in names if n not in settings.words and _numeric(splits.train[n], gaps)]
    others = [name for name in names if name not in numbers]
    samples = _encoded(splits.train, splits.test, numbers, others, settings)
    name = Path(settings.path).name
    description = f"The table {name}: {len(numbers)} columns of numbers, {len(others)} of words"
    return described(settings, request, splits, samples, description, _notes(splits.train, numbers, others, gaps))


def _numeric(words: Sequence[str], gaps: frozenset[str]) -> bool:
    """Whether a column holds numbers and gaps only, at least one number."""
    there = [word for word in words if word not in gaps]
    return bool(there) and all(number(word) is not None for word in there)


def _encoded(
    train: Columns, test: Columns, numbers: Sequence[str], words: Sequence[str], settings: Table
) -> tuple[Floats, Floats]:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    gaps = frozenset(settings.missing)
    parts: list[tuple[Floats, Floats]] = []
    if numbers:
        train_numbers, test_numbers = _numbers(train, numbers, gaps), _numbers(test, numbers, gaps)
        imputer = SimpleImputer(strategy="median", add_indicator=True).fit(train_numbers)
        both = [imputer.transform(table) for table in (train_numbers, test_numbers)]
        count = len(numbers)
        scaled = standardise(both[0][:, :count], both[1][:, :count])
        parts.append(scaled)
        parts.append((as_float32(both[0][:, count:]), as_float32(both[1][:, count:])))
    if words:
        train_words, test_words = _words(train, words, gaps), _words(test, words, gaps)
        encoder = OneHotEncoder(handle_unknown="ignore", max_categories=settings.categories, sparse_output=False)
        encoder.fit(train_words)
        parts.append((as_float32(encoder.transform(train_words)), as_float32(encoder.transform(test_words))))
    train_x, test_x = (np.concatenate(split, axis=1) for split in zip(*parts, strict=True))
    return np.ascontiguousarray(train_x), np.ascontiguousarray(test_x)


def _numbers(columns: Columns, names: Sequence[str], gaps: frozenset[str]) -> npt.NDArray[np.float64]:
    """Return columns of numbers, (n, columns), NaN for a gap."""
    table = np.full((len(columns[names[0]]), len(names)), np.nan)
    for k, name in enumerate(names):
        for row, word in enumerate(columns[name]):
            if word in gaps:
                continue
            value = number(word)
            if value is None:
                raise DomainError(
                    f"column {name!r} holds numbers in the training split, but {word!r} in row {row + 1} of the test "
                    "split: correct it, or name the column under words or its gaps under missing"
                )
            table[row, k] = value
    return table


def _words(columns: Columns, names: Sequence[str], gaps: frozenset[str]) -> npt.NDArray[np.object_]:
    """Return columns of words, (n, columns); a gap is the empty word."""
    cells = [["" if word in gaps else word for word in columns[name]] for name in names]
    return np.array(cells, dtype=object).T


def _notes(train: Columns, numbers: Sequence[str], words: Sequence[str], gaps: frozenset[str]) -> tuple[str, ...]:
    missing = sum(word in gaps for name in (*numbers, *words) for word in train[name])
    notes = [f"{missing} gaps in the training split; all encoders are fitted on the training split only"]
    if numbers:
        notes.append("numbers standardised, a gap becomes the median (SimpleImputer), with an indicator of gaps")
    if words:
        notes.append("words become indicators of 0 and 1 (OneHotEncoder), a gap is a category of its own")
    return tuple(notes)


FAMILY = Family(
    Table,
    load_table,
    "a CSV table of numbers and words with gaps, encoded by scikit-learn on the training split only",
    "vectors (columns of numbers and indicators,)",
    ("sklearn",),
    {"source": "table", "path": "penguins.csv", "learn": "species"},
)


# ---- Texts as bags of character n-grams ----------------------------------------------------------


class Text(Tabled):
    """Texts in a column of a table."""

    source: Literal["text"] = Field(description="the source: text")
    text: str = Field("text", min_length=1, description="column of the texts")
    ngram: int = Field(3, ge=1, le=20, description="characters of an n-gram")
    features: int = Field(512, ge=2, le=65536, description="numbers of a sample: places of the hash")
    bag: ClassVar = fixed("hashed")
    lowercase: ClassVar = fixed(True)

    @property
    def holds(self) -> Sizes:
        """Samples are known when they are read, inputs before."""
        return self.assumed(self.features)


def load_text(settings: Text, request: Request) -> LabelledDomain:
    """Load texts: each is the counts of its character n-grams, divided by their Euclidean length.

    An n-gram goes to a place (and a sign) by its hash, which is the same everywhere and needs no vocabulary; capital
    letters count as small ones.
    """
    from sklearn.feature_extraction.text import HashingVectorizer

    splits = read_splits(settings, request, [settings.text])
    train, test = splits.train[settings.text], splits.test[settings.text]
    if all(len(words) < settings.ngram for words in train):
        raise DomainError(f"no text of the training split has {settings.ngram} characters: take a smaller ngram")
    size = settings.ngram, settings.ngram
    vectoriser = HashingVectorizer(n_features=settings.features, analyzer="char", ngram_range=size)
    train_x, test_x = (as_float32(vectoriser.transform(part)) for part in (train, test))
    note = (
        f"character {settings.ngram}-grams, hashed to {settings.features} numbers, counts divided by their Euclidean "
        "length"
    )
    description = f"Texts of {Path(settings.path).name}"
    return described(settings, request, splits, (train_x, test_x), description, (note,))


TEXT = Family(
    Text,
    load_text,
    "texts in a column of a CSV table, as bags of character n-grams",
    "vectors (features,)",
    ("sklearn",),
    {"source": "text", "path": "names.csv", "text": "name", "learn": "language", "ngram": 3},
)
