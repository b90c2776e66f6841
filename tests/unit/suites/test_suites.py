"""A suite seen through results alone: closed forms, references, known truth, refusals."""

from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy import optimize, stats

import aiq
from aiq.errors import InputError
from aiq.readers import read
from aiq.records.observations import Observations
from aiq.report import results
from aiq.report.results import drawings
from aiq.suites import _rest, fewer, relations, response, scores, suite
from aiq.suites.leaderboard import leaderboard

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "openclip-38.csv"

# points by rliable 1.2.0: mean, median, interquartile mean, optimality gap of 6 runs × 8 tasks
RUNS = np.array([
    [0.267, 0.659, 0.596, 0.434, 0.371, 0.319, 0.189, 0.16], [0.341, 0.28, 0.132, 0.428, 0.444, 0.18, 0.626, 0.153],
    [0.337, 0.342, 0.731, 0.703, 0.677, 0.172, 0.456, 0.102], [0.407, 0.399, 0.263, 0.211, 0.262, 0.154, 0.612, 0.466],
    [0.39, 0.384, 0.562, 0.494, 0.815, 0.456, 0.673, 0.287], [0.686, 0.546, 0.415, 0.329, 0.166, 0.179, 0.226, 0.383],
])  # fmt: skip
BY_RLIABLE = {
    "mean": 0.393, "median": 0.4340833333333334, "interquartile_mean": 0.3730833333333334, "optimality_gap": 0.607,
}  # fmt: skip


def table(values, **rest):
    rows = [(f"agent {i:02d}", f"test {j}", value) for i, row in enumerate(values) for j, value in enumerate(row)]
    return Observations.of(pandas.DataFrame(rows, columns=["agent", "domain", "performance"]).assign(**rest))


def simulated(agents, slopes, hardness, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=(agents, 1))
    latent = np.asarray(slopes) * (ability - np.asarray(hardness)) + rng.normal(0, noise, (agents, len(slopes)))
    return 1 / (1 + np.exp(-latent)), ability[:, 0]


class TestResponse:
    def test_few_values_are_grades_and_many_are_cut_at_quantiles(self):
        column = np.linspace(0.1, 0.6, 6)[:, None]
        assert response.grades(column, 3).ravel().tolist() == [0, 0, 1, 1, 2, 2]
        assert response.grades(np.full((6, 1), 0.3), 3).ravel().tolist() == [0] * 6
        tied = np.array([[0.0], [0.0], [0.0], [0.0], [0.5], [1.0]])
        assert response.grades(tied, 3).ravel().tolist() == [0, 0, 0, 0, 1, 2]
        gaps = np.array([[0.0], [np.nan], [1.0]])
        assert response.grades(gaps, 2).ravel().tolist() == [0, -1, 1]
        values = (np.random.default_rng(0).random((60, 6)) < 0.5).astype(float)
        values[:, 0] = np.arange(60) < 1  # two grades, however few pass
        assert response.grades(values[:, :1], 5).ravel().tolist() == values[:, 0].tolist()
        assert np.isfinite(response.fit(values).discrimination).all()

    def test_the_likelihood_is_as_high_as_a_general_search_finds(self):
        rng = np.random.default_rng(1)
        ability, slope, place = rng.normal(size=(150, 1)), np.array([0.6, 1.0, 1.6, 2.2]), np.array([-1, 0, 0.5, 1.0])
        values = (rng.random((150, 4)) < 1 / (1 + np.exp(-slope * ability - place))).astype(float)
        values[rng.random(values.shape) < 0.2] = np.nan
        theta = np.linspace(-4.5, 4.5, 61)
        weight = np.exp(-(theta**2) / 2)
        weight /= weight.sum()

        def lacking(x):
            a, c = x[:4], x[4:]
            chance = 1 / (1 + np.exp(-(a[:, None] * theta + c[:, None])))
            failed = np.where(np.isnan(values), 0, 1 - values)
            logs = np.nan_to_num(values) @ np.log(chance) + failed @ np.log(1 - chance)
            prior = (((a - 1.5) / 2) ** 2).sum() / 2 + (c**2).sum() / 18
            return -np.log(np.exp(logs) @ weight).sum() + prior

        wanted = optimize.minimize(lacking, np.r_[np.ones(4), np.zeros(4)])
        found = response.fit(values)
        model = 1 / (1 + np.exp(-wanted.x[4:]))
        assert found.discrimination == pytest.approx(wanted.x[:4], abs=0.02)
        assert found.difficulty == pytest.approx(1 - model, abs=0.005)

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

    def test_a_constant_test_has_no_discrimination_and_a_turned_one_a_negative(self):
        values, _ = simulated(60, [1, 1, 1, 1, 1], [0, 0, 0, 0, 0])
        values[:, 1] = 0.4
        values[:, 3] = 1 - values[:, 3]
        found = response.fit(values)
        assert np.isnan(found.discrimination[1])
        assert found.difficulty[1] == pytest.approx(0.6)
        assert found.discrimination[3] < 0
        assert (found.discrimination[[0, 2, 4]] > 0).all()


