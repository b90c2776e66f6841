"""What Lambda* adds to the table of agents: its score of any agent of the protocol, and agents of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aiq import seeding
from aiq.agents.protocol import Agent, Array, CannotPlay, Task, play, task_of
from aiq.agents.table import Addition, Asked, Entry, Scored
from aiq.wings.collectives import environment as lambda_star
from aiq.wings.collectives.domain import LambdaStar
from aiq.wings.collectives.environment import VALUES, TorusLanes
from aiq.wings.collectives.equations.settings import Settings, kind_code
from aiq.wings.collectives.equations.simulation import episodes_seed, intelligence, simulate
from aiq.wings.collectives.equations.world import below, bit_choices, bits, one_of, seeded
from aiq.wings.collectives.records import EpisodeBlock

_CHOICES = bit_choices()


class Moves:
    """A kind of single agents of Lambda* (``random``, ``local_search``) as an agent, with the kernel's own choices.

    ``stream`` (1,) is the random stream of the kind; set to that of an episode after ``begin`` (see
    `aiq.wings.collectives.equations.simulation`) it gives the kernel's own episode.
    """

    learning = False

    def __init__(self, kind: str) -> None:
        self._kind, self.name, self.stream = kind, kind, np.zeros(1, np.uint64)

    def begin(self, task: Task) -> None:
        """Begin; raises CannotPlay anywhere but in Lambda*."""
        if task.numbers != 9 or task.values != VALUES:
            raise CannotPlay("it looks at the rewards of nine cells, which Lambda* alone shows")
        seeded(self.stream, np.uint64(task.seed), 0, kind_code(self._kind))

    def start(self, observation: Array) -> None:
        """Look around."""
        self._seen = observation

    def act(self) -> int:
        """Return a move: any, or one of those to the best cells where any cell has a reward that is not 0."""
        if self._kind == "random":
            return int(below(self.stream, 9))
        best = self._seen == self._seen.max()
        if not (self._seen != VALUES.index(0.0)).any():
            best[:] = True
        mask = int((1 << np.flatnonzero(best)).sum())
        return int(one_of(mask, np.uint64(bits(self.stream)), *_CHOICES))

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Look around."""
        self._seen = observation


@dataclass(frozen=True)
class Collectives:
    """Mean reward in Lambda* (Chmait et al. 2015) of a group of one.

    Agents share cells freely and agents of the protocol do not talk, so a group of several has the same expected score
    as one of them alone. Episodes are worlds of complexities K in turn.
    """

    side: int = 10
    episodes: int = 200
    steps: int = 50
    name: str = "collectives"
    about: str = (
        "Υ of one agent in Lambda*, mean reward per iteration; random agents have 0, Good's own cell is worth 1"
    )

    @property
    def settings(self) -> Settings:
        """The test."""
        return Settings(self.side, self.side, self.steps, agents=1)

    def score(self, entry: Entry, root: int) -> Scored:
        """Return Υ: by the compiled loop for its own agents, by the protocol in the same worlds for others."""
        kind = entry.native.get(self.name)
        if kind is not None:
            return Scored(intelligence(simulate([kind], self.settings, root, 0, self.episodes)).estimate)
        if entry.make is None:
            raise CannotPlay(entry.why)
        task, agents = self.task(root), list[Agent]()
        for episode in range(self.episodes):
            agent = entry.make()
            agent.begin(replace(task, seed=seeding.integer(root, "agents", self.name, episode)))
            agents.append(agent)
        return Scored(intelligence([self.block(agents, root)]).estimate)

    def block(self, agents: list[Agent], root: int) -> EpisodeBlock:
        """Let one agent play each of the first episodes of the test; they have been told the task."""
        settings, seed = self.settings, episodes_seed(self.settings, root)
        unused = np.random.default_rng(0)
        lanes = TorusLanes(settings, root, [unused] * len(agents))
        for episode in range(len(agents)):
            lanes.begin_episode(episode, seed, episode)
        played = play(agents, lanes, self.task(root), begun=True)
        scores = played.returns[:, 0] / self.steps
        return EpisodeBlock(
            agents[0].name, repr(settings), self.side, self.side, root, 0, scores, lanes.complexity.copy(), True
        )

    def task(self, root: int) -> Task:
        """Return what agents are told; training is in worlds of other patterns."""
        keys = {"source": "lambda_star", "rows": self.side, "columns": self.side, "steps": self.steps}
        kernel = lambda_star.kernel(LambdaStar(observation="native", **keys))
        return task_of(kernel, self.name, self.steps, training={**keys, "root": root + 1})


def addition(asked: Asked) -> Addition:
    """Return the score of a group of one, an agent that looks around, and Lambda* for the suite of all measures."""
    local = "goes to the best of the nine cells that it sees"
    return Addition(
        measures=(Collectives(episodes=asked.sizes.episodes),),
        agents=(Entry("local-search", lambda: Moves("local_search"), {"collectives": "local_search"}, about=local),),
        knows={"planner": {"collectives": "oracle"}},
        tests={"lambda-star": {"source": "lambda_star", "steps": 50}},
    )
