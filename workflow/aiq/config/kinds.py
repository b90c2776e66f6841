"""A suite is all labelled or all control, and its trainings, networks and agents are of the same kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiq.config.training import Reinforcement
from aiq.domains.control.settings import Control
from aiq.errors import did_you_mean

Suite = Any
"""The configuration of a suite, which is checked by what stands here."""


def is_control(configuration: Suite) -> bool:
    """Return whether the domains of a suite are played (control) rather than labelled."""
    return isinstance(next(iter(configuration.domains.values())), Control)


def is_numeric(configuration: Suite) -> bool:
    """Return whether numbers are learned in a suite (regression) rather than classes."""
    return bool(getattr(next(iter(configuration.domains.values())), "numeric", False))


def check_kind(configuration: Suite) -> None:
    """Refuse a suite of both kinds, and settings that do not fit its kind."""
    played = [name for name, settings in configuration.domains.items() if isinstance(settings, Control)]
    others = [name for name in configuration.domains if name not in played]
    if played and others:
        raise ValueError(
            f"domain {played[0]!r} is played and domain {others[0]!r} is labelled, a suite is all of one kind: "
            "take source: recorded for a control problem among labelled domains, or source: answered for labelled data "
            "among played ones"
        )
    check_device(configuration.device, configuration.domains)
    _check_trainings(configuration, control=bool(played))
    if played:
        _check_control(configuration)
    else:
        _check_labelled(configuration)
        _check_targets(configuration)


def check_device(device: str, domains: Mapping[str, object]) -> None:
    """Refuse a GPU where worlds are simulated on the processor: at every step one would wait for the other.

    Raises:
        ValueError: one sentence about the first such domain.
    """
    for name, settings in domains.items():
        if device != "cpu" and isinstance(settings, Control) and not settings.on_gpu:
            source = getattr(settings, "source", "control")
            raise ValueError(
                f"device is {device!r}, but domain {name!r} (source: {source}) is simulated on the processor, one "
                "world after the other, and a GPU would wait for it at every step: take device: cpu"
            )


def _check_trainings(configuration: Suite, *, control: bool) -> None:
    c = configuration
    trainings = {"training": c.training, "dissimilarity.training": c.dissimilarity.training}
    if c.agents.training is not None:
        trainings["agents.training"] = c.agents.training
    for place, settings in trainings.items():
        if isinstance(settings, Reinforcement) == control:
            continue
        if control:
            raise ValueError(
                f"{place} is for labelled data, but the domains are played: give algorithm: dqn, steps and optimizer"
            )
        raise ValueError(
            f"{place} has the algorithm {settings.algorithm!r}, but the domains are labelled: "
            "give epochs, batch_size and optimizer"
        )


def _check_control(configuration: Suite) -> None:
    """Control domains observe vectors and have no samples; a baseline is trained on domains of the suite."""
    c = configuration
    if c.pool.learners is not None:
        raise ValueError("pool.learners learn labelled data, but the domains are played: leave it out")
    families = {"pool": c.pool.family, "dissimilarity.network": c.dissimilarity.network.family}
    families |= {f"agent {agent.name}": agent.family for agent in c.agents.networks}
    if c.baseline is not None:
        families["baseline.network"] = c.baseline.network.family
    for place, family in families.items():
        if family != "dense":
            raise ValueError(f"{place} is {family}, but control domains are observed as vectors: take family: dense")
    if c.dissimilarity.samples is not None:
        raise ValueError(
            f"dissimilarity.samples is {c.dissimilarity.samples}, but control domains have no samples: "
            "leave it out, dissimilarity.training.steps says how long is trained"
        )
    if c.dissimilarity.labels != "apart":
        raise ValueError(
            f"dissimilarity.labels is {c.dissimilarity.labels!r}, but control domains have no labels: leave it out"
        )
    _check_controls(c)
    trained_on = None if c.baseline is None else c.baseline.trained_on
    if trained_on is not None and trained_on not in c.domains:
        hint = did_you_mean(trained_on, c.domains)
        raise ValueError(f"baseline.trained_on is {trained_on!r}, which is no domain of the suite{hint}")


def _check_controls(configuration: Suite) -> None:
    """The shortest training of a control domain alone still learns."""
    settings = configuration.dissimilarity
    if not settings.controls or not isinstance(settings.training, Reinforcement):
        return
    steps = round(settings.shares[0] * settings.training.steps)
    if steps <= settings.training.learning_starts:
        raise ValueError(
            f"with dissimilarity.controls the shortest training has {steps} steps, but learning starts after "
            f"{settings.training.learning_starts}: give more steps or set controls to false"
        )


def _check_targets(configuration: Suite) -> None:
    """All domains learn classes, or all learn numbers; a network of numbers has one output and is told nothing."""
    c = configuration
    numbers = [name for name, settings in c.domains.items() if getattr(settings, "numeric", False)]
    others = [name for name in c.domains if name not in numbers]
    if numbers and others:
        raise ValueError(
            f"in domain {numbers[0]!r} a number is learned and in domain {others[0]!r} a class, a suite is all of one "
            "kind: a mixture of both would weigh two losses without a common scale; measure them in two suites"
        )
    if numbers and c.dissimilarity.labels != "apart":
        raise ValueError(
            f"dissimilarity.labels is {c.dissimilarity.labels!r}, but numbers are learned, which have no labels: "
            "leave it out"
        )


def _check_labelled(configuration: Suite) -> None:
    """Nobody plays labelled data; agents made elsewhere learn them; tests meet their twins on the same outputs."""
    settings = configuration.dissimilarity
    if settings.twins and settings.labels != "shared" and not is_numeric(configuration):
        raise ValueError(
            f"dissimilarity.twins is {settings.twins}, which compares tests on the same outputs, but labels is "
            f"{settings.labels!r}: set dissimilarity.labels to shared"
        )
    if configuration.baseline is not None:
        raise ValueError("baseline is for control domains, but the domains are labelled: leave it out")
    for agent in configuration.agents.outside:
        if agent.episodes != type(agent).model_fields["episodes"].default:
            raise ValueError(
                f"agent {agent.name!r} has episodes, which is for control domains, but the domains are labelled: "
                "leave it out, the agent learns the training split and is measured on the test split"
            )
