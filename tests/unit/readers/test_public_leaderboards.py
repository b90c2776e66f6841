"""Public leaderboards as they are: facts that pandas and scipy alone give are those of what is read."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from aiq.readers import read

BOARDS = Path(os.environ.get("AIQ_DATA_ROOT", "data")) / "leaderboards"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not BOARDS.is_dir(), reason="needs the leaderboards under AIQ_DATA_ROOT"),
]


def test_mteb_results_as_a_long_table():
    speeds = {"CPUSpeedTask": (0, 1e5), "GPUSpeedTask": (0, 1e5)}
    found = read(BOARDS / "mteb_model_task.csv.gz", keep="all", ranges=speeds)
    assert (len(found.agents), len(found.domains)) == (662, 1555)
    assert (found.counts() == 0).mean() == pytest.approx(0.901945, abs=5e-7)
    wide = found.wide()[["STSBenchmark", "STS12"]].dropna()
    assert len(wide) == 259
    a, b = wide.to_numpy().T
    assert stats.pearsonr(a, b).statistic == pytest.approx(0.765313, abs=5e-7)
    assert stats.spearmanr(a, b).statistic == pytest.approx(0.848166, abs=5e-7)
    assert stats.kendalltau(a, b).statistic == pytest.approx(0.683160, abs=5e-7)


def test_mteb_block():
    wide = read(BOARDS / "mteb_block_198x15_wide.csv.gz").wide()
    r = wide.corr().to_numpy()[np.triu_indices(15, 1)]
    assert (np.median(r), r.min(), r.max()) == pytest.approx((0.775668, 0.538551, 0.975322), abs=5e-7)
    alpha = 15 / 14 * (1 - wide.var().sum() / wide.sum(axis=1).var())
    assert alpha == pytest.approx(0.972810, abs=5e-7)


def test_mteb_folders_of_both_formats():
    found = read(BOARDS / "mteb_raw", clip=True)
    assert found.n == 121
    assert found.format == "mteb"
    assert any("15 of 121 files are of the format before 2024" in said for said in found.decisions)
    assert not any("model_meta" in one.name for one in found.skipped)
    long = read(BOARDS / "mteb_model_task.csv.gz", clip=True, drop=["CPUSpeedTask", "GPUSpeedTask"])
    assert found.wide().loc["axiotic__ogma-micro", "PAWSX"] == pytest.approx(
        long.wide().loc["axiotic__ogma-micro", "PAWSX"], abs=1e-6
    )


@pytest.mark.parametrize("source", ["timm_top1_wide.csv.gz", "timm_raw"])
def test_timm(source):
    wide = read(BOARDS / source).wide()
    if source == "timm_raw":
        names = ["imagenet", "imagenet-real", "imagenetv2-matched-frequency", "imagenet-a", "imagenet-r"]
        wide = wide[[*names, "sketch"]]
    assert wide.shape == (1557, 6)
    assert int(wide.isna().to_numpy().sum()) == 6
    rho = [stats.spearmanr(*wide.iloc[:, [0, k]].dropna().to_numpy().T).statistic for k in range(1, 6)]
    assert rho == pytest.approx([0.992426, 0.994992, 0.981474, 0.943288, 0.945688], abs=5e-7)
    assert len(wide.iloc[:, [0, 3]].dropna()) == 1555


def test_terminal_bench():
    wide = read(BOARDS / "terminalbench_wide.csv.gz").wide("item").to_numpy()
    assert wide.shape == (112, 89)
    solved = np.sort(wide.sum(axis=1))
    totals, counts = np.unique(solved, return_counts=True)
    assert (counts.max(), totals[counts.argmax()]) == (6, 33)
    p = wide.mean(axis=0)
    assert 89 / 88 * (1 - (p * (1 - p)).sum() / solved.var()) == pytest.approx(0.966721, abs=5e-7)
    trials = read(BOARDS / "terminalbench_trials_long.csv.gz")
    share = trials.frame["performance"]
    assert (trials.n, int(((share > 0) & (share < 1)).sum())) == (7304, 2459)
    assert share.mean() == pytest.approx(0.360999, abs=5e-7)


def test_inspect_logs_of_all_versions():
    found = read(BOARDS / "inspect_logs", items=True)
    values = {(row.agent, row.domain): row.performance for row in found.frame.itertuples()}
    assert values == {
        ("openai/gpt-4o-mini", "input_task"): 1.0,
        ("ollama/llama3.1", "popularity"): 0.0,
        ("openai/gpt-4o", "inspect_evals/mmlu_0_shot"): 0.0,
    }
    reasons = " ".join(one.reason for one in found.skipped)
    assert "10 samples have no score" in reasons
    assert reasons.count("status 'cancelled'") == 2
