"""The intelligence space: tests located by their dissimilarities and complexities (Eqs. 10-12, section 3.3.5).

Multilateration with the empty test fixed at the origin gives every test a direction; its complexity is its
distance along it. See ``anchors`` for the Gram matrix, ``dimensions`` for how many dimensions are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError, choice
from aiq.measures import anchors, duplicates, space_bootstrap, space_inputs
from aiq.measures import dimensions as noise_test
from aiq.measures.embedding import VANISHED, Placement, Spectrum, decompose, place
from aiq.measures.space_bootstrap import Resampled
from aiq.records.space import Dimensionality, Space

Floats = npt.NDArray[np.float64]
Count = int | str


@dataclass(frozen=True, slots=True)
class _Suite:
    """Checked input in canonical order: normalised complexity and dissimilarity, and what is known of noise."""

    names: tuple[str, ...]
    complexity: Floats
    dissimilarity: Floats
    top_complexity: float
    top_dissimilarity: float
    floors: Floats
    floor_replicates: Floats | None
    group: npt.NDArray[np.int64]


def build(
    domains: Sequence[str],
    complexity: npt.ArrayLike,
    dissimilarity: npt.ArrayLike,
    *,
    anchor: str = "unit",
    dimensions: Count = "auto",
    null: str = "identical",
    merge: bool = True,
    refine: bool = False,
    noise: npt.ArrayLike | None = None,
    complexity_replicates: npt.ArrayLike | None = None,
    dissimilarity_replicates: npt.ArrayLike | None = None,
    self_replicates: npt.ArrayLike | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Space:
    """Locate the tests of a suite in the intelligence space.

    Args:
        domains: n distinct names.
        complexity: positive complexities of any unit, (n,); divided by the largest.
        dissimilarity: symmetric, at least 0, (n, n); divided by the largest off the diagonal. The diagonal
            holds the measured self-dissimilarities (the noise floor; 0 or NaN = not measured) and counts
            as 0 in the geometry.
        anchor: ``unit`` (every test at distance 1 from the origin, the largest dissimilarity a right angle)
            or ``complexity`` (at its complexity).
        dimensions: ``auto`` (eigenvalues above the noise) or the number to keep.
        null: noise that ``auto`` compares with, ``identical`` or ``propagated`` (see ``measures.dimensions``).
        merge: give tests that the noise floor cannot tell apart one direction (see ``measures.duplicates``; needs
            the anchor ``unit`` and a known floor); the groups are in the record.
        refine: minimise stress (SMACOF) from the classical solution, origin fixed.
        noise: one or several dissimilarities of identical tests, in place of the diagonal.
        complexity_replicates: bootstrap replicates, (B, n).
        dissimilarity_replicates: bootstrap replicates, (B, n, n); the diagonal is not read. Over R repetitions
            a bootstrap shows (R - 1) / R of the variance.
        self_replicates: bootstrap replicates of the self-dissimilarities, (B, n).
        seed: root seed of the noise draws.
        confidence: of the spectrum's intervals.

    Raises:
        InputError: for input that makes no space; the sentence names the domain and the value.
    """
    names = space_inputs.check_domains(domains)
    _check_options(names, anchor, dimensions, null, confidence)
    suite, order = _suite(names, complexity, dissimilarity, noise, self_replicates)
    if merge and anchor == "unit":
        suite = _merged(suite, seed)
    resampled = _resampled(suite, order, complexity_replicates, dissimilarity_replicates)
    spectrum = decompose(suite.complexity, suite.dissimilarity, anchor)
    grams = None if resampled is None else space_bootstrap.grams(resampled, spectrum, anchor)
    kept = _dimensionality(suite, spectrum, dimensions, null, grams, seed)
    common = anchor == "unit" and kept.kept == 1 and kept.rule == "auto"
    placed = place(spectrum, suite.complexity, kept.kept, refine, common=common)
    space = _record(suite, spectrum, placed, kept, anchor, refine, seed)
    if resampled is not None:
        boot = space_bootstrap.bootstrap(
            resampled, placed, kept, anchor=anchor, refine=refine, common=common, confidence=confidence
        )
        space = replace(space, bootstrap=boot)
    return space.reordered(np.argsort(order))


def _check_options(names: tuple[str, ...], anchor: str, count: Count, null: str, confidence: float) -> None:
    if anchor not in anchors.ANCHORS:
        raise InputError(choice("anchor", anchor, anchors.ANCHORS))
    if null not in noise_test.NULLS:
        raise InputError(choice("null", null, noise_test.NULLS))
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence}; it must lie between 0 and 1")
    if count == "auto":
        return
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= len(names):
        raise InputError(
            f"dimensions is {count!r}; it must be 'auto' or a whole number from 1 to {len(names)} (the domains)"
        )


def _suite(
    names: tuple[str, ...],
    complexity: npt.ArrayLike,
    dissimilarity: npt.ArrayLike,
    noise: npt.ArrayLike | None,
    self_replicates: npt.ArrayLike | None,
) -> tuple[_Suite, list[int]]:
    """Check, normalise and bring into an order that does not depend on the order of input."""
    c = space_inputs.check_complexity(names, complexity)
    d, diagonal = space_inputs.check_dissimilarity(names, dissimilarity)
    top_c, top_d = float(c.max()), float(d.max())
    unit_d = top_d if top_d > 0 else 1.0
    order = sorted(range(len(names)), key=lambda i: (-c[i], tuple(np.sort(d[i])[::-1]), names[i]))
    diagonal = diagonal[order]
    floors = diagonal[diagonal > 0] if noise is None else space_inputs.check_noise(noise)
    replicates = None
    if self_replicates is not None:
        selfs = space_inputs.check_replicates("self_replicates", self_replicates, (len(names),))
        measured = selfs[:, order][:, diagonal > 0]
        replicates = measured / unit_d if noise is None and np.any(measured > 0) else None
    suite = _Suite(
        tuple(names[i] for i in order),
        c[order] / top_c,
        d[np.ix_(order, order)] / unit_d,
        top_c,
        top_d,
        floors / unit_d,
        replicates,
        np.arange(len(names)),
    )
    return suite, order


def _merged(suite: _Suite, seed: int) -> _Suite:
    """Return the suite with shared dissimilarities for tests that noise cannot part, scaled to a largest of 1 again."""
    group = duplicates.groups(suite.dissimilarity, suite.floors, suite.floor_replicates, seed)
    d = duplicates.shared(suite.dissimilarity, group)
    top = float(d.max()) or 1.0
    replicates = None if suite.floor_replicates is None else suite.floor_replicates / top
    return replace(
        suite,
        dissimilarity=d / top,
        top_dissimilarity=suite.top_dissimilarity * top,
        floors=suite.floors / top,
        floor_replicates=replicates,
        group=group,
    )


def _resampled(
    suite: _Suite, order: list[int], complexity: npt.ArrayLike | None, dissimilarity: npt.ArrayLike | None
) -> Resampled | None:
    """Return replicates in canonical order and in units of the point's largest; the rest stays at its estimate."""
    n = len(suite.names)
    c = d = None
    if complexity is not None:
        c = space_inputs.check_replicates("complexity_replicates", complexity, (n,))[:, order] / suite.top_complexity
    if dissimilarity is not None:
        d = space_inputs.check_replicates("dissimilarity_replicates", dissimilarity, (n, n))[:, order][:, :, order]
        d = np.where(np.eye(n, dtype=bool), 0.0, d) / (suite.top_dissimilarity or 1.0)
        d = duplicates.shared((d + d.transpose(0, 2, 1)) / 2, suite.group)
    if c is not None and d is not None and c.shape[0] != d.shape[0]:
        raise InputError(
            f"there are {c.shape[0]} complexity replicates and {d.shape[0]} dissimilarity replicates; "
            "give the same number of both"
        )
    if c is None and d is None:
        return None
    if c is None:
        c = np.tile(suite.complexity, (len(d) if d is not None else 0, 1))
    if d is None:
        d = np.tile(suite.dissimilarity, (c.shape[0], 1, 1))
    return space_bootstrap.usable(c, d)


