"""How a run that measures the algorithmic quotient is cut into jobs, what identifies each piece, where files lie.

A unit is a block of the program sample, or the pairs of trials of one agent at one length. A unit's fingerprint
holds everything that determines its numbers and neither how many there are nor how they are shared out; pairs
moreover carry a digest of their program. So a larger sample, more runs, further agents and lengths leave
finished work as it is. The constants of costs are processor seconds of one x86-64 core.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aiq.plans.base import NAME, Fingerprint, Shards, Stage, always, joined
from aiq.plans.cost import MEGABYTES, START, Work
from aiq.plans.layout import blocks
from aiq.plans.products import Figure, Products, Table
from aiq.plans.units import Step, UnitsPlan
from aiq.wings.algorithmic.settings import BLOCK, STAGES, STRATA, Algorithmic, AlgorithmicAgent

PROGRAM = 1e-4  # of one accepted program
CYCLE = 3e-7  # of an agent that looks its actions up, and of the machine
SIMULATION = 1.7e-7  # of MC-AIXI, for every simulation, cycle of its horizon and bit of a factored context
FOREIGN_CYCLE = 5e-5  # of an agent in Python


def cycle(entry: AlgorithmicAgent) -> float:
    """Return the seconds of one cycle of an agent in its environment."""
    if entry.agent == "mc-aixi":
        return CYCLE + SIMULATION * entry.simulations * entry.horizon * (entry.depth + 8) * 0.6
    return FOREIGN_CYCLE if entry.agent == "outside" else CYCLE


def pairs(configuration: Algorithmic, entry: AlgorithmicAgent, length: int, jobs: int = 1) -> Work:
    """Return what one job's share of all runs of an agent at a length costs; runs are two a pair."""
    runs = (entry.runs or configuration.runs) / jobs
    sample = configuration.programs.count * 2e-3 + runs * length * 8e-6
    return Work(START + runs * length * cycle(entry), MEGABYTES + sample)


PROGRAMS = Stage("programs", 1)
PAIRS = Stage("pairs", 1)
QUOTIENTS = Stage("quotients", 1)

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

    @property
    def units(self) -> dict[str, int]:
        """Unit name -> number of its block."""
        return {f"block-{block:06d}": block for block in range(self.first, self.last + 1)}


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
        return 1 + sum(end * STRATA < self.runs for end in STAGES)


@dataclass(frozen=True, slots=True)
class Part:
    """What one job adds to a round of an agent at a length; ``part`` is its number and that of all jobs."""

    agent: str
    length: int
    runs: int
    round: int
    part: str

    @property
    def number(self) -> int:
        """Its number among the jobs of the round."""
        return int(self.part.partition("-")[0])


def parts(e: AgentEpisodes, rounds: range) -> list[Part]:
    """Return the parts of some rounds."""
    return [Part(e.agent, e.length, e.runs, r, f"{k:03d}-{e.jobs:03d}") for r in rounds for k in range(e.jobs)]


def _before(plan: AlgorithmicPlan, job: AgentEpisodes | Part, apart: bool) -> list[str]:
    """Return the shards of the round before; where no file is shared those before it too, which else lie beside it."""
    episodes = plan.episodes[job.agent, job.length]
    rounds = range(job.round if isinstance(job, Part) else episodes.rounds)
    return plan.files("run_agent_part", parts(episodes, rounds if apart else rounds[-1:]))


def _sampling(plan: AlgorithmicPlan, job: ProgramJob) -> tuple[int, int]:
    return Work(START + PROGRAM * len(job.units) * BLOCK, MEGABYTES + plan.configuration.programs.count * 1e-3).request


def _pairs(plan: AlgorithmicPlan, job: AgentEpisodes | Part) -> tuple[int, int]:
    jobs = plan.episodes[job.agent, job.length].jobs
    return pairs(plan.configuration, plan.entry(job.agent, job.length), job.length, jobs).request


