"""A control domain under other names of observations and actions: on common ground with others, or as a twin of itself.

For a dense network a twin is as hard as its test, because permutations of places and of actions permute its initial
weights, which all have the same distribution; what an episode pays and how long it is stay as they are. No action keeps
its name, so a test of two actions has one exchange of names, and its twins differ in the places of observations alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn.functional import pad

from aiq import seeding
from aiq.domains.control.base import ControlDomain, LaneDraws, Outcome, Worlds, uniform
from aiq.domains.labelled.variants import derangement
from aiq.errors import DomainError
from aiq.records.domains import ControlInterface

_FACTS = (
    *("name", "bounds", "horizon", "observations", "actions", "training_reward"),
    *("foreign", "noop", "sheet", "on_gpu", "space"),
)


class RelabelledDomain(ControlDomain):
    """A domain whose episodes are those of another one."""

    def __init__(self, domain: ControlDomain) -> None:
        self._domain = domain
        for fact in _FACTS:
            setattr(self, fact, getattr(domain, fact))

    @abstractmethod
    def _like(self, domain: ControlDomain) -> ControlDomain:
        """Return another domain under the same names."""

    @property
    def measured(self) -> ControlDomain:
        """The domain in which a policy is measured, under the same names."""
        tested = self._domain.measured
        return self if tested is self._domain else self._like(tested)

    def performance(self, total: float) -> float:
        """Return the performance that the domain itself gives a return."""
        return self._domain.performance(total)


class _RelabelledWorlds(Worlds):
    def __init__(self, inner: Worlds) -> None:
        self._inner = inner
        self.lanes, self.failures, self.side_by_side = inner.lanes, inner.failures, inner.side_by_side

    @abstractmethod
    def _shown(self, observation: torch.Tensor) -> torch.Tensor:
        """Return observations of the worlds as they are seen."""

    @abstractmethod
    def _own(self, actions: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """Return actions as the worlds take them."""

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        return self._shown(self._inner.reset(which))

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        outcome = self._inner.step(self._own(actions, which), which)
        return replace(outcome, observation=self._shown(outcome.observation))

    def keep(self, lanes: Sequence[int]) -> None:
        self._inner.keep(lanes)
        self.lanes, self.failures = self._inner.lanes, self._inner.failures

    def state(self) -> dict[str, Any]:
        return self._inner.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        self._inner.restore(state)
        self.failures = self._inner.failures

    def close(self) -> None:
        self._inner.close()


# ---- On common ground ----------------------------------------------------------------------------


def on_ground(domain: ControlDomain, ground: ControlDomain | ControlInterface) -> ControlDomain:
    """Return a domain on the common ground, in the places of its declared space; itself, if it is as wide and has none.

    A domain that was laid in places is as wide as its suite's interface: between mixtures it is passed on as it is.
    """
    places = ground.places if isinstance(ground, ControlInterface) else None
    if places is None and (domain.observations, domain.actions) == (ground.observations, ground.actions):
        return domain
    return PaddedDomain(domain, ground.observations, ground.actions, places)


class PaddedDomain(RelabelledDomain):
    """A domain whose observations are filled up with zeros and whose further actions do what it declares for them.

    With ``places``, the root of places by declared space, its numbers and the zeros are then permuted.
    """

    def __init__(self, domain: ControlDomain, observations: int, actions: int, places: int | None = None) -> None:
        super().__init__(domain)
        self.observations, self.actions, self._root = observations, actions, places

    def _like(self, domain: ControlDomain) -> PaddedDomain:
        return PaddedDomain(domain, self.observations, self.actions, self._root)

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> Worlds:
        """Return one world for each seed."""
        order = None
        if self._root is not None:
            random = seeding.generator(self._root, "places", *(self.space or (self.name,)), self._domain.observations)
            order = torch.from_numpy(random.permutation(self.observations)).to(device)
        inner = self._domain.worlds(seeds, device=device)
        foreign = ForeignActions(self._domain, seeds, 0, torch.device(device))
        return _PaddedWorlds(inner, self.observations - self._domain.observations, foreign, order)


class _PaddedWorlds(_RelabelledWorlds):
    def __init__(self, inner: Worlds, missing: int, foreign: ForeignActions, order: torch.Tensor | None) -> None:
        super().__init__(inner)
        self._missing, self._foreign, self._order = (0, missing), foreign, order

    def _shown(self, observation: torch.Tensor) -> torch.Tensor:
        filled = pad(observation, self._missing)
        return filled if self._order is None else filled[:, self._order]

    def _own(self, actions: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        return self._foreign.translate(actions, which)

    def keep(self, lanes: Sequence[int]) -> None:
        super().keep(lanes)
        self._foreign.keep(lanes)

    def state(self) -> dict[str, Any]:
        return {"inner": self._inner.state(), "foreign": self._foreign.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        super().restore(state["inner"])
        self._foreign.restore(state["foreign"])


# ---- What an action beyond a domain's own does ---------------------------------------------------


class ForeignActions:
    """Translates actions into those of one domain, lane by lane.

    What a foreign action becomes at random is drawn from a stream of the lane's own; ``place``, that of the domain in
    its mixture, tells the streams of both apart.
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
    """Return actions (lanes,) as a domain takes them that draws none at random: those outside its own as declared."""
    if domain.foreign == "random":
        raise ValueError(f"foreign actions of {domain.name} are random; they need a stream")
    if domain.foreign == "noop" and domain.noop is not None:
        return actions.masked_fill(actions >= domain.actions, domain.noop)
    own = actions.clamp(max=domain.actions - 1) if domain.foreign == "clamp" else actions % domain.actions
    if domain.order is None:
        return own
    named = torch.tensor(domain.order, device=actions.device).argsort()  # as many outputs do the same as in the test
    return torch.where(actions >= domain.actions, named[own], own)


