"""What a page is made of: the space, tables for reading, size, sameness."""

from __future__ import annotations

import re

import numpy as np
import page_of_suite
import pytest

from aiq import pages
from aiq.errors import InputError
from aiq.pages import LIMIT, merged, number_words
from aiq.plans.run import PIPELINES
from aiq.records.table import Table
from aiq.report.page import told_apart, turnable


def test_one_figure_can_be_turned():
    declared = [
        f.name for plan in PIPELINES.values() for products in plan.declared for f in products.figures if f.turned
    ]
    assert declared == ["space-solid"]


def test_numbers_have_the_decimals_that_their_intervals_call_for():
    assert number_words(0.87665, 0.85729, 0.90530) == "0.877 [0.857, 0.905]"
    assert number_words(1597.2, 1330.4, 1879.1) == "1597 [1330, 1879]"
    assert number_words(0.0, -0.002, 0.003) == "0.0000 [-0.0020, 0.0030]"
    assert number_words(0.5) == "0.5"
    assert number_words(None) == "–"


def test_a_table_for_reading_joins_intervals_and_tells_repeated_words_once():
    said = "the number of dimensions is uncertain, and so on"
    table = Table.of(
        ("agent", "x", "x_low", "x_high", "flag", "n", "warnings"), [("a", 1.0, 0.9, 1.1, True, 3, said)] * 2
    )
    reading = merged(table)
    assert reading["columns"] == [("agent", False), ("x", True), ("flag", True), ("n", True)]
    assert reading["rows"][0] == ["a", "1.00 [0.90, 1.10]", "yes", "3"]
    assert reading["said"] == {"warnings (in every row)": said}
    other = f"{said} for another reason"
    reading = merged(Table.of(("agent", "note"), [("a", words) for words in [said, other] * 4]))
    assert [row[1] for row in reading["rows"]] == ["(1)", "(2)"] * 4
    assert reading["said"] == {"note (1)": said, "note (2)": other}
    own = merged(Table.of(("agent", "note"), [("a", said), ("b", other), ("c", f"{other}, too")]))
    assert [row[1] for row in own["rows"]] == [said, other, f"{other}, too"]
    assert own["said"] == {}


def test_the_page_is_whole_and_asks_no_network():
    html = page_of_suite.page(8, 4, 4).decode()
    assert html.encode() == page_of_suite.page(8, 4, 4)
    body = re.sub(r'<script type="text/plain".*?</script>', "", html, flags=re.DOTALL)
    assert not re.search(r'(src|href)="(?!data:|#|figures/|tables/)', body)
    assert "name: made &lt;suite&gt;" in body
    assert html.index("How far this can be trusted") < html.index("figure-space-solid")


@pytest.mark.slow
def test_a_page_of_200_domains_stays_below_its_limit_and_says_what_it_leaves_out():
    html = page_of_suite.page(200, 12, 20)
    assert len(html) < LIMIT
    assert re.search(r"This page holds the first \d+ of 20100 rows", html.decode())


def test_a_page_that_cannot_be_small_is_refused(monkeypatch):
    monkeypatch.setattr(pages, "LIMIT", 100_000)
    with pytest.raises(InputError, match="may have 0, even with short tables"):
        page_of_suite.page(8, 4, 4)


def test_sentences_of_trust():
    assert "1 of 2 neighbours" in told_apart(["a", "b", "c"], [0.99, 0.6])
    assert "b and c (0.60)" in told_apart(["a", "b", "c"], [0.99, 0.6])
    assert told_apart(["a", "b"], [0.99]).startswith("Every agent is above the next one")
    assert told_apart(["a", "b"], [None]) == "How sure the order is has not been measured."


def test_hulls_of_agents_lie_inside_the_suites():
    tables = page_of_suite.sources(8, 4, 4)
    suite, *agents = turnable(tables.figures["space-solid"], tables).data["hulls"]
    assert suite["name"] == "suite"
    assert len(agents) == 4
    for hull in agents:
        assert np.all(np.array(hull["scale"]) <= 1)
        assert np.abs(np.array(hull["faces"])).max() <= np.abs(np.array(suite["faces"])).max() + 1e-9
