"""One agent in the worlds of Lambda*, played: as domain and environment, and for the table of agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aiq import seeding
from aiq.agents.protocol import Agent, CannotPlay, Task, play, task_of
from aiq.agents.table import Addition, Asked, Entry, Scored
from aiq.environments import Array, Kernel, KernelEnv, played
from aiq.wings.collectives import equations
from aiq.wings.collectives.domain import LambdaStar
from aiq.wings.collectives.equations.simulation import draw_world, episodes_seed, simulate
from aiq.wings.collectives.equations.world import Grid, World, bank, grid, rules

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

    def __init__(self, settings: equations.Settings, root: int, generators: Sequence[np.random.Generator]) -> None:
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
    test = equations.Settings(settings.rows, settings.columns, settings.steps, agents=1)
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

    Agent, Good and Evil move on a torus, all at once. Good and Evil follow patterns of equal complexity and never share
    a cell. Every episode has a world of its own.

    - Actions: `Discrete(9)`: left, right, up, down, the diagonals up left, up right, down left, down right, and stay.
    - Observations: the rewards of the cells that the nine actions lead to, as they are now. `native`: a `Box` of 9
      numbers among -1, -0.5, 0, 0.5, 1; `one-hot`: a `Box` of 45 numbers 0 and 1.
    - Rewards: 1 on Good, 0.5 next to it, -1 on Evil, -0.5 next to it, added where both apply, on the new cells.
    - Start: Good and Evil anywhere apart, the agent anywhere.
    - Arguments: the settings of the source `lambda_star` (see `aiq domains`), and `observation`,
      `native` by default.
    """

    id = "aiq/LambdaStar-v0"
    family = LambdaStar
    kernel_of = staticmethod(kernel)


# ---- the table of agents ---------------------------------------------------------------------------

_CHOICES = equations.bit_places()


class Moves:
    """A kind of single agents of Lambda* (``random``, ``local_search``) as an agent, with the kernel's own choices.

    ``stream`` (1,), set to that of an episode after ``begin``, gives the kernel's own episode.
    """

    learning = False

    def __init__(self, kind: str) -> None:
        self._kind, self.name, self.stream = kind, kind, np.zeros(1, np.uint64)

    def begin(self, task: Task) -> None:
        """Begin; raises CannotPlay anywhere but in Lambda*."""
        if task.numbers != 9 or task.values != VALUES:
            raise CannotPlay("it looks at the rewards of nine cells, which Lambda* alone shows")
        equations.seeded(self.stream, np.uint64(task.seed), 0, equations.kind_code(self._kind))

    def start(self, observation: Array) -> None:
        """Look around."""
        self._seen = observation

    def act(self) -> int:
        """Return a move: any, or one of those to the best cells where any cell has a reward that is not 0."""
        if self._kind == "random":
            return int(equations.below(self.stream, 9))
        best = self._seen == self._seen.max()
        if not (self._seen != VALUES.index(0.0)).any():
            best[:] = True
        mask = int((1 << np.flatnonzero(best)).sum())
        return int(equations.one_of(mask, np.uint64(equations.bits(self.stream)), *_CHOICES))

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Look around."""
        self._seen = observation


@dataclass(frozen=True)
class Collectives:
    """Mean reward in Lambda* (Chmait et al. 2015) of a group of one, in worlds of complexities K in turn.

    Agents share cells freely and agents of the protocol do not talk: a group has the expected score of one of them.
    """

    side: int = 10
    episodes: int = 200
    steps: int = 50
    name: str = "collectives"
    about: str = (
        "Υ of one agent in Lambda*, mean reward per iteration; random agents have 0, Good's own cell is worth 1"
    )

    @property
    def settings(self) -> equations.Settings:
        """The test."""
        return equations.Settings(self.side, self.side, self.steps, agents=1)

    def score(self, entry: Entry, root: int) -> Scored:
        """Return Υ: by the compiled loop for its own agents, by the protocol in the same worlds for others."""
        kind = entry.native.get(self.name)
        if kind is not None:
            return Scored(equations.intelligence(simulate([kind], self.settings, root, 0, self.episodes)).estimate)
        if entry.make is None:
            raise CannotPlay(entry.why)
        task, agents = self.task(root), list[Agent]()
        for episode in range(self.episodes):
            agent = entry.make()
            agent.begin(replace(task, seed=seeding.integer(root, "agents", self.name, episode)))
            agents.append(agent)
        return Scored(equations.intelligence([self.block(agents, root)]).estimate)

    def block(self, agents: list[Agent], root: int) -> equations.EpisodeBlock:
        """Let one agent play each of the first episodes of the test; they have been told the task."""
        settings, seed = self.settings, episodes_seed(self.settings, root)
        unused = np.random.default_rng(0)
        lanes = TorusLanes(settings, root, [unused] * len(agents))
        for episode in range(len(agents)):
            lanes.begin_episode(episode, seed, episode)
        played = play(agents, lanes, self.task(root), begun=True)
        scores = played.returns[:, 0] / self.steps
        return equations.EpisodeBlock(
            agents[0].name, repr(settings), self.side, self.side, root, 0, scores, lanes.complexity.copy(), True
        )

    def task(self, root: int) -> Task:
        """Return what agents are told; training is in worlds of other patterns."""
        keys = {"source": "lambda_star", "rows": self.side, "columns": self.side, "steps": self.steps}
        worlds = kernel(LambdaStar(**keys))
        return task_of(worlds, self.name, self.steps, training={**keys, "root": root + 1})


def addition(asked: Asked) -> Addition:
    """Return the score of a group of one, an agent that looks around, and Lambda* for the suite of all measures."""
    local = "goes to the best of the nine cells that it sees"
    return Addition(
        measures=(Collectives(episodes=asked.sizes.episodes),),
        agents=(Entry("local-search", lambda: Moves("local_search"), {"collectives": "local_search"}, about=local),),
        knows={"planner": {"collectives": "oracle"}},
        tests={"lambda-star": {"source": "lambda_star", "steps": 50}},
    )