WORK = "aiq.wings.algorithmic.work"
AGENT = {"agent": NAME, "length": r"\d+", "runs": r"\d+"}
STEPS = (
    Step(
        "sample_programs",
        "programs",
        "programs/blocks-{first:05d}-{last:05d}.h5",
        f"{WORK}:sample_blocks",
        jobs=lambda plan: plan.program_jobs,
        units=lambda plan, job: dict.fromkeys(job.units, plan.block()),
        follows=lambda plan, job: plan.block(),
        asks=_sampling,
        words={"first": r"\d{5}", "last": r"\d{5}"},
    ),
    Step(
        "gather_programs",
        "program sample",
        "programs.h5",
        f"{WORK}:gather_programs",
        follows=lambda plan, _: plan.programs(),
        asks=always(1000, 10),
        reads=lambda plan, _: {"shards": plan.files("sample_programs")},
        given=lambda plan, _, apart: [file] if (file := plan.configuration.programs.file) else [],
        log=("gather_programs",),
        text="programs.txt",
    ),
    Step(
        "run_agent_part",
        "pairs",
        "trials/{agent}/length-{length}/runs-{runs}-round-{round:02d}-part-{part}.h5",
        f"{WORK}:run_part",
        jobs=lambda plan: [part for e in plan.episodes.values() for part in parts(e, range(e.rounds))],
        follows=lambda plan, job: plan.part(job.agent, job.length, job.round, job.number),
        asks=_pairs,
        reads=lambda plan, job: {"sample": plan.files("gather_programs")},
        after=_before,
        log=("trials", "{agent}-{length}-{runs}-{round}-{part}"),
        words={**AGENT, "round": r"\d{2}", "part": r"\d{3}-\d{3}"},
    ),
    Step(
        "run_agent",
        "pairs",
        "trials/{agent}/length-{length}/runs-{runs}.h5",
        f"{WORK}:run_agent",
        jobs=lambda plan: plan.episodes.values(),
        follows=lambda plan, job: plan.run(job.agent, job.length),
        asks=_pairs,
        reads=lambda plan, job: {"sample": plan.files("gather_programs")},
        after=_before,
        log=("trials", "{agent}-{length}-{runs}"),
        words=AGENT,
    ),
    Step(
        "reduce_quotients",
        "quotients",
        "quotients.h5",
        f"{WORK}:reduce_quotients",
        follows=lambda plan, _: plan.quotients(),
        asks=always(1500, 20),
        reads=lambda plan, _: {"trials": plan.files("run_agent"), "sample": plan.files("gather_programs")},
        result=True,
    ),
)
PRODUCTS = (
    Products(
        "draw_algorithmic",
        needs=lambda plan: {"quotients": [*plan.results()]},
        follows=lambda plan: plan.quotients(),
        figures=(
            Figure("algorithmic-lengths", "Figures", title="Quotient by episode length"),
            Figure("algorithmic-programs", "Figures", title="Lengths of the programs"),
            Figure("algorithmic-strata", "Figures", title="Reward by stratum and program length"),
            Figure("algorithmic-effort", "Figures", title="Search effort", when=lambda plan: plan.with_aixi),
        ),
    ),
    Products(
        "write_algorithmic_tables",
        needs=lambda plan: {"quotients": [*plan.results()]},
        follows=lambda plan: plan.quotients(),
        tables=tuple(
            Table(name, "Tables") for name in ("quotients", "differences", "strata", "program-lengths", "programs")
        ),
    ),
)


class AlgorithmicPlan(UnitsPlan[Algorithmic]):
    """The jobs of a configuration and the fingerprints of everything that is stored."""

    settings = Algorithmic
    stages = (PROGRAMS, PAIRS, QUOTIENTS)
    steps = STEPS
    declared = PRODUCTS

    @cached_property
    def program_jobs(self) -> tuple[ProgramJob, ...]:
        """Jobs that sample programs; none where they come from a file."""
        c = self.configuration
        if c.programs.file is not None:
            return ()
        return tuple(ProgramJob(*cut) for cut in blocks(c.programs.count // BLOCK, c.jobs.programs_per_job // BLOCK))

    @cached_property
    def episodes(self) -> dict[tuple[str, int], AgentEpisodes]:
        """Every agent at every length, in the order of the configuration."""
        c = self.configuration
        return {
            (e.name, length): AgentEpisodes(e.name, length, e.runs or c.runs, e.jobs, c.programs.stratified)
            for e in c.agents
            for length in e.lengths
        }

    def entry(self, agent: str, length: int) -> AlgorithmicAgent:
        """Return the configured agent of a name at a length."""
        return next(e for e in self.configuration.agents if e.name == agent and length in e.lengths)

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
        runs = [[*key, self.run(*key)] for key in self.episodes]
        return QUOTIENTS.fingerprint(runs, c.interval, [[e.name, e.label] for e in c.agents])

    @property
    def with_aixi(self) -> bool:
        """Whether there is an agent whose depth and search effort can be shown."""
        return any(entry.agent == "mc-aixi" for entry in self.configuration.agents)

    def shards(self) -> Shards:
        """Return programs, their sample, and the trials of one agent at one length after the other."""
        shards = super().shards()
        order = [*self.files("sample_programs"), *self.files("gather_programs")]
        for e in self.episodes.values():
            order += [*self.files("run_agent_part", parts(e, range(e.rounds))), *self.files("run_agent", [e])]
        return {path: shards[path] for path in order}