class TestRedundancy:
    def test_without_rivals_it_is_nearly_the_squared_correlation(self):
        rng = np.random.default_rng(2)
        values = rng.normal(size=(400, 4))
        values[:, 1] = values[:, 0] + 0.5 * values[:, 1]
        share, low, high, by = relations.predicted(values, 0.95)
        assert share[:2] == pytest.approx(np.corrcoef(values.T)[0, 1] ** 2, abs=0.01)
        assert by[:2].tolist() == [1, 0]
        assert (low[:2] < 0.8).all()
        assert (high[:2] > 0.8).all()

    def test_a_copy_is_known_whole_and_noise_is_not_flattered(self):
        values = np.random.default_rng(0).uniform(size=(25, 20))
        values[:, 1] = 0.2 + 0.6 * values[:, 0]
        share, low, _, by = relations.predicted(values, 0.95)
        assert share[:2] == pytest.approx([1, 1])
        assert by[:2].tolist() == [1, 0]
        assert (low[:2] > 0.5).all()
        assert np.median(share[2:]) < 0.1  # the best of 19 as it is would claim about a fifth

    def test_two_tests_that_one_agent_passes_are_not_surely_one(self):
        values = (np.random.default_rng(0).random((60, 6)) < 0.5).astype(float)
        values[:, 0] = values[:, 1] = np.arange(60) == 3
        share, low, _, by = relations.predicted(values, 0.95)
        assert (share[0], by[0]) == (1.0, 1)
        assert low[0] < 0.3
        share, low, high, by = relations.predicted(values[:15], 0.95)  # too few for an interval that holds
        assert (share[0], by[0]) == (1.0, 1)
        assert np.isnan([low, high]).all()

    @pytest.mark.parametrize("truth", [0.0, 0.3, 1.0, 1.7, 3.0])
    def test_tails_are_those_of_the_likeliest_values_beside_their_best_explanation(self, truth):
        step = 1e-3
        seen = np.arange(-6, 12, step)
        ratio = stats.norm.logpdf(seen, truth) - stats.norm.logpdf(seen, np.maximum(seen, 0))
        order = np.argsort(-ratio, kind="stable")
        inside = order[np.cumsum(stats.norm.pdf(seen[order], truth) * step) < 0.9]
        above, below = relations.tails(truth, 0.9)
        assert above == pytest.approx(stats.norm.sf(seen[inside].max(), truth), abs=2e-3)
        assert below == pytest.approx(stats.norm.cdf(seen[inside].min(), truth), abs=2e-3)
        assert above + below == pytest.approx(0.1)

    def test_where_nothing_is_in_common_the_interval_holds_as_often_as_it_says(self):
        rng = np.random.default_rng(5)
        held = []
        for _ in range(60):
            _, low, high, _ = relations.predicted(rng.normal(size=(100, 8)), 0.9)
            held += ((low < 1e-9) & (high > 0)).tolist()
        assert 0.86 < np.mean(held) < 0.94  # 480 tests; two equal tails of a share of 0 would hold in .95

    def test_correlations_are_those_of_the_agents_that_both_tests_have(self):
        rng = np.random.default_rng(3)
        values = np.where(rng.random((30, 4)) < 0.2, np.nan, rng.uniform(size=(30, 4)))
        frame = pandas.DataFrame(values)
        found = 1 - relations.distances(values)
        assert found == pytest.approx(frame.corr().to_numpy())
        values[:, 3] = 0.5  # a constant test predicts none
        share, *_, by = relations.predicted(values, 0.95)
        assert np.isnan(share[3])
        assert 3 not in by[:3]


