"""Verbs that come before a run: ``init``, ``domains`` and ``estimate``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aiq.cli.verbs import FILE, Answer, Verbs, answers, configured, say, wants_json
from aiq.errors import AiqError, InputError, choice
from aiq.plans import workflow
from aiq.records.table import Display, counted

if TYPE_CHECKING:
    from aiq.run.costing import Cost

TEMPLATES = Path(__file__).resolve().parent / "_templates"
LONGEST = 64  # letters of a name
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
OWN = """\
  mine: {source: npz, path: mine.npz}                          # x_train, y_train, x_test, y_test
  pictures: {source: image_folder, path: pictures, size: 32}   # one folder per class"""


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--kind", type=click.Choice(["labelled", "control", "own"]), default=None,
    help="of tests: labelled data (the default), control problems that are played, or data of your own",
)  # fmt: skip
@click.option("--data", multiple=True, metavar="PATH", help="an .npz archive or a folder of pictures of your own")
@click.option("--slurm", is_flag=True, help="write a profile for your site's SLURM too: the folder slurm/")
@answers
def init(name: str, kind: str | None, data: tuple[str, ...], slurm: bool) -> Answer:
    """Write a commented configuration, NAME.yaml, ready to be run or changed; nothing is overwritten.

    \b
    Example:
      aiq init my-suite
    """
    stem = name.removesuffix(".yaml").removesuffix(".yml")
    if not PLAIN.fullmatch(stem) or len(stem) > LONGEST:
        raise InputError(
            f"name is {name[:LONGEST]!r}; take letters, digits, '_', '.', '-', a letter or digit first, "
            f"{LONGEST} at most"
        )
    if data and kind not in (None, "own"):
        raise InputError(f"--data is for data of your own, but --kind is {kind}; leave one of them out")
    template = "own" if data else kind or "labelled"
    text = (TEMPLATES / f"{template}.yaml").read_text(encoding="utf-8")
    text = text.replace("OWN\n", (_domains(data) if data else OWN) + "\n")
    files = {f"{stem}.yaml": re.sub(r"\bNAME\b", stem, text)}
    if slurm:
        source = workflow.root() / "profiles" / "slurm"
        files |= {f"slurm/{path.name}": path.read_text("utf-8") for path in sorted(source.glob("config*.yaml"))}
    _write(files)
    where = " --profile slurm" if slurm else ""
    lines = (
        f"written: {', '.join(files)}",
        f"every key is explained in {workflow.examples() / 'README.md'}",
        f"what would run: aiq run {stem}.yaml{where} -- -n; run it: aiq run {stem}.yaml{where}",
    )
    return Answer({"files": list(files), "kind": template}, lines)


def _domains(paths: tuple[str, ...]) -> str:
    lines: dict[str, str] = {}
    for path in paths:
        if not Path(path).exists():
            raise InputError(f"--data is {path!r}, which does not exist; name an .npz archive or a folder of pictures")
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(path).stem).strip("-_") or "mine"
        if name in lines:
            raise InputError(f"--data names two domains {name!r}; rename one of the files")
        source = "source: image_folder, size: 32" if Path(path).is_dir() else "source: npz"
        lines[name] = f"  {name}: {{{source}, path: {json.dumps(path, ensure_ascii=False)}}}"
    return "\n".join(lines.values())


def _write(files: Mapping[str, str]) -> None:
    for path in files:
        if Path(path).exists():
            raise InputError(f"{path} exists already; choose another name, or remove it first")
    for path, text in files.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}; choose another folder") from error


# ---- what can be measured ------------------------------------------------------------------------


@click.group(cls=Verbs, invoke_without_command=True)
@answers
@click.pass_context
def domains(ctx: click.Context) -> Answer | None:
    """Sources of domains; ``aiq domains show NAME`` tells the parameters of one.

    \b
    Example:
      aiq domains show sklearn
    """
    if ctx.invoked_subcommand is not None:
        return None
    sources = [family.describe() for family in _families().values()]
    rows = tuple((source["source"], source["kind"], source["description"]) for source in sources)
    return Answer({"domains": sources}, (Display("", ("source", "kind", "what"), rows),))


