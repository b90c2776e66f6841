"""The checked input of a space in canonical order: normalised values, noise floors, and replicates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from aiq.errors import InputError
from aiq.measures import draws
from aiq.measures.draws import Errors
from aiq.records.estimate import Floats
from aiq.seeding import generator
from aiq.stats import jackknife

Merge = bool | str

QUANTILE = 0.95
DRAWS = 1000
PRIOR_SPREAD = 0.3  # standard deviation of the log of a self-dissimilarity, from a folded normal curve of 11 points
PRIOR_WEIGHT = 10.0  # degrees of freedom that the prior spread counts for


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What is known of the errors: standard errors or ready replicates (see ``space.build``), and how many to draw."""

    complexity_se: npt.ArrayLike | None
    dissimilarity_se: npt.ArrayLike | None
    end_se: npt.ArrayLike | None
    dissimilarity_df: float
    complexity_replicates: npt.ArrayLike | None
    dissimilarity_replicates: npt.ArrayLike | None
    self_replicates: npt.ArrayLike | None
    draws: int

    @property
    def of_dissimilarity(self) -> bool:
        """Whether anything is known of the errors of the dissimilarities."""
        return self.dissimilarity_se is not None or self.dissimilarity_replicates is not None

    @property
    def of_complexity(self) -> bool:
        """Whether anything is known of the errors of the complexities."""
        return self.complexity_se is not None or self.complexity_replicates is not None


@dataclass(frozen=True, slots=True)
class Suite:
    """Checked input in canonical order: normalised complexity and dissimilarity, and what is known of noise.

    ``scale``: on which replicates of the complexity are drawn, see ``jackknife.interval``.
    """

    names: tuple[str, ...]
    complexity: Floats
    dissimilarity: Floats
    top_complexity: float
    top_dissimilarity: float
    floors: Floats
    floor_replicates: Floats | None
    group: npt.NDArray[np.int64]
    errors: Errors | None
    covariance: Floats | None
    scale: str

    @property
    def merged(self) -> tuple[tuple[str, ...], ...]:
        """The groups of more than one test."""
        groups = [tuple(self.names[i] for i in np.flatnonzero(self.group == g)) for g in np.unique(self.group)]
        return tuple(names for names in groups if len(names) > 1)


@dataclass(frozen=True, slots=True)
class Resampled:
    """Usable replicates in units of the point estimate's largest values: (B, n) and (B, n, n); ``failed`` dropped."""

    complexity: Floats
    dissimilarity: Floats
    failed: int


def suite(
    names: tuple[str, ...],
    complexity: npt.ArrayLike,
    dissimilarity: npt.ArrayLike,
    uncertainty: Uncertainty,
    zero: bool,
    absolute: bool,
) -> tuple[Suite, list[int]]:
    """Check, normalise (not with ``absolute``) and bring into an order that does not depend on the order of input."""
    c = _check_complexity(names, complexity, zero)
    d, diagonal = draws.check_dissimilarity(names, dissimilarity, uncertainty.dissimilarity_se is not None)
    errors = None
    if uncertainty.dissimilarity_se is not None:
        errors = draws.check_errors(
            names, uncertainty.dissimilarity_se, uncertainty.end_se, uncertainty.dissimilarity_df
        )
        d = draws.debiased(d, errors.variance)
    top_c, top_d = (1.0, 1.0) if absolute else (float(c.max()), float(d.max()))
    unit_d = top_d if top_d > 0 else 1.0
    order = sorted(range(len(names)), key=lambda i: (-c[i], tuple(np.sort(d[i])[::-1]), names[i]))
    diagonal = diagonal[order]
    replicates = None
    if uncertainty.self_replicates is not None:
        selfs = draws.check_replicates("self_replicates", uncertainty.self_replicates, (len(names),))
        measured = selfs[:, order][:, diagonal > 0]
        replicates = measured / unit_d if np.any(measured > 0) else None
    covariance = None
    if uncertainty.complexity_se is not None:
        covariance = draws.check_covariance(names, uncertainty.complexity_se)[np.ix_(order, order)]
    ordered = Suite(
        names=tuple(names[i] for i in order),
        complexity=c[order] / top_c,
        dissimilarity=d[np.ix_(order, order)] / unit_d,
        top_complexity=top_c,
        top_dissimilarity=top_d,
        floors=diagonal[diagonal > 0] / unit_d,
        floor_replicates=replicates,
        group=np.arange(len(names)),
        errors=None if errors is None else Errors(errors.inner[np.ix_(order, order)], errors.ends[order], errors.df),
        covariance=covariance,
        scale="logit" if zero else "plain",
    )
    return ordered, order


def merged(suite: Suite, seed: int) -> Suite:
    """Return the suite with shared dissimilarities for tests that noise cannot part, scaled to a largest of 1 again."""
    group = duplicate_groups(suite.dissimilarity, suite.floors, suite.floor_replicates, seed)
    d = share_rows(suite.dissimilarity, group)
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


def _check_complexity(domains: tuple[str, ...], complexity: npt.ArrayLike, zero: bool = False) -> Floats:
    """Return complexities as (n,) positive finite numbers; with ``zero`` some but not all may be 0."""
    values = np.asarray(complexity, dtype=np.float64)
    if values.shape != (len(domains),):
        raise InputError(f"complexity has shape {values.shape}, expected one number for each of {len(domains)} domains")
    for name, value in zip(domains, values, strict=True):
        if not np.isfinite(value) or value < 0 or (value == 0 and not zero):
            raise InputError(
                f"the complexity of domain {name!r} is {value}; it must be a finite number "
                + ("of at least 0" if zero else "above 0")
            )
    if not values.any():
        raise InputError("every domain has length 0, so all lie at the origin and span no space; add a harder domain")
    return values


