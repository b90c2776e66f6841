"""Columns of tables: what their names mean, and their cells as numbers and as names."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas

from aiq.errors import InputError, choice
from aiq.records.estimate import Floats

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        role: tuple(words.split())
        for role, words in {
            "agent": "agent model algorithm system name model_name agent_name method submission subject_id policy "
            "player participant",
            "domain": "domain task test benchmark dataset task_name environment env env_id game scenario domains tests",
            "item": "item item_id instance_id question_id problem_id doc_id example_id sample_id question",
            "performance": "performance score value main_score accuracy acc correct is_correct resolved success passed "
            "result reward return successes",
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
        *("samples", "n_samples", "num_samples", "n_items", "id", "temperature", "top_p", "generation", "moe"),
        *("merged", "flagged", "chat template", "available on the hub", "official providers"),
    }
)
"""Columns of numbers that describe an agent and are no test, in lower case."""

_ABOUT = re.compile(
    r"((mean|average|median|total) )?(run ?time|time|latency|duration|cost|price|throughput|co[2₂] cost)"
    r"( ?[(\[$].*| per .*| mean.*| std.*| standard deviation.*|_s|_ms)?"
    r"|.*\bpercentile\b.*(latency|\(m?s\)).*|.*\blength \((words|tokens|characters)\)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"(global|total|macro|micro|grand) (average|avg\.?)|ø|gesamt|durchschnitt|mean win rate"
    r"|(the )?(overall|average|avg\.?|mean|median|total|sum|rank|ranking|position|pos\.?|place|#|no\.?|index|borda"
    r"( rank| count)?|arena rank)"
    r"(([ _-]|$)(score|rank|performance|perf|acc\.?|accuracy|result|results|of all|points|%|over.*))*"
    r"\s*(\([^)]*\)|\[[^\]]*\])?\W*",
    re.IGNORECASE,
)
_GROUP = re.compile(r".*[\w)] (average|avg\.?)", re.IGNORECASE)
_ERROR = re.compile(
    r"(^|[ _\-.])((err|error|brier|loss)([ _](rate|score))?($|%| ?[(\[])|(error|brier|loss)[ _](rate|score)\b"
    r"|(?-i:wer|cer|ece|WER|CER|ECE)($|[ _\-.(\[%])(?!acc))|lower[ _]is[ _]better|↓",
    re.IGNORECASE,
)
_RANK = re.compile(r"(the |arena )?(rank|pos|place|#|no\b|index|borda)", re.IGNORECASE)
_ENDS: Mapping[str, Callable[[Floats], Any]] = MappingProxyType({
    **dict.fromkeys(("min", "minimum", "worst"), lambda others: others.min(axis=0)),
    **dict.fromkeys(("max", "maximum", "best"), lambda others: others.max(axis=0)),
    **dict.fromkeys(("sum", "total"), lambda others: others.sum(axis=0)),
    "median": lambda others: np.median(others, axis=0),
    "count": lambda others: np.full(others.shape[1], len(others)),
})  # fmt: skip
"""Name of a row -> what it then is of all other rows."""
_DOUBTFUL = re.compile(
    r"toxic|\bbias\b|harm|hallucinat|refus|attack|failure|false[ _-](positive|negative|alarm)|violat|jailbreak"
    r"|misinform|regret",
    re.IGNORECASE,
)
_PER_CENT = re.compile(r"[(\[] ?(%|per ?cent|pct\.?) ?[)\]]|[ _](%|per ?cent|pct)$", re.IGNORECASE)
_BETTER_HIGH = re.compile(r"higher[ _]is[ _]better|↑", re.IGNORECASE)
_OPEN = re.compile(
    r"(^|[ _\-.])(perplexity|ppl|nll|mse|rmse|mae|fid|bits[ _]per[ _]byte|bpb)($|[ _\-.(\[])", re.IGNORECASE
)
_SPREAD = re.compile(
    r"(Δ|delta[ _]).+|(.+[ _\-.])?(diff|delta)"
    r"|(.*[ _\-.])?(standard[ _](error|deviation)|stderr|std_?err|sem|std|std_?dev|((95 ?%[ _]?)?"
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


def of_group(name: str) -> bool:
    """Whether a column or row is by its name a mean over some tests or rows: Language average."""
    return _GROUP.fullmatch(name.strip()) is not None


def may_summarise(name: str) -> bool:
    """Whether a row may be by its name a mean of other rows, or another number about them."""
    word = name.strip().rstrip(".").lower()
    return word in _ENDS or word.startswith(("std", "standard deviation")) or of_group(name) or summary(name)


def row_summary(name: str, row: Floats, others: Floats) -> bool:
    """Whether a row (columns,) is by name and numbers a mean, end, median or sum of all others (rows, columns)."""
    word = name.strip().rstrip(".").lower()
    with np.errstate(all="ignore"):
        if word.startswith(("std", "standard deviation")):
            return bool(np.all((row <= np.nanmax(others, axis=0) - np.nanmin(others, axis=0)) | np.isnan(row)))
        if word in _ENDS:
            whole = others[~np.isnan(others).any(axis=1)]
            return bool(len(whole)) and bool(np.allclose(_ENDS[word](whole), row, rtol=1e-3))
        inside = (row >= np.nanmin(others, axis=0)) & (row <= np.nanmax(others, axis=0)) | np.isnan(row)
    mean = of_group(name) or (summary(name) and _RANK.match(name.strip()) is None)
    return mean and bool(inside.all())


def error(column: str) -> bool:
    """Whether a column is by its name, or a mark in it, an error, of which less is better."""
    return _BETTER_HIGH.search(column) is None and (_ERROR.search(column) is not None or unbounded(column))


def directions(metrics: Any, tests: Any, known: Sequence[str]) -> dict[str, Any]:
    """Return what the names of metrics say of scores on tests, but on those that are known; columns of rows (n,)."""
    codes, words = pandas.factorize(metrics, use_na_sentinel=False)
    free = ~pandas.Series(tests).isin(known).to_numpy()
    lower, unlimited = (
        free & np.array([says(str(word)) for word in words] or [False])[codes] for says in (error, unbounded)
    )
    return {"metric": metrics, "lower": lower, "bounded": ~unlimited}


def doubtful(column: str) -> bool:
    """Whether less of a column may be better, by its name, though nothing says so."""
    return not error(column) and _BETTER_HIGH.search(column) is None and _DOUBTFUL.search(column) is not None


def per_cent(column: str) -> bool:
    """Whether a column is by its name in per cent."""
    return _PER_CENT.search(column.strip()) is not None


def about(column: str) -> bool:
    """Whether a column of numbers describes agents by its name, and is no test."""
    return column.lower() in PROPERTIES or _ABOUT.fullmatch(column.strip()) is not None


def unbounded(column: str) -> bool:
    """Whether a column is by its name an error without a largest value."""
    return _OPEN.search(column) is not None


def spread(column: str) -> bool:
    """Whether a column is by its name an error, a difference or an end of an interval."""
    return _SPREAD.fullmatch(column.strip()) is not None


def end_of(column: str) -> tuple[str, bool] | None:
    """Return the column of which another may be by its name the end of an interval, and whether it is the lower end."""
    end = _END.fullmatch(column)
    return None if end is None else (end[1], end[2].lower().startswith("low"))


def whose_error(column: str, header: Sequence[str]) -> str | None:
    """Return the column of which another is by its name the standard error, None where it is of none."""
    match = _STANDARD_ERROR.fullmatch(column)
    return match[1] if match and match[1] in header else None


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


# ---- Cells --------------------------------------------------------------------------------------------


NOTHING = frozenset({"na", "n/a", "null", "none", "-", "--", "–", "—", "?", "tbd", "missing"})
NOTHING |= {"#n/a", "#ref!", "#div/0!", "#value!", "#name?", "#num!", "#null!"}  # of spreadsheets
"""Words, in lower case, that stand for a missing cell; they are told."""

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:[ \u00a0\u202f]\d{3})+)(\.\d*)?")
_NOTED = re.compile(
    r"([+-]?[\d.,]*\d%?) ?(?:[*†‡§^¹²³]+|(?:±|\+/?-) ?[\d.,]+%?|\([#\d.,+\-± ]+%?\)|\[[\d.,;+\-– ]+%?\]|[↑↓])"
)
_BOTH, _DOTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+"), re.compile(r"[+-]?\d{1,3}(\.\d{3})+")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")
_TAG = re.compile(r"<[^<>]*>")
_TRUE = {"true": 1.0, "false": 0.0}
NOTED, NUMBER, PERCENT, EMPTY, WORD, NAN, BAD = range(7)
"""What a cell is: a number before a mark or a spread (81.5 ± 1.2), a number, one with a per cent sign, empty, a word
for nothing, the text ``nan``, or no number."""


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
    """Return a column of cells as numbers; ``comma``: it marks decimals, as where 0,050 cannot be read otherwise."""
    array = np.asarray(column)
    if array.dtype.kind in "mM":  # dates and times are no numbers
        array = array.astype(str)
    if array.dtype.kind in "biuf":
        values = array.astype(np.float64)
        return Cells(values, np.where(np.isnan(values), EMPTY, NUMBER).astype(np.int8))
    codes, unique = pandas.factorize(np.asarray(array, dtype=object))
    texts = [cell.strip() for cell in unique if isinstance(cell, str)]
    bare = [(noted[1] if (noted := _NOTED.fullmatch(text)) else text).rstrip("% ") for text in texts]
    comma = comma or any(_DECIMAL_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text) for text in bare)
    dots = comma and any(_BOTH.fullmatch(text) for text in bare)
    parsed = [_number(cell, comma, dots) for cell in unique] or [(math.nan, EMPTY)]
    values = np.array([value for value, _ in parsed])
    kinds = np.array([kind for _, kind in parsed], dtype=np.int8)
    return Cells(np.where(codes < 0, math.nan, values[codes]), np.where(codes < 0, np.int8(EMPTY), kinds[codes]))


def truths(column: Any) -> bool:
    """Whether a column of cells says true or false, and nothing else, where it says anything."""
    array = np.asarray(column)
    if array.dtype.kind in "biuf":
        return array.dtype.kind == "b"
    there = [cell for cell in pandas.unique(np.asarray(array, dtype=object)) if not pandas.isna(cell) and cell != ""]
    return bool(there) and all(str(cell).strip().lower() in _TRUE for cell in there)


def names(column: Any) -> Any:
    """Return a column of cells as names: texts without blanks around them, None where there is none; (n,)."""
    codes, unique = pandas.factorize(np.asarray(column, dtype=object))
    texts = np.array([_name(cell) for cell in unique] or [None], dtype=object)
    return np.where(codes < 0, None, texts[codes])


def _name(cell: object) -> str | None:
    if isinstance(cell, str) and "</a>" in cell:
        cell = _TAG.sub("", cell)
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15
    return (str(int(cell)) if whole else str(cell).strip()) or None  # type: ignore[call-overload]


def _number(cell: object, comma: bool, dots: bool = False) -> tuple[float, int]:
    """Return the value and the kind of one cell; ``dots``: they part thousands, as commas mark decimals."""
    if not isinstance(cell, str):
        if pandas.isna(cell) is True:
            return math.nan, EMPTY
        try:
            value = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return math.nan, BAD
        return (value, NUMBER) if math.isfinite(value) else (math.nan, BAD)
    text = cell.strip().replace("−", "-")
    if not text:
        return math.nan, EMPTY
    noted = _NOTED.fullmatch(text)
    text = text if noted is None else noted[1]
    if comma and (_DECIMAL_COMMA.fullmatch(text.rstrip("% ")) or (dots and _DOTS.fullmatch(text.rstrip("% ")))):
        text = text.replace(".", "").replace(",", ".")
    kind = PERCENT if text.endswith("%") else NUMBER if noted is None else NOTED
    text = text.rstrip("% ") if kind == PERCENT else text
    if _THOUSANDS.fullmatch(text):
        text = re.sub(r"[, \u00a0\u202f]", "", text)
    if text.lower() == "nan":
        return math.nan, NAN
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan  # Python would read 1_000
    except ValueError:
        value = _TRUE.get(text.lower(), math.nan)
    if math.isfinite(value):
        return value, kind
    return math.nan, WORD if text.lower() in NOTHING else BAD


def number(text: str) -> float:
    """Return the number that a text is, NaN of anything else."""
    value, kind = _number(text, False)
    return value if kind <= PERCENT else math.nan
