"""Settings that control families have in common: what is paid, what foreign actions do, which places twins move."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from aiq.domains.sizes import PLAYED, Sizes
from aiq.settings import Settings


class Control(Settings):
    """Parameters that every control source understands.

    ``on_gpu`` says whether the family's worlds are computed wherever the networks are; else they are simulated on the
    processor.
    """

    on_gpu: ClassVar[bool] = False

    foreign_actions: Literal["modulo", "noop", "clamp", "random"] = Field(
        "modulo",
        description="what an action beyond the domain's own does in a mixture: its number modulo the number of "
        "actions, the action noop, the domain's last action (clamp, as in the 2020 similarity), or a random one of "
        "its own (random)",
    )
    noop: int | None = Field(None, ge=0, description="action that stands for doing nothing, with foreign_actions: noop")
    training_reward: Literal["own", "tick"] = Field(
        "own", description="what a learner is paid: the domain's own reward, or 1 for every step"
    )

    twin: int = Field(
        0,
        ge=0,
        exclude_if=lambda number: number == 0,  # younger than the fingerprints of domains
        description="number of a twin: places of observations and names of actions permuted; 0 is the test itself",
    )

    @model_validator(mode="after")
    def _check_noop(self) -> Control:
        if self.foreign_actions == "noop" and self.idle is None:
            raise ValueError("foreign_actions is noop, but noop, the action that does nothing, is not named")
        if self.foreign_actions != "noop" and self.noop is not None:
            raise ValueError(
                f"noop is {self.noop}, but foreign_actions is {self.foreign_actions}: set foreign_actions to noop"
            )
        return self

    @property
    def idle(self) -> int | None:
        """The action that foreign actions become, or None where they become others."""
        return self.noop if self.foreign_actions == "noop" else None

    @property
    def space(self) -> tuple[str, ...]:
        """Words that name the space of its observations: domains of one space have them in the same places."""
        return tuple(str(getattr(self, word)) for word in ("source", "id", "name") if hasattr(self, word))

    @property
    def holds(self) -> Sizes:
        """Observations and actions; an assumption where only making the environment would tell."""
        return PLAYED


# ---- Environments of other measures --------------------------------------------------------------


Range = tuple[float, float]


class Measured(Control):
    """An environment of another measure, played for a fixed number of steps."""

    steps: int = Field(100, ge=1, le=1_000_000, description="steps of an episode")
    observation: Literal["one-hot", "native"] = Field(
        "one-hot",
        description="one-hot: every number that is seen as one of its values, those of two values as 0 or 1; native: "
        "the numbers themselves",
    )
    scale: Range | None = Field(
        None,
        description="mean rewards a step that are performance 0 and 1; null takes the smallest and the largest reward, "
        "between which a random agent of a balanced environment is at 1/2",
    )

    @model_validator(mode="after")
    def _check_scale(self) -> Measured:
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise ValueError(f"scale {list(self.scale)} must be two mean rewards, the smaller first")
        return self


class Drawn(Measured):
    """An environment that is given, or some that are drawn from a class once, one of them for every episode."""

    environments: int = Field(
        100, ge=1, le=100_000, description="environments drawn; every episode takes one of them at random"
    )
    root: int = Field(0, ge=0, description="root seed of the draw: the same one gives the same environments")
