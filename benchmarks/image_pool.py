"""The image benchmark's pool by the population trainer at four times its size, and by the one-policy reference.

    python benchmarks/image_pool.py --data-root FOLDER                  # all domains
    python benchmarks/image_pool.py --data-root FOLDER --domain mnist   # one of them
    python benchmarks/image_pool.py --data-root FOLDER --share 4        # a quarter of the chunks of either

Trains the trials stage of config/benchmark-images.yaml, one thread: ``trainer: reference`` with the pool as
configured (64), ``trainer: population`` with four times as many policies, a chunk of the one and four of the other in
turn. Says both times; with ``--share`` those of a part.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from stages import Time, configuration, loaded, trials

from aiq.training.data import LabelledData

CONFIGURATION = Path(__file__).parents[1] / "config" / "benchmark-images.yaml"
TIMES = 4


def main() -> None:
    """Train, time and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-root", help="folder of the data sets (default: as configured)")
    parser.add_argument("--domain", action="append", help="this domain only; may be given more than once")
    parser.add_argument("--share", type=int, default=1, help="train every so many-th chunk of either pool only")
    given = parser.parse_args()
    one = configuration(CONFIGURATION, "reference")
    many = configuration(CONFIGURATION, "population", TIMES * one.pool.size)
    names = given.domain or list(one.domains)
    total = {"reference": Time(), "population": Time()}
    for name, domain in loaded(one, names, given.data_root).items():
        data, spent, scores = LabelledData.of(domain), {key: Time() for key in total}, {key: [] for key in total}
        for chunk in range(0, one.pool.chunks, given.share):
            for key, c, chunks in (
                ("reference", one, [chunk]),
                ("population", many, range(chunk * TIMES, (chunk + 1) * TIMES)),
            ):
                found, performances = trials(c, name, data, chunks)
                spent[key].add(found.trainings, found.seconds)
                scores[key] += performances
        for key, time in spent.items():
            total[key].add(time.trainings, time.seconds)
            print(f"{name}, {key}: {time}, mean accuracy {statistics.mean(scores[key]):.4f}", flush=True)
    for key, time in total.items():
        print(f"all, {key}: {time}")
    ratio = total["population"].seconds / total["reference"].seconds
    print(
        f"{TIMES} times the pool took {ratio:.2f} times the time; one policy is trained "
        f"{total['reference'].each / total['population'].each:.1f} times as fast"
    )


if __name__ == "__main__":
    main()
