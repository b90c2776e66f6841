"""Inspect (inspect-ai): scores of whole logs of evaluations, and of their samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiq.readers import inspect_files
from aiq.readers.base import Raw, Reading, Wanted, number, part, seconds, text
from aiq.readers.documents import Document
from aiq.readers.sheets import listed

VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
"""Inspect's words for correct, incorrect, partially correct and no answer, as numbers (its ``value_to_float``)."""


def knows(document: Document) -> bool:
    """Say whether a file is a log: by the keys of the JSON, or by being a ``.eval`` archive."""
    if document.suffix == ".eval":
        return True
    content = document.json
    return isinstance(content, Mapping) and {"version", "status", "eval"} <= set(content)


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read one score a log: the metric asked for, else the headline, else the first; unfinished logs are skipped."""
    reading = Reading()
    for document in documents:
        with reading.of(document):
            _log(reading, document, wanted)
    return reading


def _log(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one log."""
    content = inspect_files.header(document)
    about = _finished(reading, document, content)
    if about is None:
        return
    scores = list(_scores(part(content, "results")))
    if not scores:
        reading.skip(f"{about.agent} on {about.domain}", f"the log holds no score ({document.name})")
        return
    at = _chosen(scores, part(content, "results", "headline"), wanted)
    scorer, metric, value, se = scores[at]
    for place, (other, name, _, _) in enumerate(scores):
        if place != at:
            reading.skip(
                f"{about.domain}: {other}/{name}",
                f"another score, {scorer}/{metric} is read; take it with --metric {other}/{name}",
            )
    reading.add(about._replace(value=value, se=math.nan if se is None else se, metric=f"{scorer}/{metric}"))


def _finished(reading: Reading, document: Document, content: Mapping[str, object]) -> Raw | None:
    """Return model, task, run and date of a log, None (and a line among the skipped) where it is not finished."""
    about = part(content, "eval")
    agent, task = text(about.get("model"), "unnamed model"), text(about.get("task"), "unnamed task")
    status = content.get("status")
    if status != "success":
        reading.skip(f"{agent} on {task}", f"the evaluation ended with status {status!r} ({document.name})")
        return None
    run = text(about.get("eval_id")) or text(about.get("run_id"), document.name)
    return Raw(agent, task, math.nan, document.name, run, date=seconds(about.get("created")))


def _scores(results: Mapping[str, object]) -> Iterator[tuple[str, str, float, float | None]]:
    """Yield scorer, metric, value and standard error of every metric that is a number."""
    scores = results.get("scores")
    for score in scores if isinstance(scores, list) else ():
        metrics = part(score, "metrics")
        se = number(part(metrics, "stderr").get("value"))
        scorer = text(part(score).get("name"), "score")
        for name in metrics:
            value = number(part(metrics, name).get("value"))
            if name not in ("stderr", "std", "var") and value is not None:
                yield scorer, name, value, se if name in ("accuracy", "mean") else None


def _chosen(
    scores: Sequence[tuple[str, str, float, float | None]], headline: Mapping[str, object], wanted: Wanted
) -> int:
    """Return which score to take."""
    names = [f"{scorer}/{metric}" for scorer, metric, _, _ in scores]
    metrics = [metric for _, metric, _, _ in scores]
    asked = wanted.pick([*names, *metrics])
    if asked is not None:
        return names.index(asked) if asked in names else metrics.index(asked)
    head = f"{headline.get('score')}/{headline.get('metric')}"
    return names.index(head) if head in names else 0


def load_items(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read every sample of finished logs by one scorer: the one asked for, else the first; epochs are tries.

    ``--cluster KEY`` takes ``metadata[KEY]`` of the samples.
    """
    reading = Reading()
    for document in documents:
        with reading.of(document):
            about = _finished(reading, document, inspect_files.header(document))
            if about is not None:
                _take(reading, document, about, inspect_files.samples(document), wanted)
    return reading


def _take(reading: Reading, document: Document, about: Raw, samples: Any, wanted: Wanted) -> None:
    """Take the samples of one log."""
    others: dict[str, None] = {}
    scorer, unscored, count = "", 0, 0
    for sample in map(part, samples if isinstance(samples, list | Iterator) else ()):
        scores = _by_scorer(sample)
        scorer = scorer or _scorer(scores, wanted)
        others |= dict.fromkeys(name for name in scores if name != scorer)
        value = scores.get(scorer)
        if value is None:
            unscored += 1
            continue
        count += 1
        cluster = part(sample, "metadata").get(wanted.cluster) if wanted.cluster else None
        raw = about._replace(item=str(sample.get("id")), epoch=str(sample.get("epoch", 1)), metric=scorer)
        reading.add(raw._replace(value=value, cluster=None if cluster is None else str(cluster)))
    name = f"{about.agent} on {about.domain}"
    if others:
        reading.decide(f"{about.domain}: scorer {scorer} is read, not {listed(list(others))}; choose with --metric")
    if unscored:
        reading.skip(name, f"{unscored} samples have no score by {scorer or 'any scorer'} ({document.name})")
    elif not count:
        reading.skip(name, f"the log holds no samples ({document.name})")


def _scorer(scores: Mapping[str, float], wanted: Wanted) -> str:
    """Return the scorer to take: asked for as ``scorer``, ``scorer/key``, or ``scorer/metric`` of the whole log."""
    for name in wanted.metrics:
        for asked in (name, name.partition("/")[0]):
            if asked in scores:
                return asked
    return next(iter(scores), "")


def _by_scorer(sample: Mapping[str, object]) -> dict[str, float]:
    """Return the scores of a sample that are numbers; of a score with several parts each as ``scorer/part``."""
    held = part(sample, "scores") or ({"score": sample["score"]} if part(sample, "score") else {})
    found: dict[str, float] = {}
    for scorer, score in held.items():
        value = part(score).get("value") if isinstance(score, Mapping) else score
        parts = (
            {f"{scorer}/{key}": one for key, one in value.items()} if isinstance(value, Mapping) else {scorer: value}
        )
        found |= {name: known for name, one in parts.items() if (known := _value(one)) is not None}
    return found


def _value(value: object) -> float | None:
    """Return a score as a number, None where there is none (NaN: not scored)."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        known = VALUES.get(value, VALUES.get(value.lower()))
        try:
            known = float(value) if known is None else known
        except ValueError:
            return None
    else:
        known = number(value)
    return None if known is None or known != known else known
