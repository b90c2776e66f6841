"""Sampled volumes of hulls against their true volumes, and against the sampled volumes of the package polytope.

    python benchmarks/volume.py [--out FILE]

Bodies with closed forms are turned and scaled; every volume is sampled, also where it could be had exactly. Others
are compared with Qhull. polytope (https://github.com/tulip-control/polytope) wants facets, which are listed for it
where there are few, and throws points into the box around the body. Seconds are those of the processor, on one core.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polytope
from scipy.spatial import ConvexHull

from aiq.measures.quotient import hull_sampling
from aiq.measures.quotient.hull import Budget

OUT = Path(__file__).resolve().parent / "results" / "volume.md"
LISTED = 10  # dimensions up to which facets are listed for polytope
THROWN = 100_000  # points that polytope throws

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Body:
    """Points, and the logarithm of the volume of their hull with the origin (None: of Qhull)."""

    name: str
    points: Floats
    log_volume: float | None = None


def turned(points: Floats, log_volume: float, name: str, seed: int) -> Body:
    """Scale the axes and turn the body."""
    rng = np.random.default_rng(seed)
    d = points.shape[1]
    scale = rng.uniform(0.1, 1, d)
    return Body(name, points * scale @ np.linalg.qr(rng.normal(size=(d, d)))[0], log_volume + np.log(scale).sum())


def closed_forms() -> list[Body]:
    """Return simplices around the origin, cross-polytopes and free sums of simplices."""
    found = []
    for d in (10, 20, 50):
        base = -math.lgamma(d + 1)
        simplex = np.vstack([np.eye(d), -np.ones((1, d))])
        found.append(turned(simplex, base + math.log(d + 1), f"simplex, d = {d}", d))
        found.append(turned(np.vstack([np.eye(d), -np.eye(d)]), base + d * math.log(2), f"cross-polytope, d = {d}", d))
        part = np.vstack([np.eye(5), -np.ones((1, 5))])
        parts = np.vstack([np.kron(row, part) for row in np.eye(d // 5)])
        found.append(turned(parts, base + d // 5 * math.log(6), f"free sum of {d // 5} simplices, d = {d}", d))
    return found


def drawn() -> list[Body]:
    """Return bodies of points on the sphere, and of points in the positive orthant (the origin is a corner)."""
    found = []
    for n, d in ((14, 4), (16, 7)):
        points = np.random.default_rng(d).normal(size=(n, d))
        points /= np.linalg.norm(points, axis=1)[:, None]
        found.append(Body(f"{n} points of the sphere, d = {d}", points))
        found.append(Body(f"{n} points of the orthant, d = {d}", np.abs(points)))
    return found


def timed(work: Callable[[], float]) -> tuple[float, float]:
    """Return what the work returns, and its seconds."""
    start = time.process_time()
    return work(), time.process_time() - start


def row(body: Body) -> str:
    """Return a line of the table."""
    d = body.points.shape[1]
    everything = np.vstack([body.points, np.zeros(d)])
    listed = ConvexHull(everything) if body.log_volume is None or d <= LISTED else None
    true = math.log(listed.volume) if body.log_volume is None else body.log_volume
    start = time.process_time()
    budget = Budget(target=0.05, work=1_000_000_000)
    rng = np.random.default_rng(0)
    found = hull_sampling.volume(body.points, budget.groups, budget.target, budget.work, rng)
    seconds = time.process_time() - start
    cells = [body.name, f"{math.expm1(found.log_volume - true):+.2%}", f"{found.error:.2%}", f"{seconds:.1f}"]
    if listed is None:
        return "| " + " | ".join([*cells, "facets not listed", ""]) + " |"
    facets = np.unique(np.round(listed.equations, 9), axis=0)
    peer = polytope.Polytope(facets[:, :-1], -facets[:, -1])
    value, seconds = timed(lambda: polytope.volume(peer, nsamples=THROWN, seed=0))
    return "| " + " | ".join([*cells, f"{value / math.exp(true) - 1:+.2%}", f"{seconds:.1f}"]) + " |"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    lines = [
        "# Sampled volumes of hulls",
        "",
        f"`python benchmarks/volume.py`: one core, aiq to 5 %, polytope with {THROWN:,} points. Off: from",
        "the true volume.",
        "",
        "| body | aiq, off | stated error | s | polytope, off | s |",
        "|---|---|---|---|---|---|",
    ]
    for body in [*closed_forms(), *drawn()]:
        lines.append(row(body))
        print(lines[-1], file=sys.stderr, flush=True)
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
