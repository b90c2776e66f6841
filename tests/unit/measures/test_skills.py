"""The mean over independent skills: closed forms, properties, and suites that have no headline."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from aiq.errors import InputError
from aiq.measures import apti, skills, weighing
from aiq.records.estimate import plain


def names(n):
    return [f"t{i:02d}" for i in range(n)]


def kin(n, cosine, strangers=0):
    """Return the cosines of n kin and of some strangers."""
    matrix = np.eye(n + strangers)
    matrix[:n, :n] = cosine
    np.fill_diagonal(matrix, 1.0)
    return matrix


def values_of(length, cosines, performances, **how):
    weights = weighing.weigh(names(len(length)), length, cosines=cosines, **how)
    agents = {f"a{i}": list(row) for i, row in enumerate(performances)}
    found = {agent.agent: agent for agent in skills.score(weights, agents).agents}
    return [found[name] for name in agents]


def shifted(v, w):
    return np.exp(np.average(np.log(np.asarray(v) + 0.05), weights=w)) - 0.05


class TestUniqueness:
    def test_strangers_count_one_each_and_contradictions_are_strangers(self):
        assert weighing.uniqueness(np.eye(4)).tolist() == [1, 1, 1, 1]
        assert weighing.uniqueness(kin(3, -0.5)).tolist() == [1, 1, 1]

    def test_copies_take_nothing_from_a_bystander(self):
        """A is kin (.7) to B, which stands there twenty times, and there is one stranger: A's share stays .287."""
        for copies in (1, 20):
            cosines = np.eye(copies + 2)
            cosines[1 : copies + 1, 1 : copies + 1] = 1.0
            cosines[0, 1 : copies + 1] = cosines[1 : copies + 1, 0] = 0.7
            found = weighing.uniqueness(cosines)
            assert found[0] / found.sum() == pytest.approx(0.287, abs=5e-4)

    def test_kin_share_what_they_have_in_common(self):
        assert weighing.uniqueness(kin(2, 0.6)) == pytest.approx([1 / 1.36] * 2, rel=1e-6)

    def test_noise_between_many_strangers_adds_up_to_no_kinship(self):
        rng, n, sd = np.random.default_rng(0), 40, 0.15
        noise = np.triu(sd * rng.normal(size=(200, n, n)), 1)
        drawn = np.eye(n) + noise + noise.transpose(0, 2, 1)
        plain, debiased = (
            weighing.uniqueness(drawn).sum(axis=1),
            weighing.uniqueness(drawn, np.full((n, n), sd**2)).sum(1),
        )
        assert plain.mean() < 30
        assert debiased.mean() == pytest.approx(n, abs=2.5)

    @given(arrays.arrays(float, (5, 5), elements=st.floats(-1.5, 1.5)))
    def test_lies_in_0_to_1_whatever_was_measured(self, cosines):
        found = weighing.uniqueness((cosines + cosines.T) / 2, 0.1)
        assert np.all((found > 0) & (found <= 1))


