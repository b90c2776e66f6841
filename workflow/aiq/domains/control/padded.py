"""A control domain on common ground: wider observations, more actions (and what they do), the same world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import pad

from aiq import seeding
from aiq.domains.control.base import ControlDomain, Outcome, Worlds
from aiq.domains.control.lane_draws import LaneDraws, uniform
from aiq.records.domains import ControlInterface


def on_ground(domain: ControlDomain, ground: ControlDomain | ControlInterface) -> ControlDomain:
    """Return a domain on the common ground, in the places of its declared space; itself, if it is as wide and has none.

    A domain that was laid in places is as wide as its suite's interface: between mixtures it is passed on as it is.
    """
    places = ground.places if isinstance(ground, ControlInterface) else None
    if places is None and (domain.observations, domain.actions) == (ground.observations, ground.actions):
        return domain
    return PaddedDomain(domain, ground.observations, ground.actions, places)


class PaddedDomain(ControlDomain):
    """A domain whose observations are filled up with zeros and whose further actions do what it declares for them.

    With ``places``, the root of places by declared space, its numbers and the zeros are then permuted.
    """

    def __init__(self, domain: ControlDomain, observations: int, actions: int, places: int | None = None) -> None:
        self._domain, self._root = domain, places
        self.name, self.bounds, self.horizon = domain.name, domain.bounds, domain.horizon
        self.observations, self.actions = observations, actions
        self.training_reward, self.foreign, self.noop = domain.training_reward, domain.foreign, domain.noop
        self.sheet, self.on_gpu, self.space = domain.sheet, domain.on_gpu, domain.space

    @property
    def measured(self) -> ControlDomain:
        """The domain in which a policy is measured, on the same ground."""
        tested = self._domain.measured
        return self if tested is self._domain else PaddedDomain(tested, self.observations, self.actions, self._root)

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> Worlds:
        """Return one world for each seed."""
        foreign = ForeignActions(self._domain, seeds, 0, torch.device(device))
        inner = self._domain.worlds(seeds, device=device)
        return _PaddedWorlds(self._domain, inner, self.observations, foreign, self._order(device))

    def _order(self, device: str) -> torch.Tensor | None:
        """Return which of the numbers, filled up, lies in each place; None where all stay."""
        if self._root is None:
            return None
        space = self.space or (self.name,)
        random = seeding.generator(self._root, "places", *space, self._domain.observations)
        return torch.from_numpy(random.permutation(self.observations)).to(device)

    def performance(self, total: float) -> float:
        """Return the performance that the domain itself gives a return."""
        return self._domain.performance(total)


class _PaddedWorlds(Worlds):
    """Worlds whose observations are padded and whose actions are translated."""

    def __init__(
        self,
        domain: ControlDomain,
        inner: Worlds,
        observations: int,
        foreign: ForeignActions,
        order: torch.Tensor | None = None,
    ) -> None:
        self._inner, self._foreign, self._order = inner, foreign, order
        self._missing = (0, observations - domain.observations)
        self.lanes, self.failures = inner.lanes, inner.failures
        self.side_by_side = inner.side_by_side

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        observation = self._inner.reset(which)
        self.failures = self._inner.failures
        return self._laid(observation)

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        told = self._inner.step(self._foreign.translate(actions, which), which)
        self.failures = self._inner.failures
        return Outcome(told.reward, told.terminated, told.truncated, self._laid(told.observation))

    def _laid(self, observation: torch.Tensor) -> torch.Tensor:
        filled = pad(observation, self._missing)
        return filled if self._order is None else filled[:, self._order]

    def keep(self, lanes: Sequence[int]) -> None:
        self._inner.keep(lanes)
        self._foreign.keep(lanes)
        self.lanes, self.failures = self._inner.lanes, self._inner.failures

    def state(self) -> dict[str, Any]:
        return {"inner": self._inner.state(), "foreign": self._foreign.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._inner.restore(state["inner"])
        self._foreign.restore(state["foreign"])
        self.failures = self._inner.failures

    def close(self) -> None:
        self._inner.close()


# ---- What an action beyond a domain's own does ---------------------------------------------------


class ForeignActions:
    """Translates actions into those of one domain, lane by lane.

    Args:
        domain: it declares what foreign actions do.
        seeds: of the lanes; what a foreign action becomes at random is drawn from a stream of the lane's own.
        place: of the domain in its mixture, which tells the streams of both apart.
        device: of the tensors.
    """

    def __init__(self, domain: ControlDomain, seeds: Sequence[int], place: int, device: torch.device) -> None:
        self._domain, self._device = domain, device
        self._drawn: LaneDraws | None = None
        if domain.foreign == "random":
            generators = [seeding.generator(seed, "foreign actions", place) for seed in seeds]
            self._drawn = LaneDraws(generators, uniform, self._tensor)

    def translate(self, actions: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Return actions (lanes,) as the domain takes them; draws are used up where ``which`` (lanes,) is true."""
        if self._drawn is None:
            return translate(actions, self._domain)
        surplus = actions >= self._domain.actions
        drawn = self._drawn.take(which & surplus)[:, 0]
        return torch.where(surplus, (drawn * self._domain.actions).long(), actions)

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order."""
        if self._drawn is not None:
            self._drawn.keep(lanes, self._tensor(np.asarray(list(lanes), np.int64)))

    def state(self) -> dict[str, Any]:
        """Return where the streams are; nothing where none is drawn from."""
        return {} if self._drawn is None else self._drawn.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; see ``LaneDraws.restore``."""
        if self._drawn is not None:
            self._drawn.restore(state)

    def _tensor(self, array: Any) -> torch.Tensor:
        return torch.from_numpy(np.asarray(array)).to(self._device)


def translate(actions: torch.Tensor, domain: ControlDomain) -> torch.Tensor:
    """Return actions (lanes,) as a domain takes them that draws none at random: those outside its own as declared.

    Raises:
        ValueError: the domain's foreign actions are random; ``ForeignActions`` has the streams for them.
    """
    if domain.foreign == "random":
        raise ValueError(f"foreign actions of {domain.name} are random; they need a stream")
    if domain.foreign == "noop" and domain.noop is not None:
        return actions.masked_fill(actions >= domain.actions, domain.noop)
    own = actions.clamp(max=domain.actions - 1) if domain.foreign == "clamp" else actions % domain.actions
    if domain.order is None:
        return own
    named = torch.tensor(domain.order, device=actions.device).argsort()  # as many outputs do the same as in the test
    return torch.where(actions >= domain.actions, named[own], own)
