"""Dissimilarity of two domains from the performance of policies trained on their mixtures.

Source: 2025 paper, Eqs. 7-9, section 2.5.3 and Fig. 3. What a signed area is made of is measured in
``starvation``, a whole suite's errors and distances in ``shared_errors``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq import seeding, stats
from aiq.errors import InputError, choice
from aiq.measures.arguments import bootstrap_words, check_resampling
from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity.areas import (
    Areas,
    MeasuredCurve,
    noise,
    of_given_errors,
    of_pair,
    of_shared_ends,
    of_whole_repetitions,
    with_ends,
)
from aiq.records.dissimilarity import KINDS, Dissimilarity
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.matrix import NoiseFloor

ESTIMATORS = ("average_first", "per_repetition")


def measure(
    proportions: npt.ArrayLike,
    performance: npt.ArrayLike,
    *,
    se: npt.ArrayLike | None = None,
    reverse: npt.ArrayLike | None = None,
    ends: Sequence[npt.ArrayLike] | None = None,
    ends_drawn: Sequence[npt.ArrayLike] | None = None,
    paired: bool = False,
    estimator: str = "average_first",
    chosen: str = "plain",
    prior_df: float = stats.PRIOR_DF,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Dissimilarity:
    """Measure the dissimilarity of a pair: the area between V_O(p) and the line between its ends (Eq. 9).

    The area is the trapezoid rule of |V_O - V_d| at the given proportions. An absolute value turns noise into a
    positive bias, so what is known exactly is the *signed* area, line minus curve: it is unbiased, a weighted sum of
    the points, and has a Student interval from the errors at each proportion (see ``areas``). Where the
    curve does not cross the line, the plain area is its absolute value and has its interval. Where it crosses, the
    plain area gets a cautious interval: the plain area, give or take the area under the absolute error of the curve
    that one draw in 40 (at 95 %) exceeds. ``corrected`` removes the bias point by point (``folded``).

    Args:
        proportions: probability p of the first domain, shape (P,), distinct, in any order, 0 and 1 among them.
        performance: V_O of each repetition, shape (R, P) (or (P,) for one), in [0, 1]; a repetition with a
            NaN failed and is left out and counted. With ``ends``, shape (R, P - 2), without p = 0 and 1.
        se: standard error of a single curve at each proportion, (P,), above 0, where it comes without repetitions.
        reverse: V_O of repetitions in which the pair was measured in the other order, shape (Q, P), at the
            same proportions of the second domain; they join the others, mirrored.
        ends: performances of the first and of the second domain trained alone on all samples, (R_a,) and (R_b,),
            each measured once for all pairs; one array alone for a pair of a domain with itself.
        ends_drawn: draws of the errors of both ends, (resamples,) each (see ``areas.end_draws``), the same for all
            pairs of a domain: so the replicates of pairs with a common domain err together.
        paired: the points of a repetition may go together (one seed for the whole curve): the error then comes from
            whole repetitions, not from points. Not with ``se`` or ``ends``, nor with one repetition.
        estimator: ``average_first`` or ``per_repetition`` (of the plain area).
        chosen: which value enters the space: ``plain`` (the paper's), ``corrected``, ``signed`` or ``unbiased``.
        prior_df: weight of the pair's other points in the variance at each (``aiq.stats.means``).
        resamples: parametric draws; 0 gives none, and no interval of a plain area that crosses the line.
        confidence: of the intervals.
        seed: root seed of the draws.

    Raises:
        InputError: where proportions, performances, standard errors or an option cannot be used.
    """
    if estimator not in ESTIMATORS:
        raise InputError(choice("the estimator of the plain area", estimator, ESTIMATORS))
    if chosen not in KINDS:
        raise InputError(choice("the dissimilarity that enters the space", chosen, KINDS))
    if not (prior_df >= 0 and math.isfinite(prior_df)):
        raise InputError(f"the prior degrees of freedom are {prior_df:g}; they must be finite and at least 0")
    check_resampling(resamples, confidence)
    p = mixture_curves.grid(proportions)
    curve = _curve(p, performance, se, reverse, ends, prior_df, paired)
    if chosen == "corrected" and curve.error is None:
        raise InputError("the corrected dissimilarity needs at least 2 repetitions that did not fail; there is 1")
    drawn = noise(curve, seeding.generator(seed, "dissimilarity", "draws"), resamples)
    if ends_drawn is not None:
        drawn = with_ends(drawn, ends_drawn)
    areas = Areas(curve, estimator)
    signed = areas.value("signed")
    whole = None if curve.error is None else StandardError(curve.error.se, curve.error.df)
    around = stats.moderated_interval(signed, whole, confidence)
    cautious, words = areas.cautious(drawn, around, confidence)

    def estimate(kind: str, interval: tuple[float, float] | None, how: str) -> Estimate:
        named = f"{kind} area{f' ({estimator})' if kind == 'plain' else ''}"
        note = f"{named}, trapezoid rule at {p.size} proportions; {how}"
        return Estimate(areas.value(kind), interval, len(curve.curves), note, seed, confidence)

    corrected = None if whole is None else estimate("corrected", cautious, words)
    mean = curve.curves.mean(axis=0)
    return Dissimilarity(
        proportions=curve.p,
        observed=mean,
        line=mixture_curves.line(curve.p, mean),
        plain=estimate("plain", cautious, words),
        signed=estimate("signed", around, curve.words),
        corrected=corrected,
        chosen=chosen,
        replicates=areas.replicates(chosen, drawn, 0.0 if whole is None else whole.se),
        n=len(curve.curves),
        n_failed=curve.failed,
        error=curve.error,
        point_errors=curve.point if curve.error is not None else np.zeros(0),
        paired=paired,
    )


def _curve(
    p: Floats,
    performance: npt.ArrayLike,
    se: npt.ArrayLike | None,
    reverse: npt.ArrayLike | None,
    ends: Sequence[npt.ArrayLike] | None,
    prior_df: float,
    paired: bool,
) -> MeasuredCurve:
    """Return the checked curve with its errors, by whichever way they are known."""
    if paired and (se is not None or ends is not None):
        raise InputError(
            f"paired is true, but {'standard errors' if se is not None else 'ends of domains'} are given: whole "
            "repetitions need curves with ends of their own, and their errors are in them; leave one of the two out"
        )
    if ends is None:
        rising, curves, failed = mixture_curves.both_orders(p, performance, reverse)
        if paired:
            return of_whole_repetitions(rising, curves, failed)
        if se is None:
            return of_pair(rising, curves, failed, prior_df)
        point = mixture_curves.point_errors(p, se)[np.argsort(p)]
        return of_given_errors(rising, curves, failed, point)
    if se is not None:
        raise InputError("standard errors and ends of domains cannot be joined; give repetitions of both")
    if len(ends) not in (1, 2):
        raise InputError(f"there are ends of {len(ends)} domains; give two, or one for a domain with itself")
    inner = p[(p > 0) & (p < 1)]
    if not inner.size:
        raise InputError("there are only the proportions 0 and 1; give at least one between them")
    at, curves, failed = mixture_curves.both_orders(inner, performance, reverse)
    names = ("the first domain alone", "the second domain alone")
    values = [mixture_curves.alone_values(name, end) for name, end in zip(names, ends, strict=False)]
    return of_shared_ends(np.concatenate([[0.0], at, [1.0]]), curves, values, failed, prior_df)


def noise_floor(self_pairs: Sequence[Dissimilarity], *, resamples: int = 1000, seed: int = 0) -> NoiseFloor:
    """Return the noise floor of a suite from the dissimilarities of its domains with themselves.

    The floor is made of the kind of value that enters the space; where that is ``signed`` or ``unbiased``, of the
    absolute signed areas.

    Args:
        self_pairs: one record of DS(a, a) a domain, all with the same choice of value and equally many
            replicates.
        resamples: bootstrap resamples over the self-pairs for the interval of the mean.
        seed: root seed of the resampling.

    Raises:
        InputError: without self-pairs, or where they were measured in different ways.
    """
    check_resampling(resamples, 0.95)
    if not self_pairs:
        raise InputError("there is no self-pair; a noise floor needs the dissimilarity of a domain with itself")
    ways = {(record.chosen, record.replicates.size) for record in self_pairs}
    if len(ways) > 1:
        raise InputError(f"self-pairs must be measured in one way, but (chosen value, resamples) are {sorted(ways)}")
    unbiased = self_pairs[0].chosen == "unbiased"
    values = np.abs([record.signed.value if unbiased else record.value for record in self_pairs])
    rng = seeding.generator(seed, "dissimilarity", "noise floor")
    means = values[rng.integers(values.size, size=(resamples, values.size))].mean(axis=1)
    mean = Estimate(
        value=float(values.mean()),
        interval=stats.percentile_interval(means) if values.size > 1 else None,
        n=values.size,
        method=f"mean over self-pairs; {bootstrap_words('self-pairs', values.size, resamples)}",
        seed=seed,
    )
    replicates = np.column_stack([np.abs(record.replicates) for record in self_pairs])
    errors = [math.nan if record.error is None else record.error.se for record in self_pairs]
    signed = np.array([record.signed.value for record in self_pairs])
    return NoiseFloor(values, replicates, mean, self_pairs[0].chosen, signed, np.array(errors))
