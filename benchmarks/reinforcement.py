"""Deep Q-learning on CartPole: environment steps a second, and learning, of this project's trainer and of peers.

    python benchmarks/reinforcement.py               # speed, writes benchmarks/results/reinforcement.md
    python benchmarks/reinforcement.py --learning    # learning, writes benchmarks/results/reinforcement-learning.md
    python benchmarks/reinforcement.py --quick       # little of both, to see that it runs; writes nothing

Every contender runs in a process of its own with one thread; processes take turns, one round each, so that a busy
machine disturbs all alike. Needs the packages of the extra ``bench``.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import multiprocessing
import os
import platform
import statistics
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from reinforcement_contenders import AGENTS, CONTENDERS, learned, versions
from scipy import stats

RESULTS = Path(__file__).parent / "results"
REACHED = 195
AGENT_TABLE = "reinforcement-learning.csv"


def work(pipe: Connection, name: str) -> None:
    """Run a round whenever told its number of steps, and answer with environment steps a second and a CPU second."""
    torch.set_num_threads(1)
    advance = CONTENDERS[name]()
    pipe.send("ready")
    while (steps := pipe.recv()) is not None:
        taken, seconds, processor = advance(steps)
        pipe.send((taken / seconds, taken / processor))


class Worker:
    """A contender in a process of its own."""

    def __init__(self, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, name), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()

    def round(self, steps: int) -> tuple[float, float]:
        """Return the environment steps a second, and a second of processor time, of one round."""
        self._pipe.send(steps)
        return self._pipe.recv()

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()


def speed(rounds: int, steps: int) -> str:
    """Return the table of speeds: contenders take turns, the first round warms up and is not counted."""
    workers = {name: Worker(name) for name in CONTENDERS}
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
    for number in range(rounds + 1):
        for name, worker in workers.items():
            rate = worker.round(steps)
            if number:
                rates[name].append(rate)
    for worker in workers.values():
        worker.close()
    lines = [
        "| contender | steps a second | steps a processor second | ours is faster by | by processor time | its range |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, found in rates.items():
        wall, processor = (
            sorted(ours[kind] / theirs[kind] for ours, theirs in zip(rates["ours"], found, strict=True))
            for kind in (0, 1)
        )
        medians = [statistics.median(rate[kind] for rate in found) for kind in (0, 1)]
        lines.append(
            f"| {name} | {medians[0]:,.0f} | {medians[1]:,.0f} | {statistics.median(wall):.0f} | "
            f"{statistics.median(processor):.0f} | {processor[0]:.0f} to {processor[-1]:.0f} |"
        )
    told = (
        f"CartPole of 200 steps; {AGENTS} agents of 1 to 3 layers of 1 to 32 nodes (peers: the same agents, one at a "
        f"time, another one every round); batch 32, one update every step, replay 50,000, Adam, soft targets after "
        f"every update, epsilon-greedy. {rounds} alternating rounds of {steps} steps an agent; medians, ratios within "
        "a round. Evaluation and the making of agents are not in the time."
    )
    return "\n\n".join(["# Deep Q-learning: environment steps a second", describe(), told, "\n".join(lines)]) + "\n"


def learning(seeds: int, steps: int, folder: Path | None) -> str:
    """Return the table of learning: the same settings and steps, the share of agents that balance the pole.

    What each agent gave is added to a table of the folder as it comes; agents that it holds already are not trained
    again.
    """
    found: dict[str, tuple[list[float], list[float], float]] = {}
    for name in ("ours", "Stable-Baselines3"):
        rows = known(folder, name, steps)
        for agents in learned(name, [seed for seed in range(seeds) if seed not in rows], steps):
            rows |= agents
            keep(folder, name, steps, agents)
        best, last, seconds = zip(*(rows[seed] for seed in range(seeds)), strict=True)
        found[name] = (list(best), list(last), sum(seconds))
    lines = [
        "| contender | agents | best checkpoint reaches 195 | last weights do | mean, best | mean, last | CPU min |",
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


def known(folder: Path | None, name: str, steps: int) -> dict[int, tuple[float, float, float]]:
    """Return seed -> (mean return of the best checkpoint, of the last weights, seconds) of agents trained before."""
    if folder is None or not (folder / AGENT_TABLE).exists():
        return {}
    with (folder / AGENT_TABLE).open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["contender"] == name and int(row["steps"]) == steps]
    return {int(r["seed"]): (float(r["best"]), float(r["last"]), float(r["seconds"])) for r in rows}


def keep(folder: Path | None, name: str, steps: int, agents: dict[int, tuple[float, float, float]]) -> None:
    """Add agents to the folder's table."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    new = not (folder / AGENT_TABLE).exists()
    with (folder / AGENT_TABLE).open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(("contender", "steps", "seed", "best", "last", "seconds"))
        writer.writerows((name, steps, seed, *(f"{value:.3f}" for value in row)) for seed, row in agents.items())


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
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    given = parser.parse_args()
    if given.quick:
        print(speed(1, 256))
        print(learning(2, 1000, None))
        return
    if given.learning:
        text, name = learning(given.seeds, given.steps or 10_000, given.output), "reinforcement-learning.md"
    else:
        text, name = speed(given.rounds, given.steps or 1024), "reinforcement.md"
    print(text)
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / name).write_text(text)


if __name__ == "__main__":
    main()
