"""Hugging Face: ``.eval_results/*.yaml`` of a model's repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiq.readers.base import Raw, Reading, Wanted, number, part, seconds, text
from aiq.readers.documents import Document

_FOLDER = ".eval_results"


def knows(document: Document) -> bool:
    """Say whether a file is a list of entries that name a dataset and a value."""
    content = document.yaml
    return isinstance(content, list) and bool(content) and all(_entry(one) for one in content)


def _entry(one: object) -> bool:
    return isinstance(one, Mapping) and "value" in one and "id" in part(one, "dataset")


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read entries; the agent is the folder in which ``.eval_results`` lies, a domain ``dataset/task``.

    The format states no range (some values are shares, some per cent), so a person must: no range is assumed.
    """
    reading = Reading()
    for document in documents:
        with reading.of(document):
            folder = document.path.resolve().parent
            agent = folder.parent.name if folder.name == _FOLDER else folder.name
            for entry in document.yaml if isinstance(document.yaml, list) else ():
                _take(reading, document, agent, part(entry))
    return reading


def _take(reading: Reading, document: Document, agent: str, entry: Mapping[str, object]) -> None:
    """Read one entry."""
    about = part(entry, "dataset")
    task, notes = text(about.get("task_id")), text(entry.get("notes"))
    name = f"{about.get('id')}/{task}" if task else str(about.get("id"))
    value = number(entry.get("value"))
    if value is None:
        reading.skip(f"{agent} on {name}", f"its value is no number ({document.name})")
        return
    called = f"{name} ({notes})" if notes else name
    reading.add(
        Raw(agent, called, value, document.name, bounded=False, metric="value", date=seconds(entry.get("date")))
    )
