"""Files as they are handed to readers: found, and parsed once."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import IO, Any

import yaml

from aiq.errors import InputError

TABLES = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".xlsx", ".xls")
SUFFIXES = (*TABLES, ".json", ".jsonl", ".ndjson", ".eval", ".yaml", ".yml", ".npz", ".npy")
_KINDS = {
    b"PK\3\4": "a zip archive; unpack it and give what is in it",
    b"aiq ": "a file of aiq, not a table of results",
    b"\x89HDF": "an HDF5 file, which holds no table of results",
    b"%PDF": "a PDF; give the table as text, such as CSV",
}
"""First bytes of files that are no text, and what such a file is."""
_HELM = ("run_spec.json", "stats.json", "per_instance_stats.json", "display_predictions.json")


class DamagedError(InputError):
    """A file that cannot be read as what it is; in a folder it is skipped, counted and named."""


class Document:
    """A file whose content is parsed when it is first asked for; ``-`` is standard input, which is a table.

    ``rename``: old name of a column of a table -> new name. ``sheet``: the file as a table, once it was read as one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rename: Mapping[str, str] = {}
        self.sheet: Any = None
        self.name = "standard input" if str(path) == "-" else str(path)
        self.zipped = path.suffix.lower() == ".gz"
        self.stem = Path(path.stem).stem if self.zipped else path.stem
        named = suffix_of(path)
        self.suffix = named if named in SUFFIXES else ".csv"  # what ends otherwise is a table in text

    @property
    def _once(self) -> bool:
        """Whether the content can be read once only."""
        return str(self.path) == "-" or not self.path.is_file()

    def open(self) -> IO[str]:
        """Open the file as text; a byte order mark is left out."""
        if self._once:
            return io.StringIO(self.text)
        try:
            if self.zipped:
                return gzip.open(self.path, "rt", encoding="utf-8-sig", newline="")
            return self.path.open(encoding="utf-8-sig", newline="")
        except OSError as error:
            raise DamagedError(f"{self.path} cannot be read: {error.strerror}") from error

    def reading(self, lines: Iterator[str]) -> Iterator[str]:
        """Yield the lines of the open file."""
        count = 0
        try:
            for count, line in enumerate(lines, start=1):
                if "\0" in line:
                    raise self._no_text(f"line {count} holds bytes of 0, as no text does; copy the file again")
                yield line
        except UnicodeDecodeError as error:
            where = f"line {self._undecoded(count + 1)}"
            raise self._no_text(
                f"{where} is not text in UTF-8 ({error.reason}); save the file in that encoding"
            ) from error
        except gzip.BadGzipFile as error:
            raise DamagedError(f"{self.name} is not compressed, though its name ends in .gz; rename it") from error
        except (EOFError, zlib.error, OSError) as error:
            raise DamagedError(f"{self.name} breaks off after line {count}: {error}; copy the file again") from error

    def _no_text(self, why: str) -> DamagedError:
        """Return the refusal of a file that is no text: what it is by its first bytes, else why."""
        if not self._once:
            with self.path.open("rb") as stream:
                why = f"is {kind}" if (kind := _KINDS.get(stream.read(4))) is not None else why
        return DamagedError(f"{self.name} {why}")

    def _undecoded(self, line: int) -> int:
        """Return the first line that is not UTF-8: text is decoded far ahead of the line that was read last."""
        if self._once:
            return line
        with gzip.open(self.path) if self.zipped else self.path.open("rb") as stream:
            for at, content in enumerate(stream, start=1):
                try:
                    content.decode("utf-8-sig")
                except UnicodeDecodeError:
                    return at
        return line

    @cached_property
    def text(self) -> str:
        """The file as text."""
        if str(self.path) == "-":
            if sys.stdin is None or sys.stdin.closed:
                raise InputError("standard input is closed; give a file, or send a table there")
            return "".join(self.reading(iter(sys.stdin))).removeprefix("\ufeff")
        if self._once:
            try:
                return self.path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise DamagedError(f"{self.path} cannot be read as text: {error}") from error
        with self.open() as stream:
            return "".join(self.reading(stream))

    @cached_property
    def json(self) -> Any:
        """The parsed JSON; None for a file of another kind."""
        return self._parsed(self.text) if self.suffix == ".json" else None

    def _parsed(self, content: str, where: str = "") -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"{self.name}{where} is not JSON: {error}") from error

    @cached_property
    def first(self) -> Any:
        """The first object of a file of JSON lines, or of the array in it; None for a file of another kind."""
        return next(self.objects(), (0, None))[1] if self.suffix in (".jsonl", ".ndjson") else None

    def objects(self) -> Iterator[tuple[int, Any]]:
        """Yield the objects of a file of JSON lines with their lines; an array of objects counts as such a file."""
        with self.open() as stream:
            lines = self.reading(stream)
            for line, content in enumerate(lines, start=1):
                if not content.strip():
                    continue
                if content.lstrip().startswith("["):
                    parsed = self._parsed("".join([content, *lines]))
                    yield from ((0, entry) for entry in (parsed if isinstance(parsed, list) else [parsed]))
                    return
                yield line, self._parsed(content, f" line {line}")

    @cached_property
    def yaml(self) -> Any:
        """The parsed YAML; None for a file of another kind."""
        if self.suffix not in (".yaml", ".yml"):
            return None
        try:
            return yaml.safe_load(self.text)
        except yaml.YAMLError as error:
            raise DamagedError(f"{self.name} is not YAML: {' '.join(str(error).split())}") from error


HELD = "the data frame"


class Held(Document):
    """A table that a caller holds in memory; ``content`` is a data frame or what makes one."""

    def __init__(self, content: object) -> None:
        super().__init__(Path(HELD))
        self.content = content
        self.suffix = ".held"  # no file has this end


def documents(source: object) -> list[Document]:
    """Return the files of a source: the file itself, or those of a folder that may hold results; or a data frame."""
    if not isinstance(source, str | PathLike):
        return [Held(source)]
    path = Path(source)
    if str(source) == "-" or (path.exists() and not path.is_dir()):
        return [Document(path)]
    if not path.is_dir():
        raise InputError(f"there is no file or folder {source}; give results, or '-' for a table on standard input")
    listed = [Document(file) for file in _files(path)]
    if not listed:
        raise InputError(f"{source} holds no file that could be results; they end in {', '.join(SUFFIXES)}")
    return listed


def suffix_of(path: Path) -> str:
    """Return the end of a name, in lower case, without that of gzip."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def _files(folder: Path) -> Iterator[Path]:
    """Yield files that may hold results; of a HELM run only those that hold its scores."""
    inside = sorted(folder.iterdir())
    names = {file.name for file in inside}
    for file in inside:
        if file.is_dir():
            yield from _files(file)
        elif suffix_of(file) in SUFFIXES and (file.name in _HELM or "run_spec.json" not in names):
            yield file
