"""How fast trainings on a device are, one chunk and several side by side, against vmap and one policy at a time."""

from __future__ import annotations

import math
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from gpu_checks import Row
from training_contenders import PROPORTIONS, SEED, Case, one_at_a_time, ours, pictures, vmap

from aiq.records.trial import Architecture
from aiq.training.data import LabelledData, mixed
from aiq.training.device import Start, computing, rehearsal, room, side_by_side
from aiq.training.supervised import train_chunk_by_turns, train_mixtures_by_turns

SIDE_BY_SIDE = 4
"""Chunks that train at the same time where that is timed."""

WANTED = {"one at a time": 4.0, "vmap": 1.5, "one chunk alone": 1.2}
"""How many times as fast as each peer ours should at least be; side by side against one chunk alone."""

BUSY = 0.5
"""Share of the time in which the GPU should at least compute while several chunks train."""

NO_GPU = "no GPU"
"""Verdict on what was measured on a CPU: it says nothing about a GPU."""

Contender = Callable[[int], float]
"""Trains in a round of a number and returns how many million samples its networks saw."""


@dataclass(frozen=True)
class Load:
    """What was seen of a device while something ran: shares in [0, 1], NaN where nothing tells them."""

    busy: float
    peak: int
    modelled: int


def cases(device: str, quick: bool) -> tuple[Case, ...]:
    """Return what is timed; the peers train fewer policies, as their time grows with each."""
    base = Case("dense, batch 32", border=2, samples=8000, epochs=4, peer_policies=4, device=device)
    found = (
        base,
        replace(base, name="dense, batch 128", batch=128, epochs=8),
        replace(base, name="dense, up to 144 wide", width=(1, 144)),
        Case("mixtures, 11 x 5", "mixture", 32, (32, 32), (2, 2), samples=4000, epochs=4, border=2, device=device),
        Case(
            "convolutional", "convolutional", 8, layers=(1, 2), samples=1600, epochs=4, peer_policies=4, device=device
        ),
    )
    if not quick:
        return found
    small = {"samples": 192, "epochs": 1, "side": 12, "policies": 4, "peer_policies": 2}
    return tuple(replace(case, **small) for case in found)


def rows(case: Case, device: torch.device, rounds: int, until: float) -> list[Row]:
    """Return the lines of one case; contenders take turns, the first round warms up and is not counted.

    Args:
        case: what is trained.
        device: where.
        rounds: counted rounds of each contender.
        until: time of ``time.monotonic`` after which no further round begins.
    """
    with computing(1, device), _as_on_a_gpu(device):
        found, loads = _timed(contenders(case, device), device, rounds, until)
    if min(map(len, found.values())) == 0:
        return [Row("speed", case.name, math.nan, "", "not run", "the time was up")]
    rates = {name: statistics.median(each) for name, each in found.items()}
    lines = [
        Row("rate", f"{case.name}, {name}", rate, "", "told", "million samples a second, of all networks together")
        for name, rate in rates.items()
    ]
    lines += [*_ratios(case, rates), *_of_loads(case, loads)]
    return lines if device.type == "cuda" else [replace(line, verdict=NO_GPU) for line in lines]


def _ratios(case: Case, rates: dict[str, float]) -> list[Row]:
    """Return how many times as fast as each peer ours is, the better of one chunk and several."""
    best, found = max(rates["ours"], rates["ours, side by side"]), []
    for peer, wanted in WANTED.items():
        rate = rates["ours"] if peer == "one chunk alone" else rates.get(peer)
        if rate:
            ratio = (rates["ours, side by side"] if peer == "one chunk alone" else best) / rate
            verdict = "yes" if ratio >= wanted else "no"
            found.append(Row("faster by", f"{case.name}, than {peer}", ratio, f"at least {wanted:g}", verdict))
    return found


def _of_loads(case: Case, loads: dict[str, Load]) -> list[Row]:
    """Return what was seen of the device."""
    found = []
    for name in ("ours", "ours, side by side"):
        load = loads[name]
        busy = Row("utilisation", f"{case.name}, {name}", load.busy, "", "told", "as nvidia-smi tells it")
        if math.isnan(load.busy):
            busy = replace(busy, verdict="not run", note="nvidia-smi is not there")
        elif name != "ours":
            busy = replace(busy, wanted=f"at least {BUSY:g}", verdict="yes" if load.busy >= BUSY else "no")
        found.append(busy)
        held = Row("memory", f"{case.name}, {name}", load.peak / 1e6, "", "told", "megabytes at the peak")
        if load.peak:
            within = "yes" if load.peak <= load.modelled else "no"
            held = replace(held, wanted=f"at most {load.modelled / 1e6:.0f}", verdict=within)
        found.append(held)
    return found


