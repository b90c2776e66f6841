"""Records of the trainings behind the 2020 similarities, and of what they reduce to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from aiq.records.dissimilarity import Similarity
from aiq.records.estimate import Estimate, Floats
from aiq.records.table import Cell

Merge = Literal["sampled", "stitched"]
Kind = Literal["alone", "sampled", "stitched"]


@dataclass(frozen=True, eq=False)
class PoolRuns:
    """Every network of the pools of some repetitions: R repetitions, M networks of random sizes in each, all (R, M).

    ``score``: best periodic evaluation in training, by which a network is chosen. ``first``, ``second``: performance on
    fresh episodes of each test, twice the same of one test alone. NaN where a network was lost.
    """

    score: Floats
    first: Floats
    second: Floats
    parameters: Floats

    def __post_init__(self) -> None:
        """Refuse tables that do not go together."""
        shapes = {table.shape for table in (self.score, self.first, self.second, self.parameters)}
        if len(shapes) > 1 or self.score.ndim != 2 or not self.score.size:
            raise ValueError(f"networks of pools have tables of shapes {sorted(shapes)}; one shape (R, M) is needed")

    def best(self, table: Floats) -> Floats:
        """Return the entries of a table (R, M) that belong to the chosen network of each repetition, (R,).

        Chosen is the network with the highest score, of equals the first; the fresh episodes play no part in it.
        """
        place = np.where(np.isnan(self.score), -np.inf, self.score).argmax(axis=1)
        return np.asarray(np.take_along_axis(table, place[:, None], axis=1)[:, 0])


@dataclass(frozen=True, eq=False)
class MergedRuns:
    """Repetitions of a training on one test alone (``a`` twice), or on two merged ones.

    ``at``: share of ``a`` in what is learned and in the performance; 1 of a test alone, 1/2 of a stitched pair.
    ``halvings``: how often the filters of the network are halved. ``parameters``: 0 where nothing is learned. ``first``
    and ``second``: performance on ``a`` and ``b``, (R,), NaN where a training was lost. ``seconds`` that the trainings
    took together. ``pool``: all networks behind them, which are those of the best ones; None: one network a repetition.
    """

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int
    parameters: int
    first: Floats
    second: Floats
    seconds: float
    pool: PoolRuns | None = None

    def __post_init__(self) -> None:
        """Refuse repetitions that do not go together, and shares outside [0, 1]."""
        if self.first.shape != self.second.shape or self.first.ndim != 1:
            raise ValueError(f"repetitions of shapes {self.first.shape} and {self.second.shape} do not go together")
        if not 0 <= self.at <= 1:
            raise ValueError(f"a share of {self.at} is outside [0, 1]")

    @property
    def performance(self) -> Floats:
        """Performance on the merged test, (R,): that of ``a`` and of ``b``, weighted by their shares."""
        return self.at * self.first + (1 - self.at) * self.second

    @property
    def sound(self) -> Floats:
        """Performances of the trainings that were not lost."""
        return self.performance[np.isfinite(self.performance)]

    @property
    def typical(self) -> float | None:
        """Mean performance of all networks of the pools that were not lost; None where there are no pools."""
        if self.pool is None:
            return None
        all_of_them = self.at * self.pool.first + (1 - self.at) * self.pool.second
        sound = all_of_them[np.isfinite(all_of_them)]
        return float(sound.mean()) if sound.size else None

    @property
    def lost(self) -> int:
        """Trainings that diverged or whose environment failed."""
        return len(self.first) - len(self.sound)


@dataclass(frozen=True, eq=False)
class TestPerformance:
    """Performance on one test, alone or merged (a number in [0, 1], or a raw return under the published recipe).

    ``typical`` is the mean over all networks of the pools, of which ``performance`` is that of the best ones.
    """

    __test__ = False  # no test of pytest's

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int
    parameters: int
    performance: Estimate
    lost: int
    typical: float | None = None

    @property
    def label(self) -> str:
        """Name as the 2020 paper writes it: A, (A,B) where samples are drawn from both, AB stitched."""
        if self.kind == "alone":
            return self.a
        return f"({self.a}, {self.b})" if self.kind == "sampled" else f"{self.a}|{self.b}"

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of a table, in the order of ``COLUMNS``."""
        what = (self.label, self.kind, self.a, self.b, self.at, self.halvings, self.parameters)
        return *what, *self.performance.cells()


COLUMNS = ("test", "kind", "a", "b", "share_of_a", "halvings", "parameters", "performance", "low", "high")


@dataclass(frozen=True, eq=False)
class MergedPair:
    """Similarity of two tests under one merge and one network.

    ``single`` are |S| of single runs, (R,), as a program computes them that trains once for each performance; NaN
    where one of the three was lost.
    """

    a: str
    b: str
    merge: Merge
    halvings: int
    similarity: Similarity
    single: Floats
