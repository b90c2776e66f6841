"""One architecture trained from scratch on mixtures of two control domains, at every proportion and repetition.

A control domain on the common ground of a mixture: wider observations, more actions, the same world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import pad

from aiq import seeding
from aiq.config.reinforcement import Reinforcement
from aiq.domains.control import ControlDomain, Outcome, Worlds
from aiq.domains.control.foreign import ForeignActions
from aiq.domains.control.mixed_worlds import MixedDomain, mixed
from aiq.errors import TrainingError
from aiq.policies import size
from aiq.policies.networks import initial_weights
from aiq.policies.size import weight_shapes
from aiq.records.interface import ControlInterface
from aiq.records.trial import Architecture, MixtureResult
from aiq.training.checkpoints import Memory
from aiq.training.device import computing
from aiq.training.reinforcement.chunks import resolved, train_members
from aiq.training.reinforcement.learner import world_seed
from aiq.training.reinforcement.population import Member, Trained
from aiq.training.stopping import Report

# ---- A control domain on the common ground of a mixture ------------------------------------------


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

    def worlds(self, seeds: Sequence[int], *, device: str = "cpu", dtype: torch.dtype | None = None) -> Worlds:
        """Return one world for each seed."""
        foreign = ForeignActions(self._domain, seeds, 0, torch.device(device))
        inner = self._domain.worlds(seeds, device=device, dtype=dtype)
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
        """Return observations (lanes, n) filled up, in their places."""
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


# ---- One architecture trained from scratch on mixtures of two control domains, at every ----------


def train_mixtures(
    first: ControlDomain,
    second: ControlDomain,
    architecture: Architecture,
    settings: Reinforcement,
    *,
    proportions: Sequence[float],
    repetitions: Sequence[int],
    seed: int,
    interface: ControlInterface | None = None,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[MixtureResult]:
    """Train one network for each proportion and repetition by deep Q-learning (Eqs. 7 to 9; 2.5.3).

    The domain of every training episode is drawn: the first with the proportion as probability, else the second.
    The best checkpoint, by the expected performance p V_a + (1 - p) V_b of the periodic evaluations, is measured on
    fresh episodes of both domains. Every training has streams and initial weights of its own, keyed by both domains'
    names, the repetition and the proportion: a result does not depend on what else is trained in the same call.

    Args:
        first: drawn with the proportion as probability.
        second: the other one; the same for the noise floor.
        architecture: the network, of the dense family.
        settings: of the training; steps, memory and episodes are those of one training.
        proportions: in [0, 1].
        repetitions: numbers of the repetitions.
        seed: the root seed.
        interface: observations, actions and earnings of the whole suite; None takes those of the pair.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1].
        memory: keeps the state of the training, so that an interrupted one goes on.

    Returns:
        Results by proportion, then repetition, in the order given; NaN where a training diverged or failed.

    Raises:
        TrainingError: nothing to train, a proportion outside [0, 1], or a convolutional architecture.
    """
    where = resolved(device, first, second)
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    if not places:
        raise TrainingError("a mixture needs at least one proportion and one repetition, none was given")
    if any(not 0 <= p <= 1 for p, _ in places):
        raise TrainingError(f"proportions {list(proportions)} must lie in [0, 1]")
    ground = MixedDomain(first, second, [p for p, _ in places], interface)
    shape = (ground.observations,)
    weight_shapes(architecture, shape, ground.actions)

    def member(proportion: float, repetition: int) -> Member:
        key = (first.name, second.name, repetition, f"{proportion:.12g}")
        started = seeding.integer(seed, "weights", *key)
        weights = [w.to(where) for w in initial_weights(architecture, shape, ground.actions, started, dtype)]
        return Member(architecture, weights, seeding.integer(seed, "mixture", *key), (proportion, 1 - proportion))

    def worlds(chosen: Sequence[Member]) -> Worlds:
        shares, seeds = [m.shares[0] for m in chosen], [world_seed(m.seed) for m in chosen]
        return mixed(first, second, shares, seeds, interface=interface, device=device)

    tests = [on_ground(domain, ground) for domain in (first, second)]
    members = [member(p, r) for p, r in places]
    with computing(threads, where):
        found = train_members(members, ground, worlds, tests, settings, progress, memory)
    parameters = size.parameters(architecture, shape, ground.actions)
    return [_result(place, trained, parameters) for place, trained in zip(places, found, strict=True)]


def on_ground(domain: ControlDomain, ground: ControlDomain | ControlInterface) -> ControlDomain:
    """Return a domain on the common ground, in the places of its declared space; itself, if it is as wide and has none.

    A domain that was laid in places is as wide as its suite's interface: between mixtures it is passed on as it is.
    """
    places = ground.places if isinstance(ground, ControlInterface) else None
    if places is None and (domain.observations, domain.actions) == (ground.observations, ground.actions):
        return domain
    return PaddedDomain(domain, ground.observations, ground.actions, places)


def _result(place: tuple[float, int], trained: Trained, parameters: int) -> MixtureResult:
    """Return the record of a mixture (proportion, repetition)."""
    if trained.curve.status is None:
        raise ValueError("a mixture was recorded before its training ended")
    return MixtureResult(*place, *trained.performances, parameters, trained.curve.seconds, trained.curve.status)
