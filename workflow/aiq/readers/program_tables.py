"""Tables and arrays of scores as programs write them: timm, openrlbenchmark, rliable.

timm (pytorch-image-models) writes ``results-*.csv``, one file a test, one row per model and image size.

rliable's arrays hold runs × tasks, one array an agent, in one ``.npz`` archive or one JSON object; openrlbenchmark's
hold runs × tasks × points in training, of which the last is read. Pickled dictionaries (``.npy``) are refused, as
opening one runs what is in it.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence

import numpy as np

from aiq.errors import InputError, choice
from aiq.readers.base import Raw, Reading, Wanted, listed, number
from aiq.readers.cells import PERCENT, cells, names
from aiq.readers.documents import DamagedError, Document
from aiq.readers.sheets import sheet
from aiq.records.arrays import Floats

_CELL = re.compile(r"^\s*(-?[\d.]+(?:e[-+]?\d+)?|nan)\s*±\s*([\d.]+(?:e[-+]?\d+)?|nan)\s*$", re.IGNORECASE)
METRICS = ("top1", "top5")
_NEEDED = frozenset({"model", "img_size", *METRICS})
_TASKS = ("tasks", "games", "env_ids", "environments", "domains")


def knows_arrays(document: Document) -> bool:
    """Say whether a file holds numbers by agent: an archive of arrays, or JSON of lists of numbers alone."""
    if document.suffix in (".npz", ".npy"):
        return True
    content = document.json
    return isinstance(content, Mapping) and bool(content) and all(_numeric(value) for value in content.values())


def knows_table(document: Document) -> bool:
    """Say whether a table is one of openrlbenchmark: environments in rows, cells ``mean ± deviation``."""
    found = sheet(document)
    if found is None or len(found.header) < 2 or found.header[0].lower() not in ("", "environment", "env_id"):
        return False
    first = next(found.batches(), None)
    return first is not None and any(_CELL.match(str(column[0])) for column in first.columns[1:])


def arrays(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read arrays; a JSON file of ``task -> list of runs`` is the file of one agent, named as the file is."""
    (_json if document.suffix == ".json" else _archive)(reading, document, wanted)


def means(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read a table of means ± standard deviations over runs; their number is not in it, so no error is taken."""
    reading.decide(
        "the deviations of the table are over runs whose number it does not state: no standard error is known"
    )
    found = sheet(document)
    if found is None:
        return
    batch = found.whole()
    for agent, column in zip(found.header[1:], batch.columns[1:], strict=True):
        for line, domain, text in zip(batch.lines, batch.columns[0], column, strict=True):
            cell, where = _CELL.match(text), found.place(line)
            if cell is None and text.strip():
                raise InputError(f"{where}: {agent} is {text!r}, it must be 'mean ± deviation'")
            if cell is None or cell[1].lower() == "nan":
                reading.skip(f"{agent} on {domain}", f"has no runs ({where})")
            else:
                reading.add(Raw(agent, domain, float(cell[1]), where, bounded=False, metric="return"))


def _json(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one JSON object: agent -> runs × tasks, or, where the lists are flat, task -> runs of one agent."""
    content = document.json
    if not isinstance(content, Mapping):
        return
    flat = all(isinstance(value, list) and all(number(x) is not None for x in value) for value in content.values())
    if not flat:
        for agent, value in content.items():
            _array(reading, document, str(agent), _as_array(document, str(agent), value), wanted.names)
        return
    for task, runs in content.items():
        for run, value in enumerate(runs):
            reading.add(Raw(document.path.stem, str(task), float(value), document.name, f"{run + 1}"))


def _archive(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read arrays from numpy's files.

    Raises:
        InputError: the file is damaged or holds pickled objects.
    """
    try:
        with document.path.open("rb") as stream:  # numpy leaves a damaged archive open
            found = np.load(stream, allow_pickle=False)
            if not isinstance(found, np.lib.npyio.NpzFile):
                raise InputError(f"{document.name} holds one array without the agents' names; save it with numpy.savez")
            held = {name: found[name] for name in found.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, AttributeError, TypeError) as error:
        raise DamagedError(
            f"{document.name} holds no plain arrays ({error}); save them by agent with "
            "numpy.savez(file, **scores), runs in rows and tasks in columns"
        ) from error
    tasks = next((tuple(map(str, held.pop(key))) for key in _TASKS if key in held), wanted.names)
    for agent, array in held.items():
        _array(reading, document, agent, _as_array(document, agent, array), tasks)


def _array(reading: Reading, document: Document, agent: str, array: Floats, names: Sequence[str]) -> None:
    """Read one agent's array, (runs, tasks) or (runs, tasks, points)."""
    if array.ndim == 3:
        array = array[:, :, -1]
        reading.decide("arrays of runs × tasks × points in training: the last point is read")
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"{document.name}: {agent} has shape {array.shape}, it must be runs × tasks")
    if names and len(names) != array.shape[1]:
        raise InputError(f"{document.name}: {agent} has {array.shape[1]} tasks, but {len(names)} names are given")
    known = names or [f"task {k + 1}" for k in range(array.shape[1])]
    for run, row in enumerate(array):
        for task, value in zip(known, row, strict=True):
            reading.add(Raw(agent, task, float(value), document.name, f"{run + 1}", metric="score"))


def _as_array(document: Document, agent: str, value: object) -> Floats:
    """Return nested lists of equal length as an array of numbers."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{document.name}: {agent} is no array of numbers with rows of equal length") from error


def _numeric(value: object) -> bool:
    """Say whether a JSON value is a list that holds numbers, or lists of them."""
    if not isinstance(value, list):
        return False
    while isinstance(value, list) and value:
        value = value[0]
    return number(value) is not None and not isinstance(value, Mapping)


def knows_timm(document: Document) -> bool:
    """Say whether a table has models, image sizes and both accuracies."""
    found = sheet(document)
    return found is not None and set(found.header) >= _NEEDED


def timm(reading: Reading, document: Document, wanted: Wanted) -> None:
    """Read one accuracy of a model at an image size; the test is named as the file is.

    Models that occur at several image sizes are told apart by them. All other columns repeat (errors are 100 - score)
    or describe (parameters, differences of ranks).
    """
    metric = wanted.metrics[0] if wanted.metrics else METRICS[0]
    if metric not in METRICS:
        raise InputError(choice("the metric of timm", metric, METRICS))
    found = sheet(document)
    if found is None:
        return
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
