"""Configuration of a run that measures the similarity of tests (Pereyda and Holder 2020)."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from aiq.config.agents import check_name
from aiq.config.base import STORE, Device, Keeping, RunSettings
from aiq.config.kinds import check_device
from aiq.config.suite import Source
from aiq.config.training import Network, Optimizer, Pool, Reinforcement
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.domains.control.settings import Control
from aiq.errors import did_you_mean
from aiq.settings import Settings, fixed

Share = Annotated[float, Field(ge=0, le=1)]
Merge = Literal["sampled", "stitched"]
Kind = Literal["alone", "sampled", "stitched"]


class BlockNetwork(Settings):
    """The network of the paper's image tests: blocks of two convolutions and a pooling, a dense layer, Adam."""

    kind: Literal["blocks"] = Field(description="the agent: blocks")
    filters: list[Annotated[int, Field(ge=1, le=4096)]] = Field(
        [32, 64, 128], min_length=1, max_length=8, description="filters of both convolutions of each block"
    )
    dense_nodes: int = Field(128, ge=1, description="nodes of the dense layer before the outputs")
    epochs: int = Field(15, ge=1, description="passes over the samples")
    batch_size: int = Field(64, ge=1, description="samples per step")
    optimizer: Optimizer = Field(description="always written out; the paper's is adam")

    def halved(self, times: int) -> tuple[int, ...]:
        """Return the filters halved so many times, at least one each."""
        return tuple(max(1, filters >> times) for filters in self.filters)


class DeepQAgent(Settings):
    """Deep Q-learning with greedy evaluation by one network of a given size."""

    kind: Literal["dqn"] = Field(description="the agent: dqn")
    network: Network = Field(description="its network, of the dense family")
    training: Reinforcement = Field(description="how it learns and is evaluated")


class PlayedPool(Settings):
    """Networks of random sizes, drawn anew in each repetition; the best one of them is the agent."""

    size: int = Field(4, ge=1, le=1024, description="networks of every repetition")
    layers: tuple[int, int] = Field((1, 3), description="smallest and largest number of hidden layers, uniform")
    width: tuple[int, int] = Field((1, 32), description="smallest and largest width of a layer, uniform")

    @model_validator(mode="after")
    def _check(self) -> PlayedPool:
        self.drawn()
        return self

    def drawn(self) -> Pool:
        """Return the suite's pool that draws these networks."""
        return Pool(size=self.size, policies_per_chunk=self.size, layers=self.layers, width=self.width)


class DeepQPool(Settings):
    """A pool of deep Q-networks with greedy evaluation: the recipe ``sufficient`` of played tests."""

    kind: Literal["dqn_pool"] = Field(description="the agent: dqn_pool")
    pool: PlayedPool = Field(description="its networks; the one with the best evaluation in training is measured")
    training: Reinforcement = Field(description="how each learns and is evaluated")


class PublishedAgent(Settings):
    """What the authors' public program did on played tests: uniformly random actions, nothing learned."""

    kind: Literal["published"] = Field(description="the agent: published")
    steps: int = Field(20_000, ge=1, description="environment steps of a training (paper: 10,000; program: 20,000)")
    last: int = Field(20, ge=1, description="episodes, the last finished ones, over which a value is the mean")
    tie: Share = Field(0.5, description="|S| of a single run where V_A = V_B (older program .5, later 1)")
    episodes: int = Field(2000, ge=2, description="simulated episodes of each test, from which trainings draw theirs")


AgentSettings = Annotated[BlockNetwork | DeepQAgent | DeepQPool | PublishedAgent, Field(discriminator="kind")]


class Played(Settings):
    """A test of pictures that is scored by playing: the balance time in place of the accuracy (Table 3)."""

    steps: int = Field(200, ge=1, le=100_000, description="longest episode; the score is the mean length over it")
    episodes: int = Field(20, ge=1, description="episodes of every trained network")


