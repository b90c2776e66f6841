"""The verb ``store``: finished trainings that runs share: looked at, added to, cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from aiq.cli.output import emit_json, emit_table

if TYPE_CHECKING:
    from aiq.storage.store import Store

FOUND_BAD = 1
SHOWN = 20  # damaged files that are named

as_json = click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
where = click.option("--store", "folder", metavar="FOLDER", help="the store [default: that of CONFIG, then AIQ_STORE]")


@click.group()
def store() -> None:
    """Finished trainings that runs share: a run whose configuration names a store takes them over.

    \b
    Example:
      aiq store show --store /shared/aiq-store
    """


@store.command("show")
@click.argument("config", metavar="[CONFIG]", required=False)
@where
@as_json
def show(config: str | None, folder: str | None, json_: bool) -> None:
    """What a store holds: units and bytes by kind.

    \b
    Example:
      aiq store show --store /shared/aiq-store
    """
    from aiq.run.upkeep.sharing import sizes

    here = _store(folder, config)
    kinds = sizes(here)
    if json_:
        emit_json(
            {
                "store": str(here.folder),
                "units": sum(k.units for k in kinds.values()),
                "bytes": sum(k.size for k in kinds.values()),
                "kinds": {name: {"units": k.units, "bytes": k.size} for name, k in kinds.items()},
            }
        )
        return
    rows: list[tuple[Any, ...]] = [(name, k.units, k.size / 1e6) for name, k in kinds.items()]
    rows.append(("all", sum(k.units for k in kinds.values()), sum(k.size for k in kinds.values()) / 1e6))
    emit_table(["kind", "units", "MB"], rows, title=str(here.folder))


@store.command("audit")
@click.argument("config", metavar="[CONFIG]", required=False)
@where
@click.option("--remove", is_flag=True, help="remove what is damaged")
@as_json
def audit(config: str | None, folder: str | None, remove: bool, json_: bool) -> int:
    """Read every byte of a store and verify it; exit status 1 when a unit is damaged.

    \b
    Example:
      aiq store audit --store /shared/aiq-store
    """
    from aiq.run.upkeep.sharing import damaged

    here = _store(folder, config)
    whole, bad = damaged(here)
    for path in bad if remove else ():
        path.unlink(missing_ok=True)
    if json_:
        emit_json(
            {"store": str(here.folder), "whole": whole, "damaged": [str(path) for path in bad], "removed": remove}
        )
    else:
        click.echo(f"{whole} units are whole, {len(bad)} are damaged{' and removed' if remove and bad else ''}")
        for path in bad[:SHOWN]:
            click.echo(str(path))
    return FOUND_BAD if bad and not remove else 0


@store.command("add")
@click.argument("config", metavar="CONFIG")
@where
@as_json
def add(config: str, folder: str | None, json_: bool) -> None:
    """Put the finished units of a run into a store that it did not use.

    \b
    Example:
      aiq store add my-suite.yaml --store /shared/aiq-store
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.run.upkeep.sharing import add_run

    here = _store(folder, config)
    added, known = add_run(Run.of(read(config), origin=config), here)
    if json_:
        emit_json({"store": str(here.folder), "added": added, "known": known})
        return
    click.echo(f"{added} units put into {here.folder}, {known} were there")


@store.command("clear")
@click.argument("configs", metavar="CONFIG...", nargs=-1)
@where
@click.option(
    "--days", type=click.FloatRange(min=0), default=30.0, show_default=True, help="leave what was taken since then"
)
@click.option("--dry-run", is_flag=True, help="say what would be removed and remove nothing")
@as_json
def clear(configs: tuple[str, ...], folder: str | None, days: float, dry_run: bool, json_: bool) -> None:
    """Remove units that none of some configurations names and that nobody has put or taken for some days.

    No run hangs on a store: what is removed and wanted again is trained again.

    \b
    Example:
      aiq store clear my-suite.yaml --store /shared/aiq-store --dry-run
    """
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.run.upkeep.sharing import clear as clear_units

    here = _store(folder, configs[0] if configs else None)
    runs: list[Any] = [Run.of(read(config), origin=config) for config in configs]
    found = clear_units(here, runs, days=days, dry_run=dry_run)
    if json_:
        record = {"removed": found.removed, "bytes": found.size, "named": found.named, "recent": found.recent}
        emit_json({"store": str(here.folder), **record, "unfinished": found.unfinished, "dry_run": dry_run})
        return
    click.echo(
        f"{found.removed} units ({found.size / 1e6:.1f} MB) {'would be ' if dry_run else ''}removed; "
        f"{found.named} are named, {found.recent} were used in the last {days:g} days"
    )
    if found.unfinished:
        click.echo(f"{found.unfinished} unfinished files of killed processes removed as well")


def _store(folder: str | None, config: str | None) -> Store:
    """Return the store that is meant.

    Raises:
        UsageError: nothing names one.
    """
    from aiq.config.base import STORE_VARIABLE
    from aiq.config.load import read
    from aiq.plans.run import Run
    from aiq.run.units import store_of
    from aiq.storage.store import Store

    if folder is not None:
        return Store(folder)
    run: Any = None if config is None else Run.of(read(config), origin=config)
    found = store_of(None if run is None else run.configuration)
    if found is None:
        raise click.UsageError(
            f"no store is named: give --store FOLDER, set {STORE_VARIABLE}, or the key store of a CONFIG"
        )
    return found


COMMANDS = (store,)
