"""How a policy is trained on a control domain (DQN), and what either kind of learning is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from aiq.config.training import Optimizer, Training
from aiq.settings import Settings


class Boltzmann(Settings):
    """Actions drawn with probabilities proportional to exp(Q / temperature)."""

    rule: Literal["boltzmann"] = Field(description="the exploration: boltzmann")
    temperature: float = Field(1.0, gt=0, description="temperature, in units of Q")


class EpsilonGreedy(Settings):
    """A uniform action with probability epsilon, which falls linearly from start to end."""

    rule: Literal["epsilon_greedy"] = Field(description="the exploration: epsilon_greedy")
    start: float = Field(1.0, ge=0, le=1, description="epsilon at the first step")
    end: float = Field(0.05, ge=0, le=1, description="epsilon after the fall")
    fraction: float = Field(0.1, gt=0, le=1, description="share of the steps over which it falls")


Exploration = Annotated[Boltzmann | EpsilonGreedy, Field(discriminator="rule")]


class SoftUpdate(Settings):
    """The target network follows by a share of the difference after every update."""

    rule: Literal["soft"] = Field(description="the target's update: soft")
    rate: float = Field(0.01, gt=0, le=1, description="share of the difference")


class HardUpdate(Settings):
    """The target network is a copy, made anew every so many environment steps."""

    rule: Literal["hard"] = Field(description="the target's update: hard")
    every: int = Field(500, ge=1, description="environment steps between copies")


Target = Annotated[SoftUpdate | HardUpdate, Field(discriminator="rule")]


class Evaluation(Settings):
    """Greedy episodes played from time to time, and those that give the reported performance."""

    every: int = Field(2500, ge=1, description="environment steps between evaluations")
    episodes: int = Field(10, ge=1, description="greedy episodes of each evaluation")
    final_episodes: int = Field(100, ge=1, description="fresh episodes of the best checkpoint: the performance")


class Plateau(Settings):
    """Stop when the mean of the last evaluations has stopped rising."""

    window: int = Field(3, ge=1, description="evaluations in the mean")
    patience: int = Field(5, ge=1, description="evaluations without a rise of the mean after which a policy stops")
    improvement: float = Field(0.005, ge=0, description="smallest rise in performance that counts")


class Reinforcement(Settings):
    """Deep Q-learning with replay (Mnih et al. 2015), double by default (van Hasselt et al. 2016)."""

    algorithm: Literal["dqn"] = Field(description="the algorithm: dqn")
    steps: int = Field(ge=1, description="environment steps of a policy; with convergence, at most")
    optimizer: Optimizer = Field(description="always written out")
    batch_size: int = Field(32, ge=1, description="transitions an update")
    replay: int = Field(50_000, ge=1, description="transitions kept, the oldest replaced")
    learning_starts: int = Field(10, ge=1, description="environment steps before the first update")
    train_every: int = Field(1, ge=1, description="environment steps between updates")
    discount: float = Field(0.99, ge=0, lt=1, description="discount of the next state's value")
    double: bool = Field(True, description="the online network chooses the next action, the target values it")
    loss: Literal["mse", "huber"] = Field("mse", description="of the temporal difference")
    target: Target = Field(default_factory=lambda: SoftUpdate(rule="soft"), description="how the target follows")
    exploration: Exploration = Field(
        default_factory=lambda: Boltzmann(rule="boltzmann"), description="how actions are chosen in training"
    )
    evaluation: Evaluation = Field(default_factory=Evaluation, description="when and how long policies are evaluated")
    convergence: Plateau | None = Field(None, description="stop at convergence; null trains all steps")
    trainer: Literal["population", "reference"] = Field(
        "population", description="policies of a chunk trained together, or one at a time (slow, for comparison)"
    )

    @model_validator(mode="after")
    def _check(self) -> Reinforcement:
        """The replay holds a batch, and training begins before it ends."""
        if self.replay < self.batch_size:
            raise ValueError(f"replay {self.replay} is smaller than batch_size {self.batch_size}")
        if self.learning_starts >= self.steps:
            raise ValueError(f"learning_starts {self.learning_starts} must be below steps {self.steps}")
        return self


def _kind(value: Any) -> str:
    """Return which settings a value is meant to be: those with the key ``algorithm`` act."""
    acting = "algorithm" in value if isinstance(value, Mapping) else isinstance(value, Reinforcement)
    return "reinforcement" if acting else "supervised"


Learning = Annotated[
    Annotated[Training, Tag("supervised")] | Annotated[Reinforcement, Tag("reinforcement")], Discriminator(_kind)
]
"""Training on labelled data, or (with the key ``algorithm``) by acting in control domains."""
