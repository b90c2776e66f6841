"""Columns of tables: what their names mean, and their cells as numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas

from aiq.errors import InputError, choice
from aiq.records.arrays import Floats

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        role: tuple(words.split())
        for role, words in {
            "agent": "agent model algorithm system name model_name agent_name method submission subject_id policy "
            "player participant",
            "domain": "domain task test benchmark dataset task_name environment env env_id game scenario domains tests",
            "item": "item item_id instance_id question_id problem_id doc_id example_id sample_id question",
            "performance": "performance score value main_score accuracy acc correct resolved success passed result "
            "reward return successes",
            "se": "se stderr standard_error std_err sem",
            "repetition": "repetition run seed replicate",
            "cluster": "cluster passage template repository repo",
            "epoch": "epoch attempt try",
            "weight": "weight trials",
        }.items()
    }
)
"""Names, in lower case, by which a column of observations may go, the likeliest first."""

VARIANTS = ("revision", "version", "variant", "img_size", "image_size", "size", "precision", "network", "date")
"""Columns that tell agents of one name apart, the likeliest first; any other column of labels may do so too."""

PARTS = ("metric", "metric_name", "filter", "split", "subset", "hf_subset", "config", "language", "n_shot", "shots")
"""Columns that tell scores of one test apart: by each of them it is another test."""

PROPERTIES = frozenset(
    {
        *("img_size", "image_size", "param_count", "params", "parameters", "n_params", "n_parameters", "#params"),
        *("params (b)", "#params (b)", "parameters (b)", "size", "size (b)", "model size", "crop_pct", "year", "date"),
        *("flops", "gmacs", "macts", "cost", "price", "latency", "context", "context_length", "max_tokens"),
        *("max tokens", "embed_dim", "embedding dimensions", "memory", "memory usage (mb)", "number of parameters"),
        *("hub likes", "hub ❤️", "likes", "downloads", "co2 cost (kg)", "n_subsets", "votes", "license"),
        *("organization", "last_iteration", "n", "count", "n_wins", "n_wins_base", "n_draws", "n_total", "avg_length"),
        *("samples", "n_samples", "num_samples", "n_items"),
    }
)
"""Columns of numbers that describe an agent and are no test, in lower case."""

_SUMMARY = re.compile(
    r"(the )?(overall|average|avg\.?|mean|median|total|sum|rank|ranking|position|pos\.?|place|#|no\.?|index|borda"
    r"( rank| count)?|arena rank)"
    r"(([ _-]|$)(score|rank|performance|perf|acc\.?|accuracy|result|results|of all|points|%|over.*))*"
    r"\s*(\([^)]*\)|\[[^\]]*\])?\W*",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(^|[ _\-.])(err|error|error_rate|error rate|wer|cer|ece|brier|loss)($|[ _\-.(\[])|lower[ _]is[ _]better|↓",
    re.IGNORECASE,
)
_BETTER_HIGH = re.compile(r"higher[ _]is[ _]better|↑", re.IGNORECASE)
_OPEN = re.compile(
    r"(^|[ _\-.])(perplexity|ppl|nll|mse|rmse|mae|fid|bits[ _]per[ _]byte|bpb)($|[ _\-.(\[])", re.IGNORECASE
)
_SPREAD = re.compile(
    r"(.*[ _\-.])?(standard[ _](error|deviation)|stderr|std_?err|sem|std|std_?dev|((95 ?%[ _]?)?"
    r"(ci|confidence interval|conf[ _]int)([ _\-.]?(low|lower|high|upper|bound|width|[+\-])){0,2}))\W*",
    re.IGNORECASE,
)
_END = re.compile(r"(.+?)[ _\-.]+(low|lower|high|upper)$", re.IGNORECASE)
_STANDARD_ERROR = re.compile(r"(.+?)[ _,\-.]+(stderr|std_?err|se|sem|standard[ _]error)$", re.IGNORECASE)


def role(header: Sequence[str], what: str) -> str | None:
    """Return the column that a table has for something, by the likeliest name; None where it has none."""
    lowered = {column.lower(): column for column in reversed(header)}
    return next((lowered[name] for name in NAMES[what] if name in lowered), None)


def summary(column: str) -> bool:
    """Whether a column is by its name a mean over tests or a rank."""
    return _SUMMARY.fullmatch(column.strip()) is not None


def error(column: str) -> bool:
    """Whether a column is by its name, or a mark in it, an error, of which less is better."""
    return _BETTER_HIGH.search(column) is None and (_ERROR.search(column) is not None or unbounded(column))


def unbounded(column: str) -> bool:
    """Whether a column is by its name an error without a largest value."""
    return _OPEN.search(column) is not None


def spread(column: str, header: Sequence[str]) -> bool:
    """Whether a column is by its name an error or an end of an interval, of itself or of another column."""
    end = _END.fullmatch(column)
    return _SPREAD.fullmatch(column.strip()) is not None or (end is not None and end[1] in header)


def whose_error(column: str, header: Sequence[str]) -> str | None:
    """Return the column of which another is by its name the standard error, None where it is of none."""
    found = _STANDARD_ERROR.fullmatch(column)
    return found[1] if found and found[1] in header else None


def chosen(header: Sequence[str], columns: Sequence[str], drop: Sequence[str]) -> list[str]:
    """Return the name of each column that is kept (all where no ``columns`` are named), else an empty text."""
    return [name if (not columns or name in columns) and name not in drop else "" for name in header]


def check_names(wanted: Mapping[str, Sequence[str]], allowed: Sequence[str]) -> None:
    """Refuse names of columns or tests that are nowhere.

    Raises:
        InputError: one is unknown.
    """
    for option, names in wanted.items():
        for name in names:
            if name not in allowed:
                what = "column, test or agent" if option == "rename" else "column or test"
                raise InputError(choice(f"the {what} of --{option}", name, list(allowed)[:40]))


NOTHING = frozenset({"na", "n/a", "#n/a", "null", "none", "-", "--", "–", "—", "?", "tbd", "missing"})
"""Words, in lower case, that stand for a missing cell; they are told."""

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")
_TRUE = {"true": 1.0, "false": 0.0}
NUMBER, PERCENT, EMPTY, WORD, NAN, BAD = range(6)
"""What a cell is: a number, one with a per cent sign, empty, a word for nothing, the text ``nan``, or no number."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of cells as numbers (NaN where there is none) and as kinds, both (n,)."""

    values: Floats
    kinds: npt.NDArray[np.int8]

    @property
    def share(self) -> float:
        """Share of numbers among the cells that hold something; 0 where none does."""
        there = ~np.isin(self.kinds, (EMPTY, WORD, NAN))
        return float((self.kinds[there] <= PERCENT).mean()) if there.any() else 0.0

    @property
    def empty(self) -> bool:
        """Whether no cell holds anything."""
        return bool(np.isin(self.kinds, (EMPTY, WORD, NAN)).all())


