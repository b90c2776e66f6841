"""Sample programs, run agents on them, reduce the pairs of trials to quotients, and what all of it will cost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from aiq.config.agents import load_factory
from aiq.errors import InputError, StorageError
from aiq.plans.base import Job
from aiq.plans.cost import START
from aiq.plans.layout import Files
from aiq.plans.run import Run as AnyRun
from aiq.records.estimate import Estimate
from aiq.run.costing import JOB_BYTES, Cost, Report, StageCost, cost_of, fitting, process_start, timed
from aiq.run.job import LOGGER, Progress, read_units
from aiq.stats import Z
from aiq.storage import hdf5, shards
from aiq.storage.files import replacing
from aiq.storage.tables import standard_input
from aiq.wings.algorithmic import plan as cost
from aiq.wings.algorithmic.equations import COUNTS, Population, Program, ProgramShard, estimation, parse, render
from aiq.wings.algorithmic.equations.agents import make_agent
from aiq.wings.algorithmic.equations.machine import MachineSettings, sample_programs
from aiq.wings.algorithmic.equations.runs import Block, KnownPairs, PairOutcomes, Supply, complete, one_part, run_blocks
from aiq.wings.algorithmic.equations.trials import Episode, Experiment
from aiq.wings.algorithmic.plan import AgentEpisodes, AlgorithmicPlan, Part, ProgramJob
from aiq.wings.algorithmic.settings import BLOCK, STRATA, Algorithmic

Run = AnyRun[Algorithmic, AlgorithmicPlan, Files]


def sampled(run: Run, first: int, last: int) -> ProgramShard:
    """Return the programs of some blocks of a run."""
    c = run.configuration
    machine = MachineSettings(**c.machine.model_dump())
    return sample_programs(c.seed, first, last, machine, c.programs.simplification)


def experiment(run: Run, agent: str, length: int, cycles: int) -> Experiment:
    """Return the trials of the agent that is configured for a length, of some cycles."""
    c, entry = run.configuration, run.plan.entry(agent, length)
    episode, machine = Episode(cycles, c.discount, c.legacy_discount), MachineSettings(**c.machine.model_dump())
    return Experiment(make_agent(entry.agent, entry.parameters), episode, c.seed, machine)


# ---- programs ------------------------------------------------------------------------------------


def sample_blocks(run: Run, job: ProgramJob, at: Job) -> Callable[[str], object]:
    """Return what samples one block of programs."""
    return lambda name: pack_programs(sampled(run, job.units[name], job.units[name] + 1))


def gather_programs(run: Run, job: None, at: Job) -> dict[str, object]:
    """Join the shards of the sample, or read the file of programs that the configuration names; also as text."""
    c = run.configuration
    if c.programs.file is not None:
        programs = read_programs(c.programs.file)
        shard = ProgramShard(programs, len(programs), 0, 0, 0)
    else:
        blocks = [block for _, _, block in read_units(run, "sample_programs", unpack_programs)]
        programs = tuple(program for block in blocks for program in block.programs)[: c.programs.count]
        counts = [sum(getattr(block, name) for block in blocks) for name in COUNTS[1:]]
        shard = ProgramShard(programs, len(programs) + sum(counts), *counts)
    with replacing(at.makes[1]) as temporary:
        temporary.write_text(render(programs), encoding="utf-8")
    return pack_programs(shard) | {"made_here": c.programs.file is None}


def read_programs(path: str | Path) -> tuple[Program, ...]:
    """Return the programs of a text file ``stratum program``, one a line; ``-`` reads standard input."""
    return parse(read_lines(path))


def read_lines(path: str | Path) -> list[str]:
    """Return the lines of a text file of programs; ``-`` reads standard input."""
    try:
        text = standard_input() if str(path) == "-" else Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"program sample {path} cannot be read: {error.strerror}; give a file of lines 'stratum program', or '-'"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"program sample {path} is not text in UTF-8 ({error.reason} at byte {error.start})"
        ) from error
    return text.removeprefix("\ufeff").splitlines()


def _sample(run: Run) -> tuple[ProgramShard, bool]:
    (path,) = run.plan.files("gather_programs")
    _, tree = hdf5.read(path, "program sample", run.plan.programs())
    with hdf5.fitting("program sample", path):
        return unpack_programs(tree), bool(tree["made_here"])


def pack_programs(shard: ProgramShard) -> dict[str, Any]:
    """Return the tree of a block of programs."""
    return {
        "stratum": np.array([program.stratum for program in shard.programs], dtype=np.int64),
        "code": np.array([program.code for program in shard.programs], dtype=object),
        **{name: getattr(shard, name) for name in COUNTS},
    }


def unpack_programs(tree: Mapping[str, Any]) -> ProgramShard:
    """Return the block of programs that ``pack_programs`` packed."""
    pairs = zip(tree["stratum"].tolist(), tree["code"].tolist(), strict=True)
    counts = (int(tree[name]) for name in COUNTS)
    return ProgramShard(tuple(Program(int(stratum), str(code)) for stratum, code in pairs), *counts)


# ---- trials --------------------------------------------------------------------------------------


def run_agent(run: Run, job: AgentEpisodes, at: Job) -> None:
    """Run an agent at one length to the end; pairs that earlier runs or other jobs left beside it are taken over."""
    _run(run, job, at, run.plan.run(job.agent, job.length), lambda supply: complete(supply, job.runs))


def run_part(run: Run, job: Part, at: Job) -> None:
    """Run one job's share of a round of the adaptive sampler."""
    jobs = run.plan.episodes[job.agent, job.length].jobs
    fingerprint = run.plan.part(job.agent, job.length, job.round, job.number)
    _run(run, job, at, fingerprint, lambda supply: one_part(supply, job.runs, job.round, job.number, jobs))


