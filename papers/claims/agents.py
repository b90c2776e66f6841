"""Claims about agents: Figures 20, 21, 28 and 29 of the 2025 paper."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import rankdata

from aiq.records.arrays import Floats
from papers.claims.base import Check, Reading
from papers.claims.evidence import Agents, Evidence, LackingError
from papers.claims.numbers import Margin
from papers.claims.shapes import DROWNED, FEWEST, Group, above, correlation, difference, drowned, reflected

CONVERGED = 14
"""Nodes up to which Fig. 21 is drawn: until convergence."""
LINEAR = 0.05
"""Difference of the departures from a line that the power assumes."""
NOISE = 0.25
"""Share of noise in the differences of a score up to which the test of linearity was found to hold its level."""


UNPUBLISHED = (
    "it is about the places of five systems, of which four are not published, nor are their scores on each level; the "
    "places of other agents say nothing of these (our own kinds after them: docs/runs/novelty.md)"
)
"""Why the claim of Fig. 29 cannot be checked."""


def agents_of(e: Evidence, control: bool) -> Agents:
    """Return the agents of a run of the AIQ benchmark, or of CartPole3D.

    Raises:
        LackingError: there are none, or the run is of another suite.
    """
    if control:
        e.need_levels()
    else:
        e.benchmark()
    if e.agents is None or len(e.agents.mean_draws) < FEWEST:
        raise LackingError("the run has no agents with replicates")
    return e.agents


def _groups(found: Agents, most: int | None) -> list[Group]:
    """Return the depths that have four widths or more, each with its widths and agents."""
    groups: list[Group] = []
    for layers in found.depths:
        places = [p for p in found.of_depth(layers) if most is None or found.width(p) <= most]
        if len(places) >= 4:
            groups.append(([float(found.width(p)) for p in places], places))
    if not groups:
        raise LackingError("no depth has agents of four numbers of nodes")
    return groups


def _linear(e: Evidence, most: int | None) -> Reading:
    """AIQ is more nearly linear in the number of nodes, up to so many, than the mean."""
    found = agents_of(e, control=False)
    groups = _groups(found, most)
    for score, drawn in ((found.mean, found.mean_draws), (found.relative, found.relative_draws)):
        if any(_noisy(score[list(at)], _whole(drawn[:, list(at)])) for _, at in groups):
            return Reading([Margin(0.0)], note=f"noise is more than {NOISE:.0%} of the differences between agents")
    ours, drawn = difference(groups, found.mean, found.relative, found.mean_draws, found.relative_draws)
    low, high = np.quantile(drawn, [0.025, 0.975])
    note = f"departure of the mean less that of AIQ, {len(groups)} depths, {sum(len(p) for _, p in groups)} agents"
    return Reading([Margin(ours, LINEAR, draws=drawn)], ours, (float(low), float(high)), note)


def _falls_again(e: Evidence) -> Reading:
    """Agents of one layer: AIQ at 14 nodes or the next fewer less that at the most nodes."""
    found = agents_of(e, control=False)
    places = found.of_depth(1)
    few = [p for p in places if found.width(p) <= CONVERGED]
    if not few or places[-1] == few[-1]:
        raise LackingError("no agent of one layer is wider than 14 nodes")
    drawn = found.relative_draws[:, few[-1]] - found.relative_draws[:, places[-1]]
    return above(float(found.relative[few[-1]] - found.relative[places[-1]]), drawn, 0.0, 0.05)


def _whole(drawn: Floats) -> Floats:
    """Return the draws (B, k) in which every number is finite."""
    return np.asarray(drawn[np.isfinite(drawn).all(axis=1)])


def _noisy(score: Floats, drawn: Floats) -> bool:
    """Whether a score is too noisy for its shape to be told; what scales all agents alike changes no shape."""
    scale = drawn @ score / float(score @ score)
    return drowned(score, drawn / scale[:, None], NOISE)


def _f28_order(e: Evidence) -> Reading:
    """Rank correlation of AIQ and mean over the agents."""
    found = agents_of(e, control=True)
    if len(found.names) < 6:
        raise LackingError("six agents are needed")

    def ranks(values: Floats) -> Floats:
        return np.asarray(rankdata(values, axis=1))

    whole = np.isfinite(found.relative_draws).all(axis=1)
    if drowned(found.mean, found.mean_draws[whole]) or drowned(found.relative, found.relative_draws[whole]):
        return DROWNED
    drawn = correlation(ranks(found.mean_draws[whole]), ranks(found.relative_draws[whole]))
    ours = float(correlation(ranks(found.mean[None]), ranks(found.relative[None]))[0])
    return above(ours, reflected(ours, drawn), 0.9, 1.0)


def _f28_one_layer(e: Evidence) -> Reading:
    found = agents_of(e, control=True)
    places = found.of_depth(1)
    if not places:
        raise LackingError("no agent has one layer")
    drawn = {p: found.relative_draws[:, p] for p in places}
    margins = [
        Margin(0.05 - float(found.relative[p]), 0.05, draws=0.05 - drawn[p][np.isfinite(drawn[p])]) for p in places
    ]
    ours = max(float(found.relative[p]) for p in places)
    return Reading(margins, ours, None, "the largest AIQ of one layer is shown")


def _f28_gap(e: Evidence) -> Reading:
    """3 to 5 layers over 2 layers at the most nodes: the log ratio of AIQ less that of the mean."""
    found = agents_of(e, control=True)
    two, deep = found.of_depth(2), [found.of_depth(layers) for layers in (3, 4, 5)]
    if not two or not all(deep):
        raise LackingError("agents of 2, 3, 4 and 5 layers are needed")
    width = min(found.width(places[-1]) for places in (two, *deep))
    at = [p for places in (two, *deep) for p in places if found.width(p) == width]
    if len(at) != 4:
        raise LackingError("2, 3, 4 and 5 layers have no number of nodes in common")
    first, others = at[0], at[1:]

    def gap(aiq: Floats, mean: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(
                np.log(aiq[:, others].mean(axis=1) / aiq[:, first])
                - np.log(mean[:, others].mean(axis=1) / mean[:, first])
            )

    ours = float(gap(found.relative[None], found.mean[None])[0])
    if not np.isfinite(ours):
        raise LackingError("an agent has no volume")
    return above(ours, gap(found.relative_draws, found.mean_draws), 0.0, 0.5, "log of the ratio of the ratios")


def _f29(e: Evidence) -> Reading:
    """Rank of the baseline by mean APTI less that by the AIQ of APTI, among the five systems."""
    found = agents_of(e, control=True)
    if "baseline" not in found.names or len(found.names) < 5:
        raise LackingError(UNPUBLISHED)
    if found.apti is None or found.apti_draws is None or found.apti_aiq is None or found.apti_aiq_draws is None:
        raise LackingError("the run has no baseline, so no APTI")
    at = found.names.index("baseline")

    def places(aiq: Floats, apti: Floats) -> Floats:
        by = [(-values).argsort(axis=1).argsort(axis=1)[:, at] for values in (aiq, apti)]
        return np.asarray(by[1] - by[0], dtype=np.float64)

    whole = np.isfinite(found.apti_aiq_draws).all(axis=1)
    drawn = places(found.apti_aiq_draws[whole], found.apti_draws[whole])
    ours = float(places(found.apti_aiq[None], found.apti[None])[0])
    return above(ours, drawn, 0.5, 1.0, "places that the AIQ of APTI lifts the baseline over mean APTI")


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "F20": (lambda e: _linear(e, None), _falls_again),
    "F21": (lambda e: _linear(e, CONVERGED),),
    "F28": (_f28_order, _f28_one_layer, _f28_gap),
    "F29": (_f29,),
}
"""Claim -> the check of each of its statements."""
