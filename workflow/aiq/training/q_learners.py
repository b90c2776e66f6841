"""Agents that act, remember and learn: many in lockstep, each in a world of its own.

Random numbers are drawn from an agent's own keyed generators in blocks ahead of time. What an agent draws is a function
of its seed and of the step alone, whatever the others do and however the steps are cut into blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.config.training import Boltzmann, EpsilonGreedy, Reinforcement
from aiq.domains.control import ControlDomain, Outcome, Worlds
from aiq.records.trial import Architecture
from aiq.training.checkpoints import State
from aiq.training.flat import Weights
from aiq.training.q_networks import Learning, QNets, Replay

FORCED = 1e30
"""Added to the value of an action that is taken whatever the values are."""


def world_seed(seed: int) -> int:
    """Return the seed of the world in which the agent of a seed trains."""
    return seeding.integer(seed, "world")


def learns(settings: Reinforcement, step: int) -> bool:
    """Whether the networks are updated at a step (counted from 0), before its transition is kept."""
    return step >= settings.learning_starts and step > 0 and step % settings.train_every == 0


def epsilon(rule: EpsilonGreedy, steps: int, step: int) -> float:
    """Return the probability of a uniform action at a step (counted from 0) of so many."""
    return rule.start + (rule.end - rule.start) * min(1.0, step / (rule.fraction * steps))


class Streams:
    """Exploration and minibatches of some agents, one a seed."""

    def __init__(self, seeds: Sequence[int], settings: Reinforcement, actions: int) -> None:
        self._settings, self._actions = settings, actions
        self._exploration = [seeding.generator(seed, "exploration") for seed in seeds]
        self._replay = [seeding.generator(seed, "replay") for seed in seeds]

    def keep(self, agents: Sequence[int]) -> None:
        """Go on with these agents alone."""
        self._exploration = [self._exploration[agent] for agent in agents]
        self._replay = [self._replay[agent] for agent in agents]

    def state(self) -> State:
        """Return where all streams are."""
        generators = zip(self._exploration, self._replay, strict=True)
        return {
            f"{agent:06d}": {"exploration": seeding.state_of(exploration), "replay": seeding.state_of(replay)}
            for agent, (exploration, replay) in enumerate(generators)
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where the streams of as many agents were."""
        states = [state[f"{agent:06d}"] for agent in range(len(self._replay))]
        self._exploration = [seeding.resumed(streams["exploration"]) for streams in states]
        self._replay = [seeding.resumed(streams["replay"]) for streams in states]

    def noise(self, first: int, count: int) -> torch.Tensor:
        """Return what is added to the actions' values at some steps, float64, (count, agents, actions).

        The largest sum is the action to take. Boltzmann: Gumbel numbers times the temperature, which gives
        probabilities proportional to exp(Q / temperature) exactly (Gumbel 1954; the Gumbel-max trick). Epsilon-greedy:
        0, or ``FORCED`` at a uniform action.
        """
        rule = self._settings.exploration
        noise = np.zeros((count, len(self._exploration), self._actions))
        if isinstance(rule, Boltzmann):
            for agent, random in enumerate(self._exploration):
                noise[:, agent] = random.gumbel(0, rule.temperature, (count, self._actions))
            return torch.from_numpy(noise)
        chance = np.array([epsilon(rule, self._settings.steps, step) for step in range(first, first + count)])
        for agent, random in enumerate(self._exploration):
            drawn = random.random((count, 2))
            at = np.flatnonzero(drawn[:, 0] < chance)
            noise[at, agent, (drawn[at, 1] * self._actions).astype(np.int64)] = FORCED
        return torch.from_numpy(noise)

    def ages(self, steps: Sequence[int]) -> np.ndarray:
        """Return which transitions are learnt from at some steps, as steps back, int64, (steps, agents, batch_size).

        0 is the newest kept; uniform with replacement over the transitions kept before the step.
        """
        size = self._settings.batch_size
        kept = np.minimum(np.asarray(steps, np.float64), self._settings.replay)[:, None]
        ages = np.empty((len(steps), len(self._replay), size), np.int64)
        for agent, random in enumerate(self._replay):
            ages[:, agent] = random.random((len(steps), size)) * kept
        return ages


class PopulationLearner:
    """Deep Q-learning of many agents at once, the deepest first, each in a world seeded by ``world_seed``.

    A step: every agent chooses an action by its values and exploration; where the step learns, all networks are updated
    on transitions kept before it; the worlds are stepped and the transitions kept. So the action and the update share
    one forward pass, and the newest transition enters the batches one step later. The caller closes the worlds.
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

    def advance(self, count: int) -> None:
        """Take so many steps, whose random numbers are drawn at once."""
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
        self._replay.end(step, action, outcome.reward, outcome.terminated, outcome.observation)
        if len(self._worlds.failures) > len(self._lost):  # worlds that failed are stepped no more
            self._lost, self._on = dict(self._worlds.failures), self._on.clone()
            self._on[list(self._lost)] = False
        over = (outcome.terminated | outcome.truncated) & self._on
        observation = self._worlds.reset(over) if bool(over.any()) else outcome.observation
        self._replay.begin(step + 1, observation)

    def losses(self) -> list[float]:
        """Return each agent's mean loss since the last call."""
        return self._learning.losses()

    def finite(self) -> list[bool]:
        """Return for each agent whether all its weights are finite."""
        return self._learning.nets.finite()

    def weights(self, agent: int) -> Weights:
        """Return a copy of an agent's weights."""
        return self._learning.nets.weights(agent)

    def state(self) -> State:
        """Return everything on which the rest of the training depends; NotKeptError: the worlds cannot tell theirs."""
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
        """Go on from a state of the same agents."""
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
