"""The page, the table and the JSON of a report of claims."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

from aiq.claims.base import Answer, Part
from aiq.errors import InputError, choice
from aiq.records.shown import words
from aiq.storage.files import replacing
from aiq.tasks.claims.report import Report, by_paper, called

START = """# What the papers report, and what came out here

Written by `aiq claims RESULTS -o docs/claims.md` from the runs below; a claim is *not run here* where no run is
about it, or where a part of it could not be checked and no other part failed. How a verdict comes about, and what
power means: [decision 0130](decisions/0130-claims-as-checks.md). Most runs are at a small scale, and a verdict holds
for that scale alone. CIFAR100 has to be downloaded; where a note puts another data set in its place (F5, F6, F16,
F17), the verdict is about that one. Settings and times: [runs/experiments.md](runs/experiments.md); the figures, in
the paper's order: [runs/experiments-figures.md](runs/experiments-figures.md).

Beside our number stands what the paper's own reading makes of the same trainings
([decision 0185](decisions/0185-paper-reading-beside.md)); a dash says that no results were at hand for
it, or that they span no space.
"""
TITLES = {2025: "The paper of 2025", 2020: "The paper of 2020", 2015: "Collectives (2015)",
          2013: "The algorithmic quotient (2013)", 2010: "The anytime test (2010)"}  # fmt: skip


STANDS = "kept from an earlier table, its results were not read again"


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
    """Return the page as Markdown: an overview, then every claim with its statements."""
    read = report.paper_sentence
    lines = [
        START,
        f"**{report.sentence}.**",
        *([f"{read[0].upper()}{read[1:]}."] if read else []),
        "",
        "| claim | what | verdict | run |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| [{a.claim.id}](#{a.claim.id.lower()}) | {a.claim.title} | {a.verdict} | {_run(a)} |" for a in report.answers
    ]
    lines += ["", "Words:", "", *(f"- {sentence[0].upper()}{sentence[1:]}." for sentence in report.words)]
    year = None
    for answer in report.answers:
        if answer.claim.year != year:
            year = answer.claim.year
            lines += ["", f"## {TITLES[year]}"]
        lines += _section(answer)
    return "\n".join(lines) + "\n"


def _run(answer: Answer) -> str:
    """Return the run and its scale, or a dash."""
    return called(answer) or "–"


def _when(answer: Answer) -> str:
    """Return a sentence about the day of the run, and that an answer was kept."""
    words = [*([f"of {answer.date}"] if answer.date else []), *([STANDS] if answer.kept else [])]
    text = "; ".join(words)
    return f" {text[0].upper()}{text[1:]}." if text else ""


def _section(answer: Answer) -> list[str]:
    """Return one claim with a table of its statements."""
    claim = answer.claim
    lines = ["", f"### {claim.id}", "", f"{claim.title[0].upper()}{claim.title[1:]} ({claim.place}). "
             f"The paper: {claim.paper}. Here: **{answer.verdict}**."]  # fmt: skip
    if answer.run:
        lines += ["", f"Run: `{answer.run}`, scale {answer.scale}: {answer.scaled}.{_when(answer)}"]
    unit = f" ({_cell(claim.unit)})" if claim.unit else ""
    lines += ["", f"| statement | verdict | ours{unit} | 95 % | paper's reading | power, assuming | note |",
              "|---|---|---|---|---|---|---|"]  # fmt: skip
    return lines + [_statement(part) for part in answer.parts]


def _statement(part: Part) -> str:
    """Return one row."""
    sure = "–" if part.power is None else f"{words(round(part.power, 3))}, {part.assumed}"
    cells = (part.says, part.verdict, words(part.ours), words(part.interval), words(by_paper(part)), sure, part.why)
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(content: object) -> str:
    """Return the content of a cell as Markdown: a bar in it ends no cell."""
    return str(content).replace("|", "\\|")


def table(report: Report) -> str:
    """Return the statements as CSV."""
    found = report.table()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows([["" if cell is None else cell for cell in row] for row in found.rows])
    return text.getvalue()


def document(report: Report) -> str:
    """Return what ``--json`` prints."""
    return json.dumps(_plain(report.as_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: object) -> object:
    """Return what JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


WRITERS: Mapping[str, Callable[[Report], str]] = {".md": page, ".csv": table, ".json": document}
"""Ending of a file -> what is written into it."""
