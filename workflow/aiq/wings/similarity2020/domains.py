"""The family gym2020: the ten environments of the Gym suite of the 2020 paper."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, maker

Name = Literal[
    "CartPole-v0", "CartPole-v1", "MountainCar", "Acrobot", "FrozenLake", "NChain", "Roulette", "FrozenLake8x8",
    "CliffWalking", "Taxi",
]  # fmt: skip


class Gym2020(Control):
    """One environment of the suite of 2020, with the suite's longest episode and range of returns."""

    source: Literal["gym2020"] = Field(description="the source: gym2020")
    name: Name = Field(description="the environment, as the paper names it")


FAMILY = ControlFamily(
    Gym2020,
    maker("aiq.wings.similarity2020.environments", "gym2020_domain"),
    "the ten small environments of the 2020 paper's Gym suite, those with a table of transitions many side by side",
    "observations flattened, discrete ones one-hot; 2 to 38 actions",
    ("torch", "gymnasium"),
    {"source": "gym2020", "name": "FrozenLake"},
)
