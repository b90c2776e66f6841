"""What is estimated before is what happens then: jobs exactly, core-seconds and disk within a factor of 1.5.

Both are processor times, taken in turns in one process, so that other work on the machine slows both.
"""

import copy
import json
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
import tiny
import yaml
from tiny_anytime import TINY as ANYTIME
from tiny_control import control

from aiq.cli.main import main
from aiq.config.load import parse
from aiq.plans.run import Run
from aiq.plans.suite import SuitePlan
from aiq.run.costing import Cost, Request, estimate, expected
from aiq.storage import hdf5

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

QUICKSTART = yaml.safe_load((tiny.ROOT / "config" / "quickstart.yaml").read_text("utf-8"))
KEPT = ("digits", "breast-cancer")
FACTOR = 1.5
PLAYED = control(agents__outside=[])


def quickstart() -> dict[str, Any]:
    """The quickstart with two of its domains and half of its pool, everything else as it is."""
    raw = copy.deepcopy(QUICKSTART)
    raw["domains"] = {name: raw["domains"][name] for name in KEPT}
    raw["pool"]["size"] //= 2
    return raw


def stage(cost: Cost, name: str) -> Any:
    (found,) = (stage for stage in cost.stages if stage.stage == name)
    return found


def within(told: float, happened: float) -> bool:
    return happened / FACTOR < told < happened * FACTOR


