"""Programs of the algorithmic quotient, played."""

from __future__ import annotations

from functools import lru_cache

from aiq.environments import Kernel, KernelEnv, played
from aiq.errors import InputError
from aiq.wings.algorithmic.domain import BF
from aiq.wings.algorithmic.equations.machine import MachineSettings, ProgramLanes
from aiq.wings.algorithmic.equations.programs import check_code
from aiq.wings.algorithmic.equations.sampling import SamplerSettings, sample_programs
from aiq.wings.algorithmic.records import Program
from aiq.wings.algorithmic.settings import BLOCK

_LARGEST = 100.0


@lru_cache(maxsize=16)
def sampled(root: int, programs: int, machine: MachineSettings) -> tuple[Program, ...]:
    """Return so many programs of a root seed, in the order in which they are drawn."""
    return sample_programs(root, 0, -(-programs // BLOCK), SamplerSettings(machine)).programs[:programs]


def codes(settings: BF) -> tuple[str, ...]:
    """Return the programs that the settings choose, in the order of the sample.

    Raises:
        InputError: the program is not BF, or no program of the sample is of the stratum.
    """
    if settings.program is not None:
        check_code(settings.program)
        return (settings.program,)
    machine = MachineSettings(settings.symbols, settings.observation_cells)
    sample = sampled(settings.root, settings.environments, machine)
    chosen = tuple(program.code for program in sample if settings.stratum in (None, program.stratum))
    if not chosen:
        raise InputError(
            f"none of {len(sample)} programs of root {settings.root} is of stratum {settings.stratum}; draw more "
            "environments or take another stratum"
        )
    return chosen


def kernel(settings: BF) -> Kernel:
    """Return the programs that the settings choose as a kernel."""
    machine = MachineSettings(settings.symbols, settings.observation_cells)
    chosen = codes(settings)
    programs = f"the program {chosen[0]}" if len(chosen) == 1 else f"{len(chosen)} programs, root seed {settings.root}"
    stratum = "" if settings.stratum is None else f", stratum {settings.stratum}"
    sign = "rewards times +1 or -1, drawn for every episode" if settings.antithetic else "rewards as they are"
    return Kernel(
        make=lambda generators: ProgramLanes(chosen, machine, generators, settings.antithetic),
        numbers=1,
        values=tuple(float(value) for value in range(machine.observations)),
        actions=tuple(f"symbol {symbol}" for symbol in range(settings.symbols)),
        rewards=(-_LARGEST, _LARGEST),
        factor=settings.largest / _LARGEST,
        about="Random programs of the reference machine of the Algorithmic Intelligence Quotient",
        paper="sections 3.5 and 3.6 of Legg and Veness, An Approximation of the Universal Intelligence Measure (2013)",
        notes=(
            f"{programs}{stratum}; {settings.symbols} symbols, {settings.observation_cells} observation cell(s)",
            f"{sign}; a program that reaches 1,000 steps of the machine ends the episode with reward 0",
            "nothing is told of earlier rewards and observations; the optimum depends on the program and is not known",
        ),
    )


bf_domain = played(kernel)


class BFEnv(KernelEnv):
    r"""Programs of the BF reference machine (Legg and Veness 2013), whose quotient is `equations`.

    ## Description

    In every step the action is put in front of the history of actions, the program runs for one cycle, and reward and
    observation are read from its output. An episode takes one program of the sample at random, and the factor +1 or
    -1 of its rewards. Equal, reward by reward, to the trials of the quotient.

    ## Action Space

    `Discrete(symbols)`: the symbol that the program reads.

    ## Observation Space

    `native`: `Discrete(symbols ** observation_cells)`; `one-hot`: a `Box` of as many 0 and 1. The first observation of
    an episode is the middle symbol.

    ## Rewards

    The factor times `largest` (s - m) / m of the symbol s in the reward cell, m = (symbols - 1) / 2: -100 ... 100. A
    random agent's expected reward is 0 with `antithetic`.

    ## Episode End

    Truncation: after `steps` steps. Termination: a cycle of 1,000 steps of the machine, the program failed; reward 0.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `program` | str, None | `None` | one program that ends in `#`; `None` draws a sample |
    | `stratum` | int, None | `None` | only programs of this stratum of the sample, 1 ... 20 |
    | `environments` | int | `100` | programs of the sample |
    | `root` | int | `0` | root seed of the sample |
    | `symbols`, `observation_cells` | int | `5`, `1` | the machine |
    | `antithetic` | bool | `True` | rewards times +1 or -1, drawn for every episode |
    | `largest` | float | `100.0` | largest reward of a step |
    | `steps` | int | `100` | steps of an episode |
    | `observation` | str | `"native"` | `native` or `one-hot` |

    ## Version History

    * v0: first version.
    """

    id = "aiq/BF-v0"
    family = BF
    kernel_of = staticmethod(kernel)
