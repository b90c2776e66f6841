"""The algorithmic quotient against episode length, by stratum and program length, and MC-AIXI's effort."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table
from aiq.wings.algorithmic.records import AgentQuotient, Quotients

QUOTIENT = "algorithmic quotient (mean reward, −100 to 100)"


def by_agent(quotients: Quotients) -> dict[str, list[AgentQuotient]]:
    """Return the records of each agent, shortest episodes first; agents in their own order.

    Raises:
        InputError: there is no agent.
    """
    if not quotients.agents:
        raise InputError("there is no agent whose quotient could be drawn; run at least one")
    names = dict.fromkeys(record.agent for record in quotients.agents)
    return {
        name: sorted((r for r in quotients.agents if r.agent == name), key=lambda record: record.length)
        for name in names
    }


def legend(figure: Figure, axes: Axes) -> None:
    """Put the key under the figure, in as many columns as its words allow; more than two rows make it higher."""
    labels = axes.get_legend_handles_labels()[1]
    longest = max(len(label) for label in labels)
    columns = max(1, min(5, int(figure.get_figwidth() * 15 / (longest + 7))))
    figure.set_figheight(figure.get_figheight() + 0.16 * max(0, math.ceil(len(labels) / columns) - 2))
    style.legend_below(figure, axes, columns)


def cycles(length: int) -> str:
    """Return a number of cycles as a short tick label."""
    return f"{length // 1000}k" if length >= 1000 and length % 1000 == 0 else str(length)


def series(axes: Axes, x: Sequence[float], estimates: Sequence[Estimate], index: int, label: str) -> None:
    """Draw one series of estimates with their intervals."""
    ink = style.colour(index)
    values = [estimate.value for estimate in estimates]
    axes.plot(x, values, color=ink, linestyle=style.line(index), marker=style.marker(index), label=label, zorder=3)
    style.interval_bars(axes, "y", estimates, np.asarray(x, dtype=np.float64), ink)


@style.styled
@written("episode length (cycles)", "algorithmic quotient (mean reward, −100 to 100)")
def algorithmic_lengths(quotients: Quotients) -> Drawing:
    """Draw each agent's quotient against the episode length (Legg and Veness 2013, Figure 1)."""
    agents = by_agent(quotients)
    figure = style.new_figure(style.DOUBLE, 3.4)
    axes = figure.subplots()
    for index, records in enumerate(agents.values()):
        series(axes, [r.length for r in records], [r.quotient.estimate for r in records], index, records[0].label)
    lengths = sorted({record.length for record in quotients.agents})
    axes.set_xscale("log")
    axes.set_xlim(lengths[0] / 1.3, lengths[-1] * 1.3)
    shown = [lengths[0]]
    for length in lengths[1:]:
        shown += [length] if length >= 1.8 * shown[-1] else []
    axes.set_xticks(shown, [cycles(length) for length in shown])
    axes.minorticks_off()
    axes.set_xlabel("episode length (cycles)")
    axes.set_ylabel(QUOTIENT.replace(" (", "\n("))
    style.grid(axes)
    legend(figure, axes)
    estimates = [record.quotient.estimate for record in quotients.agents]
    failures = sum(record.quotient.failures for record in quotients.agents)
    caption = (
        f"Algorithmic intelligence quotient of {_count(len(agents), 'agent')} against the episode length: mean reward "
        f"over random programs, a random agent's is 0. {style.interval_sentence(estimates)} "
        f"{_count(failures, 'pair')} of trials dropped because the program failed, and replaced."
    )
    alt = "; ".join(
        f"{records[0].label} " + ", ".join(f"{style.number(r.quotient.estimate.value)} at {r.length}" for r in records)
        for records in agents.values()
    )
    columns = ("agent", "label", "length", "quotient", "quotient_low", "quotient_high", "runs", "failures")
    rows: list[tuple[Cell, ...]] = [
        (r.agent, r.label, r.length, *style.interval_cells(r.quotient.estimate), r.quotient.runs, r.quotient.failures)
        for r in quotients.agents
    ]
    return finish(figure, Table.of(columns, rows), caption, f"Quotient by episode length: {alt}.")


