"""Episodes of control domains played without learning: by trained networks, or by whatever chooses the actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import linear

from aiq.domains.control import ControlDomain, Worlds
from aiq.errors import DomainError
from aiq.training.flat import Weights

Act = Callable[[torch.Tensor], torch.Tensor]
"""From observations (lanes, observations) to actions (lanes,), int64."""

ActInLanes = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""The same, told besides in which lanes (lanes,) an action is taken."""

Choose = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int64]], npt.ArrayLike]
"""Observations (n, F) of the running episodes and their numbers (n,) -> an action each, (n,)."""

LANES = 64
"""Episodes of one that chooses for itself at the same time, at most."""


@dataclass(frozen=True, eq=False)
class Plays:
    """Episodes played in some worlds (lanes), one after another in each.

    Attributes:
        returns: (lanes, episodes), in the units of the domain's bounds; NaN where the world raised.
        lengths: (lanes, episodes), steps.
        observations: (n, observations) float32, every observation on which an action was taken, or None.
        episode: (n,), the episode of each, counted lane by lane: lane * episodes + number; None likewise.
        failures: lane -> one sentence, of worlds that raised.
    """

    returns: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]
    observations: npt.NDArray[np.float32] | None
    episode: npt.NDArray[np.int64] | None
    failures: dict[int, str]


def evaluate(
    domain: ControlDomain,
    act: Act,
    *,
    seeds: Sequence[int],
    episodes: int = 1,
    device: str | torch.device = "cpu",
    observations: bool = False,
) -> Plays:
    """Play whole episodes in worlds of their own, one a seed, each of them ``episodes`` one after another.

    ``act`` sees all lanes at once (lanes whose episode is over are not acted on). With ``observations`` what was seen
    is kept: 100 episodes of a trained agent are the data of the entropy of a control domain (3.1.4).

    Raises:
        TrainingError: nothing to play.
    """
    worlds = domain.measured.worlds(seeds, device=str(device))
    try:
        where = torch.device(device)
        return play_worlds(worlds, lambda seen, _: act(seen), episodes, where, observations=observations)
    finally:
        worlds.close()


def play_worlds(
    worlds: Worlds, act: ActInLanes, episodes: int, device: torch.device, *, observations: bool = False
) -> Plays:
    """Play so many more episodes in every world; see ``evaluate``."""
    totals, lengths, seen, owners = [], [], [], []
    for number in range(episodes):
        total = torch.zeros(worlds.lanes, dtype=torch.float64, device=device)
        length = torch.zeros(worlds.lanes, dtype=torch.int64, device=device)
        for wave in _waves(worlds, device):
            on = _healthy(worlds, wave)
            observation = worlds.reset(on)
            on = _healthy(worlds, on)
            while bool(on.any()):
                if observations:
                    seen.append(observation[on].cpu().numpy())
                    owners.append(torch.nonzero(on).flatten().cpu().numpy() * episodes + number)
                outcome = worlds.step(act(observation, on), on)
                total += outcome.reward
                length += on
                observation = outcome.observation
                on = _healthy(worlds, on & ~(outcome.terminated | outcome.truncated))
        if worlds.failures:
            total[list(worlds.failures)] = torch.nan
        totals.append(total.cpu().numpy())
        lengths.append(length.cpu().numpy())
    return Plays(
        np.stack(totals, 1),
        np.stack(lengths, 1),
        np.concatenate(seen) if observations else None,
        np.concatenate(owners) if observations else None,
        dict(worlds.failures),
    )


def _waves(worlds: Worlds, device: torch.device) -> Iterator[torch.Tensor]:
    """Yield lanes (lanes,) that play at the same time: all, or as many as the worlds allow; each lane once."""
    most = worlds.side_by_side or worlds.lanes
    for first in range(0, worlds.lanes, most):
        wave = torch.zeros(worlds.lanes, dtype=torch.bool, device=device)
        wave[first : first + most] = True
        yield wave


def _healthy(worlds: Worlds, on: torch.Tensor) -> torch.Tensor:
    """Return lanes that are on and whose world has not raised."""
    if not worlds.failures:
        return on
    on = on.clone()
    on[list(worlds.failures)] = False
    return on


def performances(domain: ControlDomain, returns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the performance in [0, 1] of each row's mean return (rows, episodes); NaN where a world raised."""
    return np.array([np.nan if np.isnan(row) else domain.performance(float(row)) for row in returns.mean(1)])


# ---- What chooses for itself ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Episodes:
    """The return and the number of steps of each episode, (episodes,)."""

    returns: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.int64]


def play(domain: ControlDomain, seeds: Sequence[int], choose: Choose) -> Episodes:
    """Play one episode for each seed, as many side by side as the domain allows, at most ``LANES``.

    An episode is a function of its seed and of the actions: it does not depend on which others are played. ``choose``
    is told the numbers of the episodes, counted over all seeds.

    Raises:
        DomainError: the environment raised, or an action lies outside the domain's.
    """
    returns, lengths = np.zeros(len(seeds)), np.zeros(len(seeds), np.int64)
    most = domain.side_by_side or LANES
    for first in range(0, len(seeds), most):
        part = slice(first, first + most)
        worlds = domain.measured.worlds(list(seeds[part]))

        def act(observations: torch.Tensor, on: torch.Tensor, first: int = first) -> torch.Tensor:
            lanes = torch.nonzero(on)[:, 0]
            actions = torch.zeros(len(on), dtype=torch.int64)
            chosen = choose(observations[lanes].numpy(), lanes.numpy() + first)
            actions[lanes] = torch.as_tensor(np.array(chosen, dtype=np.int64))
            return actions

        try:
            plays = play_worlds(worlds, act, 1, torch.device("cpu"))
        finally:
            worlds.close()
        for sentence in plays.failures.values():
            raise DomainError(sentence)
        returns[part], lengths[part] = plays.returns[:, 0], plays.lengths[:, 0]
    return Episodes(returns, lengths)


# ---- A trained network as something that acts ----------------------------------------------------


def greedy(weights: Weights) -> Act:
    """Return the function that chooses the action of the largest value of a dense network's, for (n, observations)."""
    layers = list(zip(weights[::2], weights[1::2], strict=True))

    def act(observations: torch.Tensor) -> torch.Tensor:
        values = observations.to(weights[0].dtype)
        for weight, bias in layers[:-1]:
            values = linear(values, weight, bias).relu_()
        return linear(values, *layers[-1]).argmax(1)

    return act