class TestClosedForms:
    def test_orthogonal_and_equal_is_the_shifted_geometric_mean(self):
        (found,) = values_of(np.ones(4), np.eye(4), [[0.2, 0.4, 0.9, 1.0]])
        assert found.value.value == pytest.approx(shifted([0.2, 0.4, 0.9, 1.0], np.ones(4)))

    @pytest.mark.parametrize("m", [1, 2, 7])
    def test_copies_and_a_stranger_of_equal_length_count_half_each(self, m):
        weights = weighing.weigh(names(m + 1), np.ones(m + 1), cosines=kin(m, 1.0, strangers=1))
        assert weights.shares == pytest.approx([0.5 / m] * m + [0.5])
        assert weights.independent.value == pytest.approx(2)
        (found,) = values_of(np.ones(m + 1), kin(m, 1.0, strangers=1), [[0.9] * m + [0.3]])
        assert found.value.value == pytest.approx(shifted([0.9, 0.3], [1, 1]))

    def test_one_test_is_its_performance(self):
        weights = weighing.weigh(["only"], [0.4])
        assert skills.score(weights, {"a": [[0.3, 0.5]]}).agents[0].value.value == pytest.approx(0.4)
        assert weights.independent.value == 1

    def test_three_kin_and_three_strangers_as_a_person_sees_them(self):
        cosines = kin(3, 1 - 0.15**2, strangers=3)
        a, b, c = values_of(np.ones(6), cosines, [[0.95] * 3 + [0.6] * 3, [0.6] * 3 + [0.9] * 3, [0.76] * 6])
        assert [agent.value.value for agent in (b, c, a)] == pytest.approx([0.81, 0.76, 0.67], abs=0.007)
        assert [agent.mean.value for agent in (a, b, c)] == pytest.approx([0.775, 0.75, 0.76])

    def test_an_easy_test_counts_nothing_and_a_hard_one_more(self):
        hard, easy = values_of([0.9, 0.3, 0.0], np.eye(3), [[0.8, 0.4, 0.0], [0.4, 0.8, 1.0]])
        assert hard.value.value == pytest.approx(shifted([0.8, 0.4], [3, 1]))
        assert hard.value.value > easy.value.value

    def test_profile_holds_the_arithmetic_and_the_harmonic_mean(self):
        (found,) = values_of([1.0, 1.0], np.eye(2), [[0.2, 0.8]])
        assert found.profile[1].value == pytest.approx(0.5)
        assert found.profile[-1].value == pytest.approx(2 / (1 / 0.25 + 1 / 0.85) - 0.05)
        assert found.profile[1].value > found.profile[0].value > found.profile[-1].value

    def test_the_largest_dissimilarity_is_a_right_angle(self):
        d = np.array([[0, 2.0, 1.0], [2.0, 0, 2.0], [1.0, 2.0, 0]])
        byd, bycos = weighing.weigh("abc", np.ones(3), d), weighing.weigh("abc", np.ones(3), cosines=1 - d**2 / 4)
        assert byd.uniqueness == pytest.approx(bycos.uniqueness)


suites = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        arrays.arrays(float, n, elements=st.floats(0.05, 1)),
        arrays.arrays(float, (n, n), elements=st.floats(-1, 1)).map(lambda x: (x + x.T) / 2),
        arrays.arrays(float, n, elements=st.floats(0, 1)),
    )
)


class TestProperties:
    @given(suites, st.integers(0, 5), st.floats(0, 1), st.floats(0.01, 100))
    def test_a_mean_of_the_performances_that_rises_with_each_of_them(self, suite, which, to, factor):
        length, cosines, v = suite
        better = v.copy()
        better[which % v.size] = max(to, v[which % v.size])
        before, risen, equal = values_of(length, cosines, [v, better, np.full(v.size, to)])
        for power in (1, 0, -1):
            assert equal.profile[power].value == pytest.approx(to, abs=1e-12)
            assert risen.profile[power].value >= before.profile[power].value - 1e-12
        assert v.min() - 1e-12 <= before.value.value <= v.max() + 1e-12
        (scaled,) = values_of(factor * length, cosines, [v])
        assert scaled.value.value == pytest.approx(before.value.value, abs=1e-12)

    @settings(max_examples=25)
    @given(suites, st.integers(0, 1000))
    def test_the_order_of_tests_changes_no_digit(self, suite, seed):
        length, cosines, v = suite
        turn = np.random.default_rng(seed).permutation(v.size)
        d = np.clip(1 - cosines, 0, None)
        np.fill_diagonal(d, 0)
        se = {"length_se": 0.02 * length, "dissimilarity_se": 0.1 + 0.1 * d, "end_se": 0.05 * length, "draws": 30}
        turned = {name: value if name == "draws" else value[turn] for name, value in se.items()}
        turned["dissimilarity_se"] = turned["dissimilarity_se"][:, turn]
        label = np.array(names(v.size))
        one = weighing.weigh(label, length, d, **se)
        other = weighing.weigh(label[turn], length[turn], d[np.ix_(turn, turn)], **turned)
        assert np.array_equal(one.uniqueness[turn], other.uniqueness)
        assert length.size == 1 or np.array_equal(one.uniqueness_replicates[:, turn], other.uniqueness_replicates)
        assert [one.tests[i].domain for i in turn] == list(other.domains)

    @given(suites, st.integers(0, 5), st.integers(1, 4))
    def test_exact_copies_change_next_to_nothing(self, suite, which, times):
        """A copy shares its original's place: next to nothing changes for tests that are less than .8 alike."""
        _, cosines, _ = suite
        cosines = np.minimum(cosines, 0.8)
        np.fill_diagonal(cosines, 1.0)
        i, n = which % len(cosines), len(cosines)
        again = [*range(n), *[i] * times]
        few = weighing.uniqueness(cosines)
        grown = weighing.uniqueness(np.where(np.equal.outer(again, again), 1.0, cosines[np.ix_(again, again)]))
        others = [j for j in range(n) if j != i]
        assert grown[others] == pytest.approx(few[others], rel=0.005)
        assert grown[np.equal(again, i)].sum() == pytest.approx(few[i], rel=0.005)


