"""Control domains through the whole pipeline: a tiny suite, in this process and through Snakemake; grown and cut."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import tiny
import tiny_control
import yaml
from tiny_control import CONTROL, control

from aiq import storage
from aiq.cli.main import main
from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.records.domains import Entropy
from aiq.run.products import makers
from aiq.run.reducing.baselines import AptiScores, read_baseline, read_plays
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores
from aiq.storage import hdf5

pytestmark = [pytest.mark.workflow]


def units(folder: Path, raw: dict) -> dict:
    """Every unit of every shard by kind, place and name, without the times."""
    run = Run.of(raw)
    found = {}
    with tiny.inside(folder):
        for path, (kind, fingerprint) in run.plan.shards().items():
            place = "" if kind == "mixtures" else Path(path).parent.name + "/" + Path(path).name
            place = Path(path).parent.name if kind in ("trials", "agents") else place
            if kind != "domain":
                for name, content in hdf5.read(path, kind, fingerprint)[1].items():
                    found[kind, place, name] = content
    return found


def forget_results(folder: Path) -> None:
    """Remove everything but shards."""
    root = folder / "results" / "control"
    for path in [
        *root.glob("*.h5"),
        *(p for kind in ("complexity", "plays", "entropy") for p in (root / kind).iterdir()),
    ]:
        path.unlink()


def test_a_prepared_control_domain_is_its_facts(played: Path):
    with tiny.inside(played):
        facts, sheet = storage.read_control_domain(Run.of(CONTROL).layout.domain("heavy"))
    assert (facts.observations, facts.actions, facts.bounds, facts.horizon) == (4, 2, (0.0, 60.0), 60)
    assert any("gravity 60" in note for note in sheet.notes)


def test_the_baseline_keeps_weights_that_play_as_recorded(played: Path):
    run = Run.of(CONTROL)
    with tiny.inside(played):
        plays = read_plays(run, [run.layout.play(d) for d in run.configuration.domains])
        trained = {d: read_baseline(run, d, run.layout.baseline(d)) for d in run.plan.baseline_domains}
        bits = {d: storage.read_result(run.layout.entropy(d), "entropy", Entropy, run.plan.entropy(d)) for d in plays}
    assert set(trained) == set(run.configuration.domains)
    for domain, play in plays.items():
        assert play.scores.shape == (2, 6)
        assert [w.shape for w in trained[domain][0].weights] == [(8, 4), (8,), (2, 8), (2,)]
        assert np.allclose(play.scores, play.lengths / 60)  # CartPole pays 1 a step
        best = max(range(2), key=lambda k: trained[domain][k].trial.performance)
        assert play.shown == best
        assert 0 < bits[domain].mean.value <= 4 * np.log2(10)
        assert bits[domain].mean.n == 6


def test_agents_from_outside_are_scored_and_broken_ones_counted(played: Path):
    run = Run.of(CONTROL)
    with tiny.inside(played):
        scores = storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())
    assert {agent.agent for agent in scores.scores.agents} == {"one", "two", "mine"}
    assert scores.scores.agents[0].agent == "mine"
    assert scores.repetitions("mine", "normal").tolist() == [1.0, 1.0]
    assert scores.failed == 6
    assert dict(scores.unscored) == {
        "broken": "agent broken returned the action 2 on normal; allowed are integers from 0 to 1"
    }


def test_apti_is_the_ratio_of_mean_performances(played: Path):
    run = Run.of(CONTROL)
    with tiny.inside(played):
        found = storage.read_result(run.layout.apti, "apti", AptiScores, run.plan.apti())
        scores = storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())
        plays = read_plays(run, [run.layout.play(d) for d in run.configuration.domains])
    for agent, measured in zip(found.agents, found.apti, strict=True):
        for domain, estimate in zip(scores.scores.domains, measured.domains, strict=True):
            own, other = scores.repetitions(agent, domain).mean(), plays[domain].scores.mean()
            assert estimate.value == pytest.approx(own / (own + other))
    assert found.scores.agents[0].agent == "mine"
    assert found.scores.agents[0].mean.value == pytest.approx(
        found.apti[found.agents.index("mine")].mean.value, abs=1e-12
    )


GROWN = {
    "more policies": (control(pool__size=6), {"trials"}),
    "more repetitions": (control(dissimilarity__repetitions=3), {"mixtures"}),
    "a new agent": (
        control(agents__networks=[*CONTROL["agents"]["networks"], {"name": "new", "layers": 1, "width": 2}]),
        {"agents"},
    ),
    "a new stranger": (
        control(agents__outside=[*CONTROL["agents"]["outside"], {"name": "n", "factory": "balancers:broken"}]),
        {"outside"},
    ),
    "a new domain": (
        control(domains={**CONTROL["domains"], "zero": {"source": "cartpole", "gravity": 0, "steps": 60}}),
        {"trials", "mixtures", "agents", "baseline", "outside"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ["more policies", "a new stranger"])
def test_growth_makes_what_a_fresh_run_makes_and_keeps_what_was_there(played: Path, tmp_path: Path, what: str):
    raw, kinds = GROWN[what]
    grown = shutil.copytree(played, tmp_path / "grown")
    tiny_control.make(grown, raw, Run.of(raw).plan.shards())
    before, after = units(played, CONTROL), units(grown, raw)
    new = set(after) - set(before)
    assert {key[0] for key in new} == kinds
    assert not tiny.differing(before, {key: after[key] for key in before})


@pytest.mark.parametrize("what", GROWN)
def test_growing_changes_no_fingerprint_of_what_is_finished(what: str):
    old, new = (Run.of(raw) for raw in (CONTROL, GROWN[what][0]))
    for domain in old.configuration.domains:
        assert old.plan.trials(domain) == new.plan.trials(domain)
        assert old.plan.baseline(domain) == new.plan.baseline(domain)
        assert old.plan.play(domain) == new.plan.play(domain)
        assert old.plan.outside(domain, "mine") == new.plan.outside(domain, "mine")
        assert old.plan.agent(domain, "one") == new.plan.agent(domain, "one")


def test_no_number_depends_on_the_cut(played: Path, tmp_path: Path):
    raw = control(jobs={"chunks_per_job": 1, "mixtures_per_job": 1, "agents_per_job": 1})
    tiny_control.make(tmp_path / "cut", raw, Run.of(raw).plan.shards())
    assert tiny.differing(units(played, CONTROL), units(tmp_path / "cut", raw)) == []


def test_a_baseline_trained_on_one_domain_plays_all(played: Path, tmp_path: Path):
    folder = shutil.copytree(played, tmp_path / "one")
    raw = control(baseline__trained_on="normal")
    run = Run.of(raw)
    assert run.plan.baseline_domains == ("normal",)
    forget_results(folder)
    tiny_control.make(folder, raw, [run.layout.play(d) for d in run.configuration.domains])
    with tiny.inside(folder):
        plays = read_plays(run, [run.layout.play(d) for d in run.configuration.domains])
    assert {play.trained_on for play in plays.values()} == {"normal"}
    assert len({play.shown for play in plays.values()}) == 1


def test_a_baseline_that_cannot_see_a_domain_is_refused(tmp_path: Path):
    acrobot = {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]}
    raw = control(domains={"normal": CONTROL["domains"]["normal"], "other": acrobot}, baseline__trained_on="normal")
    run = Run.of(raw)
    jobs = tiny.jobs(run)
    with tiny.inside(tmp_path):
        for path in (run.layout.domain("normal"), run.layout.domain("other"), run.layout.baseline("normal")):
            jobs[path]()
        with pytest.raises(AiqError, match="other has 6 observations and 3 actions, normal has 4 and 2"):
            jobs[run.layout.play("other")]()


def test_every_figure_of_the_plan_is_drawn(played: Path):
    run = Run.of(CONTROL)
    with tiny.inside(played):
        drawn = {
            name: makers(run, job).figures[name]() for job in run.plan.products() for name in job.figure_names(run.plan)
        }
    assert set(drawn) >= {
        *("complexity-values", "complexity-entropy", "dissimilarity-matrix", "agents", "handicap", "baseline"),
        *("agents-apti", "space-plane"),
    }
    assert all(drawing.table.rows and drawing.caption for drawing in drawn.values())


@pytest.mark.slow
def test_a_run_through_snakemake(played: Path, tmp_path: Path, capsys):
    """What control domains have of their own is made again: numbers as in one process, a changed agent seen."""
    folder, run = tmp_path / "run", Run.of(CONTROL)
    shutil.copytree(played, folder)
    layout = run.layout
    own = [layout.baseline("weak"), layout.play("weak"), layout.entropy("weak"), layout.scores, layout.apti]
    own += [layout.outside("weak", name) for name in ("mine", "broken")]
    for path in own:
        (folder / path).unlink()
    wanted = [layout.apti, layout.entropy("weak"), layout.figure("baseline", "png"), layout.table("agents")]
    done = tiny.snakemake(folder, CONTROL, "--cores", "2", *wanted, name="control.yaml")
    assert done.returncode == 0, done.stdout
    assert all((folder / path).stat().st_size > 1000 for path in [*own, layout.figure("baseline", "png")])
    with (folder / layout.table("apti")).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["agent"] for row in rows} == {"one", "two", "mine"}
    assert {row["domain"] for row in rows} == {*CONTROL["domains"], "(mean)"}
    with (folder / layout.table("agents")).open(encoding="utf-8") as file:
        (broken,) = [row for row in csv.DictReader(file) if row["agent"] == "broken"]
    assert broken["method"].startswith("not scored: agent broken returned the action 2")
    assert tiny.differing(units(played, CONTROL), units(folder, CONTROL)) == []
    assert tiny.planned(folder, CONTROL, *wanted) == {}
    with tiny.inside(folder):
        assert main(["summary", "control.yaml", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["unscored"].keys() == {"broken"}
        assert main(["shards", "control.yaml"]) == 0
    (folder / "balancers.py").write_text(tiny_control.BALANCERS + "\n", encoding="utf-8")
    again = tiny.planned(folder, CONTROL, *wanted)
    assert set(again) == {"play_outside", "score_agents", "score_apti", "report_baseline", "write_tables"}
    assert again["play_outside"] == {layout.outside(d, name) for d in CONTROL["domains"] for name in ("mine", "broken")}


def test_without_a_baseline_there_is_no_entropy_and_no_apti(tmp_path: Path):
    tiny_control.write_balancers(tmp_path)
    raw = control()
    del raw["baseline"]
    planned = tiny.planned(tmp_path, raw)
    assert not {"train_baseline", "play_baseline", "measure_entropy", "score_apti", "report_baseline"} & set(planned)
    assert not any("complexity-entropy" in path for paths in planned.values() for path in paths)


def test_a_module_that_does_not_exist_is_one_sentence_and_the_others_are_scored(played: Path, tmp_path: Path):
    folder = shutil.copytree(played, tmp_path / "missing")
    agents = [*CONTROL["agents"]["outside"][:1], {"name": "lost", "factory": "no_such_module:make", "episodes": 2}]
    raw = control(agents__outside=agents)
    run = Run.of(raw)
    (folder / run.layout.scores).unlink()
    tiny_control.make(folder, raw)
    with tiny.inside(folder):
        scores = storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())
    assert "no_such_module:make" in scores.unscored["lost"]
    assert "\n" not in scores.unscored["lost"]
    assert {agent.agent for agent in scores.scores.agents} == {"one", "two", "mine"}


def test_the_worked_example_of_the_documentation(tmp_path: Path):
    """The factory and the settings of docs/how-to/own-agent.md, as they stand there, on two domains."""
    page = (tiny.ROOT / "docs" / "how-to" / "own-agent.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n# my_balancers\.py\n(.*?)```", page, re.DOTALL)
    told = re.search(r"```yaml\n(agents:.*?)```", page, re.DOTALL)
    assert code
    assert told
    agents = yaml.safe_load(told[1])["agents"]
    acrobot = {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0], "horizon": 50}
    run = Run.of(control(domains={"normal": {"source": "cartpole"}, "acrobot": acrobot}, agents=agents))
    name = agents["outside"][0]["name"]
    jobs = tiny.jobs(run)
    with tiny.inside(tmp_path):
        Path("my_balancers.py").write_text(code[1], encoding="utf-8")
        found = {}
        for domain in ("normal", "acrobot"):
            jobs[run.layout.domain(domain)]()
            jobs[run.layout.outside(domain, name)]()
            path, fingerprint = run.layout.outside(domain, name), run.plan.of_outside(domain, name)
            found[domain] = hdf5.read(path, "outside", fingerprint)[1]
    assert [unit["performance"] for unit in found["normal"].values()] == [1.0, 1.0, 1.0]
    assert {unit["status"] for unit in found["acrobot"].values()} == {"finished"}
    assert all(len(unit["returns"]) == 100 for unit in found["normal"].values())


def test_played_tests_meet_their_twins(tmp_path):
    raw = control(dissimilarity__twins=2, dissimilarity__end_repetitions=6, space__distance="relative")
    run = Run.of(raw)
    kinds = ("domain", "interface", "mixtures", "alone")
    shards = [path for path, (kind, _) in run.plan.shards().items() if kind in kinds]
    tiny_control.make(tmp_path, raw, [*shards, run.layout.interface, run.layout.dissimilarity])
    with tiny.inside(tmp_path):
        found = storage.read_result(run.layout.dissimilarity, "dissimilarity", SuiteDissimilarity)
        shard = hdf5.read(run.layout.interface, "interface", run.plan.ends.common)[1]
    assert [(pair.a, pair.b) for pair in found.relative] == [("heavy", "normal"), ("heavy", "weak"), ("normal", "weak")]
    assert {pair.relative.twins for pair in found.relative} == {4}
    for pair in found.relative:
        assert np.isnan(pair.relative.estimate.value) == bool(pair.relative.undefined)
    assert shard["places"] == 5
