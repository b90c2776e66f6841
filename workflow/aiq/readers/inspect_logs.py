"""Inspect (inspect-ai): scores of logs of evaluations (``.json``, or ``.eval``: a zip archive), and of their samples.

Logs are read by ``inspect_ai.log`` where it is installed; else, and where it refuses them, by what stands here, which
was tried on logs from 2024 to version 0.3.285 and gives the same numbers.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, listed, number, part, parts, seconds, text
from aiq.readers.documents import DamagedError, Document

VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
"""Inspect's words for correct, incorrect, partially correct and no answer, as numbers (its ``value_to_float``)."""

_DAMAGED = (zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError)  # what a damaged archive or JSON raises
_ZSTANDARD = 93  # the method of compression that Inspect uses, by the number that zip archives give it


def log(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read the score of a log: the metric asked for, else the headline, else the first; unfinished logs are skipped."""
    content = _header(document)
    about = _finished(reading, document, content)
    if about is None:
        return
    scores = list(_scores(part(content, "results")))
    if not scores:
        reading.skip(f"{about.agent} on {about.domain}", f"the log holds no score ({document.name})")
        return
    names, metrics, values, errors = zip(*scores, strict=True)
    headline = part(content, "results", "headline")
    usual = (f"{headline.get('score')}/{headline.get('metric')}", names[0])
    asked = wanted.pick([*names, *metrics], usual)
    at = names.index(asked) if asked in names else metrics.index(asked)
    for place, other in enumerate(names):
        if place != at:
            reading.skip(
                f"{about.domain}: {other}", f"another score, {names[at]} is read; take it with --metric {other}"
            )
    reading.add(about._replace(value=values[at], se=errors[at], metric=names[at]))


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


def _scores(results: Mapping[str, object]) -> Iterator[tuple[str, str, float, float]]:
    """Yield ``scorer/metric``, the metric, its value, and the standard error of means."""
    for score in parts(results.get("scores")):
        metrics = part(score, "metrics")
        se = number(part(metrics, "stderr").get("value"), math.nan)
        for name in metrics:
            value = number(part(metrics, name).get("value"))
            if name not in ("stderr", "std", "var") and value is not None:
                error = se if name in ("accuracy", "mean") else math.nan
                yield f"{text(score.get('name'), 'score')}/{name}", name, value, error


def samples(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read every sample of a finished log by one scorer: the one asked for, else the first; epochs are tries.

    ``--cluster KEY`` takes ``metadata[KEY]`` of the samples.
    """
    about = _finished(reading, document, _header(document))
    if about is None:
        return
    # asked for as ``scorer``, ``scorer/key``, or ``scorer/metric`` of the whole log
    asked = [part for name in wanted.metrics for part in (name, name.partition("/")[0])]
    others: dict[str, None] = {}
    scorer, unscored, count = "", 0, 0
    for sample in parts(_samples(document)):
        scores = _by_scorer(sample)
        scorer = scorer or next((name for name in asked if name in scores), next(iter(scores), ""))
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


def _by_scorer(sample: Mapping[str, object]) -> dict[str, float]:
    """Return the scores of a sample that are numbers; of a score with several parts each as ``scorer/part``."""
    held = part(sample, "scores") or ({"score": sample["score"]} if part(sample, "score") else {})
    scores: dict[str, float] = {}
    for scorer, score in held.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        values = {scorer: value}
        if isinstance(value, Mapping):
            values = {f"{scorer}/{key}": raw for key, raw in value.items()}
        scores |= {name: parsed for name, raw in values.items() if not math.isnan(parsed := _value(raw))}
    return scores


def _value(value: object) -> float:
    """Return a score as a number, NaN where it is none."""
    if isinstance(value, str):
        grade = VALUES.get(value, VALUES.get(value.lower()))
        try:
            return float(value) if grade is None else grade
        except ValueError:
            return math.nan
    return float(value) if isinstance(value, bool) else number(value, math.nan)


@contextmanager
def _whole(document: Document) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except _DAMAGED as error:
        words = " ".join(str(error).split())[:200] or type(error).__name__
        raise DamagedError(
            f"{document.name} is no whole log of Inspect: {words}; copy it again, or convert it: inspect log convert"
        ) from error


def _header(document: Document) -> Mapping[str, Any]:
    with _whole(document):
        log = _by_inspect(document, True)
        if log is None and document.suffix == ".eval":
            with zipfile.ZipFile(document.path) as archive:
                if "header.json" in archive.namelist():
                    log = json.loads(_member(archive, "header.json"))
                else:  # it was broken off
                    log = {"status": "started", **json.loads(_member(archive, "_journal/start.json"))}
        return part(document.json if log is None else log)


def _samples(document: Document) -> Any:
    with _whole(document):
        records = _by_inspect(document, False)
        if records is None and document.suffix == ".eval":
            with zipfile.ZipFile(document.path) as archive:
                names = [n for n in archive.namelist() if n.startswith("samples/") and n.endswith(".json")]
                if "summaries.json" in archive.namelist():
                    records = json.loads(_member(archive, "summaries.json"))
                else:
                    records = [json.loads(_member(archive, name)) for name in names]
        return part(document.json).get("samples") if records is None else records


def _by_inspect(document: Document, header: bool) -> Any:
    """Return what ``inspect_ai.log`` reads; None where it is not installed, or knows no such log."""
    try:
        from inspect_ai import log
    except ImportError:
        return None
    path = str(document.path)
    try:
        if header:
            return log.read_eval_log(path, header_only=True).model_dump()
        return [sample.model_dump() for sample in log.read_eval_log_sample_summaries(path)]
    except _DAMAGED:
        return None


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return one file of an archive; Python reads Zstandard by itself from 3.14 on."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD:
        return archive.read(name)
    try:
        return archive.read(name)
    except NotImplementedError:
        pass
    try:
        from backports import zstd
    except ImportError as error:
        raise InputError(
            "logs of Inspect that end in .eval are compressed with Zstandard; install what reads them: "
            "pip install 'aiq[suites]', or convert them: inspect log convert --to json"
        ) from error
    stream = archive.fp
    if stream is None:
        raise ValueError("the archive is closed")
    stream.seek(info.header_offset + 26)
    lengths = stream.read(4)
    skip = int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
    stream.seek(skip, 1)
    try:
        return bytes(zstd.decompress(stream.read(info.compress_size)))
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
