"""Sampling of BF programs in blocks whose content does not depend on how they are shared out.

Block b holds `BLOCK` accepted programs and has a random stream of its own, named by the root seed and b
alone. A shard is a range of blocks; shards laid end to end are the sample, however it was cut.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aiq.errors import InputError, choice
from aiq.wings.algorithmic.equations.classify import (
    CYCLES,
    FAILED,
    PASSIVE,
    RUNS,
    WITHOUT_IO,
    candidate,
    classify,
    simplify,
)
from aiq.wings.algorithmic.equations.machine import Machine, MachineSettings, new_machine
from aiq.wings.algorithmic.equations.programs import SYMBOLS
from aiq.wings.algorithmic.equations.streams import Array, base, compiled, start
from aiq.wings.algorithmic.records import Program, ProgramShard

BLOCK = 100
LONGEST = 20_000
SIMPLIFICATIONS = ("one-pass", "fixed-point")
_MOST_CANDIDATES = 1_000_000


@dataclass(frozen=True, slots=True)
class SamplerSettings:
    """How programs are drawn: the machine that tests them, and ``simplification`` once or to a fixed point."""

    machine: MachineSettings = field(default_factory=MachineSettings)
    simplification: str = "one-pass"

    def __post_init__(self) -> None:
        """Refuse an unknown simplification."""
        if self.simplification not in SIMPLIFICATIONS:
            raise InputError(choice("simplification", self.simplification, SIMPLIFICATIONS))


@compiled
def _sample_block(
    machine: Machine, root: np.uint64, block: int, size: int, fixed_point: bool, most: int
) -> tuple[Array, Array, Array, Array]:
    """Return instructions end to end, lengths, strata, and counts of (without io, failed, passive) of a block.

    Fewer than ``size`` programs come back where ``most`` candidates did not hold enough.
    """
    stream = np.empty(4, np.uint64)
    start(stream, root, block, 0, 0)
    code, jump = np.empty(LONGEST, np.int8), np.empty(LONGEST, np.int64)
    actions, rewards = np.empty((RUNS, CYCLES), np.int64), np.empty((RUNS, CYCLES), np.int64)
    lengths, strata = np.empty(size, np.int64), np.empty(size, np.int64)
    refused = np.zeros(3, np.int64)
    flat, used, accepted = np.empty(2 * LONGEST, np.int8), 0, 0
    for _ in range(most):
        if accepted == size:
            break
        length = simplify(code, candidate(code, stream), fixed_point)
        verdict = classify(machine, code, jump, length, actions, rewards, stream)
        if verdict < 0:
            refused[-verdict - 1] += 1
            continue
        if used + length > flat.shape[0]:
            larger = np.empty(2 * flat.shape[0], np.int8)
            for k in range(used):
                larger[k] = flat[k]
            flat = larger
        for k in range(length):
            flat[used + k] = code[k]
        lengths[accepted], strata[accepted] = length, verdict
        used += length
        accepted += 1
    return flat[:used], lengths[:accepted], strata[:accepted], refused


def sample_programs(seed: int, first: int, last: int, settings: SamplerSettings | None = None) -> ProgramShard:
    """Return the accepted programs of blocks ``first`` to ``last`` - 1 (`BLOCK` programs each).

    Args:
        seed: root seed of the sample.
        first: first block, from 0.
        last: one past the last block.
        settings: machine and simplification; by default the published ones.

    Raises:
        InputError: the range of blocks is empty or negative, or no program is accepted at these settings.
    """
    if first < 0 or last <= first:
        raise InputError(f"blocks {first} to {last} are no range; give 0 <= first < last")
    settings = settings or SamplerSettings()
    machine, root = new_machine(settings.machine), base(seed, "programs")
    fixed_point = settings.simplification == "fixed-point"
    alphabet = np.frombuffer(SYMBOLS.encode(), dtype=np.uint8)
    programs: list[Program] = []
    refused = np.zeros(3, np.int64)
    for block in range(first, last):
        flat, lengths, strata, counts = _sample_block(machine, root, block, BLOCK, fixed_point, _MOST_CANDIDATES)
        if lengths.size < BLOCK:
            raise InputError(
                f"block {block} found {lengths.size} acceptable programs among {_MOST_CANDIDATES} candidates with "
                f"{settings.machine.symbols} symbols and {settings.machine.observation_cells} observation cells; "
                "use a machine with fewer observation cells"
            )
        text, refused = alphabet[flat].tobytes().decode(), refused + counts
        ends = np.cumsum(lengths)
        codes = [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        programs += [Program(int(stratum), code) for stratum, code in zip(strata, codes, strict=True)]
    without_io, failed, passive = (int(refused[-kind - 1]) for kind in (WITHOUT_IO, FAILED, PASSIVE))
    total = len(programs) + without_io + failed + passive
    return ProgramShard(tuple(programs), total, without_io, failed, passive)
