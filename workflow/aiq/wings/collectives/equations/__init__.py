"""The measure of agent collectives in Lambda* (Chmait et al. 2015): what a test is made of, and what its episodes say.

``Settings()`` is the paper's test; ``PRESETS["code"]`` has the departures of the public program. Ranges are
those of the configuration, which has checked them. ``simulation.simulate`` scores kinds of groups in numbered episodes,
in blocks that can be cut anywhere; ``intelligence``, ``scores_by_complexity`` and ``difference`` reduce them.

Compiled code (see `aiq.compilation`) draws from SplitMix64 (Steele, Lea, Flood 2014): the state is one 64-bit word in
an array of length one, so every episode and every kind of agent starts a stream of its own from a mixed key, and a
result does not depend on which episodes ran before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from aiq.compilation import Compiler
from aiq.errors import InputError
from aiq.records.estimate import Estimate, Floats
from aiq.stats import Z
from aiq.wings.collectives.plan import AGENTS, ITERATIONS, Kind, Pattern

# ---- compilation and random streams --------------------------------------------------------------

Array = npt.NDArray[Any]
compiled = Compiler(Path(__file__).parent)
"""Compiles a function to machine code that is kept on disk and divides as numpy does."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@compiled
def mix(word: Any) -> Any:
    """Return the 64-bit finaliser of SplitMix64 applied to an unsigned 64-bit ``word``."""
    z = (word ^ (word >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@compiled
def seeded(stream: Array, seed: Any, first: int, second: int) -> None:
    """Set ``stream`` to the start of the stream of the key (seed, first, second)."""
    inner = mix(seed + GOLDEN * np.uint64(first + 1))
    stream[0] = mix(inner + GOLDEN * np.uint64(second + 1))


@compiled
def bits(stream: Array) -> Any:
    """Advance ``stream`` and return 64 random bits."""
    stream[0] = stream[0] + GOLDEN
    return mix(stream[0])


@compiled
def below(stream: Array, bound: int) -> Any:
    """Return a uniform integer in [0, bound), bound < 2**32 (relative bias below bound / 2**32)."""
    return np.int64(((bits(stream) >> _32) * np.uint64(bound)) >> _32)


@compiled
def one_of(mask: int, word: Any, choices: Array, counts: Array) -> Any:
    """Return a uniform position among the set bits of ``mask`` (1 … 511), by the upper 32 bits of ``word``."""
    return np.int64(choices[mask, np.int64(((word >> _32) * counts[mask]) >> _32)])


def bit_places() -> tuple[Array, Array]:
    """Return for each 9-bit mask the positions of its set bits (512, 9), int8, and their number (512,), uint64."""
    choices = np.zeros((512, 9), dtype=np.int8)
    counts = np.zeros(512, dtype=np.uint64)
    for mask in range(512):
        positions = [k for k in range(9) if mask >> k & 1]
        choices[mask, : len(positions)] = positions
        counts[mask] = len(positions)
    return choices, counts


# ---- a test ----------------------------------------------------------------------------------------

KINDS: tuple[str, ...] = get_args(Kind)
PATTERNS: tuple[str, ...] = get_args(Pattern)


@dataclass(frozen=True, slots=True)
class Learning:
    """Parameters of Q-learning and Sarsa, trained anew before each episode on the episode's own pattern.

    ``rate`` α; ``discount`` γ; ``exploration`` ε in training (0 in the test); ``passes`` rehearsals of the whole
    episode; ``initial`` value of every table entry.
    """

    rate: float = 0.5
    discount: float = 0.9
    exploration: float = 0.1
    passes: int = 100
    initial: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """One test: grid, iterations, group and the options in which paper and public code differ.

    Attributes:
        rows: height m of the torus, at least 3.
        columns: width n of the torus, at least 3.
        steps: iterations ϑ of an episode, at least 2.
        agents: evaluated agents in the group, at least 1.
        pattern: ``segment`` (a recurrent segment of moves, environments stratified over K), ``walk``
            (random walks of 1 … ⌊ϑ/2⌋ moves there and back, Evil a shifted copy of Good, K of the cell indices) or
            ``replay`` (the public program's: n … 2n − 1 cells of a random walk, listed forwards and backwards in
            turn, Evil's cell a fixed number away from Good's, K of the listed cells; n is the width of the grid).
        start: ``uniform`` cells, or ``near_good`` (agents on cells next to Good).
        stigmergy_discount: γ of the fake rewards, in (0, 1].
        stigmergy_keeps: False: fake rewards cleared every iteration, the last writer wins; True: they are kept
            for the episode, and a write is a third of the sum of what the cell holds, its reward and the shift; an
            agent writes where its highest and lowest reward do not cancel.
        auction_keeps: False: the auction is held anew each iteration; True: the highest bid so far (−1 at first)
            and its target stay until a bid reaches it, and of equal bids the last one wins.
        oracle_intercepts: the oracle goes round the torus the other way where a constant pattern
            carries Good away from it.
        program: what else the public program does in its own way. Agents start in cells of their own, the oracle
            to imitate in the last agent's. The first observation shows both objects in cell 0, whose reward is −.5.
            The oracle to imitate makes a step before each agent's, all in one iteration. Learners rehearse with
            ten times the rewards; their targets look ahead to the best value of the new cell in the first
            iteration (Q-learning) or in the present one (Sarsa), not in the next.
        learning: parameters of the learners.
    """

    rows: int = 10
    columns: int = 10
    steps: int = ITERATIONS
    agents: int = AGENTS
    pattern: str = "segment"
    start: str = "uniform"
    stigmergy_discount: float = 0.4
    stigmergy_keeps: bool = False
    auction_keeps: bool = False
    oracle_intercepts: bool = True
    program: bool = False
    learning: Learning = field(default_factory=Learning)

    def __post_init__(self) -> None:
        if self.program and self.agents > self.cells:
            raise InputError(
                f"{self.agents} agents cannot start in cells of their own on {self.cells} cells, as the public program "
                "has them; use fewer agents or a larger grid"
            )

    @property
    def cells(self) -> int:
        """Number of cells mn of the grid."""
        return self.rows * self.columns


PRESETS: Mapping[str, Settings] = {
    "paper": Settings(),
    "code": Settings(
        pattern="replay",
        stigmergy_keeps=True,
        auction_keeps=True,
        oracle_intercepts=False,
        program=True,
        learning=Learning(rate=0.3, discount=0.3, exploration=0.0, initial=2.0),
    ),
}
"""The paper's test, and the public program's."""


def kind_code(kind: str) -> int:
    """Return the number of a kind of group; its random stream depends on the number alone."""
    return KINDS.index(kind)


# ---- records ---------------------------------------------------------------------------------------

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EpisodeBlock:
    """Scores of one kind of group in consecutive episodes of one test.

    ``test`` is the text of the settings, which with the ``root`` seed and the number of an episode decides its world.
    ``scores`` (n,): mean reward over agents and iterations, in [−1, 1]. ``complexities`` (n,): K of the episode's
    pattern. ``stratified``: K was assigned in turn, not found.
    """

    kind: str
    test: str
    rows: int
    columns: int
    root: int
    first: int
    scores: Floats
    complexities: Integers
    stratified: bool


@dataclass(frozen=True, slots=True)
class GroupIntelligence:
    """Υ of one kind at one size: ``uncertainty`` H in bits, ``variation`` = standard error / |Υ|."""

    kind: str
    rows: int
    columns: int
    uncertainty: float
    estimate: Estimate
    variation: float

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all fields."""
        names = ("kind", "rows", "columns", "uncertainty", "variation")
        return {name: getattr(self, name) for name in names} | self.estimate.as_dict()


@dataclass(frozen=True, slots=True)
class ComplexityScore:
    """Mean score of one kind in the episodes of complexities ``lowest`` … ``highest``, both included."""

    kind: str
    lowest: int
    highest: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class EpisodeTrace:
    """One episode to draw: cells (row × columns + column) over time, index 0 before the first move.

    ``good``, ``evil`` (ϑ + 1,); ``agents`` (ϑ + 1, agents); ``rewards`` (ϑ, agents) of each iteration;
    ``guide`` (ϑ + 1,) the unscored oracle of imitation, or None.
    """

    kind: str
    rows: int
    columns: int
    complexity: int
    good: Integers
    evil: Integers
    agents: Integers
    rewards: Floats
    guide: npt.NDArray[Any] | None


# ---- from blocks to Υ against H, scores against K and differences between kinds --------------------


def uncertainty(rows: int, columns: int) -> float:
    """Return H = log₂(mn(mn − 1)) in bits, the entropy of where Good and Evil are (Chmait et al. 2015).

    Raises:
        InputError: a side is below 3.
    """
    return math.log2(rows * columns * (rows * columns - 1))


def merge(blocks: Sequence[EpisodeBlock]) -> EpisodeBlock:
    """Return the blocks of one kind in one test as one, in the order of episodes, however they were cut.

    Raises:
        InputError: no blocks, blocks of different tests or kinds, or episodes missing or doubled.
    """
    ordered = sorted(blocks, key=lambda block: block.first)
    scores = np.concatenate([block.scores for block in ordered])
    complexities = np.concatenate([block.complexities for block in ordered])
    return replace(ordered[0], scores=scores, complexities=complexities)


def _symmetric(value: float, half: float | None, n: int, method: str) -> Estimate:
    interval = None if half is None else (value - half, value + half)
    return Estimate(value, interval, int(n), method)


def _mean(scores: Array, method: str) -> Estimate:
    half = Z * float(scores.std(ddof=1)) / math.sqrt(scores.size) if scores.size > 1 else None
    return _symmetric(float(scores.mean()), half, scores.size, method)


def _estimate(block: EpisodeBlock, scores: Array) -> Estimate:
    """Return the mean of the scores; where K was assigned in turn, of the means over each K, all of the same weight."""
    if not block.stratified:
        return _mean(scores, "mean over episodes, normal interval")
    groups = [scores[block.complexities == level] for level in np.unique(block.complexities)]
    mean = float(np.mean([group.mean() for group in groups]))
    method = f"mean over {len(groups)} complexities K of equal weight, normal interval over episodes within K"
    if min(group.size for group in groups) < 2:
        return _symmetric(mean, None, scores.size, method + " (too few episodes for one)")
    half = Z * math.sqrt(sum(group.var(ddof=1) / group.size for group in groups)) / len(groups)
    return _symmetric(mean, half, scores.size, method)


def intelligence(blocks: Sequence[EpisodeBlock]) -> GroupIntelligence:
    """Return Υ of a kind (Definition 2): the mean score over environments drawn uniformly over K.

    The variation is the standard error of the estimate by |Υ| (infinite at Υ = 0, NaN where no error can be given).
    """
    block = merge(blocks)
    estimate = _estimate(block, block.scores)
    error = math.nan
    if estimate.interval is not None:
        error = (estimate.interval[1] - estimate.interval[0]) / (2 * Z)
    variation = error / abs(estimate.value) if estimate.value != 0 else math.inf
    height = uncertainty(block.rows, block.columns)
    return GroupIntelligence(block.kind, block.rows, block.columns, height, estimate, variation)


def difference(blocks: Sequence[EpisodeBlock], others: Sequence[EpisodeBlock]) -> Estimate:
    """Return Υ of one kind minus Υ of another on the same worlds; the pairing makes the interval narrow."""
    first, second = merge(blocks), merge(others)
    return _estimate(first, first.scores - second.scores)


def scores_by_complexity(blocks: Sequence[EpisodeBlock]) -> tuple[ComplexityScore, ...]:
    """Return the mean score of a kind for each complexity K, up to the next that occurs."""
    block = merge(blocks)
    levels = np.unique(block.complexities).tolist()
    rows = []
    for first, following in zip(levels, [*levels[1:], levels[-1] + 1], strict=True):
        scores = block.scores[block.complexities == first]
        estimate = _mean(scores, "mean over episodes of these K, normal interval")
        rows.append(ComplexityScore(block.kind, first, following - 1, estimate))
    return tuple(rows)
