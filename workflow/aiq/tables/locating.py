"""The one way from lengths and distances to a space, for runs, tables and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.errors import InputError
from aiq.measures import complexity, space, weighing
from aiq.measures import draws as space_draws
from aiq.measures.dissimilarity import landmarks
from aiq.records.complexity import Complexity
from aiq.records.estimate import Floats
from aiq.records.matrix import RelativePair
from aiq.records.space import Space, Weights
from aiq.stats import jackknife
from aiq.storage import Source
from aiq.tables import columns

# ---- How far from the origin the tests lie: what the length is made of, and its errors -----------

DRAWS = 1000

NO_EXCESS = (
    "the distances from the origin are complexities: {why}; a test that any network solves then counts as if it were "
    "hard, and a test with more inputs counts as harder"
)
"""Said where complexity is the length and nobody asked for it."""

EASY = "any policy of this pool solves every domain, so every relative excess is 0"
ALIKE = "the policies of this pool are too much alike for a relative excess"
ABSENT = "there is no relative excess of every domain"


@dataclass(frozen=True, slots=True, eq=False)
class LengthErrors:
    """Errors of n relative excesses: ``parts`` (G, n) by chunk of a pool that all domains share, or ``se`` with ``df``.

    ``among`` (H,): which of the chunks of a larger pool these are, so that draws of both belong together.
    """

    se: Floats
    df: Floats
    parts: Floats | None = None
    among: npt.NDArray[np.bool_] | None = None

    @classmethod
    def of_parts(cls, parts: Floats, among: npt.NDArray[np.bool_] | None = None) -> LengthErrors:
        """Return errors that go together by chunk."""
        return cls(np.sqrt((parts**2).sum(axis=0)), jackknife.degrees(parts), parts, among)

    @property
    def covariance(self) -> Floats:
        """Covariance of the lengths, (n, n)."""
        return np.diag(self.se**2) if self.parts is None else np.asarray(self.parts.T @ self.parts)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of their sum (Satterthwaite); infinite where every error is known."""
        if self.parts is not None:  # errors that share a pool go together, chunk by chunk
            return float(jackknife.degrees(self.parts.sum(axis=1, keepdims=True))[0])
        squares, finite = self.se**2, np.isfinite(self.df)
        spread = float((squares[finite] ** 2 / self.df[finite]).sum())
        return float(squares.sum() ** 2 / spread) if spread > 0 else np.inf

    def drawn(self, values: Floats, count: int, seed: int) -> Floats:
        """Return draws (count, n) on the scale of the intervals, so that none leaves [0, 1]."""
        rng = seeding.generator(seed, "space", "relative excess draws")
        if self.parts is not None:
            draws = jackknife.drawn(values, self.parts, max(count, 2), rng, "logit", self.among)
        else:
            shape = (max(count, 2), values.size)
            exact = np.isinf(self.df)
            t = np.where(exact, rng.standard_normal(shape), rng.standard_t(np.where(exact, 1.0, self.df), shape))
            draws = jackknife.moved(values, t * self.se, "logit")
        return np.clip(draws, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """How far n tests lie from the origin, in what unit (``relative_excess`` or ``complexity``), and their errors.

    ``replicates`` (B, n) or ``se`` (n,) of complexities; ``errors`` of relative excesses. ``why``: what must be said of
    the choice.
    """

    kind: str
    values: Floats
    errors: LengthErrors | None = None
    replicates: Floats | None = None
    se: Floats | None = None
    why: tuple[str, ...] = ()

    def options(self, count: int, seed: int) -> dict[str, Floats]:
        """Return what is known of the errors as options of ``space.build``."""
        if self.errors is not None:
            return {"complexity_replicates": self.errors.drawn(self.values, count, seed)}
        if self.replicates is not None:
            return {"complexity_replicates": self.replicates}
        return {} if self.se is None else {"complexity_se": self.se}


def _chosen(records: Sequence[Complexity], asked: str | None) -> tuple[str, tuple[str, ...]]:
    """Return what the distances from the origin are, and why not the relative excess where nothing was asked.

    InputError where relative excesses are asked for, but a pool has fewer than k policies.
    """
    at_k = [record.best_of_k for record in records if record.best_of_k is not None]
    if asked == "relative_excess" and len(at_k) < len(records):
        raise InputError(
            "space.length is relative_excess, but a pool has fewer than complexity.k policies; train more, lower "
            "k, or set space.length to complexity"
        )
    if asked is None and any(record.estimator == "minimum" for record in records):
        return "complexity", (NO_EXCESS.format(why="they were estimated by the minimum"),)
    return usual_length([best.relative_excess.value for best in at_k], asked)


def usual_length(excesses: Sequence[float] | None, asked: str | None) -> tuple[str, tuple[str, ...]]:
    """Return the distances from the origin: relative excess where it says something, unless one is asked for.

    With it what must be said where it is the complexity and nobody asked for that. ``excesses``: of every domain, NaN
    where a pool has none; None where the table has no such column. ``asked``: None for the usual.
    """
    if asked is not None:
        return asked, ()
    if excesses is None:
        return "complexity", (NO_EXCESS.format(why=ABSENT),)
    if not np.isfinite(excesses).all():
        return "complexity", (NO_EXCESS.format(why=ALIKE),)
    if not any(value > 0 for value in excesses):
        return "complexity", (NO_EXCESS.format(why=EASY),)
    return "relative_excess", ()


def lengths_of(records: Sequence[Complexity], asked: str | None, among: npt.NDArray[np.bool_] | None = None) -> Lengths:
    """Return the lengths of tests whose pools are one, with the errors that they share; ``asked``: None for the usual.

    Where chunks do not match the errors are taken as independent; where one is not known (a pool of one chunk, or of
    policies that are all of one size once a chunk is left out), none is given.
    """
    kind, why = _chosen(records, asked)
    if kind == "complexity":
        fewest = min(record.replicates.size for record in records)
        drawn = np.column_stack([record.replicates[:fewest] for record in records])
        return Lengths(kind, np.array([record.value for record in records]), replicates=drawn, why=why)
    at_k = [record.best_of_k for record in records if record.best_of_k is not None]
    values = np.array([best.relative_excess.value for best in at_k])
    parts = columns.chunk_parts(list(records))
    if parts is not None:
        return Lengths(kind, values, LengthErrors.of_parts(parts, among), why=why)
    measured = [e for best in at_k if (e := complexity.standard_error(best, "relative_excess")) is not None]
    if len(measured) < len(at_k):
        return Lengths(kind, values, why=why)
    se, df = np.array([(error.se, error.df) for error in measured]).T
    return Lengths(kind, values, LengthErrors(se, df), why=why)


# ---- Spaces --------------------------------------------------------------------------------------


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
    of_length = far.options(draws, seed)
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
    return weighing.weigh(names, far.values, matrix, **of_length, **of_pairs, draws=max(draws, 2), seed=seed)


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
        return filled(area, landmarks.left_out_dimensions(area[list(at)], at)), {}
    measured = ~np.isnan(area) & ~np.eye(len(area), dtype=bool)
    of_measured = space_draws.Errors(np.where(measured, errors.inner, 0.0), errors.ends, errors.df)
    variance = np.where(measured, of_measured.variance, 0.0)
    root = space_draws.debiased(np.where(measured, area, 0.0), variance)
    drawn = space_draws.dissimilarities(root, of_measured, DRAWS, seeding.generator(seed, "space", "landmark draws"))
    rng = seeding.generator(seed, "space", "landmark directions")
    count = landmarks.left_out_dimensions(root[list(at)], at)
    drawn = landmarks.replicates(root, drawn, at, rng, count)
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
        error = landmarks.left_out_error(rows, at, landmarks.left_out_dimensions(rows, at))
        return cls(tuple(names[i] for i in at), names[chosen], float(rows[:, chosen].min()), floor, error)


def next_from_table(path: Source) -> NextLandmark:
    """Return the domain farthest from the landmarks of a table ``a,b,dissimilarity``: those measured against all.

    Values below 0 (signed areas) count as 0. The noise floor is the largest dissimilarity of a domain with itself, 0
    where none is given. InputError where no domain was measured against all others, or every one was.
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
