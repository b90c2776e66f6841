"""BF programs of the algorithmic quotient as a class of environments of the anytime test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.wings.algorithmic.equations.machine import MachineSettings, ProgramLanes
from aiq.wings.algorithmic.equations.sampling import SamplerSettings, sample_programs
from aiq.wings.anytime.equations.protocol import Agent, Environment, Observation, sampled_sensitivity

BEST = 100.0
"""Largest reward of the reference machine; the test wants rewards in [−1, 1]."""
HISTORIES, CONTINUATIONS, STEPS = 3, 40, 20
TRIES = 50
_ONLY = np.zeros(1, np.int64)
"""The one lane of a machine."""


class Program:
    """One BF program on the reference machine; an action is a symbol of its alphabet.

    H is its length in instructions. A cycle in which the program does not come to its end within the machine's step
    limit gives reward 0. With ``antithetic`` rewards are multiplied by +1 or −1, drawn at each start: that balances any
    program exactly.
    """

    def __init__(self, code: str, settings: MachineSettings, antithetic: bool = False) -> None:
        self.key, self.complexity, self.actions = code, float(len(code)), settings.symbols
        self._antithetic = antithetic
        self._machine = ProgramLanes([code], settings, [np.random.default_rng(0)])

    def reset(self, rng: np.random.Generator) -> Observation:
        """Begin a new episode; the program's own random symbols come from ``rng``."""
        sign = 1.0 if not self._antithetic or rng.integers(2) else -1.0
        self._machine.begin_trial(0, 0, sign, np.uint64(rng.integers(2**63)), 0, 0, 0)
        return self._seen()

    def step(self, action: int) -> tuple[float, Observation]:
        """Run the program for one cycle."""
        rewards, _ = self._machine.step(_ONLY, np.array([action]))
        return float(rewards[0]) / BEST, self._seen()

    def _seen(self) -> Observation:
        return (int(self._machine.observe(_ONLY)[0, 0]),)

    def render(self) -> str:
        """Return what the examinee may see: the observation and the actions."""
        return f"observation {self._seen()[0]}; actions 0 to {self.actions - 1}"


class ProgramClass:
    """The programs in ``blocks`` blocks of the sample that the root seed draws; H is their length.

    Programs that are not reward-sensitive are left out as they are met; rewards come with a fair random sign.
    """

    def __init__(self, name: str, root: int, blocks: int, symbols: int) -> None:
        self.name, self._root, self._settings = name, root, MachineSettings(symbols=symbols)
        self._by_length: dict[int, list[str]] = defaultdict(list)
        shard = sample_programs(root, 0, blocks, SamplerSettings(self._settings))
        for code in sorted({program.code for program in shard.programs}):
            self._by_length[len(code)].append(code)
        self._sensitive: dict[str, bool] = {}

    @property
    def highest(self) -> float:
        """Length of the longest program."""
        return float(max(self._by_length))

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused, sensitive program with low ≤ length ≤ high, or None after the tries."""
        codes = [code for length, some in sorted(self._by_length.items()) if low <= length <= high for code in some]
        for _ in range(TRIES):
            order = rng.permutation(len(codes))
            code = next((codes[index] for index in order if self._is_sensitive(codes[index])), None)
            if code is None:
                return None
            if code not in used:
                return Program(code, self._settings, antithetic=True)
        return None

    def oracle(self, sign: int = 1) -> Agent:
        """Refuse: there is none."""
        raise InputError(f"{self.name} has no oracle; examine another agent")

    def _is_sensitive(self, code: str) -> bool:
        """Whether the sampled check finds a program reward-sensitive: decided once, from its own generator."""
        if code not in self._sensitive:
            rng = seeding.generator(self._root, "anytime", self.name, "sensitivity", code)
            program = Program(code, self._settings)
            self._sensitive[code] = sampled_sensitivity(program, STEPS, HISTORIES, CONTINUATIONS, rng) == 1
        return self._sensitive[code]
