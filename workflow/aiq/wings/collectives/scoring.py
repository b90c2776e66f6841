"""The score of Lambda* of any agent of the protocol, alone on the torus."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aiq import seeding
from aiq.agents.playing import play, task_of
from aiq.agents.protocol import Agent, CannotPlay, Task
from aiq.agents.scoring.base import Entry, Scored
from aiq.wings.collectives.domains.lambda_star import LambdaStar
from aiq.wings.collectives.environments import lambda_star
from aiq.wings.collectives.equations.lanes import TorusLanes
from aiq.wings.collectives.equations.reduction import intelligence
from aiq.wings.collectives.equations.settings import Settings
from aiq.wings.collectives.equations.simulation import episodes_seed, simulate
from aiq.wings.collectives.records import EpisodeBlock


@dataclass(frozen=True)
class Collectives:
    """Mean reward in Lambda* (Chmait et al. 2015) of a group of one.

    Agents share cells freely and agents of the protocol do not talk, so a group of several has the same expected score
    as one of them alone.

    Attributes:
        side: of the torus.
        episodes: worlds, of complexities K in turn.
        steps: iterations of an episode.
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
        told = {"source": "lambda_star", "rows": self.side, "columns": self.side, "steps": self.steps}
        kernel = lambda_star.kernel(LambdaStar(observation="native", **told))
        return task_of(kernel, self.name, self.steps, training={**told, "root": root + 1})
