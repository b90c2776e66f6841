"""What a page is made of: charts from tables, pairs that are kept, tables for reading, size, sameness."""

from __future__ import annotations

import json
import re

import made_pages
import numpy as np
import plotly.graph_objects as go
import pytest

from aiq import pages
from aiq.errors import InputError
from aiq.pages import LIMIT, matrix, rendering
from aiq.pages.building import dots, lines, spectrum
from aiq.pages.series import bars, words
from aiq.pages.trust import told_apart, undecided
from aiq.plans import charts
from aiq.records.table import Table


def views(chart: dict) -> list[dict]:
    return [*chart["views"].values(), *chart.get("curves", {}).values()]


def test_plotly_takes_every_chart():
    found = made_pages.charted(made_pages.sources(8, 4, 4))
    assert {"agents", "space-solid", "spectrum", "contributions", "complexity-panel", "dissimilarity-matrix"} == set(
        found
    )
    for chart in found.values():
        for view in views(chart.as_dict()):
            assert go.Figure(view["data"], view["layout"]).data
        json.dumps(chart.as_dict(), allow_nan=False)


def test_numbers_have_the_decimals_that_their_intervals_call_for():
    assert words(0.87665, 0.85729, 0.90530) == "0.877 [0.857, 0.905]"
    assert words(1597.2, 1330.4, 1879.1) == "1597 [1330, 1879]"
    assert words(0.0, -0.002, 0.003) == "0.0000 [-0.0020, 0.0030]"
    assert words(0.5) == "0.5"
    assert words(None) == "–"


def test_bars_reach_the_ends_of_intervals_even_where_the_value_lies_outside():
    found = bars([1.0, 2.0, 3.0], [0.5, 2.5, None], [1.25, 3.0, None])
    assert found["array"] == [0.25, 1.0, 0.0]
    assert found["arrayminus"] == [0.5, 0.0, 0.0]
    assert bars([1.0], [None], [None]) is None


def test_lines_have_a_view_per_quantity_and_facet():
    table = Table.of(
        ("class", "agent", "budget", "up", "up_low", "up_high", "level"),
        [(c, a, b, 0.1 * b, 0.05 * b, 0.2 * b, 3.0) for c in ("cups", "grid") for a in "xy" for b in (1, 10, 100)],
    )
    declared = charts.Lines(("budget",), (("up", "Υ"), ("level", "ξ")), "agent", "budget", ("class",), log_x=True)
    found = lines(declared, table, {"Υ": "Υ (1)"})
    assert [one.words for one in found.choices] == [("Υ", "ξ"), ("cups", "grid")]
    assert set(found.views) == {"0,0", "0,1", "1,0", "1,1"}
    first = found.views["0,1"]
    assert first["layout"]["yaxis"]["title"]["text"] == "Υ (1)"
    assert first["data"][0]["x"] == [1.0, 10.0, 100.0]
    assert first["data"][0]["error_y"]["array"] == pytest.approx([0.1, 1.0, 10.0])
    assert first["layout"]["xaxis"]["tickvals"] == [1, 10, 100]


def test_dots_leave_out_what_was_not_measured():
    table = Table.of(("agent", "a", "b"), [("x", 0.5, None), ("y", 0.25, None)])
    found = dots(charts.Dots("agent", (("a", "A"), ("b", "B")), "score", (0, 1)), table, {})
    (only,) = found.views[""]["data"]
    assert only["name"] == "A"
    assert only["x"] == [0.5, 0.25]


def test_a_spectrum_shows_sizes_below_zero_and_cuts_what_a_logarithm_has_not():
    table = Table.of(
        ("dimension", "eigenvalue", "low", "high", "threshold", "kept"),
        [(1, 4.0, 3.0, 5.0, None, True), (2, 0.5, -0.1, 0.9, 0.2, False), (3, -0.25, -0.3, -0.1, None, False)],
    )
    data = {one["name"]: one for one in spectrum(table).views[""]["data"]}
    assert data["below 0 (its size)"]["y"] == [0.25]
    assert data["dropped"]["error_y"]["arrayminus"][0] < 0.5
    assert data["noise threshold"]["x"] == [2]


