"""Configuration of a run that measures collectives of agents in Lambda* (Chmait et al. 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from aiq.config.base import RunSettings
from aiq.settings import Settings, fixed

# The place of a kind or pattern is its number in random streams: new ones come last.
Preset = Literal["paper", "code"]
Pattern = Literal["segment", "walk", "replay"]
Kind = Literal[
    "random",
    "local_search",
    "oracle",
    "q_learning",
    "sarsa",
    "stigmergy",
    "auction",
    "imitation",
    "shared_q",
    "shared_sarsa",
]
ALL_KINDS: list[Kind] = list(get_args(Kind))
LEARNERS: list[Kind] = ["local_search", "q_learning", "sarsa", "shared_q", "shared_sarsa"]


def _has_a_move(iterations: int) -> int:
    if iterations < 2:
        raise ValueError(
            f"iterations is {iterations}, so the longest pattern ⌊iterations/2⌋ would have length 0; give 2 or more"
        )
    return iterations


Side = Annotated[int, Field(ge=3, le=1000)]
Agents = Annotated[int, Field(ge=1, le=1000)]
Iterations = Annotated[int, Field(le=10_000), AfterValidator(_has_a_move)]
Rate = Annotated[float, Field(gt=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Passes = Annotated[int, Field(ge=0, le=100_000)]
AGENTS, ITERATIONS = 5, 50


def _each_once(what: str, values: Sequence[object]) -> None:
    if not values or len(set(values)) < len(values):
        raise ValueError(f"{what} {list(values)} must be at least one, each named once")


class Learners(Settings):
    """Parameters of Q-learning and Sarsa that depart from the preset's; null keeps the preset's."""

    rate: Rate | None = Field(None, description="learning rate α")
    discount: Share | None = Field(None, description="discount γ")
    exploration: Share | None = Field(None, description="share ε of random moves in training; 0 in the test")
    passes: Passes | None = Field(None, description="rehearsals of the whole episode before it counts")
    initial: float | None = Field(None, description="first value of every entry of the table")


class LambdaTest(Settings):
    """The test: world, group, and where paper and public program differ; null keeps the preset's."""

    preset: Preset = Field("paper", description="the paper's test, or the public program's")
    agents: Agents = Field(AGENTS, description="agents of a group")
    iterations: Iterations = Field(ITERATIONS, description="iterations ϑ of an episode, at least 2")
    pattern: Pattern | None = Field(None, description="how Good and Evil move")
    stigmergy_discount: ClassVar = fixed(None)  # the preset's
    stigmergy_keeps: bool | None = Field(
        None, description="whether fake rewards are averaged over three and kept for the episode"
    )
    auction_keeps: bool | None = Field(None, description="whether the highest bid stays until it is reached")
    oracle_intercepts: ClassVar = fixed(None)  # the preset's
    program: bool | None = Field(
        None, description="what else the public program does in its own way (starts, first look, oracle, rehearsals)"
    )
    learning: Learners = Field(default_factory=lambda: Learners(), description="parameters of the learners")


class BySide(Settings):
    """Υ of each kind against the uncertainty H of the grid (the paper's Fig. 3)."""

    sides: list[Side] = Field([5, 7, 10, 12, 15, 20], description="sides of the square grids")
    episodes: int = Field(
        10_000, ge=1, le=1_000_000_000, description="episodes a side; a multiple of jobs.episodes_per_block"
    )
    kinds: list[Kind] = Field(ALL_KINDS, description="kinds of groups")

    @model_validator(mode="after")
    def _check(self) -> BySide:
        _each_once("sides", self.sides)
        _each_once("kinds", self.kinds)
        return self


class ByComplexity(Settings):
    """Scores against the complexity K of the task, agents starting next to Good (the paper's Fig. 4)."""

    side: Side = Field(10, description="side of the square grid")
    episodes: int = Field(10_000, ge=1, le=1_000_000_000, description="episodes; a multiple of jobs.episodes_per_block")
    kinds: list[Kind] = Field(LEARNERS, description="kinds of groups")
    patterns: list[Pattern] = Field(["segment", "walk"], description="how Good and Evil move")
    start: Literal["near_good", "uniform"] = Field("near_good", description="where agents start")

    @model_validator(mode="after")
    def _check(self) -> ByComplexity:
        _each_once("kinds", self.kinds)
        _each_once("patterns", self.patterns)
        return self


class DrawnEpisode(Settings):
    """One episode that is drawn as pictures of the grid."""

    kind: Kind = Field("imitation", description="kind of group")
    side: Side = Field(10, description="side of the square grid")
    episode: int = Field(0, ge=0, description="number of the episode")
    pictures: int = Field(6, ge=2, le=12, description="pictures, spread evenly over the iterations")


class CollectivesJobs(Settings):
    """How episodes are cut into units and jobs; no number depends on it."""

    episodes_per_block: int = Field(1000, ge=1, description="episodes of a unit that stands for itself")
    blocks_per_job: int = Field(10, ge=1, description="blocks that one job runs")
    kinds_per_job: int = Field(5, ge=1, description="kinds of groups that one job runs")


class Collectives(RunSettings):
    """Groups of agents scored together in the environment Lambda* (Chmait et al. 2015)."""

    measure: Literal["collectives"] = Field(description="what the run measures")
    test: LambdaTest = Field(default_factory=lambda: LambdaTest(), description="the test")
    by_side: BySide = Field(default_factory=lambda: BySide(), description="Υ against H")
    by_complexity: ByComplexity | None = Field(
        default_factory=lambda: ByComplexity(), description="scores against K; null: none"
    )
    drawn: DrawnEpisode = Field(default_factory=lambda: DrawnEpisode(), description="the episode that is drawn")
    jobs: CollectivesJobs = Field(default_factory=lambda: CollectivesJobs(), description="how work is cut into jobs")

    @model_validator(mode="after")
    def _whole_blocks(self) -> Collectives:
        size = self.jobs.episodes_per_block
        for place, part in (("by_side", self.by_side), ("by_complexity", self.by_complexity)):
            if part is not None and part.episodes % size:
                raise ValueError(
                    f"{place}.episodes {part.episodes} is not a multiple of jobs.episodes_per_block {size}; take a "
                    "multiple"
                )
        return self
