"""Agents that act, remember and learn in lockstep, each in a world of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.config.reinforcement import Reinforcement
from aiq.domains.control import ControlDomain, Outcome, Worlds
from aiq.records.trial import Architecture
from aiq.training.checkpoints import State
from aiq.training.reinforcement.networks import Pass, QNets, Weights
from aiq.training.reinforcement.replay import Replay
from aiq.training.reinforcement.streams import Streams, learns
from aiq.training.reinforcement.temporal import Learning

BLOCK = 256
"""Steps whose random numbers are drawn at a time."""


def world_seed(seed: int) -> int:
    """Return the seed of the world in which the agent of a seed trains."""
    return seeding.integer(seed, "world")


class PopulationLearner:
    """Deep Q-learning of many agents at once.

    A step: every agent chooses an action by its values and exploration; where the step learns, all networks are
    updated on transitions kept before it; the worlds are stepped and the transitions kept. So the action and the
    update share one forward pass, and the newest transition enters the batches one step later.

    Args:
        architectures: of the agents, the deepest first.
        weights: their initial weights, on the device and in the precision of the computation.
        seeds: one an agent; all its random numbers hang on it.
        domain: gives the worlds and says what a step is paid.
        settings: of the training.
        worlds: one world an agent, seeded by ``world_seed``; the caller closes them.
    """

    def __init__(
        self,
        architectures: Sequence[Architecture],
        weights: Sequence[Weights],
        seeds: Sequence[int],
        domain: ControlDomain,
        settings: Reinforcement,
        worlds: Worlds,
    ) -> None:
        self._settings, self._worlds = settings, worlds
        sample = weights[0][0]
        self._device, self._dtype = sample.device, sample.dtype
        nets = QNets(architectures, weights)
        nets.flat.optimize(settings.optimizer)
        capacity = min(settings.replay, settings.steps)
        paid = 1.0 if domain.training_reward == "tick" else None
        self._replay = Replay(len(seeds), capacity, domain.observations, rewards=paid, device=self._device)
        self._learning = Learning(nets, settings, self._replay)
        self._streams = Streams(seeds, settings, domain.actions)
        self._step = 0
        self._lost: dict[int, str] = {}
        self._on = torch.ones(len(seeds), dtype=torch.bool, device=self._device)
        self._replay.begin(0, worlds.reset(self._on))

    def advance(self, steps: int) -> None:
        """Take so many steps."""
        while steps > 0:
            count = min(steps, BLOCK)
            self._block(count)
            steps -= count

    def _block(self, count: int) -> None:
        first = self._step
        noise = self._streams.noise(first, count).to(self._device, self._dtype)
        learning = [step for step in range(first, first + count) if learns(self._settings, step)]
        batches = iter(self._replay.places(learning, self._streams.ages(learning)))
        for step in range(first, first + count):
            if learns(self._settings, step):
                action = (self._learning.read(next(batches)) + noise[step - first]).argmax(1)
                self._learning.update()
            else:
                action = (self._learning.values(self._replay.now) + noise[step - first]).argmax(1)
            outcome = self._worlds.step(action, self._on)
            self._keep(step, action, outcome)
            self._learning.tick(step)
        self._step += count

    def _keep(self, step: int, action: torch.Tensor, outcome: Outcome) -> None:
        """Keep the transitions of a step, and begin anew where episodes are over."""
        self._replay.end(step, action, outcome.reward, outcome.terminated, outcome.observation)
        if len(self._worlds.failures) > len(self._lost):
            self._lose()
        over = (outcome.terminated | outcome.truncated) & self._on
        observation = self._worlds.reset(over) if bool(over.any()) else outcome.observation
        self._replay.begin(step + 1, observation)

    def _lose(self) -> None:
        """Stop stepping worlds that failed."""
        self._lost = dict(self._worlds.failures)
        self._on = self._on.clone()
        self._on[list(self._lost)] = False

    @property
    def failures(self) -> dict[int, str]:
        """Agents whose world raised, with one sentence each."""
        return dict(self._worlds.failures)

    def losses(self) -> list[float]:
        """Return each agent's mean loss since the last call."""
        return self._learning.losses()

    def finite(self) -> list[bool]:
        """Return for each agent whether all its weights are finite."""
        return self._learning.nets.finite()

    def weights(self, agent: int) -> Weights:
        """Return a copy of an agent's weights."""
        return self._learning.nets.weights(agent)

    def greedy(self, episodes: int) -> Greedy:
        """Return the agents as they are now, each acting greedily in so many worlds."""
        return Greedy(self._learning.nets, episodes)

    def state(self) -> State:
        """Return everything on which the rest of the training depends.

        Raises:
            NotKeptError: the worlds cannot tell where they are.
        """
        return {
            "step": self._step,
            "on": self._on.cpu().numpy().copy(),
            "lost": np.array(sorted(self._lost), np.int64),
            "learning": self._learning.state(),
            "replay": self._replay.state(self._step),
            "streams": self._streams.state(),
            "worlds": self._worlds.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of the same agents.

        Raises:
            LookupError, TypeError, ValueError, RuntimeError: the state is of other agents.
        """
        self._learning.restore(state["learning"])
        self._replay.restore(state["replay"])
        self._streams.restore(state["streams"])
        self._worlds.restore(state["worlds"])
        self._on = torch.from_numpy(np.array(state["on"], bool)).to(self._device)
        self._lost = {int(lane): self._worlds.failures[int(lane)] for lane in state["lost"]}
        self._step = int(state["step"])

    def keep(self, agents: Sequence[int]) -> None:
        """Go on with these agents (rising) alone."""
        self._worlds.keep(agents)
        self._replay.keep(agents)
        self._streams.keep(agents)
        self._learning = self._learning.keep(agents)
        self._lost = dict(self._worlds.failures)
        self._on = self._on[list(agents)]


class Greedy:
    """Agents that take the action of the largest value, each in so many worlds side by side."""

    def __init__(self, nets: QNets, episodes: int) -> None:
        self._x = nets.flat.values.new_zeros(len(nets.architectures), nets.inputs, episodes)
        self._pass = Pass(nets, self._x)

    def __call__(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the actions (agents * episodes,) for observations (agents * episodes, observations)."""
        agents, inputs, episodes = self._x.shape
        self._x.copy_(observations.reshape(agents, episodes, inputs).transpose(1, 2))
        return self._pass.forward().max(1).indices.flatten()
