"""A suite as an instrument, as tables for people."""

from __future__ import annotations

from aiq.records.instrument import RULES, Beside, Instrument, Moved
from aiq.records.shown import Shown, warned

NAMES = {
    "per_dimension": "AIQ per dimension",
    "geometric_mean": "geometric mean",
    "mean": "mean",
    "median": "median",
    "interquartile_mean": "interquartile mean",
    "ability": "ability (IRT)",
}


def instrument(found: Instrument) -> list[Shown]:
    """Return tables of the tests, of fewer tests, of new tests, of what moves, and of the agents by every rule."""
    tables = [_tests(found), _dropped(found), _added(found), _moved(found), _agents(found)]
    kept = [one for one in tables if one is not None]
    last = kept[-1]
    kept[-1] = Shown(last.title, last.columns, last.rows, (*last.sentences, *warned(found.warnings)))
    return kept


def _tests(found: Instrument) -> Shown:
    level = f"{found.confidence:.0%}"
    d = found.dimensions
    rows = tuple(
        (
            one.test, one.worth.value, one.worth.interval, one.needed,
            None if one.without is None else one.without.value,
            None if one.without is None else one.without.interval,
        )
        for one in found.tests
    )  # fmt: skip
    told = (
        "worth: share of the suite's volume that goes with the test; needed: share of the replicates in which that is "
        "more than 0; order without: rank correlation of the agents by AIQ without the test and with all",
    )
    title = f"what each test of {found.name} is worth, in {d} dimension{'s' * (d > 1)}"
    return Shown(title, ("test", "worth", level, "needed", "order without", level), rows, told)


def _dropped(found: Instrument) -> Shown | None:
    drop = found.dropping
    if drop is None:
        return None
    rows = tuple(
        (
            one.kept, *(cell for series in (one.chosen, one.random) for cell in (
                (None, None) if series is None else (series.value, series.interval))),
        )
        for one in drop.steps
    )  # fmt: skip
    who = f"{drop.judged} agents left out" if drop.left_out else "the same agents that choose"
    told = [
        f"rank correlation of the order by AIQ with that on all tests: mean and central {found.confidence:.0%} over "
        f"{drop.splits} splits of the agents, each in one replicate of space and performances; judged on {who}; a "
        "range is a spread, no interval: how often it holds the truth is not measured",
        f"the first to go: {', '.join(drop.order[:-1])}; kept longest: {drop.order[-1]}",
    ]
    if drop.smallest is not None:
        keep = "1 test keeps" if drop.smallest == 1 else f"{drop.smallest} tests keep"
        told.append(f"{keep} a mean rank correlation of {drop.enough:g} or more")
    else:
        told.append(f"even one test fewer keeps less than {drop.enough:g} on average")
    columns = ("tests kept", "dropped by choice", "range", "dropped at random", "range")
    return Shown("the order of the agents on fewer tests", columns, rows, tuple(told))


def _added(found: Instrument) -> Shown | None:
    if not found.additions:
        return None
    rows = tuple(
        (one.words, one.gain.value, one.gain.interval, one.best, one.from_complexity) for one in found.additions
    )
    told = []
    if found.widest is not None:
        told.append(f"the largest gain in any of {found.tried} random directions: {found.widest:.4g}")
    columns = ("a new test", "volume grows by", f"{found.confidence:.0%}", "best of these", "above complexity")
    return Shown("which kind of test to add", columns, rows, tuple(told))


def _moved(found: Instrument) -> Shown:
    rows = tuple(
        (NAMES[one.rule], one.copy, one.copied, one.copy_pairs, one.agents, one.agent_pairs) for one in found.moved
    )
    columns = (
        "agents ordered by", "a test twice: change", "test", "pairs that change order", "an agent joins: change",
        "pairs",
    )  # fmt: skip
    return Shown("what moves when a test or an agent stands twice", columns, rows, _of_copies(found.moved))


def _of_copies(moved: tuple[Moved, ...]) -> tuple[str, ...]:
    told = ["largest change over all tests and agents; with a copy of a test the space is built again"]
    aiq = next(one for one in moved if one.rule == "per_dimension")
    if aiq.copy:
        told.append(
            f"a copy of {aiq.copied} turns the dimensions that are kept; where all are kept and none is negative AIQ "
            "does not move"
        )
    return tuple(told)


def _agents(found: Instrument) -> Shown:
    rules = [rule for rule in RULES if any(rule in one.numbers for one in found.agents)]
    rows = tuple((one.agent, *(cell for rule in rules for cell in _cells(rule, one))) for one in found.agents)
    level = f"{found.confidence:.0%}"
    columns = [cell for rule in rules for cell in ((NAMES[rule],) if rule == "ability" else (NAMES[rule], level))]
    return Shown("the agents by every rule", ("agent", *columns), rows)


def _cells(rule: str, agent: Beside) -> tuple[object, ...]:
    """Return an agent's number by a rule with its interval; abilities have none."""
    one = agent.numbers.get(rule)
    cells = (None, None) if one is None else (one.value, one.interval)
    return cells[:1] if rule == "ability" else cells
