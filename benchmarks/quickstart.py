"""How much faster the quickstart's training is by populations than by the one-policy reference.

    python benchmarks/quickstart.py            # all domains and pairs, the reference on a part of the repetitions
    python benchmarks/quickstart.py --share 4  # every fourth chunk, pair and agent's repetition of either
    python benchmarks/quickstart.py --stage mixtures   # one stage only

Trains what config/quickstart.yaml trains (pool, mixtures, agents), one thread, by either trainer in turn, domain by
domain and pair by pair. The reference trains the mixtures of one repetition of five, for its time is in proportion;
times are given for all that the configuration asks for.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from stages import Time, agents, configuration, loaded, mixtures, pairs, trials

from aiq.training.data import LabelledData

CONFIGURATION = Path(__file__).parents[1] / "config" / "quickstart.yaml"
TRAINERS = ("reference", "population")


def main() -> None:
    """Train, time and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=int, default=1, help="train every so many-th chunk, pair and repetition only")
    parser.add_argument("--stage", choices=["trials", "mixtures", "agents"], action="append", help="this stage only")
    given = parser.parse_args()
    share = given.share
    configurations = {trainer: configuration(CONFIGURATION, trainer) for trainer in TRAINERS}
    c = configurations["reference"]
    found = loaded(c, list(c.domains), None)
    data = {name: LabelledData.of(domain) for name, domain in found.items()}
    repetitions = {"reference": [0], "population": range(c.dissimilarity.repetitions)}
    stages: dict[str, tuple[int, list[Callable[[str], Time]]]] = {
        "trials": (
            len(c.domains) * c.pool.size,
            [
                lambda t, n=name, k=chunk: trials(configurations[t], n, data[n], [k])[0]
                for name in data
                for chunk in range(0, c.pool.chunks, share)
            ],
        ),
        "mixtures": (
            len(pairs(c)) * len(c.dissimilarity.points) * c.dissimilarity.repetitions,
            [
                lambda t, a=a, b=b: mixtures(configurations[t], found[a], found[b], repetitions[t])
                for a, b in pairs(c)[::share]
            ],
        ),
        "agents": (
            len(c.domains) * len(c.agents.networks) * c.agents.repetitions,
            [
                lambda t, n=name: agents(configurations[t], n, data[n], range(0, c.agents.repetitions, share))
                for name in data
            ],
        ),
    }
    whole = dict.fromkeys(TRAINERS, 0.0)
    for stage, (asked, parts) in stages.items():
        if given.stage and stage not in given.stage:
            continue
        spent = {trainer: Time() for trainer in TRAINERS}
        for part in parts:
            for trainer, time in spent.items():
                some = part(trainer)
                time.add(some.trainings, some.seconds)
        for trainer, time in spent.items():
            whole[trainer] += time.each * asked
            print(f"{stage}, {trainer}: {time}, {time.each * asked:.1f} s for all {asked}", flush=True)
        print(f"{stage}: {spent['reference'].each / spent['population'].each:.2f} times as fast", flush=True)
    print(
        f"together: {whole['reference']:.0f} s and {whole['population']:.0f} s on one core, "
        f"{whole['reference'] / whole['population']:.2f} times as fast"
    )


if __name__ == "__main__":
    main()
