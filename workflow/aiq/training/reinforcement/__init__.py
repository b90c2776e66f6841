"""Deep Q-learning of pools of policies on control domains, and of one architecture on mixtures of two."""

from aiq.training.playing import Plays, evaluate, greedy
from aiq.training.reinforcement.chunks import Agent, train_agents, train_chunk
from aiq.training.reinforcement.mixtures import PoolMember, train_alone, train_mixtures, train_pool

__all__ = [
    "Agent",
    "Plays",
    "PoolMember",
    "evaluate",
    "greedy",
    "train_agents",
    "train_alone",
    "train_chunk",
    "train_mixtures",
    "train_pool",
]