def cells(column: Any, comma: bool = False) -> Cells:
    """Return a column of cells as numbers.

    Args:
        column: texts or numbers, (n,).
        comma: whether a comma is the mark of decimals.
    """
    array = np.asarray(column)
    if array.dtype.kind in "biuf":
        values = array.astype(np.float64)
        return Cells(values, np.where(np.isnan(values), EMPTY, NUMBER).astype(np.int8))
    codes, unique = pandas.factorize(np.asarray(array, dtype=object))
    parsed = [_number(cell, comma) for cell in unique] or [(math.nan, EMPTY)]
    values = np.array([value for value, _ in parsed])
    kinds = np.array([kind for _, kind in parsed], dtype=np.int8)
    return Cells(np.where(codes < 0, math.nan, values[codes]), np.where(codes < 0, np.int8(EMPTY), kinds[codes]))


def names(column: Any) -> Any:
    """Return a column of cells as names: texts without blanks around them, None where there is none; (n,)."""
    codes, unique = pandas.factorize(np.asarray(column, dtype=object))
    texts = np.array([_name(cell) for cell in unique] or [None], dtype=object)
    return np.where(codes < 0, None, texts[codes])


def _name(cell: object) -> str | None:
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15
    return (str(int(cell)) if whole else str(cell).strip()) or None  # type: ignore[call-overload]


def _number(cell: object, comma: bool) -> tuple[float, int]:
    """Return the value and the kind of one cell."""
    if not isinstance(cell, str):
        return _other(cell)
    text = cell.strip().replace("−", "-")
    if not text:
        return math.nan, EMPTY
    if comma and _DECIMAL_COMMA.fullmatch(text.rstrip("% ")):
        text = text.replace(".", "").replace(",", ".")
    kind = PERCENT if text.endswith("%") else NUMBER
    text = text.rstrip("% ") if kind == PERCENT else text
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if text.lower() == "nan":
        return math.nan, NAN
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan  # Python would read 1_000
    except ValueError:
        value = _TRUE.get(text.lower(), math.nan)
    if math.isfinite(value):
        return value, kind
    return math.nan, WORD if text.lower() in NOTHING else BAD


def _other(cell: object) -> tuple[float, int]:
    """Return the value and the kind of a cell that is no text."""
    if pandas.isna(cell) is True:
        return math.nan, EMPTY
    try:
        value = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan, BAD
    return (value, NUMBER) if math.isfinite(value) else (math.nan, BAD)
