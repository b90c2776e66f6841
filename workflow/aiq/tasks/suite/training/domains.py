"""Prepare domains."""

from __future__ import annotations

from pathlib import Path

from aiq import domains, storage
from aiq.plans.run import AnyRun as Run
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.suite.training.control_domains import prepare_control


def prepare_domain(run: Run, domain: str, target: str | Path) -> None:
    """Read one domain from its source, make its variant, write it with its data sheet; or build a control domain."""
    c = run.configuration
    if c.control:
        prepare_control(run, domain, target)
        return
    loaded = domains.load(domain, c.domains[domain], root_seed=c.seed, data_root=c.data_root, download=c.download)
    storage.write_domain(target, loaded, run.plan.domain(domain), c.seed)
    LOGGER.info("%s: %d training and %d test samples", domain, len(loaded.train_y), len(loaded.test_y))