class TestErrors:
    def test_without_errors_there_are_no_intervals_and_it_is_said(self):
        weights = weighing.weigh("ab", [1, 1], [[0, 1], [1, 0]])
        found = skills.score(weights, {"x": [0.3, 0.4], "y": [0.5, 0.6]})
        assert all(agent.value.interval is None and agent.rank == (1, 2) for agent in found.agents)
        assert found.order_probabilities is None
        assert any("lengths" in one for one in found.warnings)
        assert any("repetition" in one for one in found.warnings)

    def test_repetitions_alone_give_students_interval_of_one_test(self):
        rng = np.random.default_rng(0)
        v = rng.uniform(0.4, 0.5, 20)
        (agent,) = skills.score(weighing.weigh(["t"], [1.0]), {"a": [v]}).agents
        half = 2.093 * v.std(ddof=1) / np.sqrt(20)
        low, high = agent.value.interval
        assert (low, high) == pytest.approx((v.mean() - half, v.mean() + half), abs=5e-4)

    def test_errors_of_lengths_are_those_of_the_delta_method(self):
        weights = weighing.weigh("ab", [0.8, 0.4], cosines=np.eye(2), length_se=[0.01, 0.02])
        found = skills.score(weights, {"x": [0.9, 0.3]})
        w, y = np.array([0.8, 0.4]), np.log(np.array([0.9, 0.3]) + 0.05)
        slope = (y - np.average(y, weights=w)) / w.sum() * (found.agents[0].value.value + 0.05)
        assert np.sqrt(found.covariance[0, 0]) == pytest.approx(np.sqrt(((slope * [0.01, 0.02]) ** 2).sum()))

    def test_draws_of_directions_are_those_of_a_slow_loop(self):
        rng = np.random.default_rng(1)
        drawn = np.clip(0.5 + 0.2 * rng.normal(size=(300, 3, 3)), -1, 1)
        drawn = (drawn + drawn.transpose(0, 2, 1)) / 2
        length, v = np.array([0.5, 0.7, 0.2]), np.array([0.9, 0.3, 0.6])
        weights = weighing.weigh("abc", length, cosines=kin(3, 0.5), cosine_replicates=drawn, draws=300)
        found = skills.score(weights, {"x": list(v)})
        value = found.agents[0].value.value
        loop = []
        for one in drawn:
            w = length * weighing.uniqueness(one, drawn.var(axis=0))
            loop.append((value + 0.05) * (np.average(np.log(v + 0.05), weights=w) - np.log(value + 0.05)))
        assert found.covariance[0, 0] == pytest.approx(np.mean(np.square(loop)))

    @pytest.mark.parametrize("draws", [7, 20, 33])
    def test_ready_draws_are_all_used_once_however_they_are_cut(self, monkeypatch, draws):
        rng = np.random.default_rng(3)
        drawn = np.clip(kin(5, 0.5) + 0.1 * rng.normal(size=(20, 5, 5)), -1, 1)
        found = []
        for held in (weighing.NUMBERS, 6 * 25):  # all at once; six at a time, as a suite of many tests is cut
            monkeypatch.setattr(weighing, "NUMBERS", held)
            weights = weighing.weigh("abcde", np.ones(5), cosines=kin(5, 0.5), cosine_replicates=drawn, draws=draws)
            found.append(weights.uniqueness_replicates)
        whole, cut = found
        each = weighing.uniqueness(drawn, drawn.var(axis=0))
        assert len(whole) == len(cut) == draws
        assert np.array_equal(whole[:20], each[:draws])
        assert np.array_equal(cut[:20], each[:draws])
        assert all((each == row).all(axis=1).any() for row in [*whole[20:], *cut[20:]])

    def test_variances_of_cosines_are_those_of_many_measurements(self):
        rng = np.random.default_rng(2)
        d = np.array([[0, 1, 0.5, 0.7], [1, 0, 0.8, 0.6], [0.5, 0.8, 0, 0.3], [0.7, 0.6, 0.3, 0]])
        inner, ends = 0.03 * (1 - np.eye(4)), np.array([0.01, 0.03, 0.02, 0.015])
        own = np.triu(0.03 * rng.normal(size=(20_000, 4, 4)), 1)
        shared = ends * rng.normal(size=(20_000, 4))
        seen = d + own + own.transpose(0, 2, 1) + shared[:, :, None] + shared[:, None, :]
        squares = seen**2 / (seen[:, :1, 1:2] ** 2)
        found = weighing._of_areas(tuple("abcd"), d, inner, ends, np.inf)
        off = np.triu_indices(4, 1)
        assert found.variance[off] == pytest.approx(squares.var(axis=0)[off], rel=0.1, abs=1e-6)
        assert found.variance[0, 1] == 0  # the largest is a right angle by definition

    def test_what_agents_share_cancels_in_their_difference(self):
        weights = weighing.weigh("ab", [0.5, 0.5], cosines=np.eye(2), length_se=[0.2, 0.2])
        found = skills.score(weights, {"x": [[0.9, 0.91], [0.3, 0.31]], "y": [[0.89, 0.9], [0.29, 0.3]]})
        apart = skills.difference(found, "x", "y")
        wide = found.agents[0].value.interval
        assert apart.interval[1] - apart.interval[0] < (wide[1] - wide[0]) / 4
        assert apart.value == pytest.approx(found.agents[0].value.value - found.agents[1].value.value)

    def test_standard_errors_of_tables_serve_where_nothing_was_repeated(self):
        weights = weighing.weigh("ab", [1, 1], cosines=np.eye(2))
        found = skills.score(weights, {"x": [0.5, 0.5]}, se={"x": [0.02, 0.02]})
        low, high = found.agents[0].value.interval
        assert (high - low) / 3.92 == pytest.approx(0.02 / np.sqrt(2), rel=0.02)

    def test_a_length_below_its_own_error_counts_nothing_in_the_value(self):
        weights = weighing.weigh("ab", [0.5, 0.03], cosines=np.eye(2), length_se=[0.05, 0.05])
        assert weights.shares.tolist() == [1, 0]
        assert weights.tests[1].why.startswith("counts nothing")
        found = skills.score(weights, {"x": [0.9, 0.1]}).agents[0]
        assert found.value.value == pytest.approx(0.9)
        assert found.value.interval[0] < 0.85  # the interval knows that the second test may be hard


