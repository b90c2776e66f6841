"""The distribution of program lengths: as sampled, and as the adaptive sampler uses them."""

from __future__ import annotations

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.arrays import Floats
from aiq.records.table import Table
from aiq.wings.algorithmic.figures.lengths import by_agent, cycles, legend
from aiq.wings.algorithmic.records import Quotients

SHOWN = 0.99  # share of the sample up to which lengths are drawn


def _cumulative(counts: np.ndarray) -> Floats:
    """Return the share of programs of at most 0, 1, ... instructions."""
    return np.asarray(np.cumsum(counts) / np.sum(counts), dtype=np.float64)


@style.styled
@written("program length (instructions)", "share of programs", "sampled programs")
def algorithmic_programs(quotients: Quotients) -> Drawing:
    """Draw the cumulative distribution of program lengths (Legg and Veness 2013, Figure 3).

    The dashed line is the sample; the others are the programs of the pairs that the adaptive sampler ran for each
    agent at its longest episodes.

    Raises:
        InputError: there is no agent, or an agent has no pair without failure.
    """
    agents = {name: records[-1] for name, records in by_agent(quotients).items()}
    figure = style.new_figure(style.DOUBLE, 3.2)
    axes = figure.subplots()
    sampled = _cumulative(quotients.sample.lengths)
    last = max(int(np.searchsorted(sampled, SHOWN)) + 1, 3)
    lines = {"": sampled}
    axes.step(
        np.arange(sampled.size), sampled, where="post", color=style.BLACK, linestyle="--", linewidth=1.8,
        label="sampled programs", zorder=4,
    )  # fmt: skip
    for index, (name, record) in enumerate(agents.items()):
        if record.lengths.sum() == 0:
            raise InputError(f"agent {name} has no pair of trials without failure; run it on more programs")
        lines[name] = _cumulative(record.lengths)
        label = f"{record.label} ({cycles(record.length)} cycles)"
        axes.step(
            np.arange(lines[name].size), lines[name], where="post", color=style.colour(index),
            linestyle=style.line(index), linewidth=1.0, label=label, zorder=3,
        )  # fmt: skip
    axes.set_xlim(0, last)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("program length (instructions)")
    axes.set_ylabel("share of programs\nof at most this length")
    style.grid(axes)
    legend(figure, axes)
    share = float(sampled[min(10, sampled.size - 1)])
    caption = (
        f"Cumulative distribution of the lengths of {quotients.sample.size:,} sampled programs (dashed) and of the "
        f"programs that the sampler gave to each agent at its longest episodes; {share:.0%} of the sampled programs "
        f"have 10 instructions or fewer. Lengths up to the {SHOWN:.0%} quantile of the sample are drawn. These are "
        "counts, without intervals."
    )
    rows = [
        (name or "sampled", length, float(line[length]))
        for name, line in lines.items()
        for length in range(min(line.size, last + 1))
    ]
    alt = f"Of the sampled programs {share:.0%} have 10 instructions or fewer; of those used by " + ", ".join(
        f"{agents[name].label} {line[min(10, line.size - 1)]:.0%}" for name, line in lines.items() if name
    )
    return finish(figure, Table.of(("agent", "length", "share_at_most"), rows), caption, f"{alt}.")
