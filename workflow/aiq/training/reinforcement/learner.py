"""Agents that act, remember and learn in lockstep, each in a world of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.config.reinforcement import HardUpdate, Reinforcement, SoftUpdate
from aiq.domains.control import ControlDomain, Outcome, Worlds
from aiq.records.trial import Architecture
from aiq.training.checkpoints import State, pack_nets, unpack_nets
from aiq.training.networks.flat import Weights
from aiq.training.reinforcement.networks import Pass, QNets
from aiq.training.reinforcement.replay import Replay, Streams, learns

BLOCK = 256
"""Steps whose random numbers are drawn at a time."""


def world_seed(seed: int) -> int:
    """Return the seed of the world in which the agent of a seed trains."""
    return seeding.integer(seed, "world")


class Learning:
    """Networks with their targets, on batches of transitions of their own (Mnih et al. 2015).

    The target of a transition is r + discount * V(s'), without the second part where the episode terminated (not
    where it was cut off). V is the target network's value of the action that the online network prefers (double,
    van Hasselt et al. 2016), or its largest value.
    """

    def __init__(self, nets: QNets, settings: Reinforcement, replay: Replay, targets: torch.Tensor | None = None):
        self.nets, self._settings = nets, settings
        self.targets = nets.flat.values.clone() if targets is None else targets
        batch, agents, observations = settings.batch_size, len(nets.architectures), replay.observations
        like = nets.flat.values
        self._batch, self._replay, self._updates = batch, replay, 0
        self._read = torch.zeros(agents * (2 * batch + 1), replay.half, dtype=torch.float32, device=like.device)
        rows = self._read.view(agents, 2 * batch + 1, replay.half)
        self._seen = rows[:, :, :observations].transpose(1, 2)
        self._action, self._reward, self._going = (rows[:, None, :batch, observations + place] for place in range(3))
        self._same = like.dtype == torch.float32
        x = self._seen if self._same else like.new_zeros(self._seen.shape)
        self._x, self._one = x, like.new_zeros(agents, observations, 1)
        self._all, self._live = Pass(nets, x, batch), Pass(nets, self._one)
        self._target = Pass(nets, x[:, :, batch : 2 * batch], buffer=self.targets)
        self._taken, self._after = self._all.values[:, :, :batch], self._all.values[:, :, batch : 2 * batch]
        self._now = self._all.values[:, :, -1]
        self._losses = like.new_zeros(agents, 1, batch)

    def values(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the online values (agents, actions) of one observation an agent."""
        self._one[:, :, 0] = observation
        return self._live.forward()[:, :, 0]

    def read(self, places: torch.Tensor) -> torch.Tensor:
        """Read batches, compute the online values of all they hold, and return those of the observation under way."""
        self._replay.read(places, self._read)
        if not self._same:
            self._x.copy_(self._seen)
        self._all.forward()
        return self._now

    def update(self) -> None:
        """Take one step along the loss of the batches read last, and let soft targets follow."""
        settings = self._settings
        later = self._target.forward()
        best = (self._after if settings.double else later).max(1, keepdim=True).indices
        action = self._action.to(torch.int64)
        goal = torch.addcmul(self._reward, self._going, later.gather(1, best), value=settings.discount)
        difference = self._taken.gather(1, action).sub_(goal)
        self._all.slopes.zero_().scatter_(1, action, self._lose(difference))
        self._all.backward()
        self.nets.flat.update()
        self._updates += 1
        if isinstance(settings.target, SoftUpdate):
            self.targets.lerp_(self.nets.flat.values, settings.target.rate)

    def _lose(self, difference: torch.Tensor) -> torch.Tensor:
        """Add the losses to the sums and return their derivatives by the values taken."""
        if self._settings.loss == "mse":
            self._losses.addcmul_(difference, difference)
            return difference.mul_(2 / self._batch)
        inside = difference.clamp(-1, 1)
        self._losses.addcmul_(inside, difference).addcmul_(inside, inside, value=-0.5)
        return inside.mul_(1 / self._batch)

    def tick(self, step: int) -> None:
        """Copy hard targets where they are due after a step (counted from 0)."""
        target = self._settings.target
        if isinstance(target, HardUpdate) and (step + 1) % target.every == 0:
            self.targets.copy_(self.nets.flat.values)

    def losses(self) -> list[float]:
        """Return each agent's mean loss since the last call, 0 if there was no update."""
        means = self._losses.double().sum((1, 2)) / (self._batch * max(1, self._updates))
        self._losses.zero_()
        self._updates = 0
        return [float(mean) for mean in means.tolist()]

    def state(self) -> State:
        """Return networks, optimiser, targets, and the losses since the last call of ``losses``."""
        return {
            "nets": pack_nets(self.nets),
            "targets": self.targets.cpu().numpy().copy(),
            "losses": self._losses.cpu().numpy().copy(),
            "updates": self._updates,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of networks of the same layout; see ``unpack_nets``."""
        unpack_nets(self.nets, state["nets"])
        self.targets.copy_(torch.from_numpy(np.array(state["targets"])))
        self._losses.copy_(torch.from_numpy(np.array(state["losses"])))
        self._updates = int(state["updates"])

    def keep(self, agents: Sequence[int]) -> Learning:
        """Return the learning of some agents (rising) alone; called after their replay has been cut likewise."""
        nets = self.nets.keep(agents, self._settings.optimizer)
        targets = torch.zeros_like(nets.flat.values)
        nets.put(targets, [self.nets.take(self.targets, agent) for agent in agents])
        return Learning(nets, self._settings, self._replay, targets)


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
