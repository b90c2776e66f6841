"""Files of Inspect's logs: ``.json``, and ``.eval`` (a zip archive).

Logs are read by ``inspect_ai.log`` where it is installed; else, and where it refuses them, by what stands here, which
was tried on logs from 2024 to version 0.3.285 and gives the same numbers.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aiq.errors import InputError
from aiq.readers.base import part
from aiq.readers.documents import DamagedError, Document

_DAMAGED = (zipfile.BadZipFile, OSError, EOFError, KeyError, ValueError)  # what a damaged archive or JSON raises
_ZSTANDARD = 93  # the method of compression that Inspect uses, by the number that zip archives give it


def header(document: Document) -> Mapping[str, Any]:
    """Return a log without its samples."""
    return part(_read(document, True, _head, lambda log: log))


def samples(document: Document) -> Any:
    """Return the samples of a log, or their summaries."""
    return _read(document, False, lambda archive: list(_archived(archive)), lambda log: log.get("samples"))


def _read(
    document: Document,
    header: bool,
    zipped: Callable[[zipfile.ZipFile], Any],
    plain: Callable[[Mapping[str, object]], Any],
) -> Any:
    """Return a part of a log, by Inspect itself where it is installed.

    Raises:
        DamagedError: the file is damaged.
        InputError: it needs a library that is missing.
    """
    try:
        found = _by_inspect(document, header)
        if found is not None:
            return found
        if document.suffix != ".eval":
            return plain(part(document.json))
        with zipfile.ZipFile(document.path) as archive:
            return zipped(archive)
    except InputError:
        raise
    except _DAMAGED as error:
        words = " ".join(str(error).split())[:200] or type(error).__name__
        raise DamagedError(
            f"{document.name} is no whole log of Inspect: {words}; copy it again, or convert it: inspect log convert"
        ) from error


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


def _head(archive: zipfile.ZipFile) -> object:
    """Return the header in an archive; a log that was broken off has none."""
    if "header.json" in archive.namelist():
        return json.loads(member(archive, "header.json"))
    return {"status": "started", **json.loads(member(archive, "_journal/start.json"))}


def _archived(archive: zipfile.ZipFile) -> Iterator[object]:
    """Yield the samples in an archive: from its summaries where it has them, else one file each."""
    if "summaries.json" in archive.namelist():
        yield from json.loads(member(archive, "summaries.json"))
        return
    for name in archive.namelist():
        if name.startswith("samples/") and name.endswith(".json"):
            yield json.loads(member(archive, name))


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
