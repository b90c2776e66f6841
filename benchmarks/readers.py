"""Time and memory of reading ten million scores of items from one CSV file: python benchmarks/readers.py [rows].

Writes benchmarks/results/readers.csv. The file is made in a temporary folder: 100 agents, 5 tries an item.
"""

import csv
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results" / "readers.csv"
AGENTS, EPOCHS = 100, 5
READ = """
import resource, sys, time
from aiq.readers import read
began = time.process_time()
found = read(sys.argv[1])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(found.n, round(time.process_time() - began, 1), round(peak, 2))
"""


def make(path: Path, rows: int) -> None:
    items = rows // AGENTS // EPOCHS
    rng = np.random.default_rng(0)
    with path.open("w") as out:
        out.write("agent,item,score,test,cluster,epoch\n")
        for agent in range(AGENTS):
            scores = rng.random((items, EPOCHS)) < 0.6
            out.writelines(
                f"model-{agent},question-{i},{scores[i, e]:d},test {i % 10},passage-{i // 8},{e + 1}\n"
                for i in range(items)
                for e in range(EPOCHS)
            )


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        make(path, rows)
        began = time.perf_counter()
        told = subprocess.run(
            [sys.executable, "-c", READ, str(path)], check=True, capture_output=True, text=True
        ).stdout
        wall = time.perf_counter() - began
    count, seconds, peak = told.split()
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["rows", "core_seconds", "wall_seconds", "peak_gb"])
        writer.writerow([count, seconds, round(wall, 1), peak])
    print(told, round(wall, 1), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6)


if __name__ == "__main__":
    main()
