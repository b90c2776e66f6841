"""How a run that measures the algorithmic quotient is cut into jobs, what identifies each piece, where files lie.

A unit is a block of the program sample, or the pairs of trials of one agent at one length. A unit's fingerprint
holds everything that determines its numbers and neither how many there are nor how they are shared out; pairs
moreover carry a digest of their program. So a larger sample, more runs, further agents and lengths leave
finished work as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from aiq.domains.sizes import Sizes
from aiq.plans.base import Plan, Shards
from aiq.plans.charts import Lines
from aiq.plans.cost.asked import Asked
from aiq.plans.layout import Files
from aiq.plans.products import Figure, Products, Table
from aiq.plans.stages import Fingerprint, Stage, joined
from aiq.wings.algorithmic.cost import asked
from aiq.wings.algorithmic.rules import RULES
from aiq.wings.algorithmic.settings import BLOCK, Algorithmic, AlgorithmicAgent

PROGRAMS = Stage("programs", 1)
PAIRS = Stage("pairs", 1)
QUOTIENTS = Stage("quotients", 1)

ROUND_ENDS = (3, 6, 10, 20, 30, 50, 70, 100, 250, 500, 750, 1000)
STRATA = 20

WORDS = {
    "random": "RandomAgent",
    "freq": "FreqAgent",
    "q": "QAgent",
    "sarsa": "SarsaAgent",
    "hlq": "HLQAgent",
    "mc-aixi": "MCAIXIAgent",
    "outside": "OutsideAgent",
}
"""What stands for a kind of agent in fingerprints: never changed, or finished pairs are made again."""


@dataclass(frozen=True, slots=True)
class ProgramJob:
    """Blocks ``first`` to ``last`` (inclusive) of the sampler."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AgentEpisodes:
    """One agent at one episode length: how many runs, and how many jobs share a stage."""

    agent: str
    length: int
    runs: int
    jobs: int
    stratified: bool

    @property
    def rounds(self) -> int:
        """How many stages of the sampler are shared out: none for one job, one (all pairs) for plain Monte Carlo."""
        if self.jobs == 1 or not self.stratified:
            return int(self.jobs > 1)
        ends = [min(end * STRATA, self.runs) for end in ROUND_ENDS if end * STRATA < self.runs]
        return len(ends) + 1


class AlgorithmicLayout(Files):
    """Paths of a run's results; methods take names or wildcards, so that rules and code share them."""

    def blocks(self, first: str = "{first}", last: str = "{last}") -> str:
        """A shard of the program sample."""
        return self.path("programs", f"blocks-{first}-{last}.h5")

    def program_job(self, job: ProgramJob) -> str:
        """The shard of a job."""
        return self.blocks(f"{job.first:05d}", f"{job.last:05d}")

    @property
    def sample(self) -> str:
        """The program sample."""
        return self.path("programs.h5")

    @property
    def sample_text(self) -> str:
        """The program sample as text."""
        return self.path("programs.txt")

    def trials(self, agent: str = "{agent}", length: str = "{length}", runs: str = "{runs}") -> str:
        """All pairs of an agent at a length."""
        return self.path("trials", agent, f"length-{length}", f"runs-{runs}.h5")

    def part(
        self, agent: str = "{agent}", length: str = "{length}", runs: str = "{runs}",
        round_: str = "{round}", part: str = "{part}",
    ) -> str:  # fmt: skip
        """What one job adds to a stage."""
        return self.path("trials", agent, f"length-{length}", f"runs-{runs}-round-{round_}-part-{part}.h5")

    def run_of(self, episodes: AgentEpisodes) -> str:
        """The shard of an agent at a length."""
        return self.trials(episodes.agent, str(episodes.length), str(episodes.runs))

    def parts_of(self, episodes: AgentEpisodes, round_: int) -> list[str]:
        """The shards of one round; none before the first."""
        e = episodes
        numbers = range(e.jobs if 0 <= round_ < e.rounds else 0)
        return [
            self.part(e.agent, str(e.length), str(e.runs), f"{round_:02d}", f"{k:03d}-{e.jobs:03d}") for k in numbers
        ]

    @property
    def quotients(self) -> str:
        """Quotients, differences, and values by stratum and length."""
        return self.path("quotients.h5")


