"""Shards of a suite as if everything had been trained: trials and curves from a known truth, at no cost.

Domains are tests in three dimensions, each with a direction and a complexity. Whatever a training would have given is
drawn: a policy performs by its size against the domain's complexity, a mixture falls below the straight line by the
distance of the directions. All is written by the tasks that write what was trained, so that the rules that reduce,
draw and tabulate find what they would find.

    python benchmarks/scale_source.py --domains 200 --folder /where/it/runs

writes ``scale.yaml`` and all shards there; ``snakemake --cores 2 --configfile scale.yaml`` then makes the rest.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import yaml

from aiq.plans.run import Run, SuiteRun
from aiq.policies import networks
from aiq.records.trial import AloneResult, MixtureResult, Policy, Trial
from aiq.run.training import trials
from aiq.run.training.domains import measure_interface, prepare_domain
from aiq.seeding import generator

ROOT = Path(__file__).resolve().parents[1]
SHAPE, OUTPUTS = (13,), 3  # of wine, the smallest data set that ships
LUCK = 0.05  # standard deviation of a trial's performance
NOISE = 0.01  # standard deviation of a training on a mixture or alone
LARGEST = 0.12  # signed area between domains that share nothing
SECONDS = 0.5  # that a training is said to have taken


def configuration(domains: int, folder: str = "results/scale", pool: int = 64) -> dict[str, Any]:
    """Return the settings of a suite of so many domains: the quickstart's, on variants of the smallest data set."""
    raw: dict[str, Any] = yaml.safe_load((ROOT / "config" / "quickstart.yaml").read_text(encoding="utf-8"))
    names = [f"test-{k:03d}" for k in range(domains)]
    raw["name"], raw["results"] = "scale", folder
    raw["domains"] = {n: {"source": "sklearn", "name": "wine", "noise": k / 1000} for k, n in enumerate(names)}
    raw["pool"]["size"] = pool
    raw["jobs"] = {"mixtures_per_job": max(7, domains)}
    return raw


class Truth:
    """What is true of the domains: directions (n, 3) of length 1, with sides at least 0, and complexities (n,).

    Args:
        names: the domains.
    """

    def __init__(self, names: Sequence[str]) -> None:
        rng = generator(1, "scale", "truth")
        self._row = {name: row for row, name in enumerate(names)}
        directions = rng.dirichlet(np.full(3, 0.3), size=len(names)) ** 0.5
        self.directions = directions / np.linalg.norm(directions, axis=1)[:, None]
        self.complexity = rng.uniform(5, 9, len(names))
        self.top = rng.uniform(0.85, 0.99, len(names))

    def area(self, a: str, b: str) -> float:
        """Return the signed area of a pair."""
        one, other = (self.directions[self._row[name]] for name in (a, b))
        return float(LARGEST * np.linalg.norm(one - other) / np.sqrt(2))

    def on_domain(self, run: SuiteRun, domain: str, source: str | Path, interface: Any = None) -> Any:
        """Stand in for ``tasks.suite.training.on_domain``."""
        row = self._row[domain]

        def learn(policies: Sequence[Policy], settings: Any, order: int, memory: Any = None) -> list[Trial]:
            rng = generator(order, "scale")
            found = []
            for policy in policies:
                parameters = networks.parameters(policy.architecture, SHAPE, OUTPUTS)
                skill = self.top[row] / (1 + np.exp(-(np.log2(parameters) - self.complexity[row]) / 0.7))
                seen = float(np.clip(skill + rng.normal(0, LUCK), 0, 1))
                found.append(Trial(policy, seen, parameters, 4 * parameters, 12, SECONDS, "finished", (0.5,) * 12))
            return found

        return learn

    def on_pairs(self, run: SuiteRun, sources: Mapping[str, str | Path], interface: Any) -> Any:
        """Stand in for ``tasks.suite.training.on_pairs``."""
        points = run.configuration.dissimilarity.trained_points

        def learn(a: str, b: str, repetitions: Sequence[int], memory: Any = None) -> list[MixtureResult]:
            rng = generator(run.configuration.seed, "scale", "pair", a, b, repetitions[0])
            ends, area = (self.top[self._row[a]], self.top[self._row[b]]), self.area(a, b)
            found = []
            for p in points:
                for r in repetitions:
                    seen = np.clip(np.array(ends) - 6 * area * p * (1 - p) + rng.normal(0, NOISE, 2), 0, 1)
                    first, second = (float(x) for x in seen)
                    found.append(MixtureResult(p, r, first, second, 500, SECONDS, "finished", first, second))
            return found

        return learn

    def on_alone(self, run: SuiteRun, domain: str, source: str | Path, interface: Any) -> Any:
        """Stand in for ``tasks.suite.training.on_alone``."""
        top = self.top[self._row[domain]]

        def learn(places: Sequence[tuple[float, int]], memory: Any = None) -> list[AloneResult]:
            rng = generator(run.configuration.seed, "scale", "alone", domain, places[0][1], len(places))
            seen = np.clip(top + rng.normal(0, NOISE, len(places)), 0, 1)
            return [
                AloneResult(p, r, max(1, round(100 * p)), float(v), float(v), 500, SECONDS, "finished")
                for (p, r), v in zip(places, seen, strict=True)
            ]

        return learn


@contextmanager
def _trained_by(truth: Truth) -> Iterator[None]:
    """Let the tasks draw what they would have trained."""
    with (
        patch.object(trials, "on_domain", truth.on_domain),
        patch.object(trials, "on_pairs", truth.on_pairs),
        patch.object(trials, "on_alone", truth.on_alone),
    ):
        yield


def write_shards(run: SuiteRun) -> int:
    """Write every shard of a suite that a training would write, below the present folder; return their number."""
    plan, layout = run.plan, run.layout
    names = list(run.configuration.domains)
    for name in names:
        prepare_domain(run, name, layout.domain(name))
    if plan.ends.measured:
        measure_interface(run, [layout.domain(name) for name in names], layout.interface)
    count = 0
    with _trained_by(Truth(names)):
        for name in names:
            for job in plan.trial_jobs(name):
                trials.train_trials(run, name, job.first, job.last, layout.domain(name), layout.trial_job(job))
                count += 1
        for one in plan.mixture_jobs:
            sources = [layout.domain(name) for name in one.domains]
            trials.train_mixture_block(run, one.group, one.block, sources, layout.mixture_job(one))
            count += 1
        for alone_job in plan.ends.jobs:
            name = alone_job.domain
            trials.train_alone_block(run, name, alone_job.block, layout.domain(name), layout.alone_job(alone_job))
            count += 1
        for agents in plan.agent_jobs:
            name = agents.domain
            trials.train_agents(run, name, agents.block, layout.domain(name), layout.agent_job(agents))
            count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", type=int, default=60)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    os.chdir(given.folder)
    raw = configuration(given.domains)
    Path("scale.yaml").write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    run: Any = Run.of(raw)
    print(f"{write_shards(run)} shards of {given.domains} domains and {len(run.plan.pairs)} pairs")


if __name__ == "__main__":
    main()
