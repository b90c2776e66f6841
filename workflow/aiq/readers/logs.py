"""Logs of agents: Inspect's, SWE-bench's lists of resolved instances, lines of responses, one a subject."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, listed, number, part, parts, seconds, text
from aiq.readers.documents import DamagedError, Document

# ---- Inspect ------------------------------------------------------------------------------------------


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
    """Read every sample of a finished log by one scorer; epochs are tries, ``--cluster KEY`` is of the metadata."""
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


# ---- Instances by name --------------------------------------------------------------------------------


_LISTS: tuple[str, ...] = (
    *("completed_ids", "incomplete_ids", "empty_patch_ids", "submitted_ids", "resolved_ids", "unresolved_ids"),
    *("error_ids", "resolved", "no_generation", "no_logs", "generated", "applied"),
)


def knows_resolved(document: Document) -> bool:
    """Say whether a file lists what was resolved."""
    content = part(document.json)
    lists = any(isinstance(content.get(key), list) for key in ("resolved_ids", "resolved"))
    return lists or bool(_single(content)) or bool(_boards(content))


def _single(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return instance -> whether it is resolved, of the report of single instances."""
    outcomes = {str(name): part(row).get("resolved") for name, row in content.items()}
    return outcomes if all(isinstance(value, bool) for value in outcomes.values()) else {}


def _boards(content: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the rows of the site's leaderboards that have details by instance."""
    return [
        {**row, "board": board.get("name")}
        for board in parts(content.get("leaderboards"))
        for row in parts(board.get("results"))
        if part(row, "per_instance_details")
    ]


def resolved(reading: Reading, documents: Sequence[Document], wanted: Wanted) -> None:
    """Read 1 for every instance that is resolved, and 0 for every other that any file of the source names.

    An instance that failed, was empty or was not submitted counts as 0, as SWE-bench counts it. Clusters are the
    repositories: the name of an instance without its number.
    """
    solved: dict[tuple[str, str], dict[str, bool]] = {}
    instances: dict[str, dict[str, None]] = {}
    total = 0
    for document in documents:
        with reading.of(document):
            content = part(document.json)
            total = max(total, int(number(content.get("total_instances"), 0)))
            for agent, task, held, every in _found(document, content):
                solved.setdefault((agent, task), {}).update(held)
                instances.setdefault(task, {}).update(dict.fromkeys(every))
    for (agent, task), held in solved.items():
        for item in instances[task]:
            cluster, value = item.rpartition("-")[0] or item, float(held.get(item, False))
            reading.add(Raw(agent, task, value, agent, item=item, cluster=cluster, metric="resolved"))
    for task, named in instances.items():
        reading.decide(
            f"{task}: an instance that is not listed as resolved counts as 0, over the {len(named)} instances that any "
            "file names" + (f" (the reports speak of {total})" if total > len(named) else "")
        )
    reading.decide("clusters are the repositories: the names of instances without their numbers")


def _found(document: Document, content: Mapping[str, object]) -> Iterable[tuple[str, str, dict[str, bool], list[str]]]:
    """Yield agent, test, what is resolved, and all instances that a file names."""
    boards = _boards(content)
    if boards:
        for row in boards:
            held = {name: bool(part(case).get("resolved")) for name, case in part(row, "per_instance_details").items()}
            yield text(row.get("name"), "unnamed"), text(row["board"], document.stem), held, list(held)
        return
    single = _single(content)
    if single:
        yield document.path.resolve().parent.parent.name, "resolved", single, list(single)
        return
    names = {key: [str(x) for x in value] for key in _LISTS if isinstance(value := content.get(key), list)}
    resolved = names.get("resolved_ids", names.get("resolved", []))
    every = list(dict.fromkeys(name for some in names.values() for name in some))
    folder = document.path.resolve().parent
    agent = document.stem.partition(".")[0] if "resolved_ids" in names else folder.name
    agent = folder.parent.name if agent == "results" else agent
    yield agent.replace("__", "/"), "resolved", dict.fromkeys(resolved, True), every


def responses(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read every response; the test is named as the folder is, an item without a response is missing."""
    task = document.path.resolve().parent.name
    for line, row in document.objects():
        subject = part(row).get("subject_id")
        if subject is None or not isinstance(part(row).get("responses"), Mapping):
            raise DamagedError(f"{document.name} line {line} has no subject_id with responses")
        for item, response in part(row, "responses").items():
            _response(reading, Raw(str(subject), task, 0.0, document.name, line=line, item=item), response)


def _response(reading: Reading, raw: Raw, response: object) -> None:
    if isinstance(response, Mapping):
        successes, trials = number(response.get("successes")), number(response.get("trials"))
        if successes is None or trials is None or not 0 <= successes <= trials:
            raise DamagedError(f"{raw.where} line {raw.line}: {raw.item} has no successes within its trials")
        if trials == 0:
            reading.skip(f"{raw.agent} on {raw.item}", "no trial")
        else:
            reading.add(raw._replace(value=successes / trials, weight=trials))
        return
    value = float(response) if isinstance(response, bool) else number(response)
    if value is None and response is not None:
        raise DamagedError(f"{raw.where} line {raw.line}: {raw.item} is {response!r}, it must be a number")
    if value is not None:
        reading.add(raw._replace(value=value))
