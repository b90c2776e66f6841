"""What a page is made of: the space, tables for reading, size, sameness."""

from __future__ import annotations

import re

import made_pages
import numpy as np
import pytest

from aiq import pages
from aiq.errors import InputError
from aiq.pages import LIMIT, rendering
from aiq.pages.parts import undecided, words
from aiq.plans.run import PIPELINES
from aiq.records.table import Table
from aiq.report.page import told_apart


def test_one_figure_can_be_turned():
    declared = [f.name for plan in PIPELINES.values() for made in plan.declared for f in made.figures if f.turned]
    assert declared == ["space-solid"]


def test_numbers_have_the_decimals_that_their_intervals_call_for():
    assert words(0.87665, 0.85729, 0.90530) == "0.877 [0.857, 0.905]"
    assert words(1597.2, 1330.4, 1879.1) == "1597 [1330, 1879]"
    assert words(0.0, -0.002, 0.003) == "0.0000 [-0.0020, 0.0030]"
    assert words(0.5) == "0.5"
    assert words(None) == "–"


def test_a_table_for_reading_joins_intervals_and_tells_repeated_words_once():
    said = "the number of dimensions is uncertain, and so on"
    table = Table.of(
        ("agent", "x", "x_low", "x_high", "flag", "n", "warnings"), [("a", 1.0, 0.9, 1.1, True, 3, said)] * 2
    )
    found = pages.rendering.merged(table)
    assert found["columns"] == [("agent", False), ("x", True), ("flag", True), ("n", True)]
    assert found["rows"][0] == ["a", "1.00 [0.90, 1.10]", "yes", "3"]
    assert found["said"] == {"warnings (in every row)": said}
    other = f"{said} for another reason"
    found = pages.rendering.merged(Table.of(("agent", "note"), [("a", words) for words in [said, other] * 4]))
    assert [row[1] for row in found["rows"]] == ["(1)", "(2)"] * 4
    assert found["said"] == {"note (1)": said, "note (2)": other}
    own = pages.rendering.merged(Table.of(("agent", "note"), [("a", said), ("b", other), ("c", f"{other}, too")]))
    assert [row[1] for row in own["rows"]] == [said, other, f"{other}, too"]
    assert own["said"] == {}


def test_the_page_is_whole_and_asks_no_network():
    made = made_pages.page(8, 4, 4).decode()
    assert made.encode() == made_pages.page(8, 4, 4)
    body = re.sub(r'<script type="text/plain".*?</script>', "", made, flags=re.DOTALL)
    assert not re.search(r'(src|href)="(?!data:|#|figures/|tables/)', body)
    assert "name: made &lt;suite&gt;" in body
    assert made.index("How far this can be trusted") < made.index("figure-space-solid")


@pytest.mark.slow
def test_a_page_of_200_domains_stays_below_its_limit_and_says_what_it_leaves_out():
    made = made_pages.page(200, 12, 20)
    assert len(made) < LIMIT
    words = made.decode()
    assert re.search(r"This page holds the first \d+ of 20100 rows", words)


def test_a_page_that_cannot_be_small_is_refused(monkeypatch):
    monkeypatch.setattr(rendering, "LIMIT", 100_000)
    with pytest.raises(InputError, match="may have 0, even with short tables"):
        made_pages.page(8, 4, 4)


def test_sentences_of_trust():
    assert "1 of 2 neighbours" in told_apart(["a", "b", "c"], [0.99, 0.6])
    assert "b and c (0.60)" in told_apart(["a", "b", "c"], [0.99, 0.6])
    assert told_apart(["a", "b"], [0.99]).startswith("Every agent is above the next one")
    assert told_apart(["a", "b"], [None]) == "How sure the order is has not been measured."
    assert "All 1 differences" in undecided([("a", "b", True)])
    assert "0 of 1 differences between agents at 5 cycles are decided" in undecided([("a", "b", False)], " at 5 cycles")


def test_hulls_of_agents_lie_inside_the_suites():
    found = made_pages.sources(8, 4, 4)
    suite, *agents = pages.turnable(found.figures["space-solid"], found).data["hulls"]
    assert suite["name"] == "suite"
    assert len(agents) == 4
    for one in agents:
        assert np.all(np.array(one["scale"]) <= 1)
        assert np.abs(np.array(one["faces"])).max() <= np.abs(np.array(suite["faces"])).max() + 1e-9
