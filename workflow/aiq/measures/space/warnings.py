"""Sentences that belong beside every number of a space: what its picture and its scores do not show."""

from __future__ import annotations

import numpy as np

from aiq.measures import draws
from aiq.measures.space.embedding import UNIT_SQUARE, Placement, Spectrum
from aiq.measures.space.suite import Merge, Suite, Uncertainty
from aiq.records.space import Dimensionality

COLLAPSED = 1e-3  # of the natural squared scale: below this the anchor has removed the dissimilarities
NO_SELF = "no self-pair is given: whether tests differ from themselves is not known"
BY_TRANSFER = (
    "distances are by transfer: a square is twice the area between line and curve when told the test, less those of "
    "both tests with themselves, so what fewer samples cost is in it: a test that is soon learned is near every other"
)
RELATIVE = (
    "directions are by relative dissimilarity: cos = 1 for tests that are not told apart, 0 for unrelated ones, below "
    "0 where the same inputs ask for other answers; no other test of the suite changes the angle of two"
)
UNSURE = 0.85  # probability of the number of dimensions below which it is called uncertain
TWICE = (
    "the dissimilarities are hardly larger than their noise (signal to noise {signal:.1f}; noise alone gives .7), and "
    "replicates hold that noise twice: the share of them that keeps more dimensions is no sign of more (simulated, .55 "
    "to .95 of them do where no test differs; intervals of AIQ, then too low, hold the truth in .86 to .96, with many "
    "tests and few repetitions in .65)"
)
NOISY = 1.5  # signal to noise of the dissimilarities below which replicates keep too many dimensions


def sentences(
    suite: Suite, spectrum: Spectrum, placed: Placement, kept: Dimensionality, errors: Uncertainty, anchor: str
) -> tuple[str, ...]:
    """Return the warnings of a space, the gravest first; none for one that hides nothing."""
    return (
        *_lost(suite, placed),
        *_scale(suite, spectrum, anchor),
        *_spectrum(spectrum, kept),
        *_number(suite, kept),
        *_unknown(suite, kept, errors),
    )


def by_distance(found: tuple[str, ...], distance: str, null: str, merge: Merge) -> tuple[str, ...]:
    """Return the warnings of a space with what must be said of distances that have no self-pairs."""
    if distance == "departure":
        return found
    asked = ["null 'identical'"] if null == "identical" else []
    asked += ["merge"] if merge is True else []
    without = f"; there is no noise floor in them, so {' and '.join(asked)} has nothing to go by" if asked else ""
    return (
        *(sentence for sentence in found if sentence != NO_SELF),
        f"{BY_TRANSFER if distance == 'transfer' else RELATIVE}{without}",
    )


def vanished(suite: Suite, placed: Placement) -> tuple[str, ...]:
    """Return the domains of some length that have no direction in the kept dimensions."""
    there = np.linalg.norm(placed.directions, axis=1) > 0
    return tuple(n for n, c, ok in zip(suite.names, suite.complexity, there, strict=True) if c > 0 and not ok)


def _lost(suite: Suite, placed: Placement) -> list[str]:
    """Tests that lie at the origin, and suites whose tests are all alike."""
    gone, warnings = vanished(suite, placed), []
    if gone:
        verb = "vanishes" if len(gone) == 1 else "vanish"
        warnings.append(
            f"{', '.join(map(str, gone))} {verb} in the kept dimensions: at the origin, which adds no volume"
        )
    empty = tuple(n for n, c in zip(suite.names, suite.complexity, strict=True) if c == 0)
    if empty:
        warnings.append(f"{', '.join(map(str, empty))}: length 0, as any network solves it, so it adds no volume")
    if len(suite.names) > 1 and placed.coordinates.shape[1] == 1 and not gone:
        warnings.append(
            "all tests lie on one line, so there is no volume: AIQ per dimension is the best product of length and "
            "performance, over the suite's"
        )
    return warnings


