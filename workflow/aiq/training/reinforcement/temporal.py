"""The update of deep Q-learning: networks, their targets, and one step along the loss of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq.config.reinforcement import HardUpdate, Reinforcement, SoftUpdate
from aiq.training.checkpoints import State, pack_nets, unpack_nets
from aiq.training.reinforcement.networks import Pass, QNets
from aiq.training.reinforcement.replay import Replay


class Learning:
    """Networks with their targets, on batches of transitions of their own (Mnih et al. 2015).

    The target of a transition is r + discount * V(s'), without the second part where the episode terminated (not
    where it was cut off). V is the target network's value of the action that the online network prefers (double,
    van Hasselt et al. 2016), or its largest value.
    """

    def __init__(self, nets: QNets, settings: Reinforcement, replay: Replay, targets: torch.Tensor | None = None):
        self.nets, self._settings = nets, settings
        self.targets = nets.flat.values.clone() if targets is None else targets
        batch, agents, told = settings.batch_size, len(nets.architectures), replay.observations
        like = nets.flat.values
        self._batch, self._replay, self._updates = batch, replay, 0
        self._read = torch.zeros(agents * (2 * batch + 1), replay.half, dtype=torch.float32, device=like.device)
        rows = self._read.view(agents, 2 * batch + 1, replay.half)
        self._seen = rows[:, :, :told].transpose(1, 2)
        self._action, self._reward, self._going = (rows[:, None, :batch, told + place] for place in range(3))
        self._same = like.dtype == torch.float32
        x = self._seen if self._same else like.new_zeros(self._seen.shape)
        self._x, self._one = x, like.new_zeros(agents, told, 1)
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
            "nets": pack_nets(self.nets, len(self.nets.architectures)),
            "targets": self.targets.cpu().numpy().copy(),
            "losses": self._losses.cpu().numpy().copy(),
            "updates": self._updates,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of networks of the same layout; see ``unpack_nets``."""
        unpack_nets(self.nets, len(self.nets.architectures), state["nets"])
        self.targets.copy_(torch.from_numpy(np.array(state["targets"])))
        self._losses.copy_(torch.from_numpy(np.array(state["losses"])))
        self._updates = int(state["updates"])

    def keep(self, agents: Sequence[int]) -> Learning:
        """Return the learning of some agents (rising) alone; called after their replay has been cut likewise."""
        nets = self.nets.keep(agents, self._settings.optimizer)
        targets = torch.zeros_like(nets.flat.values)
        nets.put(targets, [self.nets.take(self.targets, agent) for agent in agents])
        return Learning(nets, self._settings, self._replay, targets)
