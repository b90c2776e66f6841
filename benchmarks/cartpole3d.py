"""World steps per second of CartPole3D on one core, at level 0, per level, and with the number of balls.

Run ``python benchmarks/cartpole3d.py``; CPU time is counted, so that a busy machine changes the numbers little.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np

from aiq.domains.cartpole3d.levels import LEVELS, Rules, Spawning, resolve
from aiq.domains.cartpole3d.starts import Balls, moving_ball
from aiq.domains.cartpole3d.world import World

EPISODES = 15


def world_speed(rules: Rules, episodes: int, count: int | None = None) -> tuple[float, float, float]:
    """Return world steps a second (median over episodes of 200 ticks), resets a second and the mean of balls.

    Args:
        rules: the variant.
        episodes: how many episodes are timed.
        count: number of balls in the box, placed as level 16 would; None for the variant's own.
    """
    world = World(rules)
    steps, resets, balls = [], [], []
    for seed in range(episodes):
        start = time.process_time()
        world.reset(np.random.default_rng(seed))
        resets.append(time.process_time() - start)
        if count is not None:
            world.place_balls(scattered(rules, count, world, np.random.default_rng(seed)))
        start = time.process_time()
        for tick in range(200):
            world.step(tick % 5)
        steps.append((time.process_time() - start) / 200)
        balls.append(world.ball_count)
    world.close()
    return 1 / float(np.median(steps)), 1 / float(np.median(resets)), float(np.mean(balls))


def scattered(rules: Rules, count: int, world: World, rng: np.random.Generator) -> Balls:
    """Draw balls with the speeds of level 16, apart from each other and from the cart."""
    cart = np.array(world.cart_position[:2])
    positions, velocities = np.empty((0, 3)), np.empty((0, 3))
    while len(positions) < count:
        drawn = moving_ball(rules, cart, cart, positions, rng)
        if drawn is not None:
            positions, velocities = np.vstack([positions, drawn[0]]), np.vstack([velocities, drawn[1]])
    return Balls(positions, velocities)


def environment_speed(episodes: int, **arguments: object) -> float:
    """Return environment steps a second, resets included, under random actions."""
    env = gymnasium.make("aiq/CartPole3D-v0", **arguments).unwrapped
    rng, ticks = np.random.default_rng(0), 0
    actions = rng.integers(0, 5, 100_000).tolist()
    start = time.process_time()
    for seed in range(episodes):
        env.reset(seed=seed)
        over = False
        while not over:
            _, _, fallen, late, _ = env.step(actions[ticks])
            ticks += 1
            over = fallen or late
    spent = time.process_time() - start
    env.close()
    return ticks / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=EPISODES)
    episodes = parser.parse_args().episodes
    print("level  steps/s  resets/s  balls at the end")
    for novelty in LEVELS:
        steps, resets, balls = world_speed(resolve(novelty, "easy"), episodes)
        print(f"{novelty:5d}  {steps:7.0f}  {resets:8.0f}  {balls:5.1f}")
    print("\nballs  steps/s at level 0")
    for count in (0, 1, 2, 4, 8, 12, 16, 20):
        rules = Rules(spawning=Spawning(interval=1_000_000, moving=True))  # room for 20 balls, none spawned
        print(f"{count:5d}  {world_speed(rules, episodes, count)[0]:7.0f}")
    print("\nview      environment steps/s at level 0, random actions, resets included")
    for view in ("full", "cart", "baseline"):
        print(f"{view:8s}  {environment_speed(10 * episodes, view=view):7.0f}")


if __name__ == "__main__":
    main()
