"""What a run of the algorithmic quotient shows: figures, tables, what its page opens with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aiq import storage
from aiq.errors import InputError
from aiq.figures import drawing, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.pages import Opening
from aiq.plans.products import Products
from aiq.records.estimate import Estimate, Floats
from aiq.records.table import Cell, Table, bounds, counted
from aiq.run.job import read_stored
from aiq.run.products import Made
from aiq.wings.algorithmic.equations.estimation import AgentQuotient, Quotients
from aiq.wings.algorithmic.work import Run


def show(run: Run, declared: Products) -> Made:
    """Return every figure and table."""
    quotients = read_stored(run, "reduce_quotients", Quotients)
    by_name = tables(quotients)
    return Made(
        {name: partial(draw, quotients) for name, draw in FIGURES.items()},
        {name: partial(by_name.__getitem__, name) for name in by_name},
    )


def main_table(run: Run) -> Table:
    """Quotients of every agent at every length."""
    quotients = read_stored(run, "reduce_quotients", Quotients)
    rows = [(a.agent, a.length, *a.quotient.estimate.cells(), a.quotient.failures) for a in quotients.agents]
    return Table.of(("agent", "length", "quotient", "low", "high", "failed_pairs"), rows)


def tables(quotients: Quotients) -> dict[str, Table]:
    """Return the tables by name: quotients, differences, strata, program lengths, and the sample."""
    sample, agents = quotients.sample, quotients.agents
    strata = [
        (r.agent, r.length, v.stratum, v.probability, *v.estimate.cells(),
         v.deviation if v.estimate.interval else None, v.estimate.n)
        for r in agents
        for v in r.quotient.strata
    ]  # fmt: skip
    lengths = [
        (r.agent, r.length, v.shortest, v.longest, v.share, *v.estimate.cells(), v.estimate.n)
        for r in agents
        for v in r.by_length
    ]
    differences = [
        (d.first, d.second, d.length, *d.estimate.cells(), d.probability, d.estimate.n) for d in quotients.differences
    ]
    counts = {
        "accepted": sample.size,
        "candidates": sample.candidates,
        "without input or output": sample.without_io,
        "failed": sample.failed,
        "passive": sample.passive,
    } | {f"stratum {k}": count for k, count in enumerate(sample.strata, start=1)}
    parts: dict[str, tuple[tuple[str, ...], list[Any]]] = {
        "quotients": (
            ("agent", "label", "kind", "length", "parameters", *bounds("quotient"), "half_from_trials",
             "half_from_strata", "runs", "failed_pairs", "reused_programs", "dropped_strata", "method"),
            [_quotient(record) for record in agents],
        ),
        "differences": (("first", "second", "length", *bounds("difference"), "probability", "pairs"), differences),
        "strata": (("agent", "length", "stratum", "probability", *bounds("mean"), "deviation", "pairs"), strata),
        "program-lengths": (("agent", "length", "shortest", "longest", "share", *bounds("mean"), "pairs"), lengths),
        "programs": (("programs", "count"), [*counts.items()]),
    }  # fmt: skip
    return {name: Table.of(columns, rows) for name, (columns, rows) in parts.items()}


def _quotient(record: AgentQuotient) -> tuple[Cell, ...]:
    q = record.quotient
    halves = (q.half_sampling, q.half_weights) if q.estimate.interval else (None, None)
    return (
        record.agent, record.label, record.kind, record.length,
        " ".join(f"{name}={value}" for name, value in record.parameters.items()), *q.estimate.cells(),
        *halves, q.runs, q.failures, q.reused, " ".join(map(str, q.dropped)), q.estimate.method,
    )  # fmt: skip


def opening(run: Run) -> tuple[Opening, list[tuple[str, str]]]:
    """Return the quotients, best first at the longest episodes, how far to trust them, and facts.

    Raises:
        StorageError: a table is missing.
    """
    rows = storage.read_published(run.layout.table("quotients")).dicts
    rows.sort(key=lambda row: (-int(row["length"] or 0), -float(row["quotient"] or 0.0)))
    wanted = ("label", "length", "quotient", "quotient_low", "quotient_high", "runs", "failed_pairs")
    longest = int(rows[0]["length"] or 0)
    pairs = [
        (str(d["first"]), str(d["second"]), not float(d["difference_low"]) <= 0 <= float(d["difference_high"] or 0))
        for d in storage.read_published(run.layout.table("differences")).dicts
        if d["length"] == longest and d["difference_low"] is not None
    ]
    failed = sum(int(row["failed_pairs"] or 0) for row in rows)
    said = [
        _undecided(pairs, longest),
        "Programs are sampled from one reference machine, and quotients hang on it: they compare agents on this "
        "machine, not beyond it.",
    ]
    if failed:
        said.append(f"{failed} pairs of trials were replaced because their program failed.")
    facts = [("agents", str(len({row["agent"] for row in rows}))), ("longest episodes", f"{longest} cycles")]
    return Opening(
        "Agents", Table.of(["agent", *wanted[1:]], [[row[name] for name in wanted] for row in rows]), said
    ), facts


def _undecided(pairs: Sequence[tuple[str, str, bool]], longest: int) -> str:
    """Return the sentence on how many differences are decided, of two names and whether the interval leaves 0 out."""
    if not pairs:
        return "There is one agent alone, so there is nothing to compare."
    where, open_ = f" at {longest} cycles", [f"{a} and {b}" for a, b, decided in pairs if not decided]
    if not open_:
        return f"All {len(pairs)} differences between agents{where} are decided: their intervals leave 0 out."
    listed = ", ".join(open_[:8]) + (f" and {len(open_) - 8} more" if len(open_) > 8 else "")
    return (
        f"{len(pairs) - len(open_)} of {len(pairs)} differences between agents{where} are decided: their intervals "
        f"leave 0 out. Not decided: {listed}."
    )


# ---- figures ---------------------------------------------------------------------------------------

QUOTIENT = "algorithmic quotient\n(mean reward, −100 to 100)"
SHOWN = 0.99  # share of the sample up to which lengths of programs are drawn


def by_agent(quotients: Quotients) -> dict[str, list[AgentQuotient]]:
    """Return the records of each agent, shortest episodes first; agents in their own order."""
    if not quotients.agents:
        raise InputError("there is no agent whose quotient could be drawn; run at least one")
    names = dict.fromkeys(record.agent for record in quotients.agents)
    return {
        name: sorted((r for r in quotients.agents if r.agent == name), key=lambda record: record.length)
        for name in names
    }


@figure("algorithmic-lengths", "episode length (cycles)", "algorithmic quotient (mean reward, −100 to 100)")
def algorithmic_lengths(quotients: Quotients) -> Drawing:
    """Draw each agent's quotient against the episode length (Legg and Veness 2013, Figure 1)."""
    agents = by_agent(quotients)
    figure = style.new_figure(style.DOUBLE, 3.4)
    axes = figure.subplots()
    for index, records in enumerate(agents.values()):
        _series(axes, [r.length for r in records], [r.quotient.estimate for r in records], index, records[0].label)
    lengths = sorted({record.length for record in quotients.agents})
    axes.set_xscale("log")
    axes.set_xlim(lengths[0] / 1.3, lengths[-1] * 1.3)
    ticks = _apart(lengths, lambda before, tick: tick >= 1.8 * before)
    axes.set_xticks(ticks, [_cycles(length) for length in ticks])
    axes.minorticks_off()
    axes.set_xlabel("episode length (cycles)")
    axes.set_ylabel(QUOTIENT)
    style.grid(axes)
    _legend(figure, axes)
    estimates = [record.quotient.estimate for record in quotients.agents]
    failures = sum(record.quotient.failures for record in quotients.agents)
    caption = (
        f"Algorithmic intelligence quotient of {counted(len(agents), 'agent')} against the episode length: mean reward "
        f"over random programs, a random agent's is 0. {style.interval_sentence(estimates)} "
        f"{counted(failures, 'pair')} of trials dropped because the program failed, and replaced."
    )
    alt = "; ".join(
        f"{records[0].label} " + ", ".join(f"{style.number(r.quotient.estimate.value)} at {r.length}" for r in records)
        for records in agents.values()
    )
    columns = ("agent", "label", "length", *bounds("quotient"), "runs", "failures")
    rows: list[tuple[Cell, ...]] = [
        (r.agent, r.label, r.length, *r.quotient.estimate.cells(), r.quotient.runs, r.quotient.failures)
        for r in quotients.agents
    ]
    return finish(figure, Table.of(columns, rows), caption, f"Quotient by episode length: {alt}.")


