"""The verb ``run``: a whole run by one command, from the checks to the report; shards as jobs outside the workflow."""

from __future__ import annotations

import json
import os
import shlex
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.verbs import configured, emit_json, opened, say, settings
from aiq.config.measures import Space
from aiq.config.suite import Configuration
from aiq.errors import InputError, StorageError
from aiq.execution import CLUSTERS, Place

if TYPE_CHECKING:
    from aiq.plans.layout import SuiteLayout
    from aiq.plans.run import AnyRun
    from aiq.run.call import Snakemake
    from aiq.run.upkeep.submission import Submission

MODELLED = ("aiq", "similarity")  # measures whose cost a model tells at once


@click.command()
@configured
@click.option(
    "--profile", default="local", show_default=True, metavar="P", help="where jobs run: local, slurm, or a folder"
)
@click.option("--cores", metavar="N", help="cores of this machine [default: the profile's]")
@click.option("--resume", is_flag=True, help="go on after an accident: clear away, redo what is damaged, go on")
@click.option("--yes", is_flag=True, help="agree that finished work of other settings is made anew")
@click.option("--report/--no-report", default=True, show_default=True, help="write the report at the end")
@settings(Configuration, "value", over=True)
@settings(Space, "dimensions", "share", over=True)
@click.option("--json", "json_", is_flag=True, help="print one JSON object and nothing else")
@click.argument("arguments", metavar="[-- SNAKEMAKE ARGUMENTS]", nargs=-1, type=click.UNPROCESSED)
def run(config: str, profile: str, cores: str | None, json_: bool, report: bool, **how: Any) -> int:
    """Run a configuration of any measure: check what it names, call Snakemake, print the agents' table.

    Everything is checked before anything runs: paths, data, columns of tables, code of agents. What follows --
    goes to Snakemake as it stands; -- -n shows what would run. Called again it makes what is missing and no more.
    If finished work would be made anew, by another seed or other settings, it says how much and needs --yes.

    After a crash of any kind --resume sees that the controller is gone, cancels the SLURM jobs that it left,
    unlocks the folder, makes corrupt and stale files again and goes on. A living controller is never disturbed.

    With precision in a suite's configuration numbers of trainings grow in rounds until the agents' intervals are as
    narrow as asked for; -- -n then also says what the next round grows and costs.

    The exit status is 0, 1 if jobs failed by themselves, 2 where a person has to change something, 130 if it was
    interrupted, or 143 if it was told to end (SIGTERM).

    \b
    Example:
      aiq run my-suite.yaml --cores 2
    """
    from aiq.plans import workflow

    with _ends_at_once():
        workflow.check_installed()
        from aiq.config.load import read
        from aiq.explain.rounds import Goal, has_rounds, in_rounds
        from aiq.plans.run import Run
        from aiq.run.call import Snakemake
        from aiq.run.checks import check_named, remarks
        from aiq.run.start import Start, check_call, go

        arguments = _with_settings(how["arguments"], how["value"], {key: how[key] for key in ("dimensions", "share")})
        raw = laid_over(read(config), overridden(arguments))
        planned: AnyRun = Run.of(raw, origin=config)
        check_named(planned)
        for sentence in remarks(planned):
            say(sentence)
        snakemake = Snakemake(config, profile, cores, arguments)
        check_call(snakemake)
        goal = Goal(raw, config) if has_rounds(planned, snakemake) else None
    start = Start(planned, snakemake, how["resume"], how["yes"], json_, say)
    if goal is not None and snakemake.only_looks:
        start.say(f"precision: {goal.ahead()}")
    status = go(start, None if goal is None else in_rounds(goal))
    if status == 0 and snakemake.only_looks:
        _ahead(raw, planned, config, json_)
    elif status == 0:
        _finish(Run.of(raw, origin=config), snakemake, report, json_)
    elif status in (1, 2) and not snakemake.only_looks and not json_:
        _scored_all_the_same(Run.of(raw, origin=config), config)
    return status