def _dimensionality(
    suite: _Suite, spectrum: Spectrum, count: Count, null: str, grams: Floats | None, seed: int
) -> Dimensionality:
    """Decide how many dimensions to keep; whatever the rule, the noise thresholds are part of the result."""
    n = spectrum.values.size
    rounding = noise_test.TOLERANCE * float(spectrum.values[0])
    noise = noise_test.noise_of(suite.dissimilarity, spectrum.square, suite.floors, suite.floor_replicates, grams, seed)
    propagated = None
    thresholds = np.concatenate([[np.nan], np.full(n - 1, rounding)])
    source = "numerical tolerance: neither self-dissimilarities nor replicates of the matrix are known"
    if noise.spread is not None:
        propagated = np.maximum(noise_test.propagated_thresholds(spectrum.values, spectrum.vectors, noise), thresholds)
    if noise.floor is not None and null == "identical":
        level = noise_test.identical_threshold(noise.floor)
        thresholds = np.maximum(thresholds, np.concatenate([[np.nan], np.full(n - 1, level)]))
        source = f"identical tests that differ by the noise floor ({noise.source})"
    elif propagated is not None:
        thresholds, source = propagated, f"uncertainty of all dissimilarities ({noise.source})"
    kept = noise_test.count_above(spectrum.values, thresholds)
    if not isinstance(count, str):
        kept = _requested(int(count), spectrum, _merged_names(suite))
    return Dimensionality(
        kept=kept,
        rule="auto" if isinstance(count, str) else "given",
        thresholds=thresholds,
        source=source,
        quantile=noise_test.QUANTILE,
        floor=noise.level,
        propagated=None if propagated is None else noise_test.count_above(spectrum.values, propagated),
    )


