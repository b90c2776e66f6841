"""Tasks on files made by hand, without any training: taking over, reducing, auditing, scoring from tables."""

import logging
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from aiq import storage
from aiq.errors import InputError, StorageError
from aiq.measures import complexity
from aiq.plans.run import Run
from aiq.records.trial import Architecture, Policy, Trial
from aiq.run.reducing.complexity import DomainComplexity, chance, read_trials, reduce_complexity
from aiq.run.reducing.space import read_agents
from aiq.run.training.domains import prepare_domain
from aiq.run.training.trials import take_over
from aiq.storage import shards
from aiq.storage.shards import pack_trials
from aiq.tables.measured import dissimilarity_from_table, trials_from_table
from aiq.tables.scores import performances_from_table

QUICKSTART = yaml.safe_load((Path(__file__).parents[2] / "config" / "quickstart.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch) -> Run:
    """Two domains, four chunks of eight policies, two agents; nothing made yet."""
    monkeypatch.chdir(tmp_path)
    digits = {"source": "sklearn", "name": "digits"}
    agents = {"repetitions": 2, "networks": [{"name": n, "layers": 1, "width": w} for n, w in (("a", 2), ("b", 9))]}
    return Run.of(
        {
            **QUICKSTART,
            "results": "r",
            "domains": {"one": digits, "two": {**digits, "noise": 0.5}},
            "pool": {"size": 32, "policies_per_chunk": 8},
            "complexity": {"resamples": 20},
            "agents": agents,
            "jobs": {"chunks_per_job": 2, "mixtures_per_job": 2, "agents_per_job": 1},
        }
    )


def trial(width: int, performance: float, seed: int = 0) -> Trial:
    return Trial(
        policy=Policy(Architecture("dense", (width,)), seed), performance=performance, parameters=10 * width,
        compressed=30 * width, epochs=2, seconds=0.5, status="diverged" if math.isnan(performance) else "finished",
        losses=(1.0, 0.5), validation=(),
    )  # fmt: skip


def chunk(k: int, lost: bool = False) -> list[Trial]:
    return [trial(1 + i + k, math.nan if lost else 0.2 + 0.02 * (8 * k + i), seed=100 * k + i) for i in range(8)]


def write_pool(run: Run, domain: str, fingerprint: str | None = None, lost: bool = False) -> list[str]:
    """Write all shards of the pool on a domain."""
    paths = []
    made = fingerprint or run.plan.trials(domain)
    for job in run.plan.trial_jobs(domain):
        paths.append(run.layout.trial_job(job))
        units = {f"chunk-{k:06d}": shards.Unit(made, pack_trials(chunk(k, lost))) for k in job.chunks}
        shards.write(paths[-1], "trials", made, 1, units)
    return paths


# ---- taking over ---------------------------------------------------------------------------------


def unit(value: float, fingerprint: str = "now") -> shards.Unit:
    return shards.Unit(fingerprint, {"x": np.array([value])})


def test_units_of_neighbours_are_taken_over_and_the_rest_is_trained(tmp_path: Path, caplog):
    shards.write(tmp_path / "a.h5", "trials", "a", 1, {"u1": unit(1.0), "u2": unit(2.0, "before")})
    shards.write(tmp_path / "b.h5", "trials", "b", 1, {"u1": unit(7.0), "u3": unit(3.0)})
    shards.write(tmp_path / "other.h5", "agents", "c", 1, {"u4": unit(4.0)})
    (tmp_path / "broken.h5").write_bytes(b"x")
    trained: list[str] = []

    def train(name: str) -> shards.Unit:
        trained.append(name)
        return unit(-1.0)

    with caplog.at_level(logging.INFO, logger="aiq"):
        found = take_over(tmp_path / "t.h5", "trials", dict.fromkeys(("u1", "u2", "u3", "u4"), "now"), train)
    assert list(found) == ["u1", "u2", "u3", "u4"]  # in the order of the job
    assert [float(u.tree["x"][0]) for u in found.values()] == [1.0, -1.0, 3.0, -1.0]
    assert trained == ["u2", "u4"]  # u2 is of another configuration, u4 of another kind
    assert "2 of 4 units taken over" in caplog.text
    assert {r.levelname for r in caplog.records if "broken.h5" in r.message} == {"WARNING"}


# ---- complexity ----------------------------------------------------------------------------------


def test_trials_are_read_with_their_chunks_whatever_the_order_of_shards(run: Run):
    paths = write_pool(run, "one")
    trials, chunks = read_trials(paths, run.plan.trials("one"))
    assert len(trials) == 32
    assert chunks == sorted(chunks)
    assert trials[8:16] == chunk(1)


def test_complexity_of_a_domain_is_the_measure_of_its_trials(run: Run):
    paths = write_pool(run, "one")
    reduce_complexity(run, "one", paths, "c.h5")
    found = storage.read_result("c.h5", "complexity", DomainComplexity, run.plan.complexity("one"))
    performance = np.array([t.performance for k in range(4) for t in chunk(k)])
    size = np.log2([t.parameters for k in range(4) for t in chunk(k)])
    expected = complexity.measure(performance, size, chunk=np.repeat(range(4), 8), resamples=20, seed=2025)
    assert found.complexity.value == expected.value
    assert found.complexity.estimate.interval == expected.estimate.interval
    assert found.core_seconds == 16.0


def test_relative_excess_from_the_best_constant_answer(run: Run):
    settings = run.configuration.model_dump(mode="json")
    late = Run.of({**settings, "complexity": {**settings["complexity"], "start": "chance"}})
    paths = write_pool(late, "one")
    with pytest.raises(StorageError, match=r"one\.h5"):
        reduce_complexity(late, "one", paths, "c.h5")
    prepare_domain(late, "one", late.layout.domain("one"))
    reduce_complexity(late, "one", paths, "c.h5")
    found = storage.read_result("c.h5", "complexity", DomainComplexity, late.plan.complexity("one")).complexity
    assert found.best_of_k.start == pytest.approx(chance(late, "one"))
    assert 0.05 < chance(late, "one") < 0.15  # ten digits
    assert found.best_of_k.k == 16


def test_a_small_pool_takes_the_k_that_it_affords(run: Run):
    settings = run.configuration.model_dump(mode="json")
    small = Run.of({**settings, "pool": {**settings["pool"], "size": 16}})
    paths = write_pool(small, "one")
    reduce_complexity(small, "one", paths, "c.h5")
    found = storage.read_result("c.h5", "complexity", DomainComplexity, small.plan.complexity("one"))
    assert found.complexity.best_of_k.k == found.by_k.chosen == 8
    assert found.complexity.estimate.interval is not None


def test_a_pool_that_is_not_whole_is_refused(run: Run):
    paths = write_pool(run, "one")
    with pytest.raises(StorageError, match="domain one has 16 trials where the pool has 32"):
        reduce_complexity(run, "one", paths[:1], "c.h5")
    assert not Path("c.h5").exists()


def test_a_pool_of_which_every_trial_failed_names_the_logs_that_say_why(run: Run):
    paths = write_pool(run, "one", lost=True)
    with pytest.raises(InputError, match=r"all 32 trials on one diverged or failed; the logs in .*logs/trials say why"):
        reduce_complexity(run, "one", paths, "c.h5")
    log = Path(run.layout.log("trials", "one", "chunks-0000-0001"))
    log.parent.mkdir(parents=True)
    log.write_text(
        "2026 WARNING domain one: the environment of lane 0 raised ValueError (my env) at action 1\n", "utf-8"
    )
    with pytest.raises(InputError, match=r"diverged or failed; domain one: the environment .* raised ValueError"):
        reduce_complexity(run, "one", paths, "c.h5")


def test_trials_of_another_configuration_are_refused(run: Run):
    paths = write_pool(run, "one", fingerprint="f" * 16)
    said = r"chunks-0000-0001.h5 was made by another configuration.*; redo it: aiq run CONFIG --resume"
    with pytest.raises(StorageError, match=said):
        reduce_complexity(run, "one", paths, "c.h5")


# ---- agents --------------------------------------------------------------------------------------


def write_agents(run: Run, values: dict[tuple[str, str], list[float]]) -> list[str]:
    paths = []
    for job in run.plan.agent_jobs:
        units = {
            f"{name}+{r:06d}": shards.Unit(run.plan.agent(job.domain, name), pack_trials([trial(3, value)]))
            for name in job.agents
            for r, value in enumerate(values[name, job.domain])
        }
        paths.append(run.layout.agent_job(job))
        shards.write(paths[-1], "agents", run.plan.of_agent_job(job), 1, units)
    return paths


def test_failed_trainings_of_agents_are_counted_and_left_out(run: Run):
    paths = write_agents(
        run, {("a", "one"): [0.5, math.nan], ("a", "two"): [0.1, 0.3], ("b", "one"): [1, 1], ("b", "two"): [0, 1]}
    )
    found, unscored, failed, seconds = read_agents(run, paths)
    assert {agent: [v.tolist() for v in values] for agent, values in found.items()} == {
        "a": [[0.5], [0.1, 0.3]],
        "b": [[1.0, 1.0], [0.0, 1.0]],
    }
    assert (unscored, failed, seconds) == ({}, 1, 4.0)


def test_an_agent_whose_trainings_all_failed_is_left_out_with_the_reason(run: Run):
    paths = write_agents(
        run, {("a", "one"): [math.nan] * 2, ("a", "two"): [1, 1], ("b", "one"): [1, 1], ("b", "two"): [0, 1]}
    )
    found, unscored, failed, _ = read_agents(run, paths)
    assert list(found) == ["b"]
    assert unscored == {"a": "every training on one diverged or failed; its logs say why"}
    assert failed == 2


# ---- tables --------------------------------------------------------------------------------------


def test_tables_of_complexity_agree_with_the_measure(tmp_path: Path):
    rng = np.random.default_rng(0)
    size, performance = rng.integers(2, 5000, 40), rng.uniform(0.1, 0.9, 40)
    rows = "".join(f"{s},{p!r},{i % 5}\n" for i, (s, p) in enumerate(zip(size, performance.tolist(), strict=True)))
    (tmp_path / "t.csv").write_text("size,performance,chunk\n" + rows, encoding="utf-8")
    found = trials_from_table(tmp_path / "t.csv", size="log2", resamples=30, seed=4)[""].complexity
    expected = complexity.measure(performance, np.log2(size), chunk=np.arange(40) % 5, resamples=30, seed=4)
    assert found.value == expected.value
    assert found.estimate.interval == expected.estimate.interval


def test_the_order_of_rows_does_not_matter_for_a_dissimilarity(tmp_path: Path):
    rows = [f"{p},{r},{0.9 - 0.1 * p * (1 - p) + 0.01 * r}\n" for p in (0, 0.25, 0.5, 1) for r in range(3)]
    values = []
    for order in (rows, rows[::-1], rows[5:] + rows[:5]):
        (tmp_path / "c.csv").write_text("p,repetition,performance\n" + "".join(order), encoding="utf-8")
        values.append(dissimilarity_from_table(tmp_path / "c.csv", resamples=2)[()].value)
    assert values == pytest.approx([values[0]] * 3, rel=1e-12)


def test_performances_come_in_the_order_of_the_domains(tmp_path: Path):
    text = "agent,domain,performance,repetition\nx,B,0.2,1\nx,A,0.1,1\nx,A,0.3,2\nx,B,0.4,2\ny,A,1,1\ny,B,0,1\n"
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    found = performances_from_table(tmp_path / "p.csv", ["A", "B"])
    assert [one.tolist() for one in found.samples["x"]] == [[0.1, 0.3], [0.2, 0.4]]
    assert [one.tolist() for one in found.samples["y"]] == [[1.0], [0.0]]
    assert found.notes == ()


def test_percentages_are_divided_by_100_and_a_note_says_so(tmp_path: Path):
    shares, per_cent = tmp_path / "shares.csv", tmp_path / "per-cent.csv"
    shares.write_text("agent,A,B\nx,0.81,0.6\ny,0.71,0.005\n", encoding="utf-8")
    per_cent.write_text("agent,A,B\nx,81,60\ny,71,0.5\n", encoding="utf-8")
    one, other = (performances_from_table(path, ["A", "B"]) for path in (shares, per_cent))
    for agent in ("x", "y"):
        np.testing.assert_allclose(np.concatenate(one.samples[agent]), np.concatenate(other.samples[agent]), atol=1e-12)
    assert any("A, B divided by 100" in note for note in other.notes)
    assert not any("divided" in note for note in one.notes)


def test_repetitions_that_failed_may_be_missing_but_no_test(tmp_path: Path):
    text = "agent,domain,performance,repetition\nx,B,0.2,1\nx,A,0.1,1\nx,B,0.4,2\n"
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    found = performances_from_table(tmp_path / "p.csv", ["A", "B"])
    assert [one.tolist() for one in found.samples["x"]] == [[0.1], [0.2, 0.4]]
    (tmp_path / "p.csv").write_text(text + "y,A,0.5,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="agent y has no performance on B"):
        performances_from_table(tmp_path / "p.csv", ["A", "B"])
