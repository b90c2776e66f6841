"""Processor seconds of the controller against the domains of a suite: the plan of all jobs, and one job's own parse.

    python benchmarks/controller.py [--domains 10 50 100 200] [--out FILE]

A suite of variants of the smallest data set is planned up to its scores, nothing is trained. *plan* is a dry run. *job*
is the process that an executor starts for one job, up to its start (``--mode subprocess``, its own rule and target,
dry); *start* is Snakemake alone, without a workflow. Times are processor seconds, so that other work counts little.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import yaml

from aiq.plans.run import Run, SuiteRun
from aiq.run.costing import expected
from aiq.storage.files import machine

ROOT = Path(__file__).resolve().parents[1]
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile")]
ALONE = ["--force", "--max-inventory-time", "0", "--nolock", "--ignore-incomplete", "--rerun-triggers", "mtime"]


def suite(domains: int) -> dict[str, object]:
    """Return the configuration of a suite of so many domains, seven pairs a job."""
    raw: dict[str, object] = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
    raw["domains"] = {f"d-{k:03d}": {"source": "sklearn", "name": "wine", "noise": k / 1000} for k in range(domains)}
    return raw


WATCH = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    file.write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
sys.exit(status)
"""
# A process inherits the peak of the one that starts it: a small one has to stand between.


def seconds(command: list[str], folder: Path) -> tuple[float, float]:
    """Return processor seconds and megabytes of a command.

    Raises:
        SystemExit: it failed.
    """
    watched = [sys.executable, "-c", WATCH, str(folder / "used"), *command]
    with (folder / "said").open("wb") as said:
        done = subprocess.run(watched, cwd=folder, stdout=said, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise SystemExit((folder / "said").read_text(encoding="utf-8", errors="replace")[-2000:])
    used, megabytes = (folder / "used").read_text(encoding="utf-8").split()
    return float(used), float(megabytes)


def one_job(folder: Path, raw: dict[str, object]) -> list[str]:
    """Return the command by which an executor starts the last domain's first job; its input is there."""
    run: SuiteRun = Run.of(raw)
    name = list(run.configuration.domains)[-1]
    job = run.plan.trial_jobs(name)[0]
    source = folder / run.layout.domain(name)
    source.parent.mkdir(parents=True, exist_ok=True)
    source.touch()
    target = f"train_trials:domain={name},block={job.block}"
    words = ["--configfile", "c.yaml", "--target-jobs", target, "--allowed-rules", "train_trials", "--cores", "1"]
    return [*SNAKEMAKE, *words, *ALONE, "--mode", "subprocess", "--dry-run", "--quiet"]


def measured(domains: int) -> tuple[object, ...]:
    """Return the row of a number of domains."""
    raw = suite(domains)
    begun = time.process_time()
    jobs = expected(raw).jobs
    estimate = time.process_time() - begun
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
        scores = Run.of(raw).layout.path("scores.h5")
        dry = ["--configfile", "c.yaml", "--dry-run", "--quiet", "all", "--", scores]
        plan, megabytes = seconds([*SNAKEMAKE, *dry], folder)
        job, _ = seconds(one_job(folder, raw), folder)
    return domains, jobs, f"{plan:.1f}", f"{megabytes:.0f}", f"{job:.2f}", f"{estimate:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--domains", type=int, nargs="+", default=[10, 50, 100, 200])
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "controller.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start, _ = seconds([sys.executable, "-c", "import snakemake.cli"], Path(folder))
    when = f"{datetime.now(UTC):%Y-%m-%d}, {machine()['processor']}, Python {platform.python_version()}"
    about = __doc__.split("\n\n")[2]
    lines = ["# Growth of the controller", "", f"`python benchmarks/controller.py`, {when}. {about}",
             "", f"Snakemake alone takes {start:.2f} s to start.", "",
             "| domains | jobs | plan, s | plan, MB | one job, s | estimate, s |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for domains in options.domains:
        lines.append("| " + " | ".join(str(cell) for cell in measured(domains)) + " |")
        print(lines[-1], flush=True)
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
