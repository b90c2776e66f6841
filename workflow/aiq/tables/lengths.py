"""How far from the origin the tests of a suite lie: what the length is made of, and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import complexity
from aiq.records.complexity import Complexity
from aiq.records.estimate import Floats
from aiq.stats import jackknife
from aiq.tables import columns

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


def chosen(records: Sequence[Complexity], asked: str | None) -> tuple[str, tuple[str, ...]]:
    """Return what the distances from the origin are, and why not the relative excess where nothing was asked.

    Raises:
        InputError: relative excesses are asked for, but a pool has fewer than k policies.
    """
    at_k = [record.best_of_k for record in records if record.best_of_k is not None]
    if asked == "relative_excess" and len(at_k) < len(records):
        raise InputError(
            "space.length is relative_excess, but a pool has fewer than complexity.k policies; train more, lower "
            "k, or set space.length to complexity"
        )
    if asked is None and any(record.estimator == "minimum" for record in records):
        return "complexity", (NO_EXCESS.format(why="they were estimated by the minimum"),)
    return usual([best.relative_excess.value for best in at_k], asked)


def usual(excesses: Sequence[float] | None, asked: str | None) -> tuple[str, tuple[str, ...]]:
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


def of_records(records: Sequence[Complexity], asked: str | None, among: npt.NDArray[np.bool_] | None = None) -> Lengths:
    """Return the lengths of tests whose pools are one, with the errors that they share; ``asked``: see ``usual``.

    Where chunks do not match the errors are taken as independent; where one is not known (a pool of one chunk, or of
    policies that are all of one size once a chunk is left out), none is given.
    """
    kind, why = chosen(records, asked)
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


def with_errors(
    records: Sequence[Complexity],
    length: str,
    count: int = DRAWS,
    seed: int = 0,
    among: npt.NDArray[np.bool_] | None = None,
) -> tuple[Floats, dict[str, Floats]]:
    """Return the tests' distances from the origin (n,), and what is known of their errors, as options of ``build``."""
    far = of_records(records, length, among)
    return far.values, options(far, count, seed)


def options(lengths: Lengths, count: int, seed: int) -> dict[str, Floats]:
    """Return what is known of the errors of lengths as options of ``space.build``."""
    if lengths.errors is not None:
        return {"complexity_replicates": lengths.errors.drawn(lengths.values, count, seed)}
    if lengths.replicates is not None:
        return {"complexity_replicates": lengths.replicates}
    return {} if lengths.se is None else {"complexity_se": lengths.se}
