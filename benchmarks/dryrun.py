"""Seconds and memory of a dry run against the number of trials, with jobs sized by the cost model and without.

    python benchmarks/dryrun.py [--trials 1000 5000 50000] [--domains 10] [--small] [--out FILE]

A suite of variants of MNIST is planned, nothing is trained. ``--small`` cuts one job for every chunk of 16 policies
instead, which shows what the number of jobs costs Snakemake. Times are wall seconds of a process of its own, memory
is the largest resident set.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from aiq.config import parse
from aiq.plans.suite import SuitePlan

ROOT = Path(__file__).resolve().parents[1]
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile"), "--dry-run", "--quiet"]


def suite(trials: int, domains: int, small: bool) -> dict[str, object]:
    """Return the configuration of a suite with about so many trials."""
    raw = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
    names = [f"mnist-{k:03d}" for k in range(domains)]
    raw["domains"] = {n: {"source": "torchvision", "name": "MNIST", "noise": k / 1000} for k, n in enumerate(names)}
    raw["pool"] |= {"size": max(16, round(trials / domains / 16) * 16), "policies_per_chunk": 16}
    raw["jobs"] = {"chunks_per_job": 1, "mixtures_per_job": 1} if small else {}
    return raw


def dry_run(raw: dict[str, object]) -> tuple[float, float]:
    """Return wall seconds and megabytes of a dry run in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
        begun = time.perf_counter()
        with subprocess.Popen(
            [*SNAKEMAKE, "--configfile", "c.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"the dry run failed with status {process.returncode}")
        return time.perf_counter() - begun, used.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, nargs="+", default=[1000, 5000, 50_000, 500_000])
    parser.add_argument("--domains", type=int, default=10)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(".benchmarks/dryrun.json"))
    options = parser.parse_args()
    table = []
    print("| trials | domains | shards | seconds | MB |\n|---|---|---|---|---|")
    for trials in options.trials:
        raw = suite(trials, options.domains, options.small)
        plan = SuitePlan(parse(raw))
        shards = sum(len(plan.trial_jobs(d)) for d in plan.configuration.domains)
        shards += len(plan.mixture_jobs) + len(plan.agent_jobs)
        seconds, megabytes = dry_run(raw)
        table.append({"trials": trials, "shards": shards, "seconds": seconds, "megabytes": megabytes})
        print(f"| {trials} | {options.domains} | {shards} | {seconds:.1f} | {megabytes:.0f} |", flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    about = {"domains": options.domains, "one_chunk_a_job": options.small}
    options.out.write_text(json.dumps({**about, "table": table}, indent=1) + "\n")
    print(f"saved to {options.out}")


if __name__ == "__main__":
    main()