def _scale(suite: Suite, spectrum: Spectrum, anchor: str) -> list[str]:
    """An anchor whose fitted scale removes the dissimilarities."""
    if anchor == "unit" or not suite.dissimilarity.any():
        return []
    largest = spectrum.dissimilarity >= spectrum.dissimilarity.max() * (1 - 1e-12)
    squares = spectrum.radius**2
    natural = float((squares[:, None] + squares[None, :])[largest].mean()) or UNIT_SQUARE
    if spectrum.square > COLLAPSED * natural:
        return []
    return [
        "the anchor 'complexity' has scaled all dissimilarities down to nothing (no scale fits these complexities), so "
        "the tests differ by complexity alone; use the anchor 'unit'"
    ]


def _spectrum(spectrum: Spectrum, kept: Dimensionality) -> list[str]:
    """Kept eigenvalues below the most negative one, and a cut between equal ones."""
    values, warnings = spectrum.values, []
    lowest = float(-values[-1])
    weak = [k + 1 for k in range(kept.kept) if 0 < values[k] < lowest]
    if weak:
        eigenvalues = ", ".join(f"{values[k - 1]:.2g}" for k in weak)
        s, verb = ("", "is") if len(weak) == 1 else ("s", "are")
        warnings.append(
            f"dimension{s} {', '.join(map(str, weak))} {verb} kept with eigenvalue{s} {eigenvalues} beside one of "
            f"{-lowest:.2g}: what no Euclidean space can hold is larger than what is shown there"
        )
    if kept.cut:
        warnings.append(
            f"eigenvalues {kept.kept} and {kept.kept + 1} are equal, so which directions are kept is arbitrary; "
            "keep one dimension fewer or more"
        )
    return warnings


def _number(suite: Suite, kept: Dimensionality) -> list[str]:
    """A number of dimensions that the measurements do not settle, or of which the replicates say too much."""
    if kept.rule == "share" and kept.propagated is not None and kept.propagated != kept.kept:
        stand = "stands" if kept.propagated == 1 else "stand"
        return [f"d = {kept.kept} holds {kept.share:.2f} of the spectrum, {kept.propagated} {stand} above the noise"]
    if kept.rule == "auto" and kept.probabilities and kept.probabilities.get(kept.kept, 0.0) < UNSURE:
        numbers = ", ".join(f"{k} ({p:.2f})" for k, p in sorted(kept.probabilities.items()) if p >= 0.01)
        said = f"the number of dimensions is uncertain: {kept.kept} is kept, the replicates say {numbers}"
        more, signal = sum(p for k, p in kept.probabilities.items() if k > kept.kept), np.inf
        if suite.errors is not None:
            signal = draws.signal_to_noise(suite.dissimilarity * suite.top_dissimilarity, suite.errors.variance)
        return [said, TWICE.format(signal=signal)] if more > 1 - UNSURE and signal < NOISY else [said]
    if kept.propagated is not None and kept.propagated < kept.kept:
        return [f"the uncertainty of all dissimilarities would leave {kept.propagated} of {kept.kept} dimensions"]
    return []


def _unknown(suite: Suite, kept: Dimensionality, errors: Uncertainty) -> list[str]:
    warnings = []
    if len(suite.names) > 1 and not errors.of_dissimilarity:
        if kept.floor is None:
            warnings.append(
                "neither self-pairs nor standard errors of the dissimilarities are given: the noise is unknown, "
                "and only dimensions of rounding size are dropped"
            )
        warnings.append("without standard errors of the dissimilarities no interval carries their uncertainty")
    elif len(suite.names) > 1 and kept.floor is None:
        warnings.append(NO_SELF)
    if not errors.of_complexity:
        warnings.append("without standard errors of the complexities no interval carries their uncertainty")
    if suite.errors is not None:
        off = ~np.eye(len(suite.names), dtype=bool)
        exact = int((suite.errors.variance[off] == 0).sum()) // 2
        if exact:
            which = "1 dissimilarity has" if exact == 1 else f"{exact} dissimilarities have"
            count = "counts" if exact == 1 else "count"
            warnings.append(f"{which} a standard error of 0 and {count} as known exactly")
    return warnings