@figure("algorithmic-strata", "stratum", "program length (instructions)", "mean reward (−100 to 100)")
def algorithmic_strata(quotients: Quotients) -> Drawing:
    """Draw each agent's mean reward by stratum and by program length, at the agent's longest episodes."""
    agents = [records[-1] for records in by_agent(quotients).values()]
    figure = style.new_figure(style.DOUBLE, 5.0)
    above, below = figure.subplots(2, 1)
    rows: list[tuple[Cell, ...]] = []
    parts: list[tuple[Axes, str, Callable[[AgentQuotient], list[tuple[Any, Estimate]]]]] = [
        (above, "stratum", lambda r: [(v.stratum, v.estimate) for v in r.quotient.strata]),
        (below, "length", lambda r: [((v.shortest, v.longest), v.estimate) for v in r.by_length]),
    ]
    for axes, kind, values in parts:
        places = sorted({place for record in agents for place, _ in values(record)})
        for index, record in enumerate(agents):
            shift = 0.5 * (index + 0.5) / len(agents) - 0.25
            x = [places.index(place) + shift for place, _ in values(record)]
            _series(axes, x, [estimate for _, estimate in values(record)], index, _at_length(record))
            rows += [
                (record.agent, record.length, kind, _place(place), *estimate.cells(), estimate.n)
                for place, estimate in values(record)
            ]
        axes.set_xticks(range(len(places)), [_place(place) for place in places])
        axes.set_ylabel("mean reward\n(−100 to 100)")
        style.grid(axes, "y")
    above.set_xlabel("stratum (1–10: reward copies an action; 11–20: by length; 0: all)")
    below.set_xlabel("program length (instructions)")
    _legend(figure, above)
    caption = (
        f"Mean reward of {counted(len(agents), 'agent')}, each at its longest episodes, by stratum of the programs "
        "(above) and by program length (below). "
        f"{style.interval_sentence([v.estimate for r in agents for v in r.quotient.strata])}"
    )
    table = Table.of(("agent", "length", "by", "place", *bounds("mean"), "pairs"), rows)
    words = ", ".join(f"{r.label} {style.number(r.quotient.estimate.value)}" for r in agents)
    return finish(figure, table, caption, f"Mean reward by stratum and by program length; over all programs: {words}.")


