"""BF programs of the algorithmic quotient as a class of environments of the anytime test."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from aiq import seeding
from aiq.wings.algorithmic.equations import MachineSettings, SamplerSettings, sample_programs
from aiq.wings.algorithmic.equations.machine import (
    STEP_LIMIT,
    cycle,
    new_machine,
    observation,
    reset,
    reward_symbol,
    reward_value,
)
from aiq.wings.algorithmic.equations.programs import pack
from aiq.wings.algorithmic.equations.streams import start
from aiq.wings.anytime.equations import SuppliedClass
from aiq.wings.anytime.equations.checks import sampled_sensitivity
from aiq.wings.anytime.equations.protocol import Environment, Observation

BEST = 100.0
"""Largest reward of the reference machine; the test wants rewards in [−1, 1]."""
HISTORIES, CONTINUATIONS, STEPS = 3, 40, 20


class Program:
    """One BF program on the reference machine; an action is a symbol of its alphabet.

    A cycle in which the program does not come to its end within the machine's step limit gives reward 0.
    """

    def __init__(self, code: str, settings: MachineSettings) -> None:
        self.code, self._settings = code, settings
        self._machine = new_machine(settings)
        packed = pack([code])
        self._codes, self._jumps = packed.codes, packed.jumps
        self._stream = np.zeros(4, np.uint64)

    @property
    def key(self) -> str:
        """The program."""
        return self.code

    @property
    def complexity(self) -> float:
        """H, the length of the program in instructions."""
        return float(len(self.code))

    @property
    def actions(self) -> int:
        """One a symbol."""
        return self._settings.symbols

    def reset(self, rng: np.random.Generator) -> Observation:
        """Begin a new episode; the program's own random symbols come from ``rng``."""
        reset(self._machine)
        start(self._stream, np.uint64(rng.integers(2**63)), 0, 0, 0)
        return (int(observation(self._machine)),)

    def step(self, action: int) -> tuple[float, Observation]:
        """Run the program for one cycle."""
        steps = cycle(self._machine, self._codes, self._jumps, action, self._stream)
        seen = (int(observation(self._machine)),)
        if steps >= STEP_LIMIT:
            return 0.0, seen
        return float(reward_value(reward_symbol(self._machine), self._settings.symbols)) / BEST, seen

    def render(self) -> str:
        """Return what the examinee may see: the observation and the actions."""
        return f"observation {int(observation(self._machine))}; actions 0 to {self.actions - 1}"


class _Sample:
    """Drawn programs by length, those that are not reward-sensitive left out as they are met."""

    def __init__(self, root: int, name: str, blocks: int, settings: MachineSettings) -> None:
        self._root, self._name, self._settings = root, name, settings
        self._by_length: dict[int, list[str]] = defaultdict(list)
        shard = sample_programs(root, 0, blocks, SamplerSettings(settings))
        for code in sorted({program.code for program in shard.programs}):
            self._by_length[len(code)].append(code)
        self.longest = max(self._by_length)
        self._fit: dict[str, bool] = {}

    def supply(self, low: float, high: float, rng: np.random.Generator) -> Environment | None:
        """Return a reward-sensitive program with low ≤ length ≤ high, uniformly, or None."""
        codes = [code for length, found in sorted(self._by_length.items()) if low <= length <= high for code in found]
        for index in rng.permutation(len(codes)):
            program = Program(codes[index], self._settings)
            if self._sensitive(program):
                return program
        return None

    def _sensitive(self, program: Program) -> bool:
        """Whether the sampled check finds a program reward-sensitive: decided once, from its own generator."""
        if program.code not in self._fit:
            rng = seeding.generator(self._root, "anytime", self._name, "sensitivity", program.code)
            check = sampled_sensitivity(program, STEPS, HISTORIES, CONTINUATIONS, rng)
            self._fit[program.code] = check.holds
        return self._fit[program.code]


def program_class(name: str, root: int, blocks: int, symbols: int) -> SuppliedClass:
    """Return the class of the programs in ``blocks`` blocks of the sample that the root seed draws.

    Raises:
        InputError: the machine cannot have so many symbols, or no program was accepted.
    """
    sample = _Sample(root, name, blocks, MachineSettings(symbols=symbols))
    return SuppliedClass(name, float(sample.longest), sample.supply, histories=0)
