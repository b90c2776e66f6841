"""Sample programs, run agents on them, and reduce the pairs of trials to quotients."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist

import numpy as np

from aiq import storage
from aiq.errors import StorageError
from aiq.records.estimate import Estimate
from aiq.stats import Z
from aiq.storage import shards
from aiq.storage.files import replacing
from aiq.tasks.shell.job import LOGGER, Progress
from aiq.tasks.shell.units import take_over
from aiq.wings.algorithmic.equations import (
    Episode,
    Experiment,
    MachineSettings,
    Population,
    SamplerSettings,
    by_length,
    difference,
    make_agent,
    parse,
    quotient,
    render,
    sample_programs,
)
from aiq.wings.algorithmic.equations.finished_pairs import KnownPairs, Supply, complete, digests, one_part
from aiq.wings.algorithmic.records import (
    STRATA,
    AgentDifference,
    AgentQuotient,
    PairOutcomes,
    Program,
    ProgramShard,
    Quotients,
    SampleSummary,
)
from aiq.wings.algorithmic.run import AlgorithmicRun as Run
from aiq.wings.algorithmic.storage import PAIRS, pack_programs, read_lines, unpack_programs


def machine(run: Run) -> MachineSettings:
    """Return the reference machine of a run."""
    return MachineSettings(**run.configuration.machine.model_dump())


# ---- programs ------------------------------------------------------------------------------------


def sample_blocks(run: Run, first: int, last: int, target: str | Path) -> None:
    """Sample blocks ``first`` to ``last`` (inclusive) of programs."""
    c, fingerprint = run.configuration, run.plan.block()
    settings = SamplerSettings(machine(run), c.programs.simplification)
    blocks = {f"block-{block:06d}": block for block in range(first, last + 1)}

    def sample(name: str) -> shards.Unit:
        """Sample one block."""
        shard = sample_programs(c.seed, blocks[name], blocks[name] + 1, settings)
        return shards.Unit(fingerprint, pack_programs(shard))

    units = take_over(target, "programs", dict.fromkeys(blocks, fingerprint), sample)
    shards.write(target, "programs", fingerprint, c.seed, units)


def gather_programs(run: Run, sources: Sequence[str | Path], target: str | Path, text: str | Path) -> None:
    """Join the shards of the sample, or read the file of programs that the configuration names; also as text.

    Raises:
        InputError: the file cannot be read, is empty, or holds what is no BF program.
    """
    c, fingerprint = run.configuration, run.plan.programs()
    if c.programs.file is not None:
        programs = read_programs(c.programs.file)
        tree = pack_programs(ProgramShard(programs, len(programs), 0, 0, 0))
        tree |= {"made_here": False}
    else:
        units: dict[str, shards.Unit] = {}
        for path in sources:
            units |= shards.read(path, "programs", run.plan.block())
        found = [unpack_programs(units[name].tree) for name in sorted(units)]
        programs = tuple(program for shard in found for program in shard.programs)[: c.programs.count]
        counts = [sum(getattr(shard, name) for shard in found) for name in ("without_io", "failed", "passive")]
        tree = pack_programs(ProgramShard(programs, len(programs) + sum(counts), *counts)) | {"made_here": True}
    storage.hdf5.write(target, storage.Header("program sample", fingerprint, c.seed), tree)
    with replacing(text) as temporary:
        temporary.write_text(render(programs), encoding="utf-8")


def read_programs(path: str | Path) -> tuple[Program, ...]:
    """Return the programs of a text file ``stratum program``, one a line; ``-`` reads standard input.

    Raises:
        InputError: the file cannot be read, is empty, or holds what is no BF program.
    """
    return parse(read_lines(path))


def _sample(run: Run, path: str | Path) -> tuple[ProgramShard, bool]:
    """Read the sample, and whether it was made here."""
    _, tree = storage.hdf5.read(path, "program sample", run.plan.programs())
    with storage.hdf5.fitting("program sample", path):
        return unpack_programs(tree), bool(tree["made_here"])


def read_population(run: Run, path: str | Path) -> Population:
    """Read the sample as a population."""
    return Population(_sample(run, path)[0].programs, run.configuration.programs.stratified)


# ---- trials --------------------------------------------------------------------------------------


def run_agent(run: Run, agent: str, length: int, sample: str | Path, target: str | Path) -> None:
    """Run an agent at one length to the end; pairs that earlier runs or other jobs left beside it are taken over."""
    episodes = run.plan.episodes[agent, length]
    _run(run, agent, length, sample, target, run.plan.run(agent, length), lambda s: complete(s, episodes.runs))


def run_part(run: Run, agent: str, length: int, round_: int, part: int, sample: str | Path, target: str | Path) -> None:
    """Run one job's share of a stage of the adaptive sampler."""
    episodes = run.plan.episodes[agent, length]
    _run(
        run, agent, length, sample, target, run.plan.part(agent, length, round_, part),
        lambda s: one_part(s, episodes.runs, round_, part, episodes.jobs),
    )  # fmt: skip


