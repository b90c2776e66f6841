"""One agent in the worlds of Lambda*, played."""

from __future__ import annotations

from aiq.environments.kernel import Kernel
from aiq.environments.worlds import KernelEnv, played
from aiq.wings.collectives.domain import LambdaStar
from aiq.wings.collectives.equations.lanes import VALUES, TorusLanes
from aiq.wings.collectives.equations.settings import Settings

_ACTIONS = ("left", "right", "up", "down", "up left", "up right", "down left", "down right", "stay")


def kernel(settings: LambdaStar) -> Kernel:
    """Return the worlds that the settings choose as a kernel."""
    test = Settings(
        settings.rows, settings.columns, settings.steps, agents=1, pattern=settings.pattern, start=settings.start
    )
    return Kernel(
        make=lambda generators: TorusLanes(test, settings.root, generators),
        numbers=9,
        values=VALUES,
        actions=_ACTIONS,
        rewards=(-1.0, 1.0),
        about="A torus on which Good and Evil move along patterns; the agent sees the rewards around it",
        paper="Chmait et al., Measuring Universal Intelligence in Agent-Based Systems Using the Anytime Intelligence "
        "Test (2015)",
        notes=(
            f"{settings.rows} x {settings.columns} cells, pattern {settings.pattern}, start {settings.start}",
            f"patterns of root seed {settings.root}",
            "another world in every episode, its complexity K drawn uniformly; one agent, which alone is scored",
            "1 on Good, 0.5 next to it, -1 on Evil, -0.5 next to it, added; a random agent that begins anywhere has "
            "mean 0",
        ),
    )


lambda_star_domain = played(kernel)


class LambdaStarEnv(KernelEnv):
    r"""One agent in the worlds of Lambda* (Chmait et al. 2015), whose measure of groups is `equations`.

    ## Description

    Agent, Good and Evil move on a torus, all at once. Good and Evil follow patterns of equal complexity and never share
    a cell. Every episode has a world of its own.

    ## Action Space

    `Discrete(9)`: left, right, up, down, the diagonals up left, up right, down left, down right, and stay.

    ## Observation Space

    The rewards of the cells that the nine actions lead to, as they are now. `native`: a `Box` of 9 numbers among
    -1, -0.5, 0, 0.5, 1; `one-hot`: a `Box` of 45 numbers 0 and 1.

    ## Rewards

    1 on Good, 0.5 next to it, -1 on Evil, -0.5 next to it, added where both apply, on the new cells.

    ## Starting State

    Good and Evil anywhere apart, the agent anywhere (`near_good`: next to Good).

    ## Episode End

    Truncation: after `steps` steps.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `rows`, `columns` | int | `10`, `10` | the torus, sides of 3 ... 100 |
    | `pattern` | str | `"segment"` | `segment` or `walk`, as in `aiq.wings.collectives.equations` |
    | `start` | str | `"uniform"` | `uniform` or `near_good` |
    | `root` | int | `0` | root seed of the patterns |
    | `steps` | int | `50` | iterations of an episode |
    | `observation` | str | `"native"` | `native` or `one-hot` |

    ## Version History

    * v0: first version.
    """

    id = "aiq/LambdaStar-v0"
    family = LambdaStar
    kernel_of = staticmethod(kernel)
