"""Claims about played domains and about agents: Figures 7, 8, 14, 19 to 21 and 23 to 29 of the 2025 paper."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from aiq.records.estimate import Floats
from papers.claims import Reading, shapes
from papers.claims.evidence import Agents, Evidence, LackingError, pair_name
from papers.claims.numbers import Margin
from papers.claims.shapes import DROWNED, above, less, through

CONVERGED = 14  # nodes up to which Fig. 21 is drawn: until convergence
LINEAR = 0.05  # difference of the departures from a line that the power assumes
NOISE = 0.25
"""Share of noise in the differences of a score up to which the test of linearity was found to hold its level."""
UNPUBLISHED = (
    "it is about the places of five systems, of which four are not published, nor are their scores on each level; the "
    "places of other agents say nothing of these (our own kinds after them: docs/runs/novelty.md)"
)

# ---- CartPole ------------------------------------------------------------------------------------


def _gravities(e: Evidence, low: float, high: float) -> shapes.Places:
    """Return the gravities in a range; other forces left out."""
    places = [(g, n) for g, n in e.along("cartpole", "gravity", 9.8) if low <= g <= high]
    return [(g, n) for g, n in places if e.domains[n].get("force", 10.0) == 10.0]


def gravity(e: Evidence, what: str, rise: float) -> Reading:
    """A number rises or falls over the gravities from 150 to 1000."""
    places = e.measured(what, _gravities(e, 150, 1000), 3, "gravities from 150 to 1000")
    return through(e, what, places, rise=rise)


def apart(e: Evidence) -> Reading:
    """Areas correlate with the difference of gravity, over the pairs of gravities of at most 200, self-pairs too."""
    d, places = e.numbers("dissimilarity"), _gravities(e, -math.inf, 200)
    pairs = [
        (pair_name(n, o), abs(g - h)) for i, (g, n) in enumerate(places) for h, o in places[i:] if pair_name(n, o) in d
    ]
    if len(pairs) < 6:
        raise LackingError(f"six pairs of gravities from 0 to 200 are needed, {len(pairs)} are in the run")
    at, gaps = [d.names.index(name) for name, _ in pairs], np.array([gap for _, gap in pairs])
    drawn = d.draws("F14")[:, at]
    if shapes.drowned(d.values[at], drawn):
        return DROWNED
    ours = float(shapes.correlation(d.values[None, at], gaps[None])[0])
    return above(ours, shapes.reflected(ours, shapes.correlation(drawn, np.tile(gaps, (len(drawn), 1)))), 0.5, 0.7)


def symmetric(e: Evidence, levels: bool = False) -> Reading:
    """The two orders of a pair differ by less than the mean area of different pairs, beyond noise."""
    if levels:
        e.need_levels()
    if e.asymmetry is None:
        raise LackingError("the two orders of the pairs were not measured apart")
    d = e.numbers("dissimilarity")
    off = [name for a, b in combinations(e.domains, 2) if (name := pair_name(a, b)) in d]
    if not off:
        raise LackingError("there are no pairs of different domains")
    mean = d.margin({name: 1 / len(off) for name in off})
    gap, se = e.asymmetry
    error = float(np.hypot(mean.error or 0.0, se))
    return Reading([Margin(mean.value - gap, mean.value, error, mean.df)], gap, Margin(gap, se=se).bounds())


# ---- levels of CartPole3D ------------------------------------------------------------------------


def _level(e: Evidence, *levels: int) -> list[str]:
    """Return the domains of some levels, all of which must have a complexity."""
    complexity = e.numbers("complexity")
    measured = {name: settings for name, settings in e.domains.items() if name in complexity}
    return replace(e, domains=measured).need_levels(*levels)


def _others(e: Evidence, *aside: int) -> list[str]:
    """Return the other levels that were measured, level 0 (no novelty) left out."""
    complexity = e.numbers("complexity")
    names = [name for level, name in sorted(e.levels().items()) if level not in (0, *aside) and name in complexity]
    if len(names) < 3:
        raise LackingError("three further levels are needed")
    return names


def high(e: Evidence, size: float) -> Reading:
    """Levels 1, 8 and 9 are above the mean of the others."""
    names, others, c = _level(e, 1, 8, 9), _others(e, 1, 8, 9), e.numbers("complexity")
    return Reading([c.margin({name: 1.0} | {o: -1 / len(others) for o in others}, size) for name in names])


def flat(e: Evidence, size: float) -> Reading:
    """Every other level is near the mean of them."""
    others, c = _others(e, 1, 8, 9), e.numbers("complexity")

    def from_mean(name: str, sign: float = 1.0) -> dict[str, float]:
        weights = {o: -sign / len(others) for o in others}
        weights[name] += sign
        return weights

    margins = [c.margin(from_mean(name, sign), size, size) for name in others for sign in (1.0, -1.0)]
    mean = np.mean([c[o] for o in others])
    worst = max(others, key=lambda o: abs(c[o] - mean))
    return Reading(margins, float(c[worst] - mean), c.margin(from_mean(worst)).bounds(), f"{worst} departs most")


def far(e: Evidence) -> Reading:
    """Levels 2 and 3 with the rest farther apart than the rest among themselves."""
    two, rest = _level(e, 2, 3), _others(e, 2, 3)
    apart = [e.pair(a, b) for a in two for b in rest]
    return less(e, [e.pair(a, b) for a, b in combinations(dict.fromkeys(rest), 2)], apart)


def near(e: Evidence) -> Reading:
    """Levels 2 and 3 nearer to each other than to the rest."""
    two, rest = _level(e, 2, 3), _others(e, 2, 3)
    return less(e, [e.pair(*two)], [e.pair(a, b) for a in two for b in rest])


# ---- spaces --------------------------------------------------------------------------------------


def dimensions(e: Evidence, levels: bool, least: int, low: float, high: float) -> Reading:
    """The number of dimensions lies between two numbers; whole numbers have no power."""
    (e.need_levels if levels else e.benchmark)()
    if e.places is None:
        raise LackingError("the run has no space")
    if len(e.places.domains) < least:
        raise LackingError(f"{least} domains are needed, {len(e.places.domains)} are in the run")
    kept, drawn = float(e.places.dimensions), np.asarray(e.places.dimension_draws, dtype=np.float64)
    if drawn.size == 0:
        raise LackingError("the number of dimensions has no replicates")
    margins = [Margin(kept - low, draws=drawn - low), Margin(high - kept, draws=high - drawn)]
    ends = np.quantile(drawn, [0.025, 0.975])
    return Reading(margins, kept, (float(ends[0]), float(ends[1])))


def vertices(e: Evidence) -> Reading:
    """Levels 3, 4, 14 and 15 are vertices of the hull."""
    if e.places is None:
        raise LackingError("the run has no space")
    shares = [e.places.vertex_shares[name] for name in e.need_levels(3, 4, 14, 15)]
    margins = [Margin(s - 0.5, draws=np.where(np.arange(1000) < 1000 * s, 0.5, -0.5)) for s in shares]
    return Reading(margins, min(shares), None, "the smallest share of replicates in which one is a vertex is shown")


# ---- agents --------------------------------------------------------------------------------------


def _agents(e: Evidence, levels: bool) -> Agents:
    """Return the agents of a run of CartPole3D, or of the AIQ benchmark."""
    (e.need_levels if levels else e.benchmark)()
    if e.agents is None or len(e.agents.mean_draws) < shapes.FEWEST:
        raise LackingError("the run has no agents with replicates")
    return e.agents


def linear(e: Evidence, converged: bool) -> Reading:
    """AIQ is more nearly linear in the number of nodes than the mean: over all of them, or until convergence."""
    agents = _agents(e, levels=False)
    groups: list[shapes.Group] = []
    for layers in agents.depths:
        places = [p for p in agents.of_depth(layers) if not converged or agents.width(p) <= CONVERGED]
        if len(places) >= 4:
            groups.append(([float(agents.width(p)) for p in places], places))
    if not groups:
        raise LackingError("no depth has agents of four numbers of nodes")
    for score, drawn in ((agents.mean, agents.mean_draws), (agents.relative, agents.relative_draws)):
        if any(_noisy(score[list(at)], drawn[:, list(at)]) for _, at in groups):
            return Reading([Margin(0.0)], note=f"noise is more than {NOISE:.0%} of the differences between agents")
    ours, drawn = shapes.difference(groups, agents.mean, agents.relative, agents.mean_draws, agents.relative_draws)
    low, high = np.quantile(drawn, [0.025, 0.975])
    note = f"departure of the mean less that of AIQ, {len(groups)} depths, {sum(len(p) for _, p in groups)} agents"
    return Reading([Margin(ours, LINEAR, draws=drawn)], ours, (float(low), float(high)), note)


def _noisy(score: Floats, drawn: Floats) -> bool:
    """Whether a score is too noisy for its shape to be told; what scales all agents alike changes no shape."""
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    scale = drawn @ score / float(score @ score)
    return shapes.drowned(score, drawn / scale[:, None], NOISE)


def falls_again(e: Evidence) -> Reading:
    """Agents of one layer: AIQ at 14 nodes or the next fewer less that at the most nodes."""
    agents = _agents(e, levels=False)
    places = agents.of_depth(1)
    few = [p for p in places if agents.width(p) <= CONVERGED]
    if not few or places[-1] == few[-1]:
        raise LackingError("no agent of one layer is wider than 14 nodes")
    drawn = agents.relative_draws[:, few[-1]] - agents.relative_draws[:, places[-1]]
    return above(float(agents.relative[few[-1]] - agents.relative[places[-1]]), drawn, 0.0, 0.05)


def same_order(e: Evidence) -> Reading:
    """Rank correlation of AIQ and mean over the agents."""
    agents = _agents(e, levels=True)
    if len(agents.names) < 6:
        raise LackingError("six agents are needed")
    whole = np.isfinite(agents.relative_draws).all(axis=1)
    means, scores = agents.mean_draws[whole], agents.relative_draws[whole]
    if shapes.drowned(agents.mean, means) or shapes.drowned(agents.relative, scores):
        return DROWNED
    drawn = shapes.correlation(rankdata(means, axis=1), rankdata(scores, axis=1))
    ours = float(shapes.correlation(rankdata(agents.mean)[None], rankdata(agents.relative)[None])[0])
    return above(ours, shapes.reflected(ours, drawn), 0.9, 1.0)


def one_layer(e: Evidence) -> Reading:
    """AIQ of every agent of one layer is almost 0."""
    agents = _agents(e, levels=True)
    places = agents.of_depth(1)
    if not places:
        raise LackingError("no agent has one layer")
    drawn = {p: agents.relative_draws[:, p] for p in places}
    margins = [
        Margin(0.05 - float(agents.relative[p]), 0.05, draws=0.05 - drawn[p][np.isfinite(drawn[p])]) for p in places
    ]
    ours = max(float(agents.relative[p]) for p in places)
    return Reading(margins, ours, None, "the largest AIQ of one layer is shown")


def gap(e: Evidence) -> Reading:
    """3 to 5 layers over 2 layers at the most nodes: the log ratio of AIQ less that of the mean."""
    agents = _agents(e, levels=True)
    depths = [agents.of_depth(layers) for layers in (2, 3, 4, 5)]
    if not all(depths):
        raise LackingError("agents of 2, 3, 4 and 5 layers are needed")
    width = min(agents.width(places[-1]) for places in depths)
    at = [p for places in depths for p in places if agents.width(p) == width]
    if len(at) != 4:
        raise LackingError("2, 3, 4 and 5 layers have no number of nodes in common")

    def ratio(scores: Floats) -> Floats:
        return np.asarray(np.log(scores[:, at[1:]].mean(axis=1) / scores[:, at[0]]))

    with np.errstate(divide="ignore", invalid="ignore"):
        ours = float((ratio(agents.relative[None]) - ratio(agents.mean[None]))[0])
        drawn = ratio(agents.relative_draws) - ratio(agents.mean_draws)
    if not np.isfinite(ours):
        raise LackingError("an agent has no volume")
    return above(ours, drawn, 0.0, 0.5, "log of the ratio of the ratios")


def baseline_lifted(e: Evidence) -> Reading:
    """Rank of the baseline by mean APTI less that by the AIQ of APTI, among the five systems."""
    agents = _agents(e, levels=True)
    if "baseline" not in agents.names or len(agents.names) < 5:
        raise LackingError(UNPUBLISHED)
    if agents.apti is None or agents.apti_draws is None or agents.apti_aiq is None or agents.apti_aiq_draws is None:
        raise LackingError("the run has no baseline, so no APTI")
    at = agents.names.index("baseline")

    def places(scores: Floats) -> Floats:
        return np.asarray((-scores).argsort(axis=1).argsort(axis=1)[:, at], dtype=np.float64)

    whole = np.isfinite(agents.apti_aiq_draws).all(axis=1)
    drawn = places(agents.apti_draws[whole]) - places(agents.apti_aiq_draws[whole])
    ours = float((places(agents.apti[None]) - places(agents.apti_aiq[None]))[0])
    return above(ours, drawn, 0.5, 1.0, "places that the AIQ of APTI lifts the baseline over mean APTI")