PAIRS = [(a, b) for k, a in enumerate("abcdef") for b in "abcdef"[k:]]


def test_kept_pairs_are_those_asked_for_then_the_extremes():
    size = {pair: abs(ord(pair[0]) - ord(pair[1])) + 0.01 * PAIRS.index(pair) for pair in PAIRS}
    kept = matrix.notable(PAIRS, size, [("d", "c")], 4)
    others = sorted((p for p in PAIRS if p[0] != p[1]), key=size.__getitem__)
    assert kept[0] == ("c", "d")
    assert kept[1] == others[-1]
    assert set(kept[2:]) <= {others[0], others[1], others[-2]}
    assert matrix.notable(PAIRS, size, [("a", "b"), ("a", "c")], 0) == [("a", "b"), ("a", "c")]
    whole = matrix.notable(PAIRS, size, [], 1000)
    assert sorted(whole) == sorted(PAIRS)
    assert all(a == b for a, b in whole[-6:])


def test_a_table_for_reading_joins_intervals_and_tells_repeated_words_once():
    said = "the number of dimensions is uncertain, and so on"
    table = Table.of(
        ("agent", "x", "x_low", "x_high", "flag", "n", "warnings"), [("a", 1.0, 0.9, 1.1, True, 3, said)] * 2
    )
    found = pages.rendering.merged(table)
    assert found["columns"] == [("agent", False), ("x", True), ("flag", True), ("n", True)]
    assert found["rows"][0] == ["a", "1.00 [0.90, 1.10]", "yes", "3"]
    assert found["said"] == {"warnings": said}


def test_the_page_is_whole_and_asks_no_network():
    made = made_pages.page(8, 4, 4).decode()
    assert made.encode() == made_pages.page(8, 4, 4)
    body = re.sub(r'<script type="text/plain".*?</script>', "", made, flags=re.DOTALL)
    assert not re.search(r'(src|href)="(?!data:|#|figures/|tables/)', body)
    assert "name: made &lt;suite&gt;" in body
    assert made.index("How far this can be trusted") < made.index("figure-space-solid")


@pytest.mark.slow
def test_a_page_of_200_domains_stays_below_its_limit_and_says_what_it_leaves_out():
    made = made_pages.page(200, 12, 20, trials=500)
    assert len(made) < LIMIT
    words = made.decode()
    assert "curves of 300 of 20100 pairs" in words
    assert "Of the 100000 trials one in 5 is drawn" in words
    assert re.search(r"This page holds the first \d+ of 20100 rows", words)


def test_a_page_that_cannot_be_small_is_refused(monkeypatch):
    monkeypatch.setattr(rendering, "LIMIT", 100_000)
    with pytest.raises(InputError, match=r"may have 0; give a smaller page\.curves"):
        made_pages.page(8, 4, 4)


def test_sentences_of_trust():
    assert "1 of 2 neighbours" in told_apart(["a", "b", "c"], [0.99, 0.6])
    assert "b and c (0.60)" in told_apart(["a", "b", "c"], [0.99, 0.6])
    assert told_apart(["a", "b"], [0.99]).startswith("Every agent is above the next one")
    assert told_apart(["a", "b"], [None]) == "How sure the order is has not been measured."
    assert "All 1 differences" in undecided([("a", "b", True)])
    assert "0 of 1 differences between agents at 5 cycles are decided" in undecided([("a", "b", False)], " at 5 cycles")


def test_hulls_of_agents_lie_inside_the_suites():
    chart = made_pages.charted(made_pages.sources(8, 4, 4))["space-solid"]
    suite, *agents = chart.more["hulls"]
    assert suite["name"] == "suite"
    assert len(agents) == 4
    for one in agents:
        assert np.all(np.array(one["scale"]) <= 1)
        assert np.abs(np.array(one["faces"])).max() <= np.abs(np.array(suite["faces"])).max() + 1e-9
