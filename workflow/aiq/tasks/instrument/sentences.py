"""What must be said beside the numbers of a suite as an instrument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aiq.measures.instrument import FEWEST_TO_SPLIT, Candidate
from aiq.records.instrument import Instrument

MOST_NAMED = 4  # pairs of tests that are alike
SMALL = 0.01  # largest gain of a new test below which the suite has no room in its dimensions


def kind(candidate: Candidate, names: Sequence[str]) -> str:
    """Return a kind of test in words of the tests that exist."""
    a = names[candidate.a]
    if candidate.b is None:
        return f"like {a}, as complex as the most complex test"
    b = names[candidate.b]
    return (
        f"halfway between {a} and {b}" if candidate.kind == "between" else f"like {a}, with nothing in common with {b}"
    )


def warned(
    found: Instrument,
    scores: Sequence[str],
    without_ability: str | None,
    alike: Sequence[tuple[str, str]],
    lowered: Sequence[str],
) -> Instrument:
    """Return the record with its warnings.

    Args:
        found: the numbers.
        scores: warnings of the scores and of the space, which hold here too.
        without_ability: why there is no ability by item response theory, None where there is.
        alike: pairs of tests in nearly one direction.
        lowered: tests whose interval of worth was made to begin at 0.
    """
    said = [*_of_tests(found), *_of_alike(alike), *_of_lowered(lowered), *_of_order(found), *_of_additions(found)]
    if without_ability is not None:
        said.append(without_ability)
    return replace(found, warnings=(*said, *scores))


def _of_tests(found: Instrument) -> list[str]:
    """Return what holds for the worth of tests."""
    said, n, d = [], len(found.tests), found.dimensions
    corners = [test.test for test in found.tests if test.worth.value >= 1]
    if n == d:
        said.append(f"{n} tests in {d} dimensions: none can be left out without the loss of a dimension")
    elif corners:
        each = "each of them is" if len(corners) > 1 else "it is"
        said.append(
            f"without {' or '.join(corners)} the suite has no volume in {d} dimensions, so {each} worth 1: a whole "
            "dimension"
        )
    none = [test.test for test in found.tests if test.worth.value == 0]
    if none and len(none) < n:
        said.append(
            f"worth 0 where the other tests are as they are: {', '.join(none)}; two that are alike cover for each "
            "other, so do not drop all of them at once"
        )
    if found.replicates == 0:
        said.append("nothing is known of any uncertainty: no number here has an interval")
    return said


def _of_alike(alike: Sequence[tuple[str, str]]) -> list[str]:
    """Return that tests in one direction stand out by noise."""
    if not alike:
        return []
    named = ", ".join(f"{a} and {b}" for a, b in alike[:MOST_NAMED])
    more = f" and {len(alike) - MOST_NAMED} more pairs" if len(alike) > MOST_NAMED else ""
    return [
        f"nearly alike: {named}{more}; noise lets one of two such tests stand out, so do not trust a small worth of "
        "either; it stretches the hull of the other tests too (simulated with an exact copy, their intervals hold the "
        "worth in .77 to .96)"
    ]


def _of_lowered(lowered: Sequence[str]) -> list[str]:
    """Return why intervals of worth begin at 0."""
    if not lowered:
        return []
    begins = "interval of worth begins at 0" if len(lowered) == 1 else "intervals of worth begin at 0"
    return [
        f"{', '.join(lowered)}: {begins}, since in a twentieth of the replicates or more another test lies in the same "
        "direction, and of two copies each is worth nothing (simulated, these intervals hold the 0 of exact copies in "
        ".95 to .99; without this they would in .45 to .77)"
    ]


def _of_order(found: Instrument) -> list[str]:
    """Return what holds for the dropping of tests."""
    agents, n = len(found.agents), len(found.tests)
    if agents < 3:
        one = "one agent has no order" if agents == 1 else "two agents have one order or the other"
        return [f"{one}: nothing is said of which tests keep it; give three agents or more"]
    if found.dropping is None:
        return ["one test: there is none to drop"]
    said = []
    drop = found.dropping
    if n <= 3:
        said.append(f"{n} tests: a suite of fewer hardly is one; the curve of dropped tests has {n} points")
    if not drop.left_out:
        said.append(
            f"{agents} agents: all choose which tests go and all are judged, so the order looks better kept than it "
            f"is; {FEWEST_TO_SPLIT} agents are needed to judge on agents left out"
        )
    if drop.judged < 10:
        said.append(f"rank correlations of {drop.judged} agents take few values and vary much")
    if all(one.chosen is None for one in drop.steps):
        said.append("the agents are all alike by AIQ: there is no order to keep")
    return said


def _of_additions(found: Instrument) -> list[str]:
    """Return what holds for new tests."""
    d = found.dimensions
    said = [
        f"gains are those of a test as complex as the most complex one, in the {d} dimensions of the suite; a test "
        "unlike all of these adds a dimension, and volumes of different dimensions do not compare"
    ]
    if not found.additions:
        said.append(f"no kind of test that can be told by the tests here enlarges the suite in its {d} dimensions")
    else:
        said.append("the first of many kinds is the best of their errors too: its gain is too high on average")
    if found.widest is not None and found.widest < SMALL:
        said.append(f"no direction adds more than {found.widest:.1%}: in its dimensions the suite is full")
    return said