class PublishedValues(Settings):
    """Numbers in print, which the run is compared with."""

    source: str = Field(min_length=1, description="where they stand")
    performance: dict[str, float] = Field(default_factory=dict, description="by test: performance on it alone")
    similarity: dict[str, float] = Field(
        default_factory=dict, description="by pair, both names joined by a plus sign: S, or |S|"
    )
    absolute: bool = Field(False, description="whether they are |S|, as the public program writes; else S of Eq. 3")


class SimilarityJobs(Keeping):
    """How trainings are cut into jobs; no number depends on it."""

    repetitions_per_chunk: int = Field(1, ge=1, description="repetitions of a unit that stands for itself")
    units_per_job: int = Field(10, ge=1, description="chunks of repetitions of one training that one job trains")


class Similarities(RunSettings):
    """Tests alone and merged two by two, and how similar an agent finds them (Pereyda and Holder 2020)."""

    measure: Literal["similarity"] = Field(description="what the run measures")
    data_root: str | None = Field(None, description="folder where data sets lie or are downloaded to")
    download: bool = Field(True, description="whether torchvision may download what data_root lacks")
    device: Device = Field("cpu", description="where networks are trained: cpu, cuda, or one of several GPUs, cuda:1")
    threads: int = Field(1, ge=1, le=1024, description="threads per training job; 1 is the fastest per core")
    domains: dict[str, Source] = Field(description="the tests: name, then source and parameters")
    agent: AgentSettings = Field(description="the baseline agent: what learns")
    pairs: list[tuple[str, str]] | None = Field(None, description="pairs that are merged; null: every two tests")
    merges: list[Merge] = Field(
        ["sampled"],
        description="sampled: samples (or episodes) of either test; stitched: pictures side by side with two labels, "
        "and each test with itself as control",
    )
    labels: ClassVar = fixed("apart")  # labels of two data sets have outputs of their own
    samples: int | None = Field(
        None, ge=2, description="training samples of every test, merged or alone; null: of a test alone all, of two "
        "merged ones as many as the smaller has"
    )  # fmt: skip
    at: ClassVar = fixed(0.5)  # share of the easier test at which S is taken
    proportions: list[Share] = Field([], description="more shares of the first test of a pair than 1/2 (Fig. 3)")
    halvings: list[Annotated[int, Field(ge=0, le=12)]] = Field(
        [0], min_length=1, description="how often the network's filters are halved (Fig. 2); the first is that of S"
    )
    repetitions: int = Field(
        3, ge=1, le=10_000, description="trainings of everything; a multiple of repetitions_per_chunk"
    )
    confidence: ClassVar = fixed(0.95)
    absolute: bool = Field(False, description="show |S|, as the 2020 tables do, in place of the signed S")
    played: dict[str, Played] = Field(
        default_factory=dict, description="tests of cart-pole pictures that are scored by playing, by name"
    )
    published: PublishedValues | None = Field(None, description="numbers in print; null: there are none")
    store: str | None = Field(None, min_length=1, description=STORE)
    jobs: SimilarityJobs = Field(default_factory=lambda: SimilarityJobs(), description="how work is cut into jobs")

    @property
    def control(self) -> bool:
        """Whether the tests are played rather than labelled."""
        return isinstance(next(iter(self.domains.values())), Control)

    @property
    def chosen_pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs that are merged, each once, in the order of the tests."""
        return tuple(combinations(self.domains, 2) if self.pairs is None else self.pairs)

    @property
    def shares(self) -> tuple[float, ...]:
        """Shares of the first test at which sampled pairs are trained, rising."""
        return tuple(sorted({float(f"{p:.12g}") for p in (self.at, *self.proportions)}))

    @property
    def chunks(self) -> int:
        """Chunks of repetitions."""
        return self.repetitions // self.jobs.repetitions_per_chunk

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: dict[str, Source]) -> dict[str, Source]:
        if len(value) < 2:
            raise ValueError(f"domains names {len(value)} test(s), a similarity needs at least 2")
        for name in value:
            check_name("domain", name)
        if len({name.lower() for name in value}) < len(value):
            raise ValueError("two domains differ in case only, which file systems may not keep apart")
        played = [name for name, source in value.items() if isinstance(source, Control)]
        if played and len(played) < len(value):
            other = next(name for name in value if name not in played)
            raise ValueError(f"domain {played[0]!r} is played and domain {other!r} is labelled; take one kind")
        return value

    @model_validator(mode="after")
    def _check_names(self) -> Similarities:
        """Pairs, played tests and published numbers are of tests of the run."""
        named = [("pairs", name) for pair in self.pairs or [] for name in pair]
        named += [("played", name) for name in self.played]
        if self.published is not None:
            named += [("published.performance", name) for name in self.published.performance]
            named += [("published.similarity", name) for pair in self.published.similarity for name in pair.split("+")]
        for place, name in named:
            if name not in self.domains:
                raise ValueError(
                    f"{place} names {name!r}, which is no test of the run{did_you_mean(name, self.domains)}"
                )
        if self.published is not None:
            for pair in self.published.similarity:
                if pair.count("+") != 1:
                    raise ValueError(f"published.similarity has {pair!r}; write two tests as first+second")
        seen = {frozenset(pair) for pair in self.pairs or []}
        if any(a == b for a, b in self.pairs or []) or len(seen) < len(self.pairs or []):
            raise ValueError("pairs must be of two different tests, each pair once")
        return self

    @model_validator(mode="after")
    def _check_cuts(self) -> Similarities:
        """Whole chunks; lists name each thing once."""
        if self.repetitions % self.jobs.repetitions_per_chunk:
            raise ValueError(
                f"repetitions {self.repetitions} is not a multiple of jobs.repetitions_per_chunk "
                f"{self.jobs.repetitions_per_chunk}; take a multiple"
            )
        for place, values in (("merges", self.merges), ("halvings", self.halvings)):
            if len(set(values)) < len(values) or not values:
                raise ValueError(f"{place} {values} must be at least one, each named once")
        return self

    @model_validator(mode="after")
    def _check_kind(self) -> Similarities:
        """The agent fits the tests, and so do the device and the merges."""
        check_device(self.device, self.domains)
        for name, source in self.domains.items():
            if getattr(source, "numeric", False):
                raise ValueError(f"in test {name!r} a number is learned; the similarity of 2020 is of accuracies only")
        if self.control == isinstance(self.agent, BlockNetwork):
            fitting = "dqn, dqn_pool or published" if self.control else "blocks"
            kind = "played" if self.control else "labelled"
            raise ValueError(f"the tests are {kind}, but the agent is {self.agent.kind!r}: take {fitting}")
        if isinstance(self.agent, BlockNetwork):
            return self
        if isinstance(self.agent, DeepQAgent) and self.agent.network.family != "dense":
            raise ValueError("agent.network is convolutional, but played tests are observed as vectors: take dense")
        for place, value, only in (
            ("merges", self.merges, ["sampled"]),
            ("halvings", self.halvings, [0]),
            ("played", list(self.played), []),
        ):
            if value != only:
                raise ValueError(f"{place} is {value}, but played tests have no pictures: leave it out")
        if self.samples is not None:
            raise ValueError("samples are of labelled data; agent.training.steps says how long is played")
        return self._check_published()

    def _check_published(self) -> Similarities:
        """The published recipe knows the suite's environments only."""
        if not isinstance(self.agent, PublishedAgent):
            return self
        for name, source in self.domains.items():
            if not isinstance(source, Gymnasium):
                raise ValueError(f"domain {name!r} is no Gymnasium environment; the published recipe knows those only")
            if source.foreign_actions not in ("clamp", "random"):
                raise ValueError(
                    f"foreign_actions of {name!r} is {source.foreign_actions!r}; the published recipe has 'clamp' "
                    "(2019) and 'random' (2020)"
                )
        if self.shares != (0.5,):
            raise ValueError("the published recipe draws either test alike: leave proportions out")
        return self
