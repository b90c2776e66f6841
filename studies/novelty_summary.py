"""From trials to numbers: performance before and after, delay, false alarms, APTI and AIQ, intervals over trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit
from scipy.stats import binomtest

from aiq.errors import InputError
from aiq.measures import apti
from aiq.records.estimate import Estimate
from aiq.seeding import generator
from aiq.wings.novelty.protocol import NoveltyTrial

Floats = npt.NDArray[np.float64]

_FIRST = 3
"""Novel episodes that count as *first*."""
_MEAN = "mean over trials; Student's t over trials, cut to [0, 1]"
_SHARE = "share of trials; Wilson's interval"


@dataclass(frozen=True, slots=True)
class NoveltyResult:
    """What the trials of one kind on one level come to; intervals are over trials.

    Attributes:
        kind: name of the agents.
        level: of the novelty.
        difficulty: of the level.
        before: mean performance in the episodes before the novelty.
        first: mean performance in the first novel episodes.
        after: mean performance in the last episodes of the trials.
        apti: after / (after + the baseline's after); None without a baseline.
        false_alarms: share of trials with an alarm before the novelty.
        detected: share of the other trials with an alarm after it; None where there is no other trial.
        delay: mean novel episodes until the alarm, of the trials in which it came; None where it never did.
        apti_over_time: of each novel episode that all trials have.
    """

    kind: str
    level: int
    difficulty: str
    before: Estimate
    first: Estimate
    after: Estimate
    apti: Estimate | None
    false_alarms: Estimate
    detected: Estimate | None
    delay: Estimate | None
    apti_over_time: tuple[float, ...]

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        told: dict[str, object] = {"kind": self.kind, "level": self.level, "difficulty": self.difficulty}
        for name in ("before", "first", "after", "apti", "false_alarms", "detected", "delay"):
            value = getattr(self, name)
            told[name] = None if value is None else value.as_dict()
        return {**told, "apti_over_time": list(self.apti_over_time)}


def last(trials: Sequence[NoveltyTrial]) -> Floats:
    """Return the mean performance of the last episodes of each trial, (trials,)."""
    return np.array([trial.after for trial in trials])


def summarise(
    trials: Sequence[NoveltyTrial],
    baseline: Sequence[NoveltyTrial] | None = None,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> NoveltyResult:
    """Reduce the trials of one kind on one level.

    Args:
        trials: of the kind.
        baseline: the baseline's trials of the same numbers, for APTI; both sides are resampled together.
        resamples: bootstrap resamples.
        confidence: of the intervals.
        seed: root seed of the resampling.

    Raises:
        InputError: no trial, trials of several kinds or levels, or a baseline of other trials.
    """
    if not trials or len({(trial.kind, trial.level, trial.difficulty) for trial in trials}) != 1:
        raise InputError("the trials of one kind on one level are summarised; these are none or of several")
    one = trials[0]
    if baseline is not None and [t.number for t in baseline] != [t.number for t in trials]:
        raise InputError(
            f"the baseline played other trials of level {one.level} than {one.kind}; let both play the same"
        )
    rng = generator(seed, "novelty", one.level, one.difficulty)
    drawn = rng.integers(len(trials), size=(resamples, len(trials)))

    def mean(values: npt.ArrayLike, most: float = 1.0) -> Estimate:
        array = np.asarray(values, np.float64)
        return Estimate(float(array.mean()), _student(array, confidence, most), len(array), _MEAN, seed, confidence)

    def share(values: Sequence[bool]) -> Estimate:
        found = binomtest(sum(values), len(values)).proportion_ci(confidence, method="wilson")
        interval = (float(found.low), float(found.high))
        return Estimate(float(np.mean(values)), interval, len(values), _SHARE, seed, confidence)

    honest = [trial for trial in trials if not trial.false_alarm]
    delays = [trial.delay for trial in honest if trial.delay is not None]
    over_time: tuple[float, ...] = ()
    if baseline is not None:
        own, other = by_novel_episode(trials), by_novel_episode(baseline)
        over_time = tuple(apti.ratio(own.mean(axis=0), other.mean(axis=0)).tolist())
    return NoveltyResult(
        one.kind,
        one.level,
        one.difficulty,
        before=mean([np.mean(trial.performance[: trial.begins]) for trial in trials]),
        first=mean([np.mean(trial.performance[trial.begins : trial.begins + _FIRST]) for trial in trials]),
        after=mean(last(trials)),
        apti=None if baseline is None else _apti(last(trials), last(baseline), drawn, confidence, seed),
        false_alarms=share([trial.false_alarm for trial in trials]),
        detected=share([trial.delay is not None for trial in honest]) if honest else None,
        delay=mean(delays, np.inf) if delays else None,
        apti_over_time=over_time,
    )


def by_novel_episode(trials: Sequence[NoveltyTrial]) -> Floats:
    """Return the performance of each novel episode that all trials have, (trials, episodes)."""
    shared = min(len(trial.performance) - trial.begins for trial in trials)
    return np.array([trial.performance[trial.begins : trial.begins + shared] for trial in trials])


def _student(values: Floats, confidence: float, most: float) -> tuple[float, float] | None:
    """Return Student's interval of a mean, within [0, most]; None for one value."""
    count = len(values)
    if count < 2:
        return None
    half = float(stdtrit(count - 1, (1 + confidence) / 2) * values.std(ddof=1) / np.sqrt(count))
    return max(0.0, float(values.mean()) - half), min(most, float(values.mean()) + half)


def _apti(own: Floats, other: Floats, drawn: npt.NDArray[np.int64], confidence: float, seed: int) -> Estimate:
    """Return the quotient of mean performances; agent and baseline are resampled together, trial by trial.

    The interval is Student's on the logit scale, with the bootstrap's standard error of log P - log P of the baseline:
    a percentile interval of few trials is too short.
    """
    method = "ratio of mean performances; Student's t on the logit scale, bootstrap over trials, both sides together"
    value, count = float(apti.ratio(own.mean(), other.mean())), len(own)
    draws = apti.ratio(own[drawn].mean(axis=1), other[drawn].mean(axis=1))
    interval = None
    if count > 1 and draws.min() > 0 and draws.max() < 1:
        spread = float(np.std(np.log(draws / (1 - draws)))) * np.sqrt(count / (count - 1))
        middle, half = np.log(value / (1 - value)), float(stdtrit(count - 1, (1 + confidence) / 2)) * spread
        low, high = (1 / (1 + np.exp(-(middle + sign * half))) for sign in (-1, 1))
        interval = (float(low), float(high))
    return Estimate(value, interval, count, method, seed, confidence)


def orthogonal_aiq(values: Floats) -> Floats:
    """Return AIQ per dimension of values (..., levels) where all levels are orthogonal: their geometric mean.

    Then relative AIQ is the product of the values whatever the complexities are (Eqs. 11 to 14).
    """
    return np.asarray(np.prod(values, axis=-1) ** (1 / values.shape[-1]))


def ranks(
    after: Mapping[str, Floats], baseline: str, *, resamples: int = 1000, seed: int = 0
) -> dict[str, dict[str, object]]:
    """Rank kinds by mean APTI and by the AIQ of APTI, with intervals over trials.

    Args:
        after: kind -> performance at the end of each trial, (levels, trials); trials are the same for all kinds.
        baseline: the kind that APTI compares with.
        resamples: bootstrap resamples of trials, level by level.
        seed: root seed of the resampling.

    Returns:
        kind -> mean APTI, AIQ of APTI and mean performance, AIQ of performance, each [value, low, high], and the ranks
        by the first two; under ``chance`` how often AIQ ranks the baseline higher, alike and lower than mean APTI.
    """
    kinds = list(after)
    stacked = np.stack([after[kind] for kind in kinds])  # (kinds, levels, trials)
    levels, trials = stacked.shape[1:]
    drawn = generator(seed, "novelty", "ranks").integers(trials, size=(resamples, levels, trials))
    draws = np.stack([np.take_along_axis(stacked, drawn[r][None], axis=2).mean(axis=2) for r in range(resamples)])
    middle = stacked.mean(axis=2)[None]
    wider = np.sqrt(trials / max(1, trials - 1))  # a bootstrap of few trials is too narrow by this factor
    whole = np.concatenate([middle, np.clip(middle + wider * (draws - middle), 0, 1)])  # (1 + resamples, kinds, levels)
    relative = apti.ratio(whole, whole[:, [kinds.index(baseline)]])
    found = {
        "mean APTI": relative.mean(axis=-1),
        "AIQ of APTI": orthogonal_aiq(relative),
        "mean performance": whole.mean(axis=-1),
        "AIQ of performance": orthogonal_aiq(whole),
    }
    places = {name: 1 + (-values).argsort(axis=1).argsort(axis=1) for name, values in found.items()}
    told: dict[str, dict[str, object]] = {}
    for k, kind in enumerate(kinds):
        told[kind] = {
            name: [float(values[0, k]), *map(float, np.quantile(values[1:, k], [0.025, 0.975]))]
            for name, values in found.items()
        }
        told[kind] |= {f"rank by {name}": int(rank[0, k]) for name, rank in places.items()}
    k = kinds.index(baseline)
    step = places["mean APTI"][1:, k] - places["AIQ of APTI"][1:, k]
    told["chance"] = {
        "higher": float((step > 0).mean()),
        "alike": float((step == 0).mean()),
        "lower": float((step < 0).mean()),
    }
    return told
