"""Deep Q-learning on CartPole: environment steps a second, and learning, of this project's trainer and of peers.

    python benchmarks/reinforcement.py               # speed, writes benchmarks/results/reinforcement.md
    python benchmarks/reinforcement.py --learning    # learning, writes benchmarks/results/reinforcement-learning.md
    python benchmarks/reinforcement.py --quick       # little of both, to see that it runs; writes nothing

Every contender runs in a process of its own with one thread; processes take turns, one round each, so that a busy
machine disturbs all alike. Needs the packages of the extra ``bench``.
"""

from __future__ import annotations

import argparse
import datetime
import multiprocessing
import os
import platform
import statistics
import time
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from reinforcement_contenders import AGENTS, CONTENDERS, learned, versions
from scipy import stats

RESULTS = Path(__file__).parent / "results"
PEERS = ("Stable-Baselines3", "plain loop")
REACHED = 195


def work(pipe: Connection, name: str) -> None:
    """Run a round whenever told its number of steps, and answer with environment steps a second."""
    torch.set_num_threads(1)
    advance = CONTENDERS[name]()
    pipe.send("ready")
    while (steps := pipe.recv()) is not None:
        began = time.perf_counter()
        taken = advance(steps)
        pipe.send(taken / (time.perf_counter() - began))


class Worker:
    """A contender in a process of its own."""

    def __init__(self, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, name), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()

    def round(self, steps: int) -> float:
        """Return the environment steps a second of one round."""
        self._pipe.send(steps)
        return float(self._pipe.recv())

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()


def speed(rounds: int, steps: int) -> str:
    """Return the table of speeds: contenders take turns, the first round warms up and is not counted."""
    workers = {name: Worker(name) for name in CONTENDERS}
    rates: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for number in range(rounds + 1):
        for name, worker in workers.items():
            rate = worker.round(steps)
            if number:
                rates[name].append(rate)
    for worker in workers.values():
        worker.close()
    lines = [
        "| contender | environment steps a second, median | best round | ours is faster by | over the rounds |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, found in rates.items():
        ratios = sorted(a / b for a, b in zip(rates["ours"], found, strict=True))
        lines.append(
            f"| {name} | {statistics.median(found):,.0f} | {max(found):,.0f} | {statistics.median(ratios):.1f} | "
            f"{ratios[0]:.1f} to {ratios[-1]:.1f} |"
        )
    told = (
        f"CartPole of 200 steps; {AGENTS} agents of 1 to 3 layers of 1 to 32 nodes (peers: the same agents, one at a "
        f"time, another one every round); batch 32, one update every step, replay 50,000, Adam, soft targets after "
        f"every update, epsilon-greedy. {rounds} alternating rounds of {steps} steps an agent; ratios within a round, "
        "medians. Evaluation and the making of agents are not in the time."
    )
    return "\n\n".join(["# Deep Q-learning: environment steps a second", describe(), told, "\n".join(lines)]) + "\n"


def learning(seeds: int, steps: int) -> str:
    """Return the table of learning: the same settings and steps, the share of agents that balance the pole."""
    found = {name: learned(name, seeds, steps) for name in ("ours", "Stable-Baselines3")}
    lines = [
        "| contender | agents | best checkpoint reaches 195 | last weights do | mean return, best | last | minutes |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, (best, last, seconds) in found.items():
        shares = [interval(sum(value >= REACHED for value in values), seeds) for values in (best, last)]
        lines.append(
            f"| {name} | {seeds} | {shares[0]} | {shares[1]} | {statistics.mean(best):.1f} | "
            f"{statistics.mean(last):.1f} | {seconds / 60:.2f} |"
        )
    counts = [[sum(v >= REACHED for v in found[n][i]) for n in found] for i in (0, 1)]
    tests = [stats.fisher_exact([[c, seeds - c] for c in pair]).pvalue for pair in counts]
    told = (
        f"CartPole of 200 steps, network 2 x 64, {steps:,} steps an agent, one update every second step, batch 64, "
        "Adam 1e-3, replay 50,000, learning from step 500 on, discount 0.99, Huber loss, soft target (0.01) after "
        "every update, epsilon from 1 to 0.05 over the first 20 %, no double Q-learning, no clipping of gradients: "
        "the same for both. Every 1,000 steps 10 greedy episodes; the best checkpoint by these and the last weights "
        "are measured on 100 fresh episodes each, by the same code. Shares with exact 95 % intervals (Clopper and "
        f"Pearson); Fisher's exact test of equal shares: p = {tests[0]:.2g} (best), {tests[1]:.2g} (last)."
    )
    return "\n\n".join(["# Deep Q-learning: what is learnt", describe(), told, "\n".join(lines)]) + "\n"


def interval(hits: int, n: int) -> str:
    """Return a share with its exact interval."""
    low, high = stats.binomtest(hits, n).proportion_ci(0.95, "exact")
    return f"{hits / n:.0%} ({low:.0%} to {high:.0%})"


def describe() -> str:
    """Return when, where and how this was measured."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"Measured {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC on {platform.machine()}, "
        f"{os.cpu_count()} cores, load {load}, Python {platform.python_version()}, {versions()}, one thread a process; "
        "nothing here was measured on a GPU."
    )


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learning", action="store_true", help="compare what is learnt instead of the speed")
    parser.add_argument("--quick", action="store_true", help="little of both, to see that it runs; writes nothing")
    parser.add_argument("--seeds", type=int, default=20, help="agents of each contender (learning)")
    parser.add_argument("--steps", type=int, help="steps an agent (default: speed 1,024 a round, learning 10,000)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds (speed)")
    given = parser.parse_args()
    if given.quick:
        print(speed(1, 256))
        print(learning(2, 1000))
        return
    if given.learning:
        text, name = learning(given.seeds, given.steps or 10_000), "reinforcement-learning.md"
    else:
        text, name = speed(given.rounds, given.steps or 1024), "reinforcement.md"
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(text)


if __name__ == "__main__":
    main()
