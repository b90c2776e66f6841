"""Growing adds, never redoes; and no number depends on how work was cut, in which order, or what ran before."""

import logging
import shutil
from pathlib import Path

import pytest
import tiny

from aiq import storage
from aiq.plans.run import Run
from aiq.records.space import Space
from aiq.run.upkeep.audit import audit

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

NEW = {"source": "sklearn", "name": "breast_cancer", "limit": 80, "limit_test": 60}  # no more of anything than others
OTHER = {**NEW, "limit": 40}  # fewer samples than others


def suite(*names: str):
    """The tiny suite with its domains in this order; unknown names are new domains."""
    return tiny.tiny(domains={name: tiny.TINY["domains"].get(name, NEW) for name in names})


MIDDLE = {"name": "middle", "layers": 1, "width": 8}
GROWN = {
    "more policies, a new shard": tiny.tiny(pool__size=16),
    "more policies, a fuller shard": tiny.tiny(pool__size=12, jobs__chunks_per_job=3),
    "more repetitions and a new agent": tiny.tiny(
        dissimilarity__repetitions=3,
        agents__repetitions=3,
        agents__networks=[MIDDLE, *tiny.TINY["agents"]["networks"]],
    ),
    "a new domain among the others": suite("digits", "new", "noisy", "wine"),
}
JOBS = ("chunks_per_job", "mixtures_per_job", "alone_per_job", "agents_per_job")
CUT = {
    "small jobs": tiny.tiny(jobs=dict.fromkeys(JOBS, 1)),
    "large jobs, another order of domains and agents": {
        **suite("wine", "noisy", "digits"),
        "agents": {**tiny.TINY["agents"], "networks": tiny.TINY["agents"]["networks"][::-1]},
        "jobs": dict.fromkeys(JOBS, 9),
    },
}
SUM_OF_NEW = {
    "more policies, a new shard": 3 * 2,
    "more policies, a fuller shard": 3,
    "more repetitions and a new agent": 6 + 3 * 2 + 3 * (3 * 3 - 2 * 2),
    "a new domain among the others": 2 + 4 * 2 + 2 * 2 + 2 * 2,
}


def wanted(folder: Path, run: Run) -> list[str]:
    """What the rules would make: shards that are missing, and the interface if it is that of another suite."""
    with tiny.inside(folder):
        found = audit(run, deep=False).shards
    return [path for path in run.plan.shards() if found[path] != "complete"]


@pytest.mark.parametrize("what", GROWN)
def test_growth_trains_only_what_is_new(alone: Path, tmp_path: Path, caplog, what: str):
    folder = shutil.copytree(alone, tmp_path / "grown")
    raw, before, files = GROWN[what], tiny.units(alone, tiny.TINY), tiny.files(alone)
    run = Run.of(raw)
    missing = wanted(folder, run)
    assert missing
    with caplog.at_level(logging.INFO, logger="aiq"):
        tiny.make(folder, raw, only=missing)
    after = tiny.units(folder, raw)
    for key, unit in before.items():
        assert tiny.same(after[key], unit)  # with the seconds of their first training: they were not trained again
    assert len(after) - len(before) == SUM_OF_NEW[what]
    taken = sum("taken over" in record.message for record in caplog.records)
    assert (taken > 0) == (what != "more policies, a new shard")
    kept = tiny.files(folder)
    assert all(kept[name] == data for name, data in files.items() if name not in missing)
    assert {name for name in missing if name in files} <= {run.layout.interface}
    fresh = tiny.make(tmp_path / "fresh", raw, only=run.plan.shards())
    assert tiny.differing(after, tiny.units(tmp_path / "fresh", raw)) == []
    assert fresh.configuration == run.configuration


@pytest.mark.parametrize("what", [*GROWN][1:])
def test_snakemake_plans_for_growth_what_is_new_and_nothing_else(copied: Path, what: str):
    raw = GROWN[what]
    run = Run.of(raw)
    jobs = tiny.planned(copied, raw)
    rules = ("prepare_domain", "measure_interface", "train_trials", "train_mixtures", "train_alone", "train_agents")
    assert set().union(*(jobs.get(rule, set()) for rule in rules)) == set(wanted(copied, run))
    reduced = {Path(path).stem for path in jobs.get("reduce_complexity", ())}
    assert reduced == {Path(path).parent.name for path in jobs.get("train_trials", ())}  # old complexities stand


