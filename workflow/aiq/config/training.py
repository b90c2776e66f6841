"""Networks, pools of them or of learners made elsewhere, and how they are trained: on labelled data or by acting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, JsonValue, StringConstraints, Tag, model_validator

from aiq.settings import Settings, fixed

# ---- Learners made elsewhere ---------------------------------------------------------------------


FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

Named = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
"""``module:name``, importable from the working folder."""


class Learner(Settings):
    """A member of a pool made elsewhere, see docs/how-to/own-agent.md."""

    factory: Named = Field(description="module:factory of an estimator (fit, predict) or a torch module")
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="arguments of the factory")
    size: Annotated[int, Field(ge=1)] | Named = Field(
        description="numbers that a trained one consists of, as the parameters of a network: a number, or "
        "module:function that tells it of the trained learner (aiq.policies.learners:parameters for torch modules)"
    )


class Generated(Settings):
    """A pool of learners that a function gives one after another."""

    generator: Named = Field(
        description="module:function, called with seed and arguments; yields mappings of factory, arguments and size"
    )
    arguments: dict[str, JsonValue] = Field(default_factory=dict, description="further arguments of the function")


LAYERS, WIDTH = 100, 65_536  # the most of a network
Rate = Annotated[float, Field(gt=0)]


class Adam(Settings):
    """Adam (Kingma and Ba 2015)."""

    name: Literal["adam"] = Field(description="the optimizer: adam")
    learning_rate: Rate = Field(description="step size")
    betas: ClassVar = fixed((0.9, 0.999))  # decay of the first and second moment
    epsilon: ClassVar = fixed(1e-8)  # added to the denominator


class AdamW(Settings):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019)."""

    name: Literal["adamw"] = Field(description="the optimizer: adamw")
    learning_rate: Rate = Field(description="step size")
    betas: ClassVar = fixed((0.9, 0.999))  # decay of the first and second moment
    epsilon: ClassVar = fixed(1e-8)  # added to the denominator
    weight_decay: ClassVar = fixed(0.01)


class Sgd(Settings):
    """Stochastic gradient descent."""

    name: Literal["sgd"] = Field(description="the optimizer: sgd")
    learning_rate: Rate = Field(description="step size")
    momentum: ClassVar = fixed(0.0)


class Adadelta(Settings):
    """Adadelta (Zeiler 2012)."""

    name: Literal["adadelta"] = Field(description="the optimizer: adadelta")
    learning_rate: Rate = Field(description="factor of the step")
    rho: ClassVar = fixed(0.9)  # decay of the squared averages
    epsilon: ClassVar = fixed(1e-6)  # added under the root


Optimizer = Annotated[Adam | AdamW | Sgd | Adadelta, Field(discriminator="name")]


class Convergence(Settings):
    """Stop a policy when its accuracy on a held-out part of the training split has stopped rising."""

    validation: ClassVar = fixed(0.1)  # share of the training split held out; never the test split
    patience: int = Field(3, ge=1, description="epochs without improvement after which the policy stops")
    improvement: float = Field(0.001, ge=0, description="smallest rise in accuracy that counts as improvement")


class Training(Settings):
    """How a policy is trained on labelled data (cross-entropy loss)."""

    gone: ClassVar = {
        "products": "(float32 or bfloat16, the precision of matrix products) went in November 2026: all are of float32"
    }

    epochs: int = Field(ge=1, le=1_000_000, description="passes over the training split; with convergence, at most")
    batch_size: int = Field(
        ge=1, le=100_000_000, description="samples per step; the last batch of an epoch may be smaller"
    )
    optimizer: Optimizer = Field(description="always written out")
    convergence: Convergence | None = Field(None, description="stop at convergence; null trains all epochs")
    trainer: ClassVar = fixed("population")


class Layered(Settings):
    """Kinds of networks."""

    family: Literal["dense", "convolutional"] = Field("dense", description="kind of layers")
    reduction: Literal["pooling", "stride"] = Field(
        "pooling", description="convolutional: 3x3 kernels with 2x2 max pooling (3.1.5), or a stride of 3 (2.4.3)"
    )
    dense_nodes: int = Field(100, ge=1, description="convolutional: nodes of the dense layer after the convolutions")


class Network(Layered):
    """One network of given depth and width; ReLU between the layers."""

    layers: int = Field(ge=0, le=LAYERS, description="hidden layers; 0 is a linear classifier (dense only)")
    width: int = Field(ge=1, le=WIDTH, description="nodes (filters) of each hidden layer")

    @model_validator(mode="after")
    def _check(self) -> Network:
        if self.family == "convolutional" and self.layers < 1:
            raise ValueError("a convolutional network needs at least 1 layer")
        return self


OF_NETWORKS = ("dense_nodes", "family", "interface", "layers", "reduction", "width")
"""Keys of a pool of networks, which a pool of learners made elsewhere does not have."""


class Pool(Layered):
    """Architectures drawn at random; one pool serves every domain of a suite (2.4.3)."""

    size: int = Field(ge=1, le=1_000_000, description="number of policies; a multiple of policies_per_chunk")
    policies_per_chunk: int = Field(
        16, ge=1, le=100_000, description="policies that share a batch order and train together"
    )
    layers: tuple[int, int] = Field((1, 3), description="smallest and largest number of hidden layers, uniform")
    width: tuple[int, int] = Field((1, 32), description="smallest and largest width of a layer, uniform")
    outputs: ClassVar = fixed("classes")  # one for each class of the domain
    interface: Literal["domain", "suite"] = Field(
        "domain",
        description="inputs and outputs of the pool's networks: each domain's own, or for all domains those of the "
        "suite's mixtures (largest inputs, most outputs of a pair); then no complexity is larger for its inputs alone",
    )

    learners: list[Learner] | Generated | None = Field(
        None,
        exclude_if=lambda learners: learners is None,  # younger than the fingerprints of pools
        description="learners made elsewhere instead of networks drawn at random: a list, gone through again and "
        "again, or a generator; each states its size. null: networks",
    )

    @model_validator(mode="after")
    def _check_learners(self) -> Pool:
        """Learners have no layers, and none of a list is left out."""
        if self.learners is None:
            return self
        given = [key for key in OF_NETWORKS if getattr(self, key) != type(self).model_fields[key].default]
        if given:
            raise ValueError(f"{given[0]} is of networks, but the pool has learners made elsewhere: leave it out")
        if isinstance(self.learners, list) and not 1 <= len(self.learners) <= self.size:
            raise ValueError(
                f"learners names {len(self.learners)} learners, the pool has the size {self.size}: name at least one, "
                "and take a pool in which each is at least once"
            )
        return self

    @model_validator(mode="after")
    def _check(self) -> Pool:
        """Ranges ordered and positive, and only whole chunks, so that growing the pool adds chunks."""
        for what, (low, high), most in (("layers", self.layers, LAYERS), ("width", self.width, WIDTH)):
            if not 1 <= low <= high <= most:
                raise ValueError(f"{what} [{low}, {high}] must be two numbers from 1 to {most}, the smaller first")
        if self.size % self.policies_per_chunk:
            below = self.size - self.size % self.policies_per_chunk
            near = f"{below} or {below + self.policies_per_chunk}" if below else f"{self.policies_per_chunk}"
            raise ValueError(
                f"size {self.size} is not a multiple of policies_per_chunk {self.policies_per_chunk}; take {near}"
            )
        return self

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return self.size // self.policies_per_chunk


# ---- Training by acting in control domains (DQN), and what either kind of training is ------------


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
    trainer: ClassVar = fixed("population")

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
