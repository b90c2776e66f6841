"""The page of a run: one HTML file that needs no network, from tables, pictures and words.

``Page`` holds what stands on it, section by section; :func:`render` gives the file. Every figure is its still picture;
the intelligence space can be turned besides. Every measure has its page from the same parts. No file is opened here.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from PIL import Image

from aiq.errors import InputError
from aiq.records.table import Cell, Table
from aiq.storage.tables import render as csv_text


@dataclass(frozen=True, slots=True)
class Turnable:
    """The intelligence space as its script takes it, and a sentence on how to turn it."""

    data: Mapping[str, Any]
    note: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the page: its name in files, the folder of its file, its words, and what it cannot tell."""

    name: str
    folder: str
    table: Table
    caption: str = ""


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure of the page: title, caption, text for those who do not see it, numbers, picture (PNG).

    ``space``: what can be turned beside the picture, None where the picture is all.
    """

    name: str
    title: str
    caption: str
    alt: str
    numbers: Numbers
    picture: bytes
    space: Turnable | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under one heading."""

    name: str
    title: str
    figures: Sequence[PageFigure] = ()
    tables: Sequence[Numbers] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """What the page opens with: the main table, and the sentences that say how far it can be trusted."""

    title: str
    table: Table
    trust: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page.

    ``facts`` are short pairs (word, value) under the title; ``settings`` is the configuration as YAML, ``origin``
    pairs (word, value) that tell what made the results. ``beside``: whether tables and pictures lie beside the page;
    ``crate``: the file beside it that describes all of them as an RO-Crate, empty where there is none.
    """

    title: str
    measure: str
    facts: Sequence[tuple[str, str]]
    opening: Opening
    sections: Sequence[Section]
    settings: str
    origin: Sequence[tuple[str, str]]
    beside: bool = True
    crate: str = ""


# ---- The file ------------------------------------------------------------------------------------


LIMIT = 6_000_000  # bytes of a page
ROWS = (5000, 1000, 200)  # rows of one table, fewer where a page would be too large
PICTURES = 1_300_000  # bytes of all pictures together
ONE_PICTURE = 250_000
LONG = 40  # letters of a cell that is not repeated row by row
STATIC_ROWS = 40  # rows that are there without a script
SCRIPTS = ("page.js", "tables.js", "space.js", "start.js")
DPI = 200  # of the figures' PNGs
WIDEST = 1400


def render(page: Page) -> bytes:
    """Return the page; refused where it does not fit into its limit even with short tables and without pictures.

    Raises:
        InputError: it does not fit into its limit even with short tables and without pictures.
    """
    for rows in ROWS:
        for room in (PICTURES, 0):
            html = _rendered(page, rows, room)
            if len(html) < LIMIT:
                return html
    raise InputError(
        f"the page would have {len(html) / 1e6:.1f} MB, it may have {LIMIT / 1e6:.0f}, even with short tables and "
        "without pictures; figures and tables lie in the results folder"
    )


def _rendered(page: Page, rows: int, room: int) -> bytes:
    figures = [figure for section in page.sections for figure in section.figures]
    tables = [table for section in page.sections for table in section.tables]
    spaces = any(figure.space for figure in figures)
    data = {
        "spaces": {figure.name: figure.space.data for figure in figures if figure.space},
        "tables": {_key(numbers): _text(numbers.table, rows) for numbers in [*(f.numbers for f in figures), *tables]},
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    environment = Environment(
        loader=PackageLoader("aiq.pages", "assets"), autoescape=select_autoescape(["html"]), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    html = environment.get_template("page.html").render(
        page=page,
        style=_asset("page.css"),
        script="\n".join(_asset(name) for name in SCRIPTS),
        library=_library() if spaces else "",
        data=_packed(text.encode()),
        pictures=_pictures(figures, room),
        key=_key,
        rows=rows,
        static=STATIC_ROWS,
        merged=merged,
        opening=merged(page.opening.table),
    )
    return html.encode()


def _pictures(figures: Sequence[PageFigure], room: int) -> dict[str, Any]:
    pictures: dict[str, Any] = {}
    for figure in figures:
        picture = pictures[figure.name] = _embedded(figure.picture, min(ONE_PICTURE, room))
        room -= len(picture[0]) if picture else 0
    return pictures


def _key(numbers: Numbers) -> str:
    """Return the name of a table among all tables of the page: its file."""
    return f"{numbers.folder}/{numbers.name}.csv"


def _text(table: Table, rows: int) -> dict[str, Any]:
    """Return the text of a table's file, cut after some rows, and how many rows it has."""
    cut = replace(table, rows=table.rows[:rows])
    return {"text": csv_text(cut), "rows": len(table.rows), "cut": len(table.rows) > rows}


