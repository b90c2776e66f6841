"""Verbs that look after a run and its files: ``doctor``, ``shards``, ``page``, ``verify`` and ``store``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import Progress

from aiq.cli.verbs import Answer, Verbs, answers, configured, opened, say, wants_json
from aiq.errors import redo_command
from aiq.records.table import Display

if TYPE_CHECKING:
    from aiq.plans.run import AnyRun
    from aiq.run.upkeep.audit import Audit
    from aiq.storage.shards import Store

NAMED = 20  # bad files and differences that are explained one by one


@click.command()
@configured
@click.option("--profile", metavar="PROFILE", help="name or folder of the Snakemake profile that will be used")
@click.option("--fetch", is_flag=True, help="first download the data that are not here yet, below data_root")
@answers
def doctor(config: str, profile: str | None, fetch: bool) -> Answer:
    """Look at all that a run needs, and with --profile at the cluster, before a run; exit status 1 when any fails.

    These are the checks that a run starts with (results, store, domains, agents, tables), then data, disk and inodes.

    --fetch is for clusters whose nodes have no network: call it once where there is one, on a file system that nodes
    see. Files come whole or not at all. Called again it changes nothing.

    On a cluster: partitions, their limits of time and memory against the largest and longest job, account and
    quality of service (SLURM is asked, nothing is submitted), and how long it remembers finished jobs.

    \b
    Example:
      aiq doctor my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.run.upkeep.doctor import examine

    raw = read(config)
    data, lines = _fetched(raw) if fetch else ({}, [])
    checks = examine(raw, profile, config)
    lines += [f"{'ok    ' if check.passed else 'FAILED'} {check.name}: {check.says}" for check in checks]
    record = {"checks": [check.as_dict() for check in checks], **data}
    return Answer(record, lines, 0 if all(check.passed for check in checks) else 1)


def _fetched(raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[Display | str]]:
    """Bring the data of a configuration here; return what each data set needed, for programs and for people."""
    from aiq.run.checks import prefetch

    done = prefetch(raw, say)
    total = sum(data_set.size for data_set in done)
    data = [data_set.as_dict() for data_set in done]
    record = {"data": data, "data_root": str(raw.get("data_root") or "data"), "bytes": total}
    if not done:
        return record, ["this configuration has no domains, so there is nothing to fetch"]
    rows = tuple(
        (data_set.data, ", ".join(data_set.domains), data_set.done, data_set.files, data_set.size / 1e6)
        for data_set in done
    )
    new = sum(data_set.done == "downloaded" for data_set in done)
    sums = f"{new} data sets downloaded, {len(done) - new} needed none; {total / 1e6:.1f} MB in all"
    return record, [Display("", ("data", "domains", "done", "files", "megabytes"), rows), sums]


# ---- shards --------------------------------------------------------------------------------------


@click.command()
@configured
@click.option("--quick", is_flag=True, help="read lengths and headers only, do not verify the checksums")
@click.option("--sweep", is_flag=True, help="remove unfinished files of killed jobs")
@click.option(
    "--older-than", "minutes", type=click.FloatRange(min=0), metavar="MINUTES",
    help="with --sweep: age from which a file counts as left behind (60)",
)  # fmt: skip
@click.option("--cancel-orphans", is_flag=True, help="cancel SLURM jobs of this folder whose controller is gone")
@answers
def shards(config: str, quick: bool, sweep: bool, minutes: float | None, cancel_orphans: bool) -> Answer:
    """Audit the shards of a configuration: complete, missing, stale, corrupt; exit status 1 when any is bad.

    Configurations of every measure are served. An unfinished file counts as left behind when it has not changed for
    an hour by the clock of its own file system: a shard is written in one go, in seconds. Jobs are cancelled if
    Snakemake submitted them from this folder and this machine, and no such Snakemake runs here any more.

    \b
    Example:
      aiq shards my-suite.yaml
    """
    from aiq.execution.slurm import cancel, find_orphans
    from aiq.run.resume import redone
    from aiq.run.upkeep import audit

    if minutes is not None and not sweep:
        raise click.UsageError("--older-than says what --sweep removes, give --sweep too")
    run = opened(config)
    audited = _audited(run, quick)
    cleared: dict[str, Any] = {}
    if cancel_orphans:
        jobs = find_orphans()
        if jobs.orphans:
            cancel(jobs.orphans)
        cleared["cancelled"] = [job.number for job in jobs.orphans]
        cleared["watched"] = [job.number for job in jobs.watched]
        cleared["elsewhere"] = {host: [job.number for job in those] for host, those in jobs.elsewhere.items()}
    if sweep:
        swept = audit.sweep(audited.temporary, minutes=audit.OLD_MINUTES if minutes is None else minutes)
        cleared["swept"], cleared["kept"] = list(swept.removed), list(swept.kept)
    other = "stale" in audited.shards.values() and redone(run).whole
    command = redo_command() + " --yes" * other if audited.bad else None
    states = {state: [p for p, s in audited.shards.items() if s == state] for state in audit.STATES}
    beside = {"superseded": audited.superseded, "temporary": audited.temporary, "redo": command}
    record = {**states, "reasons": audited.reasons, **beside, **cleared}
    return Answer(record, _lines(audited, command, cleared), 1 if audited.bad else 0)


