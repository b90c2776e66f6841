"""Play episodes of a control domain with whatever chooses the actions; nothing is learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from aiq.domains.control import ControlDomain, Worlds
from aiq.errors import DomainError

Choose = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int64]], npt.ArrayLike]
"""Observations (n, F) of the running episodes and their numbers (n,) -> an action each, (n,)."""

LANES = 64


@dataclass(frozen=True, eq=False)
class Episodes:
    """What was played: the return and the number of steps of each episode, and what was seen.

    Attributes:
        returns: (episodes,).
        lengths: (episodes,).
        observations: for each episode (steps, F), the observations on which the agent acted; empty if not asked for.
    """

    returns: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    observations: tuple[npt.NDArray[np.float32], ...] = ()


def play(domain: ControlDomain, seeds: Sequence[int], choose: Choose, *, record: bool = False) -> Episodes:
    """Play one episode for each seed, as many side by side as the domain allows, at most ``LANES``.

    An episode is a function of its seed and of the actions: it does not depend on which others are played.

    Args:
        domain: the domain.
        seeds: one seed an episode.
        choose: chooses the actions; it is told the numbers of the episodes, counted over all seeds.
        record: keep the observations.

    Raises:
        DomainError: the environment raised, or an action lies outside the domain's.
    """
    returns, lengths = np.zeros(len(seeds)), np.zeros(len(seeds), np.int64)
    seen: list[list[npt.NDArray[np.float32]]] = [[] for _ in seeds]
    most = domain.side_by_side or LANES
    for first in range(0, len(seeds), most):
        worlds = domain.measured.worlds(list(seeds[first : first + most]))
        try:
            _play(worlds, first, choose, returns, lengths, seen if record else None)
        finally:
            worlds.close()
    return Episodes(returns, lengths, tuple(np.array(rows) for rows in seen) if record else ())


def _play(
    worlds: Worlds,
    first: int,
    choose: Choose,
    returns: npt.NDArray[np.float64],
    lengths: npt.NDArray[np.int64],
    seen: list[list[npt.NDArray[np.float32]]] | None,
) -> None:
    """Play the worlds to their ends; what they gave is added to the rows from ``first`` on."""
    running = torch.ones(worlds.lanes, dtype=torch.bool)
    observation = worlds.reset(running)
    while True:
        _check(worlds)
        lanes = torch.nonzero(running)[:, 0]
        if not len(lanes):
            return
        now = observation[lanes].numpy()
        numbers = lanes.numpy() + first
        if seen is not None:
            for number, row in zip(numbers, now, strict=True):
                seen[number].append(row.copy())
        actions = torch.zeros(worlds.lanes, dtype=torch.int64)
        actions[lanes] = torch.as_tensor(np.array(choose(now, numbers), dtype=np.int64))
        outcome = worlds.step(actions, running)
        returns[numbers] += outcome.reward[lanes].double().numpy()
        lengths[numbers] += 1
        observation = outcome.observation
        running = running & ~(outcome.terminated | outcome.truncated)


def _check(worlds: Worlds) -> None:
    """Refuse worlds that raised."""
    for sentence in worlds.failures.values():
        raise DomainError(sentence)
