"""Every Eval Ever: one JSON record a model, with the range and direction of every metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy.special import ndtri

from aiq.readers.base import Raw, Reading, Wanted, number, part, seconds, text
from aiq.readers.documents import Document


def knows(document: Document) -> bool:
    """Say whether a file is a record: it names its schema, a model and a list of results."""
    content = document.json
    return isinstance(content, Mapping) and {"schema_version", "model_info", "evaluation_results"} <= set(content)


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read the results of records; a domain is called ``dataset/evaluation``, or by one name where both are alike."""
    reading = Reading()
    for document in documents:
        with reading.of(document):
            _record(reading, document, wanted)
    return reading


def _record(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one record."""
    content = part(document.json)
    agent = text(part(content, "model_info").get("id")) or text(part(content, "model_info").get("name"), "unnamed")
    listed = content.get("evaluation_results")
    taken: set[str] = set()
    for result in map(part, listed if isinstance(listed, list) else ()):
        name, how = domain(result), part(result, "metric_config")
        metric = text(how.get("metric_name")) or text(how.get("evaluation_description"), "score")
        value = number(part(result, "score_details").get("score"))
        levels = how.get("score_type") == "levels"
        if value is None or (how.get("has_unknown_level") and value == -1):
            reading.skip(f"{agent} on {name}", f"has no score ({document.name})")
        elif wanted.metrics and metric not in wanted.metrics:
            reading.skip(f"{name}: {metric}", "not the metric asked for")
        elif name in taken:
            reading.skip(f"{name}: {metric}", "another metric; take it with --metric")
        else:
            taken.add(name)
            low, high = _range(how, levels)
            raw = Raw(agent, name, value, document.name, text(content.get("evaluation_id"), document.name))
            raw = raw._replace(se=_error(part(result, "score_details")), lower=how.get("lower_is_better") is True)
            raw = raw._replace(low=low, high=high, bounded=how.get("score_type") == "binary", metric=metric)
            reading.add(raw._replace(date=seconds(content.get("retrieved_timestamp"))))


def domain(result: Mapping[str, object]) -> str:
    """Return the name of what was evaluated."""
    dataset = text(part(result, "source_data").get("dataset_name"))
    name = text(result.get("evaluation_name"), dataset or "unnamed")
    return name if not dataset or dataset == name else f"{dataset}/{name}"


def _range(how: Mapping[str, object], levels: bool) -> tuple[float, float]:
    """Return the range of a metric as the record states it; that of levels is by their number."""
    low, high = number(how.get("min_score")), number(how.get("max_score"))
    names = how.get("level_names")
    if levels and (low is None or high is None) and isinstance(names, list) and len(names) > 1:
        return 0.0, float(len(names) - 1)
    return math.nan if low is None else low, math.nan if high is None else high


def _error(details: Mapping[str, object]) -> float:
    """Return the standard error, NaN where none is known.

    It is taken as stated, else from the standard deviation, else from a confidence interval: value ± z standard errors
    with z the normal quantile at (1 + c) / 2 at the level c; without a level, 0.95 is meant. Older records have the
    interval beside the score.
    """
    known = part(details, "uncertainty")
    stated = number(part(known, "standard_error").get("value"))
    if stated is not None:
        return stated
    spread, count = number(known.get("standard_deviation")), number(known.get("num_samples"))
    if spread is not None and count is not None and count > 1:
        return spread / math.sqrt(count)
    around = part(known, "confidence_interval") or part(details, "confidence_interval")
    low, high = number(around.get("lower")), number(around.get("upper"))
    level = number(around.get("confidence_level")) or 0.95
    if low is None or high is None or not 0 < level < 1:
        return math.nan
    return float((high - low) / (2 * ndtri((1 + level) / 2)))