def resampled(suite: Suite, order: list[int], errors: Uncertainty, seed: int) -> Resampled | None:
    """Return replicates in canonical order and in units of the point's largest; what is not known stays in place."""
    c, d = _complexities(suite, order, errors, seed), _dissimilarities(suite, order, errors, seed)
    if c is None and d is None:
        return None
    count = min(len(drawn) for drawn in (c, d) if drawn is not None)
    c = np.tile(suite.complexity, (count, 1)) if c is None else c[:count]
    d = np.tile(suite.dissimilarity, (count, 1, 1)) if d is None else d[:count]
    return usable(c, d)


def _complexities(suite: Suite, order: list[int], errors: Uncertainty, seed: int) -> Floats | None:
    if suite.covariance is not None:
        rng = generator(seed, "space", "complexity draws")
        values, centre = suite.complexity * suite.top_complexity, np.zeros(len(suite.names))
        steps = rng.multivariate_normal(
            centre, suite.covariance, size=errors.draws, method="eigh", check_valid="ignore"
        )
        return np.maximum(jackknife.moved(values, steps, suite.scale), 0.0) / suite.top_complexity
    if errors.complexity_replicates is None:
        return None
    given = draws.check_replicates("complexity_replicates", errors.complexity_replicates, (len(suite.names),))
    return given[:, order] / suite.top_complexity


def _dissimilarities(suite: Suite, order: list[int], errors: Uncertainty, seed: int) -> Floats | None:
    n, unit = len(suite.names), suite.top_dissimilarity or 1.0
    if suite.errors is not None:
        rng = generator(seed, "space", "dissimilarity draws")
        d = draws.dissimilarities(suite.dissimilarity * unit, suite.errors, errors.draws, rng)
    elif errors.dissimilarity_replicates is not None:
        given = errors.dissimilarity_replicates
        d = draws.check_replicates("dissimilarity_replicates", given, (n, n))[:, order][:, :, order]
        d = np.where(np.eye(n, dtype=bool), 0.0, (d + d.transpose(0, 2, 1)) / 2)
    else:
        return None
    return share_rows(d / unit, suite.group)


def usable(complexity: Floats, dissimilarity: Floats) -> Resampled:
    """Keep the replicates that can be embedded (finite, some complexity above 0) and count the others."""
    good = np.isfinite(dissimilarity).all(axis=(1, 2)) & np.isfinite(complexity).all(axis=1)
    good &= np.where(np.isfinite(complexity), complexity, 0.0).max(axis=1) > 0
    return Resampled(complexity[good], dissimilarity[good], int((~good).sum()))


# ---- Tests that the noise floor cannot tell apart ------------------------------------------------


def symmetric(upper: Floats) -> Floats:
    """Return matrices (..., n, n) with what stands above the diagonal below it too, and a zero diagonal."""
    half = np.triu(upper, 1)
    return np.asarray(half + np.swapaxes(half, -1, -2))


def floor_draws(floors: Floats, replicates: Floats | None, n: int, rng: np.random.Generator) -> Floats:
    """Draw dissimilarities of identical tests, shape (DRAWS, n, n), symmetric, zero diagonal.

    The log of a further self-dissimilarity is Student t about the mean log of the measured ones, ``floors`` (k,)
    (predictive distribution). Its spread pools that between the measured ones, that of their ``replicates`` (B, k)
    (both show the same sampling noise, so they are averaged, not added) and a prior of 0.3, for few are ever measured.
    """
    k = floors.size
    logs = np.log(floors)
    squares, freedom = float(((logs - logs.mean()) ** 2).sum()) + PRIOR_WEIGHT * PRIOR_SPREAD**2, k - 1 + PRIOR_WEIGHT
    for column in () if replicates is None else replicates.T:
        drawn = np.log(column[column > 0])
        if drawn.size > 1:
            squares, freedom = squares + float(drawn.var()), freedom + 1
    centre, scale = float(logs.mean()), np.sqrt(squares / freedom * (1 + 1 / k))
    return symmetric(np.exp(centre + scale * rng.standard_t(freedom, size=(DRAWS, n, n))))


def duplicate_groups(
    dissimilarity: Floats, floors: Floats, replicates: Floats | None, seed: int
) -> npt.NDArray[np.int64]:
    """Return a group number for each test, shape (n,): tests that the noise floor cannot tell apart (section 3.3.3).

    Two entries of one test are measured against every other test with independent errors, and these errors would part
    them: with complexities near 1 the wedge between two copies encloses more volume than a real but easy test. So tests
    whose dissimilarity is no larger than that of a test with itself share one direction. All pairs within a group
    (complete linkage) lie below the 95 % quantile of a further self-dissimilarity; where none is known (``floors``,
    (k,)) there are no groups.
    """
    n = dissimilarity.shape[0]
    if n < 2 or floors.size == 0:
        return np.arange(n)
    draws = floor_draws(floors, replicates, 2, generator(seed, "space", "duplicates"))[:, 0, 1]
    tree = linkage(squareform(dissimilarity, checks=False), "complete")
    return np.asarray(fcluster(tree, np.quantile(draws, QUANTILE), "distance"), dtype=np.int64)


def share_rows(dissimilarity: Floats, group: npt.NDArray[np.int64]) -> Floats:
    """Return dissimilarities (..., n, n) averaged over the members of each group, 0 within a group."""
    same = group[:, None] == group[None, :]
    if same.sum() == group.size:
        return dissimilarity
    mean = same / same.sum(axis=1, keepdims=True)
    return np.where(same, 0.0, mean @ dissimilarity @ mean.T)
