"""Environments of the anytime test, played: cups, automata and grids as kernels, domains and Gymnasium environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator

from aiq import seeding
from aiq.environments import Array, Kernel, KernelEnv, played
from aiq.errors import InputError
from aiq.wings.anytime.domains import AnytimeAutomaton, AnytimeCups, AnytimeGrid
from aiq.wings.anytime.equations.automata import ACTIONS, AutomatonClass, automaton_of
from aiq.wings.anytime.equations.cups import Cups, cups_of
from aiq.wings.anytime.equations.grid import GridClass, grid_of
from aiq.wings.anytime.equations.protocol import Environment, EnvironmentClass

_PAPER = "section 6.{} of Hernández-Orallo and Dowe, Measuring Universal Intelligence (2010)"


@lru_cache(maxsize=32)
def drawn(kind: EnvironmentClass, root: int, count: int, complexity: tuple[float, float]) -> tuple[Environment, ...]:
    """Return different environments of a class with H in a range; a longer list begins with those of a shorter one.

    Raises:
        InputError: the class has not so many of them.
    """
    rng = seeding.generator(root, "environments", kind.name, f"{complexity[0]:g}", f"{complexity[1]:g}")
    environments: dict[str, Environment] = {}
    for _ in range(count):
        environment = kind.draw(complexity[0], complexity[1], environments.keys(), rng)
        if environment is None:
            raise InputError(
                f"{len(environments)} environments of {kind.name} with a complexity from {complexity[0]:g} to "
                f"{complexity[1]:g} were found, {count} are asked for; ask for fewer or widen complexity"
            )
        environments[environment.key] = environment
    return tuple(environments.values())


class SideBySide:
    """Environments of the test side by side, one a lane (``aiq.environments.Lanes``).

    ``choose`` makes of the generator of a lane the environment of its next episode, which draws from it, too.
    """

    def __init__(
        self, numbers: int, choose: Callable[[Generator], Environment], generators: Sequence[Generator]
    ) -> None:
        self.numbers, self._choose, self._generators = numbers, choose, list(generators)
        self.environments: dict[int, Environment] = {}
        self._seen = np.zeros((len(generators), numbers), np.int64)

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            self.environments[lane] = self._choose(self._generators[lane])
            self._seen[lane] = self.environments[lane].reset(self._generators[lane])

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Take one step in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended (n,)."""
        rewards = np.zeros(len(chosen))
        for k, (lane, action) in enumerate(zip(chosen.tolist(), actions.tolist(), strict=True)):
            rewards[k], self._seen[lane] = self.environments[lane].step(action)
        return rewards, np.zeros(len(chosen), np.bool_)

    def observe(self, chosen: Array) -> Array:
        """Return the last observations, (n, numbers) int64."""
        return self._seen[chosen]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        lanes = order.tolist()
        self._generators = [self._generators[lane] for lane in lanes]
        self.environments = {k: self.environments[lane] for k, lane in enumerate(lanes) if lane in self.environments}
        self._seen = self._seen[order]


def _any_of(environments: tuple[Any, ...]) -> Callable[[Generator], Environment]:
    """Return what takes one of some environments at random, as a copy that a lane has for itself."""
    return lambda rng: copy(environments[rng.integers(len(environments)) if len(environments) > 1 else 0])


def _chosen(
    settings: AnytimeAutomaton | AnytimeGrid,
    kind: EnvironmentClass,
    read: Callable[[str], Any],
    words: tuple[str, str, str],
) -> tuple[tuple[Any, ...], str]:
    """Return the environments that the settings choose, and what the data sheet says of them."""
    singular, plural, unit = words
    if settings.environment is not None:
        return (read(settings.environment),), f"the {singular} {settings.environment}"
    chosen = drawn(kind, settings.root, settings.environments, settings.complexity)
    low, high = settings.complexity
    return chosen, f"{len(chosen)} {plural} of H from {low:g} to {high:g} {unit}, root seed {settings.root}"


def cups(settings: AnytimeCups) -> Kernel:
    """Return the cups that the settings choose as a kernel."""
    given = None if settings.environment is None else cups_of(settings.environment).first
    colouring = f"first colouring {settings.environment}" if given else "another first colouring in every episode"

    def choose(rng: Generator) -> Environment:
        return Cups(given or (0, *rng.integers(2, size=settings.cups - 1).tolist()))

    return Kernel(
        make=lambda generators: SideBySide(settings.cups, choose, generators),
        numbers=settings.cups,
        values=(0.0, 1.0),
        actions=tuple(f"button {button}" for button in range(settings.cups)),
        rewards=(-1.0, 1.0),
        about="Cups on a circle, black or white; a button flips its cup, and the one beside it is flipped too",
        paper=_PAPER.format(1),
        notes=(
            f"{settings.cups} cups, {colouring} or its opposite",
            "1 where white cups are the majority, -1 where black ones are, 0 on a tie; a random agent has mean 0",
        ),
    )


