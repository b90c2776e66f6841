"""The page that lists every figure and table, made from their declarations."""

from __future__ import annotations

from aiq.plans.products import Products
from aiq.plans.registry import PIPELINES
from aiq.plans.workflow import captions

INTRODUCTION = """# Figures and tables

Every run leaves its figures below `figures/` in its results folder: `NAME.png`, `NAME.svg`, `NAME.pdf`, the numbers as
`NAME.csv` and the caption as `NAME.txt`. Tables are `tables/NAME.csv`. The page of a run, `index.html`, shows them
together. `{}` in a name stands for a domain, a pair or the like; what a configuration does not measure is not drawn.
This page is made by `python -m aiq.plans`.
"""


def page() -> str:
    """Return the page: one section per measure, one row per figure or table."""
    return "\n".join([INTRODUCTION, *(_section(measure, plan.declared) for measure, plan in PIPELINES.items())])


def _section(measure: str, declared: tuple[Products, ...]) -> str:
    """Return heading and table of one measure."""
    rows = [
        (f"`{figure.name}`", figure.category, _caption(figure.caption_file), f"`{made.name}`")
        for made in declared
        for figure in made.figures
    ]
    rows += [
        (f"`{table.name}.csv`", table.category, "table", f"`{made.name}`") for made in declared for table in made.tables
    ]
    lines = [
        f"## Measure {measure}",
        "",
        "| name | place in the report | shows | made by the rule |",
        "|---|---|---|---|",
    ]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _caption(name: str) -> str:
    """Return a caption in one line."""
    return " ".join((captions() / f"{name}.rst").read_text(encoding="utf-8").split()).replace("|", "\\|")
