"""The rules of the algorithmic quotient: sample programs, run agents on them, reduce."""

from __future__ import annotations

from typing import Any

from aiq.plans.cost.asked import request
from aiq.plans.rules import NAME, Rule, Words, always
from aiq.wings.algorithmic.cost import GATHERED, REDUCED, pairs, programs
from aiq.wings.algorithmic.settings import BLOCK

JOBS = "aiq.wings.algorithmic.work.jobs"
AGENT = {"agent": NAME, "length": r"\d+", "runs": r"\d+"}


def _episodes(plan: Any, words: Words) -> Any:
    """Return the agent and length behind a shard."""
    return plan.episodes[words["agent"], int(words["length"])]


def _rounds(plan: Any, words: Words, last: int, apart: bool) -> list[str]:
    """Return the shards of a round; where no file is shared those before it too, which else lie beside them."""
    episodes = _episodes(plan, words)
    return [path for number in range(0 if apart else last, last + 1) for path in plan.layout.parts_of(episodes, number)]


def _blocks_work(plan: Any, words: Words) -> tuple[int, int]:
    """Return what a shard of programs asks for."""
    return request(programs(plan.configuration, int(words["last"]) - int(words["first"]) + 1, BLOCK))


def _run_work(plan: Any, words: Words) -> tuple[int, int]:
    """Return what all trials of an agent at a length ask for, by as many jobs as share them."""
    length = int(words["length"])
    entry = plan.entry(words["agent"], length)
    return request(pairs(plan.configuration, entry, length, _episodes(plan, words).jobs))


def _file(plan: Any, words: Words, apart: bool) -> list[str]:
    """Return the file of programs made elsewhere, if one is configured."""
    file = plan.configuration.programs.file
    return [file] if file else []


RULES = (
    Rule(
        "sample_programs",
        f"{JOBS}:sample_blocks",
        lambda job: (int(job.words["first"]), int(job.words["last"]), job.makes[0]),
        makes=lambda plan: [plan.layout.blocks()],
        log=("programs", "blocks-{first}-{last}"),
        follows=lambda plan, words: plan.block(),
        asks=_blocks_work,
        words={"first": r"\d{5}", "last": r"\d{5}"},
    ),
    Rule(
        "gather_programs",
        f"{JOBS}:gather_programs",
        lambda job: (job.needs["shards"], *job.makes),
        makes=lambda plan: [plan.layout.sample, plan.layout.sample_text],
        log=("gather_programs",),
        follows=lambda plan, words: plan.programs(),
        asks=always(*GATHERED),
        needs=lambda plan, words: {"shards": [plan.layout.program_job(job) for job in plan.program_jobs]},
        given=_file,
    ),
    Rule(
        "run_agent_part",
        f"{JOBS}:run_part",
        lambda job: (
            *(job.words["agent"], int(job.words["length"]), int(job.words["round"])),
            *(int(job.words["part"].split("-")[0]), job.needs["sample"][0], job.makes[0]),
        ),
        makes=lambda plan: [plan.layout.part()],
        log=("trials", "{agent}-{length}-{runs}-{round}-{part}"),
        follows=lambda plan, words: plan.part(
            words["agent"], int(words["length"]), int(words["round"]), int(words["part"].split("-")[0])
        ),
        asks=_run_work,
        needs=lambda plan, words: {"sample": [plan.layout.sample]},
        after=lambda plan, words, apart: _rounds(plan, words, int(words["round"]) - 1, apart),
        words={**AGENT, "round": r"\d{2}", "part": r"\d{3}-\d{3}"},
    ),
    Rule(
        "run_agent",
        f"{JOBS}:run_agent",
        lambda job: (job.words["agent"], int(job.words["length"]), job.needs["sample"][0], job.makes[0]),
        makes=lambda plan: [plan.layout.trials()],
        log=("trials", "{agent}-{length}-{runs}"),
        follows=lambda plan, words: plan.run(words["agent"], int(words["length"])),
        asks=_run_work,
        needs=lambda plan, words: {"sample": [plan.layout.sample]},
        after=lambda plan, words, apart: _rounds(plan, words, _episodes(plan, words).rounds - 1, apart),
        words=AGENT,
    ),
    Rule(
        "reduce_quotients",
        f"{JOBS}:reduce_quotients",
        lambda job: (job.needs["sample"][0], job.needs["trials"], job.makes[0]),
        makes=lambda plan: [plan.layout.quotients],
        log=("quotients",),
        follows=lambda plan, words: plan.quotients(),
        asks=always(*REDUCED),
        needs=lambda plan, words: {
            "trials": [plan.layout.run_of(episodes) for episodes in plan.episodes.values()],
            "sample": [plan.layout.sample],
        },
    ),
)
