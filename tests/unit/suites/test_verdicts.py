"""Verdicts: closed forms, slower references, enumeration, invariants."""

from itertools import product

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

import aiq
from aiq.errors import InputError
from aiq.readers import read
from aiq.records.observations import Observations
from aiq.stats import clusters
from aiq.suites import leaderboard as boards
from aiq.suites import paired_difference, suite
from aiq.suites.fewer import detectable, needed, typical_error
from aiq.suites.leaderboard import intervals, leaderboard
from aiq.suites.paired import (
    mcnemar,
    needed_exact,
    power_of,
    score_interval,
    smallest,
    smallest_exact,
    two_agents,
    two_tables,
)
from aiq.suites.scores import scores


def board_of(values, groups=None):
    return leaderboard(np.asarray(values, float), clusters.codes(groups, np.shape(values)[1]))


def order_of(board):
    return np.argsort(-board.value, kind="stable")


class TestClusters:
    @pytest.mark.parametrize("sizes", [(1,) * 9, (4,) * 5, (1, 2, 7), (20, 1, 1, 1)])
    def test_degrees_are_those_of_the_quadratic_form(self, sizes):
        n, members = sum(sizes), np.array(sizes, float)
        middle = np.eye(n) - 1 / n
        group = np.repeat(np.arange(len(sizes)), sizes)
        ones = (group[:, None] == np.arange(len(sizes))).astype(float)
        form = middle @ ones @ np.diag(1 / (1 - members / n)) @ ones.T @ middle
        assert clusters.degrees(members) == pytest.approx(np.trace(form) ** 2 / np.trace(form @ form))
        alike = np.eye(n) + 0.4 * (group[:, None] == group) * (1 - np.eye(n))
        spread = members * (1 + 0.4 * (members - 1))
        wanted = np.trace(form @ alike) ** 2 / np.trace(form @ alike @ form @ alike)
        assert clusters.degrees(members, spread) == pytest.approx(wanted)

    @pytest.mark.parametrize("share", [0.0, 0.4])
    def test_likeness_is_the_correlation_within_clusters(self, share):
        rng = np.random.default_rng(0)
        groups = np.repeat(np.arange(4000), rng.integers(1, 9, 4000))
        x = np.sqrt(share) * rng.normal(size=4000)[groups] + np.sqrt(1 - share) * rng.normal(size=groups.size)
        assert clusters.likeness(x - x.mean(), groups) == pytest.approx(share, abs=0.03)
        assert clusters.likeness(x, np.arange(x.size)) == 0

    def test_holm_and_benjamini_hochberg_by_hand(self):
        p = [0.01, 0.04, 0.03, np.nan, 0.2]
        assert clusters.holm(p) == pytest.approx([0.04, 0.09, 0.09, np.nan, 0.2], nan_ok=True)
        wanted = stats.false_discovery_control([0.01, 0.04, 0.03, 0.2])
        assert clusters.benjamini_hochberg(p)[[0, 1, 2, 4]] == pytest.approx(wanted)


