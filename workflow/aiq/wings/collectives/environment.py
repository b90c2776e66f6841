"""One agent in the worlds of Lambda*, played."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.environments import Kernel, KernelEnv, played
from aiq.wings.collectives.domain import LambdaStar
from aiq.wings.collectives.equations.environments import bank
from aiq.wings.collectives.equations.settings import Settings
from aiq.wings.collectives.equations.simulation import draw_world
from aiq.wings.collectives.equations.world import Array, Grid, World, grid, rules

VALUES = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""All rewards that a cell can hold."""


class TorusLanes:
    """Worlds of one test with one evaluated agent, drawn anew for every episode.

    A lane draws from its own generator the seed and the number of the episode; the world is then the one that a test
    with this seed has in this episode, so a test's own episodes can be played too (``begin_episode``).

    ``complexity`` (lanes,): K of each lane's episode; ``cell`` (lanes,): the agent's; ``good`` and ``evil`` (lanes,
    steps + 1): their cells over time; all int64.
    """

    numbers = 9

    def __init__(self, settings: Settings, root: int, generators: Sequence[np.random.Generator]) -> None:
        """Prepare the torus and the patterns of a root seed, for a test of one agent by the paper's rules."""
        self._rules, self._place = rules(settings), grid(settings.rows, settings.columns)
        self._patterns = bank(settings.steps, root)
        self._near = _nearness(self._place)
        self._generators = list(generators)
        lanes = len(self._generators)
        self.complexity, self.cell, self._time = (np.zeros(lanes, np.int64) for _ in range(3))
        self.good, self.evil = (np.zeros((lanes, settings.steps + 1), np.int64) for _ in range(2))

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            rng = self._generators[lane]
            self.begin_episode(lane, np.uint64(rng.integers(2**63)), int(rng.integers(2**31)))

    def begin_episode(self, lane: int, seed: np.uint64, episode: int) -> None:
        """Begin the numbered episode of a test's seed in one lane."""
        start, moves = np.zeros(2, np.int64), np.zeros((2, self.good.shape[1] - 1), np.int64)
        world = World(self.good[lane], self.evil[lane], np.zeros((0, 0), np.float32), start)
        self.complexity[lane] = draw_world(self._place, world, self._rules, self._patterns, moves, seed, episode)
        self.cell[lane], self._time[lane] = start[0], 0

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Move agents and objects in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended."""
        self._time[chosen] += 1
        self.cell[chosen] = self._place.neighbours[self.cell[chosen], actions]
        rewards = self._rewards(chosen, self.cell[chosen][:, None])[:, 0]
        return rewards, np.zeros(len(chosen), np.bool_)

    def observe(self, chosen: Array) -> Array:
        """Return the rewards of the nine cells around, in the order of the moves, as places in ``VALUES``, (n, 9)."""
        around = self._place.neighbours[self.cell[chosen]]
        return (2 * self._rewards(chosen, around) + 2).astype(np.int64)

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._generators = [self._generators[lane] for lane in order.tolist()]
        self.complexity, self.cell, self._time = self.complexity[order], self.cell[order], self._time[order]
        self.good, self.evil = self.good[order], self.evil[order]

    def _rewards(self, chosen: Array, cells: Array) -> Array:
        time = self._time[chosen]
        good, evil = self.good[chosen, time], self.evil[chosen, time]
        return self._near[cells, good[:, None]] - self._near[cells, evil[:, None]]


def _nearness(place: Grid) -> Array:
    """Return what an object in one cell spreads to another, (cells, cells): 1 on it, 0.5 around it, else 0."""
    cells = place.neighbours.shape[0]
    spread_out = np.zeros((cells, cells))
    for move in range(9):
        spread_out[place.neighbours[:, move], np.arange(cells)] = 0.5
    np.fill_diagonal(spread_out, 1.0)
    return spread_out


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
