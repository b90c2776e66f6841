"""The page, the table and the JSON of a report of claims."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

from aiq.errors import InputError, choice
from aiq.records.table import words
from aiq.storage.files import replacing
from papers.claims.base import Answer
from papers.runs.report import READING, Report

START = """# What the papers report, and what came out here

Written by `aiq claims RESULTS -o docs/runs/claims.md`. Every statement of every claim, with the paper's own reading of
the same trainings, what its power assumes, and notes: `docs/runs/claims.csv`. A claim is *not run here* where no run is
about it, or where a part of it could not be checked and no other part failed. Most runs are small, and a verdict holds
for that scale alone. CIFAR100 has to be downloaded; F5, F6, F16 and F17 have classes of CIFAR10 in its place. How a
verdict comes about: [claims](../methods/claims.md). Settings and times: [experiments](experiments.md).
"""


def write(report: Report, path: str | Path) -> None:
    """Write a report; what is written follows from how the name ends.

    Raises:
        InputError: the name ends otherwise.
    """
    suffix = Path(path).suffix
    if suffix not in WRITERS:
        raise InputError(choice("the ending of the file", suffix, WRITERS))
    with replacing(path) as temporary:
        temporary.write_text(WRITERS[suffix](report), encoding="utf-8")


def page(report: Report) -> str:
    """Return the page as Markdown: one row per claim with the statement that decides; the table holds all of them."""
    read = report.paper_sentence
    columns = ("claim", "the paper", "verdict", "statement that decides", "ours", "95 %", "power", "run")
    lines = [START, f"**{report.sentence}.**", *([f"{read[0].upper()}{read[1:]}."] if read else []), ""]
    lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(map(_cell, _row(answer))) + " |" for answer in report.answers]
    lines += ["", "Words:", "", *(f"- {one[0].upper()}{one[1:]}." for one in report.words if one != READING)]
    return "\n".join(lines) + "\n"


def _row(answer: Answer) -> tuple[object, ...]:
    claim, part = answer.claim, answer.deciding
    unit = f" {claim.unit}" if claim.unit and part.ours is not None else ""
    power = None if part.power is None else round(part.power, 3)
    return (claim.id, claim.paper, answer.verdict, part.says, f"{words(part.ours)}{unit}", words(part.interval),
            words(power), answer.called or "–")  # fmt: skip


def _cell(content: object) -> str:
    """Return the content of a cell as Markdown: a bar in it ends no cell."""
    return str(content).replace("|", "\\|")


def table(report: Report) -> str:
    """Return the statements as CSV."""
    statements, text = report.table(), io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([statements.columns, *statements.rows])
    return text.getvalue()


def document(report: Report) -> str:
    """Return what ``--json`` prints."""
    return json.dumps(_plain(report.as_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


WRITERS: Mapping[str, Callable[[Report], str]] = {".md": page, ".csv": table, ".json": document}
"""Ending of a file -> what is written into it."""