@style.styled
@written("stratum", "program length (instructions)", "mean reward (−100 to 100)")
def algorithmic_strata(quotients: Quotients) -> Drawing:
    """Draw each agent's mean reward by stratum and by program length, at the agent's longest episodes."""
    agents = {name: records[-1] for name, records in by_agent(quotients).items()}
    figure = style.new_figure(style.DOUBLE, 5.0)
    above, below = figure.subplots(2, 1)
    strata = sorted({value.stratum for record in agents.values() for value in record.quotient.strata})
    bins = sorted({(v.shortest, v.longest) for record in agents.values() for v in record.by_length})
    rows: list[tuple[Cell, ...]] = []
    parts: list[tuple[Axes, str, Callable[[AgentQuotient], list[tuple[Any, Estimate]]], list[Any]]] = [
        (above, "stratum", lambda r: [(v.stratum, v.estimate) for v in r.quotient.strata], list(strata)),
        (below, "length", lambda r: [((v.shortest, v.longest), v.estimate) for v in r.by_length], list(bins)),
    ]
    for axes, kind, values, places in parts:
        for index, record in enumerate(agents.values()):
            found = values(record)
            shift = 0.5 * (index + 0.5) / len(agents) - 0.25
            series(
                axes, [places.index(at) + shift for at, _ in found], [e for _, e in found], index,
                f"{record.label} ({cycles(record.length)} cycles)",
            )  # fmt: skip
            rows += [
                (record.agent, record.length, kind, _place(at), *style.interval_cells(estimate), estimate.n)
                for at, estimate in found
            ]
        axes.set_xticks(range(len(places)), [_place(at) for at in places])
        axes.set_ylabel("mean reward\n(−100 to 100)")
        style.grid(axes, "y")
    above.set_xlabel("stratum (1–10: reward copies an action; 11–20: by length; 0: all)")
    below.set_xlabel("program length (instructions)")
    legend(figure, above)
    caption = (
        f"Mean reward of {_count(len(agents), 'agent')}, each at its longest episodes, by stratum of the programs "
        "(above) and by program length (below). "
        f"{style.interval_sentence([v.estimate for r in agents.values() for v in r.quotient.strata])}"
    )
    table = Table.of(("agent", "length", "by", "place", "mean", "mean_low", "mean_high", "pairs"), rows)
    words = ", ".join(f"{r.label} {style.number(r.quotient.estimate.value)}" for r in agents.values())
    return finish(figure, table, caption, f"Mean reward by stratum and by program length; over all programs: {words}.")


@style.styled
@written("context depth (bits)", "search effort (simulations a cycle)", "algorithmic quotient")
def algorithmic_effort(quotients: Quotients) -> Drawing:
    """Draw the quotient of MC-AIXI against context depth and search effort (Legg and Veness 2013, Figure 2).

    Shown are the agents that are alike in all else, where there are several such kinds the most numerous.

    Raises:
        InputError: there is no MC-AIXI among the agents.
    """
    every = [record for record in quotients.agents if record.kind == "mc-aixi"]
    if not every:
        raise InputError("there is no agent mc-aixi whose depth and search effort could be drawn; run at least one")
    counts = Counter(_but_effort(record) for record in every)
    length, rest = max(counts, key=lambda key: (counts[key], key))
    records = [record for record in every if _but_effort(record) == (length, rest)]
    figure = style.new_figure(style.DOUBLE, 3.2)
    left, right = figure.subplots(1, 2, sharey=True)
    _effort(left, records, "depth", "simulations", 0)
    _effort(right, records, "simulations", "depth", len({_whole(r, "simulations") for r in records}))
    left.set_xlabel("context depth (bits)")
    right.set_xlabel("search effort (simulations a cycle)")
    left.set_ylabel(QUOTIENT.replace(" (", "\n("))
    both = [axes.get_legend_handles_labels() for axes in (left, right)]
    figure.legend(both[0][0] + both[1][0], both[0][1] + both[1][1], loc="outside lower center", ncols=4)
    estimates = [record.quotient.estimate for record in records]
    caption = (
        f"Algorithmic quotient of MC-AIXI at {length} cycles against the depth of its context (left) and the "
        f"simulations a cycle (right), all else equal. {style.interval_sentence(estimates)}"
    )
    names = ("agent", "length", "depth", "simulations", "horizon", "quotient", "quotient_low", "quotient_high")
    rows = [
        (
            r.agent, length, *(_whole(r, word) for word in ("depth", "simulations", "horizon")),
            *style.interval_cells(r.quotient.estimate),
        )
        for r in records
    ]  # fmt: skip
    alt = ", ".join(f"depth {row[2]} and {row[3]} simulations {style.number(float(row[5] or 0))}" for row in rows)
    return finish(figure, Table.of(names, rows), caption, f"MC-AIXI: {alt}.")


def _effort(axes: Axes, records: Sequence[AgentQuotient], across: str, fixed: str, first: int) -> None:
    """Draw one line for each value of the parameter that is held fixed."""
    for index, value in enumerate(sorted({_whole(record, fixed) for record in records})):
        mine = sorted((r for r in records if _whole(r, fixed) == value), key=lambda r: _whole(r, across))
        label = f"{value} simulations" if fixed == "simulations" else f"depth {value}"
        series(axes, [_whole(r, across) for r in mine], [r.quotient.estimate for r in mine], first + index, label)
    ticks = sorted({_whole(record, across) for record in records})
    shown = [ticks[0]]
    for tick in ticks[1:]:
        shown += [tick] if tick - shown[-1] >= 0.12 * (ticks[-1] - ticks[0]) else []
    axes.set_xticks(shown, [str(tick) for tick in shown])
    style.grid(axes)


def _but_effort(record: AgentQuotient) -> tuple[int, str]:
    """Return the length, and in words all parameters but depth and search effort."""
    rest = {name: value for name, value in record.parameters.items() if name not in ("depth", "simulations")}
    return record.length, repr(sorted(rest.items()))


def _whole(record: AgentQuotient, name: str) -> int:
    return int(record.parameters[name])


def _place(at: object) -> str:
    if isinstance(at, tuple):
        return str(at[0]) if at[0] == at[1] else f"{at[0]}–{at[1]}"
    return str(at)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
