"""The open-world evaluation of docs/runs/novelty.md: agents of several kinds meet novelties in CartPole3D.

    python studies/novelty_run.py train|play|reduce --out FOLDER [--levels 14 15] [--first 0] [--trials 4]

``train`` trains the baseline on level 0. ``play`` lets every kind play numbered trials of some levels; what has been
played is not played again. ``reduce`` writes tables, figure and film strips of all that was played.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from aiq.wings.novelty.networks import Frozen
from aiq.wings.novelty.protocol import Arena, NoveltyTrial, Plan, Watchful, play_trial
from aiq.wings.novelty.scoring import KINDS

ROOT, CALIBRATED = 2025, 60
PLAN = Plan(episodes=20, earliest=4, latest=8)


def train(out: Path) -> None:
    """Train three networks of 2 x 64 on level 0 (DQN, 20,000 steps) and keep the best."""
    from aiq import domains
    from aiq.config import validate
    from aiq.config.training import Network, Reinforcement
    from aiq.policies import networks
    from aiq.records.trial import Policy
    from aiq.training import reinforcement

    told = {"source": "cartpole3d", "view": "cart", "training_reward": "tick"}
    world = domains.control_domain("level-00", validate(domains.CONTROL_FAMILIES["cartpole3d"].settings, told))
    settings = validate(
        Reinforcement,
        {
            "algorithm": "dqn",
            "steps": 20_000,
            "optimizer": {"name": "adam", "learning_rate": 0.001},
            "batch_size": 64,
            "train_every": 2,
            "exploration": {"rule": "epsilon_greedy"},
            "evaluation": {"every": 2500, "episodes": 10, "final_episodes": 40},
        },
    )
    architecture = networks.from_network(validate(Network, {"layers": 2, "width": 64}))
    policies = [Policy(architecture, seed) for seed in range(3)]
    found = reinforcement.train_agents(world, policies, settings, seeds=[11, 12, 13], device="cpu", threads=1)
    best = max(found, key=lambda one: one.trial.performance)
    print("performance in level 0:", [round(one.trial.performance, 3) for one in found])
    np.savez(out / "baseline.npz", **{f"{k:03d}": w.numpy() for k, w in enumerate(best.weights)})


def weights(out: Path) -> list[Any]:
    """Return the weights of the baseline."""
    with np.load(out / "baseline.npz") as held:
        return [held[name] for name in sorted(held)]


def kinds(out: Path, arena: Arena) -> dict[str, Callable[[], Watchful]]:
    """Return what makes each kind, calibrated on level 0."""
    net = weights(out)
    made: dict[str, Callable[[], Watchful]] = {"baseline": lambda: Frozen(net)}
    return made | {name: partial(kind, net, arena, CALIBRATED, ROOT) for name, kind in KINDS.items()}


def play(out: Path, levels: list[int], first: int, count: int) -> None:
    """Play trials ``first`` to ``first + count - 1`` of some levels with every kind."""
    import torch

    torch.set_num_threads(1)
    arena = Arena()
    for kind, make in kinds(out, arena).items():
        agent: Watchful | None = None
        for level in levels:
            path = out / f"{kind}+{level:02d}+{first:03d}.json"
            if path.exists():
                continue
            agent = agent or make()
            begun = time.process_time()
            trials = [play_trial(arena, agent, PLAN, level, "easy", ROOT, first + k) for k in range(count)]
            seconds = time.process_time() - begun
            ticks = sum(200 * sum(trial.performance) for trial in trials)
            path.write_text(json.dumps({"seconds": seconds, "ticks": ticks, "trials": [asdict(t) for t in trials]}))
            print(f"{kind}, level {level}: {ticks / seconds:.0f} ticks a second", flush=True)
    arena.close()


def played(out: Path) -> tuple[dict[str, dict[int, list[NoveltyTrial]]], dict[str, float]]:
    """Return kind -> level -> trials, and the ticks a second of each kind."""
    found: dict[str, dict[int, list[NoveltyTrial]]] = {}
    spent: dict[str, list[float]] = {}
    for path in sorted(out.glob("*+*+*.json")):
        held = json.loads(path.read_text())
        for one in held["trials"]:
            one["performance"], one["alarmed"] = tuple(one["performance"]), tuple(one["alarmed"])
            trial = NoveltyTrial(**one)
            found.setdefault(trial.kind, {}).setdefault(trial.level, []).append(trial)
        total = spent.setdefault(trial.kind, [0.0, 0.0])
        total[0], total[1] = total[0] + held["ticks"], total[1] + held["seconds"]
    for levels in found.values():
        for trials in levels.values():
            trials.sort(key=lambda one: one.number)
    return found, {kind: ticks / seconds for kind, (ticks, seconds) in spent.items()}


def main(arguments: list[str] | None = None) -> None:
    """Do one of the three parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["train", "play", "reduce"])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--levels", type=int, nargs="+", default=[14, 15, 16])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--trials", type=int, default=4)
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.part == "train":
        train(asked.out)
    elif asked.part == "play":
        play(asked.out, asked.levels, asked.first, asked.trials)
    else:
        from studies.novelty_shown import reduce

        reduce(asked.out, *played(asked.out))


if __name__ == "__main__":
    main()
