"""Kinship: what relative dissimilarity tells, on a ruler and between families, and of what learners do."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from aiq import domains, seeding, storage
from aiq.config import validate
from aiq.domains.base import LabelledDomain
from aiq.plans.run import SuiteRun
from aiq.records.relative import RelativePair
from aiq.stats.rank_correlation import rank_correlation
from aiq.tasks.suite.reducing.dissimilarity import SuiteDissimilarity, reduce_dissimilarity
from aiq.tasks.suite.training import interface, mixtures
from aiq.tasks.suite.training.domains import prepare_domain
from studies import kinship_learners as learners
from studies.cells import Cells, Row

SEED = 2025
MOVED = (0.0, 0.1, 0.25, 0.5, 1.0)
NOTES = """Pictures are 8 x 8 of grey: MNIST, Fashion-MNIST (averaged over areas) and scikit-learn's digits. All is
trained by the pipeline as a run does it: `labels: shared`, twins by the library, one interface with places by
declared space, dense networks of 2 layers, 11 proportions. `rho` with its 95 % interval; `against twins` is what it is
divided by, `departure` the signed area. `undefined` says why a pair has no number.

* **Size.** The ruler has one stranger of each kind, five budgets and two twins of each test; the families eight tests
  and three twins. That took three core-minutes: it is not the 20 domains, convolutions and played families that
  would settle it.
* **predicts**: rank correlation over pairs with the disagreement (1 - Spearman over 12 learners of other kinds) on the
  two tests. Intervals count tests, not pairs.
* **cost**: departures from twins by one part per test, each pair left out in turn.
* **map**: what cosines leave to negative eigenvalues, noise included.
* **Not asked here**: labels matched by a pilot, help of pretraining, OTDD, Task2Vec, convolutions, control."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What trains: width, samples of a mixture, epochs, repetitions, twins of every test."""

    width: int = 48
    samples: int = 300
    epochs: int = 12
    repetitions: int = 4
    twins: int = 2


USUAL = Budget()
BUDGETS = {
    "usual": USUAL,
    "150 samples": replace(USUAL, samples=150),
    "600 samples": replace(USUAL, samples=600),
    "width 16": replace(USUAL, width=16),
    "36 epochs": replace(USUAL, epochs=36),
}


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row a number with its interval.

    Args:
        quick: one short budget of the ruler on digits, with one change and one stranger.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    if quick:
        short = Budget(width=16, samples=150, epochs=6, repetitions=2, twins=2)
        return cells.of({"ruler": "quick"}, lambda: ruler("quick", short, "digits", (0.5,), ("wine",)))
    rows: list[Row] = []
    for name, budget in BUDGETS.items():
        told = (name, budget, "MNIST", MOVED, ("FashionMNIST", "digits"))
        rows += cells.of({"ruler": name}, lambda told=told: ruler(*told))  # type: ignore[misc]
    return rows + cells.of({"part": "families"}, families)


# ---- tests --------------------------------------------------------------------------------------


def data_set(name: str, **variant: Any) -> LabelledDomain:
    """Return a data set by its name, as 8 x 8 pictures where it has any."""
    raw: dict[str, Any] = {"source": "sklearn", "name": name}
    if name in ("MNIST", "FashionMNIST"):
        raw = {"source": "torchvision", "name": name, "size": 8, "limit": 1200, "limit_test": 600}
    settings = validate(domains.FAMILIES[raw["source"]].settings, raw | variant)
    return domains.load(name, settings, root_seed=SEED, data_root=os.environ.get("AIQ_DATA_ROOT"), download=False)


def half(test: LabelledDomain, which: int) -> LabelledDomain:
    """Return every second sample: two halves share none."""
    rows = slice(which, None, 2)
    parts = {name: getattr(test, name)[rows] for name in ("train_x", "train_y", "test_x", "test_y")}
    return replace(test, **parts)


def moved(test: LabelledDomain, share: float) -> LabelledDomain:
    """Return pictures of which a share of the pixels has changed places, the same in every picture."""
    size = int(np.prod(test.shape))
    rng = seeding.generator(SEED, "kinship", "moved")
    chosen = np.sort(rng.permutation(size)[: round(share * size)])
    order = np.arange(size)
    order[chosen] = rng.permutation(chosen)

    def changed(x: Any) -> Any:
        return np.ascontiguousarray(x.reshape(len(x), -1)[:, order].reshape(x.shape))

    return replace(test, train_x=changed(test.train_x), test_x=changed(test.test_x))


# ---- measuring ----------------------------------------------------------------------------------


