"""The verb ``store``: finished trainings that runs share: looked at, added to, cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aiq.cli.options import opened
from aiq.cli.verbs import Answer, Verbs, answers
from aiq.records.table import Display

if TYPE_CHECKING:
    from aiq.storage.store import Store

NAMED = 20  # damaged files that are named on the screen

where = click.option("--store", "folder", metavar="FOLDER", help="the store [default: that of CONFIG, then AIQ_STORE]")


@click.group(cls=Verbs)
def store() -> None:
    """Finished trainings that runs share: a run whose configuration names a store takes them over.

    \b
    Example:
      aiq store show --store ~/aiq-store
    """


@store.command("show")
@click.argument("config", metavar="[CONFIG]", required=False)
@where
@answers
def show(config: str | None, folder: str | None) -> Answer:
    """What a store holds: units and bytes by kind.

    \b
    Example:
      aiq store show --store ~/aiq-store
    """
    from aiq.run.upkeep.sharing import sizes

    here = _store(folder, config)
    kinds = {name: {"units": kind.units, "bytes": kind.size} for name, kind in sizes(here).items()}
    total = {key: sum(kind[key] for kind in kinds.values()) for key in ("units", "bytes")}
    rows = tuple((name, kind["units"], kind["bytes"] / 1e6) for name, kind in {**kinds, "all": total}.items())
    record = {"store": str(here.folder), **total, "kinds": kinds}
    return Answer(record, (Display(str(here.folder), ("kind", "units", "MB"), rows),))


@store.command("audit")
@click.argument("config", metavar="[CONFIG]", required=False)
@where
@click.option("--remove", is_flag=True, help="remove what is damaged")
@answers
def audit(config: str | None, folder: str | None, remove: bool) -> Answer:
    """Read every byte of a store and verify it; exit status 1 when a unit is damaged.

    \b
    Example:
      aiq store audit --store ~/aiq-store
    """
    from aiq.run.upkeep.sharing import damaged

    here = _store(folder, config)
    whole, bad = damaged(here)
    for path in bad if remove else ():
        path.unlink(missing_ok=True)
    paths = [str(path) for path in bad]
    first = f"{whole} units are whole, {len(bad)} are damaged{' and removed' if remove and bad else ''}"
    record = {"store": str(here.folder), "whole": whole, "damaged": paths, "removed": remove}
    return Answer(record, (first, *paths[:NAMED]), 1 if bad and not remove else 0)


@store.command("add")
@click.argument("config", metavar="CONFIG")
@where
@answers
def add(config: str, folder: str | None) -> Answer:
    """Put the finished units of a run into a store that it did not use.

    \b
    Example:
      aiq store add my-suite.yaml --store ~/aiq-store
    """
    from aiq.run.upkeep.sharing import add_run

    here = _store(folder, config)
    added, present = add_run(opened(config), here)
    record = {"store": str(here.folder), "added": added, "known": present}
    return Answer(record, (f"{added} units put into {here.folder}, {present} were there",))


@store.command("clear")
@click.argument("configs", metavar="CONFIG...", nargs=-1)
@where
@click.option(
    "--days", type=click.FloatRange(min=0), default=30.0, show_default=True, help="leave what was taken since then"
)
@click.option("--dry-run", is_flag=True, help="say what would be removed and remove nothing")
@answers
def clear(configs: tuple[str, ...], folder: str | None, days: float, dry_run: bool) -> Answer:
    """Remove units that none of some configurations names and that nobody has put or taken for some days.

    No run hangs on a store: what is removed and wanted again is trained again.

    \b
    Example:
      aiq store clear my-suite.yaml --store ~/aiq-store --dry-run
    """
    from aiq.run.upkeep.sharing import clear as clear_units

    here = _store(folder, configs[0] if configs else None)
    done = clear_units(here, [opened(config) for config in configs], days=days, dry_run=dry_run)
    record = {"store": str(here.folder), "removed": done.removed, "bytes": done.size, "named": done.named}
    record |= {"recent": done.recent, "unfinished": done.unfinished, "dry_run": dry_run}
    lines = [
        f"{done.removed} units ({done.size / 1e6:.1f} MB) {'would be ' if dry_run else ''}removed; "
        f"{done.named} are named, {done.recent} were used in the last {days:g} days"
    ]
    if done.unfinished:
        lines.append(f"{done.unfinished} unfinished files of killed processes removed as well")
    return Answer(record, lines)


def _store(folder: str | None, config: str | None) -> Store:
    """Return the store that is meant."""
    from aiq.config.base import STORE_VARIABLE
    from aiq.run.units import store_of
    from aiq.storage.store import Store

    if folder is not None:
        return Store(folder)
    run: Any = None if config is None else opened(config)
    named = store_of(None if run is None else run.configuration)
    if named is None:
        raise click.UsageError(
            f"no store is named: give --store FOLDER, set {STORE_VARIABLE}, or the key store of a CONFIG"
        )
    return named


COMMANDS = (store,)
