"""What a dissimilarity is made of: starvation, confusion and transfer.

In a mixture each domain gets fewer samples. The control, p V_A(pN) + (1 - p) V_B((1 - p)N), has each domain trained
alone on as many: it shows what fewer samples cost, and nothing else. A mixture is scored over all outputs (the
paper) and, at no cost, over the outputs of a sample's own domain only (told which domain it is from). Then

    line - observed = (line - control) + (told - observed) + (control - told)
       signed area  =    starvation    +     confusion     +     transfer

as areas over p, exactly. All have the sign of the signed area: positive where they make mixtures do worse than the
line. (Where departures *from* the line are counted, observed - line, all signs are turned.) Transfer is negative
where domains help each other, as a domain helps itself. Confusion + transfer = control - observed is interference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq import stats
from aiq.errors import InputError
from aiq.measures import check_confidence
from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity.mixture_curves import trapezoid_weights
from aiq.records.dissimilarity import Alone, Part, Parts
from aiq.records.estimate import Estimate, Floats, StandardError

_SAME = 1e-9  # shares that differ by less are one


@dataclass(frozen=True, eq=False)
class _Group:
    """Trainings that no other group shares: values (R, K) and weights (K,) of each part; ``own`` of the pair itself."""

    parts: Mapping[str, tuple[Floats, Floats]]
    at: Floats | None
    own: bool


def decompose(
    proportions: npt.ArrayLike,
    performance: npt.ArrayLike,
    *,
    told: npt.ArrayLike | None = None,
    alone: Sequence[Alone] | None = None,
    ends: Sequence[npt.ArrayLike] | None = None,
    told_ends: Sequence[npt.ArrayLike] | None = None,
    paired: bool = False,
    confidence: float = 0.95,
    prior_df: float = stats.PRIOR_DF,
) -> Parts:
    """Measure what the signed area of a pair is made of, each part with a Student interval.

    Starvation and interference need ``alone``, confusion needs ``told``, transfer both. Intervals are None where one of
    the trainings behind a part was not repeated.

    Args:
        proportions: probability p of the first domain, (P,), distinct, 0 and 1 among them.
        performance: V_O of each repetition, (R, P); with ``ends`` (R, P - 2), without p = 0 and 1.
        told: performance of the same trainings when told which domain a sample is from, shape of ``performance``.
        alone: the control of the first and of the second domain (of one domain for a pair with itself): shares p of the
            first, 1 - p of the second, every one above 0 among them; with ``ends`` the share 1 is not read.
        ends: see ``aiq.measures.dissimilarity.measure``; they are the control at share 1 too.
        told_ends: performance of the same trainings as ``ends`` when told; None: as without being told.
        paired: see ``aiq.measures.dissimilarity.measure``, of mixtures and of domains alone.
        confidence: of the intervals.
        prior_df: see ``aiq.stats``.

    Raises:
        InputError: for performances outside [0, 1], or a missing share.
    """
    check_confidence(confidence)
    p = mixture_curves.grid(proportions)
    mixtures = _checked_mixtures(p, performance, told, ends, told_ends)
    groups, names, control = [_mixture_group(mixtures), *_end_groups(mixtures)], [], None
    if alone is not None:
        controls = [_checked_alone(domain) for domain in alone]
        groups += _alone_groups(mixtures, controls)
        names, control = ["starvation", "interference"], _control(mixtures, controls)
    if told is not None:
        names += ["confusion"] if alone is None else ["confusion", "transfer"]
    parts = {name: _part(name, groups, confidence, None if paired else prior_df) for name in names}
    return Parts(control=control, told=_told(mixtures), **parts)


def _mixture_group(mixtures: _Mixtures) -> _Group:
    inside = slice(None) if mixtures.ends is None else slice(1, -1)
    at, weights = mixtures.p[inside], trapezoid_weights(mixtures.p)[inside]
    parts = {"interference": (mixtures.observed, -weights)}
    if mixtures.ends is None:
        line = np.zeros(at.size)
        line[[0, -1]] = 0.5
        parts["starvation"] = (mixtures.observed, line)
    if mixtures.told is not None:
        parts["confusion"] = (mixtures.told - mixtures.observed, weights)
        parts["transfer"] = (mixtures.told, -weights)
    return _Group(parts, at, own=True)


def _end_groups(mixtures: _Mixtures) -> list[_Group]:
    """Return the shared ends: line, control at share 1 and mixture at p = 0 or 1 are the same trainings."""
    if mixtures.ends is None:
        return []
    weights = trapezoid_weights(mixtures.p)
    single = len(mixtures.ends) == 1
    on_line, on_curve = ([1.0], [weights[0] + weights[-1]]) if single else ([0.5, 0.5], [weights[-1], weights[0]])
    groups = []
    for (observed, told), half, t in zip(mixtures.ends, on_line, on_curve, strict=True):
        series = {
            "starvation": (half - t) * observed,
            "confusion": t * (told - observed),
            "transfer": t * (observed - told),
            "interference": 0.0 * observed,
        }
        groups.append(_Group({name: (v[:, None], np.ones(1)) for name, v in series.items()}, None, own=False))
    return groups


def _place(alone: Alone, share: float) -> int:
    """Return where a share stands, or refuse that it is missing."""
    place = int(np.argmin(np.abs(alone.shares - share)))
    if abs(alone.shares[place] - share) > _SAME:
        raise InputError(f"a domain alone was not measured at the share {share:g}; every proportion needs its control")
    return place


def _alone_groups(mixtures: _Mixtures, alone: Sequence[Alone]) -> list[_Group]:
    """Return the controls, at each domain's share of the samples in every mixture; ends that are shared left out."""
    t, weights = trapezoid_weights(mixtures.p), [np.zeros(control.shares.size) for control in alone]
    for domain, shares in ((0, mixtures.p), (len(alone) - 1, 1 - mixtures.p)):
        for share, weight in zip(shares, t, strict=True):
            if share > _SAME and not (mixtures.ends is not None and share > 1 - _SAME):
                weights[domain][_place(alone[domain], share)] += weight * share
    signs = {"starvation": -1, "transfer": 1, "interference": 1}
    return [
        _Group({name: (control.performance, sign * own) for name, sign in signs.items()}, control.shares, own=False)
        for control, own in zip(alone, weights, strict=True)
    ]


