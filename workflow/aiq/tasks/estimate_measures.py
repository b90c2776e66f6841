"""What runs of the other measures will cost: short runs of what their jobs call, in proportion to all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aiq.config import cost_measures
from aiq.config.algorithmic import BLOCK, AlgorithmicAgent
from aiq.config.anytime import Interactions, Seconds
from aiq.storage.records import pack
from aiq.tasks.costing import JOB_BYTES, Cost, Report, StageCost, clock, process_start, products, shard_bytes

LONGEST = 3.0  # seconds that one timing should take at most, by the cost model
PAIRS = 20  # pairs of trials that are timed
PAIR_BYTES = 45  # of a stored pair of trials
EPISODES = 20  # episodes that are timed
SHORTEST = 20  # cycles or interactions of a timing


def _seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of the second of two runs: the first compiles."""
    work()
    begun = clock("cpu")()
    work()
    return clock("cpu")() - begun


def _fitting(full: int, each: float) -> int:
    """Return how many of some steps of a cost can be timed."""
    return max(min(full, SHORTEST), min(full, int(LONGEST / each)))


def algorithmic(config: Mapping[str, Any], progress: Report) -> Cost:
    """Time some programs and some pairs of every agent at every length, in shorter episodes where they are long."""
    from aiq.algorithmic import Episode, Experiment, Population, SamplerSettings, make_agent, sample_programs
    from aiq.algorithmic.runs import Block, run_blocks
    from aiq.tasks.algorithmic import AlgorithmicRun

    run = AlgorithmicRun.of(config)
    c, plan = run.configuration, run.plan
    start = process_start("aiq.tasks.algorithmic")
    progress("timing programs")
    settings = SamplerSettings(run.machine, c.programs.simplification)
    sampled = sample_programs(c.seed, 0, 3, settings)
    each = _seconds(lambda: sample_programs(c.seed, 3, 6, settings)) / (3 * BLOCK)
    jobs = len(plan.program_jobs)
    count = c.programs.count if jobs else 0
    programs = StageCost("programs", jobs + 1, 0, count * each + (jobs + 1) * start, 0.0, 2 * count * 90.0)
    population = Population(sampled.programs, False)

    def timed(entry: AlgorithmicAgent, length: int) -> float:
        """Return the seconds of a run of an agent at a length."""
        short = _fitting(length, 2 * PAIRS * cost_measures.cycle(entry))
        agent = make_agent(entry.agent, entry.parameters)
        experiment = Experiment(agent, Episode(short, c.discount, c.legacy_discount), c.seed, run.machine)
        seconds = _seconds(lambda: run_blocks(experiment, population, [Block(0, 0, PAIRS)]))
        return seconds / (2 * PAIRS) * length / short

    seconds, modelled, runs, shared = 0.0, 0.0, 0, 0
    for (name, length), episodes in plan.episodes.items():
        progress(f"timing {name} at {length} cycles")
        entry = plan.entry(name, length)
        seconds += timed(entry, length) * episodes.runs
        modelled += cost_measures.pairs(c, entry, length).seconds - cost_measures.START
        runs += episodes.runs
        shared += episodes.rounds * episodes.jobs + 1
    trials = StageCost(
        "pairs",
        shared,
        runs // 2,
        seconds + shared * start,
        seconds,
        runs / 2 * PAIR_BYTES + shared * (3000 + JOB_BYTES),
    )
    stages = (programs, trials, products(3, 4, start, 3 * JOB_BYTES))
    return Cost(stages, start, factors={"programs": each / cost_measures.PROGRAM, "pairs": seconds / modelled})


def anytime(config: Mapping[str, Any], progress: Report) -> Cost:
    """Time one test of every agent in every class, with a smaller budget where it is large."""
    from aiq.storage.anytime import pack_test
    from aiq.tasks.anytime import AnytimeSetup, Examination

    run = AnytimeSetup.of(config)
    c = run.configuration
    start = process_start("aiq.tasks.anytime")
    seconds, modelled, size = 0.0, 0.0, 0.0
    for name, agent in c.pairs:
        progress(f"timing {agent} in {name}")
        jobs = sum(job.environments == name and job.agent == agent for job in run.plan.jobs)
        told = cost_measures.tests(c, c.classes[name], 1).seconds - cost_measures.START
        share = min(1.0, LONGEST / told)
        test = c.test
        if isinstance(test, Interactions):
            short = max(min(test.budget, SHORTEST), round(test.budget * share))
            share = short / test.budget
            budget: float = short
        else:
            budget = test.budget * share
        cut = c.model_copy(update={"test": test.model_copy(update={"budget": budget})})
        examination = Examination(AnytimeSetup(cut, run.plan, run.layout), name, agent)
        found = []
        processor = _seconds(lambda examination=examination, found=found: found.append(examination.administer(0)))
        waiting = isinstance(test, Seconds) and test.action is None  # it lasts as long as its budget says
        seconds += c.repetitions * (test.budget if waiting else processor / share)
        modelled += c.repetitions * told
        size += shard_bytes("anytime", [pack_test(found[-1])], c.repetitions, jobs) / share
    jobs, classes = len(run.plan.jobs), len(run.plan.classes)
    tests = StageCost(
        "tests", jobs, len(c.pairs) * c.repetitions, seconds + jobs * start, seconds, size + jobs * JOB_BYTES
    )
    rest = products(classes + 2, 3, start, (classes + 2) * JOB_BYTES)
    return Cost((tests, rest), start, factors={"tests": seconds / modelled})


def collectives(config: Mapping[str, Any], progress: Report) -> Cost:
    """Time some episodes of every kind of group in every test."""
    from aiq.collectives import simulate
    from aiq.tasks.collectives import CollectivesSetup, settings

    run = CollectivesSetup.of(config)
    c = run.configuration
    start = process_start("aiq.tasks.collectives")
    seconds, modelled, size, count = 0.0, 0.0, 0.0, 0
    for test in run.plan.tests.values():
        how = settings(c, test)
        jobs = sum(job.test == test.name for job in run.plan.jobs)
        for kind in test.kinds:
            progress(f"timing {kind} in {test.name}")
            block = min(EPISODES, c.jobs.episodes_per_block)
            found = []

            def some(kind: str = kind, how: Any = how, block: int = block, found: list[Any] = found) -> None:
                found[:] = simulate([kind], how, c.seed, 0, block)

            seconds += _seconds(some) / block * test.episodes
            modelled += cost_measures.episodes(c, 1, test.episodes).seconds - cost_measures.START
            units = test.episodes / block
            size += shard_bytes("episodes", [pack(found[0])], units, jobs / len(test.kinds))
            count += test.episodes
    jobs = len(run.plan.jobs)
    episodes = StageCost("episodes", jobs, count, seconds + jobs * start, seconds, size + jobs * JOB_BYTES)
    figures = 2 + len(c.by_complexity.patterns if c.by_complexity else [])
    return Cost((episodes, products(3, figures, start, 3 * JOB_BYTES)), start, factors={"episodes": seconds / modelled})