def _audited(run: AnyRun, quick: bool) -> Audit:
    from aiq.run.upkeep.audit import audit

    with Progress(disable=wants_json() or not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task("shards")
        return audit(run, deep=not quick, progress=lambda done, n: bar.update(task, completed=done, total=n))


def _lines(audited: Audit, command: str | None, cleared: Mapping[str, Any]) -> Iterator[Display | str]:
    """Return a table, what is wrong with the first bad shards, what lies beside them, and how to redo them."""
    from aiq.run.upkeep.audit import STATES

    kinds = dict.fromkeys(audited.kinds.values())
    yield Display("", ("kind", *STATES), tuple((k, *(audited.count(state, k) for state in STATES)) for k in kinds))
    for path, reason in list(audited.reasons.items())[:NAMED]:
        why = reason.split("; redo it")[0]  # the command stands below, once
        yield f"{audited.shards[path]}: {why if audited.shards[path] == 'corrupt' else f'{path}: {why}'}"
    if len(audited.reasons) > NAMED:
        yield f"and {len(audited.reasons) - NAMED} more; --json tells all"
    if audited.superseded:
        yield f"{len(audited.superseded)} shards of an earlier size or cut lie beside them and may be removed"
    if "swept" in cleared:
        yield f"{len(cleared['swept'])} unfinished files of killed jobs removed"
        if cleared["kept"]:
            yield f"{len(cleared['kept'])} are too young to be sure that nobody writes them: {cleared['kept'][0]}"
    elif audited.temporary:
        first = shlex.join(audited.temporary[:5])
        yield f"{len(audited.temporary)} unfinished files of killed jobs may be removed (--sweep): {first}"
    if "cancelled" in cleared:
        yield f"{len(cleared['cancelled'])} orphaned SLURM jobs cancelled"
        if cleared["watched"]:
            yield f"{len(cleared['watched'])} jobs are left to the controller that runs here"
        for host, jobs in cleared["elsewhere"].items():
            yield f"{len(jobs)} jobs were submitted from {host}: call this there, or scancel {' '.join(jobs[:20])}"
    if command:
        yield f"make them again and go on with the run: {command}"


# ---- a finished run ------------------------------------------------------------------------------


@click.command()
@configured
@click.option("--crate", is_flag=True, help="describe the results as a Workflow Run RO-Crate, too; the page links it")
@answers
def page(config: str, crate: bool) -> Answer:
    """Make the page of a finished run of any measure again: one file that needs no network.

    A run makes its page itself (RESULTS/index.html). This verb makes it again from the figures and tables that are
    there, for instance after the settings under the key page have changed.

    With --crate the results folder becomes a Workflow Run RO-Crate, as archives and catalogues read it: a file
    ro-crate-metadata.json names every result with its checksum, the configuration, the seed and all versions. Copies of
    the configuration and of the workflow join the folder. aiq verify checks the checksums, too.

    \b
    Example:
      aiq page my-suite.yaml
    """
    from aiq.report.page import write_page
    from aiq.run.upkeep.crate import write_crate

    run = opened(config)
    described = {"crate": str(write_crate(run))} if crate else {}
    write_page(run)
    path = Path(run.layout.page)
    size = path.stat().st_size
    lines = [f"page: {path.resolve()} ({size / 1e6:.1f} MB)"]
    lines += [f"crate: {Path(file).resolve()}" for file in described.values()]
    return Answer({"page": run.layout.page, "bytes": size, **described}, lines)


@click.command()
@click.argument("results", metavar="RESULTS")
@click.option("--cores", default="all", show_default=True, help="cores that the reductions may use")
@answers
def verify(results: str, cores: str) -> Answer:
    """Check a results folder: read every shard, make every reduction and table again, and compare.

    A shard has a checksum of its bytes. Reductions and tables are made again from the shards, in a folder of their own,
    and compared number by number. Exit status 1 when anything is wrong. Trainings are not repeated: that the shards
    are what their trainings gave is not checked; nor are figures and the page, which are drawn anew from these.

    \b
    Example:
      aiq verify results/my-suite
    """
    from aiq.run.upkeep.audit import verify as check

    checked = check(results, cores, (lambda words: None) if wants_json() else click.echo)
    lines = [f"wrong: {wrong.file}: {wrong.what}" for wrong in checked.wrong[:NAMED]]
    if len(checked.wrong) > NAMED:
        lines.append(f"and {len(checked.wrong) - NAMED} more; --json tells all")
    count = len({wrong.file for wrong in checked.wrong})
    lines.append(f"{checked.checked} files checked, {count or 'none'} of them wrong")
    return Answer(checked.as_dict, lines, 1 if checked.wrong else 0)


# ---- The store -----------------------------------------------------------------------------------


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
    from aiq.config.base import STORE_VARIABLE
    from aiq.run.job import store_of
    from aiq.storage.shards import Store

    if folder is not None:
        return Store(folder)
    run: Any = None if config is None else opened(config)
    named = store_of(None if run is None else run.configuration)
    if named is None:
        raise click.UsageError(
            f"no store is named: give --store FOLDER, set {STORE_VARIABLE}, or the key store of a CONFIG"
        )
    return named


COMMANDS = (doctor, shards, page, verify, store)
