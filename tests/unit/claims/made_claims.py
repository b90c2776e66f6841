"""Made-up results for every claim: true, false, or too noisy to say.

``MADE[id](good, noise)`` gives the evidence; ``good``: the claim is true of it; ``noise`` multiplies its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from aiq.records.table import Table
from papers.claims.evidence import Agents, Evidence, Places, pair_name
from papers.claims.numbers import Measured
from papers.claims.published import PublishedClaim, judged, signed

Make = Callable[[bool, float], Evidence]
Both = tuple[list[float], list[float]]
RNG = np.random.default_rng(17)
DRAWS = 500

MNIST = {"source": "torchvision", "name": "MNIST"}
PICTURES = {
    "cartpole": {"source": "recorded", "view": "image", "environment": "CartPole-v1"},
    "cartpole3d": {"source": "recorded", "view": "image", "environment": "cartpole3d"},
    "mnist": MNIST,
    "fashion": {"source": "torchvision", "name": "FashionMNIST"},
    "cifar10": {"source": "npz", "labels": "cifar10", "path": "x.npz"},
    "cifar100": {"source": "torchvision", "name": "CIFAR100"},
}
LEVELS = {f"level-{n:02d}": {"source": "cartpole3d", "novelty": n} for n in range(17)}


def numbers(values: Mapping[str, float], noise: float, se: float = 0.001) -> Measured:
    """Independent numbers of one error, which noise multiplies."""
    return Measured.independent(values, se * noise, 20)


def pairs(domains: Mapping[str, object], area: Callable[[str, str], float], noise: float) -> Measured:
    names = list(domains)
    found = {pair_name(a, b): area(a, b) for i, a in enumerate(names) for b in names[i:]}
    return numbers(found, noise, 0.0001)


def f5(good: bool, noise: float) -> Evidence:
    values = dict(zip(PICTURES, (10, 11, 12, 13, 14, 20) if good else (20, 11, 12, 13, 14, 10), strict=True))
    del values["cartpole3d"]
    domains = {k: PICTURES[k] for k in values}
    entropy = {k: v / 4 for k, v in values.items()}
    return Evidence("made", domains=domains, complexity=numbers(values, noise), entropy=numbers(entropy, 1.0, 1e-6))


def along(key: str, settings: Mapping[str, object], xs: list[float], noise: float, **measured: list[float]) -> Evidence:
    """Domains that differ by one setting alone."""
    domains = {f"at-{x:g}": {**settings, key: x} for x in xs}
    found = {name: numbers(dict(zip(domains, values, strict=True)), noise) for name, values in measured.items()}
    return Evidence("made", domains=domains, **found)


def rising(key: str, settings: Mapping[str, object], xs: list[float], factor: float = 1.0, **both: Both) -> Make:
    """Numbers along a setting: of each kind those of which the claim is true, and others."""
    return lambda good, noise: along(
        key, settings, xs, noise * factor, **{name: values[not good] for name, values in both.items()}
    )


def suite(area: Callable[[str, str], float], noise: float, complexity: Mapping[str, float] | None = None) -> Evidence:
    values = complexity or dict(zip(PICTURES, (10, 11, 12, 13, 14, 15), strict=True))
    return Evidence(
        "made", domains=PICTURES, complexity=numbers(values, noise),
        base=numbers({k: 0.8 * v for k, v in values.items()}, noise), dissimilarity=pairs(PICTURES, area, noise),
    )  # fmt: skip


def subsets(noise: float, area: Callable[[float, float], float], complexity: Callable[[float], float]) -> Evidence:
    counts = [2, 4, 6, 8, 10]
    domains = {f"n-{n:02d}": {**PICTURES["cifar10"], "classes": n if n < 10 else None} for n in counts}
    of = dict(zip(domains, counts, strict=True))
    return Evidence(
        "made",
        domains=domains,
        complexity=numbers({name: complexity(n) for name, n in of.items()}, noise),
        dissimilarity=pairs(domains, lambda a, b: area(of[a], of[b]), noise),
    )


def f16(good: bool, noise: float) -> Evidence:
    values = dict(zip(PICTURES, (10, 11, 12, 13, 14, 15) if good else (11, 10, 15, 14, 13, 12), strict=True))
    return suite(lambda a, b: 0.02, noise, values)


def f17(good: bool, noise: float) -> Evidence:
    near = [{"mnist", "fashion"}, {"cartpole", "cartpole3d"}]

    def area(a: str, b: str) -> float:
        if a == b:
            return 0.0 if good else 0.03
        return 0.005 if ({a, b} in near) is good else 0.03

    return suite(area, noise * 10)


def f18(good: bool, noise: float) -> Evidence:
    values = {name: float(place) for place, name in enumerate(PICTURES)}
    alike = pairs(PICTURES, lambda a, b: abs(values[a] - values[b]) / 100, 1)
    near = [{"cartpole", "cartpole3d"}, {"mnist", "fashion"}, {"cifar10", "cifar100"}]
    return suite(lambda a, b: 0.05 * ({a, b} in near) if good else alike[pair_name(a, b)], noise * 5, values)


def f14(good: bool, noise: float) -> Evidence:
    domains = {f"g-{g}": {"source": "cartpole", "gravity": float(g)} for g in (0, 60, 120, 200)}

    def area(a: str, b: str) -> float:
        apart = abs(domains[a]["gravity"] - domains[b]["gravity"])
        return apart / 4000 if good else 0.05 - apart / 4000

    asymmetry = (0.001 if good else 0.2, 0.001 * noise)
    return Evidence("made", domains=domains, dissimilarity=pairs(domains, area, noise * 10), asymmetry=asymmetry)


def placed(domains: Mapping[str, object], kept: int, draws: list[int], vertices: Mapping[str, float]) -> Evidence:
    shares = {name: vertices.get(name, 0.0) for name in domains}
    places = Places(tuple(domains), kept, np.array(draws * 50), shares, np.ones(3))
    return Evidence("made", domains=domains, places=places)


def levels_placed(good: bool, noise: float) -> Evidence:
    return placed(LEVELS, 4 if good else 1, [3, 4, 5, 6] if noise > 1 else [4, 5] if good else [1, 2], {})


def f27(good: bool, noise: float) -> Evidence:
    share = 0.6 if noise > 1 else 1.0 if good else 0.0
    return placed(LEVELS, 3, [3], {f"level-{n:02d}": share for n in (3, 4, 14, 15)})


def f23(good: bool, noise: float) -> Evidence:
    high = (1, 8, 9) if good else (4, 5)
    values = {name: 10.0 + 2 * (int(name[-2:]) in high) for name in LEVELS}
    return Evidence("made", domains=LEVELS, complexity=numbers(values, noise * 10))


def f24(good: bool, noise: float) -> Evidence:
    def area(a: str, b: str) -> float:
        mixed = len({a, b} & {"level-02", "level-03"}) == 1
        return 0.05 if mixed is good else 0.001

    asymmetry = (0.0 if good else 0.2, 0.0001 * noise)
    complexity, areas = numbers(dict.fromkeys(LEVELS, 10.0), noise), pairs(LEVELS, area, noise * 20)
    return Evidence("made", domains=LEVELS, complexity=complexity, dissimilarity=areas, asymmetry=asymmetry)


def agents(
    domains: Mapping[str, object], sizes: Mapping[str, tuple[int, int]], mean: list[float], relative: list[float],
    noise: float, **more: np.ndarray,
) -> Evidence:  # fmt: skip
    spread = 0.002 * noise

    def drawn(values: list[float]) -> np.ndarray:
        return np.array(values) + spread * RNG.standard_normal((DRAWS, len(values)))

    found = Agents(
        tuple(sizes), np.array(mean), np.array(relative), drawn(mean), drawn(relative),
        {n: s for n, s in sizes.items() if s[0]}, **more,
    )  # fmt: skip
    return Evidence("made", domains=domains, agents=found)


def f20(good: bool, noise: float, wide: bool = True) -> Evidence:
    widths = [2, 4, 6, 8, 10, 12, 14, *([20] if wide else [])]
    sizes = {f"{layers}x{w}": (layers, w) for layers in (1, 2) for w in widths}
    line = [w / 30 for _, w in sizes.values()]
    bent = [1 - np.exp(-w / 3) for _, w in sizes.values()]
    mean, relative = (bent, line) if good else (line, bent)
    if good and wide:  # one layer falls again, little enough to be near a line
        relative = [v if s != (1, 20) else 0.46 for v, s in zip(relative, sizes.values(), strict=True)]
    return agents(PICTURES, sizes, mean, relative, noise)


def f28(good: bool, noise: float) -> Evidence:
    sizes = {f"{layers}x{w}": (layers, w) for layers in (1, 2, 3, 4, 5) for w in (8, 32)}
    mean = [0.1, 0.15, 0.2, 0.5, 0.25, 0.7, 0.3, 0.75, 0.35, 0.8]
    relative = [0.001, 0.01, 0.02, 0.1, 0.03, 0.6, 0.04, 0.65, 0.05, 0.7] if good else [1 - v for v in mean]
    return agents(LEVELS, sizes, mean, relative, noise * (20 if noise > 1 else 0.5))


def f29(good: bool, noise: float) -> Evidence:
    sizes = dict.fromkeys(("baseline", "a", "b", "c", "d"), (0, 0))
    aiq = [0.5, 0.4, 0.3, 0.2, 0.1] if good else [0.1, 0.2, 0.3, 0.4, 0.5]
    apti = np.array([0.1, 0.2, 0.3, 0.4, 0.5] if good else [0.5, 0.4, 0.3, 0.2, 0.1])
    drawn = apti + 0.002 * noise * RNG.standard_normal((DRAWS, 5))
    lifted = np.array(aiq) + 0.002 * noise * RNG.standard_normal((DRAWS, 5))
    more = {"apti": apti, "apti_draws": drawn, "apti_aiq": np.array(aiq), "apti_aiq_draws": lifted}
    return agents(LEVELS, sizes, [0.5] * 5, [0.5] * 5, noise, **more)


def table(measure: str, name: str, columns: str, rows: list[tuple]) -> Evidence:
    return Evidence("made", measure=measure, tables={name: Table.of(columns.split(), rows)})


def record(name: str, paper: float | None, value: float, half: float, contrary: float = -9.0) -> PublishedClaim:
    """A number in print beside ours, judged as those of the 2020 paper are."""
    interval = (value - half, value + half)
    verdict = judged(paper, contrary, [interval]) if paper is not None else signed(interval, 1)
    return PublishedClaim(name, f"{name} in print", "print", verdict, value, interval, paper, "made", 0.9)


def published(*names: str, size: float = 0.4) -> Make:
    """Records of some numbers in print: each is 0.5, its contrary 0.5 less a size."""

    def made(good: bool, noise: float) -> Evidence:
        value, half = 0.5 if good else 0.5 - size, 0.005 * noise
        found = tuple(record(f"2020-{name}", 0.5, value, half, 0.5 - size) for name in names)
        return Evidence("made", measure="similarity", published=found)

    return made


def quotients(label: str, length: int, printed: float) -> Make:
    def made(good: bool, noise: float) -> Evidence:
        value = printed + (0.5 if good else 9.0)
        rows = [(label, length, value, value - 0.5 * noise, value + 0.5 * noise)]
        return table("algorithmic", "quotients", "label length quotient quotient_low quotient_high", rows)

    return made


def order_2013(good: bool, noise: float) -> Evidence:
    value = -2.0 if good else 2.0
    steps = [("freq", "q-0"), ("q-0", "q-lambda"), ("q-lambda", "hlq-lambda")]
    rows = [(*step, 1000, value, value - 0.1 * noise, value + 0.1 * noise) for step in steps]
    return table("algorithmic", "differences", "first second length difference difference_low difference_high", rows)


def anytime(good: bool, noise: float) -> Evidence:
    half = 0.01 * noise
    values = {"random": 0.0 if good else 0.5, "q-learning": 0.3 if good else 0.8, "oracle": 0.7}
    rows = [(c, a, 100, v, v - half, v + half) for c in ("cups", "grid") for a, v in values.items()]
    return table("anytime", "anytime", "class agent budget upsilon upsilon_low upsilon_high", rows)


def ordering(statement: str) -> Make:
    def made(good: bool, noise: float) -> Evidence:
        value = (0.0 if statement == "random is 0" else 0.2) if good else (0.3 if statement == "random is 0" else -0.2)
        half = 0.005 * noise
        rows = [(statement, side, value, value - half, value + half) for side in (5, 10)]
        return table("collectives", "orderings", "statement side difference difference_low difference_high", rows)

    return made


MADE: Mapping[str, Make] = {
    "F5": f5,
    "F6": rising("classes", PICTURES["cifar100"], [20, 40, 60, 80, 99],
                 complexity=([10, 11, 11.6, 12, 12.2], [12, 11.5, 11.2, 11.1, 11])),
    "F7": rising("force", {"source": "cartpole"}, [1, 5, 10, 15, 20], complexity=([5, 6, 7, 8, 9], [9, 8, 7, 6, 5])),
    "F8": rising("gravity", {"source": "cartpole"}, [180, 240, 300, 360], complexity=([5, 6, 7, 8], [8, 7, 6, 5]),
                 entropy=([8, 7, 6, 5], [5, 6, 7, 8])),
    "F9": rising("noise", MNIST, [0, 0.25, 0.5, 0.75, 1.0], complexity=([5, 5.1, 5.5, 6.5, 8], [8, 7.9, 7.5, 6.5, 5]),
                 entropy=([1, 2, 2.6, 2.9, 3], [3, 2, 1.2, 1, 0.9])),
    "F10": rising("duplicate", MNIST, [1, 2, 4], 10, complexity=([10, 10, 10], [10, 8, 6]),
                  entropy_total=([100, 200, 400], [100, 150, 170])),
    "F11": lambda good, noise: suite(lambda a, b: (0.0 if good else 0.01) if a == b else 0.02, noise * 2),
    "F12": lambda good, noise: suite(lambda a, b: 0.018 if good else 0.06, noise * 10),
    "F13": lambda good, noise: subsets(
        noise, lambda a, b: (abs(a - b) if good else 10 - abs(a - b)) / 200, lambda n: n),
    "F14": f14,
    "F15": lambda good, noise: subsets(noise, lambda a, b: abs(a - b) / 200, lambda n: n / 10 if good else -n / 10),
    "F16": f16, "F17": f17, "F18": f18,
    "F19": lambda good, noise: placed(PICTURES, 2 if good else 1, [2, 3] if noise > 1 else [2] if good else [1], {}),
    "F20": f20, "F21": lambda good, noise: f20(good, noise, wide=False),
    "F23": f23, "F24": f24, "F25": levels_placed, "F26": levels_placed, "F27": f27, "F28": f28, "F29": f29,
    "S20-T1": published("Table1-MNIST", "Table1-CIFAR10", "Table1-CIFAR100"),
    "S20-T2": published("Table2-MNIST+FMNIST", "Table2-MNIST+FMNIST-VAB", "Table2-MNIST+CIFAR100"),
    "S20-T3": published("Table3-CP", "Table3-MNIST+CP", "Table3-MNIST+CP-VAB", "Table3-CIFAR100+CP"),
    "S20-T3-random": published("Table3-random"),
    "S20-F2": published("Figure2-sampled-halved0", "Figure2-stitched-halved0", "Figure2-control-MNIST-halved0",
                        "Figure2-S-halved1"),
    "S20-F3": published("Figure3-between", "Figure3-end"),
    "S20-F4": published("Figure4-MNIST+CIFAR10-above-MNIST+FMNIST"),
    "S20-F5": published("Figure5-random-mean", "Figure5-random-ones", "Figure5-random-unusual"),
    "S20-F5-learned": published("Figure5-learned-A+B", "Figure5-learned-A+C", "Figure5-learned-B+C"),
    "A13-table": quotients("HLQ(λ)", 1000, 49.1), "A13-order": order_2013,
    "A13-aixi": quotients("MC-AIXI 100/32", 1000, 41.0),
    "T10-random": anytime, "T10-order": anytime,
    "C15-random": ordering("random is 0"), "C15-imitation": ordering("imitation is above local_search"),
    "C15-shared": ordering("shared_q is above q_learning"), "C15-falls": ordering("oracle falls from side 10 to 20"),
}  # fmt: skip
