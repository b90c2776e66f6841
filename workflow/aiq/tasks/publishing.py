"""Tables of a run, each with a file that tells what made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from aiq import storage
from aiq.config.base import fingerprint
from aiq.config.layout import Files
from aiq.records.table import Table
from aiq.storage.provenance import write_beside


class Setup(Protocol):
    """A run of any measure: its configuration and its paths."""

    @property
    def configuration(self) -> Any:
        """The checked configuration; it has a seed."""

    @property
    def layout(self) -> Files:
        """Where its files lie."""


def publish(run: Setup, tables: Mapping[str, Table]) -> None:
    """Write tables, and beside each (``tables/provenance``) the configuration, code and host that made it."""
    made_by = fingerprint("configuration", run.configuration)
    for name, table in tables.items():
        storage.write_table(run.layout.table(name), table)
        write_beside(run.layout.provenance(name), run.layout.table(name), made_by, run.configuration.seed)
