"""Every number and statement of the 2020 similarity paper beside finished runs, as Markdown and as a table.

    python studies/similarity_claims.py CONFIG... [--folder FOLDER] [--output FOLDER]

Reads the result of each run (made by ``snakemake --configfile CONFIG``) and writes ``similarity_claims.md`` and
``similarity_claims.csv``: one row a claim with its verdict. Nothing is trained. What no run speaks of is told too.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from aiq.config.load import parse, read
from aiq.errors import InputError, StorageError
from aiq.storage import read_result
from aiq.wings.similarity2020.plan import SimilarityPlan
from aiq.wings.similarity2020.reduction import Run as SimilarityRun
from aiq.wings.similarity2020.reduction import SimilarityResult
from aiq.wings.similarity2020.settings import Similarities
from papers.claims.published import PublishedClaim
from papers.claims.similarity import all_claims

VERDICTS = ("reproduced", "not reproduced", "undecided", "not run here")


def run_of(path: Path, folder: Path) -> tuple[SimilarityRun, SimilarityResult]:
    """Return a run and what it found.

    Args:
        path: the configuration.
        folder: the working folder of the run.

    Raises:
        InputError: the configuration is of another measure, or its run is not finished.
    """
    settings = parse(read(path), str(path))
    if not isinstance(settings, Similarities):
        raise InputError(f"{path} measures something else; give configurations of measure similarity")
    plan = SimilarityPlan(settings)
    run = SimilarityRun(settings, plan, plan.layout)
    ((path, (kind, mark)),) = plan.results().items()
    try:
        return run, read_result(folder / path, kind, SimilarityResult, mark)
    except StorageError as error:
        raise InputError(f"{error}; run snakemake --configfile {path} first") from error


def page(claims: Sequence[PublishedClaim]) -> str:
    """Return the claims as Markdown, a section for each table or figure of the paper."""
    lines = [
        "# What the 2020 similarity paper reports, beside ours", "",
        "Written by `python studies/similarity_claims.py`. *Reproduced*: our interval holds the printed number and "
        "would not hold its contrary (S on the straight line, chance, no difference). *Undecided*: it holds both, or a "
        "probability lies between .05 and .95; of a single |S|: the range of 95 % of runs holds more than half of "
        "[0, 1]. *Not reproduced*: it does not hold the printed number; where the scale differs that says so and no "
        "more. *Power*: probability that this run would have told a difference of the published size from none.", "",
        _counts(claims), "",
    ]  # fmt: skip
    for title in dict.fromkeys(section(claim.id) for claim in claims):
        mine = [claim for claim in claims if section(claim.id) == title]
        lines += [f"## {title}", "", _counts(mine), ""]
        lines += [f"Scale: {scale}." for scale in dict.fromkeys(c.scale for c in mine if c.verdict != VERDICTS[3])]
        lines += ["", "| claim | verdict | ours | interval | paper | power | note |", "|" + "---|" * 7]
        lines += [_line(claim) for claim in mine]
        lines.append("")
    return "\n".join(lines)


def section(name: str) -> str:
    """Return the table or figure, and the recipe of Fig. 5, from a claim's id."""
    words = name.split("-")
    place = words[1].replace("Table", "Table ").replace("Figure", "Figure ")
    recipes = {"random": "recipe published", "learned": "recipe sufficient"}
    return f"{place}, {recipes[words[2]]}" if words[1] == "Figure5" else place


def _counts(claims: Sequence[PublishedClaim]) -> str:
    """Return how many claims have each verdict."""
    found = Counter(claim.verdict for claim in claims)
    return f"{len(claims)} claims: " + ", ".join(f"{found[word]} {word}" for word in VERDICTS if found[word]) + "."


def _line(claim: PublishedClaim) -> str:
    """Return one row of a table."""
    interval = f"[{claim.interval[0]:.3f}, {claim.interval[1]:.3f}]" if claim.interval else "–"
    cells = [claim.statement, claim.verdict, _number(claim.ours), interval, _number(claim.paper)]
    cells += ["–" if claim.power is None else f"{claim.power:.2f}", claim.note]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _number(value: float | None) -> str:
    """Return a number with three decimals, or a dash."""
    return "–" if value is None else f"{value:.3f}"


def write(claims: Sequence[PublishedClaim], folder: Path) -> None:
    """Write the page and the table."""
    (folder / "similarity_claims.md").write_text(page(claims), encoding="utf-8")
    with (folder / "similarity_claims.csv").open("w", newline="", encoding="utf-8") as file:
        shown = [field.name for field in dataclasses.fields(PublishedClaim)]
        names = [name for name in shown if name not in ("interval", "freedom")]
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*names, "low", "high"])
        for claim in claims:
            low, high = claim.interval or ("", "")
            rows.writerow([*("" if (v := getattr(claim, name)) is None else v for name in names), low, high])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configurations", nargs="+", type=Path, metavar="CONFIG")
    parser.add_argument("--folder", type=Path, default=Path(), help="working folder of the runs")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    chosen = parser.parse_args(arguments)
    chosen.output.mkdir(parents=True, exist_ok=True)
    write(all_claims(run_of(path, chosen.folder) for path in chosen.configurations), chosen.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