def _control(mixtures: _Mixtures, alone: Sequence[Alone]) -> Floats:
    """Return the mean control at each proportion, (P,)."""
    ends = mixtures.ends

    def mean(domain: int, share: float) -> float:
        """The mean performance of one domain alone, 0 where it has no samples and so no weight."""
        if share <= _SAME:
            return 0.0
        if ends is not None and share > 1 - _SAME:
            return float(ends[domain][0].mean())
        return float(alone[domain].performance[:, _place(alone[domain], share)].mean())

    last = len(alone) - 1
    return np.array([p * mean(0, p) + (1 - p) * mean(last, 1 - p) for p in mixtures.p])


def _told(mixtures: _Mixtures) -> Floats | None:
    """Return the mean performance when told at each proportion, (P,)."""
    if mixtures.told is None:
        return None
    inner = mixtures.told.mean(axis=0)
    if mixtures.ends is None:
        return np.asarray(inner)
    return np.concatenate([[mixtures.ends[-1][1].mean()], inner, [mixtures.ends[0][1].mean()]])


def _part(name: str, groups: Sequence[_Group], confidence: float, prior_df: float | None) -> Part:
    """Return one part: the sum over the groups, its error Satterthwaite's; without a prior from whole repetitions."""
    value, errors, own, repeated, fewest = 0.0, [], None, True, 0
    for group in groups:
        if name not in group.parts:
            continue
        values, weights = group.parts[name]
        value += float(values.mean(axis=0) @ weights)
        if not weights.any():
            continue
        fewest = len(values) if fewest == 0 else min(fewest, len(values))
        error = _error(values, weights, group.at, prior_df)
        repeated = repeated and error is not None
        own = error if group.own else own
        errors += [] if error is None else [error]
    whole = stats.sum_error(errors) if errors and repeated else None
    how = "Student's t from point-wise errors of all trainings behind it, variances moderated"
    how = how if prior_df is not None else "Student's t over whole repetitions of all trainings behind it"
    note = how if whole is not None and whole.se > 0 else "no interval (trainings without repetition, or all alike)"
    interval = stats.moderated_interval(value, whole, confidence)
    return Part(Estimate(value, interval, fewest, f"{name} area, {note}", None, confidence), whole, own)


