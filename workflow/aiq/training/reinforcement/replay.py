"""Transitions that agents learn from, one ring of them an agent, and the random numbers of every agent's training.

Random numbers are drawn from an agent's own keyed generators in blocks ahead of time. What an agent draws is a function
of its seed and of the step alone, whatever the others do and however the steps are cut into blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.config.reinforcement import Boltzmann, EpsilonGreedy, Reinforcement
from aiq.training.checkpoints import State

REST = 3
"""Numbers kept beside an observation: action, reward, and 1 unless the episode ended (terminated)."""


FORCED = 1e30
"""Added to the value of an action that is taken whatever the values are."""


class Replay:
    """Rings of the last transitions of agents that act in lockstep, and the observation that each acts on now.

    A transition is one row of two halves, (observation, action, reward, going on) and (next observation, unused),
    padded to multiples of four numbers: a random read touches one place in memory, and an episode's end needs no care,
    at the price of keeping most observations twice. The memory is touched, and so used, as it fills. ``rewards`` is
    what every step is paid, or None if it is told at each.
    """

    def __init__(
        self, agents: int, capacity: int, observations: int, *, rewards: float | None, device: torch.device
    ) -> None:
        self.observations, self.half = observations, -(-(observations + REST) // 4) * 4
        self._slots, self._paid = capacity + 1, rewards is not None
        self._rows = torch.empty(agents, self._slots, 2, self.half, dtype=torch.float32, device=device)
        self._stage = torch.zeros(agents, 2, self.half, dtype=torch.float32, device=device)
        if rewards is not None:
            self._stage[:, 0, observations + 1] = rewards
        self._look()

    def _look(self) -> None:
        observations = self.observations
        self.now, self._next = self._stage[:, 0, :observations], self._stage[:, 1, :observations]
        self._action, self._reward, self._going = (self._stage[:, 0, observations + place] for place in range(REST))
        self._flat = self._rows.view(-1, self.half)

    def begin(self, step: int, observation: torch.Tensor) -> None:
        """Take in the observations (agents, observations) on which the agents act at a step (counted from 0)."""
        self.now.copy_(observation)
        self._rows[:, step % self._slots, 0, : self.observations] = observation

    def end(
        self, step: int, action: torch.Tensor, reward: torch.Tensor, terminated: torch.Tensor, after: torch.Tensor
    ) -> None:
        """Complete the transition of a step; ``after`` are the observations before any restart."""
        self._action.copy_(action)
        if not self._paid:
            self._reward.copy_(reward)
        torch.logical_not(terminated, out=self._going)
        self._next.copy_(after)
        self._rows[:, step % self._slots] = self._stage

    def places(self, steps: Sequence[int], ages: np.ndarray) -> torch.Tensor:
        """Return where the transitions of some ages lie, and the observation under way: rows for ``read``, int64.

        Steps (steps,) are those at which they are learnt from, ages are (steps, agents, batch), 0 the newest kept
        before the step; the rows are (steps, agents * (2 batch + 1)).
        """
        count, agents, batch = ages.shape
        now = (np.asarray(steps, np.int64) % self._slots)[:, None, None]
        slots = now - 1 - ages
        np.add(slots, self._slots, out=slots, where=slots < 0)
        first = self._slots * np.arange(agents)[None, :, None]
        rows = np.empty((count, agents, 2 * batch + 1), np.int64)
        np.add(slots, first, out=slots)
        np.multiply(slots, 2, out=rows[:, :, :batch])
        np.add(rows[:, :, :batch], 1, out=rows[:, :, batch : 2 * batch])
        rows[:, :, -1:] = 2 * (now + first)
        return torch.from_numpy(rows.reshape(count, agents * (2 * batch + 1))).to(self._rows.device)

    def read(self, places: torch.Tensor, out: torch.Tensor) -> None:
        """Read rows into ``out`` (agents * (2 batch + 1), half): first halves, second halves, the one under way."""
        torch.index_select(self._flat, 0, places, out=out)

    def state(self, step: int) -> State:
        """Return the rows filled before a step, agent by agent, and the row under way; arrays of a CPU share memory."""
        filled = min(step + 1, self._slots)
        rows = {f"{agent:06d}": own[:filled].cpu().numpy() for agent, own in enumerate(self._rows)}
        return {"rows": rows, "stage": self._stage.cpu().numpy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on with the rows of a state of as many agents."""
        if len(state["rows"]) != len(self._rows):
            raise ValueError(f"it holds the memory of {len(state['rows'])} agents, not of {len(self._rows)}")
        for agent, own in enumerate(self._rows):
            kept = torch.from_numpy(state["rows"][f"{agent:06d}"])
            own[: len(kept)].copy_(kept)
        self._stage.copy_(torch.from_numpy(state["stage"]))

    def keep(self, agents: Sequence[int]) -> None:
        """Go on with these agents (rising) alone; the memory of the others is given back where that is possible."""
        for place, agent in enumerate(agents):
            if place != agent:
                self._rows[place].copy_(self._rows[agent])
        self._rows = self._rows[: len(agents)]
        self._stage = self._stage[list(agents)]
        self._look()


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