def number_words(value: Cell, low: Cell = None, high: Cell = None) -> str:
    """Return a number with four significant digits, or with its interval and the decimals that its width calls for."""
    if value is None or isinstance(value, str):
        return "–" if value is None else value
    if low is None or high is None:
        return f"{float(value):.4g}"
    ends = [float(number) for number in (value, low, high)]
    width = max(ends[2] - ends[1], 1e-3 * abs(ends[0]), 1e-12)
    decimals = min(8, max(0, 1 - math.floor(math.log10(width))))
    middle, *around = (f"{end + 0.0:.{decimals}f}" for end in ends)
    return f"{middle} [{', '.join(around)}]"


def merged(table: Table, most: int | None = None) -> dict[str, Any]:
    """Return a table for reading, of some rows: a number shares its cell with its interval.

    Long words that rows repeat are told once (``said``), not in a column; where they differ, cells have their numbers.
    """
    repeated = {name: phrases for name in table.columns if (phrases := _repeated(table.column(name)))}
    groups = [n for n in table.columns if len(repeated.get(n, ("", ""))) > 1 and _base(n, table.columns) == n]
    body = []
    for cells in table.dicts[:most]:
        cells.update({name: f"({phrases.index(cells[name]) + 1})" for name, phrases in repeated.items()})
        body.append([_cell(cells, name) for name in groups])
    numeric = [all(not isinstance(cell, str) for cell in table.column(name)) for name in groups]
    columns = [(name.replace("_", " "), plain) for name, plain in zip(groups, numeric, strict=True)]
    said = {
        f"{name.replace('_', ' ')}{f' ({k})' if len(phrases) > 1 else ' (in every row)'}": phrase
        for name, phrases in repeated.items()
        for k, phrase in enumerate(phrases, 1)
    }
    return {"columns": columns, "rows": body, "said": said}


def _repeated(cells: Sequence[Cell]) -> list[Cell]:
    """Return the long words that rows repeat, each at least four times; nothing where rows have words of their own."""
    phrases = list(dict.fromkeys(cells))
    long = all(isinstance(phrase, str) and len(phrase) > LONG for phrase in phrases)
    return phrases if long and len(cells) >= (4 * len(phrases) if len(phrases) > 1 else 1) else []


def _base(name: str, columns: Sequence[str]) -> str:
    """Return the number that a column belongs to: the end of an interval to its number, others to themselves."""
    base = name.removesuffix("_low").removesuffix("_high")
    return base if base in columns else name


def _cell(cells: dict[str, Cell], name: str) -> str:
    value = cells[name]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and not isinstance(cells.get(f"{name}_low"), float):  # a count, or the only rank of a set
        return str(value)
    return number_words(value, cells.get(f"{name}_low"), cells.get(f"{name}_high"))


def _embedded(png: bytes, room: int) -> tuple[str, int, int] | None:
    """Return a picture as a data URI with its width and height in CSS pixels at 96 dots an inch.

    It is made smaller where it is wider than the page; None where even then it takes more than ``room`` bytes.
    """
    image = Image.open(io.BytesIO(png))
    width, height = (round(side * 96 / DPI) for side in image.size)
    small = image.convert("RGB")
    if small.width > WIDEST:
        small = small.resize((WIDEST, max(1, round(small.height * WIDEST / small.width))), Image.Resampling.LANCZOS)
    if max(small.size) > 16000:
        return None
    stream = io.BytesIO()
    small.save(stream, "WEBP", quality=80, method=4)
    if stream.tell() > room:
        return None
    return f"data:image/webp;base64,{base64.b64encode(stream.getvalue()).decode()}", width, height


def _packed(data: bytes) -> str:
    """Return bytes compressed and written with letters; the same bytes give the same letters."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


@cache
def _library() -> str:
    """Return plotly.js, as the package plotly ships it, packed once per process."""
    return _packed(resources.files("plotly").joinpath("package_data", "plotly.min.js").read_bytes())


def _asset(name: str) -> str:
    return resources.files("aiq.pages").joinpath("assets", name).read_text(encoding="utf-8")
