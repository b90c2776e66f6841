"""Deep Q-learning of one agent at a time with torch's modules: slow, plain, what the trainer of many must equal."""

from __future__ import annotations

import copy
from collections import deque

import numpy as np
import torch
from torch import nn

from aiq import seeding
from aiq.config.training import Boltzmann, HardUpdate, SoftUpdate
from aiq.policies import networks
from aiq.training import reference
from aiq.training.q_learners import epsilon, learns


class ReferenceLearner:
    """One agent; it takes sequences of one for likeness with ``PopulationLearner``."""

    def __init__(self, architectures, weights, seeds, domain, settings, worlds):
        ((architecture,), (initial,), (seed,)) = architectures, weights, seeds
        self._settings, self._domain, self._worlds = settings, domain, worlds
        self._dtype, self._device = initial[0].dtype, initial[0].device
        shape = (domain.observations,)
        self.module = networks.network(architecture, shape, domain.actions, 0, self._dtype).to(self._device)
        networks.load(self.module, initial)
        self._target = copy.deepcopy(self.module)
        self._optimizer = reference.build(settings.optimizer, self.module.parameters())
        self._memory = deque(maxlen=settings.replay)
        self._exploration = seeding.generator(seed, "exploration")
        self._replay = seeding.generator(seed, "replay")
        self._on = torch.ones(1, dtype=torch.bool, device=self._device)
        self._observation = worlds.reset(self._on)
        self._step, self._losses = 0, []

    def advance(self, steps):
        """Take so many steps."""
        for _ in range(steps):
            self._one()
            self._step += 1

    def _one(self):
        action = self._choose()
        if learns(self._settings, self._step):
            self._learn()
        if self._worlds.failures:
            return
        outcome = self._worlds.step(torch.tensor([action], device=self._device), self._on)
        tick = self._domain.training_reward == "tick"
        reward = 1.0 if tick else float(outcome.reward)
        terminated = bool(outcome.terminated)
        self._memory.append((self._observation[0], action, reward, terminated, outcome.observation[0]))
        over = terminated or bool(outcome.truncated)
        self._observation = self._worlds.reset(self._on) if over and not self._worlds.failures else outcome.observation
        target = self._settings.target
        if isinstance(target, HardUpdate) and (self._step + 1) % target.every == 0:
            self._target.load_state_dict(self.module.state_dict())

    def _choose(self):
        with torch.no_grad():
            values = self.module(self._observation.to(self._dtype))[0].double().cpu().numpy()
        rule = self._settings.exploration
        if isinstance(rule, Boltzmann):
            return int(np.argmax(values + self._exploration.gumbel(0, rule.temperature, len(values))))
        chance, action = self._exploration.random(2)
        explores = chance < epsilon(rule, self._settings.steps, self._step)
        return int(action * len(values)) if explores else int(np.argmax(values))

    def _learn(self):
        settings = self._settings
        ages = self._replay.random(settings.batch_size) * len(self._memory)
        x, action, reward, terminated, after = zip(*(self._memory[-1 - int(age)] for age in ages), strict=True)
        loss = self.loss(
            torch.stack(x).to(self._dtype),
            torch.tensor(action, device=self._device),
            torch.tensor(reward, dtype=torch.float32, device=self._device).to(self._dtype),
            torch.tensor(terminated, device=self._device),
            torch.stack(after).to(self._dtype),
        )
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        self._losses.append(float(loss.detach()))
        if isinstance(settings.target, SoftUpdate):
            with torch.no_grad():
                for slow, fast in zip(self._target.parameters(), self.module.parameters(), strict=True):
                    slow.copy_((1 - settings.target.rate) * slow + settings.target.rate * fast)

    def loss(self, x, action, reward, terminated, after):
        """Return the mean loss of the temporal difference of a batch."""
        with torch.no_grad():
            later = self._target(after)
            best = (self.module(after) if self._settings.double else later).argmax(1)
            value = later[torch.arange(len(best)), best]
            goal = reward + self._settings.discount * torch.where(terminated, torch.zeros_like(value), value)
        taken = self.module(x)[torch.arange(len(action)), action]
        mse = self._settings.loss == "mse"
        return nn.functional.mse_loss(taken, goal) if mse else nn.functional.smooth_l1_loss(taken, goal)

    def losses(self):
        """Return the mean loss since the last call, 0 if there was no update."""
        mean = float(np.mean(self._losses)) if self._losses else 0.0
        self._losses.clear()
        return [mean]

    def finite(self):
        """Return whether all weights are finite."""
        return [all(bool(weights.isfinite().all()) for weights in self.module.parameters())]

    def weights(self, agent):
        """Return a copy of the weights."""
        return [tensor.detach().clone() for tensor in list(self.module.parameters())]
