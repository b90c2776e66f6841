"""Write one small file of each kind of the older measures, to be kept for ever like those of ``make_archives.py``.

Run as ``python tests/data/archives/make_older_archives.py`` when the version of these files was raised; never overwrite
the files of an older version.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from aiq.records.estimate import Estimate
from aiq.storage import hdf5, shards, write_result
from aiq.storage.records import pack
from aiq.wings.algorithmic.equations import Program, ProgramShard
from aiq.wings.algorithmic.equations.estimation import (
    AgentDifference,
    AgentQuotient,
    AlgorithmicQuotient,
    LengthValue,
    Quotients,
    SampleSummary,
    StratumValue,
)
from aiq.wings.algorithmic.work import pack_programs
from aiq.wings.anytime.equations.administer import AnytimeRun, BudgetPoint, ComplexityReward, Interruption, TraceRow
from aiq.wings.anytime.work import ClassResult, Ending, pack_test
from aiq.wings.collectives.equations import ComplexityScore, EpisodeBlock, EpisodeTrace, GroupIntelligence
from aiq.wings.collectives.work import ByPattern, CollectivesResult, Ordering

HERE = Path(__file__).parent
FINGERPRINT = "0123456789abcdef"
UNIT_FINGERPRINT = "fedcba9876543210"
SEED = 2013

ESTIMATE = Estimate(0.25, (0.125, 0.375), 8, "by hand", SEED)
BARE = Estimate(-1.5, None, 1, "by hand", None)

PROGRAMS = ProgramShard((Program(1, ",.#"), Program(20, "+[,.>]<.#")), 9, 4, 1, 2)

PAIRS = {
    "stratum": np.array([1, 1, 20], np.int64),
    "draw": np.array([0, 1, 0], np.int64),
    "digest": np.array([2**63 - 1, 7, 0], np.int64),
    "plus": np.array([50.0, math.nan, -12.5]),
    "minus": np.array([-25.0, math.nan, 100.0]),
}

QUOTIENT = AlgorithmicQuotient(ESTIMATE, 0.1, math.nan, 16, 1, 2, (3,), (StratumValue(1, 0.75, 2.5, BARE),))
QUOTIENTS = Quotients(
    agents=(
        AgentQuotient(
            agent="small",
            label="Q(λ)",
            kind="q",
            length=1000,
            parameters={"rate": 0.5, "legacy": True, "initial": 0.0, "note": "by hand"},
            quotient=QUOTIENT,
            by_length=(LengthValue(1, 7, 0.5, ESTIMATE),),
            lengths=np.array([0, 0, 0, 8], np.int64),
        ),
    ),
    differences=(
        AgentDifference("small", "large", 1000, ESTIMATE, 0.975), AgentDifference("small", "tiny", 1000, BARE, None)
    ),
    sample=SampleSummary(2, (1, *[0] * 18, 1), np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 1], np.int64), 9, 4, 1, 2),
)  # fmt: skip

TEST = AnytimeRun(
    agent="q",
    environments="cups",
    measure="interactions",
    budget=100.0,
    root=SEED,
    repetition=3,
    status="budget",
    rows=(TraceRow("n3-0", 2.0, 1.0, 1.5, 4.0, 4, 0.5, 4.0), TraceRow("n4-2", 3.0, 1.5, 1.25, 8.0, 8, -0.25, 12.0)),
    interruption=Interruption("n5-1", 4.0, 88.0, 88, None),
    level=1.25,
)
EMPTY_TEST = AnytimeRun("mute", "cups", "seconds", 0.5, SEED, 0, "failed", (), None, 1.0)

CLASS = ClassResult(
    environments="cups",
    measure="interactions",
    points=(BudgetPoint("q", "cups", "interactions", 10.0, ESTIMATE, BARE, 2),),
    rewards=(ComplexityReward("q", "cups", 2.0, 4.0, ESTIMATE),),
    endings=(Ending("q", "budget", 7), Ending("mute", "failed", 1)),
)

EPISODES = EpisodeBlock(
    "oracle", "Settings(rows=5, columns=5)", 5, 5, SEED, 1000, np.array([0.5, -0.25]), np.array([2, 18], np.int64), True
)

GROUPS = CollectivesResult(
    intelligence=(GroupIntelligence("oracle", 5, 5, 9.25, ESTIMATE, 0.01),),
    by_complexity=(ByPattern("segment", (ComplexityScore("sarsa", 2, 4, BARE),)),),
    orderings=(Ordering("oracle is above imitation", 5, ESTIMATE, True), Ordering("random is 0", 5, BARE, None)),
    drawn=EpisodeTrace(
        kind="imitation",
        rows=3,
        columns=3,
        complexity=2,
        good=np.array([0, 1, 2]),
        evil=np.array([8, 7, 6]),
        agents=np.array([[4, 4], [1, 0], [2, 1]]),
        rewards=np.array([[1.0, 0.5], [0.5, 0.0]]),
        guide=np.array([3, 0, 1]),
    ),
)


def _shard(kind: str, **trees: dict[str, object]):
    """Return what writes a shard of units."""
    units = {name: shards.Unit(UNIT_FINGERPRINT, tree) for name, tree in trees.items()}
    return lambda path: shards.write(path, kind, FINGERPRINT, SEED, units)


def _result(kind: str, record: object):
    """Return what writes a record."""
    return lambda path: write_result(path, kind, record, FINGERPRINT, SEED)


WRITERS = {
    "programs": _shard("programs", **{"block-00000": pack_programs(PROGRAMS)}),
    "program sample": lambda path: hdf5.write(
        path, hdf5.Header("program sample", FINGERPRINT, SEED), pack_programs(PROGRAMS) | {"made_here": True}
    ),
    "pairs": _shard("pairs", pairs=PAIRS),
    "quotients": _result("quotients", QUOTIENTS),
    "anytime": _shard("anytime", **{"q+000003": pack_test(TEST), "mute+000000": pack_test(EMPTY_TEST)}),
    "anytime result": _result("anytime result", CLASS),
    "episodes": _shard("episodes", **{"oracle+000001": pack(EPISODES)}),
    "collectives": _result("collectives", GROUPS),
}


def main() -> None:
    """Write the files, except those that are there; all are as the oldest version of the format has them."""
    folder = HERE / f"version-{hdf5.OLDEST_READABLE}"
    folder.mkdir(exist_ok=True)
    for kind, write in WRITERS.items():
        path = folder / f"{kind.replace(' ', '-')}.h5"
        if not path.exists():
            write(path)


if __name__ == "__main__":
    main()
