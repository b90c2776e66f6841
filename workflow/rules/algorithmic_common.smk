"""What the rules of the algorithmic quotient share: input functions, and what jobs cost."""

from aiq.config.algorithmic import BLOCK
from aiq.plans.cost import descendants
from aiq.plans.cost.requests import FIXED


wildcard_constraints:
    agent=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    length=r"\d+",
    runs=r"\d+",
    first=r"\d{5}",
    last=r"\d{5}",
    round=r"\d{2}",
    part=r"\d{3}-\d{3}",


def program_shards():
    """Shards of the program sample."""
    return [LAYOUT.program_job(job) for job in PLAN.program_jobs]


def program_file():
    """The file of programs made elsewhere, if one is configured."""
    file = CONFIGURATION.programs.file
    return from_here([file] if file else [])


def episodes_of(wildcards):
    """The agent and length behind a shard."""
    return PLAN.episodes[wildcards.agent, int(wildcards.length)]


def rounds_until(episodes, last):
    """Shards of a stage; where no file is shared those before it too, which else lie beside them."""
    first = 0 if without_shared_files() else last
    return [
        path
        for number in range(first, last + 1)
        for path in LAYOUT.parts_of(episodes, number)
    ]


def round_before(wildcards):
    """Shards of the stage before."""
    return rounds_until(episodes_of(wildcards), int(wildcards.round) - 1)


def last_round(wildcards):
    """Shards of the last stage that jobs share."""
    episodes = episodes_of(wildcards)
    return rounds_until(episodes, episodes.rounds - 1)


def part_fingerprint(wildcards):
    """Fingerprint of one job's share of a stage."""
    return PLAN.part(
        wildcards.agent,
        int(wildcards.length),
        int(wildcards.round),
        int(wildcards.part.split("-")[0]),
    )


def blocks_work(wildcards):
    """What a shard of programs costs, by the cost model."""
    count = int(wildcards.last) - int(wildcards.first) + 1
    return descendants.programs(CONFIGURATION, count, BLOCK)


def run_work(wildcards):
    """What all trials of an agent at a length cost, by as many jobs as share them."""
    length = int(wildcards.length)
    entry = PLAN.entry(wildcards.agent, length)
    return descendants.pairs(CONFIGURATION, entry, length, episodes_of(wildcards).jobs)


def trial_shards():
    """Shards of all agents at all lengths."""
    return [LAYOUT.run_of(episodes) for episodes in PLAN.episodes.values()]
