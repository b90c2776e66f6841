"""The page of what the whole paper costs."""

from __future__ import annotations

from pathlib import Path

from aiq.errors import InputError, choice
from aiq.records.shown import words
from aiq.storage.files import replacing
from aiq.tasks.claims.costs import PaperCost

START = """# What the whole paper costs

Written by `aiq experiment --costs -o docs/full-paper.md`, from the settings in `config/experiments/` at the scale
`paper` and in `config/benchmark.yaml`, by the cost model that `aiq estimate` uses. None of this was run; nothing was
timed for it. What was run, in small: [runs/experiments.md](runs/experiments.md); how to run one of these on a cluster:
[cluster.md](cluster.md); how this page comes about: [decision 0156](decisions/0156-cost-of-the-paper.md).
"""
END = """Why the sum is so much smaller than the number in print cannot be told from the paper. It does not
say what an hour is (of a core or of a node), how many policies a pool had, how often an experiment was repeated, or
what was tried before the runs that are shown. Three things make ours small: networks of a pool train together in one
process; ends of a domain are trained once and not once per pair; and pictures are 32 × 32 and grey. Where the paper
leaves a number open (policies of a pool, repetitions), the files of the experiments name the one that we took; hours
grow in proportion to it.

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
