"""A suite so small that its whole run takes a minute, ways to run it, and ways to look at its numbers."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import yaml

from aiq.plans.run import Run
from aiq.report.page import write_page
from aiq.run import products
from aiq.run.job import make as make_file
from aiq.storage import hdf5
from changes import changed

ROOT = Path(__file__).resolve().parents[2]
TIMES = ("seconds", "core_seconds", "core_seconds_alone")  # what may differ between two runs of the same numbers
JOB = re.compile(r"^(?:local)?rule (\w+):\n((?: +\S.*\n)*)", re.MULTILINE)
OUTPUT = re.compile(r"^ +output: (.*)$", re.MULTILINE)

TINY: dict[str, Any] = yaml.safe_load((ROOT / ".test" / "config" / "config.yaml").read_text("utf-8"))
"""What a first try of the workflow as a module runs, too."""


def tiny(**changes: Any) -> dict[str, Any]:
    """Return the configuration with some keys changed; ``pool__size=12`` reaches into a section."""
    return changed(TINY, **changes)


HARD = tiny(pool__size=32)
"""The tiny suite with as many policies as it takes for a headline."""

SMALL = tiny(
    domains={"wine": TINY["domains"]["wine"]},
    pool__size=4,
    dissimilarity__ends="pair",
    known_baselines={"when": "never"},
    agents__networks=TINY["agents"]["networks"][:1],
)
"""The smallest suite that goes from data to scores."""

# ---- through Snakemake ---------------------------------------------------------------------------


def snakemake(
    folder: Path, raw: Mapping[str, Any], *arguments: str, name: str = "tiny.yaml"
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake on a configuration in a folder; standard output and error come together in ``stdout``."""
    return subprocess.run(command(folder, raw, *arguments, name=name), **how(folder), check=False, timeout=900)


def command(folder: Path, raw: Mapping[str, Any], *arguments: str, name: str = "tiny.yaml") -> list[str]:
    """Write the configuration and return the command that runs it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(yaml.safe_dump(dict(raw), sort_keys=False), encoding="utf-8")
    start = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow" / "Snakefile"), "--nocolor"]
    return [*start, "--configfile", name, *arguments]


def kill_session(leader: int) -> None:
    """Kill all processes of a session, the youngest first, so that none is told of another's end.

    Snakemake has a group of its own below ``aiq run``, out of the terminal's reach.
    """
    for one in sorted(psutil.process_iter(["create_time"]), key=lambda one: -one.info["create_time"]):
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getsid(one.pid) == leader:
                one.kill()


def aiq(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call ``aiq run`` in a folder; standard output and error apart."""
    start = [sys.executable, "-m", "aiq.cli", "run", *words]
    streams = {"stderr": subprocess.PIPE}
    return subprocess.run(start, **{**how(folder), **streams}, check=False, timeout=900)


