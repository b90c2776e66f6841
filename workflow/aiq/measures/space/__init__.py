"""The intelligence space: tests located by their dissimilarities and complexities (Eqs. 10-12, section 3.3.5).

Multilateration with the empty test fixed at the origin gives every test a direction; its complexity is its
distance along it. See ``embedding`` for the Gram matrix, and for how many dimensions are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import ZERO, check_confidence
from aiq.measures import draws as suite_draws
from aiq.measures.space import bootstrap as space_bootstrap
from aiq.measures.space import embedding
from aiq.measures.space import suite as space_suite
from aiq.measures.space import warnings as space_warnings
from aiq.measures.space.bootstrap import How
from aiq.measures.space.embedding import Placement, Spectrum, decompose, place
from aiq.measures.space.suite import Merge, Suite, Uncertainty
from aiq.records.estimate import Floats
from aiq.records.space import Dimensionality, Space, SpaceBootstrap

LENGTHS = ("complexity", "relative_excess")


def build(
    domains: Sequence[str],
    complexity: npt.ArrayLike,
    dissimilarity: npt.ArrayLike,
    *,
    anchor: str = "unit",
    dimensions: int | str = "auto",
    share: float = embedding.SHARE,
    null: str = "propagated",
    merge: Merge = "auto",
    refine: bool = False,
    length: str = "complexity",
    distance: str = "departure",
    complexity_se: npt.ArrayLike | None = None,
    dissimilarity_se: npt.ArrayLike | None = None,
    end_se: npt.ArrayLike | None = None,
    dissimilarity_df: float = np.inf,
    complexity_replicates: npt.ArrayLike | None = None,
    dissimilarity_replicates: npt.ArrayLike | None = None,
    self_replicates: npt.ArrayLike | None = None,
    draws: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Space:
    """Locate the tests of a suite in the intelligence space.

    Args:
        domains: n distinct names.
        complexity: positive complexities of any unit, (n,); divided by the largest.
        dissimilarity: symmetric, (n, n); divided by the largest off the diagonal. At least 0, or, with
            ``dissimilarity_se``, signed areas: their unbiased squares make the geometry. The diagonal holds the
            measured self-dissimilarities (the noise floor; 0 or NaN = not measured) and counts as 0 in the geometry.
        anchor: ``unit`` (every test at distance 1 from the origin, the largest dissimilarity a right angle) or
            ``complexity`` (at its complexity).
        dimensions: ``share`` (the fewest that hold ``share`` of the positive spectrum), ``noise`` or ``auto``
            (eigenvalues above the noise), ``all`` (every positive eigenvalue) or the number to keep.
        share: of the positive spectrum, in (0, 1]; read with ``dimensions="share"``.
        null: noise that ``auto`` compares with, ``propagated`` or ``identical`` (see ``embedding``).
        merge: give tests that the noise floor cannot tell apart one direction (needs the anchor ``unit`` and a known
            floor); the groups are in the record. ``auto``: only where nothing is known of the errors of the pairs, for
            where they are known merging makes the intervals too narrow.
        refine: minimise stress (SMACOF) from the classical solution, origin fixed.
        length: what ``complexity`` holds, ``complexity`` or ``relative_excess``, which may be 0: such a test lies at
            the origin. With relative excesses no more dimensions are found than tests lie elsewhere, and standard
            errors are taken on the logit scale, on which no draw leaves [0, 1].
        distance: what ``dissimilarity`` holds, ``departure`` (areas between line and curve), ``transfer`` (distances of
            ``measures.dissimilarity.transfer_geometry``, with ready replicates; the diagonal is not read, so there is
            no noise floor) or ``relative`` (roots of 1 - cosine, likewise; neither they nor the lengths are divided by
            the largest of the suite, so that another test changes none of them).
        complexity_se: standard errors (n,), or the covariance matrix (n, n) where domains share one pool.
        dissimilarity_se: standard errors of the pairs' own parts, (n, n).
        end_se: standard errors of the parts that all pairs of a domain share, (n,).
        dissimilarity_df: degrees of freedom of both (infinite: normal errors).
        complexity_replicates: ready replicates, (B, n), in place of standard errors.
        dissimilarity_replicates: ready replicates, (B, n, n); the diagonal is not read. Over R repetitions a bootstrap
            shows (R - 1) / R of the variance.
        self_replicates: bootstrap replicates of the self-dissimilarities, (B, n).
        draws: replicates drawn where standard errors are given.
        seed: root seed of all draws.
        confidence: of the spectrum's intervals.

    Raises:
        InputError: for input that makes no space; the sentence names the domain and the value.
    """
    names = suite_draws.check_names(domains)
    check_confidence(confidence)
    if not 0 < share <= 1:
        raise InputError(f"share is {share}; it must lie above 0 and be at most 1")
    if not isinstance(dimensions, str) and not 1 <= dimensions <= len(names):
        raise InputError(
            f"dimensions is {dimensions!r}; it must be 'share', 'noise', 'all' or a whole number from 1 to "
            f"{len(names)} (the domains)"
        )
    if distance == "relative" and anchor != "unit":
        raise InputError(f"relative dissimilarities are angles, so the anchor must be 'unit', not {anchor!r}")
    uncertainty = Uncertainty(
        complexity_se, dissimilarity_se, end_se, dissimilarity_df, complexity_replicates, dissimilarity_replicates,
        self_replicates, draws,
    )  # fmt: skip
    if distance != "departure":
        dissimilarity = suite_draws.without_diagonal(dissimilarity)
    how = How(anchor, refine, anchor == "unit" and dimensions in ("auto", "noise"), confidence, distance == "relative")
    zero = length == "relative_excess"
    suite, order = space_suite.suite(names, complexity, dissimilarity, uncertainty, zero, how.absolute)
    if anchor == "unit" and (merge is True or (merge == "auto" and not uncertainty.of_dissimilarity)):
        suite = space_suite.merged(suite, seed)
    resampled = space_suite.resampled(suite, order, uncertainty, seed)
    spectrum = decompose(suite.complexity, suite.dissimilarity, anchor)
    moved = None if resampled is None else space_bootstrap.null_grams(resampled, spectrum, how)
    kept = _dimensionality(suite, spectrum, dimensions, share, null, moved, seed)
    placed = place(spectrum, suite.complexity, kept.kept, refine, common=how.common and kept.kept == 1)
    boot = None
    if resampled is not None:
        boot, kept = space_bootstrap.bootstrap(resampled, spectrum, placed.coordinates, kept, how)
    warnings = space_warnings.sentences(suite, spectrum, placed, kept, uncertainty, anchor)
    space = _record(suite, spectrum, placed, kept, boot, how, seed)
    said = space_warnings.by_distance(warnings, distance, null, merge)
    return replace(space, length=length, distance=distance, warnings=said).reordered(np.argsort(order))


def _record(
    suite: Suite,
    spectrum: Spectrum,
    placed: Placement,
    kept: Dimensionality,
    boot: SpaceBootstrap | None,
    how: How,
    seed: int,
) -> Space:
    """Return the space of one placement, without its warnings."""
    refined = ", refined by SMACOF with the origin fixed" if how.refine else ""
    return Space(
        domains=suite.names,
        coordinates=placed.coordinates,
        directions=placed.directions,
        complexity=suite.complexity,
        dissimilarity=suite.dissimilarity,
        largest_complexity=suite.top_complexity,
        largest_dissimilarity=suite.top_dissimilarity,
        kept_length=placed.length,
        vanished=space_warnings.vanished(suite, placed),
        spectrum=spectrum.values,
        negative_share=spectrum.negative_share,
        stress=placed.stress,
        scale=float(np.sqrt(spectrum.square)),
        anchor=how.anchor,
        refined=how.refine,
        dimensionality=kept,
        merged=suite.merged,
        bootstrap=boot,
        seed=seed,
        method=f"classical multilateration, anchor {how.anchor}{refined}; {kept.kept} dimensions ({kept.rule})",
        alternatives=space_bootstrap.alternatives(spectrum, suite.complexity, kept.kept, how),
    )


def _dimensionality(
    suite: Suite, spectrum: Spectrum, count: int | str, share: float, null: str, moved: Floats | None, seed: int
) -> Dimensionality:
    """Decide how many dimensions to keep; whatever the rule, the noise thresholds are part of the result."""
    count = "auto" if count == "noise" else count
    values, n = spectrum.values, spectrum.values.size
    thresholds, propagated, source, floor = embedding.thresholds(suite, spectrum, moved, null, seed)
    far = max(int((suite.complexity > 0).sum()), 1)
    thresholds = np.where(np.arange(n) < far, thresholds, np.nan)  # tests at the origin span no dimension
    kept = embedding.count_above(values, thresholds)
    if count == "all":
        kept = max(1, spectrum.positive)
    elif count == "share":
        kept = min(int(embedding.by_share(values, share)), far)
    elif not isinstance(count, str):
        kept = int(count)
        if kept > spectrum.positive:
            alike = f" with {suite.merged} merged as alike (merge=False keeps them apart)" if suite.merged else ""
            raise InputError(
                f"dimensions is {kept}, but these dissimilarities span only {spectrum.positive}{alike}; "
                f"ask for at most {spectrum.positive} or for 'auto'"
            )
    last = values[kept - 1]  # where the first one dropped is its equal, their directions are interchangeable
    return Dimensionality(
        kept=kept,
        rule=count if isinstance(count, str) else "given",
        thresholds=thresholds,
        source=source,
        quantile=space_suite.QUANTILE,
        floor=floor,
        propagated=None if propagated is None else min(embedding.count_above(values, propagated), far),
        cut=bool(kept < n and last - values[kept] <= ZERO * values[0] and last > 0),
        share=share if count == "share" else None,
    )
