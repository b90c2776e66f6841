"""The one form of results: cells, means, errors, items, gaps, and what is refused."""

import math

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.records.observations import Observations

RUNS = {
    "agent": ["b", "b", "b", "a"],
    "domain": ["x", "x", "y", "x"],
    "performance": [0.5, 0.7, 1.0, 0.25],
    "repetition": ["1", "2", "1", "1"],
}
GAPS = Observations.of({"agent": ["a", "a", "b"], "domain": ["x", "y", "x"], "performance": [0.5, 0.5, 0.5]})


def items(performance, clusters=None, epochs=None, agent="a"):
    rest = {} if clusters is None else {"cluster": clusters}
    names = [f"q{k}" for k in range(len(performance))] if epochs is None else [f"q{k // 2}" for k in range(8)]
    rest |= {} if epochs is None else {"epoch": epochs}
    return Observations.of({"agent": agent, "domain": "t", "item": names, "performance": performance, **rest})


def test_names_stay_in_the_order_in_which_they_came_and_a_cell_without_a_row_is_missing():
    found = Observations.of(RUNS)
    assert (found.agents, found.domains, found.n) == (("b", "a"), ("x", "y"), 4)
    assert found.missing == (("a", "y"),)
    np.testing.assert_allclose(found.wide(), [[0.6, 1.0], [0.25, np.nan]])
    assert found.counts().tolist() == [[2, 1], [1, 0]]
    assert found.repetitions("b", "x").tolist() == [0.5, 0.7]
    np.testing.assert_allclose(found.variances(), [[0.02 / 2, np.nan], [np.nan, np.nan]])


def test_stated_errors_are_those_of_means_over_repetitions():
    found = Observations.of({**RUNS, "se": [0.3, 0.4, 0.1, np.nan]})
    np.testing.assert_allclose(found.errors(), [[0.25, 0.1], [np.nan, np.nan]])
    np.testing.assert_allclose(found.variances(), [[0.01, 0.01], [np.nan, np.nan]])


def test_a_test_of_items_has_the_mean_of_items_and_its_error():
    scores = [1.0, 0.0, 1.0, 1.0, 0.5]
    (row,) = items(scores).tests().frame.to_dict("records")
    assert row["performance"] == pytest.approx(np.mean(scores))
    assert row["se"] == pytest.approx(np.std(scores, ddof=1) / math.sqrt(5))
    assert items(scores).wide().loc["a", "t"] == pytest.approx(0.7)
    assert items([1.0]).tests().frame["se"].isna().all()


def test_clusters_are_added_up_before_they_are_squared():
    scores, clusters = [1.0, 0.0, 1.0, 1.0, 0.5], ["p", "p", "q", "q", None]
    apart = np.array(scores) - 0.7
    sums = [apart[0] + apart[1], apart[2] + apart[3], apart[4]]
    (row,) = items(scores, clusters).tests().frame.to_dict("records")
    assert row["se"] == pytest.approx(math.sqrt(np.square(sums).sum() * 3 / 2) / 5)


def test_tries_at_an_item_are_averaged_before_the_items():
    scores = [1, 0, 1, 1, 0, 0, 0.5, 1]
    (row,) = items(scores, epochs=list("12121212")).tests().frame.to_dict("records")
    by_item = np.reshape(scores, (4, 2)).mean(axis=1)
    assert (row["performance"], row["se"]) == pytest.approx((by_item.mean(), by_item.std(ddof=1) / 2))


def test_weights_count_tries_within_an_item_and_not_between_items():
    found = Observations.of(
        {"agent": "a", "domain": "t", "item": list("iij"), "epoch": list("121"), "performance": [1, 0, 0.5]}
        | {"weight": [3, 1, 9]}
    )
    assert found.wide().loc["a", "t"] == pytest.approx((0.75 + 0.5) / 2)
    np.testing.assert_allclose(found.wide("item").loc["a", "t"], [0.75, 0.5])


def test_agents_by_items_keeps_items_of_one_name_on_two_tests_apart():
    found = Observations.of(
        {"agent": list("aaab"), "domain": list("xyxx"), "item": list("iijj"), "performance": [1, 0, 0.5, 0.25]}
    )
    wide = found.wide("item")
    assert list(wide.columns) == [("x", "i"), ("y", "i"), ("x", "j")]
    np.testing.assert_allclose(wide, [[1, 0, 0.5], [np.nan, np.nan, 0.25]])


def test_missing_cells_are_handled_by_the_stated_rule():
    assert GAPS.complete("keep") is GAPS
    with pytest.raises(InputError, match=r"1 of 4 cells are missing, the first that of agent b on y"):
        GAPS.complete("refuse")
    assert GAPS.complete("agents").agents == ("a",)
    assert GAPS.complete("domains").domains == ("x",)
    zero = GAPS.complete("zero")
    assert zero.wide().loc["b", "y"] == 0
    for rule in ("agents", "domains", "zero"):
        done = GAPS.complete(rule)
        assert not done.missing
        assert any("1" in said for said in done.decisions)
    with pytest.raises(InputError, match="did you mean"):
        GAPS.complete("agent")


def test_some_tests_in_another_order():
    found = Observations.of(RUNS).only(["y", "x"])
    assert found.domains == ("y", "x")
    found = found.only(["y"])
    assert found.agents == ("b",)
    assert [one.name for one in found.skipped] == ["x", "a"]
    with pytest.raises(InputError, match="the domain is 'z'"):
        found.only(["z"])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"performance": [0.5, 0.7, 1.1, 0.2]}, r"performance of b on y is 1.1, it must be in \[0, 1\]"),
        ({"se": [0.1, 0.1, -1, 0.1]}, "se of b on y is -1"),
        ({"se": [0.1, 0.1, math.inf, 0.1]}, "se of b on y is inf"),
        ({"repetition": ["1", "1", "1", "1"]}, "agent b has domain x, repetition 1 twice"),
        ({"agent": ["b", None, "b", "a"]}, r"row 1 .*agent is empty"),
        ({"colour": 1}, "a column of the results is 'colour'"),
        ({"performance": [math.nan] * 4}, "no score"),
        ({"performance": ["high"] * 4}, "must hold numbers"),
        ({"domain": None}, "lack the column 'domain'"),
    ],
)
def test_what_is_no_result_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        Observations.of({name: column for name, column in {**RUNS, **change}.items() if column is not None})


rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("12"), st.floats(0, 1)),
    min_size=1,
    unique_by=lambda row: row[:3],
)


@settings(max_examples=60)
@given(rows)
def test_cells_are_those_of_a_plain_group_by(found):
    frame = pandas.DataFrame(found, columns=["agent", "domain", "repetition", "performance"])
    seen = Observations.of(frame)
    groups = frame.groupby(["agent", "domain"])["performance"]
    wanted = groups.agg(["mean", "var", "count"]).assign(error=lambda t: t["var"] / t["count"])
    wide, variances = seen.wide(), seen.variances()
    assert len(seen.missing) == wide.size - len(wanted)
    for (agent, domain), row in wanted.iterrows():
        i, j = seen.agents.index(agent), seen.domains.index(domain)
        assert wide.loc[agent, domain] == pytest.approx(row["mean"])
        assert variances[i, j] == pytest.approx(row["error"], nan_ok=True, abs=1e-12)
        assert seen.repetitions(agent, domain).tolist() == list(groups.get_group((agent, domain)))
