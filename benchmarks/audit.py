"""Seconds and memory of `aiq shards` on many shards: lengths and headers alone, and with all checksums.

    python benchmarks/audit.py [--shards 50000] [--out FILE]

One chunk of 8 small networks is trained on digits; what it stored is written as every shard of a pool of so many
chunks, each with its own name and checksum. The files are in the system's cache when they are read, as they are not
on a network file system. Times are wall seconds of a process of its own, memory is its largest resident set.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from rich.progress import track

from aiq.plans.run import Run
from aiq.policies import networks
from aiq.run.training.domains import prepare_domain
from aiq.run.training.trainers import on_domain
from aiq.storage import shards
from aiq.storage.shards import pack_trials

ROOT = Path(__file__).resolve().parents[1]
POLICIES = 8


def suite(count: int) -> dict[str, object]:
    """Return the configuration of a suite whose pool takes so many shards."""
    raw = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
    raw["domains"] = {"digits": {"source": "sklearn", "name": "digits"}}
    raw["pool"] |= {"size": POLICIES * count, "policies_per_chunk": POLICIES}
    raw["training"] |= {"epochs": 1}
    raw["jobs"] = {"chunks_per_job": 1}
    raw["agents"] = {}
    return raw


def fill(raw: dict[str, object]) -> None:
    """Write every shard of the pool into the working folder."""
    run = Run.of(raw)
    c, layout = run.configuration, run.layout
    prepare_domain(run, "digits", layout.domain("digits"))
    trials = on_domain(run, "digits", layout.domain("digits"))(
        networks.chunk(c.pool, c.seed, "digits", 0), c.training, 0
    )
    unit = shards.Unit(run.plan.trials("digits"), pack_trials(trials))
    for job in track(run.plan.trial_jobs("digits"), "writing", disable=not sys.stderr.isatty()):
        units = {f"chunk-{chunk:06d}": unit for chunk in job.chunks}
        path = layout.trial_job(job)
        shards.write(path, "trials", unit.fingerprint, c.seed, units)


def timed(*options: str) -> dict[str, float]:
    """Return seconds, megabytes and the number of complete shards of an audit."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "aiq.cli", "shards", "c.yaml", "--json", *options], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        found = json.load(process.stdout)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        raise SystemExit(f"the audit failed with status {process.returncode}")
    seconds = time.perf_counter() - begun
    return {"complete": len(found["complete"]), "seconds": seconds, "megabytes": used.ru_maxrss / 1024}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shards", type=int, default=50_000)
    parser.add_argument("--out", type=Path, default=Path(".benchmarks/audit.json"))
    options = parser.parse_args()
    out = options.out.resolve()
    raw = suite(options.shards)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
        fill(raw)
        found = {name: timed(*words) for name, words in (("headers", ["--quick"]), ("checksums", []))}
    for name, row in found.items():
        print(f"{name:10} {row['complete']:7.0f} complete {row['seconds']:7.1f} s {row['megabytes']:6.0f} MB")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
