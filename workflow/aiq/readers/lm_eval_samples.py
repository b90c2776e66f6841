"""lm-evaluation-harness: ``samples_*.jsonl``, one line an item and filter, of all versions from 0.4.0 on.

Before 0.4.3 the file is one JSON array, and before 0.4.7 lines do not name their filter: those of the first filter come
first, and are read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, part, seconds, text
from aiq.readers.documents import DamagedError, Document
from aiq.readers.lm_eval import UNBOUNDED, agent_of
from aiq.readers.sheets import listed

USUAL = ("acc", "exact_match", "acc_norm", "mc2", "mc1", "pass@1", "f1", "em")
_OTHER = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash"),
        *("prompt_hash", "target_hash", "doc_id_true", "schema"),
    }
)
_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d\-:.]+)")


def knows(document: Document) -> bool:
    """Say whether a file of JSON lines holds documents with their responses."""
    first = document.first
    return isinstance(first, Mapping) and "doc_id" in first and bool({"resps", "filtered_resps"} & set(first))


@dataclass(slots=True)
class _Seen:
    """What was seen of the items so far: the hash of each, and how many had another."""

    hashes: dict[tuple[str, str], str] = field(default_factory=dict)
    differ: int = 0

    def name(self, task: str, item: str, mark: str) -> str:
        """Return the name of an item: its number, with its hash where the number stood for another question."""
        if not mark or self.hashes.setdefault((task, item), mark) == mark:
            return item
        self.differ += 1
        return f"{item} {mark[:8]}"


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read the score of every item: by the metric asked for, else a usual one, and the first filter.

    ``--metric NAME,FILTER`` takes another filter. Items are named by ``doc_id``; where one number stands for different
    questions (by ``doc_hash``), the later ones have their hash in the name, so that they are not compared.
    """
    reading = Reading()
    seen = _Seen()
    for document in documents:
        with reading.of(document):
            _file(reading, document, wanted, seen)
    if seen.differ:
        reading.decide(
            f"{seen.differ} items bear the number of another question (doc_hash differs): not compared with it"
        )
    return reading


def _file(reading: Reading, document: Document, wanted: Wanted, seen: _Seen) -> None:
    """Read one file."""
    agent, task, run = _whose(document)
    pick = _Pick(wanted)
    times: dict[str, int] = {}
    lost = 0
    for line, row in _rows(document):
        value = pick.value(row)
        item = str(row["doc_id"])
        if value is None:
            lost += not pick.passed
            continue
        times[item] = times.get(item, 0) + 1
        if times[item] > 1 and pick.filter is None:
            continue  # the second filter of a version that does not name it
        name = seen.name(task, item, text(row.get("doc_hash")))
        cluster = part(row, "doc").get(wanted.cluster) if wanted.cluster else None
        raw = Raw(agent, task, value, document.name, run, metric=pick.metric, line=line, item=name)
        again = str(times[item]) if times[item] > 1 else "1"
        reading.add(
            raw._replace(
                bounded=pick.metric not in UNBOUNDED, date=seconds(run), epoch=again,
                cluster=None if cluster is None else str(cluster),
            )
        )  # fmt: skip
    pick.say(reading, task, max(times.values(), default=0), lost)
    if not times:
        raise DamagedError(f"{document.name} holds no score of an item")


def _rows(document: Document) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Yield the items of a file with their lines."""
    for line, row in document.objects():
        if not isinstance(row, Mapping) or "doc_id" not in row:
            raise DamagedError(f"{document.name} line {line} is no item: it has no doc_id")
        yield line, row


class _Pick:
    """Which metric and filter of a file are read: decided by its first line, the same for all."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted, self.metric, self.passed = wanted, "", False
        self.filter: object = None
        self.others: dict[str, None] = {}

    def value(self, row: Mapping[str, object]) -> float | None:
        """Return the score of a line, None where it is of another filter or has none."""
        mark = row.get("filter")
        if not self.metric:
            self._choose(row, mark)
        self.passed = mark is not None and mark != self.filter
        if self.passed:
            self.others[f"filter {mark}"] = None
            return None
        return _number(row.get(self.metric))

    def _choose(self, row: Mapping[str, object], mark: object) -> None:
        listed_ = row.get("metrics")
        names = [str(name) for name in listed_] if isinstance(listed_, list) else []
        names = [n for n in names or row if n not in _OTHER and _number(row.get(n)) is not None]
        asked = [name.partition(",") for name in self.wanted.metrics]
        wanted = next(((name, rest) for name, _, rest in asked if name in names), None)
        if wanted is None and asked and not self.wanted.items:
            raise InputError(f"none of the metrics {listed(self.wanted.metrics)} is there; there are {listed(names)}")
        usual = next((name for name in USUAL if name in names), names[0] if names else "")
        self.metric = wanted[0] if wanted else usual
        self.filter = (wanted[1] if wanted and wanted[1] else mark) if mark is not None else None
        self.others |= dict.fromkeys(f"metric {name}" for name in names if name != self.metric)

    def say(self, reading: Reading, task: str, most: int, lost: int) -> None:
        """State what was taken of what there was."""
        if self.others:
            by = self.metric if self.filter is None else f"{self.metric},{self.filter}"
            reading.decide(f"{task}: {by} is read, not {listed(list(self.others))}; choose with --metric NAME,FILTER")
        if most > 1:
            words = "each is a try" if self.filter is not None else "the first is read: it is that of the first filter"
            reading.decide(f"{task}: items stand up to {most} times in a file, {words}")
        if lost:
            reading.skip(task, f"{lost} items have no number as {self.metric or 'any metric'}")


def _number(value: object) -> float | None:
    """Return a score: a number, true or false; None for lists and gaps."""
    if isinstance(value, bool | int | float) and math.isfinite(value):
        return float(value)
    return None


def _whose(document: Document) -> tuple[str, str, str]:
    """Return model, task and date of a file, by its name, its folder and the results beside it."""
    found = _NAME.fullmatch(document.stem)
    if found is None:  # before 0.4.3: <arguments of the model>_<task>.jsonl
        return document.path.resolve().parent.name, document.stem, ""
    date = found["date"]
    beside = Document(document.path.with_name(f"results_{date}.json"))
    agent = ""
    if beside.path.exists():
        try:
            agent = agent_of(part(beside.json))
        except DamagedError:
            agent = ""
    return agent or document.path.resolve().parent.name, found["task"], _iso(date)


def _iso(date: str) -> str:
    """Return the date of a file name, in which colons are dashes, as ISO 8601 writes it."""
    day, _, time = date.partition("T")
    return f"{day}T{time.replace('-', ':')}"
