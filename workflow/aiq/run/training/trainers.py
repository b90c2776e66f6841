"""What trains: on labelled data or by acting, behind the same two calls, so that tasks need not know the kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aiq import seeding, storage
from aiq.config.dissimilarity import Dissimilarity
from aiq.config.training import Learning, Training
from aiq.domains.base import LabelledDomain
from aiq.domains.control import ControlDomain
from aiq.domains.control.relabelled import TwinDomain, on_ground
from aiq.domains.labelled.variants import Moves, twin_of
from aiq.errors import TrainingError
from aiq.plans.layout import parted
from aiq.plans.run import SuiteRun as Run
from aiq.policies import networks
from aiq.records.domains import ControlInterface
from aiq.records.trial import AloneResult, MixtureResult, Policy, Trial
from aiq.run.job import LOGGER
from aiq.run.training.domains import Ground, prepared, sharing
from aiq.training import reinforcement, supervised
from aiq.training.data import alone, mixed, mixed_on, space_of
from aiq.training.device import Start, Turns, computing, resolve, room, side_by_side, whole

if TYPE_CHECKING:
    from aiq.training.checkpoints import Memory


T = TypeVar("T")
Train = Callable[..., list[Trial]]
TrainPair = Callable[..., list[MixtureResult]]
TrainAlone = Callable[..., list[AloneResult]]


class Learner:
    """What trains: called, it trains at once; ``in_turns`` takes the same training in turns."""

    def __init__(self, run: Run, turns: Callable[..., Turns[Any]]) -> None:
        self._run, self.turns = run, turns

    def __call__(self, *arguments: Any) -> Any:
        """Train and return the results."""
        c = self._run.configuration
        with computing(c.threads, resolve(c.device)):
            return whole(self.turns(*arguments))


def in_turns(learn: Callable[..., T], *arguments: Any) -> Turns[T]:
    """Train in turns; what is no ``Learner`` trains in a single turn."""
    if isinstance(learn, Learner):
        return (yield from learn.turns(*arguments))
    yield 0
    return learn(*arguments)


def together(run: Run) -> Callable[[Mapping[str, Start[T]]], Iterator[tuple[str, T]]]:
    """Return what does trainings in turns, as many at a time as the device has room for, and gives each at its end."""
    c = run.configuration

    def work(starts: Mapping[str, Start[T]]) -> Iterator[tuple[str, T]]:
        device = resolve(c.device)
        with computing(c.threads, device):
            yield from side_by_side(starts, room(device, c.jobs.gpu_memory), device)

    return work


def on_domain(run: Run, domain: str, source: str | Path, interface: Ground | None = None) -> Train:
    """Return what trains on a prepared domain, under its own interface or that of its suite.

    It makes of a chunk of policies, settings, and what names its batch order, a trial each, in their order.
    """
    c = run.configuration
    if c.control:
        return _by_acting(run, domain, source, interface)
    data = alone(storage.read_domain(source, run.plan.domain(domain)), interface)

    def train(
        policies: Sequence[Policy], settings: Learning, order_seed: int, memory: Memory | None = None
    ) -> Turns[list[Trial]]:
        options = {"order_seed": order_seed, "device": resolve(c.device), "memory": memory}
        return supervised.train_chunk_by_turns(data, policies, settings, **options)

    return Learner(run, train)


def on_pairs(run: Run, sources: Mapping[str, str | Path], interface: Ground | None) -> TrainPair:
    """Return what trains on the mixtures of some prepared domains; every domain is read once.

    It makes of a pair of domains and repetitions the results of their mixtures by proportion, then repetition.
    ``interface`` is that of the suite; None trains every pair under one of its own.
    """
    if run.configuration.control:
        return _pairs_by_acting(run, sources, interface)
    return _pairs_on_labels(run, sources, interface)


def on_alone(run: Run, domain: str, source: str | Path, interface: Ground) -> TrainAlone:
    """Return what makes of places (proportion, repetition) a training each on a prepared domain alone."""
    if isinstance(interface, ControlInterface):
        return _alone_by_acting(run, domain, source, interface)
    c, settings, samples = run.configuration, run.configuration.dissimilarity, interface.samples
    data = alone(storage.read_domain(source, run.plan.domain(domain)), interface)

    def train(places: Sequence[tuple[float, int]], memory: Memory | None = None) -> Turns[list[AloneResult]]:
        options = {"samples": samples, "seed": c.seed, "device": resolve(c.device), "memory": memory}
        network = networks.from_network(settings.network)
        return supervised.train_alone_by_turns(data, network, settings.training, places=places, **options)

    return Learner(run, train)


def training_seed(policy: Policy) -> int:
    """Return what names all that is random in a policy's acting and learning: it hangs on its own seed alone."""
    return seeding.integer(policy.seed, "training")