class TestPaired:
    def test_without_clusters_it_is_scipys_paired_test(self):
        a, b = np.random.default_rng(0).uniform(size=(2, 12))
        found, wanted = paired_difference(a, b, confidence=0.9), stats.ttest_rel(a, b)
        assert found.p == pytest.approx(wanted.pvalue)
        assert found.interval == pytest.approx(tuple(wanted.confidence_interval(0.9)))
        assert (found.items, found.clusters, found.df) == (12, 12, pytest.approx(11))

    def test_equal_clusters_are_the_test_of_their_means(self):
        a, b = np.random.default_rng(1).uniform(size=(2, 20))
        found = paired_difference(a, b, np.repeat(np.arange(5), 4))
        wanted = stats.ttest_1samp((a - b).reshape(5, 4).mean(axis=1), 0)
        assert found.p == pytest.approx(wanted.pvalue)
        assert found.interval == pytest.approx(tuple(wanted.confidence_interval()))

    def test_answers_of_0_and_1_have_mcnemars_exact_p(self):
        a, b = np.array([1, 1, 1, 1, 1, 0, 0, 1, 0.0]), np.array([0, 0, 0, 0, 0, 1, 0, 1, 0.0])
        found = paired_difference(a, b)
        assert found.p == pytest.approx(stats.binomtest(1, 6).pvalue)
        assert (found.wins, found.losses) == (5, 1)
        assert mcnemar(0, 0) == 1.0

    @pytest.mark.parametrize(
        ("wins", "losses", "items"), [(5, 1, 20), (0, 3, 30), (40, 38, 100), (1, 0, 44), (2, 2, 5)]
    )
    def test_at_the_ends_of_the_score_interval_a_score_test_just_does_not_reject(self, wins, losses, items):
        """The share of losses given the difference is sought by the likelihood itself."""
        ends = score_interval(wins, losses, items, 0.95)
        for end, sign in zip(ends, (1, -1), strict=True):

            def unlikely(lost, end=end):
                counts, shares = (wins, losses, items - wins - losses), (lost + end, lost, 1 - 2 * lost - end)
                return -sum(
                    count * np.log(max(share, 1e-300)) for count, share in zip(counts, shares, strict=True) if count
                )

            low, high = max(0.0, -end), (1 - end) / 2
            lost = optimize.minimize_scalar(unlikely, bounds=(low, high), options={"xatol": 1e-12}).x
            score = (wins - losses - items * end) / np.sqrt(items * (2 * lost + end - end**2))
            assert score == pytest.approx(sign * 1.959964, abs=1e-4)
        assert score_interval(losses, wins, items, 0.95) == pytest.approx((-ends[1], -ends[0]))

    def test_closed_forms_of_the_score_interval(self):
        z2 = 1.959964**2
        assert score_interval(0, 0, 50, 0.95) == pytest.approx((-z2 / (50 + z2), z2 / (50 + z2)), abs=1e-6)
        assert score_interval(20, 0, 20, 0.95) == pytest.approx((1 - 2 * z2 / (20 + z2), 1), abs=1e-6)
        assert score_interval(0, 20, 20, 0.95) == pytest.approx((-1, 2 * z2 / (20 + z2) - 1), abs=1e-6)

    def test_missing_answers_leave_bounds(self):
        a, b = np.array([1, 0.5, np.nan, 0.2]), np.array([0.5, 0.5, 0.4, np.nan])
        found = paired_difference(a, b)
        assert (found.items, found.only_first, found.only_second) == (2, 1, 1)
        assert found.difference == pytest.approx(0.25)
        assert found.bounds == pytest.approx(((0.5 + 0 - 0.4 + 0.2 - 1) / 4, (0.5 + 0 + 0.6 + 0.2) / 4))
        with pytest.raises(InputError, match="no item in common"):
            paired_difference([1, np.nan], [np.nan, 1])

    def test_too_few_clusters_leave_what_differences_can_be_or_no_interval(self):
        scores = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
        assert paired_difference(*scores, ["a", "a", "b"]).interval == (-1, 1)
        assert paired_difference(scores[0] * 5, scores[1], ["a", "a", "b"]).interval[0] < -1
        found = paired_difference([0.5, 0.4], [0.1, 0.3], ["a", "a"])
        assert (found.interval, found.p, found.se, found.smallest_difference) == (None, None, None, None)


