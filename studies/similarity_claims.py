"""Every published number of the 2020 similarity paper beside that of finished runs, as Markdown.

    python studies/similarity_claims.py CONFIG... [--output FILE]

Reads ``tables/published.csv`` of each run (made by ``snakemake --configfile CONFIG``) and writes one table a run, and
how many published numbers lie in our intervals. Nothing is trained.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

from aiq.config.load import parse_any, read
from aiq.config.similarity import Similarities
from aiq.errors import InputError
from aiq.plans.similarity import SimilarityPlan

Row = dict[str, str]
WORDS = {"True": "yes", "False": "no", "": "–"}


def rows_of(path: Path, folder: Path) -> tuple[Similarities, list[Row]]:
    """Return the settings of a run and the rows of its table of published numbers.

    Args:
        path: the configuration.
        folder: the working folder of the run.

    Raises:
        InputError: the configuration is of another measure, or its run has no such table yet.
    """
    settings = parse_any(read(path), str(path))
    if not isinstance(settings, Similarities):
        raise InputError(f"{path} measures something else; give configurations of measure similarity")
    table = folder / SimilarityPlan(settings).layout.table("published")
    if not table.exists():
        raise InputError(f"{table} is not there; run snakemake --configfile {path} first")
    with table.open(newline="", encoding="utf-8") as file:
        return settings, list(csv.DictReader(file))


def page(runs: Sequence[tuple[str, Similarities, list[Row]]]) -> str:
    """Return the tables as Markdown.

    Args:
        runs: name of the configuration, its settings, its rows.
    """
    lines = ["# Published numbers of the 2020 similarity paper beside ours", ""]
    lines += [
        "Written by `python studies/similarity_claims.py`. *Inside*: the published number lies in our interval (of S: "
        "in its set; of |S| of one run: in the range of 95 % of such runs). Where the interval is wide that says "
        "little; where it is not, a number outside says that scale, data or network differ, which they do.",
        "",
    ]
    for name, settings, rows in runs:
        told = [row for row in rows if row["inside"]]
        inside = sum(row["inside"] == "True" for row in told)
        source = settings.published.source if settings.published is not None else ""
        lines += [f"## {settings.name} (`{name}`)", "", f"Published: {source}. {inside} of {len(told)} inside.", ""]
        lines += ["| quantity | test | published | ours | interval | inside | trainings | note |", "|" + "---|" * 8]
        lines += [_line(row) for row in rows]
        lines.append("")
    return "\n".join(lines)


def _line(row: Row) -> str:
    """Return one row of a table."""
    interval = f"[{_number(row['low'])}, {_number(row['high'])}]" if row["low"] else "–"
    cells = [row["quantity"], row["test"], _number(row["published"]), _number(row["ours"]), interval]
    cells += [WORDS[row["inside"]], row["trainings"] or "–", row["note"] or ""]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _number(text: str) -> str:
    """Return a number with three decimals, or a dash."""
    return f"{float(text):.3f}" if text else "–"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="+", type=Path, metavar="CONFIG")
    parser.add_argument("--folder", type=Path, default=Path(), help="working folder of the runs")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "similarity_claims.md")
    chosen = parser.parse_args(arguments)
    runs = [(path.as_posix(), *rows_of(path, chosen.folder)) for path in chosen.configurations]
    chosen.output.write_text(page(runs), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
