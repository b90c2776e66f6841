"""One file a result, a model or an agent: MTEB, Every Eval Ever, Hugging Face's ``.eval_results``, score arrays.

MTEB writes ``<model>/<revision>/<task>.json``, in today's format or that before 2024; Every Eval Ever one JSON record a
model, with the range and direction of every metric; Hugging Face YAML in a model's repository. rliable's arrays hold
runs × tasks, one array an agent, in one ``.npz`` archive or one JSON object; openrlbenchmark's runs × tasks × points in
training, of which the last is read. Pickled dictionaries (``.npy``) are refused, as opening one runs what is in it.
"""

from __future__ import annotations

import math
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, listed, number, part, parts, seconds, text
from aiq.readers.documents import DamagedError, Document

_BESIDE = ("model_meta.json", "run_settings.jsonl")
_FOLDER = ".eval_results"


@dataclass(frozen=True, slots=True)
class _Score:
    """The main scores of a file by split, each a mean over the subsets (languages) that are named."""

    document: Document
    task: str
    splits: Mapping[str, tuple[float, tuple[str, ...]]]
    date: float


def mteb(reading: Reading, documents: Sequence[Document], wanted: Wanted) -> None:
    """Read one main score a file: the mean over the subsets of one split.

    The split of a task is ``test`` where any file of the task has it, else the one that most files hold. Models under
    several revisions are one agent as long as no two have a score on one task. Tasks on no known scale (speeds) are
    left out. A score that is NaN is missing.
    """
    scores: list[_Score] = []
    counts: dict[str, Counter[str]] = {}
    old = 0
    for document in documents:
        reading.companions |= {str(document.path.with_name(name)) for name in _BESIDE}
        with reading.of(document):
            content = part(document.json)
            old += "scores" not in content
            scores.append(_read(reading, document, content))
            counts.setdefault(scores[-1].task, Counter()).update(scores[-1].splits.keys())
    if old:
        reading.decide(f"{old} of {len(scores)} files are of the format before 2024, without 'scores': read too")
    splits = {
        task: "test" if "test" in held else min(held, key=lambda name: (-held[name], name))
        for task, held in counts.items()
        if held
    }
    for score in scores:
        path, split = score.document.path, splits.get(score.task, "")
        agent, revision = path.parent.parent.name, path.parent.name
        if split in score.splits:
            value, where = score.splits[split][0], str(path)
            raw = Raw(agent, score.task, value, where, variant=revision, date=score.date, metric="main_score")
            reading.add(raw)
        elif score.splits:
            reading.skip(f"{path}: {', '.join(score.splits)}", f"the split {split} of {score.task} is read")
        else:
            reading.skip(str(path), "has no main_score")
    _say(reading, scores, splits)


def _read(reading: Reading, document: Document, content: Mapping[str, object]) -> _Score:
    task = text(content.get("task_name")) or text(content.get("mteb_dataset_name"), document.path.stem)
    if "scores" in content:
        if not isinstance(content["scores"], Mapping):
            raise DamagedError(f"{document.name}: scores is no object of splits")
        entries = {split: _subsets(rows) for split, rows in part(content, "scores").items()}
    else:
        entries = {split: _languages(value) for split, value in content.items() if isinstance(value, Mapping)}
    by_split = {}
    for split, subsets in entries.items():
        finite = {name: value for name, value in subsets.items() if math.isfinite(value)}
        if len(finite) < len(subsets):
            gone = listed([name for name in subsets if name not in finite], 4)
            reading.skip(f"{document.name}: {split} of {task}", f"main_score is no number on {gone}")
        if finite:
            by_split[split] = (sum(finite.values()) / len(finite), tuple(sorted(finite)))
    return _Score(document, task, by_split, seconds(content.get("date")))


def _subsets(rows: object) -> dict[str, float]:
    """Return main scores of a split by subset, the first of each."""
    scores: dict[str, float] = {}
    for row in parts(rows):
        scores.setdefault(text(row.get("hf_subset"), "default"), number(row.get("main_score"), math.nan))
    return scores


def _languages(value: Mapping[str, object]) -> dict[str, float]:
    """Return main scores of a split of the old format: one, or one a language."""
    inner = {name: row for name, row in value.items() if isinstance(row, Mapping)}
    held = {"default": value} if "main_score" in value or not inner else inner
    return {name: number(row.get("main_score"), math.nan) for name, row in held.items()}


def _say(reading: Reading, scores: Sequence[_Score], splits: Mapping[str, str]) -> None:
    """State which splits and subsets stand behind the scores."""
    reading.decide("the score of a task is main_score, the mean over the subsets (languages) of its split")
    other = [f"{task} {split}" for task, split in splits.items() if split != "test"]
    if other:
        reading.decide(f"split test is read, of tasks that no file has with it: {listed(other)}")
    subsets: dict[str, set[tuple[str, ...]]] = {}
    for score in scores:
        split = splits.get(score.task, "")
        if split in score.splits:
            subsets.setdefault(score.task, set()).add(score.splits[split][1])
    uneven = [task for task, kinds in subsets.items() if len(kinds) > 1]
    if uneven:
        reading.decide(
            f"agents were not all tested on the same subsets of {listed(uneven)}: their means differ in what they hold"
        )


