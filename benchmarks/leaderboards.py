"""`aiq suite` on large tables beside girth, mirt and a plain loop of bootstraps, in one run.

    python benchmarks/leaderboards.py [--out FILE]

Tables are made with known truth. Each contender runs in a process of its own on one core; seconds are of the processor,
memory is the largest that was resident. girth and mirt fit a model of responses alone; aiq does that and ranks, groups,
neighbours, redundancy, dimensions, fewer tests and anchors. The loop draws tests with replacement 1,000 times and ranks
agents each time, as many leaderboards do; it gives intervals of single ranks and nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

OUT = Path(__file__).resolve().parent / "results" / "leaderboards.md"
TABLES = {
    "7,000 × 6": (7000, 6, 0.0, False), "220 × 250, a third missing": (220, 250, 1 / 3, False),
    "150 × 500, 0/1": (150, 500, 0.0, True), "110 × 90, 0/1": (110, 90, 0.0, True),
    "440 × 250, a third missing": (440, 250, 1 / 3, False), "14,000 × 6": (14_000, 6, 0.0, False),
    "50,000 × 6": (50_000, 6, 0.0, False),
}  # fmt: skip

Floats = npt.NDArray[np.float64]


def made(name: str) -> tuple[Floats, Floats, Floats]:
    """Return a table, and the true difficulties and slopes."""
    agents, tests, missing, binary = TABLES[name]
    rng = np.random.default_rng(13)
    ability, slope, hard = rng.normal(size=(agents, 1)), rng.uniform(0.5, 2.5, tests), rng.normal(size=tests)
    latent = slope * (ability - hard)
    chance = 1 / (1 + np.exp(-latent))
    values = (
        (rng.random(latent.shape) < chance) * 1.0
        if binary
        else 1 / (1 + np.exp(-latent + rng.normal(size=latent.shape)))
    )
    return np.where(rng.random(latent.shape) < missing, np.nan, values), hard, slope


def by_aiq(values: Floats) -> Floats | None:
    """Everything that ``aiq suite`` says."""
    import pandas

    from aiq.readers import read
    from aiq.suites import suite

    agents, tests = values.shape
    names = [f"agent {i}" for i in range(agents)], [f"test {j}" for j in range(tests)]
    report = suite(read(pandas.DataFrame(values, pandas.Index(names[0], name="agent"), names[1])))
    return np.array([np.nan if t.discrimination is None else t.discrimination.value for t in report.tests])


def by_model(values: Floats) -> Floats | None:
    """The model of responses of ``aiq suite`` alone."""
    from aiq.suites.response import fit

    return fit(values).discrimination


def by_girth(values: Floats) -> Floats | None:
    """girth: two-parameter logistic model by marginal maximum likelihood; answers of 0 and 1, no missing cells."""
    if np.isnan(values).any() or not np.isin(values, (0, 1)).all():
        return None
    import girth

    return np.asarray(girth.twopl_mml(values.T.astype(int))["Discrimination"])


def by_mirt(values: Floats) -> Floats | None:
    """mirt: two-parameter logistic model; answers of 0 and 1, no missing cells."""
    if np.isnan(values).any() or not np.isin(values, (0, 1)).all():
        return None
    import mirt

    fitted = mirt.fit_mirt(values.astype(int), "2PL", compute_standard_errors=False, max_iter=300, tol=1e-3)
    return np.ravel(np.asarray(fitted.model.discrimination, dtype=np.float64))


def by_loop(values: Floats) -> Floats | None:
    """A plain loop of bootstraps over tests."""
    rng = np.random.default_rng(0)
    ranks = []
    for _ in range(1000):
        means = np.nanmean(values[:, rng.integers(values.shape[1], size=values.shape[1])], axis=1)
        ranks.append(np.argsort(np.argsort(-means)))
    np.quantile(np.array(ranks), [0.025, 0.975], axis=0)
    return np.empty(0)


CONTENDERS: dict[str, Callable[[Floats], Floats | None]] = {
    "aiq suite": by_aiq, "aiq, the model alone": by_model, "girth": by_girth, "mirt": by_mirt,
    "bootstrap loop": by_loop,
}  # fmt: skip


def timed(contender: str, table: str) -> dict[str, float | None]:
    """Run a contender here; return processor seconds, memory in MB, and the error of slopes."""
    values, _, slope = made(table)
    began = time.process_time()
    found = CONTENDERS[contender](values)
    if found is None:
        return {"seconds": None, "memory": None, "error": None}
    spent = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    error = None
    if found.size and TABLES[table][3]:
        known = np.isfinite(found)
        error = float(np.sqrt(np.mean((found - slope)[known] ** 2)))
    return {"seconds": spent, "memory": memory, "error": error}


def main() -> int:
    """Run every contender on every table, by turns, and write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--one", nargs=2, metavar=("CONTENDER", "TABLE"))
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(timed(*asked.one)))
        return 0
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    rows = []
    for table in TABLES:
        for contender in CONTENDERS:
            command = [sys.executable, __file__, "--one", contender, table]
            try:
                done = subprocess.run(command, capture_output=True, text=True, env=os.environ | one, timeout=600)
            except subprocess.TimeoutExpired:
                rows.append(f"| {table} | {contender} | more than 600 | | |")
                continue
            if done.returncode:
                rows.append(f"| {table} | {contender} | {done.stderr.strip().splitlines()[-1][:80]} | | |")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            if found["seconds"] is not None:
                error = "" if found["error"] is None else f"{found['error']:.2f}"
                rows.append(f"| {table} | {contender} | {found['seconds']:.1f} | {found['memory']:.0f} | {error} |")
                print(rows[-1], flush=True)
    head = ["| agents × tests | | processor seconds | memory, MB | rms error of slopes |", "|---|---|---:|---:|---:|"]
    from algorithmic import machine  # here alone: contenders must not load what it needs

    title, _, more = (__doc__ or "").strip().partition("\n")
    text = "\n".join([f"# {title}", more.strip(), "", f"{machine()}.", "", *head, *rows, ""])
    asked.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
