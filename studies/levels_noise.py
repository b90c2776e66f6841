"""What of the differences between the levels of CartPole3D is noise, from the results of experiment f23.

``python -m studies.levels_noise results/experiments/small/cartpole3d`` prints what docs/runs/experiments.md compares:
the minimum of one level by halves of the pool, against the levels' own; areas of levels with themselves, against those
of different levels; and how many dimensions the paper's reading makes of the measured areas.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from aiq import storage
from aiq.measures import complexity
from aiq.records.estimate import Floats
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from papers.reading import areas
from studies.dimensions_of_noise import carried_by

SPLITS = 20
WIND = "level-14"


def minimum(performance: Floats, size: Floats) -> float:
    """Return the paper's complexity of policies (n,): the minimum, in bits."""
    return complexity.measure(performance, size, estimator="minimum", k=1, resamples=0).estimate.value


def spread_of_halves(performance: Floats, size: Floats, rng: np.random.Generator) -> Floats:
    """Return differences (SPLITS,) of the minimum between random halves of a pool, over √2: the error of one half's."""
    found = []
    for _ in range(SPLITS):
        order = rng.permutation(size.size)
        one, other = order[: size.size // 2], order[size.size // 2 :]
        found.append(minimum(performance[one], size[one]) - minimum(performance[other], size[other]))
    return np.asarray(found) / np.sqrt(2)


def main(folder: str) -> None:
    """Print the comparisons."""
    rng = np.random.default_rng(23)
    halves, whole = [], {}
    for path in sorted((Path(folder) / "complexity").glob("*.h5")):
        one: DomainComplexity = storage.read_result(str(path), "complexity", DomainComplexity)
        whole[one.domain] = minimum(one.performance, one.size)
        halves.append(spread_of_halves(one.performance, one.size, rng))
    between = np.std([value for name, value in whole.items() if name != WIND], ddof=1)
    print("minima:", ", ".join(f"{name} {value:.1f}" for name, value in whole.items()))
    print(
        f"standard deviation of half a pool's {np.sqrt(np.mean(np.square(halves))):.2f}, between levels {between:.2f}"
    )
    suite: SuiteDissimilarity = storage.read_result(
        str(Path(folder) / "dissimilarity.h5"), "dissimilarity", SuiteDissimilarity
    )
    found = areas(suite)
    assert found is not None
    own = [pair for pair in found.names if len(set(pair.split("+"))) == 1]
    other = [pair for pair in found.names if pair not in own]
    for what, pairs in (("with themselves", own), ("of different levels", other)):
        ends = [found.margin({pair: 1.0}).bounds() or (0.0, 0.0) for pair in pairs]
        told = sum(low > 0 or high < 0 for low, high in ends)
        size = np.sqrt(np.mean([found[pair] ** 2 for pair in pairs]))
        print(f"areas {what}: root mean square {size:.3f}, {told} of {len(pairs)} told from 0")
    names = [name for name in suite.domains if name != "level-00"]
    plain = np.zeros((len(names), len(names)))
    for pair in suite.pairs:
        if pair.a != pair.b and {pair.a, pair.b} <= set(names):
            i, j = names.index(pair.a), names.index(pair.b)
            plain[i, j] = plain[j, i] = pair.measured.plain.value
    print(f"dimensions that carry 90 % by the paper's reading, {len(names)} levels: {carried_by(plain)}")


if __name__ == "__main__":
    main(sys.argv[1])
