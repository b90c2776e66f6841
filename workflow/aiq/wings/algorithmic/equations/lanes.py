"""BF machines side by side, one a lane: the environments of the quotient, stepped by whoever acts."""

from __future__ import annotations

from collections.abc import Sequence

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


@compiled
def _one(machines: Machine, lane: int) -> Machine:
    """Return the machine of a lane as a view of the arrays of all lanes."""
    return Machine(
        machines.tape[lane],
        machines.registers[lane],
        machines.history[lane],
        machines.output[lane],
        machines.symbols,
        machines.reward_cell,
    )


@compiled
def _begin(machines: Machine, streams: Array, chosen: Array, roots: Array, seen: Array) -> None:
    """Begin an episode in the chosen lanes, the program's random symbols from the stream of each root."""
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        machine = _one(machines, lane)
        reset(machine)
        start(streams[lane], roots[k], 0, 0, 0)
        seen[lane] = observation(machine)


@compiled
def _step(
    machines: Machine,
    codes: Array,
    jumps: Array,
    ends: Array,
    factors: Array,
    streams: Array,
    chosen: Array,
    actions: Array,
    seen: Array,
    rewards: Array,
    failed: Array,
) -> None:
    """Run one cycle in the chosen lanes; a cycle that reaches the step limit pays nothing and fails."""
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        machine = _one(machines, lane)
        first, last = ends[lane, 0], ends[lane, 1]
        steps = cycle(machine, codes[first:last], jumps[first:last], actions[k], streams[lane])
        seen[lane] = observation(machine)
        failed[k] = steps >= STEP_LIMIT
        rewards[k] = 0.0 if failed[k] else factors[lane] * reward_value(reward_symbol(machine), machine.symbols)


def _arrays(machine: Machine) -> tuple[Array, Array, Array, Array]:
    return machine.tape, machine.registers, machine.history, machine.output


class ProgramLanes:
    """Machines that run programs of a list, drawn anew for every episode.

    A lane draws from its own generator, in this order: the program (if there are several), the factor +1 or -1 of the
    rewards (if ``antithetic``), and the root of the program's random symbols. A machine holds about 100 kB.

    Attributes:
        numbers: numbers in an observation: 1.
        which: (lanes,) int64, the program of each lane's episode.
        factors: (lanes,) float64, the factor of its rewards.
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
        one, lanes = new_machine(settings), len(generators)
        tape, registers, history, output = (np.repeat(part[None], lanes, axis=0) for part in _arrays(one))
        self._machines = Machine(tape, registers, history, output, one.symbols, one.reward_cell)
        self._programs = codes if isinstance(codes, ProgramSet) else pack(codes)
        self._generators, self._antithetic = list(generators), antithetic
        self._streams = np.zeros((lanes, 4), np.uint64)
        self.which, self.factors = np.zeros(lanes, np.int64), np.ones(lanes)
        self._ends = np.zeros((lanes, 2), np.int64)
        self._seen = np.zeros(lanes, np.int64)

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        programs = self._programs.offsets.size - 1
        roots = np.empty(len(chosen), np.uint64)
        for k, lane in enumerate(chosen.tolist()):
            rng = self._generators[lane]
            self.which[lane] = rng.integers(programs) if programs > 1 else 0
            self.factors[lane] = 1.0 - 2.0 * rng.integers(2) if self._antithetic else 1.0
            roots[k] = rng.integers(2**63)
        self._ends[chosen, 0] = self._programs.offsets[self.which[chosen]]
        self._ends[chosen, 1] = self._programs.offsets[self.which[chosen] + 1]
        _begin(self._machines, self._streams, chosen, roots, self._seen)

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
        self.which[lane], self.factors[lane] = program, factor
        self._ends[lane] = self._programs.offsets[program], self._programs.offsets[program + 1]
        _begin(self._machines, self._streams, np.array([lane]), np.zeros(1, np.uint64), self._seen)
        start(self._streams[lane], root, stratum, draw, number)

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Run one cycle in the lanes ``chosen`` (n,).

        Returns:
            The factor times the reward (-100 to 100), (n,) float64, and whether the program failed: then the reward
            is 0 and the episode over, (n,) bool.
        """
        rewards, failed = np.empty(len(chosen)), np.empty(len(chosen), np.bool_)
        _step(
            self._machines,
            self._programs.codes,
            self._programs.jumps,
            self._ends,
            self.factors,
            self._streams,
            chosen,
            actions,
            self._seen,
            rewards,
            failed,
        )
        return rewards, failed

    def observe(self, chosen: Array) -> Array:
        """Return the observations as numbers, (n, 1) int64."""
        return self._seen[chosen][:, None]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        held = self._machines
        tape, registers, history, output = (part[order] for part in _arrays(held))
        self._machines = Machine(tape, registers, history, output, held.symbols, held.reward_cell)
        self._generators = [self._generators[lane] for lane in order.tolist()]
        self._streams, self._ends, self._seen = self._streams[order], self._ends[order], self._seen[order]
        self.which, self.factors = self.which[order], self.factors[order]
