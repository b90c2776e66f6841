"""The quickstart on nodes that share no file: each job in an empty folder of its own, files through an S3 on loopback.

    python benchmarks/storage.py [CONFIG] [--jobs 2] [--out FILE]

Afterwards the same suite is made by the rules on this machine, in one folder, and the stored numbers of both runs are
compared. It needs the extra ``dev`` (moto, the plugins of Snakemake). It fails where a job fails, where a number
differs, or where a dry run afterwards wants to run something.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "workflow"), str(ROOT / "tests")]

import apart  # noqa: E402  (the nodes that share no file are those of the tests)
import tiny  # noqa: E402

from aiq.plans.run import Run, SuiteRun  # noqa: E402
from aiq.storage.files import machine  # noqa: E402


@dataclass(frozen=True)
class Seen:
    """What the run through the storage left: objects, megabytes, folders of jobs, rules a dry run wants, seconds."""

    objects: int
    megabytes: float
    nodes: int
    wanted: int
    seconds: float
    load: float


def through_storage(folder: Path, raw: Mapping[str, Any], jobs: int, fetched: Path) -> Seen:
    """Run a configuration through a made-up S3 and bring what is stored to a folder.

    Raises:
        SystemExit: a job failed.
    """
    apart.started(folder, raw)
    with apart.s3() as address:
        begun = time.perf_counter()
        done = apart.snakemake(folder, address, jobs=jobs, limit=3600)
        seconds, load = time.perf_counter() - begun, os.getloadavg()[0]
        if done.returncode != 0:
            raise SystemExit(done.stdout[-3000:] + apart.said(folder))
        wanted = len(apart.planned(apart.snakemake(folder, address, "-n")))
        apart.brought(address, fetched)
    files = [path for path in fetched.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    return Seen(len(files), size, len(list((folder / "nodes").glob("*.rc"))), wanted, seconds, load)


def in_one_folder(folder: Path, raw: Mapping[str, Any]) -> float:
    """Run the same configuration by the rules on this machine; return the seconds.

    Raises:
        SystemExit: a rule failed.
    """
    apart.started(folder, raw)
    command = [sys.executable, "-m", "snakemake", "--configfile", "suite.yaml", "--cores", "2", "--nocolor"]
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-3000:])
    return time.perf_counter() - begun


def differing(run: SuiteRun, one: Path, other: Path, raw: Mapping[str, Any]) -> list[str]:
    """Return what differs in two folders of results: units of shards, complexities, space, scores."""
    found = [str(name) for name in tiny.differing(tiny.units(one, raw), tiny.units(other, raw))]
    results = [(f"{run.layout.root}/complexity/{name}.h5", "complexity") for name in run.configuration.domains]
    results += [(f"{run.layout.root}/space.h5", "space"), (f"{run.layout.root}/scores.h5", "scores")]
    return found + [
        path for path, kind in results if not tiny.same(tiny.result(one, path, kind), tiny.result(other, path, kind))
    ]


def page(name: str, run: SuiteRun, seen: Seen, local: float, different: list[str]) -> str:
    """Return the page of results."""
    about = (
        "Every job ran in an empty folder of its own, and all files went through an S3 on loopback (moto). Afterwards "
        "the same suite was made by the rules on this machine, in one folder, and the stored numbers of both runs were "
        "compared."
    )
    rows = [("jobs of the workflow in groups, each group in an empty folder of its own", seen.nodes),
            ("objects in the bucket at the end", f"{seen.objects} ({seen.megabytes:.0f} MB)"),
            ("rules that a dry run afterwards wants to run", seen.wanted),
            ("units and results that differ from those of one folder", len(different)),
            ("seconds through the storage", f"{seen.seconds:.0f}"),
            ("seconds in one folder, two cores", f"{local:.0f}"),
            ("processes that wanted to run at the end", f"{seen.load:.1f}")]  # fmt: skip
    lines = [f"# {name} through a storage", "",
             f"`python benchmarks/storage.py {name}`, {datetime.now(UTC):%Y-%m-%d}, {machine()['processor']}.", "",
             about, "", "| | |", "|---|---|", *(f"| {label} | {value} |" for label, value in rows)]  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", type=Path, default=Path("config/quickstart.yaml"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "storage.md")
    given = parser.parse_args()
    raw = yaml.safe_load((ROOT / given.config).read_text(encoding="utf-8"))
    run: SuiteRun = Run.of(raw)
    with tempfile.TemporaryDirectory() as scratch:
        seen = through_storage(Path(scratch) / "start", raw, given.jobs, Path(scratch) / "fetched")
        local = in_one_folder(Path(scratch) / "one", raw)
        different = differing(run, Path(scratch) / "fetched", Path(scratch) / "one", raw)
    given.out.write_text(page(str(given.config), run, seen, local, different), encoding="utf-8")
    print(given.out.read_text(encoding="utf-8"))
    if different or seen.wanted:
        raise SystemExit(f"different: {', '.join(different) or 'none'}; wanted afterwards: {seen.wanted}")


if __name__ == "__main__":
    main()
