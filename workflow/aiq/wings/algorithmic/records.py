"""Records of the Algorithmic Intelligence Quotient (Legg and Veness 2013)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Estimate, Floats

STRATA = 20

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Program:
    """A BF program with the stratum (1 to 20) to which it belongs; its length counts the final ``#``."""

    stratum: int
    code: str

    def __post_init__(self) -> None:
        if not 1 <= self.stratum <= STRATA:
            raise ValueError(f"stratum {self.stratum} is outside 1 to {STRATA}")
        if not self.code:
            raise ValueError("a program has at least one instruction")


@dataclass(frozen=True, slots=True)
class ProgramShard:
    """Accepted programs of some blocks of the sampler, and how many candidates were refused and why.

    ``candidates`` = accepted + ``without_io`` (no ``.`` or no ``,``) + ``failed`` (a test cycle reached
    the step limit) + ``passive`` (rewards do not depend on the actions).
    """

    programs: tuple[Program, ...]
    candidates: int
    without_io: int
    failed: int
    passive: int

    def __post_init__(self) -> None:
        if self.candidates != len(self.programs) + self.without_io + self.failed + self.passive:
            raise ValueError("the counts of refused candidates do not add up to the candidates")


@dataclass(frozen=True, slots=True)
class PairOutcomes:
    """Antithetic pairs of trials of one agent, one row a pair, sorted by stratum and draw.

    Row k: the ``draw``-th draw of ``stratum`` used program number ``program`` of the sample; ``plus`` and
    ``minus`` are the mean rewards (-100 to 100) of the trials with factor +1 and -1, NaN where the
    program failed in either of them; ``length`` counts the program's instructions.
    """

    stratum: Integers
    draw: Integers
    program: Integers
    length: Integers
    plus: Floats
    minus: Floats

    def __post_init__(self) -> None:
        columns = (self.stratum, self.draw, self.program, self.length, self.plus, self.minus)
        if len({column.shape for column in columns}) != 1 or self.stratum.ndim != 1:
            raise ValueError("the columns of pair outcomes have different lengths")
        next_stratum, next_draw = np.diff(self.stratum), np.diff(self.draw)
        if not np.all((next_stratum > 0) | ((next_stratum == 0) & (next_draw > 0))):
            raise ValueError("pair outcomes are not sorted by stratum and draw, or a draw occurs twice")
        if not np.array_equal(np.isnan(self.plus), np.isnan(self.minus)):
            raise ValueError("a pair has failed as a whole or not at all")
        if bool(np.any(np.abs(self.value[self.valid]) > 100 + 1e-9)):
            raise ValueError("a mean reward is outside -100 to 100")

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Which pairs ran without a failure."""
        return ~np.isnan(self.plus)

    @property
    def value(self) -> Floats:
        """Pair means, NaN where the program failed."""
        return np.asarray((self.plus + self.minus) / 2, dtype=np.float64)

    @property
    def pairs(self) -> int:
        """Number of pairs that ran without a failure."""
        return int(np.count_nonzero(self.valid))

    @property
    def failures(self) -> int:
        """Number of pairs dropped because the program reached the step limit."""
        return int(self.stratum.size - self.pairs)


@dataclass(frozen=True, slots=True)
class StratumValue:
    """An agent's mean pair reward in one stratum; stratum 0 is the whole sample.

    ``probability`` of the stratum, ``deviation``: standard deviation of the pair means in it.
    """

    stratum: int
    probability: float
    deviation: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class LengthValue:
    """An agent's mean pair reward over programs of ``shortest`` to ``longest`` instructions.

    ``share`` is the probability of such a program as estimated from the program sample.
    """

    shortest: int
    longest: int
    share: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class AlgorithmicQuotient:
    """The Algorithmic Intelligence Quotient of one agent at one episode length.

    ``half_sampling`` is the half-width of the interval that comes from the trials, ``half_weights`` that
    from the uncertain probabilities of the strata (both NaN where a stratum has fewer than two pairs);
    ``estimate`` contains both. ``runs`` counts trials (two a pair); ``failures`` the dropped pairs;
    ``reused`` the valid pairs on a program used before; ``dropped`` the strata all of whose draws failed.
    """

    estimate: Estimate
    half_sampling: float
    half_weights: float
    runs: int
    failures: int
    reused: int
    dropped: tuple[int, ...]
    strata: tuple[StratumValue, ...]

    def __post_init__(self) -> None:
        if min(self.runs, self.failures, self.reused) < 0:
            raise ValueError("a count is negative")
        if self.half_sampling < 0 or self.half_weights < 0:
            raise ValueError("a half-width is negative")


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """A sample of programs in numbers.

    ``strata[i]`` programs are of stratum i + 1, ``lengths[l]`` of l instructions; ``candidates``, ``without_io``,
    ``failed`` and ``passive`` as in `ProgramShard`, all None for programs made elsewhere.
    """

    size: int
    strata: tuple[int, ...]
    lengths: Integers
    candidates: int | None
    without_io: int | None
    failed: int | None
    passive: int | None

    def __post_init__(self) -> None:
        if sum(self.strata) != self.size or int(self.lengths.sum()) != self.size:
            raise ValueError("the programs of the strata or lengths do not add up to the sample")


@dataclass(frozen=True, slots=True)
class AgentQuotient:
    """An agent's quotient at one episode length, and its values over programs of different length.

    ``parameters`` are the agent's own; ``lengths[l]`` of its pairs without failure ran on a program of l
    instructions, as the adaptive sampler chose them.
    """

    agent: str
    label: str
    kind: str
    length: int
    parameters: dict[str, float | bool | str]
    quotient: AlgorithmicQuotient
    by_length: tuple[LengthValue, ...]
    lengths: Integers


@dataclass(frozen=True, slots=True)
class AgentDifference:
    """Quotient of ``first`` minus that of ``second`` at one episode length, on the pairs that both ran.

    ``probability`` that the first is above the second, from the normal distribution of the difference; None
    where there is no interval.
    """

    first: str
    second: str
    length: int
    estimate: Estimate
    probability: float | None


@dataclass(frozen=True, slots=True)
class Quotients:
    """The outcome of a run: agents at all lengths, differences between agents at one length, the sample."""

    agents: tuple[AgentQuotient, ...]
    differences: tuple[AgentDifference, ...]
    sample: SampleSummary


COUNTS = ("candidates", "without_io", "failed", "passive")
PAIRS = ("stratum", "draw", "digest", "plus", "minus")


def pack_programs(shard: ProgramShard) -> dict[str, Any]:
    """Return the tree of a block of programs."""
    return {
        "stratum": np.array([program.stratum for program in shard.programs], dtype=np.int64),
        "code": np.array([program.code for program in shard.programs], dtype=object),
        **{name: getattr(shard, name) for name in COUNTS},
    }


def unpack_programs(tree: Mapping[str, Any]) -> ProgramShard:
    """Return the block of programs that ``pack_programs`` packed."""
    pairs = zip(tree["stratum"].tolist(), tree["code"].tolist(), strict=True)
    counts = (int(tree[name]) for name in COUNTS)
    return ProgramShard(tuple(Program(int(stratum), str(code)) for stratum, code in pairs), *counts)
