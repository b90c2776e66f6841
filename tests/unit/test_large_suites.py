"""A plan of very many domains: figures of the pairs that are asked for, in jobs of a bounded size, and their costs."""

from functools import cache
from typing import Any

import pytest

from aiq.config import parse
from aiq.plans.products import PER_JOB
from aiq.plans.run import Run
from aiq.plans.suite import SuitePlan
from aiq.run.costing import expected
from changes import changed

ONE = {"source": "sklearn", "name": "wine"}
TRAINING = {"epochs": 2, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.01}}
RAW: dict[str, Any] = {
    "name": "large",
    "seed": 1,
    "results": "results/large",
    "domains": {},
    "pool": {"size": 8, "policies_per_chunk": 4, "layers": [1, 2], "width": [1, 16]},
    "training": TRAINING,
    "dissimilarity": {
        "proportions": 3, "repetitions": 2, "network": {"layers": 1, "width": 8}, "training": TRAINING,
    },
    "agents": {"repetitions": 2, "networks": [{"name": "small", "layers": 1, "width": 2}]},
}  # fmt: skip


def raw(domains: int, **changes: Any) -> dict[str, Any]:
    names = {f"d{k:03d}": {**ONE, "noise": k / 1000} for k in range(domains)}
    return changed({**RAW, "domains": names}, **changes)


@cache
def plan(domains: int) -> SuitePlan:
    return SuitePlan(parse(raw(domains)))


def mixtures(found: SuitePlan) -> list[str]:
    names = [name for made in found.products() for name in made.figure_names(found)]
    return [name for name in names if name.startswith("mixture-") and name != "mixture-overview"]


def test_every_pair_has_a_figure_up_to_the_configured_number():
    assert [len(mixtures(plan(domains))) for domains in (24, 25)] == [300, 0]
    assert [len(mixtures(SuitePlan(parse(raw(3, page={"figures": most}))))) for most in (5, 6)] == [0, 6]


def test_pairs_that_are_asked_for_have_a_figure_in_a_suite_of_any_size():
    asked = SuitePlan(parse(raw(30, page={"pairs": [["d007", "d002"], ["d003", "d003"]]})))
    assert mixtures(asked) == ["mixture-d003+d003", "mixture-d002+d007"]


@pytest.mark.parametrize("domains", [3, 24, 110])
def test_figures_are_shared_by_jobs_of_a_bounded_size_and_each_is_drawn_once(domains: int):
    found = plan(domains)
    made = found.products()
    assert all(len(job.figure_names(found)) <= PER_JOB for job in made)
    assert len({job.name for job in made}) == len(made)
    assert all(job.name.isidentifier() for job in made)
    assert {job.maker for job in made} <= {declared.name for declared in found.declared}
    for declared in found.declared:
        if declared.when(found):
            jobs = [job for job in made if job.maker == declared.name]
            drawn = [name for job in jobs for name in job.figure_names(found)]
            assert sorted(drawn) == sorted(declared.figure_names(found))
            assert [name for job in jobs for name in job.table_names(found)] == declared.table_names(found)
            assert sum(job.minutes(found) for job in jobs) >= declared.minutes(found)
            assert jobs[0].name == declared.name


def test_a_small_suite_has_one_job_a_kind():
    assert [job.name for job in plan(3).products()] == [
        *("compare_known_baselines", "draw_complexity", "draw_dissimilarity", "draw_space", "write_tables"),
        "explain_variance",
    ]  # fmt: skip


def test_files_are_told_by_domain_and_by_pair():
    """What a domain and a pair add is what a suite has more that is larger by some of them."""
    told = {n: expected(raw(n, jobs={"mixtures_per_job": 5})) for n in (100, 110)}
    more, domain = told[110].inodes - told[100].inodes, told[100].files_by["domain"]
    pairs = 110 * 111 // 2 - 100 * 101 // 2
    assert more == pytest.approx(10 * domain + pairs * told[110].files_by["pair"], rel=0.05)
    small = expected(raw(3))
    assert small.files_by["pair"] > 10  # five files of a figure and a record of each
    assert small.as_dict()["inodes_per_domain"] == small.files_by["domain"]


def test_jobs_of_200_domains_ask_for_what_a_node_has():
    """Measured in benchmarks/results/scale.md."""
    run: Any = Run.of(raw(200, dissimilarity__repetitions=5, dissimilarity__proportions=11))
    asked: dict[str, tuple[int, int]] = {}
    for rule, megabytes, minutes in run.plan.requests():
        known = asked.get(rule, (0, 0))
        asked[rule] = max(known[0], megabytes), max(known[1], minutes)
    reducing = {rule: found for rule, found in asked.items() if not rule.startswith(("train_", "prepare_"))}
    assert {"reduce_dissimilarity", "build_space", "score_agents", "write_page", "draw_dissimilarity"} <= set(reducing)
    assert max(megabytes for megabytes, _ in reducing.values()) <= 4000
    assert max(minutes for _, minutes in reducing.values()) <= 60
    assert reducing["build_space"][0] > 2000
