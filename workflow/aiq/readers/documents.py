"""Files as they are handed to readers: found, and parsed once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import yaml

from aiq.errors import InputError
from aiq.storage.tables import standard_input

SUFFIXES = (".csv", ".json", ".eval", ".yaml", ".yml", ".npz", ".npy")
_HELM = ("run_spec.json", "stats.json")


class Document:
    """A file whose content is parsed when it is first asked for.

    Attributes:
        path: the file; ``-`` is standard input. What comes through it, or through a pipe without the end of a name, is
            a table.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def suffix(self) -> str:
        """The end of the name, in lower case."""
        named = self.path.suffix.lower()
        return ".csv" if str(self.path) == "-" or (not named and not self.path.is_file()) else named

    @property
    def name(self) -> str:
        """The name by which the file is called in refusals."""
        return "standard input" if str(self.path) == "-" else str(self.path)

    @cached_property
    def text(self) -> str:
        """The file as text.

        Raises:
            InputError: it cannot be read, or is no text.
        """
        try:
            if str(self.path) == "-":
                return standard_input()
            return self.path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{self.path} is not text in UTF-8 ({error.reason} at byte {error.start})") from error

    @cached_property
    def json(self) -> object:
        """The parsed JSON; None for a file of another kind.

        Raises:
            InputError: the file is not JSON.
        """
        if self.suffix != ".json":
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is not JSON: {error}") from error

    @cached_property
    def yaml(self) -> object:
        """The parsed YAML; None for a file of another kind.

        Raises:
            InputError: the file is not YAML.
        """
        if self.suffix not in (".yaml", ".yml"):
            return None
        try:
            return yaml.safe_load(self.text)
        except yaml.YAMLError as error:
            raise InputError(f"{self.name} is not YAML: {' '.join(str(error).split())}") from error

    @cached_property
    def rows(self) -> list[tuple[int, list[str]]]:
        """The lines of a CSV table with their numbers, blank ones left out; empty for a file of another kind.

        Raises:
            InputError: the file is no CSV table.
        """
        if self.suffix != ".csv":
            return []
        try:
            reader = csv.reader(io.StringIO(self.text), strict=True)
            return [(reader.line_num, [c.strip() for c in row]) for row in reader if any(c.strip() for c in row)]
        except csv.Error as error:
            raise InputError(f"{self.name} is not a CSV table: {error}") from error

    @property
    def header(self) -> list[str]:
        """The first line of a CSV table, empty for a file of another kind."""
        return self.rows[0][1] if self.rows else []


def documents(source: str | Path) -> list[Document]:
    """Return the files of a source: the file itself, or those of a folder that may hold results.

    Raises:
        InputError: there is no such file or folder, or nothing in it.
    """
    path = Path(source)
    if str(source) == "-" or (path.exists() and not path.is_dir()):
        return [Document(path)]
    if not path.is_dir():
        raise InputError(f"there is no file or folder {source}; give results, or '-' for a table on standard input")
    found = [Document(one) for one in _files(path)]
    if not found:
        raise InputError(f"{source} holds no file that could be results; they end in {', '.join(SUFFIXES)}")
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Yield files that may hold results; of a HELM run only those that hold its scores."""
    inside = sorted(folder.iterdir())
    names = {one.name for one in inside}
    for one in inside:
        if one.is_dir():
            yield from _files(one)
        elif one.suffix.lower() in SUFFIXES and (one.name in _HELM or not set(_HELM) <= names):
            yield one
