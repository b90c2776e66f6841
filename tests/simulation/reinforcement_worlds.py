"""Small control domains with known answers, and settings of short trainings, for tests of reinforcement learning."""

from __future__ import annotations

import numpy as np
import torch

from aiq.config.training import Adam, Evaluation, Reinforcement
from aiq.domains.base import DataSheet
from aiq.domains.control import ControlDomain, Outcome, Worlds

SHEET = DataSheet("made for tests", "here", "MIT", (0.0, 1.0))


def settings(**changes):
    """Settings of a short training, some changed."""
    told = {
        "algorithm": "dqn",
        "steps": 90,
        "optimizer": Adam(name="adam", learning_rate=1e-2),
        "batch_size": 4,
        "replay": 50,
        "evaluation": Evaluation(every=30, episodes=3, final_episodes=6),
    }
    return Reinforcement(**{**told, **changes})


class Drift(ControlDomain):
    """Observations drift at random and with the action; episodes terminate at random or are cut off at the horizon.

    A world whose seed is in ``broken`` raises at its step number ``breaks``.
    """

    def __init__(self, observations=3, actions=3, horizon=7, *, tick=False, broken=(), breaks=20, scale=1.0):
        self.name, self.observations, self.actions, self.horizon = "drift", observations, actions, horizon
        self.bounds = (0.0, float(horizon))
        self.training_reward = "tick" if tick else "own"
        self.foreign, self.noop, self.sheet = "modulo", None, SHEET
        self.broken, self.breaks, self.scale = broken, breaks, scale

    def worlds(self, seeds, *, device="cpu"):
        return DriftWorlds(self, list(seeds))


class DriftWorlds(Worlds):
    def __init__(self, domain, seeds):
        self.domain, self.seeds, self.lanes, self.failures = domain, seeds, len(seeds), {}
        self.random = [np.random.default_rng(seed) for seed in seeds]
        self.state = np.zeros((self.lanes, domain.observations), np.float32)
        self.ticks = np.zeros(self.lanes, int)
        self.total = np.zeros(self.lanes, int)
        self.over = np.ones(self.lanes, bool)
        self.closed = False

    def reset(self, which):
        for lane in np.flatnonzero(which.numpy()):
            assert lane not in self.failures
            self.state[lane] = self.random[lane].normal(size=self.domain.observations)
            self.ticks[lane], self.over[lane] = 0, False
        return torch.from_numpy(self.state.copy())

    def step(self, actions, which):
        reward, ended, cut = np.zeros(self.lanes, np.float32), np.zeros(self.lanes, bool), np.zeros(self.lanes, bool)
        for lane in np.flatnonzero(which.numpy()):
            assert lane not in self.failures, "a broken world was stepped"
            assert not self.over[lane], "an episode that is over was stepped"
            assert 0 <= int(actions[lane]) < self.domain.actions
            self.ticks[lane] += 1
            self.total[lane] += 1
            if self.seeds[lane] in self.domain.broken and self.total[lane] >= self.domain.breaks:
                self.failures[lane] = "the world broke"
                ended[lane] = True
                continue
            drift = self.random[lane].normal(size=self.domain.observations) * 0.3 + 0.2 * (int(actions[lane]) - 1)
            self.state[lane] += drift.astype(np.float32)
            reward[lane] = self.domain.scale / (1 + abs(self.state[lane, 0]))
            ended[lane] = self.random[lane].random() < 0.1
            cut[lane] = not ended[lane] and self.ticks[lane] >= self.domain.horizon
            self.over[lane] = ended[lane] or cut[lane]
        seen = self.state * which.numpy()[:, None]
        return Outcome(*(torch.from_numpy(a.copy()) for a in (reward, ended, cut, seen)))

    def keep(self, lanes):
        lanes = list(lanes)
        self.seeds = [self.seeds[lane] for lane in lanes]
        self.random = [self.random[lane] for lane in lanes]
        self.failures = {new: self.failures[old] for new, old in enumerate(lanes) if old in self.failures}
        self.state, self.ticks, self.total, self.over = (
            a[lanes] for a in (self.state, self.ticks, self.total, self.over)
        )
        self.lanes = len(lanes)

    def close(self):
        self.closed = True


class Constant(ControlDomain):
    """One state, reward 1 + action / 2 for every step; an episode is one step (terminated), or cut off after some."""

    def __init__(self, *, terminates):
        self.name, self.observations, self.actions, self.horizon = "constant", 1, 2, 4
        self.bounds = (0.0, 1.5 if terminates else 6.0)
        self.training_reward, self.foreign, self.noop, self.sheet = "own", "modulo", None, SHEET
        self.terminates = terminates

    def worlds(self, seeds, *, device="cpu"):
        return ConstantWorlds(self, len(seeds))


class ConstantWorlds(Worlds):
    def __init__(self, domain, lanes):
        self.domain, self.lanes, self.failures = domain, lanes, {}
        self.ticks = torch.zeros(lanes, dtype=torch.int64)

    def reset(self, which):
        self.ticks[which] = 0
        return torch.ones(self.lanes, 1)

    def step(self, actions, which):
        self.ticks += which
        ended = which & self.domain.terminates
        cut = which & ~ended & (self.ticks >= self.domain.horizon)
        return Outcome((1 + actions / 2) * which, ended, cut, torch.ones(self.lanes, 1) * which[:, None])

    def keep(self, lanes):
        self.ticks, self.lanes = self.ticks[list(lanes)], len(lanes)
