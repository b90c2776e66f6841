"""MTEB: folders ``<model>/<revision>/<task>.json``, of today's format and of the one before 2024."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiq.readers.base import Raw, Reading, Wanted, number, part, seconds, text
from aiq.readers.documents import DamagedError, Document
from aiq.readers.sheets import listed

_BESIDE = ("model_meta.json", "run_settings.jsonl")


@dataclass(frozen=True, slots=True)
class _Score:
    """The main scores of a file by split, each a mean over the subsets (languages) that are named."""

    document: Document
    task: str
    splits: Mapping[str, tuple[float, tuple[str, ...]]]
    date: float


def knows(document: Document) -> bool:
    """Say whether a file is a result, by its keys."""
    content = document.json
    if not isinstance(content, Mapping):
        return False
    return {"task_name", "scores"} <= set(content) or {"mteb_dataset_name", "mteb_version"} <= set(content)


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read one main score a file: the mean over the subsets of one split.

    The split of a task is ``test`` where any file of the task has it, else the one that most files hold. Models under
    several revisions are one agent as long as no two have a score on one task. Tasks on no known scale (speeds) are
    left out. A score that is NaN is missing.
    """
    reading = Reading(variant="revision", guess=True, lenient=True)
    scores: list[_Score] = []
    old = 0
    for document in documents:
        reading.companions |= {str(document.path.with_name(name)) for name in _BESIDE}
        with reading.of(document):
            content = part(document.json)
            old += "scores" not in content
            scores.append(_read(reading, document, content))
    if old:
        reading.decide(f"{old} of {len(scores)} files are of the format before 2024, without 'scores': read too")
    splits = _splits(scores)
    for score in scores:
        _take(reading, score, splits.get(score.task, ""))
    _say(reading, scores, splits)
    return reading


def _read(reading: Reading, document: Document, content: Mapping[str, object]) -> _Score:
    """Return the main scores of a file."""
    task = text(content.get("task_name")) or text(content.get("mteb_dataset_name"), document.path.stem)
    if "scores" in content:
        if not isinstance(content["scores"], Mapping):
            raise DamagedError(f"{document.name}: scores is no object of splits")
        entries = {split: _subsets(rows) for split, rows in part(content, "scores").items()}
    else:
        held = {split: value for split, value in content.items() if isinstance(value, Mapping)}
        entries = {split: _languages(value) for split, value in held.items()}
    found = {}
    for split, subsets in entries.items():
        known = {name: value for name, value in subsets.items() if value is not None and math.isfinite(value)}
        if len(known) < len(subsets):
            gone = listed([name for name in subsets if name not in known], 4)
            reading.skip(f"{document.name}: {split} of {task}", f"main_score is no number on {gone}")
        if known:
            found[split] = (sum(known.values()) / len(known), tuple(sorted(known)))
    return _Score(document, task, found, seconds(content.get("date")))


def _subsets(rows: object) -> dict[str, float | None]:
    """Return main scores by subset; a subset that stands twice counts once."""
    found: dict[str, float | None] = {}
    for row in map(part, rows if isinstance(rows, list) else ()):
        found.setdefault(text(row.get("hf_subset"), "default"), number(row.get("main_score")))
    return found


def _languages(value: Mapping[str, object]) -> dict[str, float | None]:
    """Return main scores of a split of the old format: one, or one a language."""
    if "main_score" in value:
        return {"default": number(value["main_score"])}
    inner = {name: number(part(row).get("main_score")) for name, row in value.items() if isinstance(row, Mapping)}
    return inner or {"default": None}


def _splits(scores: Sequence[_Score]) -> dict[str, str]:
    """Return the split to take of each task."""
    counts: dict[str, Counter[str]] = {}
    for score in scores:
        counts.setdefault(score.task, Counter()).update(list(score.splits))
    return {task: "test" if "test" in held else _most(held) for task, held in counts.items() if held}


def _most(counts: Counter[str]) -> str:
    """Return the name that stands most often, the first by name of several."""
    return min(counts, key=lambda name: (-counts[name], name))


def _take(reading: Reading, score: _Score, split: str) -> None:
    """Take the score of one file."""
    path = score.document.path
    revision, agent = path.parent.name, path.parent.parent.name
    if split in score.splits:
        value, _ = score.splits[split]
        reading.add(Raw(agent, score.task, value, str(path), variant=revision, date=score.date, metric="main_score"))
    elif score.splits:
        reading.skip(f"{path}: {', '.join(score.splits)}", f"the split {split} of {score.task} is read")
    else:
        reading.skip(str(path), "has no main_score")


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
