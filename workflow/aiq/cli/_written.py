"""Files that a verb writes: where they are asked for and in the format that their name says, or refused at once."""

from __future__ import annotations

import os
from pathlib import Path

import click

from aiq.errors import InputError, StorageError, choice

FIGURES = ("png", "svg", "pdf")


class Written(click.ParamType):
    """A file, or a folder, that can be written; the folder in which it lies is there already.

    Args:
        what: what the file holds, for a refusal; used where endings are given.
        endings: how its name may end; none allows every name. A pipe or a device may have any.
        bare: whether a name without an ending is allowed, too.
        dash: whether ``-`` is standard output.
        folder: whether it is a folder.
    """

    name = "file"

    def __init__(
        self, what: str = "", endings: tuple[str, ...] = (), *, bare: bool = False, dash: bool = False,
        folder: bool = False,
    ) -> None:  # fmt: skip
        self._what, self._endings, self._bare, self._dash, self._folder = what, endings, bare, dash, folder

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name.

        Raises:
            AiqError: it ends otherwise, there is no such folder, or nothing can be written there.
        """
        if self._dash and value == "-":
            return value
        from aiq.storage.files import check_writable

        if value and self._folder:
            check_writable(Path(value) / "tables.csv")
        elif check_writable(value):
            return value
        inside = Path(os.path.realpath(value)).parent
        if not inside.is_dir():
            raise StorageError(f"{value} cannot be written: there is no folder {inside}; make it, or choose another")
        suffix = Path(value).suffix
        if (
            self._endings
            and suffix.removeprefix(".") not in [one.removeprefix(".") for one in self._endings]
            and (suffix or not self._bare)
        ):
            raise InputError(choice(self._what, suffix, self._endings))
        return value


FILE = Written()
TEXT_OR_DASH = Written("the ending of a list of programs", ("txt",), bare=True, dash=True)
TABLE = Written("the ending of a table", ("csv",), bare=True)
TABLE_OR_DASH = Written("the ending of a table", ("csv",), bare=True, dash=True)
SPACE = Written("the ending of a space's file", ("h5", "hdf5"), bare=True)
FIGURE = Written("the format of a figure", FIGURES)
REPORT = Written("the ending of the file", (".md", ".csv", ".json"))
PAGE = Written("the ending of the file", (".md",))
HTML = Written("the ending of a page", ("html", "htm"), bare=True)
FOLDER = Written(folder=True)