def _run(
    run: Run, job: AgentEpisodes | Part, at: Job, fingerprint: str, work: Callable[[Supply], PairOutcomes]
) -> None:
    c, agent, length, target = run.configuration, job.agent, job.length, at.makes[0]
    unit, population = run.plan.trials(agent, length), Population(_sample(run)[0].programs, c.programs.stratified)
    wanted = job.runs // 2
    progress = Progress(f"pairs of {agent} at {length} cycles", wanted)
    played = experiment(run, agent, length, length)
    supply = Supply(played, population, _neighbours(target, unit), lambda done: progress(min(done, wanted)))
    outcomes = work(supply)
    taken = outcomes.stratum.size - supply.ran
    if taken > 0:
        LOGGER.info("%d of %d pairs taken over", taken, outcomes.stratum.size)
    if outcomes.failures:
        LOGGER.warning("%s at %d cycles: %d pairs dropped because the program failed", agent, length, outcomes.failures)
    pairs = KnownPairs.of(outcomes, population)
    tree = {name: getattr(pairs, name) for name in KnownPairs.__slots__}
    shards.write(target, "pairs", fingerprint, c.seed, {"pairs": shards.Unit(unit, tree)})


def _neighbours(target: str | Path, fingerprint: str) -> KnownPairs:
    """Return the pairs of the same experiment in the files beside the target; what cannot be read is logged."""
    pairs = []
    for path in sorted(Path(target).parent.glob("*.h5")):
        if path == Path(target):
            continue
        try:
            units = shards.read(path, "pairs")
        except StorageError as error:
            LOGGER.warning("%s", error)
            continue
        pairs += [_known(path, unit) for unit in units.values() if unit.fingerprint == fingerprint]
    return KnownPairs.join(pairs)


def _known(path: str | Path, unit: shards.Unit) -> KnownPairs:
    with hdf5.fitting("pairs", path):
        return KnownPairs(*(np.asarray(unit.tree[name]) for name in KnownPairs.__slots__))


# ---- quotients -----------------------------------------------------------------------------------


def reduce_quotients(run: Run, job: None, at: Job) -> estimation.Quotients:
    """Reduce all pairs to quotients, paired differences, and values by stratum and by program length."""
    c, plan = run.configuration, run.plan
    shard, made_here = _sample(run)
    population = Population(shard.programs, c.programs.stratified)
    outcomes = {}
    for (agent, length), path in zip(plan.episodes, plan.files("run_agent"), strict=True):
        (unit,) = shards.read(path, "pairs", plan.run(agent, length)).values()
        outcomes[agent, length] = _known(path, unit).within(population)
    agents = tuple(_agent(run, key, outcome, population) for key, outcome in outcomes.items())
    pairs = [(a, b) for a, b in itertools.combinations(outcomes, 2) if a[1] == b[1]]
    differences = tuple(
        compare(a[0], b[0], a[1], estimation.difference(outcomes[a], outcomes[b], population, c.seed)) for a, b in pairs
    )
    return estimation.Quotients(agents, differences, _summary(shard, population, made_here))


