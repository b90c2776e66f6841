"""Nodes that share nothing: every job runs in an empty folder of its own and meets the others in a made-up S3 alone."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ("workflow/Snakefile", "workflow/rules", "workflow/report", "scripts", "envs/aiq.yaml", "profiles/default")
"""What a folder needs in which the workflow is started; its library is installed."""
SUBMIT = """#!/bin/bash
node=$(mktemp -d "{nodes}/XXXXXX")
script=$(realpath "$1")
(cd "$node" && bash "$script" > "$node.out" 2>&1; echo $? > "$node.rc") > /dev/null 2>&1 &
echo "$node"
"""
STATUS = """#!/bin/bash
if [ ! -f "$1.rc" ]; then echo running
elif [ "$(cat "$1.rc")" = 0 ]; then echo success
else echo failed; fi
"""
GROUPS = {
    **dict.fromkeys(("administer_anytime", "reduce_anytime"), "tests"),
    **dict.fromkeys(("draw_anytime", "tabulate_anytime"), "draw"),
    **dict.fromkeys(("train_trials", "train_mixtures", "train_alone", "train_agents"), "train"),
    **dict.fromkeys(("reduce_complexity", "reduce_dissimilarity"), "reduce"),
    **dict.fromkeys(("build_space", "score_agents"), "score"),
}
"""Rules that go to a node together, so that fewer processes start."""


@contextmanager
def s3() -> Iterator[str]:
    """Serve a made-up S3 on this machine, with a bucket ``aiq``; give its address."""
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        client(f"http://{host}:{port}", boto3).create_bucket(Bucket="aiq")
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def client(address: str, boto3: Any) -> Any:
    """Return what talks to the made-up S3."""
    keys = {"aws_access_key_id": "made-up", "aws_secret_access_key": "made-up", "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=address, **keys)


def keys(address: str, prefix: str = "run/") -> list[str]:
    """Return the names of what lies in the bucket below a prefix."""
    import boto3

    pages = client(address, boto3).get_paginator("list_objects_v2").paginate(Bucket="aiq", Prefix=prefix)
    return [item["Key"].removeprefix(prefix) for page in pages for item in page.get("Contents", [])]


def brought(address: str, folder: Path, prefix: str = "run/") -> Path:
    """Bring everything below a prefix to a folder, as any S3 program would."""
    import boto3

    for key in keys(address, prefix):
        place = folder / key
        place.parent.mkdir(parents=True, exist_ok=True)
        client(address, boto3).download_file("aiq", prefix + key, str(place))
    return folder


def started(folder: Path, raw: Mapping[str, Any]) -> Path:
    """Make a folder in which the workflow can be started: its files and a configuration, no library."""
    for name in WORKFLOW:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, place)
    (folder / "suite.yaml").write_text(yaml.safe_dump(dict(raw), sort_keys=False), encoding="utf-8")
    (folder / "nodes").mkdir()
    for name, text in (("submit.sh", SUBMIT.format(nodes=folder / "nodes")), ("status.sh", STATUS)):
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def snakemake(
    folder: Path, address: str, *arguments: str, jobs: int = 2, limit: float = 900
) -> subprocess.CompletedProcess[str]:
    """Run the workflow of a folder on nodes that share nothing; both streams come together in ``stdout``."""
    together = [f"{rule}={group}" for rule, group in GROUPS.items()]
    sizes = [f"{group}=100" for group in dict.fromkeys(GROUPS.values())]
    words = [sys.executable, "-m", "snakemake", *arguments]
    words += ["--configfile", "suite.yaml", "--nocolor", "--jobs", str(jobs)]
    words += ["--executor", "cluster-generic", "--cluster-generic-submit-cmd", str(folder / "submit.sh")]
    words += ["--cluster-generic-status-cmd", str(folder / "status.sh"), "--shared-fs-usage", "none"]
    words += ["--job-deploy-sources", "--default-storage-provider", "s3", "--default-storage-prefix", "s3://aiq/run"]
    words += ["--seconds-between-status-checks", "1", "--max-status-checks-per-second", "20"]
    words += ["--groups", *together, "--group-components", *sizes]
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PYTHONPATH": str(ROOT / "workflow"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",  # a job script calls python
        "OMP_NUM_THREADS": "1",
        "SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": address,
        "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "made-up",
        "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "made-up",
    }
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(words, cwd=folder, env=environment, check=False, timeout=limit, **streams)


def said(folder: Path) -> str:
    """Return what the jobs that failed printed, for the message of an assertion."""
    failed = [rc for rc in (folder / "nodes").glob("*.rc") if rc.read_text().strip() != "0"]
    return "\n".join(rc.with_suffix(".out").read_text(encoding="utf-8")[-3000:] for rc in failed)


def planned(done: subprocess.CompletedProcess[str]) -> set[str]:
    """Return the rules that a dry run would run."""
    assert done.returncode == 0, done.stdout
    found = set(re.findall(r"^ *(?:local)?rule (\w+):", done.stdout, re.MULTILINE))
    assert found or "Nothing to be done" in done.stdout, done.stdout
    return found
