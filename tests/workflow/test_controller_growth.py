"""The controller at scale: a job parses its own rules only, the plan of a suite stays short, run times are capped."""

import importlib.util
import re
from pathlib import Path

import pytest
import tiny
import yaml

from aiq.plans.run import Run

pytestmark = pytest.mark.workflow


def bench():
    """The program that measures the controller's growth."""
    spec = importlib.util.spec_from_file_location("controller", tiny.ROOT / "benchmarks" / "controller.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_job_costs_the_same_whatever_the_size_of_its_suite(tmp_path: Path):
    """Measured on a quiet machine: 0.92 s at 10 domains, 1.05 s at 200, of which 0.7 s are Snakemake's own start.

    A busy machine makes both three times as long: they run in turn, and their ratio is asked.
    """
    program, used, commands = bench(), {10: [], 200: []}, {}
    for count in used:
        folder = tmp_path / str(count)
        folder.mkdir()
        raw = program.suite(count)
        (folder / "c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False))
        commands[count] = program.one_job(folder, raw), folder
    for _ in range(3):
        for count, (command, folder) in commands.items():
            used[count].append(program.seconds(command, folder)[0])
    assert min(used[200]) < 1.6 * min(used[10])


@pytest.mark.slow
def test_a_plan_grows_with_its_jobs_and_no_faster(tmp_path: Path):
    """On a quiet machine 100 domains took 4.6 s for 1,374 jobs, 200 took 12.6 s for 4,167
    (benchmarks/results/controller.md).

    A slow machine makes both longer: the seconds per job are compared, not the seconds.
    """
    program, each, megabytes = bench(), {}, 0.0
    for count in (70, 140):
        folder = tmp_path / str(count)
        folder.mkdir()
        raw = program.suite(count)
        (folder / "c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False))
        run = Run.of(raw)
        dry = ["--configfile", "c.yaml", "--dry-run", "--quiet", "all", "--", run.layout.path("scores.h5")]
        used, megabytes = program.seconds([*program.SNAKEMAKE, *dry], folder)
        each[count] = used / program.expected(raw).jobs
    assert each[140] < 1.5 * each[70]
    assert megabytes < 600


def test_run_time_is_capped_by_the_partition(tmp_path: Path):
    raw = tiny.tiny()
    done = tiny.snakemake(
        tmp_path, raw, "-n", "--default-resources", "partition_minutes=7", "--", Run.of(raw).layout.domain("wine")
    )
    assert done.returncode == 0, done.stdout
    assert re.findall(r"runtime=(\d+)", done.stdout) == ["7"]


def test_at_the_third_attempt_no_job_asks_for_more_than_the_partition_gives():
    common = (tiny.ROOT / "workflow" / "rules" / "common.smk").read_text("utf-8")
    names: dict = {"partition_minutes": lambda: 25}
    for name in ("growing", "minutes", "capped"):
        exec(re.search(rf"^def {name}\(.*?(?=^\S|\Z)", common, re.MULTILINE | re.DOTALL)[0], names)
    assert [names["growing"](100)(None, attempt) for attempt in (1, 2, 3)] == [100, 200, 300]
    assert names["growing"](lambda wildcards: wildcards * 10)(7, 2) == 140
    assert [names["minutes"](10)(None, attempt) for attempt in (1, 2, 3)] == [10, 20, 25]
    names["partition_minutes"] = lambda: None
    assert names["minutes"](10)(None, 3) == 30
