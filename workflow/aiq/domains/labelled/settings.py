"""Settings that every labelled family has (each makes a variant of a data set), and those of recorded observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from aiq.domains.family import UNKNOWN, Sizes, Twinned
from aiq.settings import Settings, fixed

Fraction = Annotated[float, Field(ge=0, le=1)]
TestShare = Annotated[float, Field(gt=0, lt=1)]


class RandomClasses(Settings):
    """A seeded random subset of a data set's classes."""

    random: int = Field(ge=2, description="how many classes to draw")
    draw: ClassVar = fixed(0)


class Labelled(Twinned):
    """Parameters that every labelled source understands; each makes a variant of the data set."""

    classes: int | list[int] | RandomClasses | None = Field(
        None, description="keep the first N classes, the listed ones, or a seeded random subset; null keeps all"
    )
    grey: bool = Field(False, description="turn colour images grey (ITU-R 601 luma); vectors are refused")
    size: int | None = Field(
        None, ge=2, le=1024, description="side of the square images in pixels: smaller ones padded, larger ones resized"
    )
    limit: int | None = Field(None, ge=2, description="keep this many training samples, drawn stratified by class")
    limit_test: int | None = Field(None, ge=2, description="keep this many test samples, drawn stratified by class")
    noise: Fraction = Field(0.0, description="fraction of pixels (or entries) replaced by uniform noise")
    gaussian: float = Field(0.0, ge=0, description="standard deviation of added noise, in units of the value range")
    duplicate: int = Field(1, ge=1, description="how often every sample is repeated, in training and test split")
    twin_moves: Literal["pixels", "picture"] = Field(
        "pixels",
        exclude_if=lambda moves: moves == "pixels",  # younger than the fingerprints of domains
        description="what a twin of pictures moves: every pixel for itself, for dense networks; or the picture as a "
        "whole, turned and mirrored, for convolutional ones",
    )

    @model_validator(mode="after")
    def _check_classes(self) -> Labelled:
        if isinstance(self.classes, int) and self.classes < 2:
            raise ValueError(f"classes is {self.classes}, a domain needs at least 2 classes")
        if isinstance(self.classes, list):
            if len(set(self.classes)) != len(self.classes) or any(c < 0 for c in self.classes):
                raise ValueError(f"classes {self.classes} must be different label numbers from 0 up")
            if len(self.classes) < 2:
                raise ValueError(f"classes {self.classes} names one class, a domain needs at least 2")
        return self

    @model_validator(mode="after")
    def _check_present(self) -> Labelled:
        """Refuse classes that the source does not have, where their number is known before anything is read."""
        if self.classes is None:
            return self
        if self.numeric:
            raise ValueError("classes is set, but a number is learned, which has no classes: leave classes out")
        if self.holds.certain and (sentence := lacking(self.classes, range(self.holds.classes))):
            raise ValueError(sentence)
        return self

    @property
    def label_space(self) -> str:
        """Name of the label space, shared by all variants of one data set."""
        raise TypeError(f"{type(self).__name__} declares no label space")

    @property
    def numeric(self) -> bool:
        """Whether a number is learned (regression) rather than a class."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of files and folders that the domain is read from, if the configuration names any."""
        return ()

    @property
    def stored(self) -> tuple[str, ...]:
        """Files below data_root that a download puts there, if the source downloads any."""
        return ()

    @property
    def holds(self) -> Sizes:
        """What the source holds before it is varied; an assumption where only reading would tell."""
        return UNKNOWN


class OwnFiles(Labelled):
    """Parameters of sources that read what a person has."""

    path: str = Field(min_length=1, description="the file or folder; relative to data_root if not found from here")
    licence: str = Field("not stated", description="licence, copied to the data sheet")

    @property
    def files(self) -> tuple[str, ...]:
        """The file or folder."""
        return (self.path,)


def lacking(asked: int | list[int] | RandomClasses, present: Sequence[int]) -> str:
    """Return a sentence about classes that are asked for and not among those present, empty where all are there."""
    count = len(present)
    if isinstance(asked, list):
        beyond = [label for label in asked if label not in present]
        there = f"the data set has {count} classes, {present[0]} ... {present[-1]}"
        return f"classes names {beyond[0]}, which does not occur: {there}" if beyond else ""
    number = asked.random if isinstance(asked, RandomClasses) else asked
    sentence = f"classes asks for {number} classes, but the data set has {count} classes: ask for fewer"
    return sentence if number > count else ""


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
        if isinstance(value, Mapping) and value.get("environment") == "cartpole3d":
            return {"agent": "balancer", **value}
        return value

    @model_validator(mode="after")
    def _check_environment(self) -> Recorded:
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