@contextmanager
def _ends_at_once() -> Iterator[None]:
    """Let an interruption end this process: while modules load and nothing has begun an exception may be lost."""
    before = signal.getsignal(signal.SIGINT)
    if before != signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        os.write(2, b"aiq: interrupted\n")
        os._exit(128 + number)

    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _with_settings(arguments: tuple[str, ...], value: str | None, space: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the arguments of Snakemake with the keys that options of this verb set, before its own ``--config``."""
    asked = {key: word for key, word in space.items() if word is not None}
    words = [f"value={value}"] if value is not None else []
    words += [f"space={json.dumps(asked)}"] if asked else []
    if not words:
        return arguments
    place = next((i for i, word in enumerate(arguments) if word in ("--config", "-C")), None)
    if place is None:
        return (*arguments, "--config", *words)
    return (*arguments[: place + 1], *words, *arguments[place + 1 :])


def overridden(arguments: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the keys that Snakemake's ``--config key=value`` sets."""
    import yaml

    keys: dict[str, Any] = {}
    inside = False
    for word in arguments:
        if word.startswith("-"):
            inside = word in ("--config", "-C")
        elif inside and "=" in word:
            key, value = word.split("=", 1)
            try:
                keys[key] = yaml.safe_load(value)
            except RecursionError:
                raise InputError(f"--config {key}=... is nested too deeply") from None
            except yaml.YAMLError as error:
                raise InputError(f"--config {key}={value} cannot be read: {' '.join(str(error).split())}") from error
    return keys


def laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with others laid over them as Snakemake does it: sections key by key, anything else replaced."""
    merged = dict(under)
    for key, value in over.items():
        before = merged.get(key)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        merged[key] = laid_over(before, value) if both else value
    return merged


def _ahead(raw: Mapping[str, Any], run: AnyRun, config: str, json_: bool) -> None:
    """Say what the whole run costs, after a dry run; in JSON where the results will lie."""
    if json_:
        _emit(run, [])
    elif run.configuration.measure in MODELLED:
        from aiq.run.costing import expected

        cost = expected(raw, origin=config)
        click.echo(
            f"the whole run: {cost.jobs} jobs, about {cost.core_hours:.2g} core-hours by the cost model, what is "
            f"finished included; by stage: aiq estimate {shlex.quote(config)}"
        )


def _scored_all_the_same(run: AnyRun, config: str) -> None:
    """Print the agents of a run of which something else failed, where they are scored by these very settings."""
    from aiq.cli.summary import show

    if run.configuration.measure == "aiq" and run.plan.scored and Path(run.layout.scores).exists():
        with suppress(StorageError):
            show(run, config, whole=False)


def _finish(run: AnyRun, snakemake: Snakemake, report: bool, json_: bool) -> None:
    from aiq.cli.summary import agents, show
    from aiq.run.call import call

    results = [Path(path) for path in run.plan.results()]
    finished = results[-1].exists()
    if finished and report and not _newer(Path(run.layout.report), results):
        status = call(snakemake.words(only=("--report", run.layout.report, "--quiet", "all")), quiet=True)
        if status != 0:
            say("the report could not be written; what Snakemake said stands above")
    if finished:
        _describe_again(run, results)
    if json_:
        _emit(run, agents(run) if finished else [])
    elif finished:
        show(run, snakemake.config)
    elif (storage := snakemake.storage) is not None:
        place = f"{storage.rstrip('/')}/{run.layout.root}"
        click.echo(f"results lie in {place}; copy them here, for example with rclone, then: aiq summary")
    else:
        click.echo("what was asked for is there; the run is not finished")


def _describe_again(run: AnyRun, results: list[Path]) -> None:
    """Write the crate of a finished run anew, if it has one that is older than a result or a shard."""
    from aiq.run.upkeep.crate import NAME, write_crate

    crate = Path(run.layout.root) / NAME
    if crate.exists() and not _newer(crate, [*results, *map(Path, run.plan.shards())]):
        try:
            say(f"described anew: {write_crate(run)}")
        except (StorageError, ModuleNotFoundError) as error:  # a result is lacking, or the extra report
            say(f"the crate {crate} tells of results before this run: {error}")


def _newer(path: Path, than: list[Path]) -> bool:
    return path.exists() and all(file.stat().st_mtime_ns < path.stat().st_mtime_ns for file in than if file.exists())


def _emit(run: AnyRun, agents: list[Mapping[str, Any]]) -> None:
    report = run.layout.report if Path(run.layout.report).exists() else None
    emit_json({"results": str(run.layout.root), "report": report, "agents": agents})


# ---- Jobs outside the workflow --------------------------------------------------------------------


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("config", metavar="CONFIG")
@click.option("--cluster", type=click.Choice(CLUSTERS), default="slurm", show_default=True, help="where jobs run")
@click.option("--minutes", type=float, default=60, show_default=True, help="time limit; a longer job is requeued")
@click.option("--grace", type=int, default=90, show_default=True, help="seconds before the limit to requeue at")
@click.option("--parallel", type=int, help="jobs at the same time [default: 200 on slurm, else one a core]")
@click.option("--partition", help="SLURM partition")
@click.option("--account", help="SLURM account")
@click.option("--qos", help="SLURM quality of service")
@click.option("--constraint", help="features that nodes must have")
@click.option("--gpu-type", help="type of the GPU, with device: cuda")
@click.option("--memory", type=float, help="GB a job")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(["trials", "mixtures", "alone", "agents"]), help="only these"
)
@click.option("--every", type=float, help="seconds between two checkpoints, at least [default: the configuration's]")
@click.option("--wait/--no-wait", default=None, help="wait for the jobs of SLURM [default: no; others always]")
def submit_shards(config: str, kinds: tuple[str, ...], every: float | None, wait: bool | None, **options: Any) -> int:
    """Submit the missing shards of a configuration as jobs that go on where they were interrupted.

    They leave the shards that the workflow's rules leave; call aiq run afterwards for all that follows.

    \b
    Example:
      python scripts/submit_shards.py config/benchmark-images.yaml --minutes 240 --partition cpu
    """
    from aiq.config.load import read
    from aiq.run.upkeep.submission import KINDS, missing, submit

    if every is not None and every < 0:
        raise click.UsageError(f"--every is {every:g}, it must be at least 0")
    raw, run = read(config), opened(config, "aiq")
    place = _place(run.configuration, run.layout.submissions, **options)
    os.environ.setdefault("OMP_NUM_THREADS", str(run.configuration.threads))
    shards = missing(run, kinds or KINDS)
    if not shards:
        click.echo("nothing to submit: every shard is complete")
        return 0
    submission = submit(raw, place, shards, every)
    if place.cluster == "slurm":
        first = submission.array.jobs[0].split("_")[0]
        click.echo(f"submitted {len(shards)} jobs as {first}; see squeue --me, and the logs below {place.folder}")
        if not wait:
            click.echo(f"afterwards: aiq run {shlex.quote(config)} --profile slurm")
            return 0
    return _report(submission, run.layout)


def _report(submission: Submission, layout: SuiteLayout) -> int:
    total, failed = len(submission.shards), 0
    for done, (shard, outcome) in enumerate(submission.outcomes(), start=1):
        if outcome.error is None:
            click.echo(f"{done} of {total}: {shard} done")
            continue
        failed += 1
        click.echo(f"{done} of {total}: {shard} FAILED: {outcome.error}; logs: {layout.log_of(shard)} {outcome.log}")
    if failed:
        click.echo(f"aiq: {failed} of {total} jobs failed; call this again to go on with what is left", err=True)
    return 1 if failed else 0


def _place(configuration: Configuration, folder: str, parallel: int | None, **options: Any) -> Place:
    if parallel is None:
        parallel = 200 if options["cluster"] == "slurm" else max(1, (os.cpu_count() or 1) // configuration.threads)
    return Place(
        folder=folder,
        parallel=parallel,
        cpus=configuration.threads,
        gpus=int(configuration.device != "cpu"),
        name=f"aiq-{configuration.name}",
        **options,
    )


COMMANDS = (run,)
