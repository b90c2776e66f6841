"""Milliseconds per episode of every kind of group in Lambda*, on one core.

    python benchmarks/collectives.py [--episodes 200] [--repeats 5] [--sides 5 10 20] [--out FILE]

The settings are the paper's: 5 agents, 50 iterations, 100 training passes. Times are those of the
processor, without compilation; the best of the repeats is what the program needs, the median what a
busy machine gave. The public C++ program needs 28 to 51 ms per episode for its 13 kinds (measured on
another machine, so it gives a size, not a ratio).
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from pathlib import Path

from aiq.collectives import KINDS, Settings, simulate

PEER = "public C++ program, 13 kinds: 28 to 51 ms"


def milliseconds(kinds: list[str], settings: Settings, episodes: int, repeats: int) -> tuple[float, float]:
    """Return the best and the median processor time per episode."""
    simulate(kinds, settings, 0, 0, 2)
    times = []
    for repeat in range(repeats):
        begin = time.process_time()
        simulate(kinds, settings, 0, repeat * episodes, episodes)
        times.append((time.process_time() - begin) / episodes * 1e3)
    return min(times), statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sides", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--out", type=Path, default=Path(".benchmarks/collectives.json"))
    options = parser.parse_args()
    table = []
    print("| side | kinds | best ms per episode | median |\n|---|---|---|---|")
    for side in options.sides:
        settings = Settings(rows=side, columns=side)
        for name, kinds in [(kind, [kind]) for kind in KINDS] + [("all together", list(KINDS))]:
            best, median = milliseconds(kinds, settings, options.episodes, options.repeats)
            table.append({"side": side, "kinds": name, "best_ms": best, "median_ms": median})
            print(f"| {side} | {name} | {best:.4f} | {median:.4f} |", flush=True)
    print(PEER)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    about = {"episodes": options.episodes, "repeats": options.repeats, "machine": platform.processor(), "peer": PEER}
    options.out.write_text(json.dumps({**about, "table": table}, indent=1) + "\n")
    print(f"saved to {options.out}")


if __name__ == "__main__":
    main()