@figure("algorithmic-effort", "context depth (bits)", "search effort (simulations a cycle)", "algorithmic quotient")
def algorithmic_effort(quotients: Quotients) -> Drawing:
    """Draw the quotient of MC-AIXI, the most numerous that is alike in all else, by depth and effort (Figure 2)."""
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
    left.set_ylabel(QUOTIENT)
    both = [axes.get_legend_handles_labels() for axes in (left, right)]
    figure.legend(both[0][0] + both[1][0], both[0][1] + both[1][1], loc="outside lower center", ncols=4)
    estimates = [record.quotient.estimate for record in records]
    caption = (
        f"Algorithmic quotient of MC-AIXI at {length} cycles against the depth of its context (left) and the "
        f"simulations a cycle (right), all else equal. {style.interval_sentence(estimates)}"
    )
    names = ("agent", "length", "depth", "simulations", "horizon", *bounds("quotient"))
    rows = [(r.agent, length, *(_whole(r, word) for word in names[2:5]), *r.quotient.estimate.cells()) for r in records]
    alt = ", ".join(f"depth {row[2]} and {row[3]} simulations {style.number(float(row[5] or 0))}" for row in rows)
    return finish(figure, Table.of(names, rows), caption, f"MC-AIXI: {alt}.")


def _effort(axes: Axes, records: Sequence[AgentQuotient], across: str, fixed: str, first: int) -> None:
    for index, value in enumerate(sorted({_whole(record, fixed) for record in records})):
        mine = sorted((r for r in records if _whole(r, fixed) == value), key=lambda r: _whole(r, across))
        label = f"{value} simulations" if fixed == "simulations" else f"depth {value}"
        _series(axes, [_whole(r, across) for r in mine], [r.quotient.estimate for r in mine], first + index, label)
    places = sorted({_whole(record, across) for record in records})
    ticks = _apart(places, lambda before, tick: tick - before >= 0.12 * (places[-1] - places[0]))
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    style.grid(axes)


