"""What the columns of a table are called, and what the names mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aiq.errors import InputError, choice

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "agent": (
            *("agent", "model", "algorithm", "system", "name", "model_name", "agent_name", "method", "submission"),
            *("subject_id", "policy", "player", "participant"),
        ),
        "domain": (
            *("domain", "task", "test", "benchmark", "dataset", "task_name", "environment", "env", "env_id", "game"),
            *("scenario", "domains", "tests"),
        ),
        "item": (
            *("item", "item_id", "instance_id", "question_id", "problem_id", "doc_id", "example_id", "sample_id"),
            "question",
        ),
        "performance": (
            *("performance", "score", "value", "main_score", "accuracy", "acc", "correct", "resolved", "success"),
            *("passed", "result", "reward", "return", "successes"),
        ),
        "se": ("se", "stderr", "standard_error", "std_err", "sem"),
        "repetition": ("repetition", "run", "seed", "replicate"),
        "cluster": ("cluster", "passage", "template", "repository", "repo"),
        "epoch": ("epoch", "attempt", "try"),
        "weight": ("weight", "trials"),
    }
)
"""Names, in lower case, by which a column of observations may go, the likeliest first."""

VARIANTS = ("revision", "version", "variant", "img_size", "image_size", "size", "precision", "network", "date")
"""Columns that tell agents of one name apart, the likeliest first; any other column of labels may do so too."""

PROPERTIES = frozenset(
    {
        *("img_size", "image_size", "param_count", "params", "parameters", "n_params", "n_parameters", "#params"),
        *("params (b)", "#params (b)", "parameters (b)", "size", "size (b)", "model size", "crop_pct", "year", "date"),
        *(
            "flops",
            "gmacs",
            "macts",
            "cost",
            "price",
            "latency",
            "context",
            "context_length",
            "max_tokens",
            "max tokens",
        ),
        *(
            "max tokens",
            "embed_dim",
            "embedding dimensions",
            "memory",
            "memory usage (mb)",
            "number of parameters",
            "hub likes",
        ),
        *("hub ❤️", "likes", "downloads", "co2 cost (kg)", "n_subsets", "votes", "license", "organization"),
        *("last_iteration", "n", "count", "n_wins", "n_wins_base", "n_draws", "n_total", "avg_length"),
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
_ERROR = re.compile(r"(^|[ _\-.])(err|error|error_rate|error rate|wer|cer|loss)($|[ _\-.(\[])", re.IGNORECASE)
_SPREAD = re.compile(
    r"(.*[ _\-.])?(standard[ _]error|stderr|std_?err|sem|((95 ?%[ _]?)?(ci|confidence interval|conf[ _]int)"
    r"([ _\-.]?(low|lower|high|upper|bound|width|[+\-])){0,2}))\W*",
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
    """Whether a column is by its name an error, of which less is better."""
    return _ERROR.search(column) is not None


def spread(column: str, header: Sequence[str]) -> bool:
    """Whether a column is by its name an error or an end of an interval, of itself or of another column."""
    end = _END.fullmatch(column)
    return _SPREAD.fullmatch(column.strip()) is not None or (end is not None and end[1] in header)


def whose_error(column: str, header: Sequence[str]) -> str | None:
    """Return the column of which another is by its name the standard error, None where it is of none."""
    found = _STANDARD_ERROR.fullmatch(column)
    return found[1] if found and found[1] in header else None


def chosen(header: Sequence[str], columns: Sequence[str], drop: Sequence[str], rename: Mapping[str, str]) -> list[str]:
    """Return the new name of each column that is kept, an empty text for each that is not.

    Args:
        header: the columns of a table.
        columns: those to keep (by their old or new names); all where there are none.
        drop: those to leave out.
        rename: old name -> new name.
    """
    renamed = [rename.get(column, column) for column in header]
    asked = {*columns} if columns else {*header, *renamed}
    return [
        new if (old in asked or new in asked) and old not in drop and new not in drop else ""
        for old, new in zip(header, renamed, strict=True)
    ]


def check_names(wanted: Mapping[str, Sequence[str]], known: Sequence[str]) -> None:
    """Refuse names of columns or tests that are nowhere.

    Raises:
        InputError: one is unknown.
    """
    for option, names in wanted.items():
        for name in names:
            if name not in known:
                raise InputError(choice(f"the column or test of --{option}", name, list(known)[:40]))
