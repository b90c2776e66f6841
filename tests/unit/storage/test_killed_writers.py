"""Killing a writer at any moment leaves whole files only."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from aiq.storage import hdf5, shards
from aiq.storage.files import TEMPORARY

# one process that has imported everything, and forks a writer for every line it is sent
NURSERY = """
    import itertools, os, sys
    import numpy as np
    from aiq.storage import shards
    numbers = np.random.default_rng(0).normal(size=100_000)
    for _ in sys.stdin:
        writer = os.fork()
        if writer == 0:
            for k in itertools.count():
                units = {f"chunk-{i:06d}": shards.Unit("a" * 16, {"x": numbers + k}) for i in range(3)}
                shards.write(f"shard-{k % 3}.h5", "trials", "b" * 16, 1, units)
        print(writer, flush=True)
        _, status = os.waitpid(writer, 0)
        print(os.WTERMSIG(status), flush=True)
"""
KILLS, SECONDS = 12, 20


def unfinished(folder: Path) -> set[Path]:
    return set(folder.glob(f".*{TEMPORARY}"))


def wait_for_a_write(folder: Path, before: set[Path]) -> None:
    """Return as soon as a new temporary file is there, so that the kill falls into the write."""
    limit = time.monotonic() + 10
    while unfinished(folder) <= before and time.monotonic() < limit:
        time.sleep(0.0002)


def test_killed_writers_leave_whole_files_only(tmp_path: Path):
    rng, started, kills = random.Random(0), time.monotonic(), 0
    nursery = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(NURSERY)], cwd=tmp_path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    while kills < KILLS and time.monotonic() - started < SECONDS:
        before = unfinished(tmp_path)
        print("fork", file=nursery.stdin, flush=True)
        writer = int(nursery.stdout.readline())
        if kills % 2:
            wait_for_a_write(tmp_path, before)
        else:
            time.sleep(rng.uniform(0.0, 0.5))
        os.kill(writer, signal.SIGKILL)
        assert int(nursery.stdout.readline()) == signal.SIGKILL
        kills += 1
        for path in tmp_path.glob("*.h5"):
            assert sorted(shards.read(path, "trials", "b" * 16)) == ["chunk-000000", "chunk-000001", "chunk-000002"]
    nursery.communicate()
    assert nursery.returncode == 0
    assert kills >= 5
    assert list(tmp_path.glob("*.h5"))
    assert unfinished(tmp_path), "no kill fell into a write: the test has shown nothing"
    for path in set(tmp_path.iterdir()) - unfinished(tmp_path):
        assert hdf5.read_header(path, "trials").seed == 1