def _agent(run: Run, key: tuple[str, int], outcomes: PairOutcomes, population: Population) -> estimation.AgentQuotient:
    c, entry = run.configuration, run.plan.entry(*key)
    settings = {k: v for k, v in entry.parameters.items() if not isinstance(v, dict)}
    return estimation.AgentQuotient(
        agent=entry.name,
        label=entry.label or entry.name,
        kind=entry.agent,
        length=key[1],
        parameters=settings | entry.parameters.get("parameters", {}),
        quotient=estimation.quotient(outcomes, population, c.interval, c.seed),
        by_length=estimation.by_length(outcomes, population, seed=c.seed),
        lengths=np.bincount(outcomes.length[outcomes.valid]),
    )


def compare(first: str, second: str, length: int, estimate: Estimate) -> estimation.AgentDifference:
    """Return a difference with the probability that the first agent is above the second."""
    probability = None
    if estimate.interval is not None:
        error = (estimate.interval[1] - estimate.interval[0]) / 2 / Z
        sure = 0.5 if estimate.value == 0 else float(estimate.value > 0)
        probability = NormalDist().cdf(estimate.value / error) if error > 0 else sure
    return estimation.AgentDifference(first, second, length, estimate, probability)


def _summary(shard: ProgramShard, population: Population, made_here: bool) -> estimation.SampleSummary:
    strata = np.bincount([program.stratum for program in shard.programs], minlength=STRATA + 1)[1:]
    counts = [getattr(shard, name) if made_here else None for name in COUNTS]
    return estimation.SampleSummary(population.size, tuple(strata.tolist()), np.bincount(population.lengths), *counts)


def looks(run: Run) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the file of programs and agents' code, each with what refuses it where it cannot be read or imported."""
    c = run.configuration
    if c.programs.file is not None:
        yield "programs.file", partial(read_lines, c.programs.file)
    for agent in c.agents:
        factory = getattr(agent, "factory", None)
        if factory is not None:
            yield f"agent {agent.name}", partial(load_factory, factory)


# ---- cost ----------------------------------------------------------------------------------------

TIMED = 20  # pairs of trials that are timed
PAIR_BYTES = 45  # of a stored pair of trials


def estimate(run: Run, progress: Report) -> Cost:
    """Time some programs and some pairs of every agent at every length, in shorter episodes where they are long."""
    c, plan = run.configuration, run.plan
    start = process_start("aiq.wings.algorithmic.work")
    progress("timing programs")
    population = Population(sampled(run, 0, 3).programs, False)
    each = timed(lambda: sampled(run, 3, 6)) / (3 * BLOCK)
    jobs = len(plan.program_jobs)
    count = c.programs.count if jobs else 0
    programs = StageCost("programs", jobs + 1, 0, count * each + (jobs + 1) * start, 0.0, 2 * count * 90.0)

    seconds, modelled, runs, shared = 0.0, 0.0, 0, 0
    for (name, length), episodes in plan.episodes.items():
        progress(f"timing {name} at {length} cycles")
        entry = plan.entry(name, length)
        short = fitting(length, 2 * TIMED * cost.cycle(entry))
        pairs = partial(run_blocks, experiment(run, name, length, short), population, [Block(0, 0, TIMED)])
        seconds += timed(pairs) / (2 * TIMED) * length / short * episodes.runs
        modelled += cost.pairs(c, entry, length).seconds - START
        runs += episodes.runs
        shared += episodes.rounds * episodes.jobs + 1
    stored = runs / 2 * PAIR_BYTES + shared * (3000 + JOB_BYTES)
    trials = StageCost("pairs", shared, runs // 2, seconds + shared * start, seconds, stored)
    factors = {"programs": each / cost.PROGRAM, "pairs": seconds / modelled}
    return cost_of(run, start, (programs, trials), factors=factors)
