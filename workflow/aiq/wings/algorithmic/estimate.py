"""What a run of the algorithmic quotient will cost: short runs of what its jobs call, in proportion to all."""

from __future__ import annotations

from aiq.plans.cost.sizing import START
from aiq.run.costing import (
    JOB_BYTES,
    Cost,
    Report,
    StageCost,
    fitting,
    process_start,
    timed,
)
from aiq.run.estimate import cost_of
from aiq.wings.algorithmic import plan as cost
from aiq.wings.algorithmic.equations import (
    Episode,
    Experiment,
    Population,
    SamplerSettings,
    make_agent,
    sample_programs,
)
from aiq.wings.algorithmic.equations.adaptive import Block
from aiq.wings.algorithmic.equations.runs import run_blocks
from aiq.wings.algorithmic.settings import BLOCK, AlgorithmicAgent
from aiq.wings.algorithmic.work import Run, machine

PAIRS = 20  # pairs of trials that are timed
PAIR_BYTES = 45  # of a stored pair of trials


def estimate(run: Run, progress: Report) -> Cost:
    """Time some programs and some pairs of every agent at every length, in shorter episodes where they are long."""
    c, plan = run.configuration, run.plan
    start = process_start("aiq.wings.algorithmic.work")
    progress("timing programs")
    settings = SamplerSettings(machine(run), c.programs.simplification)
    sampled = sample_programs(c.seed, 0, 3, settings)
    each = timed(lambda: sample_programs(c.seed, 3, 6, settings)) / (3 * BLOCK)
    jobs = len(plan.program_jobs)
    count = c.programs.count if jobs else 0
    programs = StageCost("programs", jobs + 1, 0, count * each + (jobs + 1) * start, 0.0, 2 * count * 90.0)
    population = Population(sampled.programs, False)

    def whole(entry: AlgorithmicAgent, length: int) -> float:
        """Return the seconds of a run of an agent at a length."""
        short = fitting(length, 2 * PAIRS * cost.cycle(entry))
        agent = make_agent(entry.agent, entry.parameters)
        experiment = Experiment(agent, Episode(short, c.discount, c.legacy_discount), c.seed, machine(run))
        seconds = timed(lambda: run_blocks(experiment, population, [Block(0, 0, PAIRS)]))
        return seconds / (2 * PAIRS) * length / short

    seconds, modelled, runs, shared = 0.0, 0.0, 0, 0
    for (name, length), episodes in plan.episodes.items():
        progress(f"timing {name} at {length} cycles")
        entry = plan.entry(name, length)
        seconds += whole(entry, length) * episodes.runs
        modelled += cost.pairs(c, entry, length).seconds - START
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
    factors = {"programs": each / cost.PROGRAM, "pairs": seconds / modelled}
    return cost_of(run, start, (programs, trials), factors=factors)
