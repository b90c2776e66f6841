"""BF machines side by side, one a lane: the environments of the quotient, stepped by whoever acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aiq.wings.algorithmic.equations.machine import (
    STEP_LIMIT,
    Machine,
    MachineSettings,
    cycle,
    new_machine,
    observation,
    reset,
    reward_symbol,
    reward_value,
)
from aiq.wings.algorithmic.equations.programs import ProgramSet, pack
from aiq.wings.algorithmic.equations.streams import Array, compiled, start


class Lanes(NamedTuple):
    """Arrays of all lanes; those of the machines have the lane as their first axis."""

    tape: Array
    registers: Array
    history: Array
    output: Array
    streams: Array  # uint64, (lanes, 4)
    ends: Array  # int64, (lanes, 2): where the lane's program begins and ends
    factors: Array  # float64, (lanes,): of its rewards
    seen: Array  # int64, (lanes,): the last observation


@compiled
def _machine(lanes: Lanes, lane: int, symbols: int, reward_cell: int) -> Machine:
    """Return the machine of a lane as a view of the arrays of all lanes."""
    return Machine(
        lanes.tape[lane], lanes.registers[lane], lanes.history[lane], lanes.output[lane], symbols, reward_cell
    )


@compiled
def _begin(lanes: Lanes, symbols: int, reward_cell: int, chosen: Array, roots: Array) -> None:
    """Begin an episode in the chosen lanes, the program's random symbols from the stream of each root."""
    for k in range(chosen.shape[0]):
        machine = _machine(lanes, chosen[k], symbols, reward_cell)
        reset(machine)
        start(lanes.streams[chosen[k]], roots[k], 0, 0, 0)
        lanes.seen[chosen[k]] = observation(machine)


@compiled
def _step(
    lanes: Lanes,
    symbols: int,
    reward_cell: int,
    codes: Array,
    jumps: Array,
    chosen: Array,
    actions: Array,
    rewards: Array,
    failed: Array,
) -> None:
    """Run one cycle in the chosen lanes; a cycle that reaches the step limit pays nothing and fails."""
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        machine = _machine(lanes, lane, symbols, reward_cell)
        first, last = lanes.ends[lane, 0], lanes.ends[lane, 1]
        steps = cycle(machine, codes[first:last], jumps[first:last], actions[k], lanes.streams[lane])
        lanes.seen[lane] = observation(machine)
        failed[k] = steps >= STEP_LIMIT
        rewards[k] = 0.0 if failed[k] else lanes.factors[lane] * reward_value(reward_symbol(machine), symbols)


class ProgramLanes:
    """Machines that run programs of a list, drawn anew for every episode.

    A lane draws from its own generator, in this order: the program (if there are several), the factor +1 or -1 of the
    rewards (if ``antithetic``), and the root of the program's random symbols. A machine holds about 100 kB.

    Attributes:
        numbers: numbers in an observation: 1.
    """

    numbers = 1

    def __init__(
        self,
        codes: Sequence[str] | ProgramSet,
        settings: MachineSettings,
        generators: Sequence[np.random.Generator],
        antithetic: bool = True,
    ) -> None:
        """Build the machines for programs, written or packed; no episode runs yet.

        Raises:
            InputError: a program is not BF.
        """
        *arrays, symbols, reward_cell = new_machine(settings)
        n, self._shape = len(generators), (symbols, reward_cell)
        tape, registers, history, output = (np.repeat(array[None], n, axis=0) for array in arrays)
        self._lanes = Lanes(
            tape, registers, history, output, np.zeros((n, 4), np.uint64), np.zeros((n, 2), np.int64), np.ones(n),
            np.zeros(n, np.int64),
        )  # fmt: skip
        self._programs = codes if isinstance(codes, ProgramSet) else pack(codes)
        self._generators, self._antithetic = list(generators), antithetic

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        programs = self._programs.offsets.size - 1
        roots = np.empty(len(chosen), np.uint64)
        for k, lane in enumerate(chosen.tolist()):
            rng = self._generators[lane]
            program = int(rng.integers(programs)) if programs > 1 else 0
            self._give(lane, program, 1.0 - 2.0 * rng.integers(2) if self._antithetic else 1.0)
            roots[k] = rng.integers(2**63)
        _begin(self._lanes, *self._shape, chosen, roots)

    def _give(self, lane: int, program: int, factor: float) -> None:
        self._lanes.factors[lane] = factor
        self._lanes.ends[lane] = self._programs.offsets[program : program + 2]

    def begin_trial(
        self, lane: int, program: int, factor: float, root: np.uint64, stratum: int, draw: int, number: int
    ) -> None:
        """Begin in one lane the episode of a trial of the quotient: the program, its factor, and the machine's stream.

        Args:
            lane: the lane.
            program: number of the program in the list.
            factor: +1 or -1, of its rewards.
            root: base of the streams of trials.
            stratum: of the draw.
            draw: number of the draw in its stratum.
            number: of the stream: 0 for the factor +1, 2 for -1 (`aiq.wings.algorithmic.equations.trials`).
        """
        self._give(lane, program, factor)
        _begin(self._lanes, *self._shape, np.array([lane]), np.zeros(1, np.uint64))
        start(self._lanes.streams[lane], root, stratum, draw, number)

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Run one cycle in the lanes ``chosen`` (n,).

        Returns:
            The factor times the reward (-100 to 100), (n,) float64, and whether the program failed: then the reward
            is 0 and the episode over, (n,) bool.
        """
        rewards, failed = np.empty(len(chosen)), np.empty(len(chosen), np.bool_)
        codes, jumps, _ = self._programs
        _step(self._lanes, *self._shape, codes, jumps, chosen, actions, rewards, failed)
        return rewards, failed

    def observe(self, chosen: Array) -> Array:
        """Return the observations as numbers, (n, 1) int64."""
        return self._lanes.seen[chosen][:, None]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._lanes = Lanes(*(array[order] for array in self._lanes))
        self._generators = [self._generators[lane] for lane in order.tolist()]