def test_a_domain_of_fewer_samples_changes_the_interface_and_redoes_mixtures_and_domains_alone(
    alone: Path, tmp_path: Path
):
    folder = shutil.copytree(alone, tmp_path / "grown")
    raw = suite("digits", "noisy", "wine", "zzz")
    raw["domains"]["zzz"] = OTHER
    run, before = Run.of(raw), tiny.units(alone, tiny.TINY)
    tiny.make(folder, raw, only=wanted(folder, run))
    after = tiny.units(folder, raw)
    redone = {key[0] for key, unit in before.items() if not tiny.same(after[key], unit)}
    assert redone == {"mixtures", "alone"}
    assert not any(tiny.same(after[key], unit) for key, unit in before.items() if key[0] in redone)


@pytest.mark.parametrize("what", CUT)
def test_numbers_do_not_depend_on_the_cut_or_the_order(alone: Path, tmp_path: Path, what: str):
    tiny.make(tmp_path, CUT[what])
    assert tiny.differing(tiny.units(alone, tiny.TINY), tiny.units(tmp_path, CUT[what])) == []
    for domain in tiny.TINY["domains"]:
        path = f"results/tiny/complexity/{domain}.h5"
        assert tiny.same(tiny.result(alone, path, "complexity"), tiny.result(tmp_path, path, "complexity"))
    one, other = (tiny.result(f, "results/tiny/scores.h5", "scores")["scores"] for f in (alone, tmp_path))
    relative = [{a["agent"]: a["relative"]["value"] for a in scores["agents"].values()} for scores in (one, other)]
    assert relative[0] == pytest.approx(relative[1], rel=1e-6)


def test_a_recut_run_takes_over_all_units_and_trains_none(alone: Path, tmp_path: Path):
    folder = shutil.copytree(alone, tmp_path / "recut")
    raw, before = CUT["small jobs"], tiny.units(alone, tiny.TINY)
    run = Run.of(raw)
    missing = [path for path in run.plan.shards() if not (folder / path).exists()]
    assert len(missing) > 10
    tiny.make(folder, raw, only=missing)
    after = tiny.units(folder, raw)
    assert before.keys() == after.keys()
    assert all(tiny.same(after[key], before[key]) for key in before)  # seconds included


def test_the_seed_has_an_effect_everywhere(alone: Path, tmp_path: Path):
    raw = tiny.tiny(seed=8)
    tiny.make(tmp_path, raw, only=Run.of(raw).plan.shards())
    a, b = tiny.units(alone, tiny.TINY), tiny.units(tmp_path, raw)
    assert a.keys() == b.keys()
    for key in a:
        one, other = a[key], b[key]
        columns = {
            "trials": ["losses"],
            "agents": ["losses"],
            "mixtures": ["first"],
            "alone": ["samples", "performance"],
        }
        assert not all(tiny.same(one[column], other[column]) for column in columns[key[0]]), key


def test_a_corrupt_neighbour_is_told_and_its_units_are_trained_again(alone: Path, tmp_path: Path, caplog):
    folder = shutil.copytree(alone, tmp_path / "grown")
    raw = GROWN["more policies, a fuller shard"]
    old = folder / "results/tiny/trials/wine/chunks-0000-0001.h5"
    old.write_bytes(old.read_bytes()[:-100])
    with caplog.at_level(logging.INFO, logger="aiq"):
        tiny.make(folder, raw, only=["results/tiny/trials/wine/chunks-0000-0002.h5"])
    (warning,) = (record.message for record in caplog.records if record.levelname == "WARNING")
    assert warning.startswith("results/tiny/trials/wine/chunks-0000-0001.h5 is incomplete")
    made = tiny.numbers(tiny.hdf5.read(folder / "results/tiny/trials/wine/chunks-0000-0002.h5", "trials")[1])
    shard = "results/tiny/trials/wine/chunks-0000-0002.h5"
    tiny.make(tmp_path / "fresh", raw, only=["results/tiny/domains/wine.h5", shard])
    fresh = tiny.hdf5.read(tmp_path / "fresh" / shard, "trials")[1]
    assert tiny.same(made, tiny.numbers(fresh))


def test_the_paper_keeps_every_dimension_and_takes_turns_in_one_folder(alone: Path, tmp_path: Path):
    """The pool and the agents are not trained again."""
    usual = tiny.tiny()
    shutil.copytree(alone, tmp_path, dirs_exist_ok=True)
    before = tiny.units(tmp_path, usual, ("trials", "agents"))
    run = Run.of({**usual, "preset": "paper"})
    kept = {path for path, (kind, _) in run.plan.shards().items() if kind in ("domain", "trials", "agents")}
    with tiny.inside(tmp_path):
        for path, work in tiny.jobs(run).items():
            if path not in kept:
                work()
        built = storage.read_result(run.layout.space, "space", Space, run.plan.space())
    assert built.dimensionality.rule == "all"
    assert built.dimensions == (built.spectrum > 0).sum()
    assert built.merged == ()
    assert tiny.differing(before, tiny.units(tmp_path, {**usual, "preset": "paper"}, ("trials", "agents"))) == []
