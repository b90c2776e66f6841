"""Facts on public leaderboards that were computed with pandas and scipy alone."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from aiq.readers import read
from aiq.suites import relations, suite
from aiq.suites.scores import scores

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def boards(data_root: Path) -> Path:
    place = data_root / "leaderboards"
    if not place.is_dir():
        pytest.skip("needs the public leaderboards in AIQ_DATA_ROOT/leaderboards")
    return place


def test_terminal_bench(boards):
    results = read(boards / "terminalbench_wide.csv.gz")
    found, table = suite(results, halves=4), scores(results)
    assert (found.by, found.n, len(found.tests)) == ("items", 112, 89)
    assert len(found.neighbours) == 111
    assert all(one.p > 0.05 and not one.separable for one in found.neighbours)
    solved = Counter(round(agent.value.value * 89) for agent in found.agents)
    assert (max(solved.values()), solved[33]) == (6, 6)
    assert max(Counter(agent.rank for agent in found.agents).values()) == 6
    assert found.missing.cells == 0
    rows = dict(zip(table.agents, table.values, strict=True))
    for one in found.neighbours:  # McNemar's p
        wins, losses = int((rows[one.a] > rows[one.b]).sum()), int((rows[one.a] < rows[one.b]).sum())
        wanted = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        assert one.p == pytest.approx(wanted)
    p, n = table.values.mean(axis=0), table.values.shape[1]
    reliability = n / (n - 1) * (1 - (p * (1 - p)).sum() / table.values.sum(axis=1).var())
    assert reliability == pytest.approx(0.966721, abs=1e-6)


def test_trials_of_terminal_bench_are_epochs(boards):
    found = scores(read(boards / "terminalbench_trials_long.csv.gz"))
    assert found.values.shape == (83, 88)
    assert int(((found.values > 0) & (found.values < 1)).sum()) == 2459
    assert float(found.values.mean()) == pytest.approx(0.360999, abs=1e-6)
    assert np.isfinite(found.noise).mean() > 0.9


def test_mteb_with_revisions_merged(boards):
    ranges = {"*": (-1.0, 1.0), "CPUSpeedTask": (0.0, 1e5), "GPUSpeedTask": (0.0, 1e5)}
    found = scores(read(boards / "mteb_model_task.csv.gz", ranges=ranges, keep="all"))
    assert found.values.shape == (662, 1555)
    assert float(np.isnan(found.values).mean()) == pytest.approx(0.901945, abs=1e-6)
    first, second = (found.values[:, found.tests.index(name)] for name in ("STSBenchmark", "STS12"))
    both = ~np.isnan(first) & ~np.isnan(second)
    assert int(both.sum()) == 259
    for measure, wanted in ((stats.pearsonr, 0.765313), (stats.spearmanr, 0.848166), (stats.kendalltau, 0.683160)):
        assert measure(first[both], second[both]).statistic == pytest.approx(wanted, abs=1e-6)
    pair = [found.tests.index(name) for name in ("STSBenchmark", "STS12")]
    assert 1 - relations.distances(found.values[:, pair])[0, 1] == pytest.approx(0.765313, abs=1e-6)


def test_the_block_of_mteb(boards):
    results = read(boards / "mteb_block_198x15_wide.csv.gz", ranges={"*": (-1.0, 1.0)})
    notes, table = suite(results, halves=4).notes, scores(results)
    assert any("equal in every score" in one and "jina-embeddings-v5-omni-small" in one for one in notes)
    r = 1 - relations.distances(table.values)
    i, j = np.triu_indices(15, 1)
    pairs = {frozenset((table.tests[a], table.tests[b])): float(r[a, b]) for a, b in zip(i, j, strict=True)}
    assert float(np.median(list(pairs.values()))) == pytest.approx(0.775668, abs=1e-5)
    assert pairs[frozenset(("STS22.v2", "SCIDOCS"))] == min(pairs.values()) == pytest.approx(0.538551, abs=1e-5)
    assert pairs[frozenset(("STS13", "STS14"))] == max(pairs.values()) == pytest.approx(0.975322, abs=1e-5)
    values = table.values
    alpha = 15 / 14 * (1 - values.var(axis=0, ddof=1).sum() / values.sum(axis=1).var(ddof=1))
    assert alpha == pytest.approx(0.972810, abs=1e-5)


@pytest.mark.parametrize("source", ["timm_top1_wide.csv.gz", "timm_raw"])
def test_timm(boards, source):
    wide = read(boards / source).wide()
    if source == "timm_raw":
        names = ["imagenet", "imagenet-real", "imagenetv2-matched-frequency", "imagenet-a", "imagenet-r"]
        wide = wide[[*names, "sketch"]]
    assert wide.shape == (1557, 6)
    assert int(wide.isna().to_numpy().sum()) == 6
    rho = [stats.spearmanr(*wide.iloc[:, [0, k]].dropna().to_numpy().T).statistic for k in range(1, 6)]
    assert rho == pytest.approx([0.992426, 0.994992, 0.981474, 0.943288, 0.945688], abs=5e-7)
    assert len(wide.iloc[:, [0, 3]].dropna()) == 1555


def test_mteb_folders_of_both_formats(boards):
    found = read(boards / "mteb_raw", clip=True)
    assert found.n == 121
    assert found.format == "mteb"
    assert any("15 of 121 files are of the format before 2024" in said for said in found.decisions)
    assert not any("model_meta" in one.name for one in found.skipped)
    long = read(boards / "mteb_model_task.csv.gz", clip=True, drop=["CPUSpeedTask", "GPUSpeedTask"])
    assert found.wide().loc["axiotic__ogma-micro", "PAWSX"] == pytest.approx(
        long.wide().loc["axiotic__ogma-micro", "PAWSX"], abs=1e-6
    )


def test_inspect_logs_of_all_versions(boards):
    found = read(boards / "inspect_logs", items=True)
    values = {(row.agent, row.domain): row.performance for row in found.frame.itertuples()}
    assert values == {
        ("openai/gpt-4o-mini", "input_task"): 1.0,
        ("ollama/llama3.1", "popularity"): 0.0,
        ("openai/gpt-4o", "inspect_evals/mmlu_0_shot"): 0.0,
    }
    reasons = " ".join(one.reason for one in found.skipped)
    assert "10 samples have no score" in reasons
    assert reasons.count("status 'cancelled'") == 2
