"""Many trials: a dry run stays small, control suites have costs, the page on clusters names what exists."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tiny
from test_readme import FENCE, Block, check

from aiq.config import parse
from aiq.domains.control.settings import CartPole
from aiq.plans.suite import SuitePlan

pytestmark = pytest.mark.workflow

PAGE = (tiny.ROOT / "docs" / "how-to" / "cluster.md").read_text("utf-8")
BLOCKS = [Block(match["body"], match["reason"]) for match in FENCE.finditer(PAGE)]
MNIST = {"source": "torchvision", "name": "MNIST"}


def large(trials: int, **jobs: int) -> dict:
    """Ten variants of MNIST with so many trials in chunks of 16."""
    domains = {f"mnist-{k}": {**MNIST, "noise": k / 100} for k in range(10)}
    pool = {"size": trials // 160 * 16, "policies_per_chunk": 16}
    return tiny.tiny(domains=domains, pool=pool, jobs=jobs, dissimilarity__proportions=11)


MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def planned(folder: Path, raw: dict) -> tuple[float, float]:
    """Return the processor seconds and the megabytes of a dry run.

    It is started from a small process: a process counts the memory of the one that it was forked from.
    """
    command = [sys.executable, "-c", MEASURE, *tiny.command(folder, raw, "-n", "--quiet", "all")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    status, seconds, megabytes = json.loads(done.stdout)
    assert status == 0
    return seconds, megabytes


@pytest.mark.slow
def test_a_dry_run_of_50000_trials_is_short_and_small_with_a_job_for_each_chunk(tmp_path: Path):
    """Processor time, with room for a machine that runs other things; 7 s on a quiet one."""
    seconds, megabytes = planned(tmp_path, large(50_000, chunks_per_job=1, mixtures_per_job=1))
    assert seconds < 20
    assert megabytes < 300


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_commands_of_the_page_on_clusters_exist(block: Block):
    assert block.reason
    for words in block.commands:
        check(words)


def test_control_suites_have_costs_too():
    raw = tiny.tiny(domains={"pole": {"source": "cartpole"}, "strong": {"source": "cartpole", "force": 20}})
    acting = {"algorithm": "dqn", "steps": 20_000, "optimizer": {"name": "adam", "learning_rate": 0.001}}
    raw["training"] = raw["dissimilarity"]["training"] = acting
    raw["jobs"] = {}
    plan = SuitePlan(parse(raw))
    assert isinstance(plan.configuration.domains["pole"], CartPole)
    short = plan.sizing.costs.chunk("pole").seconds
    raw["training"] = {**acting, "steps": 40_000}
    assert SuitePlan(parse(raw)).sizing.costs.chunk("pole").seconds == pytest.approx(2 * short, rel=0.1)
    assert plan.sizing.chunks_per_job("pole") >= 1
    assert plan.mixture_jobs


def test_a_figure_of_dissimilarities_trains_no_pool_and_its_claims_are_not_run(tmp_path: Path):
    command = [sys.executable, "-m", "aiq.cli", "experiment", "f14", "-o", "f14.png", "--json", "--", "-n"]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["experiment"], found["scale"]) == ("f14", "small")
    assert [(claim["id"], claim["verdict"]) for claim in found["claims"]] == [("F14", "not run here")]
    assert "train_mixtures" in done.stderr
    assert "train_trials" not in done.stderr
    assert "draw_" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".snakemake"]
