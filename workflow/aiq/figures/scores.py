"""Agents' scores, alone and by size; what tests count in them, and sources of their variance (2025: Figs. 20 to 29)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, MultipleLocator, NullFormatter, PercentFormatter, ScalarFormatter

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, caution, figure, finish
from aiq.records.estimate import Estimate, Floats, cells
from aiq.records.quotient import THE_HEADLINE, AgentScore, Scores
from aiq.records.table import Table, bounds, counted
from aiq.records.variance import ALL, Variances

# ---- All agents, best first ----------------------------------------------------------------------


@figure("agents", "score and mean performance", "relative AIQ, given d")
def agent_scores(scores: Scores, *, scaled_by: str = "performance") -> Drawing:
    """Draw the headline of each agent beside its AIQ, per dimension and relative, and mean performance, best first.

    ``scaled_by``: what scaled the points, ``performance`` or ``APTI``.

    Raises:
        InputError: there is no agent.
    """
    agents = scores.agents
    if not agents:
        raise InputError("there is no agent whose score could be drawn; add at least one")
    figure = style.new_figure(style.DOUBLE, 0.3 * len(agents) + 1.5)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.6, 1))
    rows = style.name_rows(left, [f"{agent.rank_words}. {agent.agent}" for agent in agents])
    series = _series(scores, scaled_by)
    for index, (label, estimates) in enumerate(series.items()):
        style.series(left, estimates, rows + 0.2 * (index - (len(series) - 1) / 2), index, label)
    words = f"relative AIQ, given d = {scores.dimensions}"
    style.series(right, [agent.relative for agent in agents], rows, 0, words)
    left.set_xlim(-0.02, 1.02)
    left.set_xlabel(f"score and mean {scaled_by}")
    right.set_xlim(left=0 - 0.02 * right.get_xlim()[1])
    right.set_xlabel(words)
    right.tick_params(axis="y", length=0)
    for axes in (left, right):
        style.grid(axes)
    style.legend_below(figure, left, columns=3)
    flat = ", ".join(agent.agent for agent in agents if agent.hull.rank < agent.hull.dimension)
    flat = f" Without volume because their points span fewer dimensions: {flat}." if flat else ""
    *most, last = series
    estimates = [estimate for several in series.values() for estimate in several]
    caption = (
        f"Scores of {counted(len(agents), 'agent')} over {len(scores.domains)} domains in "
        f"{counted(scores.dimensions, 'dimension')}, best first: {', '.join(most)} and {last} (left), and "
        f"volume relative to an agent at {scaled_by} 1 everywhere, given the number of dimensions (right). "
        f"{style.interval_sentence(estimates)}{as_sentence(scores.note)}{flat}{caution(scores.warnings)}"
    )
    alt = "; ".join(
        f"{a.agent} {style.number(a.headline.value)}, AIQ per dimension {style.number(a.per_dimension.value)}, "
        f"relative {style.number(a.relative.value)}, mean {style.number(a.mean.value)}"
        for a in agents
    )
    return finish(figure, _table(scores), caption, f"Agents, best first: {alt}.")


def _series(scores: Scores, scaled_by: str) -> dict[str, list[Estimate]]:
    agents, series = scores.agents, {}
    if scores.headline == "skills" and any(np.isfinite(agent.headline.value) for agent in agents):
        series["mean over independent skills"] = [agent.headline for agent in agents]
    series["AIQ per dimension"] = [agent.per_dimension for agent in agents]
    geometric = [agent.geometric_mean for agent in agents if agent.geometric_mean is not None]
    if scores.headline != "skills" and len(geometric) == len(agents):
        series[f"geometric mean {scaled_by}"] = geometric
    return {**series, f"mean {scaled_by}": [agent.mean for agent in agents]}


def _table(scores: Scores) -> Table:
    names = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
    columns = ("rank", "agent", *bounds("value", *names), "probability_above_next", "span_dimension", "vertices")
    rows = []
    for agent in scores.agents:
        numbers = cells(agent.headline, *(getattr(agent, name) for name in names))
        rows.append((agent.rank_words, agent.agent, *numbers, agent.order, agent.hull.rank, " ".join(agent.vertices)))
    return Table.of(columns, rows)


# ---- Agents of known size ------------------------------------------------------------------------


@figure("handicap", "nodes per layer", "mean performance", "AIQ (relative)", "1 layer")
def handicap(scores: Scores, networks: Mapping[str, tuple[int, int]], *, even: bool = False) -> Drawing:
    """Draw mean performance and relative AIQ of agents against their width, one line for each number of layers.

    Args:
        scores: the agents' scores over one suite.
        networks: agent -> (hidden layers, nodes per layer); agents that are not named are left out.
        even: the axis of nodes is even, on which a straight line is one; else every doubling is a step.

    Raises:
        InputError: no scored agent is named.
    """
    groups: dict[int, list[tuple[int, AgentScore]]] = {}
    for agent in scores.agents:
        if agent.agent in networks:
            layers, width = networks[agent.agent]
            groups.setdefault(layers, []).append((width, agent))
    if not groups:
        raise InputError("none of the scored agents is a network of known size; add at least one under agents.networks")
    groups = {layers: sorted(groups[layers], key=lambda member: member[0]) for layers in sorted(groups)}
    every = sorted({width for group in groups.values() for width, _ in group})
    figure = style.new_figure(style.DOUBLE, 2.9)
    left, right = figure.subplots(1, 2)
    for k, (layers, group) in enumerate(groups.items()):
        places = _aside([width for width, _ in group], k, 0.008 * (every[-1] - every[0]) if even else 0.0)
        _line(left, places, [agent.mean for _, agent in group], k, counted(layers, "layer"))
        _line(right, places, [agent.relative for _, agent in group], k, counted(layers, "layer"))
    for axes in (left, right):
        style.grid(axes)
        _nodes(axes, every, even)
        axes.set_xlabel("nodes per layer")
        axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
    left.set_ylabel("mean performance")
    right.set_ylabel("AIQ (relative)")
    style.legend_below(figure, left, columns=5)
    drawn = [(layers, width, agent) for layers, group in groups.items() for width, agent in group]
    columns = ("layers", "width", "agent", *bounds("mean", "relative"))
    rows = [(layers, width, a.agent, *a.mean.cells(), *a.relative.cells()) for layers, width, a in drawn]
    estimates = [estimate for _, _, agent in drawn for estimate in (agent.relative, agent.mean)]
    caption = (
        f"Mean performance (left) and AIQ relative to an agent at performance 1 everywhere (right) of "
        f"{counted(len(drawn), 'network')} against their nodes per layer, one line for each number of layers; "
        f"{len(scores.domains)} domains, {counted(scores.dimensions, 'dimension')}. "
        f"{style.interval_sentence(estimates)}"
    )
    words = "; ".join(
        f"{a.agent} mean {style.number(a.mean.value)}, AIQ {style.number(a.relative.value)}" for _, _, a in drawn
    )
    return finish(figure, Table.of(columns, rows), caption, f"Agents by size: {words}.")


def _nodes(axes: Axes, widths: Sequence[int], even: bool) -> None:
    if even and len(widths) > 1:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
        return
    if len(widths) > 1:
        axes.set_xscale("log", base=2)
    axes.set_xticks(widths)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_formatter(NullFormatter())


def _aside(widths: Sequence[int], index: int, step: float) -> Floats:
    """Return the places of one depth, moved a little aside so that intervals do not cover one another."""
    at = np.array(widths, dtype=np.float64)
    return at + step * (index - 1) if step else at * 2 ** (0.05 * (index - 2))


def _line(axes: Axes, places: Floats, estimates: Sequence[Estimate], index: int, label: str) -> None:
    style.interval_bars(axes, "y", estimates, places, style.colour(index))
    axes.plot(
        places, [e.value for e in estimates], marker=style.marker(index), linestyle=style.line(index),
        color=style.colour(index), label=label, zorder=3,
    )  # fmt: skip


# ---- What each test counts in the mean over independent skills -----------------------------------


_PARTS = {"weight": "weight", "hardness": "hardness (relative excess)", "uniqueness": "uniqueness"}


@figure("tests", "weight", "uniqueness")
def test_weights(scores: Scores) -> Drawing:
    """Draw the weight of each test in the headline, and the two numbers that it is made of, heaviest first.

    Raises:
        InputError: the scores are of an earlier version, which knew no weights.
    """
    if scores.skills is None:
        raise InputError("these scores are of an earlier version, which knew no weights of tests; score again")
    weights = scores.skills.weights
    tests = sorted(weights.tests, key=lambda test: (-test.weight.value, test.domain))
    figure = style.new_figure(style.DOUBLE, 0.28 * len(tests) + 1.2)
    axes = figure.subplots(1, 3, sharey=True)
    rows = style.name_rows(axes[0], [test.domain for test in tests])
    for index, (part, (name, words)) in enumerate(zip(axes, _PARTS.items(), strict=True)):
        style.grid(part, "x")
        style.series(part, [getattr(test, name) for test in tests], rows, index)
        part.set_xlabel(words)
        part.set_xlim(left=min(0.0, part.get_xlim()[0]))
        part.locator_params(axis="x", nbins=4)
        part.tick_params(axis="y", length=0)
    why = f" There is no headline: {weights.reason}." if weights.reason else ""
    caption = (
        f"What each of {len(tests)} tests counts in the mean over independent skills, heaviest first: its weight "
        "(left; all weights add up to 1) is its hardness (middle) times its uniqueness (right, 1 for a test that is "
        f"like no other, 1/m for each of m copies), over the sum of these products. They are "
        f"{style.estimate_words(weights.independent)} independent tests. "
        f"{style.interval_sentence([test.weight for test in tests])}{why}"
    )
    alt = "; ".join(
        f"{test.domain} weight {style.number(test.weight.value)}, hardness {style.number(test.hardness.value)}, "
        f"uniqueness {style.number(test.uniqueness.value)}"
        for test in tests
    )
    numbers = [(test.domain, *cells(*(getattr(test, name) for name in _PARTS))) for test in tests]
    return finish(figure, Table.of(("domain", *bounds(*_PARTS)), numbers), caption, f"Tests, heaviest first: {alt}.")


# ---- Sources of variance -------------------------------------------------------------------------


_MOST = 38  # agents that are drawn; all are in the table
_NOTE = {
    "skills": "A row adds up to 100 %. How well few repetitions tell the noise is not in it. Controls enter no score.",
    "volume": "A row adds up to 100 %. Below 0: scores vary more once the source is known. Bars tell how well the "
    "replicates\nsettle a share, not how well few repetitions tell the noise. Controls enter no score.",
}
_LEAST = (-0.25, 1.05)  # what every axis holds at least


@figure("variance", "share of the variance", ALL)
def variance(record: Variances) -> Drawing:
    """Draw the share of each source in the variance of the agents' values, one part of the figure per source."""
    agents = record.agents[:_MOST]
    rows = [*((agent.agent, agent.shares) for agent in agents), (ALL, record.together)]
    figure = style.new_figure(style.DOUBLE, 1.4 + 0.2 * max(len(rows), 4))
    parts = np.atleast_1d(figure.subplots(1, len(record.sources), sharey=True, sharex=True))
    for place, (axes, source) in enumerate(zip(parts, record.sources, strict=True)):
        _source(axes, source, rows, style.COLOURS[place], style.MARKERS[place])
    parts[0].set_yticks(range(len(rows)), [name for name, _ in rows])
    parts[0].set_ylim(len(rows) - 0.4, -0.6)
    what = f"the variance of {THE_HEADLINE[record.value]}"
    figure.supxlabel(f"share of {what}\n{_NOTE[record.value]}", fontsize=style.SMALL)
    words = "".join(map(as_sentence, record.sentences))
    if len(agents) < len(record.agents):
        words += f" Drawn are the first {len(agents)} of {len(record.agents)} agents."
    if not record.together:
        alt = "No share of any source of variance is known."
        return finish(figure, record.table(), f"Sources of {what}.{words}", alt)
    bars = f" Bars are 95 % intervals over {record.replicates} replicates." if record.replicates else ""
    caption = f"Sources of {what}, by agent and, filled, of all agents together.{bars}{words}"
    shares = ", ".join(f"{source} {share.value:.0%}" for source, share in record.together.items())
    return finish(figure, record.table(), caption, f"Shares of the variance of all agents' scores: {shares}.")


def _source(axes: Axes, source: str, rows: list[tuple[str, Mapping[str, Estimate]]], ink: str, mark: str) -> None:
    axes.set_title(source)
    style.grid(axes, "x")
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.axhline(len(rows) - 1.5, color=style.GREY, linewidth=0.6)
    axes.tick_params(axis="y", length=0)
    drawn = [(place, shares[source]) for place, (_, shares) in enumerate(rows) if source in shares]
    if drawn:
        places = np.array([place for place, _ in drawn], dtype=np.float64)
        style.interval_bars(axes, "x", [share for _, share in drawn], places)
    for place, share in drawn:
        last = place == len(rows) - 1
        axes.plot(share.value, place, mark, color=ink, mfc=ink if last else "white", markersize=5, zorder=3)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, _LEAST[0]), max(high, _LEAST[1]))
    axes.xaxis.set_major_locator(MultipleLocator(0.5 if drawn else 1))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
