"""The interface of a suite: what all its mixtures and domains alone have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from aiq import storage
from aiq.config.dissimilarity import Dissimilarity
from aiq.errors import TrainingError
from aiq.plans.run import SuiteRun as Run
from aiq.records.domains import ControlInterface, Interface
from aiq.run.job import LOGGER
from aiq.run.training.domains import prepared
from aiq.training.data import Sharing
from aiq.training.interface import control_interface, suite_interface

Ground = Interface | ControlInterface
G = TypeVar("G", Interface, ControlInterface)


def sharing(settings: Dissimilarity) -> Sharing:
    """Return whether data sets have outputs of their own."""
    return "shared" if settings.labels == "shared" else "apart"


def measure_interface(run: Run, sources: Sequence[str | Path], target: str | Path) -> None:
    """Find the interface from all prepared domains, in the order of the configuration, and write it.

    Raises:
        TrainingError: a stated interface is too small for a domain of the suite.
    """
    c, plan = run.configuration, run.plan
    paths = zip(c.domains, sources, strict=True)
    if c.control:
        ground = found_interface(run, (prepared(run, name, path) for name, path in paths))
    else:
        ground = found_interface(run, (storage.read_domain(path, plan.domain(name)) for name, path in paths))
    storage.write_result(target, "interface", ground, plan.ends.common, c.seed)
    LOGGER.info("the suite has %s", _words(ground))


def found_interface(run: Run, domains: Iterable[Any]) -> Ground:
    """Return the interface of prepared domains, labelled or control; they are read one after another."""
    settings = run.configuration.dissimilarity
    if run.configuration.control:
        return _in_places(run, control_interface(domains))
    outputs = run.configuration.pool.outputs
    needed = suite_interface(domains, outputs, sharing=sharing(settings), samples=settings.samples)
    return _in_places(run, _with_room(needed, settings))


def _in_places(run: Run, ground: G) -> G:
    """Return an interface with places for every declared space of inputs, where tests meet their twins."""
    return replace(ground, places=run.configuration.seed) if run.configuration.dissimilarity.places else ground


def _words(ground: Ground) -> str:
    if isinstance(ground, ControlInterface):
        return f"{ground.observations} observations, {ground.actions} actions, {ground.spread:g} to earn in an episode"
    return f"samples of shape {ground.shape}, {ground.outputs} outputs, {ground.samples} samples a mixture"


def _with_room(needed: Interface, settings: Dissimilarity) -> Interface:
    """Return the interface with the stated shape and outputs, if they are stated."""
    room = settings.interface
    if room is None:
        return needed
    stated = _stated(settings, needed.samples)
    picture = stated.picture or (stated.shape if len(stated.shape) == 3 else None)
    pictures = needed.picture or (needed.shape if len(needed.shape) == 3 else None)
    fits = needed.outputs <= stated.outputs and len(needed.shape) >= len(stated.shape)
    if len(needed.shape) == len(stated.shape):
        fits = fits and all(own <= given for own, given in zip(needed.shape, stated.shape, strict=True))
    if pictures is not None:
        fits = fits and picture is not None and all(own <= given for own, given in zip(pictures, picture, strict=True))
    if not fits:
        raise TrainingError(
            f"dissimilarity.interface states shape {room.shape}, picture {room.picture} and {room.outputs} outputs, "
            f"but the suite needs shape {list(needed.shape)}, picture {pictures and list(pictures)} and "
            f"{needed.outputs} outputs; state at least these"
        )
    return stated


def _stated(settings: Dissimilarity, samples: int) -> Interface:
    room = settings.interface
    if room is None:
        raise ValueError("no interface is stated")
    return Interface(tuple(room.shape), None if room.picture is None else tuple(room.picture), room.outputs, samples)


def read_interface(run: Run) -> Ground | None:
    """Return the interface of a suite's mixtures, as stated or as found; None where ends are pairs'."""
    return _read(run) if run.plan.ends.shared else None


def pool_interface(run: Run) -> Ground | None:
    """Return the interface under which the pool is trained; None where every domain has its own."""
    return _read(run) if run.plan.ends.pooled else None


def _read(run: Run) -> Ground:
    plan, settings = run.plan, run.configuration.dissimilarity
    if not plan.ends.measured and settings.samples is not None:
        return _in_places(run, _stated(settings, settings.samples))
    kind = ControlInterface if run.configuration.control else Interface
    return storage.read_result(run.layout.interface, "interface", kind, plan.ends.common)