def test_the_quickstart_costs_what_was_estimated(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = quickstart()
    before = estimate(raw)
    run = Run.of(raw)
    seconds = dict.fromkeys(("domains", "trials", "mixtures", "alone", "agents"), 0.0)
    for path, work in tiny.jobs(run).items():
        kind = Path(path).parts[2]
        if kind in (*seconds, "interface.h5"):
            begun = time.process_time()
            work()
            seconds[kind] = seconds.get(kind, 0.0) + time.process_time() - begun
    seconds.pop("interface.h5")
    after = estimate(raw)
    told = {name: (stage(before, name), stage(after, name)) for name in seconds}
    trained = {name: sum(s.training_seconds for s in told[name]) / 2 for name in seconds if name != "domains"}
    happened = sum(seconds[name] for name in trained)
    assert within(sum(trained.values()), happened), (trained, seconds)
    for name in seconds:
        size = sum(path.stat().st_size for path in (tmp_path / run.layout.root / name).rglob("*.h5"))
        assert within(told[name][0].disk_bytes, size), name
    trials = 2 * 64 + 2 * 5 * 6 + 3 * 5 * 9 + 2 * (15 + 5 * 9)
    assert before.trials == trials


def test_control_costs_what_was_estimated(tmp_path: Path, monkeypatch):
    """Within a factor of 2: how long episodes last is known only afterwards."""
    monkeypatch.chdir(tmp_path)
    longer = {"steps": 2000, "evaluation": {"every": 500, "episodes": 5, "final_episodes": 20}}
    trainings = {f"{stage}{key}": value for stage in ("training__", "dissimilarity__training__")
                 for key, value in longer.items()}  # fmt: skip
    raw = control(**trainings, agents__outside=[])
    before = estimate(raw)
    seconds = dict.fromkeys(("trials", "mixtures"), 0.0)
    for path, work in tiny.jobs(Run.of(raw)).items():
        kind, begun = Path(path).parts[2], time.process_time()
        if kind in (*seconds, "domains", "interface.h5"):
            work()
        if kind in seconds:
            seconds[kind] += time.process_time() - begun
    after = estimate(raw)
    for name, happened in seconds.items():
        told = sum(stage(cost, name).training_seconds for cost in (before, after)) / 2
        assert happened / 2 < told < 2 * happened, (name, told, happened)


def is_asked_by(asked: Request, jobs: list[tuple[str, int, int]]) -> bool:
    """Whether an estimate tells the largest and the longest of some jobs."""
    most, longest = (max(job[at] for job in jobs) for at in (1, 2))
    named = (asked.largest, most) in {job[:2] for job in jobs} and (asked.longest, longest) in {
        job[::2] for job in jobs
    }
    return named and (asked.megabytes, asked.minutes) == (most, longest)


@pytest.fixture(scope="module")
def of_tiny(tmp_path_factory: pytest.TempPathFactory) -> Cost:
    """What the tiny suite is estimated to cost."""
    with tiny.inside(tmp_path_factory.mktemp("estimate")):
        return estimate(tiny.TINY)


@pytest.mark.parametrize("raw", [tiny.TINY, PLAYED], ids=lambda raw: raw.get("measure", raw["name"]))
def test_jobs_are_counted_exactly_for_suites(tmp_path: Path, of_tiny: Cost, raw, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cost = of_tiny if raw is tiny.TINY else estimate(raw)
    jobs = tiny.asked(tmp_path, raw)
    assert cost.jobs == len(jobs)
    assert is_asked_by(cost.asked, jobs)
    assert cost.outputs > len(jobs)
    assert cost.trials > 0
    assert cost.core_hours > 0
    assert cost.disk_bytes > 0
    assert all(0.001 < factor < 1000 for factor in cost.factors.values())


@pytest.mark.parametrize("name", ["similarity-gym", "algorithmic-mc-aixi-small"])
def test_shipped_configurations_ask_for_what_is_estimated(name, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = yaml.safe_load((tiny.ROOT / "config" / f"{name}.yaml").read_text("utf-8"))
    jobs = tiny.asked(tmp_path, raw)
    asked = list(Run.of(raw).plan.requests())
    assert sorted(asked) == sorted(jobs)
    assert is_asked_by(Request.of(asked), jobs)


@pytest.mark.parametrize("name", ["quickstart", "cartpole"])
def test_the_requests_of_suites_are_those_of_their_jobs(name, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = yaml.safe_load((tiny.ROOT / "config" / f"{name}.yaml").read_text("utf-8"))
    jobs = tiny.asked(tmp_path, raw)
    asked = list(Run.of(raw).plan.requests())
    assert {one[0] for one in asked} >= {one[0] for one in jobs}
    assert is_asked_by(Request.of(asked), jobs)


@pytest.mark.parametrize("name", ["classes", "images", "paper", "proportion", "width"])
def test_similarities_are_estimated_without_data(name, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    made = yaml.safe_load((tiny.ROOT / "config" / f"similarity-{name}.yaml").read_text("utf-8"))
    Path("mine.yaml").write_text(yaml.safe_dump({**made, "data_root": "nowhere"}, sort_keys=False))
    assert main(["estimate", "mine.yaml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["largest_memory_mb"] == 3000
    assert told["largest_job"] == "prepare_test"
    assert told["core_hours"] > 0
    assert told["trials"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["mine.yaml"]


def test_a_sheet_of_sizes_tells_what_sources_of_similarities_do_not(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    config = str(tiny.ROOT / "config" / "similarity-width.yaml")
    names = list(yaml.safe_load(Path(config).read_text("utf-8"))["domains"])
    assert main(["estimate", config, "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    rows = [f"{name},600000,10000,10,1x32x32" for name in names]
    Path("sheet.csv").write_text("\n".join(["domain,train,test,classes,shape", *rows]))
    assert main(["estimate", config, "--sizes", "sheet.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert before["assumed"]
    assert told["assumed"] == []
    assert told["core_hours"] > 5 * before["core_hours"]
    assert main(["estimate", str(tiny.ROOT / "config" / "collectives-quickstart.yaml"), "--sizes", "sheet.csv"]) == 2
    assert "has no domains" in capsys.readouterr().err


def test_old_environments_of_gymnasium_are_estimated_in_silence(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = yaml.safe_load((tiny.ROOT / "config" / "similarity-gym.yaml").read_text("utf-8"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cost = expected(raw)
    assert [str(one.message) for one in caught if issubclass(one.category, DeprecationWarning)] == []
    assert cost.asked.megabytes == 3000
    assert cost.asked.minutes > 10
    assert not cost.modelled


def test_a_calibration_that_was_saved_decides_the_cut(tmp_path: Path, of_tiny: Cost, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("aiq.run.costing.estimate", lambda *told, **how: of_tiny)
    Path("tiny.yaml").write_text(yaml.safe_dump(tiny.TINY, sort_keys=False))
    assert main(["estimate", "tiny.yaml", "--save", "site.json", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["jobs"] == 3 + 3 + 3 + 3 + 3 * 2 + 3 * 2 + 12
    factors = json.loads(Path("site.json").read_text())["factors"]
    assert {name for name, value in factors.items() if value != 1.0} == {"trials", "mixtures", "agents"}
    raw = tiny.tiny(jobs={"calibration": "site.json"})
    plan = SuitePlan(parse(raw))
    known = SuitePlan(parse(tiny.tiny(jobs={}))).sizing.costs.chunk("wine").seconds
    unit = plan.sizing.costs.calibration.unit
    assert plan.sizing.costs.chunk("wine").seconds - unit == pytest.approx(factors["trials"] * (known - unit))
    Path("site.json").unlink()
    done = tiny.snakemake(tmp_path, raw, "-n", "--quiet", "all")
    assert done.returncode == 1
    assert "calibration site.json cannot be read" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_tests_of_the_anytime_measure_cost_what_was_estimated(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = {**ANYTIME, "test": {"by": "interactions", "budget": 4000}}
    run = Run.of(raw)
    told = stage(estimate(raw), "tests")
    seconds = 0.0
    for path, work in tiny.jobs(run).items():
        if path in run.plan.shards():
            begun = time.process_time()
            work()
            seconds += time.process_time() - begun
            hdf5.read(path, "anytime")
    assert told.training_seconds / 3 < seconds < told.training_seconds * 3  # with reading and writing
    size = sum(path.stat().st_size for path in tmp_path.rglob("*.h5"))
    assert within(told.disk_bytes, size)
