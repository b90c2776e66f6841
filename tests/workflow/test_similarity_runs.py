"""Similarity of 2020 as a pipeline: tests alone and merged both ways, both recipes, growing, what is refused."""

from __future__ import annotations

import csv
import functools
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import yaml
from tiny_similarity import CHAIN, DIGITS, LAKE, PLAYED, POOL, RANDOM, TINY, make

import changes
from aiq.config.load import parse, read
from aiq.errors import ConfigurationError, DomainError
from aiq.measures import similarity
from aiq.plans.run import Run
from aiq.run.costing import estimate
from aiq.run.products import makers
from aiq.run.upkeep.sharing import add_run, clear
from aiq.storage.shards import Store
from aiq.wings.similarity2020 import gym_suite, reduction
from aiq.wings.similarity2020 import shown as products
from studies import gym_noise, similarity_claims

changed = functools.partial(changes.changed, TINY)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run, reduction.SimilarityResult]:
    folder = tmp_path_factory.mktemp("similarity")
    return folder, *make(folder, TINY)


def test_similarities_are_those_of_the_performances(made):
    _, _, found = made
    mean = {(p.kind, p.a, p.b, p.at, p.halvings): p.performance.value for p in found.performances}
    for pair in found.pairs:
        easy, hard = (mean["alone", name, name, 1.0, pair.halvings] for name in ("easy", "hard"))
        merged = mean[pair.merge, "easy", "hard", 0.5, pair.halvings]
        if pair.similarity.value is not None:
            assert pair.similarity.value == pytest.approx(float(similarity.normalised(easy, hard, merged)))
        assert pair.similarity.v_ab.value == pytest.approx(merged)
        assert len(pair.single) == 2


def test_every_figure_and_table_of_the_plan_is_made(made):
    folder, run, _ = made
    with tiny.inside(folder):
        for job in run.plan.products():
            found = makers(run, job)
            drawn = {name: found.figures[name]() for name in job.figure_names(run.plan)}
            tables = {name: found.tables[name]() for name in job.table_names(run.plan)}
            assert all(table.rows for table in (*(d.table for d in drawn.values()), *tables.values()))
            if "similarity-sampled" in drawn:
                assert "below the diagonal the published S." in drawn["similarity-sampled"].caption
                assert "the probability that the agent is sufficient" in drawn["similarity-stitched"].caption
    names = {"similarity-sampled", "similarity-stitched", "halvings-easy+hard"}  # two shares: no figure of them
    assert set(run.plan.products()[0].figure_names(run.plan)) == names


def test_its_units_go_into_a_store(made, tmp_path: Path):
    folder, run, _ = made
    count = len(list(run.plan.shared_units()))
    with tiny.inside(folder):
        assert add_run(run, Store(tmp_path)) == (count, 0)
        assert add_run(run, Store(tmp_path)) == (0, count)
        assert clear(Store(tmp_path), [run], days=0).named == count


def test_published_numbers_stand_beside_ours(made):
    _, run, found = made
    table = products.published_table(run, found)
    assert table.column("quantity") == ["V alone", "S"]  # V_AB is implied only where both V are in print
    alone = next(p.performance for p in found.performances if (p.kind, p.a, p.halvings) == ("alone", "easy", 0))
    assert table.rows[0][2:6] == (0.9, alone.value, *alone.interval)
    assert table.rows[0][6] == (alone.interval[0] <= 0.9 <= alone.interval[1])
    both = changed(published__performance={"easy": 0.9, "hard": 0.5})
    implied = products.published_table(Run.of(both), found)
    assert implied.column("quantity") == ["V alone", "V alone", "S", "V_AB implied by S"]
    assert implied.rows[3][2] == pytest.approx((0.9 + 0.5 - 0.1 * 0.4) / 2)


