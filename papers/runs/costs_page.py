"""The page of what the whole paper costs."""

from __future__ import annotations

from pathlib import Path

from aiq.errors import InputError, choice
from aiq.records.table import words
from aiq.storage.files import replacing
from papers.runs.costs import PaperCost

START = """# What the whole paper costs

Written by `aiq experiment --costs -o docs/runs/full-paper.md`, from the settings in `papers/experiments/` at the scale
`paper` and in `config/benchmark.yaml`, by the cost model that `aiq estimate` uses. None of this was run; nothing was
timed for it. What was run, in small: [experiments](experiments.md); how to run one of these on a cluster:
[cluster](../how-to/cluster.md); how this page comes about: [claims](../methods/claims.md#what-the-whole-paper-costs).
"""
END = """Why the sum is so much smaller than the number in print cannot be told from the paper: it does not say what an
hour is, how many policies a pool had, how often an experiment was repeated, or what was tried before. Three things make
ours small: networks of a pool train together; ends of a domain are trained once; pictures are 32 × 32 and grey. Where
the paper leaves a number open, hours grow in proportion to the one that we took.

On another machine: `aiq estimate CONFIG --save FILE` measures a calibration; on a GPU with `device: cuda`.
"""


def write_costs(cost: PaperCost, path: str | Path) -> None:
    """Write the page of what the paper costs.

    Raises:
        InputError: the name does not end in .md.
    """
    if Path(path).suffix != ".md":
        raise InputError(choice("the ending of the file", Path(path).suffix, (".md",)))
    with replacing(path) as temporary:
        temporary.write_text(cost_page(cost), encoding="utf-8")


def cost_page(cost: PaperCost) -> str:
    """Return the page of what the paper costs as Markdown."""
    found = cost.shown()
    lines = [START, f"**{found.sentences[0][0].upper()}{found.sentences[0][1:]}.**", ""]
    lines += ["| " + " | ".join(found.columns) + " |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    lines += ["| " + " | ".join(map(words, row)) + " |" for row in found.rows]
    lines += ["", "Words:", "", *(f"- {sentence[0].upper()}{sentence[1:]}." for sentence in found.sentences[1:])]
    return "\n".join([*lines, "", END])