def automata(settings: AnytimeAutomaton) -> Kernel:
    """Return the automata that the settings choose as a kernel."""
    chosen, note = _chosen(settings, AutomatonClass(), automaton_of, ("automaton", "automata", "bits"))
    symbols = max(int(automaton.symbols.max()) for automaton in chosen) + 1
    return Kernel(
        make=lambda generators: SideBySide(1, _any_of(chosen), generators),
        numbers=1,
        values=tuple(float(symbol) for symbol in range(symbols)),
        actions=tuple(f"action {action}" for action in range(ACTIONS)),
        rewards=(-1.0, 1.0),
        about="Finite automata whose states pay and show a symbol; three actions lead from state to state",
        paper=_PAPER.format(2),
        notes=(
            note,
            "states may share a symbol, so what is seen need not tell the state",
            "rewards are shifted and scaled so that a random agent has mean 0 at every step",
        ),
    )


def grids(settings: AnytimeGrid) -> Kernel:
    """Return the grids that the settings choose as a kernel.

    Raises:
        InputError: the grid given is none, or there are not so many as are asked for.
    """
    chosen, note = _chosen(settings, GridClass(), grid_of, ("environment", "environments", "symbols"))
    return Kernel(
        make=lambda generators: SideBySide(12, _any_of(chosen), generators),
        numbers=12,
        values=(0.0, 1.0),
        actions=("left", "right", "up", "down", "stay"),
        rewards=(-1.0, 1.0),
        about="A 9 x 9 torus on which Good and Evil repeat their paths; the agent does well near Good, far from Evil",
        paper=_PAPER.format(3),
        notes=(
            note,
            "1/(d_Good + 1) - 1/(d_Evil + 1), d the Euclidean distance on the torus; at most 0.85; a random agent has "
            "mean 0",
        ),
    )


cups_domain, automaton_domain, grid_domain = played(cups), played(automata), played(grids)


class CupsEnv(KernelEnv):
    """Cups and buttons of the anytime intelligence test (Hernández-Orallo and Dowe 2010, 6.1; `equations.cups`).

    There are n cups on a circle, black or white. Button i flips cup i, and the environment flips cup (i + 1) mod n.

    - Actions: `Discrete(cups)`, the buttons.
    - Observations: `MultiBinary(cups)`, 1 for white; `one-hot`: the same as a `Box` of 0 and 1.
    - Rewards: 1 where white cups are the majority, -1 where black ones are, 0 on a tie. A random agent's expected
      reward is 0 at every step.
    - Start: the colouring `environment` or its opposite, each with probability 1/2; without it, any colouring.
    - End: truncation after `steps` steps.
    - Arguments: the settings of the source `anytime_cups` (see `aiq domains`), `observation` `native` by default.
    """

    id = "aiq/AnytimeCups-v0"
    family = AnytimeCups
    kernel_of = staticmethod(cups)


class AutomatonEnv(KernelEnv):
    """Automata of the anytime intelligence test (Hernández-Orallo and Dowe 2010, 6.2; `equations.automata`).

    Every state pays a fixed reward and shows a symbol; three actions lead from state to state. An episode takes one of
    the automata at random.

    - Actions: `Discrete(3)`.
    - Observations: `Discrete` of as many symbols as the automata have; `one-hot`: a `Box` of as many 0 and 1.
    - Rewards: that of the state that is entered, in [-1, 1], shifted and scaled so that a random agent's expected
      reward is 0 at every step.
    - Start: drawn from a random agent's stationary distribution.
    - End: truncation after `steps` steps.
    - Arguments: the settings of the source `anytime_automaton` (see `aiq domains`), `observation` `native` by default.
    """

    id = "aiq/AnytimeAutomaton-v0"
    family = AnytimeAutomaton
    kernel_of = staticmethod(automata)


class GridEnv(KernelEnv):
    """Good and Evil on a torus, of the anytime test (Hernández-Orallo and Dowe 2010, 6.3; `equations.grid`).

    Agent and objects move on a 9 x 9 torus, all at once. Good and Evil each repeat a path for ever and never share a
    cell: one of them, at random, keeps its cell. An episode takes one of the environments at random.

    - Actions: `Discrete(5)`, left, right, up, down, stay.
    - Observations: `MultiBinary(12)`, for the left, right, upper and lower neighbour: Good is there, Evil is there, the
      neighbour lies beyond a limit of the grid; `one-hot`: the same as a `Box` of 0 and 1.
    - Rewards: 1/(d_Good + 1) - 1/(d_Evil + 1) on the new cells, d the Euclidean distance on the torus, in (-1, 1). A
      random agent's expected reward is 0 at every step.
    - Start: the objects in their first cells, the agent anywhere.
    - End: truncation after `steps` steps.
    - Arguments: the settings of the source `anytime_grid` (see `aiq domains`), `observation` `native` by default.
    """

    id = "aiq/AnytimeGrid-v0"
    family = AnytimeGrid
    kernel_of = staticmethod(grids)