def _requested(count: int, spectrum: Spectrum, merged: tuple[tuple[str, ...], ...]) -> int:
    """Return the number of dimensions that was asked for, if the spectrum has that many."""
    positive = int((spectrum.values > noise_test.TOLERANCE * spectrum.values[0]).sum())
    if count > positive:
        alike = f" with {merged} merged as alike (merge=False keeps them apart)" if merged else ""
        raise InputError(
            f"dimensions is {count}, but these dissimilarities span only {positive}{alike}; "
            f"ask for at most {positive} or for 'auto'"
        )
    return count


def _record(
    suite: _Suite,
    spectrum: Spectrum,
    placed: Placement,
    kept: Dimensionality,
    anchor: str,
    refine: bool,
    seed: int,
) -> Space:
    refined = ", refined by SMACOF with the origin fixed" if refine else ""
    return Space(
        domains=suite.names,
        coordinates=placed.coordinates,
        directions=placed.directions,
        complexity=suite.complexity,
        dissimilarity=suite.dissimilarity,
        largest_complexity=suite.top_complexity,
        largest_dissimilarity=suite.top_dissimilarity,
        kept_length=placed.length,
        vanished=tuple(name for name, part in zip(suite.names, placed.length, strict=True) if part <= VANISHED),
        spectrum=spectrum.values,
        negative_share=spectrum.negative_share,
        stress=placed.stress,
        scale=float(np.sqrt(spectrum.square)),
        anchor=anchor,
        refined=refine,
        dimensionality=kept,
        merged=_merged_names(suite),
        bootstrap=None,
        seed=seed,
        method=f"classical multilateration, anchor {anchor}{refined}; {kept.kept} dimensions ({kept.rule})",
    )


def _merged_names(suite: _Suite) -> tuple[tuple[str, ...], ...]:
    """Return the groups of more than one test."""
    found = [tuple(suite.names[i] for i in np.flatnonzero(suite.group == g)) for g in np.unique(suite.group)]
    return tuple(names for names in found if len(names) > 1)
