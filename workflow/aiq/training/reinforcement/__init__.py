"""Deep Q-learning of pools of policies on control domains, and of one architecture on mixtures of two."""

from aiq.training.reinforcement.alone import train_alone
from aiq.training.reinforcement.chunks import Agent, train_agents, train_chunk
from aiq.training.reinforcement.evaluation import Plays, evaluate, greedy
from aiq.training.reinforcement.mixtures import train_mixtures
from aiq.training.reinforcement.pools import PoolMember, train_pool

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