PRODUCTS = (
    Products(
        "draw_algorithmic",
        needs=lambda plan: {"quotients": [plan.layout.quotients]},
        follows=lambda plan: plan.quotients(),
        figures=(
            Figure(
                "algorithmic-lengths",
                "Figures",
                title="Quotient by episode length",
                chart=Lines(
                    ("length",),
                    (("quotient", "algorithmic quotient (mean reward, −100 to 100)"),),
                    "label",
                    "episode length (cycles)",
                    log_x=True,
                ),
            ),
            Figure(
                "algorithmic-programs",
                "Figures",
                title="Lengths of the programs",
                chart=Lines(
                    ("length",),
                    (("share_at_most", "share of programs of at most this length"),),
                    "agent",
                    "program length (instructions)",
                ),
            ),
            Figure(
                "algorithmic-strata",
                "Figures",
                title="Reward by stratum and program length",
                chart=Lines(
                    ("place",),
                    (("mean", "mean reward (−100 to 100)"),),
                    "agent",
                    "stratum, or program length (instructions)",
                    ("by",),
                    joined=False,
                ),
            ),
            Figure(
                "algorithmic-effort",
                "Figures",
                title="Search effort",
                when=lambda plan: plan.with_aixi,
                chart=Lines(
                    ("simulations",),
                    (("quotient", "algorithmic quotient (mean reward, −100 to 100)"),),
                    "depth",
                    "search effort (simulations per cycle)",
                ),
            ),
        ),
    ),
    Products(
        "write_algorithmic_tables",
        needs=lambda plan: {"quotients": [plan.layout.quotients]},
        follows=lambda plan: plan.quotients(),
        tables=tuple(
            Table(name, "Tables") for name in ("quotients", "differences", "strata", "program-lengths", "programs")
        ),
    ),
)


class AlgorithmicPlan(Plan[Algorithmic, AlgorithmicLayout]):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Algorithmic
    tasks = "aiq.wings.algorithmic.work"
    stages = (PROGRAMS, PAIRS, QUOTIENTS)
    rules = RULES
    declared = PRODUCTS

    def __init__(self, configuration: Algorithmic) -> None:
        super().__init__(configuration, AlgorithmicLayout(configuration.results))

    @cached_property
    def program_jobs(self) -> tuple[ProgramJob, ...]:
        """Jobs that sample programs; none where they come from a file."""
        c = self.configuration
        if c.programs.file is not None:
            return ()
        count, size = c.programs.count // BLOCK, c.jobs.programs_per_job // BLOCK
        return tuple(ProgramJob(first, min(first + size, count) - 1) for first in range(0, count, size))

    @cached_property
    def episodes(self) -> dict[tuple[str, int], AgentEpisodes]:
        """Every agent at every length, in the order of the configuration."""
        c = self.configuration
        return {
            (entry.name, length): AgentEpisodes(
                entry.name, length, entry.runs or c.runs, entry.jobs, c.programs.stratified
            )
            for entry in c.agents
            for length in entry.lengths
        }

    def entry(self, agent: str, length: int) -> AlgorithmicAgent:
        """Return the configured agent of a name at a length."""
        return next(e for e in self.configuration.agents if e.name == agent and length in e.lengths)

    # ---- fingerprints --------------------------------------------------------------------------

    def block(self) -> Fingerprint:
        """Fingerprint of a block of programs: the same for every block, whatever their number."""
        c = self.configuration
        return PROGRAMS.fingerprint(c.seed, c.machine, c.programs.simplification)

    def programs(self) -> Fingerprint:
        """Fingerprint of the sample (a file made elsewhere is an input file of the rule)."""
        return joined("program sample", self.block(), self.configuration.programs)

    def trials(self, agent: str, length: int) -> Fingerprint:
        """Fingerprint of the trials of an agent at a length: the same for any number of runs and any sample."""
        c, entry = self.configuration, self.entry(agent, length)
        how = [length, c.discount, c.legacy_discount if c.discount < 1 else False]
        return PAIRS.fingerprint(c.seed, c.machine, how, WORDS[entry.agent], entry.parameters)

    def run(self, agent: str, length: int) -> Fingerprint:
        """Fingerprint of the finished run of an agent at a length."""
        return joined("run", self.trials(agent, length), self.programs(), self.episodes[agent, length].runs)

    def part(self, agent: str, length: int, round_: int, part: int) -> Fingerprint:
        """Fingerprint of one job's share of a stage."""
        return joined("part", self.run(agent, length), round_, part, self.episodes[agent, length].jobs)

    def quotients(self) -> Fingerprint:
        """Fingerprint of the estimates."""
        c = self.configuration
        runs = [[agent, length, self.run(agent, length)] for agent, length in self.episodes]
        return QUOTIENTS.fingerprint(runs, c.interval, [[e.name, e.label] for e in c.agents])

    @property
    def with_aixi(self) -> bool:
        """Whether there is an agent whose depth and search effort can be shown."""
        return any(entry.agent == "mc-aixi" for entry in self.configuration.agents)

    # ---- files ---------------------------------------------------------------------------------

    def asked(self, known: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for that neither draws nor tabulates; no domains are known here."""
        yield from asked(self)

    def shards(self) -> Shards:
        """Return programs, their sample, and the trials of every agent at every length with the rounds of jobs."""
        layout = self.layout
        shards: Shards = {layout.program_job(job): ("programs", self.block()) for job in self.program_jobs}
        shards[layout.sample] = ("program sample", self.programs())
        for (agent, length), episodes in self.episodes.items():
            for number in range(episodes.rounds):
                for part, path in enumerate(layout.parts_of(episodes, number)):
                    shards[path] = ("pairs", self.part(agent, length, number, part))
            shards[layout.run_of(episodes)] = ("pairs", self.run(agent, length))
        return shards

    def results(self) -> Shards:
        """Return the quotients."""
        return {self.layout.quotients: ("quotients", self.quotients())}
