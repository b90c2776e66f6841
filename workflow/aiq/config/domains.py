"""Where a domain comes from (its source) and what is done to it (its variant)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from aiq.config.base import Settings
from aiq.config.sizes import UNKNOWN, Sizes

Fraction = Annotated[float, Field(ge=0, le=1)]
TestShare = Annotated[float, Field(gt=0, lt=1)]


class RandomClasses(Settings):
    """A seeded random subset of a data set's classes."""

    random: int = Field(ge=2, description="how many classes to draw")
    draw: int = Field(0, ge=0, description="number of the draw: another number gives another subset")


class Labelled(Settings):
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

    @model_validator(mode="after")
    def _check_classes(self) -> Labelled:
        """Refuse fewer than two classes: such a domain has nothing to tell apart."""
        if isinstance(self.classes, int) and self.classes < 2:
            raise ValueError(f"classes is {self.classes}, a domain needs at least 2 classes")
        if isinstance(self.classes, list):
            if len(set(self.classes)) != len(self.classes) or any(c < 0 for c in self.classes):
                raise ValueError(f"classes {self.classes} must be different label numbers from 0 up")
            if len(self.classes) < 2:
                raise ValueError(f"classes {self.classes} names one class, a domain needs at least 2")
        return self

    @property
    def label_space(self) -> str:
        """Name of the label space, shared by all variants of one data set."""
        raise TypeError(f"{type(self).__name__} declares no label space")

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of files and folders that the domain is read from, if the configuration names any."""
        return ()

    @property
    def holds(self) -> Sizes:
        """What the source holds before it is varied; an assumption where only reading would tell."""
        return UNKNOWN


SKLEARN = {
    "digits": Sizes(1797, 0, 10, (1, 8, 8)),
    "wine": Sizes(178, 0, 3, (13,)),
    "breast_cancer": Sizes(569, 0, 2, (30,)),
}
"""All samples; the test split is taken from them."""


class Sklearn(Labelled):
    """Data sets that ship with scikit-learn."""

    source: Literal["sklearn"] = Field(description="the source: sklearn")
    name: Literal["digits", "wine", "breast_cancer"] = Field(description="data set")
    test_fraction: TestShare = Field(0.25, description="share of samples held out as test split, stratified")

    @property
    def label_space(self) -> str:
        """One space a data set."""
        return f"sklearn:{self.name}"

    @property
    def holds(self) -> Sizes:
        """All samples, split."""
        whole = SKLEARN[self.name]
        test = round(whole.train * self.test_fraction)
        return replace(whole, train=whole.train - test, test=test)


TORCHVISION = {
    "MNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "FashionMNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "KMNIST": Sizes(60_000, 10_000, 10, (1, 28, 28)),
    "CIFAR10": Sizes(50_000, 10_000, 10, (3, 32, 32)),
    "CIFAR100": Sizes(50_000, 10_000, 100, (3, 32, 32)),
    "SVHN": Sizes(73_257, 26_032, 10, (3, 32, 32)),
}
EMNIST = {
    "byclass": Sizes(697_932, 116_323, 62, (1, 28, 28)),
    "bymerge": Sizes(697_932, 116_323, 47, (1, 28, 28)),
    "balanced": Sizes(112_800, 18_800, 47, (1, 28, 28)),
    "letters": Sizes(124_800, 20_800, 26, (1, 28, 28)),
    "digits": Sizes(240_000, 40_000, 10, (1, 28, 28)),
    "mnist": Sizes(60_000, 10_000, 10, (1, 28, 28)),
}


class Torchvision(Labelled):
    """Image data sets that torchvision loads: downloaded where allowed, else read from data_root."""

    source: Literal["torchvision"] = Field(description="the source: torchvision")
    name: Literal["MNIST", "FashionMNIST", "KMNIST", "EMNIST", "CIFAR10", "CIFAR100", "SVHN"] = Field(
        description="data set"
    )
    split: Literal["byclass", "bymerge", "balanced", "letters", "digits", "mnist"] = Field(
        "balanced", description="EMNIST only: which of its splits"
    )

    @property
    def label_space(self) -> str:
        """One space a data set (EMNIST: a split)."""
        return f"torchvision:{self.name}" + (f":{self.split}" if self.name == "EMNIST" else "")

    @property
    def holds(self) -> Sizes:
        """The published counts."""
        return EMNIST[self.split] if self.name == "EMNIST" else TORCHVISION[self.name]


class Npz(Labelled):
    """A NumPy archive with x_train, y_train, x_test, y_test."""

    source: Literal["npz"] = Field(description="the source: npz")
    path: str = Field(min_length=1, description="the archive; relative to data_root if not found from here")
    labels: str | None = Field(None, description="name of the label space; archives that share it share labels")
    licence: str = Field("not stated", description="licence, copied to the data sheet")

    @property
    def label_space(self) -> str:
        """The named space, else one of the file's own."""
        return f"npz:{self.labels or self.path}"

    @property
    def files(self) -> tuple[str, ...]:
        """The archive."""
        return (self.path,)


class ImageFolder(Labelled):
    """Pictures in one folder a class, either below train/ and test/ or split here."""

    source: Literal["image_folder"] = Field(description="the source: image_folder")
    path: str = Field(min_length=1, description="the folder; relative to data_root if not found from here")
    labels: str | None = Field(None, description="name of the label space; folders that share it share labels")
    test_fraction: TestShare = Field(0.25, description="share held out where there are no train/ and test/ folders")
    licence: str = Field("not stated", description="licence, copied to the data sheet")

    @property
    def label_space(self) -> str:
        """The named space, else one of the folder's own."""
        return f"image_folder:{self.labels or self.path}"

    @property
    def files(self) -> tuple[str, ...]:
        """The folder."""
        return (self.path,)


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