@figure("algorithmic-programs", "program length (instructions)", "share of programs", "sampled programs")
def algorithmic_programs(quotients: Quotients) -> Drawing:
    """Draw the cumulative distribution of program lengths (Legg and Veness 2013, Figure 3).

    Dashed: the sample; else the programs of the pairs that the sampler ran for each agent at its longest episodes.
    """
    agents = {name: records[-1] for name, records in by_agent(quotients).items()}
    figure = style.new_figure(style.DOUBLE, 3.2)
    axes = figure.subplots()
    sampled = _cumulative(quotients.sample.lengths)
    last = max(int(np.searchsorted(sampled, SHOWN)) + 1, 3)
    lines = {"sampled": sampled}
    look: dict[str, Any] = {"where": "post", "color": style.BLACK, "linestyle": "--", "linewidth": 1.8, "zorder": 4}
    axes.step(np.arange(sampled.size), sampled, label="sampled programs", **look)
    for index, (name, record) in enumerate(agents.items()):
        if record.lengths.sum() == 0:
            raise InputError(f"agent {name} has no pair of trials without failure; run it on more programs")
        lines[name] = line = _cumulative(record.lengths)
        look |= {"color": style.colour(index), "linestyle": style.line(index), "linewidth": 1.0, "zorder": 3}
        axes.step(np.arange(line.size), line, label=_at_length(record), **look)
    axes.set_xlim(0, last)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("program length (instructions)")
    axes.set_ylabel("share of programs\nof at most this length")
    style.grid(axes)
    _legend(figure, axes)
    share = float(sampled[min(10, sampled.size - 1)])
    caption = (
        f"Cumulative distribution of the lengths of {quotients.sample.size:,} sampled programs (dashed) and of the "
        f"programs that the sampler gave to each agent at its longest episodes; {share:.0%} of the sampled programs "
        f"have 10 instructions or fewer. Lengths up to the {SHOWN:.0%} quantile of the sample are drawn. These are "
        "counts, without intervals."
    )
    rows = [
        (name, length, float(line[length]))
        for name, line in lines.items()
        for length in range(min(line.size, last + 1))
    ]
    alt = f"Of the sampled programs {share:.0%} have 10 instructions or fewer; of those used by " + ", ".join(
        f"{agents[name].label} {lines[name][min(10, lines[name].size - 1)]:.0%}" for name in agents
    )
    return finish(figure, Table.of(("agent", "length", "share_at_most"), rows), caption, f"{alt}.")


def _legend(figure: Figure, axes: Axes) -> None:
    """Put the key under the figure, in as many columns as its words allow; more than two rows make it higher."""
    labels = axes.get_legend_handles_labels()[1]
    longest = max(len(label) for label in labels)
    columns = max(1, min(5, int(figure.get_figwidth() * 15 / (longest + 7))))
    figure.set_figheight(figure.get_figheight() + 0.16 * max(0, math.ceil(len(labels) / columns) - 2))
    style.legend_below(figure, axes, columns)


def _series(axes: Axes, x: Sequence[float], estimates: Sequence[Estimate], index: int, label: str) -> None:
    ink = style.colour(index)
    values = [estimate.value for estimate in estimates]
    axes.plot(x, values, color=ink, linestyle=style.line(index), marker=style.marker(index), label=label, zorder=3)
    style.interval_bars(axes, "y", estimates, np.asarray(x, dtype=np.float64), ink)


def _apart(places: Iterable[int], far: Callable[[int, int], bool]) -> list[int]:
    """Return the first place, and each that is far enough from the one taken before."""
    ticks: list[int] = []
    for place in places:
        ticks += [place] if not ticks or far(ticks[-1], place) else []
    return ticks


def _cumulative(counts: np.ndarray) -> Floats:
    return np.asarray(np.cumsum(counts) / np.sum(counts), dtype=np.float64)


def _but_effort(record: AgentQuotient) -> tuple[int, str]:
    """Return the length, and in words all parameters but depth and search effort."""
    rest = {name: value for name, value in record.parameters.items() if name not in ("depth", "simulations")}
    return record.length, repr(sorted(rest.items()))


def _whole(record: AgentQuotient, name: str) -> int:
    return int(record.parameters[name])


def _cycles(length: int) -> str:
    return f"{length // 1000}k" if length >= 1000 and length % 1000 == 0 else str(length)


def _at_length(record: AgentQuotient) -> str:
    return f"{record.label} ({_cycles(record.length)} cycles)"


def _place(place: object) -> str:
    if isinstance(place, tuple):
        return str(place[0]) if place[0] == place[1] else f"{place[0]}–{place[1]}"
    return str(place)


FIGURES = {name: draw for name, draw in drawing.FIGURES.items() if name.startswith("algorithmic-")}