class TestFewer:
    def test_rank_correlation_is_spearmans(self):
        rng = np.random.default_rng(1)
        a, b = rng.integers(0, 5, (2, 12)).astype(float)
        assert fewer.rank_correlation(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
        assert np.isnan(fewer.rank_correlation(np.ones(4), np.arange(4.0)))

    def test_each_drop_is_the_best_that_trying_all_would_find(self):
        level = relations.levelled(np.random.default_rng(5).uniform(size=(20, 7)))
        kept, whole = list(range(7)), level.sum(axis=1)
        for gone in fewer.dropped(level)[:-2]:
            fit = [np.corrcoef(level[:, [k for k in kept if k != one]].sum(axis=1), whole)[0, 1] for one in kept]
            assert kept[int(np.argmax(fit))] == gone
            kept.remove(gone)

    def test_dropping_copies_keeps_order_and_verdicts(self):
        values = np.tile(np.random.default_rng(4).uniform(size=(20, 1)), 5)
        values = values + np.random.default_rng(5).normal(0, 1e-3, values.shape)
        board = leaderboard(values, np.arange(5))
        found, without = fewer.reduce(values, board, tuple("abcde"), 10, 0.95, np.random.default_rng(0))
        assert found.rank_correlation.min() > 0.98
        assert found.enough == 1
        assert sorted(found.order) == list("abcde")
        assert without.shape == (10, 5)

    def test_anchors_tell_the_mean_of_agents_left_out(self):
        rng = np.random.default_rng(0)
        ability, groups = rng.normal(size=(80, 3)), np.arange(30) % 3
        values = 1 / (1 + np.exp(-ability[:, groups] + rng.normal(0, 0.3, (80, 30))))
        (found,) = fewer.anchors(values, [f"t{k}" for k in range(30)], (3,), 0.95, rng)
        assert {int(name[1:]) % 3 for name in found.tests} == {0, 1, 2}  # one of each kind
        assert found.error < 0.6 * found.random_error
        assert found.error < found.within < 4 * found.error

    def test_weights_are_a_ridge_towards_equal_ones(self):
        values = np.random.default_rng(1).uniform(size=(40, 6))
        weights, start = fewer.weigh(values, [0, 2, 5])
        ridge = fewer.SHRINKAGE * values.var(axis=0).mean()
        x, y = values[:, [0, 2, 5]], values.mean(axis=1)

        def lacking(w):
            return ((y - y.mean() - (x - x.mean(axis=0)) @ w) ** 2).sum() + ridge * ((w - 1 / 3) ** 2).sum()

        assert weights == pytest.approx(optimize.minimize(lacking, np.full(3, 1 / 3)).x, abs=1e-4)
        assert start == pytest.approx(y.mean() - x.mean(axis=0) @ weights)


class TestDimensions:
    @pytest.mark.parametrize("factors", [1, 3])
    def test_as_many_as_there_are(self, factors):
        rng = np.random.default_rng(factors)
        values = rng.normal(size=(200, factors))[:, np.arange(18) % factors] + 0.7 * rng.normal(size=(200, 18))
        values[rng.random(values.shape) < 0.1] = np.nan
        found = relations.dimensions(values, 0.95, rng)
        assert found.value == factors
        assert found.interval[0] <= factors <= found.interval[1]

    def test_noise_has_hardly_any_and_constants_none(self):
        rng = np.random.default_rng(0)
        counts = [relations.dimensions(rng.normal(size=(60, 8)), 0.95, rng).value for _ in range(10)]
        assert sum(count > 0 for count in counts) <= 3
        assert relations.dimensions(np.full((100, 10), 0.5), 0.95, rng) is None

    def test_eigenvalues_are_those_of_the_correlations(self):
        for shape in ((30, 6), (6, 30)):
            values = np.random.default_rng(1).normal(size=shape)
            wanted = np.sort(np.linalg.eigvalsh(np.corrcoef(values.T)))[::-1][: min(shape)]
            assert relations.eigenvalues(values) == pytest.approx(wanted, abs=1e-9)


class TestOneAbility:
    """Answers of 0 and 1: correlations depend on difficulties too, and must not be taken for abilities."""

    def answers(self, rng, agents, items, abilities):
        ability = rng.normal(size=(agents, abilities))
        ability[:, -1] = 0.3 * ability[:, 0] + 0.91**0.5 * ability[:, -1] if abilities > 1 else ability[:, 0]
        slope, hardness = np.exp(rng.normal(0.3, 0.4, items)), rng.normal(0, 1.5, items)
        apart = ability[:, np.arange(items) * abilities // items] - hardness
        return (rng.random((agents, items)) < 1 / (1 + np.exp(-slope * apart))).astype(float)

    def test_difficulties_are_no_abilities(self):
        rng = np.random.default_rng(0)
        found = [relations.dimensions(self.answers(rng, 112, 81, 1), 0.95, rng) for _ in range(20)]
        assert sum(one.value == 1 for one in found) >= 18  # of 19 expected at least; without the rule 5
        assert sum(one.interval[0] <= 1 <= one.interval[1] for one in found) >= 19

    def test_two_abilities_are_two(self):
        rng = np.random.default_rng(1)
        found = [relations.dimensions(self.answers(rng, 150, 80, 2), 0.95, rng) for _ in range(5)]
        assert sum(one.value == 2 for one in found) >= 4
        assert all(one.interval[0] <= 2 <= one.interval[1] for one in found)

    def test_what_is_simulated_are_the_models_answers_and_gaps_stay(self):
        rng = np.random.default_rng(2)
        values = self.answers(rng, 60, 8, 1)
        values[:, 5] = 1.0
        values[rng.random(values.shape) < 0.1] = np.nan
        fitted = response.fit(values)
        chance = response.chances(values, fitted)
        assert (np.isnan(chance) == np.isnan(values)).all()
        at = (fitted.ability - fitted.ability.mean()) / fitted.ability.std()
        odds = fitted.discrimination[0] * at + np.log((1 - fitted.difficulty[0]) / fitted.difficulty[0])
        there = ~np.isnan(values[:, 0])
        assert chance[there, 0] == pytest.approx(1 / (1 + np.exp(-odds[there])))
        assert np.nanmin(chance[:, 5]) > 0.999  # all pass it: so they do in the model
        drawn = np.array([response.answers(chance, rng) for _ in range(4000)])
        assert drawn[:, there, 0].mean(axis=0) == pytest.approx(chance[there, 0], abs=0.04)
        assert np.isnan(drawn[:, ~there, 0]).all()
        assert response.chances(rng.uniform(size=(20, 4))) is None  # no answers of 0 and 1
        assert response.chances(np.tile([1.0, 0.0, 1.0], (20, 1))) is None  # agents are alike

    def test_of_other_scores_the_number_is_that_of_shuffles_alone(self, monkeypatch):
        rng = np.random.default_rng(3)
        values = rng.normal(size=(80, 2))[:, np.arange(12) % 2] + 0.7 * rng.normal(size=(80, 12))
        found = relations.dimensions(values, 0.95, np.random.default_rng(4))
        monkeypatch.setattr(relations, "BOARDS", 1)
        assert relations.dimensions(values, 0.95, np.random.default_rng(4)) == found
        assert found.value == 2


class TestSuspicious:
    def test_items_with_a_turned_key_are_named_and_no_others(self):
        rng = np.random.default_rng(2)
        ability = rng.normal(size=(120, 1))
        values = (rng.random((120, 40)) < 1 / (1 + np.exp(-1.5 * (ability - rng.normal(size=40))))).astype(float)
        values[:, [3, 17]] = 1 - values[:, [3, 17]]
        _, suspicious = _rest(values)
        assert set(np.flatnonzero(suspicious)) <= {3, 17}
        assert suspicious.any()


class TestAggregates:
    def points(self, runs):
        return {name: float(statistic(runs)) for name, statistic in scores.AGGREGATES.items()}

    def test_points_are_those_of_rliable(self):
        assert self.points(RUNS.T) == pytest.approx(BY_RLIABLE)

    def test_missing_tests_and_runs_are_left_out(self):
        ragged = np.where(np.arange(6) < np.array([[6]] * 7 + [[2]]), RUNS.T, np.nan)
        found = self.points(ragged)
        means = [*RUNS.T[:7].mean(axis=1), RUNS.T[7, :2].mean()]
        assert found["mean"] == pytest.approx(np.mean(means))
        assert found["median"] == pytest.approx(np.median(means))
        assert found["interquartile_mean"] == pytest.approx(stats.trim_mean(ragged[~np.isnan(ragged)], 0.25))

    def test_intervals_are_those_of_drawing_runs_within_every_test(self):
        rng = np.random.default_rng(1)
        noise = RUNS.var(axis=0, ddof=1)[None] / 6
        found = scores.aggregates(RUNS.mean(axis=0)[None], RUNS.T[None], noise, 2000, 0.95, rng)
        draws = [np.array([column[rng.integers(6, size=6)] for column in RUNS.T]) for _ in range(2000)]
        for name, statistic in scores.AGGREGATES.items():
            _, low, high = found[name]
            wanted = np.quantile([float(statistic(drawn)) for drawn in draws], [0.025, 0.975])
            assert (low[0], high[0]) == pytest.approx(tuple(wanted), abs=0.006)

    def test_one_run_has_the_interval_of_its_standard_errors(self):
        values, noise = np.array([[0.5, 0.6], [0.5, 0.6]]), np.array([[0.03, 0.04], [0.03, np.nan]]) ** 2
        _, low, high = scores.aggregates(values, None, noise, 2000, 0.95, np.random.default_rng(0))["mean"]
        half = 1.96 * 0.05 / 2
        assert (low[0], high[0]) == pytest.approx((0.55 - half, 0.55 + half), abs=0.005)
        assert np.isnan([low[1], high[1]]).all()  # another agent's unknown error takes away its own interval alone
        runs = np.array([[[0.5, 0.5, 0.5], [0.7, 0.7, 0.7]]])  # all alike
        rng = np.random.default_rng(0)
        value, low, _ = scores.aggregates(runs.mean(axis=2), runs, np.zeros((1, 2)), 50, 0.95, rng)["mean"]
        assert (value[0], np.isnan(low[0])) == (pytest.approx(0.6), True)


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
        assert len(found.summary) == 3
        assert found.summary[0].startswith("ViT-bigG-14 laion2b_s39b_b160k leads with")
        assert found.warnings[0].startswith("This is not the AIQ of the paper")
        assert any("ImageNet-O" in one and "worse on" in one for one in found.warnings)
        assert any("2 cells were missing: 1 domain left out" in one for one in found.notes)

    def test_seeds_and_the_order_of_rows(self):
        values, _ = simulated(12, [1, 2, 3], [0, 0.5, -0.5])
        rows = table(values).frame
        first, same, seeded, turned = (
            suite(Observations.of(frame), resamples=5, halves=5, seed=seed)
            for frame, seed in ((rows, 0), (rows, 0), (rows, 1), (rows[::-1], 0))
        )
        assert first.as_dict() == same.as_dict() != seeded.as_dict()
        assert [a.agent for a in first.agents] == [a.agent for a in turned.agents]
        one, other = ({t.test: t.difficulty.value for t in found.tests} for found in (first, turned))
        assert one == pytest.approx(other, abs=2e-3)

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

    @pytest.mark.parametrize("step", [0.0, 0.1])
    def test_where_differences_are_the_same_everywhere_no_smallest_one_is_known(self, step):
        found = suite(table(np.random.default_rng(0).uniform(0, 0.5, 6) + step * np.arange(5)[:, None]))
        assert (found.smallest_difference.over_tests, found.needed) == (None, ())
        assert "differences are the same on all tests, so how small a one is found is not known" in found.summary[1]
        assert ("smallest difference", "–") in results._facts(found)

    def test_what_keeps_the_order_is_said_only_where_somebody_is_told_apart(self):
        rng = np.random.default_rng(3)
        few = suite(table(rng.uniform(size=(6, 1)) * 0.3 + rng.uniform(size=(6, 5)) * 0.3))
        assert all(agent.rank_low == 1 for agent in few.agents)
        assert "order" not in few.summary[2]
        many = suite(table(np.linspace(0, 0.6, 8)[:, None] + rng.uniform(size=(8, 40)) * 0.3))
        words = "the order of 95% of the pairs of agents that differ by 2 standard errors on all 40"
        assert words in many.summary[2]

    def test_neighbours_without_a_test_are_not_counted_as_alike(self):
        values = np.random.default_rng(1).uniform(size=(5, 8))
        values[2, 1:] = np.nan
        found = suite(table(values))
        gone = sum(one.p is None for one in found.neighbours)
        assert gone in (1, 2)
        assert f"0 of the {4 - gone} neighbours in the ranking that can be compared are told apart" in found.summary[1]
        assert f"(Holm; {gone} cannot)" in found.summary[1]

    def test_how_tests_of_unequal_length_weigh_is_told(self):
        def look(items, **how):
            rows = [
                (name, test, f"q{j}", float((test == "X") == (name == "first")))
                for name in ("first", "second", "third") for test, count in items.items() for j in range(count)
            ]  # fmt: skip
            frame = pandas.DataFrame(rows, columns=["agent", "domain", "item", "performance"])
            found = suite(Observations.of(frame), **how)
            return found.notes, {one.agent: one.value.value for one in found.agents}["first"]

        notes, first = look({"X": 2, "Y": 8})
        assert "each item counts once: 8 of Y, 2 of X; --by tests gives each test the same weight" in notes
        tests, by_tests = look({"X": 2, "Y": 8}, by="tests")
        assert (first, by_tests) == pytest.approx((0.2, 0.5))
        assert not any("counts once" in one for one in (*tests, *look({"X": 3, "Y": 3})[0]))
        many = look({f"t{k}": k + 1 for k in range(7)})[0][-1]
        assert many.startswith("each item counts once: 7 of t6, 6 of t5, 5 of t4, 4 of t3 and those of 3 other tests;")

    def test_a_value_outside_its_bounds_is_told(self):
        gone = np.nan
        found = suite(table([[0, 0, 0.1, 0], [0.9, 0, 0, 0.1], [gone, 0.1, 0.1, 0.2], [0.05, gone, gone, gone]]))
        beyond = [one.agent for one in found.agents if not one.bounds[0] <= one.value.value <= one.bounds[1]]
        assert beyond == ["agent 03"]
        (told,) = (one for one in found.warnings if "1 adjusted value lies outside its own bounds" in one)
        assert "agent 03" in told
        for low, high in (one.value.interval for one in found.agents if one.value.interval is not None):
            assert 0 <= low <= high <= 1

    @pytest.mark.parametrize(
        ("how", "match"),
        [
            ({"differences": (0.0,)}, "a difference is 0"),
            ({"items_in": "cells"}, "items_in is"),
            ({"by": "agents"}, "looked at by"),
            ({"power": 0.01}, "the power must be larger"),
            ({"halves": 1}, "at least 2"),
        ],
    )
    def test_settings_out_of_range_are_refused(self, how, match):
        with pytest.raises(InputError, match=match):
            suite(table([[0.9, 0.4], [0.8, 0.5], [0.2, 0.1]]), **how)

    def test_a_score_outside_is_refused(self):
        with pytest.raises(InputError, match=r"score of agent 1 on test 2 is 2, outside \[0, 1\]"):
            aiq.suite([[1, 2]])


def test_of_too_many_tests_no_pairs_are_looked_at_and_all_else_is_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    observed = table((rng.random((30, 12)) < rng.uniform(0.2, 0.9, (30, 1))).astype(float))
    whole = suite(observed)
    monkeypatch.setattr(relations, "MOST", 11)
    found = suite(observed)
    assert whole.agreement is not None
    assert found.agreement is None
    assert found.reduction is None
    assert all(one.redundancy is None and one.predicted_by is None for one in found.tests)
    assert found.agents == whole.agents
    assert found.anchors == whole.anchors
    assert any("too many pairs" in said and "up to" in said for said in found.warnings)
    assert "suite-agreement" not in drawings(found)
    assert found.table("agreement").rows == ()
