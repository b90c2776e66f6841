"""What benchmarks/reinforcement.py compares: ours, Stable-Baselines3, and a plain loop in the style of CleanRL."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator

import gymnasium
import numpy as np
import torch
from torch import nn

from aiq import seeding
from aiq.config.training import Adam, EpsilonGreedy, Evaluation, Reinforcement, SoftUpdate
from aiq.domains.control.cartpole import CartPoleDomain
from aiq.domains.control.settings import CartPole
from aiq.policies.networks import initial_weights
from aiq.records.trial import Architecture, Policy
from aiq.training.device import computing
from aiq.training.playing import evaluate, greedy
from aiq.training.q_learners import PopulationLearner, world_seed
from aiq.training.reinforcement import train_agents

AGENTS = 32
TAU, RATE, DISCOUNT, REPLAY, STARTS = 0.01, 1e-3, 0.99, 50_000, 500
DOMAIN = CartPoleDomain("cartpole", CartPole(source="cartpole"))

Round = tuple[int, float, float]
"""Environment steps taken, seconds, seconds of processor time."""

Advance = Callable[[int], Round]
"""Takes so many steps with every agent at hand."""


def timed(taken: int, steps: Callable[[], object]) -> Round:
    """Take steps and return how many they were and how long they took."""
    began, processor = time.perf_counter(), time.process_time()
    steps()
    return taken, time.perf_counter() - began, time.process_time() - processor


def pool() -> list[Architecture]:
    """Return the pool's architectures, the deepest first."""
    drawn = seeding.generator(0, "benchmark", "pool")
    found = [
        Architecture("dense", tuple(int(w) for w in drawn.integers(1, 33, size=drawn.integers(1, 4))))
        for _ in range(AGENTS)
    ]
    return sorted(found, key=lambda architecture: -len(architecture.widths))


def rule(**changes: object) -> Reinforcement:
    """Return the settings that all contenders share."""
    told = {
        "algorithm": "dqn",
        "steps": 100_000,
        "optimizer": Adam(name="adam", learning_rate=RATE),
        "batch_size": 32,
        "replay": REPLAY,
        "learning_starts": STARTS,
        "discount": DISCOUNT,
        "double": False,
        "target": SoftUpdate(rule="soft", rate=TAU),
        "exploration": EpsilonGreedy(rule="epsilon_greedy", start=1.0, end=0.05, fraction=0.2),
    }
    return Reinforcement(**{**told, **changes})


def ours() -> Advance:
    """Return our trainer with all agents, past the start of learning."""
    architectures = pool()
    weights = [initial_weights(a, (4,), 2, i) for i, a in enumerate(architectures)]
    worlds = DOMAIN.worlds([world_seed(i) for i in range(AGENTS)])
    learner = PopulationLearner(architectures, weights, list(range(AGENTS)), DOMAIN, rule(), worlds)
    learner.advance(STARTS + 1)

    def advance(steps: int) -> Round:
        with computing(1):
            return timed(steps * AGENTS, lambda: learner.advance(steps))

    return advance


def environment() -> gymnasium.Env:
    """Return CartPole of 200 steps."""
    return gymnasium.make("CartPole-v1", max_episode_steps=200)


def baselines() -> Advance:
    """Return Stable-Baselines3's DQN, another agent of the pool at every call."""
    architectures, calls = pool(), []

    def advance(steps: int) -> Round:
        model = make_baseline(architectures[7 * len(calls) % AGENTS].widths, len(calls), 1, 32)
        calls.append(steps)
        return timed(steps, lambda: model.learn(steps))

    return advance


def make_baseline(widths: tuple[int, ...], seed: int, every: int, batch: int, starts: int = 1):
    """Return Stable-Baselines3's DQN with the shared settings."""
    from stable_baselines3 import DQN

    return DQN(
        "MlpPolicy",
        environment(),
        learning_rate=RATE,
        buffer_size=REPLAY,
        learning_starts=starts,
        batch_size=batch,
        tau=TAU,
        gamma=DISCOUNT,
        train_freq=every,
        gradient_steps=1,
        target_update_interval=1,
        exploration_fraction=0.2,
        exploration_initial_eps=1.0,
        exploration_final_eps=0.05,
        max_grad_norm=1e9,
        policy_kwargs={"net_arch": list(widths)},
        device="cpu",
        seed=seed,
    )


def plain() -> Advance:
    """Return a plain loop in the style of CleanRL's dqn.py, leaner in its memory; another agent at every call."""
    architectures, calls = pool(), []

    def advance(steps: int) -> Round:
        widths = architectures[7 * len(calls) % AGENTS].widths
        calls.append(steps)
        return timed(steps, lambda: loop(widths, len(calls), steps))

    return advance