def measured(tests: dict[str, LabelledDomain], budget: Budget, against: str | None = None) -> SuiteDissimilarity:
    """Return the dissimilarities of some tests by the pipeline, of all pairs or of those with one test."""
    with tempfile.TemporaryDirectory() as folder:
        run = SuiteRun.of(_raw(tests, budget, folder, against))
        plan, layout = run.plan, run.layout
        for name in tests:
            prepare_domain(run, name, layout.domain(name))
        prepared = {name: layout.domain(name) for name in tests}
        if plan.ends.measured:
            interface.measure_interface(run, list(prepared.values()), layout.interface)
        for job in plan.ends.jobs:
            mixtures.train_alone_block(run, job.domain, job.block, prepared[job.domain], layout.alone_job(job))
        for block in plan.mixture_jobs:
            sources = [prepared[name] for name in block.domains]
            mixtures.train_mixture_block(run, block.group, block.block, sources, layout.mixture_job(block))
        sources = [layout.mixture_job(job) for job in plan.mixture_jobs]
        reduce_dissimilarity(run, sources, layout.dissimilarity, [layout.alone_job(job) for job in plan.ends.jobs])
        return storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity)


def _raw(tests: dict[str, LabelledDomain], budget: Budget, folder: str, against: str | None) -> dict[str, Any]:
    """Write the tests as archives and return the configuration of their dissimilarities."""
    made = {}
    for name, test in tests.items():
        path = Path(folder) / f"{name}.npz"
        np.savez(path, x_train=test.train_x, y_train=test.train_y, x_test=test.test_x, y_test=test.test_y)
        made[name] = {"source": "npz", "path": str(path), "labels": test.label_space}
    training = {"epochs": budget.epochs, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.003}}
    settings = {
        "labels": "shared", "twins": budget.twins, "samples": budget.samples, "controls": False, "resamples": 2,
        "repetitions": budget.repetitions, "repetitions_per_chunk": budget.repetitions,
        "network": {"layers": 2, "width": budget.width}, "training": training,
        "landmarks": None if against is None else {"names": [against], "uncertainty": "measured", "residual": "none"},
    }  # fmt: skip
    return {"name": "kinship", "seed": SEED, "results": f"{folder}/results", "domains": made, "training": training,
            "pool": {"size": 8, "policies_per_chunk": 8}, "dissimilarity": settings}  # fmt: skip


def _row(pair: RelativePair, found: SuiteDissimilarity) -> Row:
    """Return what a pair reads."""
    value, low, high = pair.relative.estimate.cells()
    return {"rho": value, "low": low, "high": high, "against_twins": pair.relative.against_twins,
            "departure": found.pair(pair.a, pair.b).measured.signed.value,
            "undefined": pair.relative.undefined}  # fmt: skip


# ---- questions ----------------------------------------------------------------------------------


def ruler(name: str, budget: Budget, base: str, changes: tuple[float, ...], strangers: tuple[str, ...]) -> list[Row]:
    """Return one half of a test against changed copies of the other half, and against strangers."""
    test = data_set(base)
    tests = {"base": half(test, 0)}
    tests |= {f"moved-{round(100 * share)}": moved(half(test, 1), share) for share in changes}
    tests |= {stranger: data_set(stranger) for stranger in strangers}
    found = measured(tests, budget, against="base")
    rows = []
    for pair in found.relative:
        other = pair.b if pair.a == "base" else pair.a
        share = float(other.removeprefix("moved-")) / 100 if other.startswith("moved-") else None
        rows.append({"part": "ruler", "budget": name, "pair": other, "moved": share, **_row(pair, found)})
    return rows


def families() -> list[Row]:
    """Return all pairs of kin and strangers, and what they predict of learners of other kinds."""
    mnist, digits = data_set("MNIST"), data_set("digits")
    tests = {
        "mnist": half(mnist, 0), "mnist-again": half(mnist, 1), "mnist-noisy": data_set("MNIST", noise=0.3),
        "fashion": data_set("FashionMNIST"), "fashion-noisy": data_set("FashionMNIST", noise=0.3),
        "digits": half(digits, 0), "digits-again": half(digits, 1), "breast-cancer": data_set("breast_cancer"),
    }  # fmt: skip
    found = measured(tests, replace(USUAL, twins=3))
    rows = []
    for pair in found.relative:
        kin = pair.a.split("-")[0] == pair.b.split("-")[0]
        expected = "kin" if kin else "stranger"
        rows.append({"part": "families", "pair": f"{pair.a}, {pair.b}", "expected": expected, **_row(pair, found)})
    return rows + _summary(rows) + _predicts(tests, found) + _cost(found) + _maps(found) + _steady(found)


