"""The page that lists every figure and table (docs/reference/figures.md), made from their declarations."""

from __future__ import annotations

import re

from aiq.plans.products import Products
from aiq.plans.run import PIPELINES
from aiq.plans.workflow import caption

INTRODUCTION = """# Figures and tables

Every run leaves its figures below `figures/` in its results folder: `NAME.png`, `NAME.svg`, `NAME.pdf`, the numbers as
`NAME.csv` and the caption, of which only the first sentence stands here, as `NAME.txt`. Tables are `tables/NAME.csv`.
The page of a run, `index.html`, shows them together. `{}` in a name stands for a domain, a pair or the like; what a
configuration does not measure is not drawn. This page is made by `python -m aiq.plans`.
"""


def page() -> str:
    """Return the page: one section per measure, one line per figure."""
    return "\n".join([INTRODUCTION, *(_section(measure, plan.declared) for measure, plan in PIPELINES.items())])


def _section(measure: str, declared: tuple[Products, ...]) -> str:
    lines = [f"## Measure {measure}", ""]
    for made in declared:
        lines += [f"Made by `{made.name}`:", ""]
        lines += [f"- `{figure.name}`: {_caption(measure, figure.caption_file)}" for figure in made.figures]
        if made.tables:
            lines.append(f"- tables {', '.join(f'`{table.name}.csv`' for table in made.tables)}")
        lines.append("")
    return "\n".join(lines)


def _caption(measure: str, name: str) -> str:
    text = " ".join(caption(measure, name).read_text(encoding="utf-8").split())
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0]


if __name__ == "__main__":
    print(page(), end="")