def layers(widths: tuple[int, ...]) -> nn.Sequential:
    """Return a dense network of CartPole."""
    nodes, parts = (4, *widths, 2), []
    for before, after in itertools.pairwise(nodes):
        parts += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def loop(widths: tuple[int, ...], seed: int, steps: int, batch: int = 32) -> None:
    """Train one agent for so many steps, one update every step."""
    random.seed(seed)
    drawn = np.random.default_rng(seed)
    torch.manual_seed(seed)
    world = environment()
    net, target = layers(widths), layers(widths)
    target.load_state_dict(net.state_dict())
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    memory = [np.zeros((REPLAY, *shape), kind) for shape, kind in MEMORY]
    seen, _ = world.reset(seed=seed)
    for step in range(steps):
        chance = max(0.05, 1 - 0.95 * step / 20_000)
        if random.random() < chance:
            action = int(world.action_space.sample())
        else:
            action = int(net(torch.from_numpy(seen)).argmax())
        after, reward, terminated, truncated, _ = world.step(action)
        for part, value in zip(memory, (seen, action, reward, terminated, after), strict=True):
            part[step % REPLAY] = value
        seen = world.reset()[0] if terminated or truncated else after
        places = drawn.integers(0, min(step + 1, REPLAY), batch)
        x, a, r, t, y = (torch.from_numpy(part[places]) for part in memory)
        with torch.no_grad():
            goal = r + DISCOUNT * target(y).max(1).values * (1 - t)
        loss = nn.functional.mse_loss(net(x).gather(1, a[:, None]).squeeze(1), goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for slow, fast in zip(target.parameters(), net.parameters(), strict=True):
            slow.data.copy_(TAU * fast.data + (1 - TAU) * slow.data)


MEMORY = (((4,), np.float32), ((), np.int64), ((), np.float32), ((), np.float32), ((4,), np.float32))
"""Shape and kind of observation, action, reward, end, next observation."""

CONTENDERS: dict[str, Callable[[], Advance]] = {"ours": ours, "Stable-Baselines3": baselines, "plain loop": plain}


def learned(name: str, seeds: list[int], steps: int) -> Iterator[dict[int, tuple[float, float, float]]]:
    """Yield seed -> (mean return of the best checkpoint, of the last weights, seconds), on 100 fresh episodes each."""
    torch.set_num_threads(1)
    for group in ([seeds] if seeds else []) if name == "ours" else [[seed] for seed in seeds]:
        began = time.process_time()
        agents = ours_learned(group, steps) if name == "ours" else [baseline_learned(seed, steps) for seed in group]
        seconds = (time.process_time() - began) / len(group)
        yield {
            seed: (fresh(best, seed, 0), fresh(last, seed, 1), seconds)
            for seed, (best, last) in zip(group, agents, strict=True)
        }


def fresh(weights: list[torch.Tensor], seed: int, kind: int) -> float:
    """Return the mean return of 100 episodes that no training and no choice has seen."""
    lanes = [seeding.integer(seed, "fresh", kind, episode) for episode in range(100)]
    return float(evaluate(DOMAIN, greedy(weights), seeds=lanes).returns.mean())


def ours_learned(seeds: list[int], steps: int) -> list[tuple[list[torch.Tensor], list[torch.Tensor]]]:
    """Return best and last weights of our agents, trained as one population."""
    told = {"steps": steps, "train_every": 2, "batch_size": 64, "loss": "huber"}
    settings = rule(**told, evaluation=Evaluation(every=1000, episodes=10, final_episodes=10))
    policies = [Policy(Architecture("dense", (64, 64)), seed) for seed in seeds]
    agents = train_agents(DOMAIN, policies, settings, seeds=seeds)
    return [(agent.weights, agent.last) for agent in agents]


def baseline_learned(seed: int, steps: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return best and last weights of one agent of Stable-Baselines3."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Watch(BaseCallback):
        best, weights = -1.0, []

        def _on_step(self) -> bool:
            if self.num_timesteps % 1000 == 0:
                now = [p.detach().clone() for p in self.model.q_net.q_net.parameters()]
                lanes = [seeding.integer(seed, "watch", self.num_timesteps, episode) for episode in range(10)]
                score = evaluate(DOMAIN, greedy(now), seeds=lanes).returns.mean()
                if score >= self.best:
                    self.best, self.weights = score, now
            return True

    model, watch = make_baseline((64, 64), seed, 2, 64, STARTS), Watch()
    model.learn(steps, callback=watch)
    return watch.weights, [p.detach().clone() for p in model.q_net.q_net.parameters()]


def versions() -> str:
    """Return the versions of what was compared."""
    import stable_baselines3

    parts = {"torch": torch, "Gymnasium": gymnasium, "Stable-Baselines3": stable_baselines3}
    return ", ".join(f"{name} {module.__version__}" for name, module in parts.items())
