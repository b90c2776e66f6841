"""Inspect (inspect-ai): logs of evaluations, ``.json`` and ``.eval`` (a zip archive)."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, number, part, seconds, text
from aiq.readers.documents import DamagedError, Document

_ZSTANDARD = 93  # the method of compression that Inspect uses, by the number that zip archives give it


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
    content = header(document) if document.suffix == ".eval" else part(document.json)
    about = finished(reading, document, content)
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


def finished(reading: Reading, document: Document, content: Mapping[str, object]) -> Raw | None:
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


def header(document: Document) -> Mapping[str, Any]:
    """Return the header of a ``.eval`` archive: a log without its samples.

    Raises:
        DamagedError: the archive is damaged.
        InputError: it needs a library that is missing.
    """
    try:
        with zipfile.ZipFile(document.path) as archive:
            if "header.json" not in archive.namelist():
                return {"status": "started", **json.loads(member(archive, "_journal/start.json"))}
            return part(json.loads(member(archive, "header.json")))
    except (zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError) as error:
        raise DamagedError(
            f"{document.name} is no whole log of Inspect: {error}; copy it again, or convert it: inspect log convert"
        ) from error


def member(archive: zipfile.ZipFile, name: str) -> bytes:
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
