"""The settings of the family recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from aiq.domains.labelled.settings import Fraction, Labelled
from aiq.domains.sizes import Sizes


class Recorded(Labelled):
    """A competent agent's observations in a control problem, labelled with the actions it took (2.6.3)."""

    source: Literal["recorded"] = Field(description="the source: recorded")
    environment: Literal["CartPole-v1", "cartpole3d"] = Field(
        "CartPole-v1", description="Gymnasium's CartPole, or CartPole3D"
    )
    agent: Literal["lqr", "balancer"] = Field(
        "lqr",
        description="lqr, a linear-quadratic regulator, for CartPole-v1; balancer, made by hand, for cartpole3d",
    )
    novelty: int = Field(0, ge=0, le=16, description="cartpole3d only: level of novelty, 0 (no change) to 16")
    difficulty: Literal["easy", "medium", "hard"] = Field(
        "easy", description="cartpole3d only: difficulty of the level of novelty"
    )
    view: Literal["vector", "image"] = Field("vector", description="observations as vectors or as grey 32x32 pictures")
    train_samples: int = Field(2000, ge=10, description="pairs in the training split")
    test_samples: int = Field(1000, ge=10, description="pairs in the test split, from other episodes")
    exploration: Fraction = Field(
        0.3, description="share of steps on which a random action is taken (never recorded as the label)"
    )

    @model_validator(mode="before")
    @classmethod
    def _choose_agent(cls, value: Any) -> Any:
        """Take the environment's own agent if none is named."""
        if isinstance(value, Mapping) and value.get("environment") == "cartpole3d":
            return {"agent": "balancer", **value}
        return value

    @model_validator(mode="after")
    def _check_environment(self) -> Recorded:
        """An agent that knows the environment, and levels only where there are any."""
        fitting = {"CartPole-v1": "lqr", "cartpole3d": "balancer"}[self.environment]
        if self.agent != fitting:
            raise ValueError(f"agent is {self.agent!r}, but the agent of {self.environment} is {fitting!r}")
        if self.environment == "CartPole-v1" and (self.novelty, self.difficulty) != (0, "easy"):
            raise ValueError(
                f"novelty is {self.novelty} and difficulty {self.difficulty!r}, but CartPole-v1 has no levels: "
                "take environment cartpole3d"
            )
        return self

    @model_serializer(mode="wrap")
    def _write(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the level where there are none, so that fingerprints are those from before there were levels."""
        written: dict[str, Any] = write(self)
        if self.environment == "CartPole-v1":
            written = {key: value for key, value in written.items() if key not in ("novelty", "difficulty")}
        return written

    @property
    def label_space(self) -> str:
        """The actions of the environment."""
        return f"recorded:{self.environment}"

    @property
    def holds(self) -> Sizes:
        """As many pairs as are asked for."""
        numbers, actions = (10, 5) if self.environment == "cartpole3d" else (4, 2)
        shape = (numbers,) if self.view == "vector" else (1, 32, 32)
        return Sizes(self.train_samples, self.test_samples, actions, shape)
