"""A suite seen through results alone: closed forms, references, known truth, refusals."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from aiq.cli import main
from aiq.errors import InputError
from aiq.measures.quotient import agent_draws
from aiq.readers import read
from aiq.records.results import Result, Results
from aiq.seeding import generator
from aiq.suites import aggregates, differences, redundancy, response, suite, weaker

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "openclip-38.csv"

# points by rliable 1.2.0: mean, median, interquartile mean, optimality gap of 6 runs × 8 tasks
RUNS = np.array(
    [
        [0.267, 0.659, 0.596, 0.434, 0.371, 0.319, 0.189, 0.16],
        [0.341, 0.28, 0.132, 0.428, 0.444, 0.18, 0.626, 0.153],
        [0.337, 0.342, 0.731, 0.703, 0.677, 0.172, 0.456, 0.102],
        [0.407, 0.399, 0.263, 0.211, 0.262, 0.154, 0.612, 0.466],
        [0.39, 0.384, 0.562, 0.494, 0.815, 0.456, 0.673, 0.287],
        [0.686, 0.546, 0.415, 0.329, 0.166, 0.179, 0.226, 0.383],
    ]
)
BY_RLIABLE = {
    "mean": 0.393,
    "median": 0.4340833333333334,
    "interquartile_mean": 0.3730833333333334,
    "optimality_gap": 0.607,
}


def table(values, **rest):
    rows = [
        Result(f"agent {i:02d}", f"test {j}", float(value), **rest)
        for i, row in enumerate(values)
        for j, value in enumerate(row)
    ]
    return Results.of(rows)


def simulated(agents, slopes, hardness, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=(agents, 1))
    latent = np.asarray(slopes) * (ability - np.asarray(hardness)) + rng.normal(0, noise, (agents, len(slopes)))
    return 1 / (1 + np.exp(-latent)), ability[:, 0]


class TestResponse:
    def test_grades_are_quantiles_of_each_test(self):
        column = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]])
        assert response.grades(column, 3).ravel().tolist() == [0, 0, 1, 1, 2, 2]
        assert response.grades(np.full((6, 1), 0.3), 3).ravel().tolist() == [0] * 6
        tied = np.array([[0.0], [0.0], [0.0], [0.0], [0.5], [1.0]])
        assert response.grades(tied, 3).ravel().tolist() == [0, 0, 0, 0, 1, 1]

    def test_difficulty_discrimination_and_ability_are_recovered(self):
        # noise of the tests by size: the noisier a test, the less it discriminates
        rng = np.random.default_rng(3)
        ability = rng.normal(size=(2000, 1))
        noise = np.array([0.5, 1.0, 2.0, 4.0])
        hardness = np.array([-1.0, 0.0, 1.0, 0.5])
        latent = ability - hardness + noise * rng.logistic(0, 0.6, (2000, 4))
        found = response.fit(1 / (1 + np.exp(-latent)))
        assert np.argsort(-found.discrimination).tolist() == [0, 1, 2, 3]
        assert np.argsort(found.difficulty[:3]).tolist() == [0, 1, 2]
        assert stats.spearmanr(found.ability, ability[:, 0]).statistic > 0.85
        assert found.location[1] == pytest.approx(0.0, abs=0.25)  # performance .5 at the test's own hardness

    def test_difficulty_is_that_at_average_ability_also_where_a_mean_is_skewed(self):
        # agents of average ability fail; a few strong ones pass: the mean is above the performance at ability 0
        values, _ = simulated(400, [4, 4, 4, 4], [1.5, 1.5, 1.5, 1.5], noise=0.5)
        found = response.fit(values)
        at_zero = 1 - 1 / (1 + np.exp(4 * 1.5))
        assert abs(found.difficulty[0] - at_zero) < abs(1 - values[:, 0].mean() - at_zero)

    def test_a_constant_test_has_no_discrimination(self):
        values, _ = simulated(40, [1, 1, 1], [0, 0, 0])
        values[:, 1] = 0.4
        found = response.fit(values)
        assert np.isnan(found.discrimination[1])
        assert found.difficulty[1] == pytest.approx(0.6)
        assert np.isfinite(found.discrimination[[0, 2]]).all()

    def test_without_the_library_one_sentence_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "mirt", None)
        with pytest.raises(InputError, match=r"mirt; install it with: pip install 'aiq\[suites\]'"):
            response.fit(simulated(20, [1, 1], [0, 0])[0])


class TestRedundancy:
    def test_equals_the_slow_obvious_reference(self):
        values = np.random.default_rng(2).uniform(size=(9, 4))
        values[:, 3] = values[:, 0] * 0.5 + 0.1 * values[:, 1]
        share, by = redundancy.predicted(values)
        for test in range(4):
            error, base, used = 0.0, 0.0, []
            for left in range(9):
                rest = np.delete(values, left, axis=0)
                fits = {s: np.polyfit(rest[:, s], rest[:, test], 1) for s in range(4) if s != test}
                sums = {s: ((np.polyval(f, rest[:, s]) - rest[:, test]) ** 2).sum() for s, f in fits.items()}
                best = min(sums, key=sums.get)
                used.append(best)
                error += (np.polyval(fits[best], values[left, best]) - values[left, test]) ** 2
                base += (rest[:, test].mean() - values[left, test]) ** 2
            assert share[test] == pytest.approx(1 - error / base)
            assert by[test] == max(set(used), key=used.count)

    def test_a_copy_is_predicted_and_noise_is_not_flattered(self):
        values = np.random.default_rng(0).uniform(size=(25, 20))
        values[:, 1] = 0.2 + 0.6 * values[:, 0]
        share, by = redundancy.predicted(values)
        assert share[:2] == pytest.approx([1, 1])
        assert by[:2].tolist() == [1, 0]
        assert np.mean(share[2:]) < 0.05  # the best of 19 in-sample would claim about a fifth

    def test_a_constant_test_has_none(self):
        values = np.random.default_rng(0).uniform(size=(6, 3))
        values[:, 2] = 0.5
        share, by = redundancy.predicted(values)
        assert np.isnan(share[2])
        assert 2 not in by[:2]

    def test_rank_correlation_is_spearmans(self):
        rng = np.random.default_rng(1)
        a, b = rng.integers(0, 5, (2, 12)).astype(float)
        assert redundancy.rank_correlation(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
        assert np.isnan(redundancy.rank_correlation(np.ones(4), np.arange(4.0)))

    def test_dropping_copies_keeps_the_order(self):
        one = np.random.default_rng(4).uniform(size=(20, 1))
        found = redundancy.reduce(np.tile(one, 5), tuple("abcde"), 10, 0.95, np.random.default_rng(0))
        assert found.correlation.tolist() == pytest.approx([1.0] * 5)
        assert sorted(found.order) == list("abcde")

    def test_a_test_of_its_own_is_kept_to_the_end(self):
        rng = np.random.default_rng(4)
        one, other = rng.uniform(size=(2, 30, 1))
        values = np.hstack([np.tile(one, 4) * 0.1, other])
        assert redundancy.dropped(values)[:4] == [0, 1, 2, 3]


class TestWeaker:
    def test_a_mean_never_moves_and_a_rank_does(self):
        # the two better agents swap in mean rank when the third, between them on the second test, joins
        values = np.array([[0.9, 0.50], [0.8, 0.62], [0.1, 0.55], [0.0, 0.55]])
        found = weaker.sensitivity(values, 20, np.random.default_rng(0))
        assert (found.better, found.weaker) == (2, 2)
        assert found.moved["mean"] == (0.0, 0.0)
        assert found.moved["mean rank"] == (1.0, 1.0)  # a tie of the two alone, decided by those who join


class TestAggregates:
    @pytest.mark.parametrize("name", aggregates.AGGREGATES)
    def test_points_are_those_of_rliable(self, name):
        assert float(aggregates.AGGREGATES[name](*RUNS.T)) == pytest.approx(BY_RLIABLE[name])

    @pytest.mark.parametrize("name", aggregates.AGGREGATES)
    def test_intervals_are_those_of_drawing_runs_within_every_test(self, name):
        rng = np.random.default_rng(1)
        found = aggregates.aggregate(name, list(RUNS.T), np.full(8, np.nan), 4000, 0.95, 0, rng)
        drawn = []
        for _ in range(4000):
            again = [column[rng.integers(6, size=6)] for column in RUNS.T]
            drawn.append(float(aggregates.AGGREGATES[name](*again)))
        assert found.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.006)

    def test_one_run_has_the_interval_of_its_standard_errors(self):
        se = np.array([0.03, 0.04])
        runs = [np.array([0.5]), np.array([0.6])]
        found = aggregates.aggregate("mean", runs, se, 20_000, 0.95, 0, np.random.default_rng(0))
        half = 1.96 * 0.05 / 2
        assert found.interval == pytest.approx((0.55 - half, 0.55 + half), abs=0.002)
        bare = aggregates.aggregate("mean", runs, np.array([0.03, np.nan]), 100, 0.95, 0, np.random.default_rng(0))
        assert bare.interval is None

    def test_runs_all_alike_have_no_interval(self):
        runs = [np.full(3, 0.5), np.full(3, 0.7)]
        found = aggregates.aggregate("mean", runs, np.full(2, np.nan), 50, 0.95, 0, np.random.default_rng(0))
        assert (found.value, found.interval) == (pytest.approx(0.6), None)


class TestDifferences:
    def test_paired_interval_is_scipys(self):
        a, b = np.random.default_rng(0).uniform(size=(2, 12))
        wanted = stats.ttest_rel(a, b).confidence_interval(0.9)
        assert differences.over_tests(a, b, 0.9).interval == pytest.approx((wanted.low, wanted.high))

    def test_known_error_in_closed_form(self):
        assert differences.smallest(0.1, np.inf, 0.8, 0.05) == pytest.approx(0.1 * (1.959964 + 0.841621))
        assert differences.smallest(0.1, 1e6, 0.8, 0.05) == pytest.approx(0.1 * 2.801585, rel=1e-4)
        assert differences.smallest(0.0, 5, 0.8, 0.05) == 0

    @pytest.mark.parametrize("tests", [5, 20])
    def test_a_difference_of_that_size_is_found_with_the_power_asked_for(self, tests):
        size = differences.smallest(0.1 / np.sqrt(tests), tests - 1, 0.8, 0.05)
        x = np.random.default_rng(0).normal(size, 0.1, (20_000, tests))
        found = stats.ttest_1samp(x, 0, axis=1).pvalue < 0.05
        assert found.mean() == pytest.approx(0.8, abs=0.01)

    def test_spread_is_pooled_over_pairs(self):
        means = np.array([[0.1, 0.5], [0.2, 0.4], [0.3, 0.9]])
        spreads = [np.var(means[i] - means[j], ddof=1) for i, j in ((0, 1), (0, 2), (1, 2))]
        found = differences.detectable(means, np.full((3, 2), 0.01), 0.8, 0.05)
        assert found.spread == pytest.approx(np.sqrt(np.mean(spreads)))
        assert found.over_runs == pytest.approx(np.sqrt(2 * 0.02) / 2 * 2.801585, rel=1e-5)
        assert differences.detectable(means, np.full((3, 2), np.nan), 0.8, 0.05).over_runs is None


class TestDraws:
    def test_known_standard_errors_are_normal_draws(self):
        samples = [np.array([0.5]), np.array([0.4])]
        drawn = agent_draws.draws_known(samples, [0.05, 0.02], 40_000, generator(0, "test"))
        assert drawn.mean(axis=0) == pytest.approx([0.5, 0.4], abs=0.001)
        assert drawn.std(axis=0) == pytest.approx([0.05, 0.02], rel=0.02)

    def test_repeated_tests_have_their_own_spread(self):
        samples = [np.array([0.4, 0.5, 0.6]), np.array([0.4])]
        drawn = agent_draws.draws_known(samples, [np.nan, 0.02], 40_000, generator(0, "test"))
        alone = agent_draws.draws([samples[0]], 40_000, generator(0, "test"))
        assert drawn[:, 0] == pytest.approx(alone[:, 0])
        assert drawn[:, 1].std() == pytest.approx(0.02, rel=0.02)

    def test_nothing_known_is_none(self):
        samples = [np.array([0.5]), np.array([0.4])]
        assert agent_draws.draws_known(samples, [0.1, np.nan], 10, generator(0, "test")) is None


class TestSuite:
    def test_the_example_says_what_the_page_says(self):
        found = suite(read(EXAMPLE), missing="domains", resamples=20, halves=10)
        by = {t.test: t for t in found.tests}
        assert len(found.agents) == 31
        assert len(by) == 37  # FMoW has two cells without a result
        assert found.agents[0].agent == "ViT-bigG-14 laion2b_s39b_b160k"
        assert by["ImageNet 1k"].predicted_by == "ImageNet v2"
        assert by["ImageNet 1k"].redundancy.value > 0.98
        assert by["ImageNet-O"].rest_correlation < -0.7
        assert by["iWildCam"].difficulty.value == max(t.difficulty.value for t in found.tests)
        assert found.smallest_difference.over_tests == pytest.approx(0.0374, abs=0.0005)
        assert found.sensitivity.moved["mean"] == (0.0, 0.0)
        assert found.warnings[0].startswith("This is not the AIQ of the paper")
        assert any("ImageNet-O" in one and "worse on" in one for one in found.warnings)
        assert any("2 cells were missing: 1 domain left out" in one for one in found.notes)

    def test_the_same_seed_gives_the_same_and_another_does_not(self):
        values, _ = simulated(20, [1, 2, 3], [0, 0.5, -0.5])
        one, same, other = (suite(table(values), resamples=10, halves=5, seed=s).as_dict() for s in (0, 0, 1))
        assert one == same
        assert one != other

    def test_agents_and_tests_in_another_order_give_the_same(self):
        values, _ = simulated(12, [1, 2, 3], [0, 0.5, -0.5])
        rows = table(values).cells
        one, other = (suite(Results.of(r), resamples=5, halves=5) for r in (rows, rows[::-1]))
        assert [a.agent for a in one.agents] == [a.agent for a in other.agents]
        assert {t.test: t.difficulty.value for t in one.tests} == pytest.approx(
            {t.test: t.difficulty.value for t in other.tests}, abs=2e-3
        )

    def test_few_agents_have_no_model_and_are_told_so(self):
        found = suite(table([[0.9, 0.4, 0.6], [0.8, 0.5, 0.7], [0.2, 0.1, 0.3]]))
        assert all(t.discrimination is None for t in found.tests)
        assert found.tests[0].difficulty.value == pytest.approx(1 - 1.9 / 3)
        assert any("no model of responses" in one for one in found.warnings)
        assert found.reduction is None

    def test_standard_errors_give_intervals_and_a_smallest_difference_over_runs(self):
        found = suite(table([[0.9, 0.4], [0.8, 0.5], [0.2, 0.1]], se=0.01))
        assert found.smallest_difference.over_runs == pytest.approx(np.sqrt(4) * 0.01 / 2 * 2.801585, rel=1e-5)
        assert all(a.mean.interval is not None for a in found.agents)
        assert found.agents[0].difference_runs.interval is not None

    @pytest.mark.parametrize(
        ("how", "match"),
        [
            ({"power": 1.0}, "power is 1"),
            ({"at": 0.0}, "at is 0"),
            ({"missing": "keep"}, "cannot be kept"),
            ({"missing": "guess"}, "rule for missing cells"),
            ({"halves": 1}, "at least 2"),
        ],
    )
    def test_settings_out_of_range_are_refused(self, how, match):
        with pytest.raises(InputError, match=match):
            suite(table([[0.9, 0.4], [0.8, 0.5], [0.2, 0.1]]), **how)

    def test_too_little_is_refused(self):
        with pytest.raises(InputError, match="at least 3 agents and 2 tests"):
            suite(table([[0.9, 0.4], [0.8, 0.5]]))
        with pytest.raises(InputError, match="data frame"):
            suite([[1, 2]])

    def test_data_frames_wide_and_long(self):
        pandas = pytest.importorskip("pandas")
        values, _ = simulated(12, [1, 2], [0, 0.5])
        wide = pandas.DataFrame(values, index=[f"agent {i:02d}" for i in range(12)], columns=["test 0", "test 1"])
        long = table(values).to_frame()
        wanted = suite(table(values), resamples=5, halves=5).as_dict()
        assert suite(wide, resamples=5, halves=5).as_dict() == wanted
        assert suite(long, resamples=5, halves=5).as_dict() == wanted
        assert list(suite(wide, resamples=5, halves=5).to_frame().test) == ["test 0", "test 1"]
        with pytest.raises(InputError, match="no number"):
            suite(wide.astype(object).replace(wide.iloc[0, 0], "high"))


class TestVerbs:
    def run(self, capsys, *arguments):
        status = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    def test_read_and_suite_keep_their_contract(self, capsys, tmp_path):
        status, out, _ = self.run(capsys, "read", EXAMPLE, "-o", tmp_path / "t.csv", "--json")
        found = json.loads(out)
        assert status == 0
        assert {"agents", "domains", "cells", "missing", "skipped"} <= set(found)
        assert len(found["cells"]) == 31 * 38 - 2
        assert len(found["missing"]) == 2
        arguments = ("suite", tmp_path / "t.csv", "--missing", "zero", "--resamples", 5, "--halves", 4, "--json")
        status, out, _ = self.run(capsys, *arguments)
        found = json.loads(out)
        assert status == 0
        assert {"tests", "agents", "smallest_difference", "warnings"} <= set(found)
        assert {"difficulty", "discrimination", "redundancy"} <= set(found["tests"][0])
        assert found["is_aiq"] is False

    def test_missing_cells_are_refused_with_the_way_out(self, capsys):
        status, out, err = self.run(capsys, "suite", EXAMPLE)
        assert (status, out) == (2, "")
        assert "2 of 1178 cells are missing" in err
        assert "--missing" in err
        assert err.count("\n") == 1

    def test_the_screen_says_that_it_is_not_aiq(self, capsys, tmp_path):
        (tmp_path / "t.csv").write_text("agent,A,B,C\nme,.9,.4,.6\nyou,.8,.5,.7\nthey,.2,.1,.3\n")
        status, out, _ = self.run(capsys, "suite", tmp_path / "t.csv")
        assert status == 0
        assert "not the AIQ of the paper" in " ".join(out.split())

    def test_score_reads_what_read_reads(self, capsys, tmp_path):
        (tmp_path / "c.csv").write_text("domain,complexity\ntoy_a,1\ntoy_b,2\ntoy_c,1.5\n")
        pairs = "a,b,dissimilarity\ntoy_a,toy_b,0.02\ntoy_a,toy_c,0.03\ntoy_b,toy_c,0.025\n"
        (tmp_path / "d.csv").write_text(pairs)
        space = tmp_path / "space.h5"
        arguments = ("space", "--complexity", tmp_path / "c.csv", "--dissimilarity", tmp_path / "d.csv", "-o", space)
        assert self.run(capsys, *arguments, "--dimensions", 3)[0] == 0
        source = Path(__file__).parents[2] / "data" / "readers" / "lm-eval"
        ranges = ("--range", "toy_ppl", 1, 10)
        status, out, _ = self.run(capsys, "score", space, source, *ranges, "--json")
        direct = json.loads(out)
        assert status == 0
        assert [a["agent"] for a in direct["agents"]] == ["toy-two", "toy-one"]
        assert direct["agents"][0]["mean"] == pytest.approx((0.625 + 2 / 3 + 2 / 3) / 3)
        assert direct["agents"][0]["mean_interval"] is not None
        assert any("toy_ppl" in one for one in direct["warnings"])
        self.run(capsys, "read", source, *ranges, "-o", tmp_path / "t.csv")
        status, out, _ = self.run(capsys, "score", space, tmp_path / "t.csv", "--json")
        assert json.loads(out)["agents"] == direct["agents"]

    def test_score_refuses_what_the_space_has_and_the_results_have_not(self, capsys, tmp_path):
        (tmp_path / "c.csv").write_text("domain,complexity\nA,1\nB,2\n")
        (tmp_path / "d.csv").write_text("a,b,dissimilarity\nA,B,0.02\n")
        space = tmp_path / "space.h5"
        self.run(
            capsys, "space", "--complexity", tmp_path / "c.csv", "--dissimilarity", tmp_path / "d.csv", "-o", space
        )
        source = Path(__file__).parents[2] / "data" / "readers" / "inspect-json"
        status, _, err = self.run(capsys, "score", space, source)
        assert status == 2
        assert "the results have no test 'A'" in err
