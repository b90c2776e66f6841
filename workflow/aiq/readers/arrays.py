"""Arrays of scores as programs write them: rliable, openrlbenchmark.

rliable's arrays hold runs × tasks, one array an agent, in one ``.npz`` archive or one JSON object; openrlbenchmark's
hold runs × tasks × points in training, of which the last is read. Pickled dictionaries (``.npy``) are refused, as
opening one runs what is in it.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from aiq.errors import InputError
from aiq.readers.base import Raw, Reading, Wanted, number
from aiq.readers.documents import DamagedError, Document

_TASKS = ("tasks", "games", "env_ids", "environments", "domains")


def knows(document: Document) -> bool:
    """Say whether a file holds numbers by agent: an archive of arrays, or JSON of lists of numbers alone."""
    content = document.json
    if document.suffix != ".json":
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
