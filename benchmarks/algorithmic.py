"""Interactions and accepted programs per second of the algorithmic quotient, on one core.

    python benchmarks/algorithmic.py [--repeats 3] [--programs 100] [--output FOLDER]

Tables go to benchmarks/results/algorithmic.md with date and machine, and as CSV beside it. Two to three minutes on
one quiet core, half of it compilation where no compiled code is kept yet. The column *published* holds the peers: the
published program and its maintained fork, the better of the two, measured on another machine.

Compiled code and plain Python alternate on the same programs, so that the ratio holds on a busy machine too. Times
are those of the processor, without compilation. The plain loop is `plain_algorithmic.py`; for MC-AIXI, which
has none, it is the same source with compilation switched off. The best of the repeats is what the program
needs, the median what a busy machine gave.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import plain_algorithmic as reference

from aiq.wings.algorithmic.equations import Population, Program
from aiq.wings.algorithmic.equations.agents import HLQ, MCAIXI, Agent, Freq, QLearning, Random, Sarsa, TabularAgent
from aiq.wings.algorithmic.equations.machine import MachineSettings, sample_programs
from aiq.wings.algorithmic.equations.runs import Block, run_blocks
from aiq.wings.algorithmic.equations.trials import Episode, Experiment
from aiq.wings.algorithmic.settings import BLOCK

GOALS = {"Q(lambda)": 3.3e6, "HLQ(lambda)": 1.6e6, "programs": 5_000.0}
PUBLISHED = {"Random": 124_000, "Freq": 94_000, "Q(lambda)": 33_000, "HLQ(lambda)": 16_600, "programs": 63}
SMALL_AIXI = MCAIXI(10, 8, 2)
AGENTS: dict[str, Agent] = {
    "Random": Random(),
    "Freq": Freq(0.07),
    "Q(0)": QLearning(0.0, 0.0, 0.5, 0.04, 0.6),
    "Q(lambda)": QLearning(0.0, 0.5, 0.5, 0.04, 0.6),
    "HLQ(lambda)": HLQ(0.0, 0.95, 0.04, 0.7),
    "Sarsa(lambda)": Sarsa(0.0, 0.5, 0.5, 0.04, 0.6),
}


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def compiled_rate(agent: Agent, population: Population, length: int, machine: MachineSettings, pairs: int) -> float:
    """Return interactions per second over pairs on the first programs; failed pairs count in time, not in cycles."""
    experiment = Experiment(agent, Episode(length), 1, machine)
    outcomes = []
    spent = seconds(lambda: outcomes.append(run_blocks(experiment, population, [Block(0, 0, pairs)])))
    return 2 * outcomes[0].pairs * length / spent


def plain_rate(agent: TabularAgent, population: Population, length: int, programs: int) -> float:
    """Return interactions per second of the plain Python loop over one trial of each of the first programs."""
    cycles, begin = 0, time.process_time()
    for number, program in enumerate(population.programs[:programs]):
        machine = reference.Machine(program.code, 5, 1, False, reference.Stream(1, number, 0, 0))
        total = reference.run_trial(agent, machine, length, 1.0, 1, reference.Stream(1, number, 0, 1))
        cycles += length if total == total else 0
    return cycles / (time.process_time() - begin)


def plain_programs(accepted: int) -> float:
    """Return accepted programs per second of the plain sampler."""
    stream, found, begin = reference.Stream(1, 0, 0, 0), 0, time.process_time()
    while found < accepted:
        program = reference.simplify(reference.draw_program(stream), False)
        found += isinstance(reference.classify(program, 5, 1, False, stream), int)
    return found / (time.process_time() - begin)


def uncompiled_aixi() -> float:
    """Return interactions per second of MC-AIXI with compilation switched off, measured in a process of its own."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    call = [sys.executable, __file__, "--uncompiled-aixi"]
    return float(subprocess.run(call, env=environment, check=True, capture_output=True, text=True).stdout)


def row(name: str, pairs: list[tuple[float, float]]) -> dict[str, object]:
    """Return a table row from (compiled, plain) rates of the repeats."""
    fast, slow = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return {
        "name": name,
        "best": max(fast),
        "median": statistics.median(fast),
        "plain": max(slow),
        "ratio": statistics.median(a / b for a, b in pairs),
        "published": PUBLISHED.get(name),
        "goal": GOALS.get(name),
    }


