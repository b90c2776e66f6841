"""The one way from lengths and distances to a space, for runs, tables and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aiq import seeding, storage
from aiq.errors import InputError
from aiq.measures import draws as space_draws
from aiq.measures import skills, space
from aiq.measures.dissimilarity import completing, landmarks
from aiq.records.estimate import Floats
from aiq.records.matrix import RelativePair
from aiq.records.space import Space, Weights
from aiq.storage import Source
from aiq.tables import columns, lengths
from aiq.tables.lengths import DRAWS, Lengths


def located(
    names: Sequence[str],
    far: Lengths,
    matrix: Floats,
    of_pairs: Mapping[str, Any],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    **how: Any,
) -> Space:
    """Return the space of some domains.

    ``matrix``: dissimilarities, or signed areas with their errors, (n, n); ``of_pairs``: what is known of their errors,
    and ``how``: further options, both of ``space.build``.

    Raises:
        InputError: for numbers that make no space.
    """
    count = draws
    of_length = lengths.options(far, draws, seed)
    if "complexity_replicates" in of_length:
        count = min(count, len(of_length["complexity_replicates"]))
    options = {**of_length, **of_pairs}
    for name in ("complexity_replicates", "dissimilarity_replicates", "self_replicates"):
        replicates = options.get(name, how.get(name))
        if replicates is not None:
            (options if name in options else how)[name] = replicates[:count]
    of_space = {name: value for name, value in options.items() if not name.startswith("cosine")}
    built = space.build(names, far.values, matrix, length=far.kind, draws=max(count, 2), seed=seed, **of_space, **how)
    weights = _weighed(names, far, matrix, options, count, seed)
    return replace(built, warnings=(*far.why, *built.warnings), weights=weights)


def _weighed(
    names: Sequence[str], far: Lengths, matrix: Floats, options: Mapping[str, Any], draws: int, seed: int
) -> Weights:
    """Return what each test counts in the mean over independent skills; ``options`` as ``space.build`` takes them."""
    keys = ("dissimilarity_se", "end_se", "dissimilarity_df", "dissimilarity_replicates")
    if "cosines" in options:
        keys = ("cosines", "cosine_replicates", "cosine_df")
    of_pairs = {name: options[name] for name in keys if name in options}
    of_length: dict[str, Any] = {}
    if far.errors is not None:
        of_length = {"length_se": far.errors.covariance, "length_df": far.errors.degrees}
    elif "complexity_replicates" in options:
        of_length = {"length_replicates": options["complexity_replicates"]}
    elif far.se is not None:
        of_length = {"length_se": far.se}
    return skills.weigh(names, far.values, matrix, **of_length, **of_pairs, draws=max(draws, 2), seed=seed)


def completed(
    area: Floats, errors: space_draws.Errors | None, at: Sequence[int], seed: int
) -> tuple[Floats, dict[str, Floats]]:
    """Return dissimilarities completed from the landmarks ``at``, and replicates of them where errors are known.

    ``area``: (n, n), NaN where a pair was not measured; signed areas where errors are given. The diagonal stays.
    """

    def filled(matrix: Floats, count: int | None) -> Floats:
        whole = np.array(landmarks.complete(matrix[list(at)], at, dimensions=count).matrix)
        np.fill_diagonal(whole, np.abs(np.diag(area)))
        return whole

    at = sorted(at)
    if errors is None:
        return filled(area, completing.left_out_dimensions(area[list(at)], at)), {}
    measured = ~np.isnan(area) & ~np.eye(len(area), dtype=bool)
    of_measured = space_draws.Errors(np.where(measured, errors.inner, 0.0), errors.ends, errors.df)
    variance = np.where(measured, of_measured.variance, 0.0)
    root = space_draws.debiased(np.where(measured, area, 0.0), variance)
    drawn = space_draws.dissimilarities(root, of_measured, DRAWS, seeding.generator(seed, "space", "landmark draws"))
    rng = seeding.generator(seed, "space", "landmark directions")
    count = completing.left_out_dimensions(root[list(at)], at)
    drawn = completing.replicates(root, drawn, at, rng, count)
    return filled(root, count), {"dissimilarity_replicates": drawn}


def by_relative(
    domains: Sequence[str], pairs: Sequence[RelativePair], draws: int, seed: int
) -> tuple[Floats, dict[str, Any]]:
    """Return roots of 1 - cosine with cos = 1 - relative dissimilarity, and these cosines, with replicates of both.

    A pair that has no number counts as unrelated, and is drawn evenly between the same and unrelated: without that,
    intervals of what follows hold the truth too rarely (``studies/results/relative.md``). The part of an error that the
    end of a test brings is drawn once for all its pairs, with the degrees of freedom of each.
    """
    n, count = len(domains), max(draws, 2)
    rng = seeding.generator(seed, "space", "relative")
    ends = {name: rng.standard_normal(count) for name in sorted(domains)}
    rho, drawn, df = 1.0 - np.eye(n), np.tile(1.0 - np.eye(n), (count, 1, 1)), np.inf
    for pair in sorted(pairs, key=lambda pair: (pair.a, pair.b)):
        i, j = domains.index(pair.a), domains.index(pair.b)
        value, own = 1.0 if pair.relative.undefined else pair.relative.estimate.value, np.zeros(count)
        if (error := pair.relative.error) is not None:
            finite = np.isfinite(error.df)
            scale = np.sqrt(error.df / rng.chisquare(error.df, count)) if finite else np.ones(count)
            rest = np.sqrt(max(0.0, error.se**2 - pair.end_a**2 - pair.end_b**2))
            shared = pair.end_a * ends[pair.a] + pair.end_b * ends[pair.b]
            own, df = scale * (shared + rest * rng.standard_normal(count)), min(df, error.df)
        elif pair.relative.undefined:
            own = -rng.random(count)  # as if nothing were known between the same and unrelated
        rho[[i, j], [j, i]] = value
        drawn[:, [i, j], [j, i]] = (value + own)[:, None]
    # cosines are cut at -1 and 1
    roots, drawn_roots = (np.sqrt(np.clip(squares, 0.0, 2.0)) for squares in (rho, drawn))
    replicates = {"dissimilarity_replicates": drawn_roots, "cosine_replicates": 1 - drawn}
    return roots, {**replicates, "cosines": 1 - rho, "cosine_df": df}


@dataclass(frozen=True, slots=True)
class NextLandmark:
    """The domain farthest from the landmarks so far, and its distance to the nearest of them.

    ``error``: relative error of completed pairs as the landmarks tell that are left out in turn, rather too large; None
    with fewer than three.
    """

    landmarks: tuple[str, ...]
    domain: str
    distance: float
    noise_floor: float
    error: float | None = None

    @classmethod
    def of(cls, names: Sequence[str], at: Sequence[int], rows: Floats, floor: float) -> NextLandmark:
        """Choose farthest-point: ``rows`` (L, n) are the distances of all from the landmarks ``at``, 0 from itself."""
        chosen = landmarks.next_landmark(rows, at)
        error = completing.left_out_error(rows, at, completing.left_out_dimensions(rows, at))
        return cls(tuple(names[i] for i in at), names[chosen], float(rows[:, chosen].min()), floor, error)


def next_from_table(path: Source) -> NextLandmark:
    """Return the domain farthest from the landmarks of a table ``a,b,dissimilarity``: those measured against all.

    Values below 0 (signed areas) count as 0. The noise floor is the largest dissimilarity of a domain with itself, 0
    where none is given.

    Raises:
        InputError: no domain was measured against all others, every one was, or the table cannot be used.
    """
    table = storage.read_table(
        path, ("a", "b", "dissimilarity"), ("se",), ("dissimilarity", "se"), blank=("se",), allows=columns.of_pairs
    )
    pairs = list(zip(*(table.column(name) for name in ("a", "b", "dissimilarity")), strict=True))
    names = list(dict.fromkeys(str(name) for a, b, _ in pairs for name in (a, b)))
    matrix = np.full((len(names), len(names)), np.nan)
    for a, b, value in pairs:
        i, j = names.index(str(a)), names.index(str(b))
        if not np.isnan(matrix[i, j]):
            raise InputError(f"{storage.called(path)}: the pair {a}, {b} stands twice; keep one row of each pair")
        matrix[i, j] = matrix[j, i] = max(float(value or 0.0), 0.0)
    floor = float(np.nan_to_num(np.diag(matrix)).max(initial=0.0))
    np.fill_diagonal(matrix, 0.0)
    at = [i for i in range(len(names)) if np.isfinite(matrix[i]).all()]
    if not at:
        raise InputError(
            f"{storage.called(path)}: no domain is measured against all {len(names) - 1} others; measure one so first"
        )
    if len(at) == len(names):
        raise InputError(f"{storage.called(path)} holds every pair of its {len(names)} domains; no landmark is needed")
    return NextLandmark.of(names, at, matrix[at], floor)
