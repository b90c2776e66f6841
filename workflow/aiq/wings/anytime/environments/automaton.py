"""Finite automata of the anytime test, played."""

from __future__ import annotations

from typing import Any

from aiq.environments.env import KernelEnv
from aiq.environments.kernel import Kernel
from aiq.environments.worlds import KernelDomain
from aiq.settings import validate
from aiq.wings.anytime.domains.automaton import AnytimeAutomaton
from aiq.wings.anytime.environments.drawn import all_of
from aiq.wings.anytime.equations.automata import ACTIONS, Automaton, AutomatonClass
from aiq.wings.anytime.equations.lanes import AutomatonLanes
from aiq.wings.anytime.equations.supplied import automaton_of


def kernel(settings: AnytimeAutomaton) -> Kernel:
    """Return the automata that the settings choose as a kernel.

    Raises:
        InputError: the automaton given is none, or there are not so many as are asked for.
    """
    if settings.environment is not None:
        automata: tuple[Automaton, ...] = (automaton_of(settings.environment),)
        shown = f"the automaton {settings.environment}"
    else:
        automata = all_of(AutomatonClass, Automaton, settings.root, settings.environments, settings.complexity)
        low, high = settings.complexity
        shown = f"{len(automata)} automata of H from {low:g} to {high:g} bits, root seed {settings.root}"
    symbols = max(int(one.symbols.max()) for one in automata) + 1
    return Kernel(
        make=lambda generators: AutomatonLanes(automata, generators),
        numbers=1,
        values=tuple(float(symbol) for symbol in range(symbols)),
        actions=tuple(f"action {action}" for action in range(ACTIONS)),
        rewards=(-1.0, 1.0),
        about="Finite automata whose states pay and show a symbol; three actions lead from state to state",
        paper="section 6.2 of Hernández-Orallo and Dowe, Measuring Universal Intelligence (2010)",
        notes=(
            shown,
            "states may share a symbol, so what is seen need not tell the state",
            "rewards are shifted and scaled so that a random agent has mean 0 at every step",
        ),
    )


class AutomatonDomain(KernelDomain):
    """Automata as a control domain."""

    def __init__(self, name: str, settings: AnytimeAutomaton) -> None:
        super().__init__(name, settings, kernel(settings))


class AutomatonEnv(KernelEnv):
    r"""Automata of the anytime intelligence test (Hernández-Orallo and Dowe 2010, 6.2; `equations.automata`).

    ## Description

    Every state pays a fixed reward and shows a symbol; three actions lead from state to state. An episode takes one of
    the automata at random.

    ## Action Space

    `Discrete(3)`

    ## Observation Space

    `native`: `Discrete` of as many symbols as the automata have; `one-hot`: a `Box` of as many 0 and 1.

    ## Rewards

    That of the state that is entered, in [-1, 1], shifted and scaled so that a random agent's expected reward is 0 at
    every step.

    ## Starting State

    Drawn from a random agent's stationary distribution.

    ## Episode End

    Truncation: after `steps` steps.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `environment` | str, None | `None` | one automaton, such as `"0,1,1:0:0 0,0,1:4:1"`; `None` draws some |
    | `environments` | int | `100` | automata drawn |
    | `complexity` | (float, float) | `(15, 80)` | range of H in bits of the automata drawn |
    | `root` | int | `0` | root seed of the draw |
    | `steps` | int | `100` | steps of an episode |
    | `observation` | str | `"native"` | `native` or `one-hot` |

    ## Version History

    * v0: first version.
    """

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        """Choose the automata.

        Raises:
            InputError: an argument that does not exist or is out of range, in one sentence.
        """
        given = {"source": "anytime_automaton", "observation": "native", **arguments}
        told = validate(AnytimeAutomaton, given, "aiq/AnytimeAutomaton-v0")
        super().__init__(told, kernel(told), render_mode)
