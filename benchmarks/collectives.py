"""Milliseconds per episode of every kind of group in Lambda*, on one core.

    python benchmarks/collectives.py [--episodes 200] [--repeats 5] [--sides 5 10 20] [--output FOLDER]

The table goes to benchmarks/results/collectives.md with date and machine, and as CSV beside it; under a minute on a
quiet core. The settings are the paper's: 5 agents, 50 iterations, 100 training passes. Times are those of the
processor, without compilation; the best of the repeats is what the program needs, the median what a
busy machine gave. The peer is the public C++ program (Chmait), which needs 28 to 51 ms per episode for its 13 kinds
(measured on another machine, so it gives a size, not a ratio).
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import statistics
import time
from pathlib import Path

from aiq.wings.collectives.equations import KINDS, Settings
from aiq.wings.collectives.equations.simulation import simulate

PEER = "public C++ program, 13 kinds together: 28 to 51 ms an episode"
GOAL = "goal: 1 ms an episode for all kinds together"


def milliseconds(kinds: list[str], settings: Settings, episodes: int, repeats: int) -> tuple[float, float]:
    """Return the best and the median processor time per episode."""
    simulate(kinds, settings, 0, 0, 2)
    times = []
    for repeat in range(repeats):
        begin = time.process_time()
        simulate(kinds, settings, 0, repeat * episodes, episodes)
        times.append((time.process_time() - begin) / episodes * 1e3)
    return min(times), statistics.median(times)


def machine() -> str:
    """Return date, processor, load and Python's version."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return f"{datetime.date.today()}, {model}, {load}, Python {platform.python_version()}"


def save(folder: Path, lines: list[str], rows: list[dict[str, object]]) -> None:
    """Write the table as a page and as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    about = (
        f"{machine()}. `python benchmarks/collectives.py`: one core, processor time, best and median of the repeats."
    )
    page = ["# Speed of collectives", "", about, "", *lines, "", f"Peer: {PEER}; {GOAL}.", ""]
    (folder / "collectives.md").write_text("\n".join(page), encoding="utf-8")
    with (folder / "collectives.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sides", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", help="folder of the table")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    lines = ["| side | kinds | best ms per episode | median |", "|---|---|---|---|"]
    print("\n".join(lines))
    for side in options.sides:
        settings = Settings(rows=side, columns=side)
        for name, kinds in [(kind, [kind]) for kind in KINDS] + [("all together", list(KINDS))]:
            best, median = milliseconds(kinds, settings, options.episodes, options.repeats)
            rows.append({"side": side, "kinds": name, "best_ms": round(best, 4), "median_ms": round(median, 4)})
            lines.append(f"| {side} | {name} | {best:.4f} | {median:.4f} |")
            print(lines[-1], flush=True)
    save(options.output, lines, rows)
    print(f"{PEER}; {GOAL}; saved to {options.output}")


if __name__ == "__main__":
    main()
