"""Progress as a person sees it, in Snakemake itself: lines in a log, a table on a terminal, a summary."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tiny

pytestmark = pytest.mark.workflow

WORKFLOW = """
rule all:
    input: expand("made/{i}.txt", i=range(3)), "bad.txt"

rule make:
    output: "made/{i}.txt"
    log: "logs/make-{i}.log"
    shell: "sleep 0.2; touch {output} 2> {log}"

rule spoil:
    output: "bad.txt"
    log: "logs/bad.log"
    shell: "echo no good > {log}; exit 1"
"""
COMMAND = [sys.executable, "-m", "snakemake", "--cores", "2", "--keep-going", "--retries", "1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Snakefile").write_text(WORKFLOW)
    return tmp_path


def test_in_a_log_and_from_a_profile(folder: Path):
    profile = ["--profile", str(tiny.ROOT / "profiles" / "local"), "--logger-aiq-every", "1"]
    done = subprocess.run([*COMMAND, *profile], **tiny.how(folder), check=False, timeout=120)
    assert done.returncode == 1
    text = done.stdout
    assert re.search(r"^\d\d:\d\d:\d\d 0 of 4 jobs done, 0 running, 0 failed, time left not known yet$", text, re.M)
    assert re.search(r"^\d\d:\d\d:\d\d 3 of 4 jobs done, 0 running, 1 failed \| spoil 0/1 \(1 failed\)$", text, re.M)
    assert re.search(r"^FAILED spoil after \d+ s: bad.txt; logs: logs/bad.log$", text, re.M)
    assert re.search(r"^  FAILED spoil \(attempt 2\) after \d+ s: bad.txt; logs: logs/bad.log$", text, re.M)
    assert re.search(r"^3 of 4 jobs done, 1 failed, 0 not run, in \d+ s$", text, re.M)
    assert "Building DAG" not in text
    assert "rule make:" not in text
    kept = next((folder / ".snakemake" / "log").glob("*.log")).read_text("utf-8")
    assert "rule make:" in kept


def test_on_a_terminal(folder: Path):
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(
        [*COMMAND, "made/0.txt", "--logger", "aiq"], cwd=folder, env=environment, stdout=slave, stderr=slave
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    assert process.wait(60) == 0
    text = shown.decode()
    assert re.search(r"stage.*done.*running.*failed", text)
    assert "\x1b[" in text  # drawn over and over
    assert "1 of 1 jobs done, in " in text
