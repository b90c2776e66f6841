"""What reduces, draws and tabulates a suite of 200 domains: time and memory of every job, used and asked for.

    python benchmarks/scale.py [--domains 200] [--cores 2] [--folder FOLDER] [--out FILE]

Shards of a made-up suite (``benchmarks/scale_source.py``) are there at the start; the rules make all the rest, from
the complexities to the page, as in any run. *seconds* and *MB used* are those of the longest and of the largest job
of a rule, from Snakemake's benchmark files; *asked* is what the rule asks for at its first attempt, which counts the
two processes of Snakemake around a job on a cluster too. It fails where the whole takes more than 30 minutes on the
clock, a job more than 4 GB, or more than it asked for. The clock counts on a quiet machine alone: the load at the end
is printed.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml
from scale_source import configuration, write_shards

from aiq.plans.run import Run, SuiteRun
from aiq.storage.files import machine

ROOT = Path(__file__).resolve().parents[1]
MOST_MINUTES, MOST_MEGABYTES = 30, 4000
BENCHMARKS = {
    "reduce_complexity": "complexity/*.tsv", "measure_entropy": "entropy/*.tsv",
    "reduce_dissimilarity": "dissimilarity.tsv", "build_space": "space.tsv", "score_agents": "scores.tsv",
    "write_page": "page.tsv",
}  # fmt: skip


@dataclass(frozen=True)
class Used:
    """What the jobs of a rule took: how many, all their seconds, those of the longest, megabytes of the largest."""

    rule: str
    jobs: int
    total: float
    longest: float
    megabytes: float
    asked_megabytes: int
    asked_minutes: int

    @property
    def enough(self) -> bool:
        """Whether the jobs stayed within what they asked for, and within what any job may take."""
        within = self.megabytes <= min(self.asked_megabytes, MOST_MEGABYTES)
        return within and self.longest <= 60 * self.asked_minutes


def used(run: SuiteRun) -> list[Used]:
    """Return what the jobs of each rule took; of rules that made shards there is nothing to tell."""
    asked: dict[str, tuple[int, int]] = {}
    for rule, megabytes, minutes in run.plan.requests():
        known = asked.get(rule, (0, 0))
        asked[rule] = max(known[0], megabytes), max(known[1], minutes)
    folder = Path(run.layout.benchmark("x")).parent
    made = {one.name: f"{one.name}.tsv" for one in run.plan.products()}
    found = []
    for rule, pattern in (BENCHMARKS | made).items():
        rows = [list(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))[-1] for path in folder.glob(pattern)]
        if rows:
            seconds, megabytes = ([float(row[key]) for row in rows] for key in ("s", "max_rss"))
            found.append(Used(rule, len(rows), sum(seconds), max(seconds), max(megabytes), *asked[rule]))
    return found


@dataclass(frozen=True)
class Spent:
    """What a whole run took: seconds on the clock, of all processors, and the processes that waited at its end."""

    wall: float
    processor: float
    load: float


def reduce(folder: Path, cores: int) -> Spent:
    """Run all rules on finished shards in a folder.

    Raises:
        SystemExit: a rule failed.
    """
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "workflow/Snakefile"),
        "--configfile",
        "scale.yaml",
    ]
    begun = time.perf_counter()
    with (folder / "said").open("wb") as said:
        done = subprocess.run(
            [*command, "--cores", str(cores)], cwd=folder, stdout=said, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        raise SystemExit((folder / "said").read_text(encoding="utf-8", errors="replace")[-3000:])
    taken = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(time.perf_counter() - begun, taken.ru_utime + taken.ru_stime, os.getloadavg()[0])


def page(run: SuiteRun, spent: Spent, cores: int, found: list[Used]) -> str:
    """Return the page of results."""
    when = f"{datetime.now(UTC):%Y-%m-%d}, {machine()['processor']}, Python {platform.python_version()}"
    domains, pairs = len(run.configuration.domains), len(run.plan.pairs)
    size = sum(path.stat().st_size for path in Path(run.layout.root).rglob("*") if path.is_file()) / 1e6
    files = sum(path.is_file() for path in Path(run.layout.root).rglob("*"))
    about = __doc__.split("\n\n")[2].replace("``", "`")
    lines = [f"# {domains} domains from shards to the page", "",
             f"`python benchmarks/scale.py --domains {domains} --cores {cores}`, {when}. {about}", "",
             f"{domains} domains, {pairs} pairs: **{spent.wall / 60:.1f} minutes** on the clock and "
             f"{spent.processor / 60:.1f} processor minutes on {cores} cores, with {spent.load:.1f} processes that "
             f"wanted to run at the end; {files} files, {size:.0f} MB with the shards.", "",
             "| rule | jobs | seconds together | longest, s | asked, min | MB used | MB asked |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    lines += [
        f"| `{one.rule}` | {one.jobs} | {one.total:.0f} | {one.longest:.0f} | {one.asked_minutes} | "
        f"{one.megabytes:.0f} | {one.asked_megabytes} |"
        for one in found
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", type=int, default=200)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the suite is made and stays; a temporary folder by default")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "scale.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(given.domains, given.cores, given.folder or Path(scratch), given.out.resolve())


def measure(domains: int, cores: int, folder: Path, out: Path) -> None:
    """Make the shards, run the rules, write the page, and fail where too much was taken."""
    folder.mkdir(parents=True, exist_ok=True)
    raw = configuration(domains, str(folder.resolve() / "results"))
    (folder / "scale.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    run: SuiteRun = Run.of(raw)
    if not Path(run.layout.root).exists():
        print(f"{write_shards(run)} shards of {domains} domains and {len(run.plan.pairs)} pairs", flush=True)
    spent = reduce(folder, cores)
    found = used(run)
    out.write_text(page(run, spent, cores, found), encoding="utf-8")
    print(out.read_text(encoding="utf-8"))
    over = [one.rule for one in found if not one.enough]
    if over or spent.wall / 60 > MOST_MINUTES:
        raise SystemExit(f"too much: {', '.join(over) or f'{spent.wall / 60:.0f} minutes'}")


if __name__ == "__main__":
    main()
