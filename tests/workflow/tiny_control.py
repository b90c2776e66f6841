"""A tiny suite of control domains: CartPole variants, a baseline, and agents from outside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import tiny

from aiq.plans.run import Run
from aiq.run.reducing import comparison, complexity, dissimilarity, known_baselines, space
from aiq.run.training import domains, interface, trials
from aiq.run.training import players as baseline
from aiq.run.training import players as outside
from aiq.run.training import trials as mixtures
from changes import changed

DQN = {
    "algorithm": "dqn",
    "steps": 200,
    "batch_size": 16,
    "optimizer": {"name": "adam", "learning_rate": 0.002},
    "evaluation": {"every": 100, "episodes": 2, "final_episodes": 4},
}
CONTROL: dict[str, Any] = {
    "name": "control",
    "seed": 5,
    "results": "results/control",
    "domains": {
        "normal": {"source": "cartpole", "steps": 60},
        "heavy": {"source": "cartpole", "gravity": 60, "steps": 60},
        "weak": {"source": "cartpole", "force": 2, "steps": 60},
    },
    "pool": {"size": 4, "policies_per_chunk": 2, "layers": [1, 2], "width": [1, 8]},
    "training": DQN,
    "complexity": {"resamples": 40},
    "entropy": {"resamples": 40, "bins": 10},
    "dissimilarity": {
        "proportions": 3,
        "repetitions": 2,
        "network": {"layers": 1, "width": 8},
        "training": DQN,
        "resamples": 40,
    },
    "baseline": {"network": {"layers": 1, "width": 8}, "training": DQN, "repetitions": 2, "episodes": 6},
    "agents": {
        "repetitions": 2,
        "networks": [{"name": "one", "layers": 1, "width": 8}, {"name": "two", "layers": 2, "width": 4}],
        "outside": [
            {"name": "mine", "factory": "balancers:balancer", "arguments": {"damping": 2.0}, "episodes": 5},
            {"name": "broken", "factory": "balancers:broken", "episodes": 5},
        ],
    },
    "jobs": {"chunks_per_job": 2, "mixtures_per_job": 3, "agents_per_job": 2},
}
BALANCERS = """
def balancer(domain, damping):
    def act(observation):
        x, v, angle, speed = observation
        return int(0.1 * x + 0.3 * v + 10 * angle + damping * speed > 0)

    return act


def broken(domain):
    return lambda observation: domain.actions
"""


def control(**changes: Any) -> dict[str, Any]:
    """The configuration with some keys changed; ``pool__size=6`` reaches into a section."""
    return changed(CONTROL, **changes)


def write_balancers(folder: Path) -> None:
    """Write the agents from outside into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "balancers.py").write_text(BALANCERS, encoding="utf-8")


def jobs(run: Run) -> dict[str, Callable[[], None]]:
    """Return path -> what makes it, in order; the same calls as in ``scripts/``."""
    plan, layout, names = run.plan, run.layout, list(run.configuration.domains)
    made: dict[str, Callable[[], None]] = {}

    def add(path: str, work: Callable[..., None], *arguments: Any) -> None:
        made[path] = lambda: work(run, *arguments)

    for d in names:
        add(layout.domain(d), domains.prepare_domain, d, layout.domain(d))
    if plan.ends.measured:
        add(layout.interface, interface.measure_interface, [layout.domain(d) for d in names], layout.interface)
    for d in names:
        for job in plan.trial_jobs(d):
            path = layout.trial_job(job)
            add(path, trials.train_trials, d, job.first, job.last, layout.domain(d), path)
    for job in plan.ends.jobs:
        path = layout.alone_job(job)
        add(path, mixtures.train_alone_block, job.domain, job.block, layout.domain(job.domain), path)
    for job in plan.mixture_jobs:
        path = layout.mixture_job(job)
        sources = [layout.domain(d) for d in job.domains]
        add(path, mixtures.train_mixture_block, job.group, job.block, sources, path)
    for job in plan.agent_jobs:
        path = layout.agent_job(job)
        add(path, trials.train_agents, job.domain, job.block, layout.domain(job.domain), path)
    strangers = [(a.name, d) for a in run.configuration.agents.outside for d in names]
    for name, d in strangers:
        add(layout.outside(d, name), outside.play_outside, d, name, layout.domain(d), layout.outside(d, name))
    for d in plan.baseline_domains:
        add(layout.baseline(d), baseline.train_baseline, d, layout.domain(d), layout.baseline(d))
    for d in names:
        home = layout.baseline(plan.trained_on(d))
        add(layout.play(d), baseline.play_baseline, d, layout.domain(d), home, layout.play(d), layout.entropy(d))
    for d in names:
        shards = [layout.trial_job(job) for job in plan.trial_jobs(d)]
        add(layout.complexity(d), complexity.reduce_complexity, d, shards, layout.complexity(d))
    if plan.with_known_baselines:
        sources, target = [layout.domain(d) for d in names], layout.known_baselines
        add(target, known_baselines.measure_known_baselines, sources, target)
    shards = [layout.mixture_job(job) for job in plan.mixture_jobs]
    ends = [layout.alone_job(job) for job in plan.ends.jobs]
    add(layout.dissimilarity, dissimilarity.reduce_dissimilarity, shards, layout.dissimilarity, ends)
    add(layout.space, space.build_space, [layout.complexity(d) for d in names], layout.dissimilarity, layout.space)
    trained = [layout.agent_job(job) for job in plan.agent_jobs]
    played = [layout.outside(d, name) for name, d in strangers]
    add(layout.scores, space.score_agents, layout.space, trained, [], layout.scores, played)
    plays = [layout.play(d) for d in names]
    add(layout.apti, comparison.score_apti, layout.space, layout.scores, plays, layout.apti)
    return made


def make(folder: Path, raw: dict[str, Any]) -> Run:
    """Make all files of a configuration that are missing in a folder, one after another."""
    run = Run.of(raw)
    write_balancers(folder)
    with tiny.inside(folder):
        for path, work in jobs(run).items():
            if not Path(path).exists():
                work()
    return run