def how(folder: Path) -> dict[str, Any]:
    """Return how the command is started: there, quiet threads, one stream of text."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "COLUMNS": "400"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return {"cwd": folder, "env": environment, **streams}


def planned(folder: Path, raw: Mapping[str, Any], *arguments: str) -> dict[str, set[str]]:
    """Return rule -> files that a dry run would make."""
    done = snakemake(folder, raw, "-n", *arguments)
    assert done.returncode == 0, done.stdout
    jobs: dict[str, set[str]] = {}
    for rule, body in JOB.findall(done.stdout):
        for files in OUTPUT.findall(body):
            jobs.setdefault(rule, set()).update(files.split(", "))
    assert jobs or "Nothing to be done" in done.stdout, done.stdout
    return jobs


# ---- in this process -----------------------------------------------------------------------------


@contextlib.contextmanager
def inside(folder: Path):
    """Work in a folder for a while: paths of a run are relative."""
    before = Path.cwd()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    try:
        yield folder
    finally:
        os.chdir(before)


def jobs(run: Run) -> dict[str, Callable[[], None]]:
    """Return path -> what makes it, in an order in which all can be made, of a measure whose plan has steps."""
    plan = run.plan
    first = [plan.made(step, job)[0] for step in plan.steps for job in plan.jobs_of(step.rule).values()]
    return {path: partial(make_file, run, path) for path in first}


def make(folder: Path, raw: Mapping[str, Any], only: Iterable[str] | None = None) -> Run:
    """Make all files of a configuration in a folder, or some of them, one after another."""
    run = Run.of(raw)
    with inside(folder):
        for path, work in jobs(run).items():
            if only is None or path in only:
                work()
    return run


def reduced(run: Run) -> list[str]:
    """Return the results that rest on the shards, in order."""
    layout = run.layout
    return [*map(layout.complexity, run.configuration.domains), layout.dissimilarity, layout.space, layout.scores]


def grow(folder: Path, raw: Mapping[str, Any], only: Container[str] | None = None) -> Run:
    """Make the files of a configuration that are missing in a folder, or those among some."""
    missing = [path for path in jobs(Run.of(raw)) if not (folder / path).exists()]
    return make(folder, raw, [path for path in missing if only is None or path in only])


def finish(
    folder: Path, raw: Mapping[str, Any], only: Iterable[str] | None = None, suffixes: Iterable[str] = ("png",)
) -> Run:
    """Make a whole run with its figures, tables and page, or with the figures and tables of some jobs and no page.

    The configuration's file is ``tiny.yaml``.
    """
    run = make(folder, raw)
    (folder / "tiny.yaml").write_text(yaml.safe_dump(dict(raw), sort_keys=False), encoding="utf-8")
    with inside(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "SUFFIXES", suffixes)  # of a figure; all of them take three times as long
        for made in run.plan.products():
            if only is None or made.name in only:
                products.make_products(run, made.name)
        if only is None:
            write_page(run)
    return run


def asked(folder: Path, raw: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Rule, megabytes and minutes of every job that Snakemake plans, without the rule that only asks for them."""
    done = snakemake(folder, raw, "-n")
    assert done.returncode == 0, done.stdout
    return asked_in(done.stdout)


def asked_in(text: str) -> list[tuple[str, int, int]]:
    """Rule, megabytes and minutes of every job that Snakemake says it plans or starts, without the rule ``all``."""
    (total,) = {line.split()[1] for line in text.splitlines() if line.startswith("total ")}
    jobs = []
    for rule, lines in JOB.findall(text):
        if rule != "all":
            asked = {key: re.search(rf"\b{key}=(\d+)", lines) for key in ("mem_mb", "runtime")}
            jobs.append((rule, *(int(value.group(1)) for value in asked.values() if value is not None)))
    assert len(jobs) == int(total) - 1
    return jobs


# ---- numbers -------------------------------------------------------------------------------------


def numbers(tree: Any) -> Any:
    """Return stored content without the times that it took."""
    if isinstance(tree, Mapping):
        return {name: numbers(item) for name, item in tree.items() if name not in TIMES}
    return tree


def units(
    folder: Path, raw: Mapping[str, Any], kinds: Iterable[str] = ("trials", "mixtures", "alone", "agents")
) -> dict:
    """Return (kind, place, unit) -> content of every unit of a run, whatever shard it lies in."""
    run = Run.of(raw)
    found: dict[tuple[str, str, str], Any] = {}
    with inside(folder):
        for path, (kind, fingerprint) in run.plan.shards().items():
            if kind in kinds:
                place = "" if kind == "mixtures" else Path(path).parent.name
                for name, content in hdf5.read(path, kind, fingerprint)[1].items():
                    assert (kind, place, name) not in found
                    found[kind, place, name] = content
    return found


def result(folder: Path, path: str, kind: str) -> Any:
    """Return the stored content of a result without times."""
    return numbers(hdf5.read(folder / path, kind)[1])


def same(a: Any, b: Any) -> bool:
    """Whether two stored contents hold exactly the same, NaN equal to NaN."""
    if isinstance(a, Mapping):
        return isinstance(b, Mapping) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        numeric = a.dtype.kind in "fc"
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=numeric)
    return a == b or (a != a and b != b)


def differing(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> list[Any]:
    """Return the keys under which two mappings hold different numbers (times left aside)."""
    return [key for key in {**a, **b} if key not in a or key not in b or not same(numbers(a[key]), numbers(b[key]))]


def files(folder: Path) -> dict[str, bytes]:
    """Return every file of results with its bytes: what must not be harmed."""
    kept = {"logs", "benchmarks"}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("results/**/*"))
        if path.is_file() and not kept & set(path.parts)
    }