def _error(values: Floats, weights: Floats, at: Floats | None, prior_df: float | None) -> StandardError | None:
    if len(values) < 2:
        return None
    if prior_df is None:
        variance = float(stats.sample_variances(values @ weights)) / len(values)
        return StandardError(float(np.sqrt(variance)), len(values) - 1.0)
    counts = np.full(weights.size, len(values))
    return stats.contrast_error(stats.sample_variances(values), counts, weights, prior_df=prior_df, at=at)


@dataclass(frozen=True, eq=False)
class _Mixtures:
    """The trainings of a pair on its mixtures: rising p, all ends included; columns ``inside`` are the pair's own."""

    p: Floats
    observed: Floats
    told: Floats | None
    ends: tuple[tuple[Floats, Floats], ...] | None  # (observed, told) of each domain alone, where ends are shared


def _checked_mixtures(
    p: Floats,
    performance: npt.ArrayLike,
    told: npt.ArrayLike | None,
    ends: Sequence[npt.ArrayLike] | None,
    told_ends: Sequence[npt.ArrayLike] | None,
) -> _Mixtures:
    """Return the checked trainings of a pair, those that failed left out, by rising p."""
    columns = p if ends is None else p[(p > 0) & (p < 1)]
    order = np.argsort(columns)
    observed = mixture_curves.repetitions(performance, columns.size)[:, order]
    informed = None if told is None else mixture_curves.repetitions(told, columns.size)[:, order]
    good = ~np.isnan(observed).any(axis=1)
    if informed is not None:
        good &= ~np.isnan(informed).any(axis=1)
    if not good.any():
        raise InputError(f"all {good.size} repetitions failed (performance NaN); needed is at least one that did not")
    informed = None if informed is None else informed[good]
    return _Mixtures(np.sort(p), observed[good], informed, _ends(ends, told_ends))


def _ends(
    ends: Sequence[npt.ArrayLike] | None, told_ends: Sequence[npt.ArrayLike] | None
) -> tuple[tuple[Floats, Floats], ...] | None:
    """Return (observed, told) of each domain alone, in pairs that did not fail."""
    if ends is None:
        return None
    pairs = []
    for place, end in enumerate(ends):
        observed = mixture_curves.repetitions(np.reshape(end, (-1, 1)), 1)[:, 0]
        informed = observed if told_ends is None else np.asarray(told_ends[place], dtype=np.float64)
        good = ~np.isnan(observed + informed)
        if not good.any():
            raise InputError("all trainings of an end failed (performance NaN); needed is at least one that did not")
        pairs.append((observed[good], informed[good]))
    return tuple(pairs)


def _checked_alone(control: Alone) -> Alone:
    """Return a control in [0, 1] without the repetitions that failed."""
    values = mixture_curves.repetitions(control.performance, control.shares.size)
    if not ((control.shares > 0) & (control.shares <= 1)).all():
        raise InputError(f"shares of a domain alone are {control.shares.tolist()}; they must lie above 0, at most at 1")
    good = ~np.isnan(values).any(axis=1)
    if not good.any():
        raise InputError("all repetitions of a domain alone failed (performance NaN); needed is at least one")
    return Alone(control.shares, values[good])
