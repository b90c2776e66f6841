"""Two control domains mixed: every episode is drawn from the first with a lane's proportion, else from the second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from aiq import seeding
from aiq.domains.base import DataSheet
from aiq.domains.control.base import ControlDomain, LaneDraws, Outcome, Worlds, uniform
from aiq.domains.control.relabelled import ForeignActions
from aiq.errors import DomainError
from aiq.records.domains import ControlInterface


def inner_seeds(seeds: Sequence[int], place: int) -> list[int]:
    """Return the seeds of the lanes' worlds of the first (0) or second (1) domain: unlike in both places."""
    return [seeding.integer(seed, "mixture", place) for seed in seeds]


def earnings(domain: ControlDomain) -> float:
    """Return what can be earned in an episode: the spread of the bounds, or the horizon where every step pays 1."""
    return float(domain.horizon) if domain.training_reward == "tick" else domain.bounds[1] - domain.bounds[0]


def pay_rates(
    first: ControlDomain, second: ControlDomain, interface: ControlInterface | None = None
) -> tuple[float, float]:
    """Return the factors by which a learner's rewards in both domains are multiplied.

    The factors make what can be earned in an episode (``earnings``) as much in one domain as in the other, the
    larger one of both, or as much as in any domain of the suite with its interface; otherwise the domain that pays
    little would hardly be learned. They are (1, 1) for domains that pay alike.
    """
    spreads = (earnings(first), earnings(second))
    most = max(spreads) if interface is None else interface.spread
    return most / spreads[0], most / spreads[1]


class MixedDomain(ControlDomain):
    """The mixture of two domains as a domain to train on (section 2.5.3: each episode's environment is drawn).

    Observations are padded with zeros to the larger of both, the action space is the larger one, an action outside the
    domain of the episode does what that domain declares, and a step pays what a learner is paid (``pay_rates``); bounds
    and horizon are those of the pay. It is the parts whose performance means something.

    Args:
        first: domain of an episode with the lane's proportion as probability.
        second: domain of the other episodes.
        proportions: of each lane, in [0, 1]; there are as many lanes.
        interface: observations, actions and earnings of the whole suite; None takes those of the pair.
    """

    def __init__(
        self,
        first: ControlDomain,
        second: ControlDomain,
        proportions: Sequence[float],
        interface: ControlInterface | None = None,
    ) -> None:
        self.pair, self.proportions, self.interface = (first, second), tuple(proportions), interface
        self.rates = pay_rates(first, second, interface)
        self.name = f"{first.name}+{second.name}"
        self.observations, self.actions = _ground(self.pair, interface)
        self.horizon = max(domain.horizon for domain in self.pair)
        paid = [
            (0.0, rate * domain.horizon)
            if domain.training_reward == "tick"
            else (rate * domain.bounds[0], rate * domain.bounds[1])
            for domain, rate in zip(self.pair, self.rates, strict=True)
        ]
        self.bounds = (min(low for low, _ in paid), max(high for _, high in paid))
        self.training_reward, self.foreign, self.noop = "own", "modulo", None
        self.on_gpu = first.on_gpu and second.on_gpu
        self.sheet = DataSheet(
            description=f"Episodes of {first.name} and {second.name}, drawn one by one",
            source=f"{first.sheet.source}; {second.sheet.source}",
            licence=f"{first.sheet.licence}; {second.sheet.licence}",
            value_range=self.bounds,
            class_names=tuple(f"action {number}" for number in range(self.actions)),
            notes=(f"rewards times {self.rates[0]:g} in {first.name} and times {self.rates[1]:g} in {second.name}",),
        )

    def at(self, proportions: Sequence[float]) -> MixedDomain:
        """Return the mixture with other proportions."""
        return MixedDomain(*self.pair, proportions, self.interface)

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu") -> MixedWorlds:
        """Return one mixed world for each seed; the lane's choices and both of its worlds have streams of their own."""
        if len(self.proportions) != len(seeds):
            raise DomainError(
                f"{len(self.proportions)} proportions are given for {len(seeds)} seeds; one a lane is needed"
            )
        for proportion in self.proportions:
            if not 0 <= proportion <= 1:
                raise DomainError(f"proportion is {proportion}; it must lie in [0, 1]")
        return MixedWorlds(self, seeds, device)