# ---- Twins ---------------------------------------------------------------------------------------


class TwinDomain(RelabelledDomain):
    """Twin ``number``, from 1 up, of a test: places of observations and names of actions permuted, all else its own.

    An action beyond its own does what it does in the test, so that as many outputs of a network do the same.

    Raises:
        DomainError: the test has one action.
    """

    def __init__(self, domain: ControlDomain, number: int, root: int, name: str | None = None) -> None:
        super().__init__(domain)
        self.name, self.side_by_side = name or domain.name, domain.side_by_side
        self._number, self._root = number, root
        if domain.actions < 2:
            raise DomainError(f"domain {domain.name} has one action, so there are no names of actions for a twin")
        key: tuple[str | int, ...] = (*(domain.space or (domain.name,)), "twin", number)
        self._places = seeding.generator(root, *key, "places").permutation(domain.observations).tolist()
        self.order = tuple(derangement(domain.actions, root, *key, "actions").tolist())
        self.noop = None if domain.noop is None else self.order.index(domain.noop)
        names = domain.sheet.class_names
        if len(names) == domain.actions:
            names = tuple(names[action] for action in self.order)
        note = f"twin {number}: places of observations and names of actions permuted"
        self.sheet = replace(domain.sheet, notes=(*domain.sheet.notes, note), class_names=names)

    def _like(self, domain: ControlDomain) -> TwinDomain:
        return TwinDomain(domain, self._number, self._root, self.name)

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> Worlds:
        """Return one world for each seed, with what would happen in the test's."""
        names = (torch.tensor(names, device=device) for names in (self._places, self.order))
        return _TwinWorlds(self._domain.worlds(seeds, device=device), *names)


class _TwinWorlds(_RelabelledWorlds):
    def __init__(self, inner: Worlds, places: torch.Tensor, order: torch.Tensor) -> None:
        super().__init__(inner)
        self._places, self._order = places, order

    def _shown(self, observation: torch.Tensor) -> torch.Tensor:
        return observation[:, self._places]

    def _own(self, actions: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        valid = which & (actions >= 0) & (actions < len(self._order))  # others are refused by the test's worlds
        return torch.where(valid, self._order[actions.where(valid, 0)], actions)