def _run(
    run: Run,
    agent: str,
    length: int,
    sample: str | Path,
    target: str | Path,
    fingerprint: str,
    work: Callable[[Supply], PairOutcomes],
) -> None:
    """Take over what is known, run the rest, write the pairs."""
    c, unit = run.configuration, run.plan.trials(agent, length)
    entry = run.plan.entry(agent, length)
    experiment = Experiment(
        make_agent(entry.agent, entry.parameters), Episode(length, c.discount, c.legacy_discount), c.seed, machine(run)
    )
    population = read_population(run, sample)
    wanted = (entry.runs or c.runs) // 2
    progress = Progress(f"pairs of {agent} at {length} cycles", wanted)
    supply = Supply(experiment, population, _neighbours(target, unit), lambda done: progress(min(done, wanted)))
    outcomes = work(supply)
    taken = outcomes.stratum.size - supply.ran
    if taken > 0:
        LOGGER.info("%d of %d pairs taken over", taken, outcomes.stratum.size)
    if outcomes.failures:
        LOGGER.warning("%s at %d cycles: %d pairs dropped because the program failed", agent, length, outcomes.failures)
    pairs = KnownPairs.of(outcomes, digests(population))
    tree = {name: getattr(pairs, name) for name in PAIRS}
    shards.write(target, "pairs", fingerprint, c.seed, {"pairs": shards.Unit(unit, tree)})


def _neighbours(target: str | Path, fingerprint: str) -> KnownPairs:
    """Return the pairs of the same experiment in the files beside the target; what cannot be read is logged."""
    found = []
    for path in sorted(Path(target).parent.glob("*.h5")):
        if path == Path(target):
            continue
        try:
            units = shards.read(path, "pairs")
        except StorageError as error:
            LOGGER.warning("%s", error)
            continue
        found += [_known(path, unit) for unit in units.values() if unit.fingerprint == fingerprint]
    return KnownPairs.join(found)


def _known(path: str | Path, unit: shards.Unit) -> KnownPairs:
    """Return a unit's pairs."""
    with storage.hdf5.fitting("pairs", path):
        return KnownPairs(*(np.asarray(unit.tree[name]) for name in PAIRS))


# ---- quotients -----------------------------------------------------------------------------------


def reduce_quotients(run: Run, sample: str | Path, trials: Sequence[str | Path], target: str | Path) -> None:
    """Reduce all pairs to quotients, paired differences, and values by stratum and by program length."""
    c, plan = run.configuration, run.plan
    shard, made_here = _sample(run, sample)
    population = Population(shard.programs, c.programs.stratified)
    programs = digests(population)
    outcomes = {}
    for (agent, length), path in zip(plan.episodes, trials, strict=True):
        (unit,) = shards.read(path, "pairs", plan.run(agent, length)).values()
        outcomes[agent, length] = _known(path, unit).within(population, programs)
    agents = tuple(_agent(run, key, found, population) for key, found in outcomes.items())
    pairs = [(a, b) for a, b in itertools.combinations(outcomes, 2) if a[1] == b[1]]
    differences = tuple(
        compare(a[0], b[0], a[1], difference(outcomes[a], outcomes[b], population, c.seed)) for a, b in pairs
    )
    record = Quotients(agents, differences, _summary(shard, population, made_here))
    storage.write_result(target, "quotients", record, plan.quotients(), c.seed)


def _agent(run: Run, key: tuple[str, int], outcomes: PairOutcomes, population: Population) -> AgentQuotient:
    """Return the record of one agent at one length."""
    c, entry = run.configuration, run.plan.entry(*key)
    settings = {k: v for k, v in entry.parameters.items() if not isinstance(v, dict)}
    arguments = entry.parameters.get("parameters", {})
    return AgentQuotient(
        agent=entry.name,
        label=entry.label or entry.name,
        kind=entry.agent,
        length=key[1],
        parameters=settings | arguments,
        quotient=quotient(outcomes, population, c.interval, c.seed),
        by_length=by_length(outcomes, population, seed=c.seed),
        lengths=np.bincount(outcomes.length[outcomes.valid]),
    )


def compare(first: str, second: str, length: int, estimate: Estimate) -> AgentDifference:
    """Return a difference with the probability that the first agent is above the second."""
    probability = None
    if estimate.interval is not None:
        half = (estimate.interval[1] - estimate.interval[0]) / 2
        error = half / Z
        if error > 0:
            probability = NormalDist().cdf(estimate.value / error)
        else:
            probability = 0.5 if estimate.value == 0 else float(estimate.value > 0)
    return AgentDifference(first, second, length, estimate, probability)


def _summary(shard: ProgramShard, population: Population, made_here: bool) -> SampleSummary:
    """Return the sample in numbers."""
    strata = np.bincount([program.stratum for program in shard.programs], minlength=STRATA + 1)[1:]
    counts = (shard.candidates, shard.without_io, shard.failed, shard.passive) if made_here else (None,) * 4
    return SampleSummary(population.size, tuple(strata.tolist()), np.bincount(population.lengths), *counts)
