"""Prepare domains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from aiq import domains, seeding, storage
from aiq.domains.control import ControlDomain
from aiq.errors import StorageError, redo_command
from aiq.plans.run import AnyRun as Run
from aiq.records.domains import ControlFacts
from aiq.run.job import LOGGER


def prepared(run: Run, domain: str, source: str | Path) -> ControlDomain:
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


def _built(run: Run, domain: str) -> ControlDomain:
    c = run.configuration
    place = {name: getattr(c, name) for name in ("data_root", "download") if hasattr(c, name)}
    return domains.control_domain(domain, c.domains[domain], root_seed=c.seed, **place)


def _facts(domain: ControlDomain) -> ControlFacts:
    return ControlFacts(**{field.name: getattr(domain, field.name) for field in fields(ControlFacts)})


def episode_seeds(root: int, domain: str, numbers: Iterable[int]) -> list[int]:
    """Return the seeds of numbered episodes of a domain: the same for whoever plays them."""
    return [seeding.integer(root, "play", domain, number) for number in numbers]


def prepare_domain(run: Run, domain: str, target: str | Path) -> None:
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
