"""timm (pytorch-image-models): ``results-*.csv``, one file a test, one row per model and image size."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.errors import InputError, choice
from aiq.readers.base import Reading, Wanted
from aiq.readers.cells import PERCENT, cells, names
from aiq.readers.documents import Document
from aiq.readers.sheets import Sheet, listed, sheet

METRICS = ("top1", "top5")
_NEEDED = frozenset({"model", "img_size", *METRICS})


def knows(document: Document) -> bool:
    """Say whether a table has models, image sizes and both accuracies."""
    found = sheet(document)
    return found is not None and set(found.header) >= _NEEDED


def load(documents: Sequence[Document], wanted: Wanted) -> Reading:
    """Read one accuracy a file, model and image size; the test is named as the file is.

    Models that occur at several image sizes are told apart by them. All other columns repeat (errors are 100 - score)
    or describe (parameters, differences of ranks).
    """
    reading = Reading(variant="img_size", apart=True)
    metric = wanted.metrics[0] if wanted.metrics else METRICS[0]
    if metric not in METRICS:
        raise InputError(choice("the metric of timm", metric, METRICS))
    for document in documents:
        with reading.of(document):
            found = sheet(document)
            if found is not None:
                _table(reading, found, metric)
    return reading


def _table(reading: Reading, found: Sheet, metric: str) -> None:
    """Read one file."""
    batch, header = found.whole(), found.header
    if found.short:
        line, count = found.short[0]
        raise InputError(f"{found.place(line)} has {count} cells where the header names {len(header)} columns")
    agents, sizes = (names(batch.columns[header.index(name)]) for name in ("model", "img_size"))
    texts = batch.columns[header.index(metric)]
    score = cells(texts)
    for line, agent, text, kind in zip(batch.lines, agents, texts, score.kinds, strict=True):
        if agent is None or kind > PERCENT:
            raise InputError(
                f"{found.place(int(line))}: model is {agent!r} and {metric} {text!r}; give name and number"
            )
    domain = found.document.stem.removeprefix("results-")
    rest = {"where": found.document.name, "line": batch.lines, "metric": metric, "low": 0.0, "high": 100.0}
    reading.rows.add({"agent": agents, "variant": sizes, "domain": domain, "value": score.values, **rest})
    left = [name for name in header if name not in (*_NEEDED, metric)] + [m for m in METRICS if m != metric]
    reading.decide(f"{metric} is read, in per cent: divided by 100; no tests are {listed(left, 20)}")