class TestNoHeadline:
    @pytest.mark.parametrize(
        ("length", "se"),
        [([0, 0], None), ([0.01, 0.01], [0.1, 0.1]), ([-0.02, 0.01], [0.5, 0.5]), ([-0.1, -0.2], None)],
    )
    def test_a_suite_without_a_hard_test_says_so_in_one_sentence(self, length, se):
        weights = weighing.weigh("ab", length, [[0, 1], [1, 0]], length_se=se)
        found = skills.score(weights, {"x": [[0.5, 0.6], [0.5, 0.7]], "y": [0.1, 0.2]})
        assert found.reason.startswith("no test is shown to be harder than its base")
        assert plain(found)["agents"][0]["value"] is None
        assert [agent.agent for agent in found.agents] == ["x", "y"]
        assert all(agent.rank == (1, 2) for agent in found.agents)
        assert found.warnings[0] == found.reason

    def test_odd_suites_have_a_record(self):
        equal = weighing.weigh("ab", [1, 1], np.zeros((2, 2)), dissimilarity_se=np.full((2, 2), 0.1))
        assert equal.shares == pytest.approx([0.5, 0.5], abs=0.01)
        assert 1 <= equal.independent.value <= 2
        nobody = skills.score(equal, {"x": [[0.0, 0.0]] * 2, "y": [[0.0, 0.0]] * 2})
        assert [agent.value.value for agent in nobody.agents] == pytest.approx([0, 0], abs=1e-12)
        assert [agent.rank for agent in nobody.agents] == [(1, 2), (1, 2)]
        assert skills.score(equal, {"x": [[1.0], [1.0]]}).agents[0].value.value == pytest.approx(1)

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            ({"length": [1]}, "one finite number for each of 2 tests"),
            ({"length": [1, np.nan]}, "one finite number"),
            ({"dissimilarity": [[0, -1], [-1, 0]]}, "must be a finite number of at least 0"),
            ({"length_se": [1, -1]}, "standard error"),
            ({"domains": "aa"}, "'a' is named 2 times"),
        ],
    )
    def test_malformed_input_is_refused_in_one_sentence(self, change, sentence):
        given = {"domains": "ab", "length": [1, 1], "dissimilarity": [[0, 1], [1, 0]], **change}
        with pytest.raises(InputError, match=sentence):
            weighing.weigh(**given)


