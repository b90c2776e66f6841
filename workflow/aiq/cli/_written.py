"""Names of files that a verb writes, refused before it works."""

from __future__ import annotations

from pathlib import Path

import click

from aiq.errors import InputError, choice

FIGURES = ("png", "svg", "pdf")


class Written(click.ParamType):
    """A file that can be written.

    Args:
        what: what the file holds, for a refusal; used where endings are given.
        endings: how its name may end; none allows every name.
        dash: whether ``-`` is standard output.
    """

    name = "file"

    def __init__(self, what: str = "", endings: tuple[str, ...] = (), *, dash: bool = False) -> None:
        self._what, self._endings, self._dash = what, endings, dash

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name.

        Raises:
            AiqError: it ends otherwise, or nothing can be written there.
        """
        if self._dash and value == "-":
            return value
        from aiq.storage.files import check_writable

        check_writable(value)
        suffix = Path(value).suffix
        if self._endings and suffix not in self._endings and suffix.removeprefix(".") not in self._endings:
            raise InputError(choice(self._what, suffix, self._endings))
        return value


FILE = Written()
FILE_OR_DASH = Written(dash=True)
FIGURE = Written("the format of a figure", FIGURES)
REPORT = Written("the ending of the file", (".md", ".csv", ".json"))
PAGE = Written("the ending of the file", (".md",))