def compare(population: Population, repeats: int, programs: int) -> list[dict[str, object]]:
    """Return rates of all agents and of the sampler, compiled and plain in turn."""
    settings, table = MachineSettings(), []
    for name, agent in AGENTS.items():
        compiled_rate(agent, population, 10, settings, 2)
        pairs = []
        for _ in range(repeats):
            fast = compiled_rate(agent, population, 10_000, settings, programs)
            pairs.append((fast, plain_rate(agent, population, 500, 10)))
        table.append(row(name, pairs))
    compiled_rate(SMALL_AIXI, population, 10, settings, 2)
    pairs = [(compiled_rate(SMALL_AIXI, population, 500, settings, 5), uncompiled_aixi()) for _ in range(repeats)]
    table.append(row("MC-AIXI (10 simulations, depth 8, horizon 2)", pairs))
    large = MCAIXI(100, 32, 3)
    rates = [compiled_rate(large, population, 500, settings, 2) for _ in range(repeats)]
    table.append({"name": "MC-AIXI (100, 32, 3)", "best": max(rates), "median": statistics.median(rates)})
    sampled = []
    for repeat in range(repeats):
        spent = seconds(lambda first=20 * repeat: sample_programs(3, first, first + 20))
        sampled.append((20 * BLOCK / spent, plain_programs(10)))
    table.append(row("programs", sampled))
    return table


def growth(population: Population) -> list[dict[str, object]]:
    """Return how rates change with episode length, symbols, observation cells."""
    table: list[dict[str, object]] = []
    agents = {name: AGENTS[name] for name in ("Random", "Q(lambda)", "HLQ(lambda)")}
    for length in (100, 1_000, 10_000, 100_000):
        pairs = 10 + 100_000 // length
        rates = {n: compiled_rate(a, population, length, MachineSettings(), pairs) for n, a in agents.items()}
        table.append({"varied": "episode length", "value": length, **rates})
    for symbols in (2, 5, 10, 20):
        settings = MachineSettings(symbols)
        rates = {n: compiled_rate(a, population, 5_000, settings, 20) for n, a in agents.items()}
        table.append({"varied": "symbols", "value": symbols, **rates})
    for cells in (1, 2, 3):
        settings = MachineSettings(5, cells)
        rates = {n: compiled_rate(a, population, 5_000, settings, 20) for n, a in agents.items()}
        table.append({"varied": "observation cells", "value": cells, **rates})
    return table


def markdown(table: list[dict[str, object]]) -> str:
    """Return rows as a Markdown table."""
    columns = list(table[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for line in table:
        cells = [line.get(column) for column in columns]
        lines.append("| " + " | ".join(f"{c:,.0f}" if isinstance(c, float) else str(c or "") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def machine() -> str:
    """Return date, processor, load and Python's version."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return f"{datetime.date.today()}, {model}, {load}, Python {platform.python_version()}"


def save(folder: Path, tables: dict[str, list[dict[str, object]]]) -> None:
    """Write all tables as one Markdown page and each as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    about = (
        f"{machine()}. `python benchmarks/algorithmic.py`: one core, processor time, best and median of the repeats."
    )
    page = ["# Speed of the algorithmic quotient", "", about, ""]
    for name, table in tables.items():
        page += [f"## {name}", "", markdown(table)]
        with (folder / f"algorithmic-{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(table[0]), extrasaction="raise", lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
    (folder / "algorithmic.md").write_text("\n".join(page), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", help="folder of the tables")
    parser.add_argument("--uncompiled-aixi", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.uncompiled_aixi:
        warnings.simplefilter("ignore", RuntimeWarning)  # 64-bit words overflow on purpose
        population = Population([reference_program() for _ in range(2)], stratified=False)
        print(compiled_rate(SMALL_AIXI, population, 20, MachineSettings(), 1))
        return
    population = Population(sample_programs(1, 0, 10).programs, stratified=False)
    rates, grown = compare(population, options.repeats, options.programs), growth(population)
    print(markdown(rates))
    print(markdown(grown), flush=True)
    save(options.output, {"rates": rates, "growth": grown})


def reference_program() -> Program:
    """Return a program of middling length for the uncompiled run, which cannot afford the sampler."""
    return Program(20, ",>+.<[.+]>,-#")


if __name__ == "__main__":
    main()