def records(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a record of Every Eval Ever; a test is called ``dataset/evaluation``, by one name where both are alike."""
    content = part(document.json)
    agent = text(part(content, "model_info").get("id")) or text(part(content, "model_info").get("name"), "unnamed")
    taken: set[str] = set()
    for result in parts(content.get("evaluation_results")):
        dataset = text(part(result, "source_data").get("dataset_name"))
        name, how = text(result.get("evaluation_name"), dataset or "unnamed"), part(result, "metric_config")
        name = name if not dataset or dataset == name else f"{dataset}/{name}"
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
            low, high = number(how.get("min_score"), math.nan), number(how.get("max_score"), math.nan)
            names = how.get("level_names")
            if levels and math.isnan(low + high) and isinstance(names, list) and len(names) > 1:
                low, high = 0.0, float(len(names) - 1)
            reading.add(
                Raw(
                    agent, name, value, document.name, text(content.get("evaluation_id"), document.name),
                    se=_error(part(result, "score_details")), lower=how.get("lower_is_better") is True, low=low,
                    high=high, bounded=how.get("score_type") == "binary", metric=metric,
                    date=seconds(content.get("retrieved_timestamp")),
                )
            )  # fmt: skip


def _error(details: Mapping[str, object]) -> float:
    """Return the standard error, NaN where none is known.

    It is taken as stated, else from the standard deviation, else from a confidence interval: value ± z standard errors
    with z the normal quantile at (1 + c) / 2 at the level c; without a level, 0.95 is meant. Older records have the
    interval beside the score.
    """
    uncertainty = part(details, "uncertainty")
    stated = number(part(uncertainty, "standard_error").get("value"))
    if stated is not None:
        return stated
    spread, count = number(uncertainty.get("standard_deviation")), number(uncertainty.get("num_samples"))
    if spread is not None and count is not None and count > 1:
        return spread / math.sqrt(count)
    around = part(uncertainty, "confidence_interval") or part(details, "confidence_interval")
    low, high = number(around.get("lower")), number(around.get("upper"))
    level = number(around.get("confidence_level")) or 0.95
    if low is None or high is None or not 0 < level < 1:
        return math.nan
    return float((high - low) / (2 * ndtri((1 + level) / 2)))


def knows_hugging_face(document: Document) -> bool:
    """Say whether a file is a list of entries that name a dataset and a value."""
    content = document.yaml
    if not isinstance(content, list) or not content:
        return False
    return all("value" in part(entry) and "id" in part(entry, "dataset") for entry in content)


def hugging_face(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read entries of an agent's folder; no range is stated (some are shares, some per cent), so none is assumed."""
    folder = document.path.resolve().parent
    agent = folder.parent.name if folder.name == _FOLDER else folder.name
    for entry in parts(document.yaml):
        about = part(entry, "dataset")
        task, notes = text(about.get("task_id")), text(entry.get("notes"))
        name = f"{about.get('id')}/{task}" if task else str(about.get("id"))
        value = number(entry.get("value"))
        if value is None:
            reading.skip(f"{agent} on {name}", f"its value is no number ({document.name})")
            continue
        name, date = f"{name} ({notes})" if notes else name, seconds(entry.get("date"))
        reading.add(Raw(agent, name, value, document.name, bounded=False, metric="value", date=date))


# ---- Arrays of scores ---------------------------------------------------------------------------------


_TASKS = ("tasks", "games", "env_ids", "environments", "domains")


def knows_arrays(document: Document) -> bool:
    """Say whether a file holds numbers by agent: an archive of arrays, or JSON of lists of numbers alone."""
    content = document.json
    if document.suffix in (".npz", ".npy"):
        return True
    return isinstance(content, Mapping) and bool(content) and all(_numeric(value) for value in content.values())


def _numeric(value: object) -> bool:
    """Say whether a JSON value is a list that holds numbers, or lists of them."""
    if not isinstance(value, list):
        return False
    while isinstance(value, list) and value:
        value = value[0]
    return number(value) is not None


def arrays(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read arrays; a JSON file of ``task -> list of runs`` is the file of one agent, named as the file is."""
    held, tasks = document.json, wanted.names
    if document.suffix != ".json":
        held = _archive(document)
        tasks = next((tuple(map(str, held.pop(key))) for key in _TASKS if key in held), tasks)
    elif all(number(value) is not None for values in held.values() for value in values):
        for task, runs in held.items():
            for run, value in enumerate(runs):
                reading.add(Raw(document.path.stem, task, float(value), document.name, f"{run + 1}"))
        return
    for agent, value in held.items():
        try:
            array = np.asarray(value, dtype=np.float64)
        except (ValueError, TypeError) as error:
            raise InputError(f"{document.name}: {agent} is no array of numbers with rows of equal length") from error
        if array.ndim == 3:
            array = array[:, :, -1]
            reading.decide("arrays of runs × tasks × points in training: the last point is read")
        if array.ndim != 2 or 0 in array.shape:
            raise InputError(f"{document.name}: {agent} has shape {array.shape}, it must be runs × tasks")
        if tasks and len(tasks) != array.shape[1]:
            raise InputError(f"{document.name}: {agent} has {array.shape[1]} tasks, but {len(tasks)} names are given")
        names = tasks or [f"task {k + 1}" for k in range(array.shape[1])]
        for run, row in enumerate(array):
            for task, score in zip(names, row, strict=True):
                reading.add(Raw(agent, task, float(score), document.name, f"{run + 1}"))


def _archive(document: Document) -> dict[str, Any]:
    try:
        with document.path.open("rb") as stream:  # numpy leaves a damaged archive open
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise InputError(f"{document.name} holds one array without the agents' names; save it with numpy.savez")
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, AttributeError, TypeError) as error:
        raise DamagedError(
            f"{document.name} holds no plain arrays ({error}); save them by agent with "
            "numpy.savez(file, **scores), runs in rows and tasks in columns"
        ) from error
