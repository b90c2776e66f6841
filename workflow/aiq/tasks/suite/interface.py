"""The interface of a suite: what all its mixtures and domains alone have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aiq import storage
from aiq.config.measures import Dissimilarity
from aiq.errors import TrainingError
from aiq.plans.run import SuiteRun as Run
from aiq.records.interface import ControlInterface, Interface
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.suite.control_domains import prepared
from aiq.training.data import Sharing
from aiq.training.interface import control_interface, suite_interface


def sharing(settings: Dissimilarity) -> Sharing:
    """Return whether data sets have outputs of their own."""
    return "shared" if settings.labels == "shared" else "apart"


def measure_interface(run: Run, sources: Sequence[str | Path], target: str | Path) -> None:
    """Find the interface from all prepared domains, in the order of the configuration, and write it.

    Raises:
        TrainingError: a stated interface is too small for a domain of the suite.
    """
    c, plan = run.configuration, run.plan
    found: Interface | ControlInterface
    if c.control:
        found = control_interface(prepared(run, name, path) for name, path in zip(c.domains, sources, strict=True))
        words = f"{found.observations} observations, {found.actions} actions, {found.spread:g} to earn in an episode"
    else:
        domains = (storage.read_domain(path, plan.domain(n)) for n, path in zip(c.domains, sources, strict=True))
        found = _with_room(suite_interface(domains, c.pool.outputs, **_how(c.dissimilarity)), c.dissimilarity)
        words = f"samples of shape {found.shape}, {found.outputs} outputs, {found.samples} samples a mixture"
    storage.write_result(target, "interface", found, plan.ends.common, c.seed)
    LOGGER.info("all mixtures have %s", words)


def _how(settings: Dissimilarity) -> dict[str, object]:
    """Return how the interface is found."""
    return {"sharing": sharing(settings), "samples": settings.samples}


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
    """Return the interface that the settings state."""
    room = settings.interface
    if room is None:
        raise ValueError("no interface is stated")
    return Interface(tuple(room.shape), None if room.picture is None else tuple(room.picture), room.outputs, samples)


def labelled_interface(run: Run) -> Interface | None:
    """Return the interface of a suite of labelled domains, as stated or as found; None where ends are pairs'.

    Raises:
        StorageError: it was not found yet, or for another suite.
    """
    plan, settings = run.plan, run.configuration.dissimilarity
    if not plan.ends.shared:
        return None
    if not plan.ends.measured and settings.samples is not None:
        return _stated(settings, settings.samples)
    return storage.read_result(run.layout.interface, "interface", Interface, plan.ends.common)


def played_interface(run: Run) -> ControlInterface | None:
    """Return the interface of a suite of control domains; None where ends are pairs'.

    Raises:
        StorageError: as for labelled domains.
    """
    if not run.plan.ends.shared:
        return None
    return storage.read_result(run.layout.interface, "interface", ControlInterface, run.plan.ends.common)


def interface_words(run: Run) -> list[object] | None:
    """Return the interface in plain form, on which units hang; None where ends are pairs'."""
    found = played_interface(run) if run.configuration.control else labelled_interface(run)
    return None if found is None else list(found.words)