@domains.command("show")
@click.argument("name")
@answers
def show_source(name: str) -> Answer:
    """Parameters, shapes and bounds of one source, with an example.

    \b
    Example:
      aiq domains show recorded
    """
    families = _families()
    if name not in families:
        raise InputError(choice("the source of domains", name, families))
    source = families[name].describe()
    rows = tuple(
        (key, json.dumps(parameter["default"]) if "default" in parameter else "required", parameter["description"])
        for key, parameter in source["parameters"].items()
        if key != "source"
    )
    shapes = "samples" if source["kind"] == "labelled" else "worlds"
    lines = (
        f"{source['source']} ({source['kind']}): {source['description']}\n",
        Display("", ("parameter", "default", "what"), rows),
        f"\n{shapes}: {source['samples']}\nperformance within: {source['bounds']}",
        f"example: {json.dumps(source['example'])}",
    )
    return Answer(source, lines)


def _families() -> dict[str, Any]:
    from aiq.domains import CONTROL_FAMILIES, FAMILIES

    return {**FAMILIES, **CONTROL_FAMILIES}


# ---- what a run will cost ------------------------------------------------------------------------


@click.command()
@configured
@click.option("--sizes", metavar="SHEET.csv", help="columns domain,train,test,classes,shape where sources do not tell")
@click.option("--measure", is_flag=True, help="time small parts of the work on this machine; needs the data")
@click.option("--save", type=FILE, metavar="FILE", help="measure, and write a calibration")
@answers
def estimate(config: str, sizes: str | None, measure: bool, save: str | None) -> Answer:
    """Jobs, trials, core- and GPU-hours, disk, inodes, largest and longest job of a configuration of any measure.

    The cost model tells them in seconds and reads no data. With --measure short timings of the configuration's own
    work on this machine take its place. The file that --save writes tells the cost model what work costs here. Name
    it in the configuration as jobs.calibration, and jobs are cut and ask for time and memory accordingly.

    \b
    Example:
      aiq estimate my-suite.yaml
    """
    from aiq.config.load import read
    from aiq.run.costing import estimate as timed
    from aiq.run.costing import expected, save_calibration

    if sizes is not None and (measure or save is not None):
        raise click.UsageError("--sizes is for the model; with --measure and --save the data are read")
    raw = read(config)
    if measure or save is not None:
        quiet = wants_json() or not sys.stderr.isatty()
        cost = timed(raw, (lambda what: None) if quiet else say, origin=config)
    else:
        cost = expected(raw, sizes, origin=config)
    if save is not None:
        save_calibration(raw, cost, save)
    return Answer(cost.as_dict, _cost(cost, save, _unread(raw, cost)))


def _unread(raw: Mapping[str, Any], cost: Cost) -> str:
    """Return why the first domain of assumed sizes could not be read, as the end of a sentence."""
    from aiq.domains.registry import check_presence
    from aiq.plans.run import Run

    if cost.assumed:
        c = Run.of(raw).configuration
        for name in cost.assumed:
            try:
                check_presence(name, c.domains[name], data_root=c.data_root, download=False)
            except AiqError as error:
                return f": {error}"
    return "; see --sizes"


def _cost(cost: Cost, save: str | None, unread: str) -> Iterator[Display | str]:
    yield Display("what the run will cost", cost.table().columns, cost.table().rows)
    bound = " at most (the convergence rule may stop earlier)" if cost.upper_bound else ""
    gpu = f", {cost.gpu_hours:.2f} GPU-hours" if cost.gpu_hours else ""
    yield (
        f"{cost.jobs} jobs, {cost.trials} trainings, {cost.core_hours:.2f} core-hours{gpu}{bound}, "
        f"{cost.disk_bytes / 1e6:.0f} MB in {cost.inodes} files"
    )
    if cost.files_by:
        each = " and ".join(f"{count:.2g} per {what}" for what, count in cost.files_by.items())
        yield f"of these files about {each}"
    asked = cost.asked
    if asked.largest:
        yield (
            f"the largest job asks for {asked.megabytes} MB ({asked.largest}), the longest for {asked.minutes} "
            f"minutes ({asked.longest}); retries ask for more"
        )
    if cost.modelled:
        yield "by the cost model, for the machine of its calibration; --measure times this one"
    if cost.assumed:
        yield f"sizes of {counted(len(cost.assumed), 'domain')} assumed ({', '.join(cost.assumed[:5])}){unread}"
    if cost.left_out:
        yield f"not counted, since nobody knows how long they take: {', '.join(cost.left_out)}"
    if save is not None:
        yield f"calibration: {save}; name it in the configuration as jobs: {{calibration: {save}}}"


COMMANDS = (init, domains, estimate)