# ---- contenders --------------------------------------------------------------------------------


def contenders(case: Case, device: torch.device) -> dict[str, tuple[Contender, int]]:
    """Return who trains, with the bytes that the model of memory says it holds."""
    seen = case.samples * case.epochs / 1e6
    own, peer, starts = ours(case), one_at_a_time(case), starter(case, device)
    found: dict[str, Contender] = {
        "ours": lambda number: len(own(number)) * seen,
        "ours, side by side": lambda number: _crowd(starts(number), device) * seen,
        "one at a time": lambda number: len(peer(number)) * seen,
    }
    if case.family == "dense":
        mapped = vmap(case)
        found["vmap"] = lambda number: len(mapped(number)) * seen
    demands = [next(start()) for start in starts(0).values()]
    held = {"ours": demands[0], "ours, side by side": sum(demands)}
    return {name: (train, held.get(name, 0)) for name, train in found.items()}


def starter(case: Case, device: torch.device) -> Callable[[int], dict[str, Start[Sequence[object]]]]:
    """Return what gives, for a round, what starts several chunks of a case, each with an order of its own."""
    if case.family == "mixture":
        pair = mixed(pictures(case, "one", 1), pictures(case, "two", 2))
        network = Architecture("dense", (case.width[1],) * case.layers[1])
        told = {"proportions": PROPORTIONS, "samples": case.samples, "seed": SEED, "device": device}

        def start(chunk: int) -> Start[Sequence[object]]:
            call = {**told, "repetitions": range(5 * chunk, 5 * chunk + 5)}
            return lambda: train_mixtures_by_turns(pair, network, case.settings, **call)
    else:
        data, policies = LabelledData.of(pictures(case)), case.chunk()

        def start(chunk: int) -> Start[Sequence[object]]:
            return lambda: train_chunk_by_turns(data, policies, case.settings, order_seed=chunk, device=device)

    return lambda number: {f"chunk {k}": start(SIDE_BY_SIDE * number + k) for k in range(SIDE_BY_SIDE)}


def _crowd(starts: dict[str, Start[Sequence[object]]], device: torch.device) -> int:
    """Train chunks side by side and return how many networks they were."""
    budget = room(device, 0.8) if device.type == "cuda" else 2**40
    return sum(len(found) for _, found in side_by_side(starts, budget, device))


# ---- measuring ---------------------------------------------------------------------------------


def _timed(
    who: dict[str, tuple[Contender, int]], device: torch.device, rounds: int, until: float
) -> tuple[dict[str, list[float]], dict[str, Load]]:
    """Return the rates of every contender in each counted round, and what was seen of the device."""
    rates: dict[str, list[float]] = {name: [] for name in who}
    loads: dict[str, Load] = {}
    for number in range(rounds + 1):
        for name, (train, modelled) in who.items():
            if time.monotonic() > until:
                return rates, loads
            if device.type == "cuda":
                torch.cuda.reset_peak_memory_stats(device)
                before = torch.cuda.memory_allocated(device)
            with _watched(device) as busy:
                begun = time.perf_counter()
                seen = train(number)
                if device.type == "cuda":
                    torch.cuda.synchronize(device)
                seconds = time.perf_counter() - begun
            peak = torch.cuda.max_memory_allocated(device) - before if device.type == "cuda" else 0
            loads[name] = Load(statistics.mean(busy) if busy else math.nan, peak, modelled)
            if number:
                rates[name].append(seen / seconds)
    return rates, loads


@contextmanager
def _watched(device: torch.device) -> Iterator[list[float]]:
    """Ask nvidia-smi five times a second how busy the device is; the list is filled at the end."""
    found: list[float] = []
    program = shutil.which("nvidia-smi") if device.type == "cuda" else None
    if program is None:
        yield found
        return
    query = ["--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-lms", "200"]
    watch = subprocess.Popen([program, f"--id={device.index or 0}", *query], stdout=subprocess.PIPE, text=True)
    try:
        yield found
    finally:
        watch.terminate()
        told, _ = watch.communicate()
        found += [float(line) / 100 for line in told.splitlines() if line.strip().isdigit()]


@contextmanager
def _as_on_a_gpu(device: torch.device) -> Iterator[None]:
    """Rehearse where there is no GPU."""
    if device.type == "cuda":
        yield
        return
    with rehearsal():
        yield