class TestPower:
    def test_known_error_in_closed_form(self):
        assert smallest(0.1, np.inf, 0.8, 0.05) == pytest.approx(0.1 * (1.959964 + 0.841621))
        assert smallest(0.0, 5, 0.8, 0.05) == 0

    @pytest.mark.parametrize("tests", [5, 20])
    def test_a_difference_of_that_size_is_found_with_the_power_asked_for(self, tests):
        size = smallest(0.1 / np.sqrt(tests), tests - 1, 0.8, 0.05)
        x = np.random.default_rng(0).normal(size, 0.1, (20_000, tests))
        assert (stats.ttest_1samp(x, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(0.8, abs=0.01)

    def test_the_tests_needed_for_the_smallest_difference_are_those_there_are(self):
        board = board_of(np.random.default_rng(0).uniform(size=(6, 40)))
        found = detectable(board, np.full((6, 40), np.nan), 40, 0.8, 0.05)
        (same,) = needed(board, 40, (found.over_tests,), 0.8, 0.05)
        finer, coarser = needed(board, 40, (found.over_tests / 2, found.over_tests * 2), 0.8, 0.05)
        assert same.tests == 40
        assert finer.tests == pytest.approx(160, abs=6)
        assert coarser.tests < 14

    @pytest.mark.parametrize(
        ("items", "differing"), [(8, 0.3), (12, 0.2), (20, 0.2), (40, 0.3), (100, 0.2), (400, 0.5)]
    )
    def test_mcnemars_exact_test_has_the_power_that_is_said(self, items, differing):
        """The variance of a difference d is the share of items that differ less d^2; no more differ than d says."""
        variance = differing - 0.1**2
        size = smallest_exact(np.sqrt(variance / items), items, 0.8, 0.05)
        differ = min(max(variance + size**2, size), 1.0)
        up, down = (differ + size) / 2, (differ - size) / 2
        wins, losses, _ = np.random.default_rng(0).multinomial(items, (up, down, max(1 - up - down, 0)), 40_000).T
        p = 2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
        assert (p <= 0.05).mean() == pytest.approx(0.8, abs=0.01)
        fewest = needed_exact(variance, size + 1e-6, 0.8, 0.05)
        assert fewest <= items
        assert power_of(fewest, size + 1e-6, variance, 0.05) >= 0.8

    @pytest.mark.parametrize("items", [6, 9, 12])
    def test_the_power_is_that_of_all_outcomes(self, items):
        """Enumerated: each item speaks for the one, for the other, or for nobody."""
        size, variance = 0.3, 0.4
        differ = variance + size**2
        chances = np.array([(differ + size) / 2, (differ - size) / 2, 1 - differ])
        total = 0.0
        for wins in range(items + 1):
            for losses in range(items + 1 - wins):
                if 2 * stats.binom.cdf(min(wins, losses), wins + losses, 0.5) <= 0.05 and wins + losses:
                    total += stats.multinomial.pmf([wins, losses, items - wins - losses], items, chances)
        assert power_of(items, size, variance, 0.05) == pytest.approx(total, abs=1e-12)

    def test_closed_forms_of_the_exact_test(self):
        z = 1.959964 + 0.841621
        assert smallest_exact(0.01, 3000, 0.8, 0.05) == pytest.approx(0.01 * z + 1 / 3000)
        assert smallest_exact(0.02, 1000, 0.8, 0.05) == pytest.approx(0.02 * z + 0.001, rel=0.02)
        root = (z * 0.5 + np.sqrt(z**2 * 0.25 + 4 * 0.1)) / 0.2
        assert needed_exact(0.25, 0.1, 0.8, 0.05) == pytest.approx(root**2, rel=0.05)
        # where hardly any items differ, six that all speak for one agent are needed, and none is enough of five
        assert stats.binom.sf(5, 30, smallest_exact(1e-6, 30, 0.8, 0.05)) == pytest.approx(0.8)
        count = needed_exact(1e-9, 0.2, 0.8, 0.05)
        assert stats.binom.sf(5, count, 0.2) >= 0.8 > stats.binom.sf(5, count - 1, 0.2)
        assert smallest_exact(0.1, 5, 0.8, 0.05) > 1
        assert mcnemar(6, 0) <= 0.05 < mcnemar(5, 0)

    def test_answers_of_0_and_1_without_clusters_have_the_exact_tests(self):
        a, b = (np.random.default_rng(0).random((2, 60)) < [[0.7], [0.5]]).astype(float)
        found, error = paired_difference(a, b), (a - b).std(ddof=1) / np.sqrt(60)
        assert found.smallest_difference == pytest.approx(smallest_exact(error, 60, 0.8, 0.05))
        items = np.arange(60)
        for other in (paired_difference(a / 2, b / 2), paired_difference(a, b, items // 2)):
            assert other.smallest_difference == pytest.approx(smallest(other.se, other.df, 0.8, 0.05))
        values = (np.random.default_rng(1).random((4, 60)) < 0.5).astype(float)
        rows = [(f"a{i}", f"t{j}", x) for i, row in enumerate(values) for j, x in enumerate(row)]
        report = suite(Observations.of(pandas.DataFrame(rows, columns=["agent", "domain", "performance"])))
        error = typical_error(board_of(values))
        assert report.smallest_difference.over_tests == pytest.approx(smallest_exact(error, 60, 0.8, 0.05))
        wanted = [needed_exact(error**2 * 60, one.difference, 0.8, 0.05) for one in report.needed]
        assert [one.tests for one in report.needed] == wanted

    def test_the_error_is_pooled_over_pairs(self):
        values = np.random.default_rng(2).uniform(size=(4, 9))
        pairs = [np.var(values[i] - values[j], ddof=1) / 9 for i in range(4) for j in range(i)]
        assert typical_error(board_of(values)) == pytest.approx(np.sqrt(np.mean(pairs)))


class TestLeaderboard:
    def test_a_complete_table_has_means_and_paired_errors(self):
        values = np.random.default_rng(0).uniform(size=(5, 8))
        board = board_of(values)
        assert board.value == pytest.approx(values.mean(axis=1))
        assert board.error == pytest.approx(values.std(axis=1, ddof=1) / np.sqrt(8))

    def test_answers_of_0_and_1_have_wilsons_interval(self):
        values = np.array([[1.0] * 9 + [0.0] * 31, [1.0] * 40, [0.0] * 40])
        board = board_of(values)
        low, high = intervals(board, values, 0.95)
        t = stats.t.ppf(0.975, 39)
        for end in (low[0], high[0]):  # where the truth is t of its own errors from the mean
            assert abs(9 / 40 - end) == pytest.approx(t * np.sqrt(end * (1 - end) / 39))
        assert (low[1], high[1]) == (pytest.approx(40 / (40 + t**2)), pytest.approx(1))
        assert (low[2], high[2]) == (0, pytest.approx(t**2 / (40 + t**2)))

    @pytest.mark.parametrize("shape", [(9, 5), (5, 9)])
    def test_missing_cells_are_adjusted_as_least_squares_would(self, shape):
        rng = np.random.default_rng(3)
        values = np.where(rng.random(shape) < 0.3, np.nan, rng.uniform(size=shape))
        row, column = np.nonzero(~np.isnan(values))
        design = np.zeros((row.size, sum(shape)))
        design[np.arange(row.size), row] = design[np.arange(row.size), shape[0] + column] = 1
        solved = np.linalg.lstsq(design, values[row, column], rcond=None)[0]
        board = board_of(values)
        assert board.value == pytest.approx(solved[: shape[0]] + solved[shape[0] :].mean())

    def test_influences_are_the_derivatives_by_the_tests_weights(self):
        rng = np.random.default_rng(4)
        values = np.where(rng.random((6, 7)) < 0.25, np.nan, rng.uniform(size=(6, 7)))
        board, step = board_of(values), 1e-6

        def contrasts(weights):
            row, column = np.nonzero(~np.isnan(values))
            design = np.zeros((row.size, 13))
            design[np.arange(row.size), row] = design[np.arange(row.size), 6 + column] = 1
            root = np.sqrt(weights[column])
            solved = np.linalg.lstsq(design * root[:, None], values[row, column] * root, rcond=None)[0][:6]
            return solved - solved[0]

        share = (~np.isnan(values)).sum(axis=0) / (~np.isnan(values)).sum()
        for test in range(7):
            more = np.ones(7)
            more[test] += step
            moved = (contrasts(more) - contrasts(np.ones(7))) / step
            ours = (board.influence[:, test] - board.influence[0, test]) * np.sqrt(1 - share[test])
            assert ours == pytest.approx(moved, abs=1e-4)

    def test_bounds_hold_whatever_is_missing(self):
        board = board_of([[0.5, np.nan], [0.5, 0.7], [0.1, 0.2]])
        assert (board.low[0], board.high[0]) == (0.25, 0.75)
        assert (board.low[1], board.high[1]) == (pytest.approx(0.6), pytest.approx(0.6))

    def test_parts_without_a_common_test_are_refused(self):
        with pytest.raises(InputError, match="falls into 2 parts"):
            board_of([[1, 0.5, np.nan, np.nan], [np.nan, np.nan, 0.3, 0.2]])
        rows = [(a, t, q, 0.5) for a, t in (("a", "x"), ("b", "x"), ("c", "y")) for q in "pq"]
        apart = Observations.of(pandas.DataFrame(rows, columns=["agent", "domain", "item", "performance"]))
        with pytest.raises(InputError, match=r"leave out the tests of the others: --drop y$"):
            suite(apart)


class TestRanks:
    def test_signs_are_drawn_as_if_all_were_tried(self):
        rng = np.random.default_rng(5)
        values = rng.uniform(size=(4, 10)) + np.array([[0.0], [0.1], [0.5], [0.9]])
        board = board_of(values / 2)
        largest = []
        for signs in product((-1, 1), repeat=10):
            x = [np.array(signs) * (values[i] - values[j]) for i in range(4) for j in range(i)]
            largest.append(max(abs(one.mean()) / (one.std(ddof=1) / np.sqrt(10)) for one in x))
        exact = np.quantile(largest, 0.98)
        z = (8 * 9 + 1) / (8 * 9 + 3) * np.sqrt(9 * np.log1p(exact**2 / 9))
        assert boards._critical(board, 0.95, rng) == pytest.approx(z, rel=0.1)
        bonferroni = stats.norm.ppf(1 - 0.05 / 12)
        assert boards.ranks(board, order_of(board), 0.95, rng).critical == pytest.approx(min(z, bonferroni), rel=0.1)

    def test_sets_count_who_is_surely_above_and_below(self):
        rng = np.random.default_rng(6)
        values = np.clip(np.array([[0.8], [0.5], [0.5], [0.2]]) + rng.normal(0, 0.02, (4, 60)), 0, 1)
        board = board_of(values)
        found = boards.ranks(board, order_of(board), 0.95, rng)
        assert list(zip(found.low, found.high, strict=True)) == [(1, 1), (2, 3), (2, 3), (4, 4)]
        assert found.group.tolist() == [0, 1, 1, 2]
        assert found.beats[0].tolist() == [False, True, True, True]

    @pytest.mark.parametrize("missing", [0.0, 0.2])
    def test_pairs_are_told_apart_by_their_own_students_limit(self, missing):
        rng = np.random.default_rng(8)
        values = np.clip(rng.uniform(0, 0.6, (25, 1)) + rng.uniform(0, 0.4, (25, 12)), 0, 1)
        values[7] = values[3]
        values = np.where(rng.random(values.shape) < missing, np.nan, values)
        board = board_of(values)
        beats, limits = np.zeros((25, 25), dtype=bool), boards._limits(2.0, board.degrees)
        boards._told_apart(board, order_of(board), limits, True, beats)
        for i in range(25):
            for j in range(25):
                apart = board.sums[i] - board.sums[j]
                error = apart.std(ddof=1) * np.sqrt(12)
                assert beats[i, j] == (i != j and apart.sum() > max(limits[i], limits[j]) * error + 1e-12)

    @pytest.mark.parametrize(("tests", "apart"), [(4, False), (40, True)])
    def test_a_difference_that_is_the_same_everywhere_needs_many_tests(self, tests, apart):
        values = np.vstack([np.ones(tests), np.zeros(tests), np.full(tests, 0.3)])
        board = board_of(values)
        found = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        assert found.beats[0].tolist() == [False, apart, apart]
        near = boards.neighbours(values, board, order_of(board), True, 0.95)
        assert near["p"] == pytest.approx(2.0 ** (1 - tests))  # a sign for every test, all of them alike

    @pytest.mark.parametrize("differing", [1, 2, 3, 4, 5, 6])
    def test_few_items_that_differ_tell_nobody_apart(self, differing):
        """Of k items that all speak for one agent all signs are alike in 2 of 2^k cases: below 7 no verdict."""
        rng = np.random.default_rng(differing)
        for scale in (1.0, 1e-3, 1e-5):
            values = np.tile(rng.uniform(0.2, 0.8, 100), (3, 1))
            values[2, rng.choice(100, differing, replace=False)] += 0.2 * scale
            board = board_of(values)
            found = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
            assert (found.low.tolist(), found.high.tolist()) == ([1, 1, 1], [3, 3, 3])
        board = board_of(rng.uniform(size=(3, 8)), ["one"] * 8)  # nor does one cluster
        found = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        assert (found.low.tolist(), found.high.tolist()) == ([1, 1, 1], [3, 3, 3])

    def test_exchangeable_agents_that_seldom_differ_are_seldom_told_apart(self):
        rng, wrong = np.random.default_rng(1), 0
        for _ in range(100):
            board = board_of((rng.random(100) < 0.5) ^ (rng.random((3, 100)) < 0.02))
            found = boards.ranks(board, order_of(board), 0.95, rng)
            wrong += not (found.low == 1).all() or not (found.high == 3).all()
        assert wrong <= 10  # of 5 expected at most; simulated 1,000 times .01

    def test_many_agents_take_bonferronis_bound_which_is_wider(self, monkeypatch):
        board = board_of(np.random.default_rng(0).uniform(size=(30, 40)))
        few = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        monkeypatch.setattr(boards, "MOST_PAIRS", 10)
        many = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        assert "Bonferroni" in many.method
        assert many.critical >= few.critical

    def test_blocks_of_pairs_give_what_all_pairs_at_once_give(self, monkeypatch):
        rng = np.random.default_rng(1)
        gone = rng.random((30, 25)) < 0.2
        values = np.where(gone, np.nan, np.linspace(0, 0.5, 30)[:, None] + rng.uniform(0, 0.4, (30, 25)))
        board = board_of(values)
        whole = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        monkeypatch.setattr(boards, "BLOCK", 70)
        parts = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        for name in ("low", "high", "group", "beats"):
            assert getattr(whole, name).tolist() == getattr(parts, name).tolist()

    @settings(max_examples=25)
    @given(st.integers(0, 10_000))
    def test_sets_hold_the_rank_and_follow_the_agents(self, seed):
        rng = np.random.default_rng(seed)
        values = np.clip(rng.uniform(0, 0.6, (7, 1)) + rng.uniform(0, 0.4, (7, 12)), 0, 1)
        board, turn = board_of(values), rng.permutation(7)
        found = boards.ranks(board, order_of(board), 0.95, np.random.default_rng(0))
        place = np.argsort(order_of(board)) + 1
        assert (found.low <= place).all()
        assert (place <= found.high).all()
        again = board_of(values[turn])
        moved = boards.ranks(again, order_of(again), 0.95, np.random.default_rng(0))
        assert moved.low.tolist() == found.low[turn].tolist()
        assert (np.diff(found.group[order_of(board)]) >= 0).all()


class TestNeighbours:
    def test_they_are_the_paired_tests(self):
        values = np.random.default_rng(7).uniform(size=(5, 15))
        board = board_of(values)
        order = order_of(board)
        found = boards.neighbours(values, board, order, True, 0.95)
        for k in range(4):
            wanted = paired_difference(values[order[k]], values[order[k + 1]])
            assert found["p"][k] == pytest.approx(wanted.p)
            assert (found["low"][k], found["high"][k]) == pytest.approx(wanted.interval)
        assert found["p_adjusted"] == pytest.approx(clusters.holm(found["p"]))

    def test_0_and_1_without_clusters_have_mcnemars_p_and_with_clusters_students(self):
        values = (np.random.default_rng(8).random((4, 30)) < 0.5).astype(float)
        order = order_of(board_of(values))
        for groups in (None, np.arange(30) // 3):
            found = boards.neighbours(values, board_of(values, groups), order, groups is None, 0.95)
            wanted = paired_difference(values[order[0]], values[order[1]], groups)
            assert found["p"][0] == pytest.approx(wanted.p)


def items(names=("one", "other"), epochs=2, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (name, "exam", float(rng.random() < 0.5), f"q{j}", f"text {j // 4}", str(e))
        for name in names for j in range(24) for e in range(epochs)
    ]  # fmt: skip
    return pandas.DataFrame(rows, columns=["agent", "domain", "performance", "item", "cluster", "epoch"])


class TestScores:
    def test_items_are_means_over_epochs_with_their_noise_and_clusters(self):
        frame = items()
        found = scores(Observations.of(frame))
        assert (found.by, found.values.shape, found.tests[0]) == ("items", (2, 24), "q0")
        assert scores(Observations.of(frame), by="tests").tests == ("exam",)
        assert found.clusters.tolist() == [j // 4 for j in range(24)]
        mine = frame[(frame.agent == "one") & (frame.item == "q3")].performance
        assert found.values[0, 3] == pytest.approx(mine.mean())
        assert found.noise[0, 3] == pytest.approx(mine.var(ddof=1) / 2)
        frame.loc[0, "cluster"] = "text 5"
        with pytest.raises(InputError, match="q0 of exam stands in two clusters"):
            scores(Observations.of(frame))

    def test_tables_of_0_and_1_are_items_and_others_are_tests(self):
        wide = pandas.DataFrame({"agent": ["a", "a", "b", "b"], "domain": ["x", "y"] * 2, "performance": [0, 1, 1, 0]})
        assert scores(Observations.of(wide)).by == "items"
        assert scores(Observations.of(wide.assign(performance=0.5))).by == "tests"

    def test_rows_of_items_are_turned(self):
        values = np.random.default_rng(0).uniform(size=(6, 4))
        wide = pandas.DataFrame(values, index=[f"q{i}" for i in range(6)], columns=list("abcd"))
        found = suite(read(wide), items_in="rows", resamples=5, halves=4)
        assert sorted(agent.agent for agent in found.agents) == list("abcd")
        assert len(found.tests) == 6


class TestTwo:
    def test_two_tables_are_one_table_of_two_agents(self):
        frame = items()
        whole = two_agents(Observations.of(frame), ("one", "other"))
        parts = [Observations.of(frame[frame.agent == name].reset_index(drop=True)) for name in ("one", "other")]
        assert two_tables(*parts, ("first", "second")) == whole
        assert (whole.clusters, whole.items, whole.a) == (6, 24, "one")
        assert 0 < whole.share_of_epochs <= 1
        alike = [Observations.of(items(("me",), seed=seed)) for seed in (0, 1)]
        found = two_tables(*alike, ("first", "second"))
        assert (found.a, found.b) == ("first", "second")


def test_where_interval_and_p_disagree_the_screen_says_which_decides():
    rows = [(agent, i, int(i < 40 and (agent == "a" or i > 4))) for i in range(60) for agent in "ab"]
    items = pandas.DataFrame(rows, columns=["agent", "item", "score"])
    told = "\n".join(str(part.sentences) for part in aiq.compare(items, agents=("a", "b")).parts())
    assert "the interval leaves out 0, while p is not below 0.05" in told
    equal = items[items["item"] > 4]
    assert "two tests of the same items" not in str(aiq.compare(equal, agents=("a", "b")).parts())