def test_the_unit_of_dissimilarities_moves_no_interval():
    """Areas of real suites are far below 1: their draws are taken over the largest of them, as the value is."""
    areas = np.array([[0.0, 1.0, 0.6], [1.0, 0.0, 0.8], [0.6, 0.8, 0.0]])
    large, small = (
        weighing.weigh("abc", [1, 1, 1], unit * areas, dissimilarity_se=np.full((3, 3), 0.02 * unit))
        for unit in (1.0, 0.001)
    )
    assert np.allclose(large.uniqueness_replicates, small.uniqueness_replicates)
    assert small.uniqueness_replicates.mean(axis=0) == pytest.approx(small.uniqueness, abs=0.02)
    assert small.independent.interval == pytest.approx(large.independent.interval)


# ---- APTI: the agent's performance over its own and the baseline's -------------------------------


performance = st.floats(0, 1, allow_subnormal=False)


@pytest.mark.parametrize(
    ("own", "other", "value"), [(0.8, 0.2, 0.8), (0.3, 0.3, 0.5), (0, 1, 0), (1, 0, 1), (1, 1, 0.5), (0, 0, 0.5)]
)
def test_values_by_hand(own, other, value):
    assert apti.ratio(own, other) == pytest.approx(value, abs=1e-15)


@given(performance, performance)
def test_agent_and_baseline_in_each_others_place_give_the_rest(a, b):
    assert apti.ratio(a, b) + apti.ratio(b, a) == pytest.approx(1)


@given(performance, performance, performance)
def test_a_better_agent_never_has_less_and_a_better_baseline_never_gives_more(a, b, c):
    low, high = sorted((a, b))
    if c > 0:
        assert apti.ratio(low, c) <= apti.ratio(high, c)
        assert apti.ratio(c, low) >= apti.ratio(c, high)


def test_the_mean_is_that_of_the_domains_and_repetitions_are_averaged_first():
    nothing = apti.measure([[0.0, 0.0]], [[0.0, 0.0]], resamples=50)
    assert (nothing.mean.value, nothing.mean.interval) == (0.5, (0.5, 0.5))
    found = apti.measure([[0.2, 0.6], [1.0, 1.0]], [[0.4, 0.4], [0.0, 0.5]], resamples=200)
    assert [e.value for e in found.domains] == pytest.approx([0.5, 0.8])
    assert found.mean.value == pytest.approx(0.65)
    assert found.replicates.mean(axis=1).std() > 0


def test_the_interval_covers_the_true_ratio():
    """Two normal means of 0.6 and 0.3, 12 repetitions: 2/3 lies in a 95 % interval nine times in ten or more."""
    rng, inside = np.random.default_rng(0), 0
    for k in range(200):
        own, other = (np.clip(rng.normal(m, 0.05, 12), 0, 1) for m in (0.6, 0.3))
        low, high = apti.measure([own], [other], resamples=300, seed=k).domains[0].interval
        inside += low <= 2 / 3 <= high
    assert 0.86 <= inside / 200 <= 0.99


def test_one_repetition_on_both_sides_has_no_interval():
    found = apti.measure([[0.5], [0.5]], [[0.25], [0.25, 0.3]], resamples=20)
    assert found.domains[0].interval is None
    assert found.domains[1].interval is not None


@pytest.mark.parametrize(
    ("own", "other", "words"),
    [
        ([[1.5]], [[0.5]], "performance is 1.5"),
        ([[0.5]], [[np.nan]], "is nan"),
    ],
)
def test_refusals(own, other, words):
    with pytest.raises(InputError, match=words):
        apti.measure(own, other)
