"""Tables of a run, each with a file that tells what made it."""

from __future__ import annotations

from collections.abc import Mapping

from aiq import storage
from aiq.config.base import fingerprint
from aiq.plans.run import AnyRun
from aiq.records.table import Table
from aiq.storage.provenance import write_beside


def publish(run: AnyRun, tables: Mapping[str, Table]) -> None:
    """Write tables, and beside each (``tables/provenance``) the configuration, code and host that made it."""
    versions = run.plan.versions()
    made_by = fingerprint("configuration", run.configuration)
    for name, table in tables.items():
        storage.write_table(run.layout.table(name), table)
        write_beside(run.layout.provenance(name), run.layout.table(name), made_by, run.configuration.seed, versions)
