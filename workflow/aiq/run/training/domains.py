"""Prepare domains; the interface of a suite: what all its mixtures and domains alone have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aiq import domains, seeding, storage
from aiq.config.dissimilarity import Dissimilarity
from aiq.domains.control import ControlDomain
from aiq.errors import StorageError, redo_command
from aiq.plans.run import AnyRun, SuiteRun
from aiq.records.domains import ControlFacts, ControlInterface, Interface
from aiq.run.job import LOGGER

if TYPE_CHECKING:
    from aiq.training.data import Sharing

Ground = Interface | ControlInterface
G = TypeVar("G", Interface, ControlInterface)


def prepare_domain(run: AnyRun, domain: str, target: str | Path) -> None:
    """Read one domain from its source, make its variant, write it with its data sheet; or build a control domain."""
    c = run.configuration
    if c.control:
        built = _built(run, domain)
        facts = _facts(built)
        storage.write_control_domain(target, facts, built.sheet, run.plan.domain(domain), c.seed)
        LOGGER.info("%s: %d observations, %d actions", domain, facts.observations, facts.actions)
        return
    loaded = domains.load(domain, c.domains[domain], root_seed=c.seed, data_root=c.data_root, download=c.download)
    storage.write_domain(target, loaded, run.plan.domain(domain), c.seed)
    LOGGER.info("%s: %d training and %d test samples", domain, len(loaded.train_y), len(loaded.test_y))


def prepared(run: AnyRun, domain: str, source: str | Path) -> ControlDomain:
    """Return a prepared control domain, ready to be played.

    Raises:
        StorageError: it was not prepared, or by software in which it was another domain, or from other data.
    """
    facts, sheet = storage.read_control_domain(source, run.plan.domain(domain))
    built = _built(run, domain)
    if _facts(built) != facts:
        raise StorageError(
            f"domain {domain} was prepared with other sizes, bounds or rules than it has in the software "
            f"installed now; delete {source}, then: {redo_command()}"
        )
    if built.sheet.checksums != sheet.checksums:
        raise StorageError(
            f"domain {domain} was prepared from other data than it is read from now; delete {source}, then: "
            f"{redo_command()}"
        )
    return built


def _built(run: AnyRun, domain: str) -> ControlDomain:
    c = run.configuration
    place = {name: getattr(c, name) for name in ("data_root", "download") if hasattr(c, name)}
    return domains.control_domain(domain, c.domains[domain], root_seed=c.seed, **place)


def _facts(domain: ControlDomain) -> ControlFacts:
    return ControlFacts(**{field.name: getattr(domain, field.name) for field in fields(ControlFacts)})


def episode_seeds(root: int, domain: str, numbers: Iterable[int]) -> list[int]:
    """Return the seeds of numbered episodes of a domain: the same for whoever plays them."""
    return [seeding.integer(root, "play", domain, number) for number in numbers]


# ---- The interface of a suite --------------------------------------------------------------------


def measure_interface(run: SuiteRun, sources: Sequence[str | Path], target: str | Path) -> None:
    """Find the interface from all prepared domains, in the order of the configuration, and write it."""
    c, plan = run.configuration, run.plan
    paths = zip(c.domains, sources, strict=True)
    if c.control:
        ground = found_interface(run, (prepared(run, name, path) for name, path in paths))
    else:
        ground = found_interface(run, (storage.read_domain(path, plan.domain(name)) for name, path in paths))
    storage.write_result(target, "interface", ground, plan.ends.common, c.seed)
    LOGGER.info("the suite has %s", _words(ground))


def found_interface(run: SuiteRun, domains: Iterable[Any]) -> Ground:
    """Return the interface of prepared domains, labelled or control; they are read one after another."""
    from aiq.training.data import control_interface, suite_interface  # only here: preparing needs no torch

    settings = run.configuration.dissimilarity
    if run.configuration.control:
        return _in_places(run, control_interface(domains))
    return _in_places(run, suite_interface(domains, sharing=sharing(settings), samples=settings.samples))


def sharing(settings: Dissimilarity) -> Sharing:
    """Return whether data sets have outputs of their own."""
    return "shared" if settings.labels == "shared" else "apart"


def _in_places(run: SuiteRun, ground: G) -> G:
    """Return an interface with places for every declared space of inputs, where tests meet their twins."""
    return replace(ground, places=run.configuration.seed) if run.configuration.dissimilarity.places else ground


def _words(ground: Ground) -> str:
    if isinstance(ground, ControlInterface):
        return f"{ground.observations} observations, {ground.actions} actions, {ground.spread:g} to earn in an episode"
    return f"samples of shape {ground.shape}, {ground.outputs} outputs, {ground.samples} samples a mixture"


def read_interface(run: SuiteRun, *, pool: bool = False) -> Ground | None:
    """Return the interface of a suite's mixtures; None where ends are pairs'.

    That under which the ``pool`` is trained is the same; None where every domain has its own.
    """
    plan = run.plan
    if not (plan.ends.pooled if pool else plan.ends.shared):
        return None
    kind = ControlInterface if run.configuration.control else Interface
    return storage.read_result(run.layout.interface, "interface", kind, plan.ends.common)
