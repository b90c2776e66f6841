"""Inspect (inspect-ai): the scores of samples in logs, ``.eval`` and ``.json``, of all versions of the format."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiq.readers.base import Raw, Reading, Wanted, number, part, text
from aiq.readers.documents import DamagedError, Document
from aiq.readers.inspect_logs import finished, header, member
from aiq.readers.sheets import listed

VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
"""Inspect's words for correct, incorrect, partially correct and no answer, as numbers (its ``value_to_float``)."""


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read every sample of finished logs by one scorer: the one asked for, else the first; epochs are tries.

    ``--cluster KEY`` takes ``metadata[KEY]`` of the samples.
    """
    reading = Reading()
    for document in documents:
        with reading.of(document):
            archive = document.suffix == ".eval"
            about = finished(reading, document, header(document) if archive else part(document.json))
            if about is not None:
                samples = _archived(document) if archive else part(document.json).get("samples")
                _samples(reading, document, about, samples, wanted)
    return reading


def _samples(reading: Reading, document: Document, about: Raw, samples: Any, wanted: Wanted) -> None:
    """Take the samples of one log."""
    others: dict[str, None] = {}
    scorer, unscored, count = "", 0, 0
    for sample in map(part, samples if isinstance(samples, list | Iterator) else ()):
        scores = _scores(sample)
        scorer = scorer or _chosen(scores, wanted)
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


def _chosen(scores: Mapping[str, float], wanted: Wanted) -> str:
    """Return the scorer to take: asked for as ``scorer``, ``scorer/key``, or ``scorer/metric`` of the whole log."""
    for name in wanted.metrics:
        for asked in (name, name.partition("/")[0]):
            if asked in scores:
                return asked
    return next(iter(scores), "")


def _scores(sample: Mapping[str, object]) -> dict[str, float]:
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


def _archived(document: Document) -> Iterator[object]:
    """Yield the samples of an archive: from its summaries where it has them, else one file each.

    Raises:
        DamagedError: the archive is damaged.
    """
    try:
        with zipfile.ZipFile(document.path) as archive:
            if "summaries.json" in archive.namelist():
                yield from json.loads(member(archive, "summaries.json"))
                return
            for name in archive.namelist():
                if name.startswith("samples/") and name.endswith(".json"):
                    yield json.loads(member(archive, name))
    except (zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError) as error:
        words = text(str(error), type(error).__name__)
        raise DamagedError(f"{document.name} is no whole log of Inspect: {words}; copy it again") from error