class MixedWorlds(Worlds):
    """Worlds of two domains, of which each lane plays one at a time; a lane fails if either of its worlds does.

    ``in_first`` (lanes,) bool says whether the lane's episode is one of the first domain.
    """

    def __init__(self, mixture: MixedDomain, seeds: Sequence[int], device: str) -> None:
        self.lanes, self.failures = len(seeds), {}
        self.observations, self.actions = mixture.observations, mixture.actions
        self._mixture, self._device = mixture, torch.device(device)
        self._inner = [
            domain.worlds(inner_seeds(seeds, place), device=device) for place, domain in enumerate(mixture.pair)
        ]
        self._proportions = torch.tensor(mixture.proportions, dtype=torch.float64, device=device)
        random = [seeding.generator(seed, "mixture", "choice") for seed in seeds]
        self._drawn = LaneDraws(random, uniform, self._tensor)
        self._foreign = [
            ForeignActions(domain, seeds, place, self._device) for place, domain in enumerate(mixture.pair)
        ]
        self.in_first = torch.zeros(self.lanes, dtype=torch.bool, device=device)
        self._failed = torch.zeros_like(self.in_first)
        self._observed = torch.zeros((self.lanes, self.observations), device=device)

    def reset(self, which: torch.Tensor) -> torch.Tensor:
        """Draw the domain of the next episode and begin it, in the lanes where ``which`` is true."""
        if not bool(which.any()):
            return self._observed.clone()
        drawn = self._drawn.take(which)[:, 0]
        self.in_first = torch.where(which, drawn < self._proportions, self.in_first)
        for worlds, domain, own in zip(self._inner, self._mixture.pair, self._masks(which), strict=True):
            if bool(own.any()):
                width = domain.observations
                begun = worlds.reset(own)
                self._observed[:, :width] = torch.where(own[:, None], begun, self._observed[:, :width])
                self._observed[:, width:].masked_fill_(own[:, None], 0.0)
        self._note_failures()
        return self._observed.clone()

    def step(self, actions: torch.Tensor, which: torch.Tensor) -> Outcome:
        """Take one step in the lanes where ``which`` is true; a world with no such lane is not stepped."""
        foreign = (actions < 0) | (actions >= self.actions)
        if bool(foreign.any()):
            raise DomainError(
                f"action is {int(actions[foreign][0])}; the mixture of {self._mixture.pair[0].name} and "
                f"{self._mixture.pair[1].name} has the actions 0 to {self.actions - 1}"
            )
        live = which & ~self._failed if self.failures else which
        reward = torch.zeros(self.lanes, device=self._device)
        terminated = which & ~live
        truncated = torch.zeros_like(which)
        observed = torch.zeros_like(self._observed)
        for place, own in enumerate(self._masks(live)):
            if bool(own.any()):
                domain, rate = self._mixture.pair[place], self._mixture.rates[place]
                outcome = self._inner[place].step(self._foreign[place].translate(actions, own), own)
                reward += own * rate if domain.training_reward == "tick" else outcome.reward * rate
                terminated = terminated | outcome.terminated
                truncated = truncated | outcome.truncated
                observed[:, : domain.observations] += outcome.observation
        self._observed = torch.where(which[:, None], observed, self._observed)
        if self._note_failures():
            reward = reward.masked_fill(self._failed, 0.0)
        return Outcome(reward, terminated, truncated, observed)

    def keep(self, lanes: Sequence[int]) -> None:
        """Go on with these lanes alone, in this order."""
        order = torch.tensor(list(lanes), dtype=torch.int64, device=self._device)
        for worlds in self._inner:
            worlds.keep(lanes)
        self._drawn.keep(lanes, order)
        for foreign in self._foreign:
            foreign.keep(lanes)
        self._proportions, self.in_first = self._proportions[order], self.in_first[order]
        self._failed, self._observed = self._failed[order], self._observed[order]
        self.failures = {new: self.failures[old] for new, old in enumerate(lanes) if old in self.failures}
        self.lanes = len(lanes)

    def state(self) -> dict[str, Any]:
        """Return where the worlds of both domains are, and which of them every lane plays."""
        return {
            "drawn": self._drawn.state(),
            "foreign": {str(place): foreign.state() for place, foreign in enumerate(self._foreign)},
            "inner": {str(place): worlds.state() for place, worlds in enumerate(self._inner)},
            "in_first": self.in_first.cpu().numpy().copy(),
            "observed": self._observed.cpu().numpy().copy(),
            "failures": {str(lane): sentence for lane, sentence in self.failures.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of the same mixtures."""
        if len(state["in_first"]) != self.lanes:
            raise ValueError(f"it holds {len(state['in_first'])} lanes, not {self.lanes}")
        self._drawn.restore(state["drawn"])
        for place, (foreign, worlds) in enumerate(zip(self._foreign, self._inner, strict=True)):
            foreign.restore(state["foreign"][str(place)])
            worlds.restore(state["inner"][str(place)])
        self.in_first, self._observed = self._tensor(state["in_first"]), self._tensor(state["observed"])
        self.failures = {int(lane): str(sentence) for lane, sentence in state["failures"].items()}
        self._failed = torch.zeros_like(self.in_first)
        self._failed[list(self.failures)] = True

    def close(self) -> None:
        """Close the worlds of both domains."""
        for worlds in self._inner:
            worlds.close()

    def _masks(self, which: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the chosen lanes whose episode is one of the first domain, and of the second."""
        return which & self.in_first, which & ~self.in_first

    def _note_failures(self) -> bool:
        """Take over the failures of both domains' worlds; return whether there are any."""
        for worlds in self._inner:
            for lane, sentence in worlds.failures.items():
                if lane not in self.failures:
                    self.failures[lane] = sentence
                    self._failed[lane] = True
                    self._observed[lane] = 0.0
        return bool(self.failures)

    def _tensor(self, array: Any) -> torch.Tensor:
        return torch.from_numpy(np.asarray(array)).to(self._device)


def _ground(domains: tuple[ControlDomain, ControlDomain], interface: ControlInterface | None) -> tuple[int, int]:
    """Return the numbers in an observation and the actions, of the pair or of its suite."""
    observations = max(domain.observations for domain in domains)
    actions = max(domain.actions for domain in domains)
    if interface is None:
        return observations, actions
    if observations > interface.observations or actions > interface.actions:
        raise DomainError(
            f"{domains[0].name} and {domains[1].name} have {observations} observations and {actions} actions, the "
            f"interface of their suite {interface.observations} and {interface.actions}"
        )
    return interface.observations, interface.actions
