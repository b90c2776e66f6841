"""What ends of domains with controls cost beside ends of pairs: processor seconds of actual trainings.

``python benchmarks/ends.py NAME --rounds N`` trains with network, batches and epochs of ``config/NAME.yaml`` on
pictures of random pixels (times do not hang on what they show): one chunk of each kind in turn, a pair with its own
ends, a pair without them, the ends of a domain, its controls as many times as mixtures and three fifths as many. What
a suite costs is the number of its chunks of each kind times their median seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from aiq.config.load import read
from aiq.domains.base import DataSheet, LabelledDomain
from aiq.plans.run import SuiteRun
from aiq.policies import networks
from aiq.training.data import LabelledData, mixed
from aiq.training.supervised import train_alone, train_mixtures

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"benchmark-images": (5000, 1000, 32), "quickstart": (900, 450, 8)}
"""Samples of the training and of the test split, and the side of a picture."""
SUITES = (4, 7, 8, 9, 12, 20, 40)


def domain(name: str, train: int, test: int, side: int) -> LabelledDomain:
    """Return pictures of random pixels in ten classes."""
    rng = np.random.default_rng(len(name))
    x = rng.integers(0, 256, (train + test, 1, side, side), dtype=np.uint8)
    y = rng.integers(0, 10, train + test)
    sheet = DataSheet("random pixels", "none", "none", (0, 255))
    return LabelledDomain(name, x[:train], y[:train], x[train:], y[train:], name, 10, sheet)


def kinds(config: str) -> dict[str, Callable[[], object]]:
    """Return what trains one chunk of each kind."""
    settings = SuiteRun.of(read(ROOT / "config" / f"{config}.yaml")).configuration.dissimilarity
    network = networks.from_network(settings.network)
    one, two = (domain(name, *SIZES[config]) for name in ("one", "other"))
    joint, single = mixed(one, two), LabelledData.of(one)
    single = replace(single, outputs=joint.outputs)
    each, told = settings.repetitions_per_chunk, {"samples": len(one.train_y), "seed": 1}

    def mixtures(points: tuple[float, ...]) -> object:
        return train_mixtures(joint, network, settings.training, proportions=points, repetitions=range(each), **told)

    def alone(shares: tuple[float, ...], times: int) -> object:
        places = [(share, r) for share in shares for r in range(times)]
        return train_alone(single, network, settings.training, places=places, **told)

    return {
        "pair with ends": lambda: mixtures(settings.points),
        "pair": lambda: mixtures(settings.points[1:-1]),
        "ends": lambda: alone((1.0,), 3 * each),
        "controls": lambda: alone(settings.shares, each),
        "fewer controls": lambda: alone(settings.shares, -(-3 * each // 5)),
    }


def main() -> None:
    """Train in turns and print what suites cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", choices=sorted(SIZES))
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    works = kinds(chosen.config)
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for number in range(chosen.rounds + 1):
        for name, work in works.items():
            began = time.process_time()
            work()
            spent = time.process_time() - began
            print(f"round {number}, {name}: {spent:.2f} s", flush=True)
            if number:  # the first round warms up
                seconds[name].append(spent)
    middle = {name: float(np.median(found)) for name, found in seconds.items()}
    print(json.dumps({"config": chosen.config, "rounds": chosen.rounds, "seconds": middle,
                      "least": {name: min(found) for name, found in seconds.items()}}))  # fmt: skip
    for count in SUITES:
        pairs = count * (count + 1) // 2
        before = pairs * middle["pair with ends"]
        ends = pairs * middle["pair"] + count * middle["ends"]
        for name in ("controls", "fewer controls"):
            after = ends + count * middle[name]
            share = after / before - 1
            print(f"{count} domains: {before:.1f} s, with ends of domains and {name} {after:.1f} s ({share:+.1%})")


if __name__ == "__main__":
    main()