def test_claims_of_a_finished_run_are_judged(made, tmp_path: Path):
    folder, *_ = made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(TINY), encoding="utf-8")
    told = ["--folder", str(tmp_path), "--output", str(tmp_path / "claims")]
    assert similarity_claims.main([str(tmp_path / "tiny.yaml"), *told]) == 0
    with (tmp_path / "claims" / "similarity_claims.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert rows["2020-Figure2-sampled-halved0"]["verdict"] in ("reproduced", "not reproduced", "undecided")
    assert rows["2020-Table2-MNIST+CIFAR100"]["verdict"] == "not run here"
    again = tiny.planned(tmp_path, changed(absolute=True, name="another", jobs=TINY["jobs"]))  # nothing is trained
    assert set(again) == {"draw_similarity", "tabulate_similarity", "write_page"}


# ---- played tests


def test_learned_played_tests_are_on_the_stated_range(tmp_path: Path):
    run, found = make(tmp_path, PLAYED)
    values = {p.label: p.performance.value for p in found.performances}
    table = products.performance_table(run, found)
    raw = dict(zip(table.column("test"), table.column("raw_return"), strict=True))
    assert raw["chain"] == pytest.approx(3677 * values["chain"])
    assert raw["(chain, lake)"] is None


def test_the_best_network_of_a_pool_is_measured(tmp_path: Path):
    run, found = make(tmp_path, POOL)
    with tiny.inside(tmp_path):
        trained = reduction.read_trainings(run)
    for what, runs in trained.items():
        pool = runs.pool
        assert pool.score.shape == (2, 3)
        best = pool.score.argmax(axis=1)
        assert np.array_equal(runs.first, pool.first[[0, 1], best])
        assert np.array_equal(runs.second, pool.second[[0, 1], best])
        assert len(set(pool.parameters.ravel())) > 1  # sizes are random
        assert runs.typical == pytest.approx((what.at * pool.first + (1 - what.at) * pool.second).mean())
    table = products.performance_table(run, found)
    assert all(value is not None for value in table.column("mean_of_pool"))
    more = {**POOL, "repetitions": 4, "jobs": {"repetitions_per_chunk": 2, "units_per_job": 1}}
    for few, many in zip(found.pairs, make(tmp_path / "more", more)[1].pairs, strict=True):
        assert np.allclose(few.single, many.single[:2], equal_nan=True), "whatever is trained beside a repetition"


def test_the_published_recipe_gives_raw_returns_of_a_random_policy(tmp_path: Path):
    raw = {**RANDOM, "repetitions": 400, "jobs": {"repetitions_per_chunk": 400}}
    raw["agent"] = {"kind": "published", "steps": 20_000, "episodes": 2000}
    _, found = make(tmp_path, raw)
    alone = {p.a: p.performance for p in found.performances if p.kind == "alone"}
    exact = gym_noise.expected(gym_suite.transitions(gym_suite.SUITE["NChain"]), gym_suite.weights(2), 1000)
    expected = exact.mean - exact.last + 200  # the last reward is replaced by the total, cut to 200
    chain = alone["chain"]
    error = (chain.interval[1] - chain.interval[0]) / 4 + 10 / np.sqrt(2000)  # of 400 runs, and of the shared episodes
    assert chain.value == pytest.approx(expected, abs=3 * max(error, np.sqrt(exact.variance / 2000)))
    assert 0.0 < alone["lake"].value < 0.06  # .0139 a random episode, and the reward is counted instead, not twice
    sizes = {(p.a, p.b): p.single for p in found.pairs}
    assert set(sizes) == {("chain", "chain"), ("lake", "lake"), ("chain", "lake")}
    simulated = gym_noise.heat_map(400, 9, tests=[gym_suite.SUITE["FrozenLake"], gym_suite.SUITE["NChain"]])
    for pair, names in {("chain", "lake"): ("FrozenLake", "NChain"), ("chain", "chain"): ("NChain", "NChain")}.items():
        spread = np.hypot(sizes[pair].std(), simulated[names].std()) / 20
        assert sizes[pair].mean() == pytest.approx(simulated[names].mean(), abs=4 * spread)
    undefined = next(p.similarity for p in found.pairs if p.a == p.b)
    assert undefined.value is None
    assert "0/0" in undefined.note
    assert products.published_table(Run.of(raw), found).rows == ()


def test_surplus_actions_matter_under_both_words(tmp_path: Path):
    """Roulette's 38 actions in CliffWalking, clamped to one direction or made random, give other totals."""
    wheel = {**CHAIN, "id": "aiq/Roulette-v0", "bounds": [-100, 0]}
    cliff = {**CHAIN, "id": "CliffWalking-v1", "bounds": [-2000, -13], "horizon": 2000}
    ends = []
    for word in ("clamp", "random"):
        domains = {name: {**d, "foreign_actions": word} for name, d in (("wheel", wheel), ("cliff", cliff))}
        _, found = make(tmp_path / word, {**RANDOM, "domains": domains, "repetitions": 60})
        ends.append(next(p.performance.interval for p in found.performances if p.label == "(wheel, cliff)"))
    (low, high), (other_low, other_high) = ends
    assert low > other_high or high < other_low


@pytest.mark.parametrize("raw", [POOL, RANDOM], ids=["pool", "random"])
def test_an_estimate_is_made_without_writing(raw, tmp_path: Path):
    with tiny.inside(tmp_path):
        found = estimate(raw, lambda word: None)
        assert not list(tmp_path.iterdir())
    assert found.trials == sum(len(job.parts) for job in Run.of(raw).plan.jobs)
    assert found.core_hours > 0


# ---- shipped configurations and refusals


def shipped(name: str) -> dict[str, Any]:
    return read(Path(__file__).resolve().parents[2] / "config" / f"{name}.yaml")


def test_one_configuration_differs_in_surplus_actions_alone():
    whole, part = shipped("similarity-gym"), shipped("similarity-gym-random")
    assert part["agent"] == whole["agent"]
    assert part["seed"] == whole["seed"]
    assert {name: {**d, "foreign_actions": "clamp"} for name, d in part["domains"].items()} == {
        name: whole["domains"][name] for name in part["domains"]
    }


def test_the_shipped_tables_are_those_of_the_paper():
    whole, part = (shipped(f"similarity-{name}")["published"] for name in ("paper", "images"))
    assert whole["performance"] == {**part["performance"], "CIFAR100": 0.4892}
    assert list(whole["similarity"].values()) == [0.216, 0.290, 0.171, 0.557, 0.221, 0.651, 0.083, 0.080, 0.079, 0.652]
    assert part["performance"] == {"MNIST": 0.9932, "FMNIST": 0.9251, "CIFAR10": 0.8099, "CP": 0.10}
    assert part["similarity"].items() <= whole["similarity"].items()


PRINTED = (  # the authors' file "nice results.csv", all tests (2019): the upper triangle
    (1, 1, 0.13, 0.03, 0.55, 0.50, 0.82, 0.39, 0.10, 0.20),
    (1, 0.05, 0.02, 0.50, 0.14, 0.58, 0.56, 0.20, 0.21),
    (0.5, 0.10, 0.30, 0.09, 0.30, 0.10, 0.23, 0.03),
    (0.5, 0.40, 0.30, 0.11, 0.19, 0.16, 0.28),
    (1, 0.25, 1, 1, 0.31, 0.27),
    (1, 0.20, 0.37, 0.25, 0.25),
    (1, 1, 0.80, 1),
    (0.5, 0.00, 0.16),
    (0.28, 0.33),
    (0.85,),
)


@pytest.mark.parametrize("name", ["similarity-gym", "similarity-gym-published"])
def test_the_shipped_gym_suite_is_that_of_the_paper(name: str):
    raw = shipped(name)
    settings = parse(raw)
    for key, test in gym_suite.SUITE.items():
        domain = settings.domains[key]
        assert gym_suite.by_settings(key, domain) is test
        assert (domain.bounds, dict(domain.options)) == (test.bounds, dict(test.options))
        assert domain.scale is None  # discrete observations are one-hot
    assert list(settings.domains) == list(gym_suite.SUITE)
    printed = {tuple(pair.split("+")): value for pair, value in raw["published"]["similarity"].items()}
    names = list(gym_suite.SUITE)
    assert printed == {(names[i], names[i + j]): value for i, row in enumerate(PRINTED) for j, value in enumerate(row)}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (changed(domains={"easy": DIGITS}), "a similarity needs at least 2"),
        (changed(domains={"easy": DIGITS, "chain": CHAIN}), "take one kind"),
        (changed(agent=PLAYED["agent"]), "the tests are labelled, but the agent is 'dqn'"),
        ({**PLAYED, "agent": TINY["agent"]}, "the tests are played, but the agent is 'blocks'"),
        (changed(pairs=[["easy", "easy"]]), "pairs must be of two different tests"),
        (changed(pairs=[["easy", "hrad"]]), "did you mean 'hard'"),
        (changed(published={"source": "x", "similarity": {"easy": 0.1}}), "write two tests as first"),
        (changed(played={"cart": {}}), "which is no test of the run"),
        (changed(halvings=[0, 0]), "each named once"),
        (changed(repetitions=3, jobs={"repetitions_per_chunk": 2}), "take a multiple"),
        ({**PLAYED, "merges": ["stitched"]}, "played tests have no pictures"),
        ({**PLAYED, "samples": 9}, "samples are of labelled data"),
        ({**RANDOM, "domains": {"chain": CHAIN, "pole": {"source": "cartpole"}}}, "is no Gymnasium environment"),
        ({**RANDOM, "domains": {"chain": CHAIN, "lake": {**LAKE, "foreign_actions": "modulo"}}}, "has 'clamp'"),
        ({**RANDOM, "proportions": [0.3]}, "leave proportions out"),
    ],
)
def test_what_does_not_fit_is_refused(raw, words: str):
    with pytest.raises(ConfigurationError, match=words):
        parse(raw)


def test_the_published_recipe_knows_the_suite_only(tmp_path: Path):
    lake = {**LAKE, "id": "FrozenLake8x8-v1"}
    with pytest.raises(DomainError, match=r"knows the suite of 2020 only"):
        make(tmp_path, {**RANDOM, "domains": {"chain": CHAIN, "pole": {**lake, "id": "Blackjack-v1", "horizon": 9}}})
    with pytest.raises(DomainError, match=r"the suite of 2020 has aiq/NChain-v0 with 1000"):
        make(tmp_path, {**RANDOM, "domains": {"lake": lake, "chain": {**CHAIN, "horizon": 50}}})