def _summary(rows: list[Row]) -> list[Row]:
    """Return how many pairs read as they should."""
    found = []
    for word, low, high in (("kin", -np.inf, 0.2), ("stranger", 0.6, 1.4)):
        mine = [row["rho"] for row in rows if row["expected"] == word]
        known = np.array([value for value in mine if value is not None])
        within = f"{low:g} to {high:g}" if np.isfinite(low) else f"below {high:g}"
        said = f"{word}: share {within}, of {known.size} defined of {len(mine)}; least and largest"
        found.append({"part": "summary", "pair": said, "rho": float(((known > low) & (known < high)).mean()),
                      "low": float(known.min()), "high": float(known.max())})  # fmt: skip
    return found


def _predicts(tests: dict[str, LabelledDomain], found: SuiteDissimilarity) -> list[Row]:
    """Return how the numbers of pairs go with the disagreement of learners of other kinds."""
    apart = learners.disagreement(tests)
    known = [pair for pair in found.relative if not pair.relative.undefined]
    y = [apart[pair.a, pair.b] for pair in known]
    numbers = {
        "relative dissimilarity": [pair.relative.estimate.value for pair in known],
        "departure": [found.pair(pair.a, pair.b).measured.signed.value for pair in known],
        "departure from twins": [pair.relative.against_twins for pair in known],
    }
    rows = []
    for name, x in numbers.items():
        ranked = rank_correlation(x, y, len(tests))
        low, high = ranked.spearman_interval or (None, None)
        rows.append(
            {"part": "predicts", "pair": f"{name} (Spearman)", "rho": ranked.spearman, "low": low, "high": high}
        )
    return rows


def _cost(found: SuiteDissimilarity) -> list[Row]:
    """Return how far a sum of one part per test is from departures from twins, each pair left out in turn."""
    names = found.domains
    values = {(names.index(p.a), names.index(p.b)): p.relative.against_twins for p in found.relative}
    left = []
    for pair, value in values.items():
        rest = {other: one for other, one in values.items() if other != pair}
        design = np.array([[float(k in other) for k in range(len(names))] for other in rest])
        parts = np.linalg.lstsq(design, np.array(list(rest.values())), rcond=None)[0]
        left.append(abs(float(parts[list(pair)].sum()) - value))
    scale = float(np.mean(list(values.values())))
    said = "twins as a sum of one part per test, each left out: mean error over mean; largest"
    return [{"part": "cost", "pair": said, "rho": float(np.mean(left)) / scale, "high": max(left) / scale}]


def _maps(found: SuiteDissimilarity) -> list[Row]:
    """Return what two maps to cosines leave to negative eigenvalues, over tests all of whose pairs have a number."""
    ratios = {frozenset((p.a, p.b)): p.relative.estimate.value for p in found.relative}
    kept = list(found.domains)
    while any(np.isnan(ratios[frozenset(pair)]) for pair in combinations(kept, 2)):
        kept.remove(max(kept, key=lambda name: sum(bool(np.isnan(v)) for p, v in ratios.items() if name in p)))
        ratios = {pair: value for pair, value in ratios.items() if pair <= set(kept)}
    rho = np.array([[0.0 if a == b else ratios[frozenset((a, b))] for b in kept] for a in kept])
    rows = []
    for words, cosines in (("1 - rho", 1 - rho), ("1 - rho^2", 1 - np.sign(rho) * rho**2)):
        spectrum = np.linalg.eigvalsh(np.clip(cosines, -1, 1))
        share = float(-spectrum[spectrum < 0].sum() / np.abs(spectrum).sum())
        rows.append({"part": "map", "pair": f"cos = {words}: negative share, {len(kept)} tests", "rho": share})
    return rows


def _steady(found: SuiteDissimilarity) -> list[Row]:
    """Return how far a test that joins moves the cosines of the others where the largest departure is a right angle."""
    n = len(found.domains)
    signed = np.zeros((n, n))
    for pair in found.pairs:
        i, j = found.domains.index(pair.a), found.domains.index(pair.b)
        signed[i, j] = signed[j, i] = pair.measured.signed.value * (i != j)
    squares, moved = np.maximum(signed, 0) ** 2, []
    for left in range(n):
        rest = np.delete(np.delete(squares, left, 0), left, 1)
        off = ~np.eye(n - 1, dtype=bool)
        moved.append(float(np.abs(rest / rest.max() - rest / squares.max())[off].mean()))
    said = "cosines by departure: mean move when a test joins; largest (by relative dissimilarity 0 by construction)"
    return [{"part": "steady", "pair": said, "rho": float(np.mean(moved)), "high": max(moved)}]