def labelled_training(settings: Learning) -> Training:
    """Return settings of what is trained on labelled domains only, as that."""
    if not isinstance(settings, Training):
        raise TypeError("learners are trained on labelled domains only")
    return settings


def _by_acting(run: Run, domain: str, source: str | Path, interface: Any) -> Train:
    c = run.configuration
    world = prepared(run, domain, source)
    if interface is not None:
        world = on_ground(world, interface)

    def train(
        policies: Sequence[Policy], settings: Learning, order_seed: int, memory: Memory | None = None
    ) -> list[Trial]:
        seeds = [training_seed(policy) for policy in policies]
        options = {"seeds": seeds, "device": c.device, "threads": c.threads, "memory": memory}
        agents = reinforcement.train_agents(world, policies, settings, **options)
        for sentence in dict.fromkeys(agent.failure for agent in agents if agent.failure):
            LOGGER.warning("%s", sentence)
        return [agent.trial for agent in agents]

    return train


def _pairs_on_labels(run: Run, sources: Mapping[str, str | Path], interface: Any) -> TrainPair:
    c, settings = run.configuration, run.configuration.dissimilarity
    domains = {name: storage.read_domain(source, run.plan.domain(name)) for name, source in sources.items()}
    moves: Moves = "pixels" if settings.network.family == "dense" else "picture"

    def met(name: str) -> LabelledDomain:
        domain, number = parted(name)
        if not number:
            return domains[name]
        made = twin_of(domains[domain], number, c.seed, "domain", domains[domain].label_space, moves=moves)
        return replace(made, name=name)

    def train(a: str, b: str, repetitions: Sequence[int], memory: Memory | None = None) -> Turns[list[MixtureResult]]:
        first, second = met(a), met(b)
        _check_space(settings, (first.name, space_of(first)), (second.name, space_of(second)))
        if interface is None:
            data = mixed(first, second, sharing=sharing(settings))
        else:
            data = mixed_on(interface, first, second, sharing(settings))
        samples = settings.samples if interface is None else interface.samples
        options = {"samples": samples, "seed": c.seed, "device": resolve(c.device), "memory": memory}
        options |= {"proportions": settings.trained_points, "repetitions": repetitions}
        network = networks.from_network(settings.network)
        return supervised.train_mixtures_by_turns(data, network, settings.training, **options)

    return Learner(run, train)


def _check_space(settings: Dissimilarity, first: tuple[str, Any], second: tuple[str, Any]) -> None:
    """Refuse tests of different spaces where a pair is to be compared with both tests' own twins."""
    if settings.twins_of == "tests" and settings.places and first[1] != second[1]:
        raise TrainingError(
            f"dissimilarity.twins_of is tests, which is for inputs of one space, but {first[0]} has "
            f"{' '.join(map(str, first[1]))} and {second[0]} {' '.join(map(str, second[1]))}; set it to pairs"
        )


def _pairs_by_acting(run: Run, sources: Mapping[str, str | Path], interface: Any) -> TrainPair:
    c, settings = run.configuration, run.configuration.dissimilarity
    domains = {name: prepared(run, name, source) for name, source in sources.items()}

    def met(name: str) -> ControlDomain:
        domain, number = parted(name)
        made = TwinDomain(domains[domain], number, c.seed, name) if number else domains[domain]
        return made if interface is None or interface.places is None else on_ground(made, interface)

    def train(a: str, b: str, repetitions: Sequence[int], memory: Memory | None = None) -> list[MixtureResult]:
        first, second = met(a), met(b)
        _check_space(settings, (first.name, first.space), (second.name, second.space))
        options = {"interface": interface, "seed": c.seed, "device": c.device, "threads": c.threads, "memory": memory}
        options |= {"proportions": settings.trained_points, "repetitions": repetitions}
        network = networks.from_network(settings.network)
        return reinforcement.train_mixtures(first, second, network, settings.training, **options)

    return train


def _alone_by_acting(run: Run, domain: str, source: str | Path, interface: ControlInterface) -> TrainAlone:
    c, settings = run.configuration, run.configuration.dissimilarity
    world = prepared(run, domain, source)
    if interface.places is not None:
        world = on_ground(world, interface)

    def train(places: Sequence[tuple[float, int]], memory: Memory | None = None) -> list[AloneResult]:
        options = {"interface": interface, "seed": c.seed, "device": c.device, "threads": c.threads, "memory": memory}
        network = networks.from_network(settings.network)
        return reinforcement.train_alone(world, network, settings.training, places=places, **options)

    return train
